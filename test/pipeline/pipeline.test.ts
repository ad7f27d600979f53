// The stream of a run: inputs in one order, one step at a time, and commands out; and price frames that are
// left out.
import { EMPTY, Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Arrival, Command, Input, StampedInput } from '../../src/domain/index.ts';
import { conflate, pipeline } from '../../src/pipeline/index.ts';

/** A pipeline around a core that answers by `step`. Time stands still until a timer rings (`ring`). */
function pipelineWith(step: (stamped: StampedInput) => readonly Command[]) {
  const prices$ = new Subject<Arrival>();
  const operators$ = new Subject<Input>();
  const stepped: string[] = [];
  const recorded: Arrival[] = [];
  const sent: Command[] = [];
  const rings: { readonly inMs: number; readonly ring: () => void; isOn: boolean }[] = [];
  let failure: unknown;
  let nowMs = 100;
  const sources = { user$: EMPTY, replies$: EMPTY, permits$: EMPTY, sessions$: EMPTY, signals$: EMPTY };
  const subscription = pipeline(
    { prices$, operators$, ...sources },
    {
      core: {
        step: (stamped) => {
          stepped.push(`${stamped.seq} ${stamped.in.type} ${stamped.t} ${stamped.mono}`);
          return { commands: step(stamped), events: [] };
        },
      },
      decoder: {
        inputOf: (arrival) =>
          arrival.type === 'frame' || arrival.type === 'long-frame' || arrival.type === 'reply'
            ? { type: 'tick' }
            : arrival,
        applyCommands: () => undefined,
      },
      timers: {
        now: () => nowMs,
        after: (inMs, action) => {
          const endsAt = nowMs + inMs;
          const ring = (): void => {
            nowMs = endsAt;
            action();
          };
          const timer = { inMs, ring, isOn: true };
          rings.push(timer);
          return () => {
            timer.isOn = false;
          };
        },
      },
      wall: () => 5000,
      record: ({ arrival }) => recorded.push(arrival.in),
      send: (command) => {
        sent.push(command);
        // as a connection that does not send the request
        if (command.type === 'read') operators$.next(failureOf(command.req));
      },
      alert: () => undefined,
      exit: () => undefined,
    },
  ).subscribe({
    error: (error: unknown) => {
      failure = error;
    },
  });
  return { prices$, operators$, stepped, recorded, sent, rings, subscription, failure: () => failure };
}

const failureOf = (req: number): Input => ({ type: 'failure', req, failure: 'not-sent', detail: 'held' });
const readOf = (req: number): Command => ({ type: 'read', req, read: { what: 'user' } });
const frame: Arrival = { type: 'frame', feed: 'prices', epoch: 1, event: 'gameUpdate', data: '{}' };

describe('the pipeline', () => {
  it('stamps inputs of all sources in one order, and records them as they arrived', () => {
    const { prices$, operators$, stepped, recorded } = pipelineWith(() => []);
    prices$.next(frame);
    operators$.next({ type: 'wait', for: 'crash' });
    expect(stepped).toEqual(['1 tick 5000 100', '2 wait 5000 100']);
    expect(recorded).toEqual([frame, { type: 'wait', for: 'crash' }]);
  });

  it('handles an input that a command causes at once after the other commands of the step, never within the step', () => {
    const { operators$, stepped, sent } = pipelineWith(({ seq }) => (seq === 1 ? [readOf(1), readOf(2)] : []));
    operators$.next({ type: 'wait', for: 'crash' });
    expect(sent).toHaveLength(2);
    expect(stepped).toEqual(['1 wait 5000 100', '2 failure 5000 100', '3 failure 5000 100']);
  });

  it.each([
    // an earlier time replaces the timer; a later one lets it run, and the rest of the time is waited then
    { wakes: [102, 101], timers: [2, 1], tick: '3 tick 5000 101' },
    { wakes: [101, 102], timers: [1, 1], tick: '3 tick 5000 102' },
  ])('ticks once, at the newest time that the core asked for: $wakes', ({ wakes, timers, tick }) => {
    const { operators$, rings, stepped } = pipelineWith(({ seq }) =>
      seq < 3 ? [{ type: 'wake', at: wakes[seq - 1] ?? 0 }] : [],
    );
    operators$.next({ type: 'wait', for: 'crash' });
    operators$.next({ type: 'wait', for: 'crash' });
    for (const timer of rings) if (timer.isOn) timer.ring();
    expect(rings.map(({ inMs }) => inMs)).toEqual(timers);
    expect(stepped.slice(2)).toEqual([tick]);
  });

  it('ends with the error that the core threw, and accepts no input after that', () => {
    const { operators$, stepped, failure } = pipelineWith(() => {
      throw new Error('a bug');
    });
    operators$.next({ type: 'wait', for: 'crash' });
    operators$.next({ type: 'wait', for: 'crash' });
    expect(failure()).toEqual(new Error('a bug'));
    expect(stepped).toHaveLength(1);
  });

  it('drops waiting inputs once it is unsubscribed', () => {
    const { operators$, subscription, stepped, rings } = pipelineWith(() => {
      subscription.unsubscribe();
      return [readOf(1), { type: 'wake', at: 200 }];
    });
    operators$.next({ type: 'wait', for: 'crash' });
    operators$.next({ type: 'wait', for: 'crash' });
    expect(stepped).toHaveLength(1);
    expect(rings).toEqual([]);
  });
});

describe('conflation of price frames', () => {
  it('keeps only the newest frame of each side that arrived together, and everything else in order', async () => {
    const source = new Subject<Arrival>();
    const out: Arrival[] = [];
    let dropped = 0;
    const subscription = source.pipe(conflate(() => (dropped += 1))).subscribe((input) => out.push(input));
    const priceOf = (side: string, n: number): Arrival => ({
      type: 'frame',
      feed: 'prices',
      epoch: 1,
      event: 'orderUpdate',
      data: `{"gameID":"g","type":"moneyline","participantID":"${side}","sideOrders":[{"n":${n}}]}`,
    });
    const game: Arrival = { type: 'frame', feed: 'prices', epoch: 1, event: 'gameUpdate', data: '{}' };
    source.next(priceOf('a', 1));
    source.next(priceOf('b', 1));
    source.next(game);
    source.next(priceOf('a', 2));
    await expect.poll(() => out.length).toBe(3);
    expect(out).toEqual([priceOf('b', 1), game, priceOf('a', 2)]);
    expect(dropped).toBe(1);
    subscription.unsubscribe();
  });
});

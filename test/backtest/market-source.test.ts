// The events of several tapes, merged by time, with a bounded look-ahead.
import { describe, expect, it } from 'vitest';
import type { TapeStream } from '../../src/backtest/market-source.ts';
import { MarketSource } from '../../src/backtest/market-source.ts';
import type { GameId, GameMessage, OrderId, ParticipantId } from '../../src/domain/index.ts';
import { microsOfDollars, toRung } from '../../src/domain/index.ts';
import type { MarketEvent, SideEvent } from '../../src/tape/index.ts';

const G = 'g' as GameId;

/** A frame of HOME's ladder with these ids. */
function ladder(ts: number, ids: readonly string[], participant = 'home'): SideEvent {
  const frame = {
    gameId: G,
    league: 'NBA',
    type: 'moneyline',
    participantId: participant as ParticipantId,
    side: undefined,
    line: undefined,
    live: false,
    mainHomeSpread: undefined,
    mainTotal: undefined,
    offers: ids.map((id) => ({
      id: id as OrderId,
      rung: toRung(100) ?? (0 as never),
      risk: microsOfDollars(10),
      untaken: microsOfDollars(10),
      createdAt: '2030-01-01T00:00:00.000Z',
      own: false,
    })),
  } as const;
  return { ts, what: 'side', frame, exhausted: [] };
}

function header(ts: number, fields: Partial<GameMessage>, gameId = G): MarketEvent {
  const absent = {
    parentGameId: undefined,
    league: undefined,
    sport: undefined,
    eventName: undefined,
    start: undefined,
    live: undefined,
    ended: undefined,
    futures: undefined,
    participants: undefined,
    mainHomeSpread: undefined,
    mainTotal: undefined,
    messageType: undefined,
  };
  const game = { gameId, ...absent, ladders: [], covers: [], ...fields };
  return { ts, what: 'game', game, exhausted: [] };
}

async function* inBatches(events: readonly MarketEvent[], size: number) {
  for (let start = 0; start < events.length; start += size) yield events.slice(start, start + size);
}
const stream = (name: string, events: readonly MarketEvent[], size = 1000): TapeStream => ({
  name,
  batches: inBatches(events, size),
});

/** Reads every event in order. Returns what `inspect` returns for each. */
async function read<T>(source: MarketSource, inspect: (event: MarketEvent) => T): Promise<T[]> {
  const seen: T[] = [];
  for (;;) {
    const event = source.next();
    if (event !== undefined) seen.push(inspect(event));
    else if (!(await source.fill())) return seen;
  }
}

const nameOf = (event: MarketEvent): string =>
  event.what === 'side' ? (event.frame.offers[0]?.id ?? 'empty') : event.what;
const returns =
  (id: string) =>
  (event: MarketEvent): boolean =>
    event.what === 'side' && event.returning?.has(id as OrderId) === true;
const isClosing = (event: MarketEvent): boolean | undefined => (event.what === 'side' ? event.isClosing : undefined);

describe('the events of several tapes', () => {
  it('are merged by time, each tape in the order of its lines', async () => {
    const a = [ladder(1, ['a1']), ladder(4, ['a4']), ladder(4, ['a4b']), ladder(9, ['a9'])];
    const b = [ladder(2, ['b2']), ladder(3, ['b3']), ladder(5, ['b5']), ladder(20, ['b20'])];
    for (const size of [1, 2, 1000]) {
      const source = new MarketSource([stream('a', a, size), stream('b', b, size), stream('c', [])]);
      expect(await read(source, nameOf)).toEqual(['a1', 'b2', 'b3', 'a4', 'a4b', 'b5', 'a9', 'b20']);
    }
  });

  it('are in the order of the command line at equal times', async () => {
    const a = [ladder(1, ['a1']), ladder(5, ['a5']), ladder(5, ['a5b'])];
    const b = [ladder(1, ['b1']), ladder(5, ['b5'])];
    const source = new MarketSource([stream('a', a), stream('b', b)]);
    expect(await read(source, nameOf)).toEqual(['a1', 'b1', 'a5', 'a5b', 'b5']);
  });

  it('are in the order of the command line at equal times, also when a later tape begins first', async () => {
    const a = [ladder(5, ['a5'])];
    const b = [ladder(1, ['b1']), ladder(5, ['b5'])];
    for (const size of [1, 1000]) {
      const source = new MarketSource([stream('a', a, size), stream('b', b, size)]);
      expect(await read(source, nameOf)).toEqual(['b1', 'a5', 'b5']);
    }
  });

  it('end at once when no tape has any', async () => {
    expect(await read(new MarketSource([]), nameOf)).toEqual([]);
    expect(await read(new MarketSource([stream('a', []), stream('b', [])]), nameOf)).toEqual([]);
  });

  it('end for good at the end of the tapes, whose files are closed', async () => {
    let closed = 0;
    async function* batches() {
      try {
        yield [ladder(1, ['x'])];
        yield [ladder(2, ['y'])];
      } finally {
        closed += 1;
      }
    }
    const whole = new MarketSource([{ name: 'a', batches: batches() }]);
    expect(await read(whole, nameOf)).toEqual(['x', 'y']);
    expect(whole.next()).toBeUndefined();
    expect(await whole.fill()).toBe(false);
    expect(closed).toBe(1);
    const long = Array.from({ length: 5000 }, (_none, i) => ladder(i, [`${i}`]));
    async function* longBatches() {
      try {
        for (const event of long) yield [event];
      } finally {
        closed += 1;
      }
    }
    const left = new MarketSource([{ name: 'b', batches: longBatches() }]);
    await left.fill();
    await left.close();
    expect(closed).toBe(2);
  });

  it('end with the error of a tape that cannot be read', async () => {
    async function* broken() {
      yield [ladder(1, ['x'])];
      throw new Error('x:2: torn');
    }
    const source = new MarketSource([stream('a', [ladder(1, ['a1'])]), { name: 'x', batches: broken() }]);
    await expect(read(source, nameOf)).rejects.toThrow('x:2: torn');
  });
});

describe('an offer id that returns', () => {
  it('counts as returning while it is gone, and not when it is shown for the last time', async () => {
    const events = [
      ladder(1, ['x', 'y']), // x goes twice and returns once each time
      ladder(2, ['y']),
      ladder(3, ['x', 'y']),
      ladder(4, ['y']),
      ladder(5, ['x']), // y goes for good
      ladder(6, []),
    ];
    const answersFor = (id: string) => read(new MarketSource([stream('a', events)]), returns(id));
    expect(await answersFor('x')).toEqual([true, true, true, true, false, false]);
    expect(await answersFor('y')).toEqual([false, false, false, false, false, false]);
  });

  it('counts as returning whichever tape shows it', async () => {
    const a = [ladder(1, ['x']), ladder(2, [])];
    const b = [ladder(3, ['x'])];
    expect(await read(new MarketSource([stream('a', a), stream('b', b)]), returns('x'))).toEqual([true, true, false]);
  });

  it('counts as returning when it returns within a thousand events', async () => {
    const between = (count: number) => Array.from({ length: count }, (_none, i) => ladder(3 + i, [`n${i}`], 'away'));
    const events = (count: number) => [
      ladder(1, ['x']),
      ladder(2, []),
      ...between(count),
      ladder(1e6, ['x']),
      ...between(5000),
    ];
    for (const size of [1, 7, 100_000]) {
      const [, gone] = await read(new MarketSource([stream('a', events(990), size)]), returns('x'));
      expect(gone).toBe(true);
    }
  });

  it('counts as returning or not independently of the pieces in which its tape was read', async () => {
    // pieces of a file, blocks of the compact form, or a tape split in two: the same events, the same answers
    const events: SideEvent[] = [];
    const gone: SideEvent[] = [];
    for (let i = 0; i < 12_000; i++) {
      events.push(ladder(i, [`n${i}`], 'away'));
      // one id every hundred frames, gone at once, back after 500 … 2,300 frames
      if (i % 100 !== 0) continue;
      gone.push(ladder(i, []));
      events.push(ladder(i, [`x${i}`]), gone.at(-1) as SideEvent);
      const back = i - 500 - ((i / 100) % 10) * 200;
      if (back >= 0) events.push(ladder(i, [`x${back}`]), ladder(i, []));
    }
    const answers = async (size: number): Promise<string> =>
      (
        await read(new MarketSource([stream('a', events, size)]), (event) =>
          gone.includes(event as SideEvent) ? (returns(`x${event.ts}`)(event) ? 'T' : 'f') : '',
        )
      ).join('');
    const piecemeal = await answers(1);
    expect(piecemeal).toHaveLength(120);
    expect(piecemeal).toMatch(/T.*f|f.*T/);
    expect(await answers(1000)).toBe(piecemeal);
    expect(await answers(4096)).toBe(piecemeal);
  });
});

describe('a market that closes', () => {
  it('is closing during the five seconds before, for its game only', async () => {
    const events = [
      ladder(0, []),
      ladder(4999, []),
      ladder(5000, []),
      ladder(9999, []),
      header(10_000, { messageType: 'marketClosed' }),
      ladder(10_001, []),
      header(20_000, { messageType: 'marketClosed' }, 'another' as GameId),
    ];
    expect(await read(new MarketSource([stream('a', events)]), isClosing)).toEqual([
      false,
      false,
      true,
      true,
      undefined,
      false,
      undefined,
    ]);
  });

  it('is closing before its game ends, and before the recording loses its connection', async () => {
    const events: MarketEvent[] = [
      ladder(0, []),
      { ts: 3000, what: 'down' },
      { ts: 4000, what: 'up' },
      ladder(4000, []),
      ladder(60_000, []),
      header(61_000, { ended: true }),
      header(62_000, { messageType: 'marketOpen' }),
    ];
    expect(await read(new MarketSource([stream('a', events)]), isClosing)).toEqual([
      true,
      undefined,
      undefined,
      false,
      true,
      undefined,
      undefined,
    ]);
  });

  it('is closing when another tape shows the close', async () => {
    const source = new MarketSource([
      stream('a', [ladder(0, [])]),
      stream('b', [header(1000, { messageType: 'marketClosed' })]),
    ]);
    expect(await read(source, isClosing)).toEqual([true, undefined]);
  });
});

describe('the signals of a tape', () => {
  const signal = (ts: number): MarketEvent => ({
    ts,
    what: 'signal',
    update: { values: { s: ts }, ttlMs: 1000 },
  });

  it('are merged by time among market events, and those after the last market event are left out', async () => {
    const market = [ladder(2, ['a']), ladder(4, ['b']), ladder(4, ['c'])];
    const own = [1, 2, 3, 4, 5].map(signal);
    for (const size of [1, 1000]) {
      const order = async (...tapes: readonly (readonly MarketEvent[])[]): Promise<string[]> =>
        read(new MarketSource(tapes.map((tape, i) => stream(`${i}`, tape, size))), (event) =>
          event.what === 'signal' ? `${event.ts}` : nameOf(event),
        );
      expect(await order(market, own)).toEqual(['1', 'a', '2', '3', 'b', 'c']);
      expect(await order(own, market)).toEqual(['1', '2', 'a', '3', '4', 'b', 'c']);
      expect(await order(own)).toEqual([]);
    }
  });

  it('neither connect a feed nor count as frames', async () => {
    const source = new MarketSource([stream('market', [ladder(5, ['a'])]), stream('own', [1, 2].map(signal))]);
    expect(await read(source, ({ what }) => what)).toEqual(['signal', 'signal', 'side']);
    expect(source.frames).toEqual([1, 0]);
  });

  it('do not change what is known in advance, however many there are', async () => {
    const ids = ['x', 'y', 'z'];
    const PERIODS = [7, 400, 1100];
    const market = Array.from({ length: 3000 }, (_none, i) =>
      ladder(
        10 * i,
        ids.filter((_id, n) => Math.floor(i / (PERIODS[n] ?? 1)) % 2 === 0),
      ),
    );
    const own = Array.from({ length: 30_000 }, (_none, i) => signal(i));
    const seen = async (tapes: readonly TapeStream[]): Promise<unknown[]> => {
      const all = await read(new MarketSource(tapes), (event) =>
        event.what === 'signal' ? undefined : ids.map((id) => returns(id)(event)),
      );
      return all.filter((answers) => answers !== undefined);
    };
    const without = await seen([stream('market', market)]);
    expect(without).toHaveLength(3000);
    expect(new Set(without.map((answers) => JSON.stringify(answers))).size).toBeGreaterThan(3);
    for (const size of [1, 700, 30_000])
      expect(await seen([stream('market', market), stream('own', own, size)])).toEqual(without);
  });
});

describe('the look-ahead of a backtest', () => {
  it.each([1, 100, 4096])('is bounded, however long the tapes are (pieces of %i)', async (size) => {
    const EVENTS = 30_000;
    let drawn = 0;
    async function* batches(participant: string) {
      for (let start = 0; start < EVENTS; start += size) {
        const batch = Array.from({ length: size }, (_none, i) => ladder(start + i, [`${start + i}`], participant));
        drawn += size;
        yield batch;
      }
    }
    const source = new MarketSource(['home', 'away'].map((name) => ({ name, batches: batches(name) })));
    let seen = 0;
    let most = 0;
    await read(source, () => {
      seen += 1;
      most = Math.max(most, drawn - seen);
    });
    expect(seen).toBe(drawn);
    // two thousand events ahead, what came with them, and one piece of each tape in hand
    expect(most).toBeLessThanOrEqual(2001 + 3 * size);
  });
});

// Reads take time: a frame in the meantime is newer than the read.
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { MirrorFixture, plainBook, rows } from './fixtures.ts';

const moneyline = (home: string, away: string) => ({
  homeMoneylines: rows([[home, -105, 100]]),
  awayMoneylines: rows([[away, 102, 100]]),
});

describe('a read', () => {
  let fixture: MirrorFixture;
  beforeEach(() => {
    fixture = new MirrorFixture().up();
  });

  it('brings every ladder of its game, and empties lines that it does not show', () => {
    fixture.read({ homeSpreads: { '-3.5': rows([['s', 105, 10]]) }, over: { '210.5': rows([['o', 105, 10]]) } }, 0);
    fixture.read({ homeSpreads: { '-4': rows([['t', 105, 10]]) } }, 5);
    expect(fixture.ids('spread', -3.5)).toEqual([[], []]);
    expect(fixture.ids('spread', -4)).toEqual([['t'], []]);
    expect(fixture.ids('total', 210.5)).toEqual([[], []]);
  });

  it('replaces a frame from before it was sent', () => {
    fixture.read(moneyline('h', 'a'), 0);
    fixture.home([['old', -104, 50]], 10);
    fixture.read(moneyline('h2', 'a2'), 30, 20);
    expect(fixture.ids()).toEqual([['h2'], ['a2']]);
  });

  it('keeps the side of a frame from after it was sent, and brings the other side', () => {
    fixture.read(moneyline('h', 'a'), 0);
    fixture.home([['new', -104, 50]], 25);
    fixture.read(moneyline('h2', 'a2'), 30, 20);
    expect(fixture.ids()).toEqual([['new'], ['a2']]);
  });

  it('keeps a side that a frame emptied after it was sent', () => {
    fixture.read(moneyline('h', 'a'), 0);
    fixture.away([], 25);
    fixture.read(moneyline('h2', 'a2'), 30, 20);
    expect(fixture.ids()).toEqual([['h2'], []]);
  });

  it('keeps a line that only a later frame showed', () => {
    fixture.read(moneyline('h', 'a'), 0);
    const fields = {
      type: 'spread',
      spread: -3.5,
      participantID: 'p-home',
      sideOrders: rows([['s', 105, 10]]),
    };
    fixture.frame(fields, 25);
    fixture.read(moneyline('h2', 'a2'), 30, 20);
    expect(fixture.ids('spread', -3.5)).toEqual([['s'], []]);
  });

  it('keeps the ladders of a gameUpdate from after it was sent', () => {
    fixture.read(moneyline('h', 'a'), 0);
    fixture.update(moneyline('new', 'new'), 25);
    fixture.read(moneyline('h2', 'a2'), 30, 20);
    expect(fixture.ids()).toEqual([['new'], ['new']]);
  });

  it('keeps the header of a gameUpdate from after it was sent', () => {
    fixture.read({ live: false }, 0);
    fixture.update({ live: true, start: '2030-01-01T13:00:00.000Z' }, 25);
    fixture.read({ live: false }, 30, 20);
    expect([fixture.game.live, fixture.game.start]).toEqual([true, Date.UTC(2030, 0, 1, 13)]);
  });

  it('that arrives late does not undo a read that was sent after it', () => {
    fixture.read(moneyline('h', 'a'), 0);
    fixture.read(moneyline('newer', 'newer'), 30, 25);
    fixture.read(moneyline('older', 'older'), 40, 20);
    expect(fixture.ids()).toEqual([['newer'], ['newer']]);
  });

  it('of this epoch replaces a frame of an earlier epoch, however late that frame came', () => {
    fixture.read(moneyline('h', 'a'), 0);
    fixture.home([['new', -104, 50]], 25);
    fixture.down().up();
    fixture.read(moneyline('h2', 'a2'), 30, 20);
    expect(fixture.ids()).toEqual([['h2'], ['a2']]);
  });

  it.each([
    ['of an earlier epoch', 1],
    ['of an epoch that never existed', 7],
  ])('%s changes nothing', (_case, epoch) => {
    fixture.read(moneyline('h', 'a'), 0);
    fixture.down().up();
    expect(fixture.read(moneyline('x', 'y'), 30, 20, epoch)).toBeUndefined();
    expect(fixture.ids()).toEqual([['h'], ['a']]);
    expect(fixture.freshness(30)).toEqual(['unknown', 'unknown']);
  });

  it('while the feed is down changes nothing', () => {
    fixture.read(moneyline('h', 'a'), 0);
    fixture.down();
    expect(fixture.read(moneyline('x', 'y'), 30)).toBeUndefined();
    expect(fixture.home([], 30)).toBe('old-epoch');
    expect(fixture.ids()).toEqual([['h'], ['a']]);
  });

  it('touches nothing when it shows the known book, and touches the market that differs', () => {
    fixture.read(moneyline('h', 'a'), 0);
    fixture.drain();
    fixture.read(moneyline('h', 'a'), 10);
    expect(fixture.drain()).toBe(0);
    fixture.read({ ...moneyline('h', 'a'), homeMoneylines: rows([['h', -105, 60]]) }, 20);
    expect(fixture.drain()).toBe(1);
    expect(fixture.side(0).ladder[0]?.untaken).toBe(60_000_000);
  });
});

describe('a gameUpdate', () => {
  it('replaces the ladders that it contains, and keeps those that it leaves out', () => {
    const fixture = new MirrorFixture().up();
    fixture.read({ ...moneyline('h', 'a'), over: { '210.5': rows([['o', 105, 10]]) } }, 0);
    fixture.update({ homeMoneylines: rows([['h2', -104, 10]]) }, 5);
    expect(fixture.ids()).toEqual([['h2'], ['a']]);
    expect(fixture.ids('total', 210.5)).toEqual([['o'], []]);
  });

  it('with an empty field empties all lines of that side, and only those', () => {
    const fixture = new MirrorFixture().up();
    const both = { '210.5': rows([['o', 105, 10]]), '211': rows([['p', 105, 10]]) };
    fixture.read({ over: both, under: both, ...moneyline('h', 'a') }, 0);
    fixture.update({ over: {} }, 5);
    expect(fixture.ids('total', 210.5)).toEqual([[], ['o']]);
    expect(fixture.ids('total', 211)).toEqual([[], ['p']]);
    expect(fixture.ids()).toEqual([['h'], ['a']]);
  });

  it('of an earlier epoch changes nothing', () => {
    const fixture = new MirrorFixture().up();
    fixture.read(moneyline('h', 'a'), 0);
    fixture.down().up();
    expect(fixture.update(moneyline('x', 'y'), 5, 1)).toBeUndefined();
    expect(fixture.ids()).toEqual([['h'], ['a']]);
  });
});

describe('any mix of frames and reads', () => {
  // The exchange's own ladders change at every step; a read shows them as they were when it was sent.
  type Step = { readonly side: 0 | 1; readonly read: boolean; readonly lag: number };
  const steps = fc.array(
    fc.record<Step>({
      side: fc.constantFrom(0 as const, 1 as const),
      read: fc.boolean(),
      lag: fc.integer({ min: 1, max: 5 }),
    }),
    { minLength: 1, maxLength: 30 },
  );

  it('ends in the exchange’s book when reads return in the order in which they were sent', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const fixture = new MirrorFixture().up();
        let truth = ['h0', 'a0'];
        fixture.read(moneyline('h0', 'a0'), 0);
        let waiting: { readonly sentAt: number; readonly dueAt: number; readonly book: readonly string[] } | undefined;
        all.forEach((step, i) => {
          const now = (i + 1) * 10;
          if (waiting !== undefined && i >= waiting.dueAt) {
            fixture.read(moneyline(waiting.book[0] ?? '', waiting.book[1] ?? ''), now, waiting.sentAt);
            waiting = undefined;
          }
          if (step.read) waiting ??= { sentAt: now + 1, dueAt: i + step.lag, book: truth };
          else {
            truth = truth.with(step.side, `${step.side}-${i}`);
            fixture[step.side === 0 ? 'home' : 'away'](
              [[truth[step.side] ?? '', step.side === 0 ? -105 : 102, 100]],
              now + 2,
            );
          }
        });
        expect(fixture.ids()).toEqual([[truth[0]], [truth[1]]]);
        expect(Object.keys(plainBook(fixture.mirror))).toEqual(['g1/moneyline']);
      }),
    );
  });
});

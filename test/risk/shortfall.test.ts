// The expected shortfall of a game: by its distribution, never worse than the worst case.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GameId } from '../../src/domain/index.ts';
import { dollarsOfMicros, market } from '../../src/domain/index.ts';
import { modelFor } from '../../src/pricing/index.ts';
import { checkOrder } from '../../src/risk/index.ts';
import { account, Book, exposureOf, G1, game, LIMITS, moneyline, usd, wanted } from './fixtures.ts';

const NBA = modelFor('basketball', { margin: 4.5, total: 225 });
const spread = market(G1, 'spread', -4.5);
const far = market(G1, 'spread', -30.5);
const HALF = 'half' as GameId;
const halfLine = market(HALF, 'moneyline');
const nothing = { market: moneyline, side: 'home', risk: usd(0) } as const;
const shortfallOf = (
  book: Book,
  modelOf = () => NBA as typeof NBA | undefined,
  parts: readonly GameId[] = [],
): number =>
  dollarsOfMicros(
    exposureOf(book, { modelOf, parentOf: (id) => (parts.includes(id) ? G1 : undefined) }).shortfallWith(G1, nothing),
  );

describe('the expected shortfall of a game', () => {
  it('is the mean of the worst 5 % of scores: less than a loss that comes in 2 %', () => {
    const book = new Book().filled(far, 'away', -2000, 1000);
    const p = NBA.spread(-30.5).fair;
    expect(p).toBeLessThan(0.05);
    expect(shortfallOf(book)).toBeCloseTo((-1000 * p + 50 * (0.05 - p)) / 0.05, 0);
  });

  it('counts an open order where it would lose, and not where it would win', () => {
    expect(shortfallOf(new Book().open(moneyline, 'home', 100))).toBe(-100);
    expect(shortfallOf(new Book().open(moneyline, 'home', 100).open(moneyline, 'away', 80))).toBe(-100);
    // both may fill: home wins by 1 to 4
    expect(shortfallOf(new Book().open(spread, 'home', 100).open(moneyline, 'away', 100))).toBeCloseTo(-200, 6);
  });

  it('is the worst case where nothing is known of the score', () => {
    const book = new Book().filled(far, 'away', -2000, 1000);
    expect(shortfallOf(book, () => undefined)).toBe(-1000);
  });

  it('adds the shortfall of each part, and fills whose market is not known', () => {
    const book = new Book().filled(moneyline, 'home', 100, 100).filled(halfLine, 'home', 100, 70).unplaced(G1, 30);
    expect(shortfallOf(book, undefined, [HALF])).toBeCloseTo(-200, 6);
  });

  it('is never below the worst case, whatever is held and open', () => {
    const line = fc.integer({ min: -15, max: 15 }).map((points) => market(G1, 'spread', points + 0.5));
    const bet = fc.record({
      where: fc.oneof(fc.constant(moneyline), line),
      side: fc.constantFrom('home' as const, 'away' as const),
      dollars: fc.integer({ min: 1, max: 400 }),
      isOpen: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(bet, { maxLength: 6 }), (bets) => {
        const book = new Book();
        for (const { where, side, dollars, isOpen } of bets)
          if (isOpen) book.open(where, side, dollars);
          else book.filled(where, side, -110, dollars);
        const exposure = exposureOf(book, { modelOf: () => NBA });
        expect(exposure.shortfallWith(G1, nothing)).toBeGreaterThanOrEqual(exposure.worstWithParts(G1) - 1);
        expect(exposure.shortfallWith(G1, nothing)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the control of the shortfall of a game', () => {
  const check = (book: Book, maxGameShortfall?: number) =>
    checkOrder(
      wanted(100),
      game(),
      account(book, { exposure: exposureOf(book, { modelOf: () => NBA }) }),
      maxGameShortfall === undefined ? LIMITS : { ...LIMITS, maxGameShortfall: usd(maxGameShortfall) },
    );

  it('denies an order that exceeds it, and is off by default', () => {
    const book = new Book().filled(spread, 'home', -110, 150);
    expect(check(book)).toBeUndefined();
    expect(check(book, 250)).toBeUndefined();
    expect(check(book, 249)).toEqual({
      control: 'game-shortfall',
      reason: 'the game could lose 250.00 on average at the worst 5 % of its scores',
    });
  });

  it('allows what only a rare score would lose', () => {
    const book = new Book().filled(far, 'away', -2000, 1000);
    expect(check(book, 800)).toBeUndefined();
  });
});

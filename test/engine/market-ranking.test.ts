// Which markets are quoted under `markets.select`: rank, hysteresis, gates and the least stay.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MarketId } from '../../src/domain/index.ts';
import type { Gate } from '../../src/engine/market-gates.ts';
import { gateOf } from '../../src/engine/market-gates.ts';
import type { Ranked } from '../../src/engine/market-ranking.ts';
import { LEAST_STAY_MS, RANK_EVERY_MS, rankMarkets } from '../../src/engine/market-ranking.ts';

const NOW = 1_000_000;
const market = (id: string, perPermit: number, fields: Partial<Ranked> = {}): Ranked => ({
  id: id as MarketId,
  perPermit,
  gate: undefined,
  closed: fields.gate === undefined ? 0 : 2,
  isSelected: false,
  changedAt: Number.NEGATIVE_INFINITY,
  ...fields,
});
const kept = (id: string, perPermit: number, fields: Partial<Ranked> = {}): Ranked =>
  market(id, perPermit, { isSelected: true, changedAt: NOW - LEAST_STAY_MS, ...fields });
const chosen = (markets: readonly Ranked[], most = Number.POSITIVE_INFINITY, price = 0): readonly string[] =>
  [...rankMarkets(markets, { most, price, now: NOW }).selected].toSorted();

describe('the markets that are quoted', () => {
  it('are the best by value per permit, ties by id, at most so many', () => {
    const markets = [market('d', 0.5), market('c', 0.5), market('b', 0.4), market('a', 0.9)];
    const { inOrder, selected } = rankMarkets(markets, { most: 2, price: 0, now: NOW });
    expect(inOrder).toEqual(['a', 'c', 'd', 'b']);
    expect([...selected]).toEqual(['a', 'c']);
    expect(chosen(markets.toReversed(), 2)).toEqual(['a', 'c']);
    expect(chosen(markets)).toEqual(['a', 'b', 'c', 'd']);
  });

  it.each([
    ['enters above 1.25 times the price', market('a', 0.51), 0.4, ['a']],
    ['stays out at 1.25 times the price', market('a', 0.5), 0.4, []],
    ['stays above .8 times the price', kept('a', 0.33), 0.4, ['a']],
    ['leaves below .8 times the price', kept('a', 0.31), 0.4, []],
    ['stays for the least stay, whatever a permit costs', kept('a', 0.01, { changedAt: NOW - 59_999 }), 0.4, ['a']],
    ['stays out for the least stay, whatever it brings', market('a', 9, { changedAt: NOW - 59_999 }), 0, []],
    ['enters while permits are free, though it brings nothing', market('a', 0), 0, ['a']],
  ])('one %s', (_text, ranked, price, expected) => {
    expect(chosen([ranked], 5, price)).toEqual(expected);
  });

  it('keep their places from a market that brings hardly more, and lose them to one that brings 1.25 times as much', () => {
    const both = [kept('a', 0.5), kept('b', 0.4)];
    expect(chosen([...both, market('c', 0.5)], 2)).toEqual(['a', 'b']);
    expect(chosen([...both, market('c', 0.51)], 2)).toEqual(['a', 'c']);
    const fresh = [kept('a', 0.5), kept('b', 0.4, { changedAt: NOW - 1 })];
    expect(chosen([...fresh, market('c', 0.6)], 2)).toEqual(['a', 'b']);
    expect(chosen([...fresh, market('c', 0.7)], 2)).toEqual(['b', 'c']);
  });

  it('stay while a gate is closed for one ranking, and leave at the second', () => {
    expect(chosen([kept('a', 0.5, { gate: 'spread', closed: 1 })])).toEqual(['a']);
    expect(chosen([kept('a', 0.5, { gate: 'spread', closed: 2 })])).toEqual([]);
    expect(chosen([market('a', 0.5, { gate: 'spread', closed: 1 })])).toEqual([]);
    expect(rankMarkets([kept('a', 0.5, { gate: 'spread' })], { most: 1, price: 0, now: NOW }).inOrder).toEqual([]);
  });

  it('leave a quarter at a time when permits cost more than all of them bring, the worst first', () => {
    const eight = Array.from({ length: 8 }, (_, index) => kept(`m${index}`, 0.5));
    expect(chosen(eight, 8, 9)).toEqual(['m0', 'm1', 'm2', 'm3', 'm4', 'm5']);
    expect(chosen(eight.slice(0, 2), 8, 9)).toEqual(['m0']);
  });

  it('are as few as a smaller limit allows, at once', () => {
    expect(chosen([kept('a', 0.5), kept('b', 0.6), kept('c', 0.7)], 1)).toEqual(['c']);
  });

  it('change at most once in 60 s each, and are never too many', () => {
    const GATES: readonly (Gate | undefined)[] = [undefined, undefined, undefined, 'spread', 'pinned'];
    const figures = fc.record({
      perPermit: fc.double({ min: 0, max: 2, noNaN: true }),
      gate: fc.constantFrom(...GATES),
    });
    const ranking = fc.record({
      figures: fc.array(figures, { minLength: 6, maxLength: 6 }),
      price: fc.constantFrom(0, 0, 0.3, 1),
    });
    fc.assert(
      fc.property(
        fc.array(ranking, { minLength: 20, maxLength: 40 }),
        fc.integer({ min: 1, max: 6 }),
        (rankings, most) => {
          let state = Array.from({ length: 6 }, (_, index) => market(`m${index}`, 0));
          for (const [turn, next] of rankings.entries()) {
            const now = turn * RANK_EVERY_MS;
            const before = state.map((former, index) => {
              const { perPermit = 0, gate } = next.figures[index] ?? {};
              return { ...former, perPermit, gate, closed: gate === undefined ? 0 : former.closed + 1 };
            });
            const { selected } = rankMarkets(before, { most, price: next.price, now });
            expect(selected.size).toBeLessThanOrEqual(most);
            state = before.map((ranked) => {
              const isSelected = selected.has(ranked.id);
              if (isSelected === ranked.isSelected) return ranked;
              expect(now - ranked.changedAt).toBeGreaterThanOrEqual(60_000);
              return { ...ranked, isSelected, changedAt: now };
            });
          }
        },
      ),
    );
  });
});

describe('a gate', () => {
  const GATES = { minTakesPerHour: 2, maxSpread: 0.08, pinned: 0.03, maxPriceAgeMs: 10_000 };
  const GOOD = { payout: 400, consensus: { p: 0.5, spread: 0.04 }, ageMs: 10_000, takes: 2 };
  it.each([
    ['is open for a market like any other', {}, undefined],
    ['is closed where no quote is wanted', { payout: 0 }, 'unwanted'],
    ['is closed for a book with one side', { consensus: undefined }, 'one-sided'],
    ['is open at the widest spread', { consensus: { p: 0.5, spread: 0.08 } }, undefined],
    ['is closed beyond the widest spread', { consensus: { p: 0.5, spread: 0.081 } }, 'spread'],
    ['is open at the lowest price', { consensus: { p: 0.03, spread: 0.02 } }, undefined],
    ['is closed for a price near 0', { consensus: { p: 0.029, spread: 0.02 } }, 'pinned'],
    ['is closed for a price near 1', { consensus: { p: 0.971, spread: 0.02 } }, 'pinned'],
    ['is closed for a price that is too old', { ageMs: 10_001 }, 'price-age'],
    ['is closed where takes are too rare', { takes: 1.9 }, 'takes'],
  ] as const)('%s', (_text, fields, gate) => {
    expect(gateOf({ ...GOOD, ...fields }, GATES)).toBe(gate);
  });
});

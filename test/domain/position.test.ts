import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Micros, Position, Side } from '../../src/domain/index.ts';
import { applyFill, FLAT, inventoryOf, markedAt, microsOfDollars, oddsOf, winOf } from '../../src/domain/index.ts';
import { amounts, tradedRungs } from './arbitraries.ts';

const usd = microsOfDollars;
const fills = fc.array(fc.record({ side: fc.constantFrom<Side>('home', 'away'), risk: amounts, rung: tradedRungs }), {
  maxLength: 12,
});
type Fills = readonly { side: Side; risk: Micros; rung: Parameters<typeof oddsOf>[0] }[];
const positionOf = (all: Fills): Position =>
  all.reduce((position, { side, risk, rung }) => applyFill(position, side, risk, winOf(risk, oddsOf(rung))), FLAT);

describe('a position', () => {
  it('has a profit for each outcome', () => {
    const home = applyFill(FLAT, 'home', usd(100), usd(105));
    expect(home).toEqual({ first: usd(105), second: usd(-100), staked: usd(100) });
    const both = applyFill(home, 'away', usd(80), usd(90));
    expect(both).toEqual({ first: usd(25), second: usd(-10), staked: usd(180) });
  });

  it.each<[Side, number, number]>([
    ['home', 105, -100],
    ['away', -100, 105],
    ['over', 105, -100],
    ['under', -100, 105],
  ])('with one fill on %s pays %d or %d', (side, first, second) => {
    expect(applyFill(FLAT, side, usd(100), usd(105))).toMatchObject({
      first: usd(first),
      second: usd(second),
    });
  });

  it('does not depend on the order of its fills', () => {
    fc.assert(
      fc.property(fills, (all) => {
        expect(positionOf([...all].reverse())).toEqual(positionOf(all));
      }),
    );
  });

  it('of the maker and that of the taker add up to 0 for each outcome', () => {
    fc.assert(
      fc.property(fills, (all) => {
        const maker = positionOf(all);
        const taker = all.reduce((position, { side, risk, rung }) => {
          const win = winOf(risk, oddsOf(rung));
          return applyFill(position, side === 'home' ? 'away' : 'home', win, risk);
        }, FLAT);
        expect(maker.first + taker.first).toBe(0);
        expect(maker.second + taker.second).toBe(0);
      }),
    );
  });

  it('never loses more than the sum of its stakes', () => {
    fc.assert(
      fc.property(fills, (all) => {
        const position = positionOf(all);
        expect(Math.min(position.first, position.second)).toBeGreaterThanOrEqual(-position.staked);
      }),
    );
  });

  it('has an inventory of 0 when both outcomes pay the same, else the difference', () => {
    expect(inventoryOf(FLAT)).toBe(0);
    const home = applyFill(FLAT, 'home', usd(100), usd(105));
    expect(inventoryOf(home)).toBe(usd(205));
    expect(inventoryOf(applyFill(home, 'away', usd(105), usd(100)))).toBe(0);
  });

  it('is marked between its two outcomes, and at probabilities 0 and 1 at one of them', () => {
    fc.assert(
      fc.property(fills, fc.double({ min: 0, max: 1, noNaN: true }), (all, p) => {
        const position = positionOf(all);
        const marked = markedAt(position, p);
        expect(marked).toBeGreaterThanOrEqual(Math.min(position.first, position.second) - 1);
        expect(marked).toBeLessThanOrEqual(Math.max(position.first, position.second) + 1);
        expect(markedAt(position, 1)).toBe(position.first + 0);
        expect(markedAt(position, 0)).toBe(position.second + 0);
      }),
    );
  });

  it('bought on both sides below fair price earns the discount, whichever side wins', () => {
    const edge = applyFill(applyFill(FLAT, 'home', usd(48), usd(52)), 'away', usd(48), usd(52));
    expect([edge.first, edge.second]).toEqual([usd(4), usd(4)]);
  });
});

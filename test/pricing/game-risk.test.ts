// What bets of a game may bring: against sums over single scores, for every sport.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GameModel, Holding } from '../../src/pricing/index.ts';
import { gameRisk, holdingsOf, modelFor, payoffMap, tilt } from '../../src/pricing/index.ts';
import { payoffOf } from '../../src/pricing/payoff.ts';
import type { GameId, Micros } from '../../src/domain/index.ts';
import { market } from '../../src/domain/index.ts';

const NBA = modelFor('basketball', { margin: 4.5, total: 225, marginDeviation: 12.6, totalDeviation: 18 });
/** Held in the worked example of the reservation price. */
const HELD: readonly Holding[] = [
  { type: 'moneyline', side: 'home', payout: 1000 },
  { type: 'spread', side: 'home', line: -4.5, payout: -600 },
  { type: 'total', side: 'over', line: 225.5, payout: 400 },
];
const MODELS: Readonly<Record<string, GameModel>> = {
  basketball: NBA,
  football: modelFor('football', { margin: 3, total: 44 }),
  soccer: modelFor('soccer', { home: 1.6, away: 1.1 }),
  hockey: modelFor('hockey', { home: 3.1, away: 2.9 }),
  baseball: modelFor('baseball', { home: 4.6, away: 4.2 }),
  tennis: modelFor('tennis', { serve: 0.65, return: 0.4, bestOf: 3 }),
  'basketball in play': modelFor('basketball', { margin: 4.5, total: 225 }, { lead: 6, clock: 0.3, scored: 160 }),
};

/** Every score with what the bets bring there, least first. */
function outcomesOf(model: GameModel, holdings: readonly Holding[]) {
  const { margin, total, winner } = payoffOf(model, holdings);
  const scores = [...model.grid.scores()].map((score) => ({
    p: score.p,
    value: margin(score.margin) + total(score.total) + winner[score.winner],
  }));
  return scores.sort((a, b) => a.value - b.value);
}

const payout = fc.integer({ min: -500, max: 500 });
const arbHolding: fc.Arbitrary<Holding> = fc.oneof(
  fc.record({
    type: fc.constant('moneyline' as const),
    side: fc.constantFrom('home' as const, 'away' as const),
    payout,
  }),
  fc.record({
    type: fc.constant('spread' as const),
    side: fc.constantFrom('home' as const, 'away' as const),
    line: fc.integer({ min: -24, max: 24 }).map((quarters) => quarters / 4),
    payout,
  }),
  fc.record({
    type: fc.constant('total' as const),
    side: fc.constantFrom('over' as const, 'under' as const),
    line: fc.integer({ min: 4, max: 500 }).map((halves) => halves / 2),
    payout,
  }),
);

describe('what bets of a game may bring', () => {
  it('in the worked example', () => {
    const risk = gameRisk(NBA, HELD);
    expect(risk?.expected).toBeCloseTo(1000 * 0.643669 - 600 * 0.515304 + 400 * 0.48892, 2);
    expect(risk?.worst).toBe(0);
    expect(risk?.quantile).toBe(0);
    // 400 with the over, 1000 with a win by 1 to 4, 1000 − 600 with a win by more
    expect(risk?.hurting).toEqual([
      {
        margin: { from: NBA.grid.margin.from, to: -1 },
        total: { from: NBA.grid.total.from, to: 225 },
        value: 0,
        p: expect.closeTo(0.3563 * 0.5111, 3) as number,
      },
    ]);
  });

  it.each(Object.entries(MODELS))('is the sum over its scores: %s', (_name, model) => {
    fc.assert(
      fc.property(
        fc.array(arbHolding, { minLength: 1, maxLength: 6 }),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        (held, tail) => {
          const risk = gameRisk(model, held, tail);
          const outcomes = outcomesOf(model, held);
          const expected = outcomes.reduce((sum, { p, value }) => sum + p * value, 0);
          let [left, sum] = [tail, 0];
          for (const { p, value } of outcomes) {
            sum += Math.min(p, left) * value;
            left -= Math.min(p, left);
          }
          expect(risk?.expected).toBeCloseTo(expected, 6);
          expect(risk?.shortfall).toBeCloseTo(sum / (tail - left), 6);
          expect(risk?.worst).toBeCloseTo(outcomes.find(({ p }) => p > 0)?.value ?? 0, 9);
          expect((risk?.worst ?? 0) - 1e-9).toBeLessThanOrEqual(risk?.shortfall ?? 0);
          expect(risk?.shortfall ?? 0).toBeLessThanOrEqual((risk?.quantile ?? 0) + 1e-9);
          expect(risk?.deviation).toBeCloseTo(
            Math.sqrt(outcomes.reduce((all, { p, value }) => all + p * (value - expected) ** 2, 0)),
            4,
          );
          expect(risk?.hurting.reduce((all, { p }) => all + p, 0)).toBeGreaterThan(tail - 1e-6);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('is nothing where a total is held and its distribution is not known', () => {
    const late = modelFor('basketball', { margin: 4.5, total: 225 }, { lead: 6, clock: 0.3 });
    expect(gameRisk(late, HELD)).toBeUndefined();
    expect(gameRisk(late, HELD.slice(0, 2))?.worst).toBe(0);
  });

  it.each([0, -0.1, 1.5, Number.NaN])('refuses a tail of %d', (tail) => {
    expect(() => gameRisk(NBA, HELD, tail)).toThrow('expected a share of scores');
  });

  it('falls with the tilt of a reservation price', () => {
    const tilted = tilt(NBA, HELD, 0.002);
    expect(gameRisk(tilted, HELD)?.expected ?? 0).toBeLessThan(gameRisk(NBA, HELD)?.expected ?? 0);
  });
});

describe('the map of what bets bring', () => {
  it.each(Object.entries(MODELS))('has all the probability, and the same mean: %s', (_name, model) => {
    const held: readonly Holding[] = [
      { type: 'spread', side: 'home', line: -1.5, payout: 100 },
      { type: 'moneyline', side: 'away', payout: 70 },
    ];
    const { margins, totals, cells } = payoffMap(model, held, { columns: 12, rows: 8 });
    const all = cells.flat();
    expect(all.reduce((sum, { p }) => sum + p, 0)).toBeCloseTo(1, 9);
    expect(all.reduce((sum, { p, value }) => sum + p * value, 0)).toBeCloseTo(gameRisk(model, held)?.expected ?? 0, 6);
    expect(margins.length).toBeLessThanOrEqual(12);
    expect(totals.length).toBeLessThanOrEqual(8);
    for (const ranges of [margins, totals])
      for (const [index, { from }] of ranges.slice(1).entries()) expect(from).toBe((ranges[index]?.to ?? 0) + 1);
  });
});

describe('a position as bets', () => {
  const micros = (dollars: number): Micros => (dollars * 1e6) as Micros;
  const position = { first: micros(90), second: micros(-100), staked: micros(100) };
  const game = 'g' as GameId;

  it('brings what each side brings, and loses its stakes at a draw that loses both bets', () => {
    const soccer = MODELS['soccer'] ?? NBA;
    const held = holdingsOf({ market: market(game, 'moneyline'), position }, soccer.grid.draw);
    const { home, draw, away } = payoffOf(soccer, held).winner;
    expect([home, draw, away]).toEqual([90, -100, -100]);
  });

  it('brings nothing at a push', () => {
    const { margin } = payoffOf(NBA, holdingsOf({ market: market(game, 'spread', -4), position }, 'impossible'));
    expect([margin(5), margin(4), margin(3)]).toEqual([90, 0, -100]);
  });
});

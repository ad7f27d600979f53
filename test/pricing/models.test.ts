// The models of the sports, against worked numbers and against laws that hold for every game.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GameModel, ModelSport, ParametersOf } from 'oddsmaker/pricing';
import { marginFor, MODEL_SPORTS, modelFor } from 'oddsmaker/pricing';
import { negativeBinomial } from '../../src/pricing/runs-game.ts';
import { holdOf, setOf } from '../../src/pricing/tennis-game.ts';

const threeWays = (model: GameModel): readonly number[] =>
  (['home', 'draw', 'away'] as const).map((side) => model.moneyline(side).win);

const near = (values: readonly number[], expected: readonly number[], digits: number): void => {
  for (const [index, value] of values.entries()) expect(value).toBeCloseTo(expected[index] ?? Number.NaN, digits);
};

describe('soccer', () => {
  it.each([
    [-0.13, [0.474197, 0.279664, 0.246139], 0.082582],
    [0, [0.489574, 0.248911, 0.261515], 0.067206],
  ])('has the outcomes of Dixon and Coles with rho %f', (rho, outcomes, nil) => {
    const model = modelFor('soccer', { home: 1.6, away: 1.1, rho });
    near(threeWays(model), outcomes, 6);
    expect(model.total(0.5).lose).toBeCloseTo(nil, 6);
    expect(model.total(2.5).fair).toBeCloseTo(0.506376, 6);
  });

  it.each([
    [{ lead: 1, clock: 1 / 3 }, [0.80286, 0.16413, 0.03301]],
    [{ lead: 0, clock: 0.558 }, [0.40091, 0.36082, 0.23826]],
  ])('plays on as Poisson goals from %j', (state, outcomes) => {
    near(threeWays(modelFor('soccer', { home: 1.6, away: 1.1 }, state)), outcomes, 4);
  });

  it('has 44.2 % of its goals in the first half', () => {
    const half = modelFor('soccer', { home: 1.6, away: 1.1 }).period('h1');
    expect(half.total(0.5).lose).toBeCloseTo(Math.exp(-2.7 * 0.442), 9);
  });
});

describe('football', () => {
  it.each([
    [3, 3.096, 0.6029, 0.0912, 0.5456, 0.4544],
    [7, 8.366, 0.7614, 0.0625, 0.5313, 0.4687],
    [10, 10.876, 0.8237, 0.0398, 0.5199, 0.4801],
  ])('has the shape of NFL margins at a line of %d', (line, margin, moneyline, push, below, above) => {
    const model = modelFor('football', { margin, total: 44 });
    // the weights are rounded to hundredths
    expect(Math.abs(model.moneyline().fair - moneyline)).toBeLessThan(0.0003);
    expect(Math.abs(model.spread(-line).push - push)).toBeLessThan(0.0003);
    expect(Math.abs(model.spread(0.5 - line).fair - below)).toBeLessThan(0.0003);
    expect(Math.abs(model.spread(-0.5 - line).fair - above)).toBeLessThan(0.0003);
    expect(Math.abs(marginFor(0.5, -line, { sport: 'football' }) - margin)).toBeLessThan(0.006);
  });

  it('ends level in 0.3 % of even games, which return the stakes', () => {
    const { push, fair } = modelFor('football', { margin: 0, total: 44 }).moneyline();
    expect(push).toBeCloseTo(0.003, 3);
    expect(fair).toBeCloseTo(0.5, 9);
  });

  it('wins from a large lead as often as counted games after three quarters', () => {
    const won = (lead: number, margin: number): number =>
      modelFor('football', { margin, total: 45 }, { lead, clock: 0.25 }).moneyline().fair;
    // a plain Brownian motion with a deviation of 13 points says .025 and .979 where the truth is .049 and .942
    expect(won(-12.0, 0)).toBeGreaterThan(0.05);
    expect(won(-12, 0)).toBeLessThan(0.12);
    expect(won(14, 0)).toBeCloseTo(1 - won(-14, 0), 9);
    expect(won(7, 3)).toBeGreaterThan(won(7, -3));
  });

  it('has half of its points left at half-time, with 55 % of their variance', () => {
    const { total } = modelFor('football', { margin: 0, total: 44 }, { lead: 0, clock: 0.5, scored: 20 }).grid;
    const values = Array.from(total.probabilities, (p, index) => ({ p, value: total.from + index }));
    const mean = values.reduce((sum, { p, value }) => sum + p * value, 0);
    const variance = values.reduce((sum, { p, value }) => sum + p * (value - mean) ** 2, 0);
    expect(mean).toBeCloseTo(20 + 0.502 * 44, 1);
    expect(variance / 13.1 ** 2).toBeCloseTo(0.55, 2);
  });

  it('has a fifth of its points in the first quarter, and a half in the first half', () => {
    const model = modelFor('football', { margin: 0, total: 44 });
    const middle = (period: 'q1' | 'h1'): number => {
      const { from, probabilities } = model.period(period).grid.total;
      return Array.from(probabilities).reduce((sum, p, index) => sum + p * (from + index), 0);
    };
    expect(middle('q1') / 44).toBeCloseTo(0.198, 3);
    expect(middle('h1') / 44).toBeCloseTo(0.501, 3);
  });

  it('has 53.5 % of the variance of its margin in the first half', () => {
    const { margin } = modelFor('football', { margin: 0, total: 44 }).period('h1').grid;
    const variance = [...Array.from(margin.probabilities)].reduce(
      (sum, p, index) => sum + p * (margin.from + index) ** 2,
      0,
    );
    expect(variance / 11.5 ** 2).toBeCloseTo(0.535, 2);
  });
});

describe('basketball', () => {
  it('prices a favourite by 4.5 points', () => {
    const model = modelFor('basketball', { margin: 4.5, total: 225, totalDeviation: 18 });
    near(
      [model.moneyline().fair, model.spread(-4.5).fair, model.spread(-7.5).fair, model.total(225.5).fair],
      [0.643669, 0.515304, 0.418328, 0.48892],
      6,
    );
  });

  it('plays overtime after a level score', () => {
    const level = modelFor('basketball', { margin: 4.5, total: 225 }, { lead: 0, clock: 0, scored: 220 });
    expect(level.moneyline().fair).toBeGreaterThan(0.52);
    expect(level.moneyline().fair).toBeLessThan(0.6);
    expect(level.moneyline().push).toBe(0);
    expect(modelFor('basketball', { margin: 4.5, total: 225 }, { lead: -1, clock: 0 }).moneyline().fair).toBe(0);
  });

  it('wins from 18 points ahead at half-time in 95.5 % of games of even teams', () => {
    const model = modelFor('basketball', { margin: 0, total: 220 }, { lead: 18, clock: 0.5 });
    expect(model.moneyline().fair).toBeCloseTo(0.955, 3);
  });

  it('has no price of a total when only the lead is known', () => {
    const model = modelFor('basketball', { margin: 4.5, total: 225 }, { lead: 3, clock: 0.5 });
    expect(model.total(200.5).fair).toBeNaN();
    expect(model.spread(-3.5).fair).toBeGreaterThan(0.4);
    const scored = modelFor('basketball', { margin: 4.5, total: 225 }, { lead: 3, clock: 0.5, scored: 121 });
    expect(scored.total(233.5).fair).toBeCloseTo(0.5, 1);
  });
});

describe('hockey', () => {
  it('has one price for a team that wins, also by half a goal', () => {
    const model = modelFor('hockey', { home: 3.19, away: 2.89 });
    const prices = [model.moneyline().fair, model.spread(-0.5).fair, model.spread(0.5).fair];
    near(prices, [prices[0] ?? 0, prices[0] ?? 0, prices[0] ?? 0], 12);
    expect(model.period('reg').moneyline('draw').win).toBeGreaterThan(0.1);
  });

  it('makes an empty net a share of the leads of one', () => {
    const lead = (emptyNet: number): number =>
      modelFor('hockey', { home: 3.19, away: 2.89, emptyNet }).spread(-1.5).fair;
    expect(lead(0.2) - lead(0)).toBeGreaterThan(0.02);
    expect(lead(0.2) - lead(0)).toBeLessThan(0.04);
  });

  it('ends by three goals more often than by two, as counted games do', () => {
    const model = modelFor('hockey', { home: 3.19, away: 2.89 });
    const { from, probabilities } = model.grid.margin;
    const by = (margin: number): number => (probabilities[margin - from] ?? 0) + (probabilities[-margin - from] ?? 0);
    // 1,260 games: 17 % by two goals, 23 % by three, with a standard error of one point
    expect(Math.abs(by(2) - 0.172)).toBeLessThan(0.03);
    expect(Math.abs(by(3) - 0.232)).toBeLessThan(0.03);
  });

  it('has no goals into an empty net before the last period', () => {
    const model = modelFor('hockey', { home: 3.19, away: 2.89 });
    const plain = modelFor('hockey', { home: 3.19, away: 2.89, emptyNet: 0 });
    expect(model.period('p1').spread(-2.5).fair).toBeCloseTo(plain.period('p1').spread(-2.5).fair, 12);
    expect(model.period('p3').spread(-2.5).fair).toBeGreaterThan(plain.period('p3').spread(-2.5).fair);
  });
});

describe('baseball', () => {
  it('has scores with r = 4 a team', () => {
    const above = (mean: number): number =>
      1 -
      negativeBinomial(mean, 8)
        .slice(0, 11)
        .reduce((sum, p) => sum + p, 0);
    near([above(8.5), above(8.74)], [0.283, 0.303], 3);
  });

  it('ends as counted games do', () => {
    const model = modelFor('baseball', { home: 4.65, away: 4.4 });
    const [home, away] = [model.moneyline('home').win, model.moneyline('away').win];
    // 14,769 games: home wins by one in 31.2 % of its wins, away in 24.5 %
    expect((home - model.spread(-1.5).win) / home).toBeCloseTo(0.312, 2);
    expect((away - model.spread(1.5).lose) / away).toBeCloseTo(0.245, 2);
    const { total } = model.grid;
    const mean = Array.from(total.probabilities).reduce((sum, p, index) => sum + p * (total.from + index), 0);
    expect(mean).toBeCloseTo(9.05, 1);
    // games lined at 8.5 have a mean of 8.74 runs, and 30.7 % of them more than 10
    expect(modelFor('baseball', { home: 4.37, away: 4.37 }).total(10.5).fair).toBeCloseTo(0.307, 2);
  });
});

describe('tennis', () => {
  it.each([
    [0.6, 0.735729],
    [0.62, 0.775863],
    [0.65, 0.829645],
  ])('a server who wins %f of the points holds', (p, hold) => {
    expect(holdOf(p)).toBeCloseTo(hold, 6);
  });

  it('follows from points to sets and matches', () => {
    expect(setOf(0.65, 0.4)).toBeCloseTo(0.663495, 6);
    const match = (bestOf: 3 | 5): number => modelFor('tennis', { serve: 0.65, return: 0.4, bestOf }).moneyline().fair;
    near([match(3), match(5)], [0.736502, 0.785402], 6);
  });
});

const mean = (least: number, most: number) => fc.double({ min: least, max: most, noNaN: true });
const GAMES: { readonly [Sport in ModelSport]: fc.Arbitrary<ParametersOf[Sport]> } = {
  basketball: fc.record({ margin: mean(-25, 25), total: mean(150, 280) }),
  football: fc.record({ margin: mean(-20, 20), total: mean(30, 65) }),
  'college football': fc.record({ margin: mean(-40, 40), total: mean(30, 80) }),
  other: fc.record({
    margin: mean(-20, 20),
    total: mean(20, 60),
    marginDeviation: mean(2, 20),
    totalDeviation: mean(2, 20),
  }),
  soccer: fc.record({ home: mean(0.3, 4), away: mean(0.3, 4), rho: mean(-0.15, 0) }),
  hockey: fc.record({ home: mean(1.5, 5), away: mean(1.5, 5), emptyNet: mean(0, 0.4) }),
  baseball: fc.record({ home: mean(2, 8), away: mean(2, 8) }),
  tennis: fc.record({ serve: mean(0.5, 0.8), return: mean(0.2, 0.5), bestOf: fc.constantFrom(3, 5) }),
};

describe.each(MODEL_SPORTS)('every game of %s', (sport) => {
  const games = GAMES[sport] as fc.Arbitrary<ParametersOf[typeof sport]>;
  const lines = Array.from({ length: 41 }, (_none, index) => index / 2 - 10);

  it('has prices that fall along the line, and both sides and the push make one', () => {
    fc.assert(
      fc.property(games, (parameters) => {
        const model = modelFor(sport, parameters);
        let before = 0;
        for (const line of lines) {
          const { win, push, lose, fair } = model.spread(line);
          expect(win + push + lose).toBeCloseTo(1, 9);
          expect(fair).toBeGreaterThanOrEqual(before - 1e-9);
          before = fair;
        }
        const middle = Math.round(model.grid.total.from + model.grid.total.probabilities.length / 2);
        const over = lines.map((line) => model.total(middle + line).fair);
        for (const [index, fair] of over.entries())
          if (index > 0) expect(fair).toBeLessThanOrEqual((over[index - 1] ?? 1) + 1e-9);
        near([model.spread(-3.25).win], [(model.spread(-3).win + model.spread(-3.5).win) / 2], 9);
      }),
      { numRuns: 20 },
    );
  });

  it('has a moneyline that agrees with its lines', () => {
    fc.assert(
      fc.property(games, (parameters) => {
        const model = modelFor(sport, parameters);
        const { win, push, lose, fair } = model.moneyline();
        expect(win + push + lose).toBeCloseTo(1, 9);
        // in tennis the winner may have fewer games
        if (sport === 'tennis') expect(model.moneyline('away').win).toBeCloseTo(1 - win, 9);
        else if (model.grid.draw === 'impossible')
          near([model.spread(-0.5).fair, model.spread(0.5).fair], [fair, fair], 9);
        else if (model.grid.draw === 'push') near([model.spread(0).fair, win / (win + lose)], [fair, fair], 9);
        else near([model.spread(-0.5).win, 1 - lose], [win, win], 9);
      }),
      { numRuns: 20 },
    );
  });

  it('has scores whose probabilities make one and give the same prices', () => {
    const [parameters] = fc.sample(games, { numRuns: 1, seed: 7 });
    if (parameters === undefined) throw new Error('no game');
    const model = modelFor(sport, parameters);
    let [all, covers, over] = [0, 0, 0];
    const line = model.grid.total.from + Math.round(model.grid.total.probabilities.length / 3) + 0.5;
    for (const { margin, total, p } of model.grid.scores()) {
      all += p;
      if (margin > 2.5) covers += p;
      if (total > line) over += p;
    }
    near([all, covers, over], [1, model.spread(-2.5).fair, model.total(line).fair], 6);
  });
});

it.each([
  modelFor('basketball', { margin: -9, total: 220 }, { lead: 3, clock: 0, scored: 201 }),
  modelFor('football', { margin: -9, total: 44 }, { lead: 3, clock: 0, scored: 41 }),
  modelFor('soccer', { home: 1, away: 2 }, { lead: 3, clock: 0, scored: 3 }),
  modelFor('hockey', { home: 2, away: 3 }, { lead: 3, clock: 0, scored: 5 }),
  modelFor('baseball', { home: 3, away: 5 }, { lead: 3, clock: 0, scored: 9 }),
])('a game of $sport that is over with a lead of three is decided', (model) => {
  near([model.moneyline().fair, model.spread(-2.5).fair, model.spread(-3.5).fair], [1, 1, 0], 9);
  expect(model.spread(-3).push).toBeCloseTo(1, 9);
  expect(model.total((model.state.scored ?? 0) - 0.5).fair).toBeCloseTo(1, 9);
  expect(model.total((model.state.scored ?? 0) + 0.5).fair).toBeCloseTo(0, 9);
});

it.each([
  ['a mean that is no number', () => modelFor('soccer', { home: Number.NaN, away: 1 })],
  ['a negative mean', () => modelFor('baseball', { home: -1, away: 4 })],
  ['a deviation that is too large', () => modelFor('basketball', { margin: 0, total: 220, marginDeviation: 1e6 })],
  ['a share above 1', () => modelFor('tennis', { serve: 1.2, return: 0.4, bestOf: 3 })],
  ['a clock that ran up', () => modelFor('basketball', { margin: 0, total: 220 }, { clock: 1.1 })],
  ['a lead in fractions', () => modelFor('basketball', { margin: 0, total: 220 }, { lead: 0.5, clock: 0.5 })],
  [
    'a lead that both scores cannot have',
    () => modelFor('soccer', { home: 1, away: 1 }, { lead: 2, clock: 0.5, scored: 1 }),
  ],
  ['a sport without constants', () => modelFor('other', { margin: 0, total: 40 })],
  ['a line between quarters', () => modelFor('soccer', { home: 1, away: 1 }).spread(0.1)],
  ['a period that the sport does not have', () => modelFor('soccer', { home: 1, away: 1 }).period('q1')],
  ['a period of a game in play', () => modelFor('soccer', { home: 1, away: 1 }, { clock: 0.5 }).period('h1')],
  ['a margin that no price has', () => marginFor(1, 0)],
])('refuses %s', (_what, build) => {
  expect(build).toThrow(RangeError);
});

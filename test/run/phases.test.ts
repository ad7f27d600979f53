// Figures before the start and in play, their weighting by payout, and how much of them is known: worked out
// by hand.
import { describe, expect, it } from 'vitest';
import type { PhaseFacts } from '../../src/run/index.ts';
import { limitations, figureAt } from '../../src/report/index.ts';
import {
  gamesNeededOf,
  inventoryOfPhase,
  NO_PERMITS,
  NO_PHASE,
  perPlaceOf,
  scenarioFigures,
} from '../../src/run/index.ts';
import { after, counted, facts, fill, M, order } from './facts.ts';

const permits = (place: number): PhaseFacts => ({ ...NO_PHASE, permits: { ...NO_PERMITS, place } });
/** The cost of a fill on home at +105. */
const C = 100 / 205;
const won = { profit: 105 * M };

describe('the figures of phases', () => {
  // Before the start 205 × (.52 − c) = 6.60. In play the last price is .98, and the price after 300 s is .47:
  // 205 × .47 − 100 = −3.65.
  const early = fill({ ...won, later: after({ 60: 0.51, 300: 0.53 }) });
  const live = fill({ ...won, isInPlay: true, fc: 0.98, later: after({ 60: 0.48, 300: 0.47 }) });
  const figures = scenarioFigures(
    facts({ fills: [early, live], phases: { prematch: permits(3), inplay: permits(2) } }),
    1,
  );
  const { prematch, inplay } = figures.phases;

  it('measure the edge by the close before the start, and by the price after 300 s in play', () => {
    expect(prematch.clv).toMatchObject({ dollars: 6.6, fills: 1, unknown: 0 });
    expect(prematch.edge).toEqual({ dollars: 6.6, perPlace: 2.2 });
    expect(inplay.clv).toMatchObject({ dollars: null, points: null, share: null, fills: 0, unknown: 0 });
    expect(inplay.markouts).toMatchObject({ '60s': -1.6, '300s': -3.65, close: null });
    expect(inplay.edge).toEqual({ dollars: -3.65, perPlace: -1.825 });
  });

  it('add up to the sum: CLV covers fills before the start, and the edge takes each phase’s own figure', () => {
    expect(figures.clv).toMatchObject({ dollars: 6.6, fills: 1 });
    expect(figures.edge).toEqual({ dollars: 2.95, perPlace: 0.59 });
    expect(figures.permits).toMatchObject({ place: 5, clvPerPlace: 2.2 });
    expect(inplay.permits).toMatchObject({ place: 2, clvPerPlace: null });
    // drift to the last price stays: 205 × (.98 − .5)
    expect(inplay.identity).toMatchObject({ drift: 98.4, pnl: 105 });
    expect(figures.identity).toMatchObject({ pnl: 210, fills: 2 });
  });

  it('have the same sections as the sum', () => {
    const { phases: _phases, ...sections } = figures;
    for (const phase of [prematch, inplay]) expect(Object.keys(phase)).toEqual(Object.keys(sections));
    expect(prematch.attribution.game[0]).toMatchObject({ fills: 1, clv: 6.6, markout300s: 8.65 });
    expect(inplay.attribution.game[0]).toMatchObject({
      fills: 1,
      clv: null,
      markout60s: -1.6,
      markout300s: -3.65,
    });
  });

  it('have the worst case of the account only when the other phase is empty', () => {
    const curve = [0, 3_600_000].map((t) => ({ t, marked: 0, worst: -9, inventory: 30, inPlay: 10 }));
    const run = { ...facts(), curve, worst: -9, maxDrawdown: 4, atLimits: 0.5, heldBack: {} };
    expect(inventoryOfPhase(run, 'inplay', false)).toEqual({
      most: 10,
      mean: 10,
      worst: null,
      maxDrawdown: null,
      atLimits: null,
      heldBack: null,
    });
    expect(inventoryOfPhase(run, 'prematch', false)).toMatchObject({ most: 20, mean: 20 });
    const only = scenarioFigures({ ...run, ...facts({ orders: counted([order()]) }), curve, worst: -9 }, 1);
    expect(only.phases.prematch.inventory).toMatchObject({ most: 30, worst: -9 });
    expect(only.phases.inplay.inventory.worst).toBeNull();
  });
});

describe('points and shares of CLV and markouts', () => {
  // a small fill that beats the close and a large one that does not: 10 for 20.5 at .52, 300 for 615 at .47
  const { clv, plainMarkouts, markoutsPerPayout } = scenarioFigures(
    facts({
      fills: [
        fill({ risk: 10 * M, payout: 20.5 * M, fc: 0.52, later: after({ 60: 0.52 }) }),
        fill({ risk: 300 * M, payout: 615 * M, fc: 0.47, later: after({ 60: 0.47 }) }),
      ],
    }),
    1,
  );
  it('are weighted by payout, and have an unweighted figure beside them', () => {
    expect(clv.points).toBeCloseTo((20.5 * (0.52 - C) + 615 * (0.47 - C)) / 635.5, 6);
    expect(clv.share).toBeCloseTo(20.5 / 635.5, 6);
    expect(clv.plainPoints).toBeCloseTo((0.52 + 0.47) / 2 - C, 6);
    expect(clv.plainShare).toBe(0.5);
    expect(markoutsPerPayout['60s']).toBe(clv.points);
    expect(plainMarkouts['60s']).toBeCloseTo(clv.plainPoints ?? NaN, 6);
  });

  it('are weighted by payout, by stake, and plain', () => {
    // a favourite pays 400 for 300, an underdog 400 for 100: the same payout, three times the stake
    const favourite = { risk: 300 * M, payout: 400 * M, fc: 0.74, later: after({ 60: 0.73 }) };
    const underdog = { risk: 100 * M, payout: 400 * M, fc: 0.27, later: after({ 60: 0.29 }) };
    const { byWeight } = scenarioFigures(facts({ fills: [fill(favourite), fill(underdog)] }), 1);
    expect(byWeight.clv).toEqual({ payout: 0.005, stake: -0.0025, plain: 0.005 });
    expect(byWeight.edge).toEqual(byWeight.clv);
    expect(byWeight.aboveClose).toEqual({ payout: 0.5, stake: 0.25, plain: 0.5 });
    expect(byWeight.markouts['60s']).toEqual({ payout: 0.01, stake: -0.005, plain: 0.01 });
    expect(byWeight.markouts['1s']).toEqual({ payout: null, stake: null, plain: null });
    const inPlay = scenarioFigures(
      facts({ fills: [fill({ ...favourite, isInPlay: true, later: after({ 300: 0.8 }) }), fill(underdog)] }),
      1,
    );
    expect(inPlay.phases.inplay.byWeight.edge).toEqual({ payout: 0.05, stake: 0.05, plain: 0.05 });
    expect(inPlay.phases.inplay.byWeight.aboveClose.payout).toBeNull();
    // both: (400 × .05 + 400 × .02) / 800, and (300 × .05 + 100 × .02) / 400
    expect(inPlay.byWeight.edge).toEqual({ payout: 0.035, stake: 0.0425, plain: 0.035 });
  });

  it('are weighted like quote distances: a quote counts by its payout', () => {
    const hour = 3_600_000;
    const { quoting } = scenarioFigures(
      facts({
        quotes: {
          ms: 2 * hour,
          marketMs: 2 * hour,
          twoSidedMs: 0,
          bestMs: 0,
          pricedMs: 2 * hour,
          // an hour at 1 point with $300 of payout, one at 4 points with $100
          distanceMs: hour * 0.01 + hour * 0.04,
          byDistance: [0, 0, 0, hour, 0, 0, hour, 0],
          weighted: {
            pricedMs: 400 * hour,
            distanceMs: 300 * hour * 0.01 + 100 * hour * 0.04,
            byDistance: [0, 0, 0, 300 * hour, 0, 0, 100 * hour, 0],
          },
        },
      }),
      1,
    );
    expect(quoting).toMatchObject({
      meanDistance: 0.0175,
      plainMeanDistance: 0.025,
      plainMedianDistance: 0.015,
    });
    // two thirds of the way through the bucket from .010 to .015
    expect(quoting.medianDistance).toBeCloseTo(0.013333, 6);
  });
});

describe('a figure that is unknown for some fills', () => {
  it('covers the known fills and names their number, and is null without any', () => {
    const fills = [fill(), ...Array.from({ length: 3 }, () => fill({ payout: 410 * M, fc: undefined }))];
    const figures = scenarioFigures(facts({ fills, phases: { prematch: permits(70), inplay: NO_PHASE } }), 1);
    const { clv, edge, known } = figures;
    expect(clv).toMatchObject({ dollars: 6.6, fills: 1, unknown: 3 });
    // 205 of a payout of 1,435 is a seventh, which stands for 10 of 70 permits
    expect(known['clv']?.['dollars']).toEqual({ fills: 1, ofFills: 4, payoutShare: 0.142857 });
    expect(figureAt(figures, 'known.edge.perPlace.fills')).toBe(1);
    expect(edge.perPlace).toBe(0.66);
    expect(figures.permits).toMatchObject({ clvPerPlace: 0.66, pnlPerPlace: null });
    expect(limitationsOf(figures)).toContain(
      'CLV is of 1 of the 4 fills before the start (14 % of the payout): the others have no close.',
    );
    const none = scenarioFigures(
      facts({ fills: fills.slice(1), phases: { prematch: permits(70), inplay: NO_PHASE } }),
      1,
    );
    expect([none.clv.dollars, none.clv.share, none.edge.dollars, none.edge.perPlace]).toEqual([null, null, null, null]);
    expect(none.known['edge']?.['perPlace']).toEqual({ fills: 0, ofFills: 3, payoutShare: 0 });
    expect(none.pickedOff).toMatchObject({ unknown: { fills: 3 }, rest: { fills: 0, money60s: 0 } });
  });

  it('is 0 and not null for permits without a fill', () => {
    const nothing = { fills: 0, payout: 0, money: 0 };
    expect(perPlaceOf(5, nothing, { fills: 0, payout: 0 })).toBe(0);
    expect(perPlaceOf(5, nothing, { fills: 1, payout: 100 })).toBeNull();
    expect(perPlaceOf(0, nothing, { fills: 0, payout: 0 })).toBeNull();
  });
});

describe('games needed for a verdict', () => {
  it('are the number that narrows the interval to the mean: 1.96² × variance / mean²', () => {
    // mean 10, variance (4 × 30² + 0) / 4 … of 40, −20, 40, −20, 10: deviations ±30 and 0, Σ 3,600 / 4 = 900
    expect(gamesNeededOf([40, -20, 40, -20, 10])).toBe(Math.ceil((1.96 ** 2 * 900) / 100));
    // there is no interval for fewer than 30 games
    expect(gamesNeededOf([10, 10.5, 9.5])).toBe(30);
    expect(gamesNeededOf([5])).toBeNull();
    expect(gamesNeededOf([5, -5])).toBeNull();
  });

  it('are estimated from games in which the edge of each fill is known', () => {
    const games = ['a', 'b', 'c'].map((game, n) => fill({ game, fc: n === 2 ? undefined : 0.52 + 0.1 * n }));
    const { interval } = scenarioFigures(facts({ fills: games }), 1);
    // 6.60 and 27.10: mean 16.85, variance 2 × 10.25²
    expect(interval).toMatchObject({ games: 3, edgeLow: null, note: 'too few games' });
    expect(interval.gamesNeeded).toBe(30);
  });
});

const limitationsOf = (figures: ReturnType<typeof scenarioFigures>): readonly string[] =>
  limitations({ live: { figures } as Parameters<typeof limitations>[0][string] }, false);

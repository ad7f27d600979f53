// Each number of `report --json`, worked out by hand.
import { describe, expect, it } from 'vitest';
import type { Micros, StrategyId, GameId } from '../../src/domain/index.ts';
import { market } from '../../src/domain/index.ts';
import { dailyPnl, fillModelFigures, mergedFacts, NO_PERMITS, scenarioFigures } from '../../src/run/index.ts';
import { after, counted, facts, fill, HOUR_MS, M, order, START } from './facts.ts';

const figures = (parts: Parameters<typeof facts>[0]) => scenarioFigures(facts(parts), 1);
const won = { profit: 105 * M };
const lost = { profit: -100 * M };

describe('the P&L identity', () => {
  it('adds spread, drift and luck up to the P&L to the cent', () => {
    const { identity, clv } = figures({ fills: [fill(won), fill({ ...lost, f0: 0.501, fc: 0.477 })] });
    // the second fill: 205 × .501 − 100 = 2.705, 205 × (.477 − .501) = −4.92, and −100 minus both
    expect(identity).toEqual({
      spread: 5.21,
      drift: -0.82,
      luck: 0.61,
      commission: 0,
      pnl: 5,
      captured: 5.21,
      fills: 2,
      unpriced: 0,
      unpricedPnl: 0,
      open: 0,
    });
    expect((identity.spread ?? 0) + (identity.drift ?? 0) + (identity.luck ?? 0)).toBeCloseTo(5, 10);
    // 6.60, and 205 × .477 − 100 = −2.215
    expect(clv).toMatchObject({
      dollars: 4.39,
      points: expect.closeTo((0.52 + 0.477) / 2 - 100 / 205, 6) as number,
      share: 0.5,
    });
  });

  it('counts unpriced and open fills apart, and has commission as a separate part', () => {
    const { identity } = figures({
      fills: [
        fill({ ...won, commission: 2 * M }),
        fill({ ...won, f0: undefined }),
        fill({ ...lost, fc: undefined }),
        fill(),
      ],
    });
    expect(identity).toEqual({
      spread: 2.5,
      drift: 4.1,
      luck: 98.4,
      commission: -2,
      pnl: 103,
      captured: 7.5,
      fills: 1,
      unpriced: 2,
      unpricedPnl: 5,
      open: 1,
    });
  });

  it('is null without a priced and settled fill, except the spread of fills with a fair price', () => {
    const { identity, clv } = figures({ fills: [fill(), fill({ ...won, fc: undefined })] });
    expect(identity).toEqual({
      spread: null,
      drift: null,
      luck: null,
      commission: null,
      pnl: null,
      captured: 5,
      fills: 0,
      unpriced: 1,
      unpricedPnl: 105,
      open: 1,
    });
    expect(clv).toMatchObject({ dollars: 6.6, fills: 1, unknown: 1 });
  });
});

describe('markouts', () => {
  it('have dollars and dollars per dollar of payout', () => {
    const { markouts, markoutsPerPayout } = figures({
      fills: [fill({ later: after({ 1: 0.5, 60: 0.48 }) }), fill({ later: after({ 1: 0.49 }), fc: undefined })],
    });
    // 205 × .5 − 100 and 205 × .49 − 100; 205 × .48 − 100
    expect(markouts).toEqual({
      '1s': 2.95,
      '5s': null,
      '10s': null,
      '30s': null,
      '60s': -1.6,
      '300s': null,
      close: 6.6,
    });
    expect(markoutsPerPayout['1s']).toBeCloseTo(2.95 / 410, 6);
    expect(markoutsPerPayout['60s']).toBeCloseTo(-1.6 / 205, 6);
    expect(markoutsPerPayout['close']).toBeCloseTo(6.6 / 205, 6);
  });

  it('count a pick-off as latency when the price moved a point before it, else as pricing when it moved after', () => {
    const { pickedOff } = figures({
      fills: [
        fill({ past: 0.51, f0: 0.5, later: after({ 60: 0.48 }) }),
        fill({ past: 0.509, f0: 0.5, later: after({ 60: 0.48 }) }),
        fill({ past: 0.5, f0: 0.5, later: after({ 60: 0.51 }) }),
        fill({ past: 0.5 }),
        fill({ past: undefined }),
      ],
    });
    expect(pickedOff).toEqual({
      latency: { fills: 1, money60s: -1.6 },
      pricing: { fills: 1, money60s: -1.6 },
      rest: { fills: 1, money60s: 4.55 },
      unknown: { fills: 2 },
    });
  });

  it('use the strategy’s own price for pick-offs when there is one', () => {
    const { pickedOff } = figures({
      fills: [
        fill({ past: 0.5, f0: 0.5, own: { past: 0.52, f0: 0.5, fc: undefined }, later: after({ 60: 0.5 }) }),
        fill({ past: 0.52, f0: 0.5, own: { past: 0.5, f0: 0.5, fc: undefined }, later: after({ 60: 0.5 }) }),
        fill({
          past: 0.52,
          f0: 0.5,
          own: { past: undefined, f0: 0.5, fc: undefined },
          later: after({ 60: 0.5 }),
        }),
      ],
    });
    expect([pickedOff.latency.fills, pickedOff.rest.fills]).toEqual([2, 1]);
  });
});

it('identity and CLV are also given by each outside price source', () => {
  const { outside, identity } = figures({
    fills: [
      fill({
        ...won,
        outside: { fair: { f0: 0.51, fc: 0.53 } },
        own: { f0: 0.505, past: undefined, fc: 0.525 },
      }),
      fill({ outside: { fair: { f0: 0.5, fc: undefined }, odds: { f0: undefined, fc: 0.5 } } }),
      fill({ outside: { odds: { f0: 0.49, fc: 0.48 } } }),
      fill(),
    ],
  });
  expect(identity).toMatchObject({ spread: 2.5, drift: 4.1, fills: 1 });
  expect(outside.fills).toBe(3);
  // 205 × .51 − 100, 205 × .02, and the rest of 105; CLV 205 × .53 − 100
  expect(outside.fair).toMatchObject({
    fills: 2,
    identity: { spread: 4.55, drift: 4.1, luck: 96.35, pnl: 105, fills: 1, open: 1 },
    clv: { dollars: 8.65, points: expect.closeTo(0.53 - 100 / 205, 6) as number, share: 1 },
  });
  // 205 × .5 − 100 and 205 × .48 − 100; the spread of the fill with a price at its time: 205 × .49 − 100
  expect(outside.odds).toMatchObject({
    fills: 2,
    identity: { pnl: null, captured: 0.45, open: 2 },
    clv: { dollars: 0.9, fills: 2, share: 0.5 },
  });
  // 205 × .505 − 100; 205 × .525 − 100
  expect(outside.own).toMatchObject({ fills: 1, identity: { spread: 3.53 }, clv: { dollars: 7.63 } });
  const none = figures({ fills: [fill(won)] }).outside;
  expect(none).toMatchObject({ fills: 0, odds: { fills: 0, clv: { dollars: null } } });
});

it('the share that depends on the fill model is what the calibrated scenario has and the pessimistic lacks', () => {
  const amounts = (risk: number, pnl: number) => ({ fills: 1, risk, pnl });
  const model = { name: 'm', lean: 0.5, score: null };
  expect(
    fillModelFigures(model, { pessimistic: amounts(60, -10), calibrated: amounts(80, 5), optimistic: amounts(200, 9) }),
  ).toMatchObject({ share: 0.25, pnl: 15 });
  expect(fillModelFigures(model, { calibrated: amounts(80, 5) })).toMatchObject({ share: null, pnl: null });
  expect(fillModelFigures(model, { calibrated: amounts(0, 0), pessimistic: amounts(0, 0) })).toMatchObject({
    share: null,
    pnl: 0,
  });
});

describe('the attribution', () => {
  const rows = (
    by:
      'market' | 'league' | 'type' | 'hour' | 'favourite' | 'age' | 'inventory' | 'queue' | 'strategy' | 'game' | 'day',
    fills: Parameters<typeof fill>[0][],
  ) => figures({ fills: fills.map((parts) => fill(parts)) }).attribution[by];

  it('has the sums of each group', () => {
    const games = rows('game', [{ game: 'a', ...won }, { game: 'a', ...lost }, { game: 'b' }]);
    expect(games).toEqual([
      {
        key: 'a',
        fills: 2,
        risk: 200,
        spread: 5,
        drift: 8.2,
        luck: -8.2,
        commission: 0,
        pnl: 5,
        unpriced: 0,
        unpricedPnl: 0,
        clv: 13.2,
        markout60s: null,
        markout300s: null,
      },
      {
        key: 'b',
        fills: 1,
        risk: 100,
        spread: null,
        drift: null,
        luck: null,
        commission: null,
        pnl: null,
        unpriced: 0,
        unpricedPnl: 0,
        clv: 6.6,
        markout60s: null,
        markout300s: null,
      },
    ]);
    // fills that cannot be split are in no part
    const [row] = rows('game', [{ ...won, commission: 2 * M }, { ...lost, fc: undefined }, { f0: undefined }]);
    expect(row).toMatchObject({ spread: 2.5, drift: 4.1, luck: 98.4, commission: -2, pnl: 103, clv: 13.2 });
    expect(row).toMatchObject({ fills: 3, unpriced: 1, unpricedPnl: -100 });
  });

  it('groups by market, league and type', () => {
    const total = market('g1' as GameId, 'total', 200.5);
    const countsBy = (by: 'market' | 'league' | 'type') =>
      rows(by, [{ league: 'NFL' }, {}, { market: total, side: 'over' }]).map(({ key, fills }) => [key, fills]);
    expect(countsBy('market')).toEqual([
      ['g1/moneyline', 2],
      ['g1/total/200.5', 1],
    ]);
    expect(countsBy('league')).toEqual([
      ['NBA', 2],
      ['NFL', 1],
    ]);
    expect(countsBy('type')).toEqual([
      ['moneyline', 2],
      ['total', 1],
    ]);
  });

  it('groups by the time to the start, with in play last', () => {
    const before = (hours: number) => ({ t: START - hours * HOUR_MS });
    const keys = rows('hour', [{ isInPlay: true }, before(50), before(0.5), before(1.5), before(1.6)]).map(
      ({ key, fills }) => [key, fills],
    );
    expect(keys).toEqual([
      ['0 to 1 h before', 1],
      ['1 to 3 h before', 2],
      ['48 h before and more', 1],
      ['in play', 1],
    ]);
  });

  it('groups by the fair price of the side, by age, queue, inventory, strategy and day', () => {
    const keys = (by: Parameters<typeof rows>[0], fills: Parameters<typeof rows>[1]) =>
      rows(by, fills).map(({ key }) => key);
    expect(keys('favourite', [{ f0: 0.7 }, { f0: 0.1 }, { f0: 0.5 }, { f0: 0.3 }, { f0: undefined }])).toEqual([
      'under .15',
      '.15 to .40',
      '.40 to .60',
      'over .60',
      'unknown',
    ]);
    expect(keys('age', [{ ageMs: 500 }, { ageMs: 3000 }, { ageMs: 4e6 }, { ageMs: undefined }])).toEqual([
      'under 1 s',
      '1 to 5 s',
      '3600 s and more',
      'unknown',
    ]);
    expect(keys('queue', [{ queuePlaced: 0 as Micros }, { queuePlaced: (150 * M) as Micros }])).toEqual([
      'under 1 $ ahead',
      '100 to 500 $ ahead',
    ]);
    // the first fill moved an inventory of 0 to 205, the second began at 205
    const before = { position: { first: (310 * M) as Micros, second: (-100 * M) as Micros } };
    const sold = { side: 'away' as const, ...before };
    expect(keys('inventory', [{}, before, sold])).toEqual(['-1000 to -300 $', '-50 to 50 $', '50 to 300 $']);
    const held = (dollars: number) => ({ position: { first: ((dollars + 205) * M) as Micros, second: 0 as Micros } });
    expect(keys('inventory', [-1001, -301, -51, 0, 50, 300, 1000].map(held))).toEqual([
      'under -1000 $',
      '-1000 to -300 $',
      '-300 to -50 $',
      '-50 to 50 $',
      '50 to 300 $',
      '300 to 1000 $',
      '1000 $ and more',
    ]);
    expect(keys('strategy', [{ strategy: 'b' as StrategyId }, { strategy: undefined }])).toEqual(['b', 'unknown']);
    expect(keys('day', [{ t: START }, { t: START + 86_400_000 }])).toEqual(['2030-01-02', '2030-01-03']);
  });
});

describe('quoting', () => {
  it('has quote time, distance from fair and fill rate', () => {
    const hours = (n: number): number => n * HOUR_MS;
    const { quoting } = figures({
      quotes: {
        ms: hours(10),
        marketMs: hours(6),
        twoSidedMs: hours(4),
        bestMs: hours(3),
        pricedMs: hours(8),
        distanceMs: hours(8) * 0.0125,
        // 2 h at .005–.01, 4 h at .01–.015, 2 h at .015–.02
        byDistance: [0, 0, hours(2), hours(4), hours(2), 0, 0, 0],
      },
      // the price of the fills is .4878: distances .0122, .0122 and .0072
      fills: [fill(), fill(), fill({ f0: 0.495 })],
      orders: counted([
        order({ toMs: 1000 }),
        order({ toMs: 3000, end: 'filled', filled: (100 * M) as Micros }),
        order({ toMs: 9000, end: 'edited', queuePlaced: (150 * M) as Micros }),
        order({ toMs: 50_000, end: 'open', queuePlaced: undefined }),
      ]),
    });
    expect(quoting).toMatchObject({
      twoSided: 0.666667,
      atBest: 0.3,
      meanDistance: 0.0125,
      quoteHours: 10,
      orders: 4,
      medianLifeMs: 3000,
      cancelsPerFill: 0.666667,
    });
    // the middle of the eight hours is the middle of the second bucket
    expect(quoting.medianDistance).toBeCloseTo(0.0125, 6);
    expect(quoting.fillRate[2]).toEqual({ from: 0.005, to: 0.01, quoteHours: 2, fills: 1, rate: 0.5 });
    expect(quoting.fillRate[3]).toEqual({ from: 0.01, to: 0.015, quoteHours: 4, fills: 2, rate: 0.5 });
    expect(quoting.fillRate[0]).toEqual({ from: null, to: 0, quoteHours: 0, fills: 0, rate: null });
    expect(quoting.byQueue.slice(0, 3)).toEqual([
      { from: 0, orders: 2, filled: 0.5 },
      { from: 1, orders: 0, filled: null },
      { from: 100, orders: 1, filled: 0 },
    ]);
    expect(quoting.fillRateFit).toMatchObject({ reads: 'too few', counted: 3, k: null });
  });
});

it('permits have the profit per permit and the cost of waiting', () => {
  const { permits } = figures({
    fills: [fill(won), fill(lost)],
    permits: {
      place: 4,
      cancel: 2,
      served: 10,
      waitedMs: 500,
      staleness: 3 * M,
      scarce: { count: 2, value: 5 * M },
    },
  });
  expect(permits).toEqual({
    place: 4,
    cancel: 2,
    pnlPerPlace: 1.25,
    spreadPerPlace: 1.25,
    clvPerPlace: 3.3,
    meanWaitMs: 50,
    staleness: 3,
    shadowPrice: 2.5,
  });
  expect(figures({}).permits).toMatchObject({
    pnlPerPlace: null,
    clvPerPlace: null,
    meanWaitMs: null,
    shadowPrice: null,
  });
});

it('permits count the profit of settled fills, priced or not, over the settled share of the payout', () => {
  const { permits } = figures({
    fills: [fill(won), fill({ ...lost, f0: undefined }), fill()],
    permits: { ...NO_PERMITS, place: 4 },
  });
  // 105 − 100, over two thirds of the permits
  expect(permits.pnlPerPlace).toBe(1.875);
});

it('inventory comes from the curve, with the shares that controls held back', () => {
  const H = 3_600_000;
  const point = (t: number, inventory: number) => ({ t, marked: 0, worst: -inventory, inventory, inPlay: 0 });
  const { inventory } = figures({
    // an hour with 10, half an hour with 30, then a gap that does not count, and half an hour with 40
    curve: [point(0, 10), point(H, 30), point(1.5 * H, 60), point(20 * H, 40), point(20.5 * H, 25)],
    maxDrawdown: 7,
    worst: -31,
    heldBack: { 'game-loss': 0.25 },
    atLimits: 0.4,
  });
  expect(inventory).toEqual({
    most: 60,
    // (10 · 1 + 30 · ½ + 40 · ½) / 2
    mean: 22.5,
    worst: -31,
    maxDrawdown: 7,
    heldBack: { 'game-loss': 0.25 },
    atLimits: 0.4,
  });
});

it('the mean inventory of a run of one millisecond is the inventory held in it', () => {
  const curve = [10, 30].map((inventory, t) => ({ t, marked: 0, worst: 0, inventory, inPlay: 0 }));
  expect(figures({ curve }).inventory).toMatchObject({ most: 30, mean: 10 });
});

describe('the figures of chance', () => {
  it('have no interval for fewer than thirty games, and name the reason', () => {
    const few = figures({ fills: Array.from({ length: 29 }, (_, n) => fill({ game: `g${n}`, ...won })) });
    expect(few.interval).toEqual({
      games: 29,
      edgeLow: null,
      edgeHigh: null,
      clvLow: null,
      clvHigh: null,
      pnlLow: null,
      pnlHigh: null,
      gamesNeeded: 30,
      note: 'too few games',
    });
  });

  it('have no CLV interval when too few games have all closes, and name their number', () => {
    const games = (closed: number) =>
      figures({
        fills: Array.from({ length: 60 }, (_, n) =>
          fill({ game: `g${n}`, ...won, ...(n < closed ? {} : { fc: undefined }) }),
        ),
      }).interval;
    expect(games(3)).toMatchObject({ games: 60, clvLow: null, clvHigh: null, pnlLow: 6300 });
    expect(games(3).note).toBe(
      'of 60 games 3 have an edge for every fill: the edge is of those; of 60 games 3 have a close for every fill: CLV is of those',
    );
    expect(games(40)).toMatchObject({ clvLow: 264, clvHigh: 264 });
    expect(games(60).note).toBeNull();
  });

  it('have a CLV interval for fills before the start, also of games with fills in play', () => {
    const games = Array.from({ length: 30 }, (_, n) => [
      fill({ game: `g${n}` }),
      fill({ game: `g${n}`, isInPlay: true }),
    ]);
    // 30 × 6.60
    expect(figures({ fills: games.flat() }).interval).toMatchObject({ clvLow: 198, clvHigh: 198 });
  });

  it('resample whole games: equal games give an interval of width 0, and even odds that of a coin', () => {
    const games = (n: number, partsAt: (index: number) => Parameters<typeof fill>[0]) =>
      Array.from({ length: n }, (_, index) => fill({ game: `g${index}`, ...partsAt(index) }));
    const alike = figures({ fills: games(30, () => won) });
    expect(alike.interval).toEqual({
      games: 30,
      edgeLow: 198,
      edgeHigh: 198,
      gamesNeeded: 30,
      clvLow: 198,
      clvHigh: 198,
      pnlLow: 3150,
      pnlHigh: 3150,
      note: null,
    });
    const coin = figures({ fills: games(100, (index) => (index % 2 === 0 ? won : lost)) }).interval;
    // mean 250 and a deviation of 102.5 × √100: 1.96 deviations to either side
    expect(coin.pnlLow).toBeGreaterThan(250 - 1.96 * 1025 * 1.1);
    expect(coin.pnlLow).toBeLessThan(250 - 1.96 * 1025 * 0.9);
    expect(coin.pnlHigh).toBeGreaterThan(250 + 1.96 * 1025 * 0.9);
    expect(coin.pnlHigh).toBeLessThan(250 + 1.96 * 1025 * 1.1);
    expect(figures({ fills: games(100, (index) => (index % 2 === 0 ? won : lost)) }).interval).toEqual(coin);
  });

  it('have the deviation of luck at closing prices, with markets of a game correlated by its margin and total', () => {
    // the outcomes differ by 205 at .52: 205 × √(.52 × .48)
    const deviation = 205 * Math.sqrt(0.52 * 0.48);
    expect(figures({ fills: [fill()] }).luck).toMatchObject({
      deviation: expect.closeTo(deviation, 2) as number,
      markets: 1,
      unpriced: 0,
    });
    // the same fill on the other side cancels it
    const hedge = fill({ side: 'away', fc: 0.48 });
    expect(figures({ fills: [fill(), hedge] }).luck.deviation).toBe(0);
    const total = fill({ market: market('g1' as GameId, 'total', 200.5), side: 'over' });
    // independent markets: the root of two
    expect(figures({ fills: [fill(), total] }).luck.deviation).toBeCloseTo(Math.SQRT2 * deviation, 2);
    // Home by 4 or more at .40 implies a win of home at .52:
    // 205² × .2496 + 250² × .24 + 2 × 205 × 250 × (.40 − .208).
    const spread = fill({ market: market('g1' as GameId, 'spread', -3.5), payout: 250 * M, fc: 0.4 });
    expect(figures({ fills: [fill(), spread] }).luck.deviation).toBeCloseTo(Math.sqrt(10_489.44 + 15_000 + 19_680), 2);
    // a bet on away at .60 hedges a part
    const other = fill({
      market: market('g1' as GameId, 'spread', -3.5),
      side: 'away',
      payout: 250 * M,
      fc: 0.6,
    });
    expect(figures({ fills: [fill(), other] }).luck.deviation).toBeCloseTo(Math.sqrt(10_489.44 + 15_000 - 19_680), 2);
    expect(figures({ fills: [fill(), fill({ game: 'g2' })] }).luck.deviation).toBeCloseTo(Math.SQRT2 * deviation, 2);
    // a fill in play closed at .98: the sum of both deviations, 205 × √(.52 × .48) and 2 × √(.98 × .02)
    const late = fill({ isInPlay: true, risk: 1 * M, payout: 2 * M, fc: 0.98 });
    expect(figures({ fills: [fill(), late] }).luck.deviation).toBeCloseTo(deviation + 2 * Math.sqrt(0.0196), 2);
    expect(figures({ fills: [fill({ fc: undefined })] }).luck).toMatchObject({
      deviation: null,
      unpriced: 1,
    });
  });

  it('score the strategy’s own price instead of the consensus when there is one', () => {
    const own = { f0: 0.8, past: undefined, fc: undefined };
    const { scores } = figures({ fills: [fill({ ...won, game: 'a', own }), fill({ ...lost, game: 'b' })] });
    // .2² and .5²
    expect(scores.fair?.brier).toBeCloseTo((0.04 + 0.25) / 2, 6);
  });

  it('score prices against outcomes, without pushes', () => {
    const { scores } = figures({
      fills: [
        fill({ ...won, game: 'a', f0: 0.5, fc: 0.6 }),
        fill({ ...lost, game: 'b', f0: 0.5, fc: 0.6 }),
        fill({ profit: 0 }),
        fill(),
      ],
    });
    expect(scores.fills).toBe(2);
    expect(scores.fair).toEqual({ brier: 0.25, logLoss: expect.closeTo(Math.LN2, 6) as number });
    // .16 and .36; −ln .6 and −ln .4
    expect(scores.close).toEqual({
      brier: 0.26,
      logLoss: expect.closeTo(-(Math.log(0.6) + Math.log(0.4)) / 2, 6) as number,
    });
    // differences −.09 and .11 of two games: mean .01, √(2 × (.1² + .1²) / 1) / 2
    expect(scores.difference).toEqual({ brier: 0.01, error: 0.1 });
    expect(scores.reliability[6]).toEqual({ fills: 2, price: 0.6, won: 0.5 });
    expect(figures({}).scores).toMatchObject({ fills: 0, fair: null, close: null, difference: null });
  });

  it('count prices by tenths, with a price of 1 in the last', () => {
    const prices = [0, 0.09, 0.1, 0.89, 0.9, 1];
    const { scores } = figures({ fills: prices.map((fc, n) => fill({ ...won, game: `g${n}`, fc })) });
    expect(scores.reliability.map(({ fills }) => fills)).toEqual([2, 1, 0, 0, 0, 0, 0, 0, 1, 2]);
    expect(scores.reliability.at(-1)).toEqual({ fills: 2, price: 0.95, won: 1 });
  });

  it('count a win that the exchange graded a little less than it was filled for', () => {
    const graded = { risk: 30 * M, payout: 56_548_673, profit: 26_548_672, f0: 0.5, fc: 0.6 };
    const pushed = { ...graded, profit: 0 };
    const { scores } = figures({ fills: [fill({ ...graded, game: 'a' }), fill({ ...pushed, game: 'b' })] });
    expect(scores.fills).toBe(1);
    expect(scores.reliability[6]).toEqual({ fills: 1, price: 0.6, won: 1 });
  });

  it('have a Sharpe ratio of daily results from thirty days on, including days without a fill', () => {
    const day = (n: number, profit: number) => fill({ t: START + n * 86_400_000, game: `g${n}`, profit: profit * M });
    const days = Array.from({ length: 30 }, (_, n) => day(n, n % 2 === 0 ? 3 : 1));
    // mean 2, deviation √(30/29)
    expect(figures({ fills: days }).sharpe).toBeCloseTo((2 / Math.sqrt(30 / 29)) * Math.sqrt(365), 3);
    expect(figures({ fills: days.slice(1) }).sharpe).toBeNull();
    expect(figures({ fills: [...days, fill()] }).sharpe).toBeNull();
    // two fills a month apart, or thirty days of one game, give no ratio
    expect(figures({ fills: [day(0, 3), day(29, 1)] }).sharpe).toBeNull();
    expect(figures({ fills: days.map((single) => ({ ...single, gameId: 'g1' as GameId })) }).sharpe).toBeNull();
    expect(dailyPnl([day(0, 3), day(2, 1)]).map(({ day: name, pnl }) => [name, pnl / M])).toEqual([
      ['2030-01-02', 3],
      ['2030-01-03', 0],
      ['2030-01-04', 1],
    ]);
  });
});

it('mergedFacts adds the sums of several runs and takes the worst of their worst cases', () => {
  const first = facts({
    fills: [fill()],
    worst: -5,
    maxDrawdown: 3,
    permits: { ...NO_PERMITS, place: 2 },
  });
  const second = facts({
    fills: [fill(), fill()],
    worst: -2,
    maxDrawdown: 9,
    permits: { ...NO_PERMITS, place: 5 },
  });
  const { fills, worst, maxDrawdown, phases } = mergedFacts([first, second]);
  expect([fills.length, worst, maxDrawdown, phases.prematch.permits.place]).toEqual([3, -5, 9, 7]);
  // each run begins where the one before ended; held-back shares are weighted by the duration of the runs
  const run = (from: number, marked: number, held: number) =>
    facts({
      curve: [0, 1000].map((t) => ({
        t: from + t,
        marked: t === 0 ? 0 : marked,
        worst: 0,
        inventory: 0,
        inPlay: 0,
      })),
      maxDrawdown: 100,
      heldBack: { gate: held },
      atLimits: held / 2,
    });
  const both = mergedFacts([run(0, -100, 1), run(5000, -100, 0)]);
  expect(both.curve.map(({ marked }) => marked)).toEqual([0, -100, -100, -200]);
  expect([both.maxDrawdown, both.heldBack, both.atLimits]).toEqual([200, { gate: 0.5 }, 0.25]);
});

it('mergedFacts counts 0 for a control in runs that do not name it', () => {
  const run = (heldBack: Readonly<Record<string, number>>) => {
    const curve = [0, 1000].map((t) => ({ t, marked: 0, worst: 0, inventory: 0, inPlay: 0 }));
    return facts({ curve, heldBack });
  };
  expect(mergedFacts([run({ gate: 0.5 }), run({ credit: 0.2 })]).heldBack).toEqual({ gate: 0.25, credit: 0.1 });
});

it('an empty run has all figures, with null for unknown ones', () => {
  const { identity, clv, quoting, sharpe, attribution } = figures({});
  expect(identity).toEqual({
    spread: 0,
    drift: 0,
    luck: 0,
    commission: 0,
    pnl: 0,
    fills: 0,
    unpriced: 0,
    unpricedPnl: 0,
    open: 0,
    captured: null,
  });
  expect(clv).toEqual({
    dollars: null,
    points: null,
    share: null,
    plainPoints: null,
    plainShare: null,
    fills: 0,
    unknown: 0,
  });
  expect(quoting).toMatchObject({
    twoSided: null,
    atBest: null,
    meanDistance: null,
    cancelsPerFill: null,
    medianLifeMs: null,
  });
  expect(sharpe).toBeNull();
  expect(Object.values(attribution).every((rows) => rows.length === 0)).toBe(true);
});

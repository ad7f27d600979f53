// How fast markets take offers, and how far prices move against fills: fitted on facts of a made-up exchange whose
// λ(δ) and share of informed takers are known, and on facts worked out by hand.
import { describe, expect, it } from 'vitest';
import type { GameId, MarketType, Micros, OrderRef, Phase, Random, TxId } from '../../src/domain/index.ts';
import { createRandom, distanceBucket, market, noTimes, noTimesByDistance } from '../../src/domain/index.ts';
import type { QuoteTable } from '../../src/pricing/index.ts';
import { PRIOR_QUOTES } from '../../src/pricing/index.ts';
import type { QuoteFacts, RunFill } from '../../src/run/index.ts';
import { fitQuotes, NO_FACTS } from '../../src/run/index.ts';
import { after, fill, HOUR_MS, M, START } from './facts.ts';

/** A market of the made-up exchange: λ(δ) = A · exp(−kδ); a share of the takers knows of a move of `move` points. */
type Truth = {
  readonly league: string;
  readonly type: MarketType;
  readonly phase: Phase;
  readonly A: number;
  readonly k: number;
  readonly informed: number;
  readonly move: number;
};

/** Fills an hour long while the exponential times of the takers add up to less. */
function poisson(random: Random, mean: number): number {
  let count = -1;
  for (let sum = 0; sum < mean; count++) sum -= Math.log(1 - random.next());
  return count;
}

const GAMES = 40;
const DISTANCES = [0.2, 0.4, 0.7, 1.2, 1.7, 2.4, 3.5, 4.5];

/** Facts of quotes on both sides of `GAMES` games, `hours` at each distance in each game. */
function played(truths: readonly Truth[], hours: number, seed: number): QuoteFacts {
  const fills: RunFill[] = [];
  const quotes = { prematch: {} as Record<string, ReturnType<typeof noTimes>>, inplay: {} as Record<string, never> };
  for (const truth of truths) {
    const { league, type, phase, A, k, informed, move } = truth;
    const random = createRandom(seed, JSON.stringify(truth));
    const times = ((quotes[phase] as Record<string, ReturnType<typeof noTimes>>)[league] ??= noTimes());
    const ofType = (times.byType[type] ??= noTimesByDistance());
    for (let game = 0; game < GAMES; game++) {
      const gameId = `${league} ${game}` as GameId;
      for (const x of DISTANCES) {
        const bucket = distanceBucket(x / 100);
        ofType.ms[bucket] = (ofType.ms[bucket] ?? 0) + hours * HOUR_MS;
        ofType.distanceMs[bucket] = (ofType.distanceMs[bucket] ?? 0) + (hours * HOUR_MS * x) / 100;
        const count = poisson(random, hours * A * Math.exp(-k * x));
        for (let n = 0; n < count; n++) {
          const drift = (random.next() < informed ? -move : 0) + 0.5 * (random.next() - 0.5);
          fills.push(made({ gameId, league, type, phase, x, drift, t: START + fills.length * 10_000 }));
        }
      }
    }
  }
  return { fills, phases: phasesOf(quotes) };
}

type Made = {
  readonly gameId: GameId;
  readonly league: string;
  readonly type: MarketType;
  readonly phase: Phase;
  /** Distance from fair and the drift to the close, points. */
  readonly x: number;
  readonly drift: number;
  readonly t?: number;
  readonly payout?: number;
};

function made({ gameId, league, type, phase, x, drift, t = START, payout = 200 }: Made): RunFill {
  const close = 0.5 + drift / 100;
  return fill({
    gameId,
    league,
    t,
    txId: `${league} ${type} ${phase} ${t}` as TxId,
    market: market(gameId, type, type === 'moneyline' ? undefined : 3.5),
    f0: 0.5,
    payout: payout * M,
    risk: payout * M * (0.5 - x / 100),
    isInPlay: phase === 'inplay',
    ...(phase === 'inplay' ? { fc: undefined, later: after({ 300: close }) } : { fc: close }),
  });
}

const phasesOf = (quotes: Record<Phase, Record<string, ReturnType<typeof noTimes>>>): QuoteFacts['phases'] => ({
  prematch: { ...NO_FACTS.phases.prematch, quotes: quotes.prematch },
  inplay: { ...NO_FACTS.phases.inplay, quotes: quotes.inplay },
});

const fitted = (facts: QuoteFacts): QuoteTable => {
  const table = fitQuotes([facts], PRIOR_QUOTES);
  if (table === undefined) throw new Error('nothing was fitted');
  return table;
};

const NBA: Truth = { league: 'NBA', type: 'spread', phase: 'prematch', A: 6, k: 0.9, informed: 0.4, move: 2 };
const TRUTHS: readonly Truth[] = [
  NBA,
  { ...NBA, phase: 'inplay', A: 25, k: 0.6, informed: 0.6 },
  { ...NBA, type: 'total', A: 3, k: 1.1, informed: 0.1 },
  { ...NBA, league: 'NFL', type: 'moneyline', A: 2, k: 0.7, informed: 0.5, move: 1 },
];

describe('the fit on a made-up exchange', () => {
  it.each([1, 2, 3])('recovers A, k and a within three errors (seed %i)', (seed) => {
    const { groups } = fitted(played(TRUTHS, 1, seed));
    expect(groups).toHaveLength(TRUTHS.length);
    for (const truth of TRUTHS) {
      const found = groups.find(
        ({ league, type, phase }) => league === truth.league && type === truth.type && phase === truth.phase,
      );
      const { A = 0, k = 0, a = 0, errors = { A: 0, k: 0, a: 0 } } = found ?? {};
      expect(Math.abs(A - truth.A)).toBeLessThan(3 * errors.A);
      expect(Math.abs(k - truth.k)).toBeLessThan(3 * errors.k);
      expect(Math.abs(a - truth.informed * truth.move)).toBeLessThan(3 * errors.a);
      // the errors are small enough to say something
      expect(errors.A).toBeLessThan(0.35 * truth.A);
      expect(errors.k).toBeLessThan(0.35 * truth.k);
      expect(errors.a).toBeLessThan(0.35);
    }
  });

  it('has errors as large as the scatter over seeds', () => {
    const found = Array.from({ length: 60 }, (_, seed) => fitted(played([NBA], 0.25, seed)).groups[0]).filter(
      (group) => group !== undefined,
    );
    const inside = (far: (group: (typeof found)[number]) => boolean): number => found.filter(far).length / found.length;
    expect(found).toHaveLength(60);
    // two thirds of normal estimates are within one error; shrinkage brings some more
    expect(inside(({ A, errors }) => Math.abs(A - NBA.A) < errors.A)).toBeGreaterThan(0.55);
    expect(inside(({ k, errors }) => Math.abs(k - NBA.k) < errors.k)).toBeGreaterThan(0.55);
    expect(inside(({ k, errors }) => Math.abs(k - NBA.k) < errors.k)).toBeLessThan(0.95);
  });

  it('is the same in any order of the fills, and canonical in its order', () => {
    const facts = played(TRUTHS, 0.5, 4);
    const table = fitted(facts);
    expect(fitted({ ...facts, fills: facts.fills.toReversed() })).toEqual(table);
    expect(table.groups.map(({ league, type, phase }) => `${league} ${type} ${phase}`)).toEqual([
      'NBA spread prematch',
      'NBA spread inplay',
      'NBA total prematch',
      'NFL moneyline prematch',
    ]);
    expect(table.leagues.map(({ league }) => league)).toEqual(['NBA', 'NFL']);
    expect(table.all.fills).toBe(table.groups.reduce((sum, { fills }) => sum + fills, 0));
    expect(table.all.hours).toBe(4 * GAMES * DISTANCES.length * 0.5);
  });
});

/** Facts of the NBA's moneyline with these hours, and fills, at some distances. */
function handMade(hours: Readonly<Record<number, number>>, fills: readonly RunFill[]): QuoteFacts {
  const times = noTimes();
  const ofType = (times.byType.moneyline = noTimesByDistance());
  for (const [x, count] of Object.entries(hours)) {
    const bucket = distanceBucket(Number(x) / 100);
    ofType.ms[bucket] = count * HOUR_MS;
    ofType.distanceMs[bucket] = (count * HOUR_MS * Number(x)) / 100;
  }
  return { fills, phases: phasesOf({ prematch: { NBA: times }, inplay: {} }) };
}

const near = (game: number, changes: Partial<Made> = {}): RunFill =>
  made({
    ...{ gameId: `g${game}` as GameId, league: 'NBA', type: 'moneyline', phase: 'prematch', x: 1.2, drift: 0 },
    ...{ t: START + game, ...changes },
  });
const group = (facts: QuoteFacts): QuoteTable['groups'][number] | undefined => fitted(facts).groups[0];

describe('a', () => {
  it('is the mean drift weighted by payout, drawn towards the prior', () => {
    // against: 4 points of $300 and 0 of $100 in each of 50 games
    const fills = Array.from({ length: 50 }, (_, game) => [
      near(game, { drift: -4, payout: 300 }),
      near(game, { drift: 0, payout: 100, t: START + 1000 + game }),
    ]).flat();
    // games do not scatter: 4 games that are assumed at 2 points, of 53
    const precision = 50 / ((4 * 2 ** 2) / 53);
    const around = 1 / (1 ** 2 + 0.5 ** 2 + 1.5 ** 2);
    const { a, errors } = group(handMade({ 1.2: 1 }, fills)) ?? { a: 0, errors: { a: 0 } };
    expect(a).toBeCloseTo((precision * 3 + around * PRIOR_QUOTES.all.a) / (precision + around), 3);
    expect(errors.a).toBeCloseTo(1 / Math.sqrt(precision + around), 3);
  });

  it('has the error of the games, not of the fills', () => {
    const fills = (games: number): readonly RunFill[] =>
      Array.from({ length: 100 }, (_, index) => near(index % games, { drift: -1, t: START + index }));
    const few = group(handMade({ 1.2: 1 }, fills(2)));
    const many = group(handMade({ 1.2: 1 }, fills(50)));
    expect(few?.errors.a).toBeGreaterThan(0.5);
    expect(many?.errors.a).toBeLessThan(0.1);
  });

  it('is 0 where prices move towards the fills', () => {
    const fills = Array.from({ length: 60 }, (_, game) => near(game, { drift: 3 }));
    expect(group(handMade({ 1.2: 1 }, fills))?.a).toBe(0);
  });

  it('leaves out fills whose close is not known', () => {
    const fills = Array.from({ length: 60 }, (_, game) => near(game, { drift: -2 }));
    const open = fills.map((known) => ({ ...known, fc: undefined }));
    expect(group(handMade({ 1.2: 1 }, [...fills, ...open]))?.a).toBe(group(handMade({ 1.2: 1 }, fills))?.a);
  });
});

describe('A and k', () => {
  const counts = (fills: Readonly<Record<number, number>>): readonly RunFill[] =>
    Object.entries(fills).flatMap(([x, count]) =>
      Array.from({ length: count }, (_, index) => near(index, { x: Number(x), t: START + 1000 * Number(x) + index })),
    );

  it('are those of Poisson counts where there are many', () => {
    // 3,200, 1,600 and 800 in 100 hours, each half point
    const found = group(handMade({ 0.7: 100, 1.2: 100, 1.7: 100 }, counts({ 0.7: 3200, 1.2: 1600, 1.7: 800 })));
    expect(found?.k).toBeCloseTo(2 * Math.LN2, 1);
    expect(found?.A).toBeCloseTo(32 * 2 ** 1.4, 0);
    expect(found).toMatchObject({ fills: 5600, hours: 300 });
  });

  it('come near the prior where there are few, and a level is learned before a slope', () => {
    const found = group(handMade({ 1.2: 100 }, counts({ 1.2: 8 })));
    const { A = 0, k = 0 } = found ?? {};
    // 8 in 100 hours at 1.2 points; the prior expects 6 · exp(−1.08) = 2.04 an hour
    const rate = A * Math.exp(-k * 1.2);
    expect(rate).toBeGreaterThan(0.08);
    expect(rate).toBeLessThan(0.12);
    expect(k / PRIOR_QUOTES.all.k).toBeGreaterThan(0.8);
    expect(k / PRIOR_QUOTES.all.k).toBeLessThan(1.2);
  });

  it('count quoted hours without fills', () => {
    const fills = counts({ 0.7: 20 });
    const without = group(handMade({ 0.7: 10 }, fills));
    const idle = group(handMade({ 0.7: 10, 2.4: 100 }, fills));
    expect(idle?.k).toBeGreaterThan(1.5 * (without?.k ?? 0));
  });

  it('have larger errors when orders fill in several parts', () => {
    const fills = counts({ 0.7: 32, 1.2: 16, 1.7: 8 });
    const parts = fills.map((part, index) => ({ ...part, ref: `r${Math.floor(index / 4)}` as OrderRef }));
    const hours = { 0.7: 1, 1.2: 1, 1.7: 1 };
    expect(group(handMade(hours, parts))?.errors.A).toBeGreaterThan(
      1.2 * (group(handMade(hours, fills))?.errors.A ?? 0),
    );
  });

  it('leave out fills below fair, far away, without a fair price, and of takers', () => {
    const fills = counts({ 0.7: 20, 1.2: 10 });
    const others = [
      near(1, { x: -1 }),
      near(1, { x: 7 }),
      { ...near(1), f0: undefined },
      { ...near(1), role: 'taker' as const, queuePlaced: 0 as Micros },
    ];
    const hours = { 0.7: 1, 1.2: 1, [-1]: 5, 7: 5 };
    const { A, k, fills: counted } = group(handMade(hours, [...fills, ...others])) ?? {};
    const { A: A0, k: k0 } = group(handMade({ 0.7: 1, 1.2: 1 }, fills)) ?? {};
    expect([A, k, counted]).toEqual([A0, k0, 30]);
  });
});

describe('a group without fills', () => {
  it('has the rates of its league, and less than its league at the same hours', () => {
    const facts = played([{ ...NBA, A: 40 }], 1, 5);
    const times = facts.phases.prematch.quotes['NBA'] ?? noTimes();
    const short = noTimesByDistance();
    short.ms[2] = 1;
    short.distanceMs[2] = 0.007;
    const quotes = { NBA: { ...times, byType: { ...times.byType, total: short } } };
    const table = fitted({ ...facts, phases: { ...facts.phases, prematch: { ...facts.phases.prematch, quotes } } });
    const [spread, total] = table.groups;
    const [league] = table.leagues;
    expect(total).toMatchObject({ type: 'total', fills: 0, hours: 0 });
    expect(total?.A).toBeCloseTo(league?.A ?? 0, 1);
    expect(total?.k).toBeCloseTo(league?.k ?? 0, 3);
    expect(total?.errors.A).toBeGreaterThan(2 * (spread?.errors.A ?? 0));
    // the league lies between its group and the prior
    expect(league?.A).toBeGreaterThan(PRIOR_QUOTES.all.A);
    expect(league?.A).toBeLessThan(spread?.A ?? 0);
  });
});

it('games that several backtests played say no more than those of a single backtest', () => {
  const facts = played([NBA], 0.5, 6);
  const single = fitted(facts).groups[0];
  const twice = fitQuotes([facts, facts], PRIOR_QUOTES, 2)?.groups[0];
  expect(twice).toEqual({ ...single, fills: 2 * (single?.fills ?? 0), hours: 2 * (single?.hours ?? 0) });
});

it('the fit is undefined without fills or without quotes', () => {
  expect(fitQuotes([NO_FACTS], PRIOR_QUOTES)).toBeUndefined();
  expect(fitQuotes([handMade({ 1.2: 100 }, [])], PRIOR_QUOTES)).toBeUndefined();
  expect(fitQuotes([{ ...NO_FACTS, fills: [near(1)] }], PRIOR_QUOTES)).toBeUndefined();
});

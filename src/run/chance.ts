// Measures how much of a result may be chance: a bootstrap interval over games, the deviation under closing
// prices, and the scores of the prices (figures.md, "A run"). Seeded: the same fills give the same figures.
import { createRandom, ofSide, sideIndex } from '../domain/index.ts';
import { clvOf, edgeOf } from './fill-figures.ts';
import type { RunFill } from './run-fill.ts';
import { dollars, fine } from './rounding.ts';

/** With fewer games an interval means nothing. */
export const LEAST_GAMES = 30;
const DRAWS = 2000;
export const TOO_FEW_GAMES = 'too few games';

export type Interval = {
  readonly games: number;
  /**
   * 95 % interval of draws of as many games, dollars; null under 30 games. The edge is defined by phase
   * (`edgeOf`).
   */
  readonly edgeLow: number | null;
  readonly edgeHigh: number | null;
  readonly clvLow: number | null;
  readonly clvHigh: number | null;
  readonly pnlLow: number | null;
  readonly pnlHigh: number | null;
  /**
   * Number of games like these until the interval of the edge excludes 0, by its deviation over games. Null:
   * it never would, or too little is known.
   */
  readonly gamesNeeded: number | null;
  readonly note: string | null;
};

export function intervalOf(fills: readonly RunFill[], seed: number): Interval {
  const games = [...Map.groupBy(fills, ({ gameId }) => gameId).values()];
  const edges = sumsByGame(games, edgeOf);
  const gamesNeeded = gamesNeededOf(edges);
  if (games.length < LEAST_GAMES) return { games: games.length, ...UNKNOWN, gamesNeeded, note: TOO_FEW_GAMES };
  const early = games.filter((game) => game.some(({ isInPlay }) => !isInPlay));
  const clv = sumsByGame(
    early.map((game) => game.filter(({ isInPlay }) => !isInPlay)),
    (fill) => clvOf(fill)?.money,
  );
  const pnl = games.map((game) => game.reduce((sum, fill) => sum + (fill.profit ?? 0) - fill.commission, 0));
  const isSettled = fills.every(({ profit }) => profit !== undefined);
  const drawn = (sums: readonly number[]): readonly [number | null, number | null] =>
    sums.length < LEAST_GAMES ? [null, null] : bootstrap(sums, seed);
  const [[edgeLow, edgeHigh], [clvLow, clvHigh]] = [drawn(edges), drawn(clv)];
  const [pnlLow, pnlHigh] = isSettled ? bootstrap(pnl, seed) : [null, null];
  const notes = [
    ...(isSettled ? [] : ['some games are not settled']),
    ...partOf(edges.length, games.length, 'an edge', 'the edge'),
    ...partOf(clv.length, early.length, 'a close', 'CLV'),
  ];
  return {
    games: games.length,
    edgeLow,
    edgeHigh,
    clvLow,
    clvHigh,
    pnlLow,
    pnlHigh,
    gamesNeeded,
    note: notes.length === 0 ? null : notes.join('; '),
  };
}

const partOf = (known: number, all: number, price: string, figure: string): readonly string[] =>
  known === all ? [] : [`of ${all} games ${known} have ${price} for every fill: ${figure} is of those`];

/** Sum per game, micro-dollars, for the games with the figure known for every fill. */
const sumsByGame = (
  games: readonly (readonly RunFill[])[],
  figureOf: (fill: RunFill) => number | undefined,
): readonly number[] =>
  games.flatMap((game) => {
    const figures = game.map(figureOf);
    return figures.every((figure) => figure !== undefined) ? [figures.reduce((sum, figure) => sum + figure, 0)] : [];
  });

/** Two-sided, 95 % of a normal distribution. */
const DEVIATIONS = 1.96;

/**
 * Games needed until the interval excludes 0. The half width of the interval of a mean over n games is 1.96
 * deviations divided by √n: it excludes 0 when that is less than the mean. Under 30 games there is no
 * interval.
 */
export function gamesNeededOf(byGame: readonly number[]): number | null {
  if (byGame.length < 2) return null;
  const mean = byGame.reduce((sum, amount) => sum + amount, 0) / byGame.length;
  if (mean === 0) return null;
  const variance = byGame.reduce((sum, amount) => sum + (amount - mean) ** 2, 0) / (byGame.length - 1);
  return Math.max(LEAST_GAMES, Math.ceil((DEVIATIONS ** 2 * variance) / mean ** 2));
}

const UNKNOWN = { edgeLow: null, edgeHigh: null, clvLow: null, clvHigh: null, pnlLow: null, pnlHigh: null };

/** The 2.5th and 97.5th percentile, dollars, of sums over as many games drawn with replacement. */
function bootstrap(byGame: readonly number[], seed: number): readonly [number, number] {
  const random = createRandom(seed, 'bootstrap over games');
  const sums = Array.from({ length: DRAWS }, () => {
    let sum = 0;
    for (let n = 0; n < byGame.length; n++) sum += byGame[Math.floor(random.next() * byGame.length)] ?? 0;
    return sum;
  }).sort((a, b) => a - b);
  const quantile = (share: number): number => dollars(sums[Math.round(share * (DRAWS - 1))] ?? 0);
  return [quantile(0.025), quantile(0.975)];
}

export type Luck = {
  /** Standard deviation of the result under the closing prices, dollars; null: no market has one. */
  readonly deviation: number | null;
  /**
   * Number of markets. One with fills before the start and in play counts twice; one without a close is left
   * out.
   */
  readonly markets: number;
  readonly unpriced: number;
  readonly note: string;
};

/**
 * Standard deviation of the result under the closing prices; pushes are left out. Within a market it is
 * exact. Moneyline and spreads of a game are bets on one number, its margin: of two of them the harder one
 * wins only where the easier one wins, so their closing prices give the covariance. Totals work likewise.
 * Deviations before the start and in play are added up. Margin and total are independent, as in the score
 * model (src/pricing), and so are games.
 */
export function luckOf(fills: readonly RunFill[]): Luck {
  let variance = 0;
  let [markets, unpriced] = [0, 0];
  for (const game of Map.groupBy(fills, ({ gameId }) => gameId).values()) {
    let deviation = 0;
    // markets close at different times before the start and in play: their covariance is not known
    for (const phase of Map.groupBy(game, ({ isInPlay }) => isInPlay).values()) {
      const bets = { margin: [] as Bet[], total: [] as Bet[] };
      for (const marketFills of Map.groupBy(phase, ({ market }) => market.id).values()) {
        const last = marketFills.findLast(({ fc }) => fc !== undefined);
        const p = last === undefined ? undefined : ofSide(last.side, last.fc);
        if (last === undefined || p === undefined) {
          unpriced += 1;
          continue;
        }
        markets += 1;
        const swing = marketFills.reduce(
          (sum, { side, payout }) => sum + (sideIndex(side) === 0 ? payout : -payout),
          0,
        );
        bets[last.market.type === 'total' ? 'total' : 'margin'].push({ p, swing });
      }
      deviation += Math.sqrt(varianceOf(bets.margin) + varianceOf(bets.total));
    }
    variance += deviation ** 2;
  }
  return {
    deviation: markets === 0 ? null : dollars(Math.sqrt(variance)),
    markets,
    unpriced,
    note: 'moneyline and spreads of a game are bets on one margin, its totals on one number, and those two are independent; deviations before the start and in play are added up; pushes are left out',
  };
}

/**
 * `p`: closing probability of the first side; `swing`: payoff of the first side less that of the other,
 * micro-dollars.
 */
type Bet = { readonly p: number; readonly swing: number };

/** Variance of nested bets: when a less likely one wins, all likelier ones win. */
const varianceOf = (bets: readonly Bet[]): number =>
  bets.reduce(
    (sum, bet) =>
      sum +
      bets.reduce((row, other) => row + bet.swing * other.swing * (Math.min(bet.p, other.p) - bet.p * other.p), 0),
    0,
  );

export type PriceScore = { readonly brier: number; readonly logLoss: number };
export type Scores = {
  /**
   * Number of fills that won or lost and have both prices. `fair`: the strategy's own price, else the
   * consensus.
   */
  readonly fills: number;
  readonly fair: PriceScore | null;
  readonly close: PriceScore | null;
  /**
   * Brier score of the close less that of the fair price: below 0, the close was better. Its deviation over
   * games.
   */
  readonly difference: { readonly brier: number; readonly error: number | null } | null;
  /** Per tenth of the close: number of fills, mean price, share that won. Null: no fills. */
  readonly reliability: readonly {
    readonly fills: number;
    readonly price: number | null;
    readonly won: number | null;
  }[];
};

const TENTHS = 10;
const LEAST_PRICE = 1e-6;
/** An exchange rounds what a bet wins once when it fills, and again when it is graded. Micro-dollars. */
const ROUNDING = 10_000;

/** 1: won, 0: lost. Undefined: a part or all of the stake came back. */
const outcomeOf = (profit: number, risk: number, payout: number): 1 | 0 | undefined =>
  profit > 0 && profit >= payout - risk - ROUNDING ? 1 : profit < 0 && profit <= ROUNDING - risk ? 0 : undefined;

/**
 * Scores the fair price at the fill and the close against the outcome of the side. Pushed fills are left out.
 */
export function scoresOf(fills: readonly RunFill[]): Scores {
  const known = fills.flatMap(({ own, fc, profit, risk, payout, gameId, ...fill }) => {
    const f0 = own?.f0 ?? fill.f0;
    const won = profit === undefined ? undefined : outcomeOf(profit, risk, payout);
    return f0 === undefined || fc === undefined || won === undefined ? [] : [{ f0, fc, won, gameId }];
  });
  const reliability = Array.from({ length: TENTHS }, () => ({ fills: 0, price: 0, won: 0 }));
  for (const { fc, won } of known) {
    const tenth = reliability[Math.min(TENTHS - 1, Math.floor(fc * TENTHS))];
    if (tenth === undefined) continue;
    tenth.fills += 1;
    tenth.price += fc;
    tenth.won += won;
  }
  const count = known.length;
  const score = (priceOf: (fill: (typeof known)[number]) => number): PriceScore => {
    const sums = known.reduce(
      ({ brier, logLoss }, fill) => {
        const p = Math.min(1 - LEAST_PRICE, Math.max(LEAST_PRICE, priceOf(fill)));
        return { brier: brier + (p - fill.won) ** 2, logLoss: logLoss - Math.log(fill.won === 1 ? p : 1 - p) };
      },
      { brier: 0, logLoss: 0 },
    );
    return { brier: fine(sums.brier / count), logLoss: fine(sums.logLoss / count) };
  };
  const [fair, close] = count === 0 ? [null, null] : [score(({ f0 }) => f0), score(({ fc }) => fc)];
  return {
    fills: count,
    fair,
    close,
    difference:
      fair === null || close === null ? null : { brier: fine(close.brier - fair.brier), error: errorOf(known) },
    reliability: reliability.map(({ fills: inTenth, price, won }) => ({
      fills: inTenth,
      price: inTenth === 0 ? null : fine(price / inTenth),
      won: inTenth === 0 ? null : fine(won / inTenth),
    })),
  };
}

/** Standard error of the mean difference of the two Brier scores, over games. Null under two games. */
function errorOf(
  known: readonly {
    readonly f0: number;
    readonly fc: number;
    readonly won: number;
    readonly gameId: string;
  }[],
): number | null {
  const games = [...Map.groupBy(known, ({ gameId }) => gameId).values()];
  if (games.length < 2) return null;
  const mean = known.reduce((sum, { f0, fc, won }) => sum + (fc - won) ** 2 - (f0 - won) ** 2, 0) / known.length;
  const squares = games.reduce((sum, game) => {
    const off = game.reduce((all, { f0, fc, won }) => all + (fc - won) ** 2 - (f0 - won) ** 2 - mean, 0);
    return sum + off ** 2;
  }, 0);
  return fine(Math.sqrt((squares * games.length) / (games.length - 1)) / known.length);
}

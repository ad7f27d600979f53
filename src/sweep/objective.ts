// The objective of a sweep: a figure of the report that it maximizes or minimizes. Most are sums over games,
// or one sum divided by another, and can be computed for any set of games. The others are known only for a
// whole run; for some games they need a separate run (separate-runs.ts).
import { MARKOUT_SECONDS, PHASES } from '../domain/index.ts';
import type { MarkoutSeconds, Phase } from '../domain/index.ts';
import type { FillSums, Known } from '../run/index.ts';
import { addedSums } from '../run/index.ts';

/**
 * Fills of one phase of a game, and the place permits that it used (a request with orders of several games is
 * shared among them).
 */
export type PhaseSums = { readonly sums: FillSums; readonly permits: number };
export type GameSums = Readonly<Record<Phase, PhaseSums>>;

export type Objective = {
  /** Name of the figure. */
  readonly name: string;
  /** True when less is better. */
  readonly isLess: boolean;
  /** How to compute the figure from sums. Undefined when it is known only for a whole run. */
  readonly parts?: Parts;
};

type Parts = {
  /** The value that a game adds. */
  readonly value: (sums: JudgedSums) => number;
  /** The fills whose value is known, and below all fills that it concerns. */
  readonly known: (sums: JudgedSums) => Known;
  readonly all: (sums: JudgedSums) => Known;
  /** The divisor of the sum; undefined when the figure is a sum. */
  readonly per?: Per;
  /** The sums of the phases that the figure covers. */
  readonly sumsOf: (game: GameSums) => JudgedSums;
  /** True when the sum is in micro-dollars. */
  readonly isMoney: boolean;
};
/** Sums that the figure covers; `early`: place permits before the start. */
type JudgedSums = PhaseSums & { readonly early: number };
/** A divisor. `isPermits`: when only part of the fills is known, only their share of the permits counts. */
type Per = { readonly divisor: (sums: JudgedSums) => number; readonly isPermits: boolean };

export const DEFAULT_OBJECTIVE = 'edge.perPlace';

/** The sums of a game that a result keeps; they can be added over games. */
export type Share = {
  readonly value: number;
  readonly per: number;
  /** Fills and payout whose value is known, and those of all fills that the figure concerns. */
  readonly knownFills: number;
  readonly knownPayout: number;
  readonly ofFills: number;
  readonly ofPayout: number;
};
export const NO_SHARE: Share = { value: 0, per: 0, knownFills: 0, knownPayout: 0, ofFills: 0, ofPayout: 0 };

const PERMITS: Per = { divisor: ({ permits }) => permits, isPermits: true };
const EARLY_PERMITS: Per = { divisor: ({ early }) => early, isPermits: true };
const clv = ({ sums }: JudgedSums): FillSums['clv'] => sums.clv;
const filled = ({ sums }: JudgedSums): Known => sums;
const early = ({ sums }: JudgedSums): Known => sums.early;
const settled = ({ sums: { identity, unpriced } }: JudgedSums): Known => ({
  fills: identity.fills + unpriced.fills,
  payout: identity.payout + unpriced.payout,
});

type Sum = Pick<Parts, 'value' | 'known' | 'all' | 'isMoney'>;
const EDGE: Sum = {
  value: ({ sums }) => sums.edge.money,
  known: ({ sums }) => sums.edge,
  all: filled,
  isMoney: true,
};
const CLV: Sum = { value: (sums) => clv(sums).money, known: clv, all: early, isMoney: true };
const SPREAD: Sum = {
  value: ({ sums }) => sums.spread.money,
  known: ({ sums }) => sums.spread,
  all: filled,
  isMoney: true,
};
const PNL: Sum = {
  value: ({ sums }) => sums.identity.pnl + sums.unpriced.pnl,
  known: settled,
  all: filled,
  isMoney: true,
};
const identity = (part: 'pnl' | 'spread' | 'drift' | 'luck'): Sum => ({
  value: ({ sums }) => sums.identity[part],
  known: ({ sums }) => sums.identity,
  all: filled,
  isMoney: true,
});
const markout = (seconds: MarkoutSeconds): Sum => ({
  value: ({ sums }) => sums.markouts[seconds].money,
  known: ({ sums }) => sums.markouts[seconds],
  all: filled,
  isMoney: true,
});
/** A mean over the fills with a closing price, per fill or per dollar of payout. */
const mean = (value: (sums: JudgedSums) => number, per: 'fills' | 'payout'): Sum & { readonly per: Per } => ({
  value,
  known: clv,
  all: early,
  isMoney: false,
  per: { divisor: (sums) => clv(sums)[per], isPermits: false },
});

const FIGURES: Readonly<Record<string, Sum & { readonly per?: Per }>> = {
  'edge.perPlace': { ...EDGE, per: PERMITS },
  'edge.dollars': EDGE,
  'permits.clvPerPlace': { ...CLV, per: EARLY_PERMITS },
  'permits.pnlPerPlace': { ...PNL, per: PERMITS },
  'permits.spreadPerPlace': { ...SPREAD, per: PERMITS },
  'clv.dollars': CLV,
  'clv.points': mean((sums) => clv(sums).money, 'payout'),
  'clv.share': mean((sums) => clv(sums).above, 'payout'),
  'clv.plainPoints': mean((sums) => clv(sums).points, 'fills'),
  'clv.plainShare': mean((sums) => clv(sums).plainAbove, 'fills'),
  'identity.pnl': identity('pnl'),
  'identity.spread': identity('spread'),
  'identity.drift': identity('drift'),
  'identity.luck': identity('luck'),
  ...Object.fromEntries(MARKOUT_SECONDS.map((seconds) => [`markouts.${seconds}s`, markout(seconds)])),
  'markouts.close': CLV,
};

const both = ({ prematch, inplay }: GameSums): JudgedSums => ({
  sums: addedSums(prematch.sums, inplay.sums),
  permits: prematch.permits + inplay.permits,
  early: prematch.permits,
});
const inPhase =
  (phase: Phase) =>
  (game: GameSums): JudgedSums => ({ ...game[phase], early: phase === 'prematch' ? game.prematch.permits : 0 });

/** How to compute each figure, over both phases and for each phase. */
const PARTS: Readonly<Record<string, Parts>> = Object.fromEntries(
  Object.entries(FIGURES).flatMap(([name, figure]): [string, Parts][] => [
    [name, { ...figure, sumsOf: both }],
    ...PHASES.map((phase): [string, Parts] => [`phases.${phase}.${name}`, { ...figure, sumsOf: inPhase(phase) }]),
  ]),
);

/** Days are judged by edge when the objective is known only for a whole run. */
const EDGE_PARTS = PARTS['edge.dollars'] as Parts;

/**
 * Figures for which less is better by default. Losses (`inventory.worst`, `pickedOff.*.money60s`) are not
 * among them: they are 0 or below.
 */
export const LESS: ReadonlySet<string> = new Set([
  ...['pnl.maxDrawdown', 'inventory.maxDrawdown', 'inventory.most', 'inventory.mean', 'inventory.atLimits'],
  ...['orders.refused', 'orders.unknown', 'quoting.cancelsPerFill', 'permits.meanWaitMs', 'permits.staleness'],
  ...['pickedOff.latency.fills', 'pickedOff.pricing.fills', 'scores.fair.brier'],
  ...['scores.fair.logLoss', 'scores.close.brier', 'scores.close.logLoss'],
]);

const isUsuallyLess = (name: string): boolean => LESS.has(name.replace(/^phases\.\w+\./, ''));

const DIRECTIONS = ['most', 'least'] as const;

/**
 * Parses `--objective`: a figure, or `figure:most`, `figure:least`. Another word after the colon is part of
 * the name.
 */
export function objectiveOf(text: string): Objective {
  const direction = DIRECTIONS.find((suffix) => text.endsWith(`:${suffix}`));
  const name = direction === undefined ? text : text.slice(0, -direction.length - 1);
  const parts = PARTS[name];
  const isLess = direction === undefined ? isUsuallyLess(name) : direction === 'least';
  return { name, isLess, ...(parts === undefined ? {} : { parts }) };
}

/**
 * The objective as text that `objectiveOf` can parse; it names the direction when less is better or the
 * default is changed.
 */
export const objectiveText = ({ name, isLess }: Objective): string =>
  isLess ? `${name}:least` : isUsuallyLess(name) ? `${name}:most` : name;

/** A score where more is better; undefined when the figure is not known, which ranks last. */
export function scoreOf({ isLess }: Objective, figure: number | undefined): number | undefined {
  return figure === undefined || !isLess ? figure : -figure;
}

export const partsOf = ({ parts }: Objective): Parts => parts ?? EDGE_PARTS;

/** The share of a game that a result keeps. */
export function shareOf(objective: Objective, game: GameSums): Share {
  const { value, per, known, all, sumsOf } = partsOf(objective);
  const sums = sumsOf(game);
  const [knownPart, whole] = [known(sums), all(sums)];
  return {
    value: value(sums),
    per: per?.divisor(sums) ?? 0,
    knownFills: knownPart.fills,
    knownPayout: knownPart.payout,
    ofFills: whole.fills,
    ofPayout: whole.payout,
  };
}

export const addedShares = (shares: readonly Share[]): Share =>
  shares.reduce((sum, share) => addedSums<Share>(sum, share), NO_SHARE);

/** True when there are fills and none of them has a known value. */
export const isUnknown = ({ knownFills, ofFills }: Pick<Share, 'knownFills' | 'ofFills'>): boolean =>
  ofFills > 0 && knownFills === 0;

/**
 * The divisor of a share. When only part of the fills is known, permits count by the known part of the
 * payout.
 */
export function divisorOf(objective: Objective, { per, knownPayout, ofPayout }: Share): number {
  const isShared = partsOf(objective).per?.isPermits === true && ofPayout > 0;
  return isShared ? per * (knownPayout / ofPayout) : per;
}

/** The figure of a share, money in dollars. Undefined when no fill has a known value, or the divisor is 0. */
export function figureOf(objective: Objective, share: Share): number | undefined {
  const parts = partsOf(objective);
  if (isUnknown(share)) return undefined;
  const sum = parts.isMoney ? share.value / 1e6 : share.value;
  if (parts.per === undefined) return sum;
  const divisor = divisorOf(objective, share);
  // a setting that places nothing and fills nothing earns nothing
  return divisor === 0 ? (parts.isMoney ? 0 : undefined) : sum / divisor;
}

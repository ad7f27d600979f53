// What a sweep looks for the most of, or the least: a figure of the report. Most are sums over games, or one sum divided by
// another, and are known of any games; the others are of a whole run, and those of some games of a run over these alone
// (apart.ts).
import { MARKOUT_SECONDS, PHASES } from '../domain/index.ts';
import type { MarkoutSeconds, Phase } from '../domain/index.ts';
import type { FillSums, Known } from '../run/index.ts';
import { addedSums } from '../run/index.ts';

/** Of a game, of one phase: the fills there, and how many place permits it took (a request with orders of several games is shared among them). */
export type PhaseSums = { readonly sums: FillSums; readonly permits: number };
export type GameSums = Readonly<Record<Phase, PhaseSums>>;

export type Objective = {
  /** The figure. */
  readonly name: string;
  /** Less of it is better. */
  readonly isLess: boolean;
  /** Undefined: it is known of a whole run alone. */
  readonly parts?: Parts;
};

type Parts = {
  /** What a game adds. */
  readonly value: (of: Of) => number;
  /** The fills of which it is known, and all that it would be of. */
  readonly known: (of: Of) => Known;
  readonly all: (of: Of) => Known;
  /** What the sum is divided by; undefined: nothing. */
  readonly per?: Per;
  /** Of which fills. */
  readonly of: (game: GameSums) => Of;
  /** The sum is micro-dollars. */
  readonly isMoney: boolean;
};
/** `early`: place permits before the start. */
type Of = PhaseSums & { readonly early: number };
/** `permits`: of fills that are partly known, their own share of them. */
type Per = { readonly of: (of: Of) => number; readonly isPermits: boolean };

export const DEFAULT_OBJECTIVE = 'edge.perPlace';

/** What of a game a result keeps: sums, so that those of several games can be added. */
export type Share = {
  readonly value: number;
  readonly per: number;
  /** Fills and payout of which the value is known, and of all that it would be of. */
  readonly knownFills: number;
  readonly knownPayout: number;
  readonly ofFills: number;
  readonly ofPayout: number;
};
export const NO_SHARE: Share = { value: 0, per: 0, knownFills: 0, knownPayout: 0, ofFills: 0, ofPayout: 0 };

const PERMITS: Per = { of: ({ permits }) => permits, isPermits: true };
const EARLY_PERMITS: Per = { of: ({ early }) => early, isPermits: true };
const clv = ({ sums }: Of): FillSums['clv'] => sums.clv;
const filled = ({ sums }: Of): Known => sums;
const early = ({ sums }: Of): Known => sums.early;
const settled = ({ sums: { identity, unpriced } }: Of): Known => ({
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
const CLV: Sum = { value: (of) => clv(of).money, known: clv, all: early, isMoney: true };
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
/** Of the closes, divided by the fills or the payout that they are of. */
const mean = (value: (of: Of) => number, per: 'fills' | 'payout'): Sum & { readonly per: Per } => ({
  value,
  known: clv,
  all: early,
  isMoney: false,
  per: { of: (of) => clv(of)[per], isPermits: false },
});

const FIGURES: Readonly<Record<string, Sum & { readonly per?: Per }>> = {
  'edge.perPlace': { ...EDGE, per: PERMITS },
  'edge.dollars': EDGE,
  'permits.clvPerPlace': { ...CLV, per: EARLY_PERMITS },
  'permits.pnlPerPlace': { ...PNL, per: PERMITS },
  'permits.spreadPerPlace': { ...SPREAD, per: PERMITS },
  'clv.dollars': CLV,
  'clv.points': mean((of) => clv(of).money, 'payout'),
  'clv.share': mean((of) => clv(of).above, 'payout'),
  'clv.plainPoints': mean((of) => clv(of).points, 'fills'),
  'clv.plainShare': mean((of) => clv(of).plainAbove, 'fills'),
  'identity.pnl': identity('pnl'),
  'identity.spread': identity('spread'),
  'identity.drift': identity('drift'),
  'identity.luck': identity('luck'),
  ...Object.fromEntries(MARKOUT_SECONDS.map((seconds) => [`markouts.${seconds}s`, markout(seconds)])),
  'markouts.close': CLV,
};

const both = ({ prematch, inplay }: GameSums): Of => ({
  sums: addedSums(prematch.sums, inplay.sums),
  permits: prematch.permits + inplay.permits,
  early: prematch.permits,
});
const inPhase =
  (phase: Phase) =>
  (game: GameSums): Of => ({ ...game[phase], early: phase === 'prematch' ? game.prematch.permits : 0 });

/** Of both phases, and of each. */
const PARTS: Readonly<Record<string, Parts>> = Object.fromEntries(
  Object.entries(FIGURES).flatMap(([name, figure]): [string, Parts][] => [
    [name, { ...figure, of: both }],
    ...PHASES.map((phase): [string, Parts] => [`phases.${phase}.${name}`, { ...figure, of: inPhase(phase) }]),
  ]),
);

/** What days are judged by where the objective is known of a whole run alone. */
const OTHERWISE = PARTS['edge.dollars'] as Parts;

/** What one wants little of, unless it is said otherwise. Losses (`inventory.worst`, `pickedOff.*.money60s`) are 0 or below. */
export const LESS: ReadonlySet<string> = new Set([
  ...['pnl.maxDrawdown', 'inventory.maxDrawdown', 'inventory.most', 'inventory.mean', 'inventory.atLimits'],
  ...['orders.refused', 'orders.unknown', 'quoting.cancelsPerFill', 'permits.meanWaitMs', 'permits.staleness'],
  ...['pickedOff.latency.fills', 'pickedOff.pricing.fills', 'scores.fair.brier'],
  ...['scores.fair.logLoss', 'scores.close.brier', 'scores.close.logLoss'],
]);

const isUsuallyLess = (name: string): boolean => LESS.has(name.replace(/^phases\.\w+\./, ''));

const WAYS = ['most', 'least'] as const;

/** `text`: as `--objective` has it, a figure, or `figure:most`, `figure:least`. Another word behind the colon is part of the name. */
export function objectiveOf(text: string): Objective {
  const way = WAYS.find((one) => text.endsWith(`:${one}`));
  const name = way === undefined ? text : text.slice(0, -way.length - 1);
  const parts = PARTS[name];
  const isLess = way === undefined ? isUsuallyLess(name) : way === 'least';
  return { name, isLess, ...(parts === undefined ? {} : { parts }) };
}

/** As `objectiveOf` reads it, and people: the way is told where it is the less. */
export const objectiveText = ({ name, isLess }: Objective): string =>
  isLess ? `${name}:least` : isUsuallyLess(name) ? `${name}:most` : name;

/** The higher, the better; undefined: not known, which is worse than all. */
export function scoreOf({ isLess }: Objective, figure: number | undefined): number | undefined {
  return figure === undefined || !isLess ? figure : -figure;
}

export const partsOf = ({ parts }: Objective): Parts => parts ?? OTHERWISE;

/** Per game, as a result keeps it. */
export function shareOf(objective: Objective, game: GameSums): Share {
  const { value, per, known, all, of } = partsOf(objective);
  const one = of(game);
  const [some, every] = [known(one), all(one)];
  return {
    value: value(one),
    per: per?.of(one) ?? 0,
    knownFills: some.fills,
    knownPayout: some.payout,
    ofFills: every.fills,
    ofPayout: every.payout,
  };
}

export const addedShares = (shares: readonly Share[]): Share =>
  shares.reduce((sum, one) => addedSums<Share>(sum, one), NO_SHARE);

/** Something filled, and nothing is known of it. */
export const isUnknown = ({ knownFills, ofFills }: Pick<Share, 'knownFills' | 'ofFills'>): boolean =>
  ofFills > 0 && knownFills === 0;

/** What the sum is divided by; of fills that are partly known, permits by their own share. */
export function divisorOf(objective: Objective, { per, knownPayout, ofPayout }: Share): number {
  const isShared = partsOf(objective).per?.isPermits === true && ofPayout > 0;
  return isShared ? per * (knownPayout / ofPayout) : per;
}

/** Sums to the figure, money in dollars. Undefined: something filled and nothing is known of it, or there is nothing to divide by. */
export function figureOf(objective: Objective, share: Share): number | undefined {
  const parts = partsOf(objective);
  if (isUnknown(share)) return undefined;
  const sum = parts.isMoney ? share.value / 1e6 : share.value;
  if (parts.per === undefined) return sum;
  const divisor = divisorOf(objective, share);
  // a setting that asks for nothing and fills nothing earns nothing
  return divisor === 0 ? (parts.isMoney ? 0 : undefined) : sum / divisor;
}

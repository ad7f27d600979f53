// What a sweep looks for the most of, or the least: a figure of the report. Most are sums over games, or one sum divided by
// another, and can be told for any games; the others are of a whole run, and those of some games of a run over these alone
// (apart.ts).
import type { FillSums, MarkoutSeconds } from '../report/index.ts';
import { MARKOUT_SECONDS } from '../report/index.ts';

/** Of a game: the fills there, and how many place permits it took (a request with orders of several games is shared among them). */
export type GameSums = { readonly sums: FillSums; readonly permits: number };

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
  readonly value: (game: GameSums) => number;
  /** What the sum is divided by; undefined: nothing. */
  readonly per?: (game: GameSums) => number;
  /** The sum is micro-dollars. */
  readonly isMoney: boolean;
};

export const DEFAULT_OBJECTIVE = 'permits.clvPerPlace';

const clv = ({ sums }: GameSums): number => sums.clv.money;
const pnl = ({ sums }: GameSums): number => sums.identity.pnl + sums.unpriced.pnl;
const spread = ({ sums }: GameSums): number => sums.spread.money;
const permits = (game: GameSums): number => game.permits;
const clvFills = ({ sums }: GameSums): number => sums.clv.fills;

const markout =
  (seconds: MarkoutSeconds) =>
  ({ sums }: GameSums): number =>
    sums.markouts[seconds].money;

const PARTS: Readonly<Record<string, Parts>> = {
  [DEFAULT_OBJECTIVE]: { value: clv, per: permits, isMoney: true },
  'permits.pnlPerPlace': { value: pnl, per: permits, isMoney: true },
  'permits.spreadPerPlace': { value: spread, per: permits, isMoney: true },
  'clv.dollars': { value: clv, isMoney: true },
  'clv.points': { value: ({ sums }) => sums.clv.points * sums.clv.fills, per: clvFills, isMoney: false },
  'clv.share': { value: ({ sums }) => sums.clv.share * sums.clv.fills, per: clvFills, isMoney: false },
  'identity.pnl': { value: ({ sums }) => sums.identity.pnl, isMoney: true },
  'identity.spread': { value: ({ sums }) => sums.identity.spread, isMoney: true },
  'identity.drift': { value: ({ sums }) => sums.identity.drift, isMoney: true },
  'identity.luck': { value: ({ sums }) => sums.identity.luck, isMoney: true },
  ...Object.fromEntries(
    MARKOUT_SECONDS.map((seconds) => [
      `markouts.${seconds}s`,
      { value: markout(seconds), isMoney: true } satisfies Parts,
    ]),
  ),
  'markouts.close': { value: clv, isMoney: true },
};

/** What days are judged by where the objective is known of a whole run alone. */
const OTHERWISE = PARTS['clv.dollars'] as Parts;

/** What one wants little of, unless it is said otherwise. Losses (`inventory.worst`, `pickedOff.*.money60s`) are 0 or below. */
export const LESS: ReadonlySet<string> = new Set([
  ...['pnl.maxDrawdown', 'inventory.maxDrawdown', 'inventory.most', 'inventory.mean', 'inventory.atLimits'],
  ...[
    'orders.refused',
    'orders.unknown',
    'quoting.cancelsPerFill',
    'permits.meanWaitMs',
    'permits.staleness',
  ],
  ...['pickedOff.latency.fills', 'pickedOff.pricing.fills', 'scores.fair.brier'],
  ...['scores.fair.logLoss', 'scores.close.brier', 'scores.close.logLoss'],
]);

const WAYS = ['most', 'least'] as const;

/** `text`: as `--objective` has it, a figure, or `figure:most`, `figure:least`. Another word behind the colon is part of the name. */
export function objectiveOf(text: string): Objective {
  const way = WAYS.find((one) => text.endsWith(`:${one}`));
  const name = way === undefined ? text : text.slice(0, -way.length - 1);
  const parts = PARTS[name];
  const isLess = way === undefined ? LESS.has(name) : way === 'least';
  return { name, isLess, ...(parts === undefined ? {} : { parts }) };
}

/** As `objectiveOf` reads it, and people: the way is told where it is the less. */
export const objectiveText = ({ name, isLess }: Objective): string =>
  isLess ? `${name}:least` : LESS.has(name) ? `${name}:most` : name;

/** The higher, the better; undefined: not known, which is worse than all. */
export function scoreOf({ isLess }: Objective, figure: number | undefined): number | undefined {
  return figure === undefined || !isLess ? figure : -figure;
}

export const partsOf = ({ parts }: Objective): Parts => parts ?? OTHERWISE;

/** Per game, as a result keeps it. */
export function shareOf(
  objective: Objective,
  game: GameSums,
): { readonly value: number; readonly per: number } {
  const { value, per } = partsOf(objective);
  return { value: value(game), per: per?.(game) ?? 0 };
}

/** Sums to the figure, money in dollars. Undefined: nothing to divide by, where what is divided is no money. */
export function figureOf(
  objective: Objective,
  { value, per }: { readonly value: number; readonly per: number },
): number | undefined {
  const parts = partsOf(objective);
  const sum = parts.isMoney ? value / 1e6 : value;
  if (parts.per === undefined) return sum;
  // who asks for nothing earns nothing
  return per === 0 ? (parts.isMoney ? 0 : undefined) : sum / per;
}

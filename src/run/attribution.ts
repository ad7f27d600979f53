// Attributes money to groups of fills: by market, game, strategy, age and so on (figures.md, "A run").
import type { Market, Side } from '../domain/index.ts';
import { lineFor, MARKOUT_SECONDS } from '../domain/index.ts';
import type { RunFill } from './run-fill.ts';
import type { FillPrices } from './fill-figures.ts';
import { clvOf, identityOf, IDENTITY_PARTS, markoutOf, spreadOf } from './fill-figures.ts';
import { QUEUES } from './order-tally.ts';
import { dollars } from './rounding.ts';

export const ATTRIBUTIONS = [
  ...([
    'market',
    'game',
    'league',
    'type',
    'line',
    'hour',
    'favourite',
    'strategy',
    'age',
    'inventory',
    'queue',
    'day',
  ] as const),
];
export type AttributionName = (typeof ATTRIBUTIONS)[number];

/**
 * Sums of one group of fills, dollars. Spread, drift, luck and commission cover the fills with all four
 * known, and add up to `pnl`. `clv` covers fills before the start with a close, settled or not. Markouts
 * cover fills with a price at that time. Null: no fill is covered.
 */
export type AttributionRow = {
  readonly key: string;
  readonly fills: number;
  readonly risk: number;
  readonly spread: number | null;
  readonly drift: number | null;
  readonly luck: number | null;
  /** 0 or below. */
  readonly commission: number | null;
  readonly pnl: number | null;
  /** Number and P&L of settled fills without a price, which the sums above leave out. */
  readonly unpriced: number;
  readonly unpricedPnl: number;
  readonly clv: number | null;
  readonly markout60s: number | null;
  readonly markout300s: number | null;
};

const HOUR_MS = 3_600_000;
const HOURS = [0, 1, 3, 6, 12, 24, 48] as const;
const AGES_S = [1, 5, 30, 120, 600, 3600] as const;
/** Edges of the queue groups. Zero ahead falls under the first edge and forms its own group. */
const AHEAD = QUEUES.slice(1);
const INVENTORIES = [-1000, -300, -50, 50, 300, 1000] as const;

/** The group key of a fill. It never changes during a run. */
export const ATTRIBUTION_KEYS: Readonly<Record<AttributionName, (fill: RunFill) => string>> = {
  market: ({ market }) => market.id,
  game: ({ gameId }) => gameId,
  league: ({ league }) => league,
  type: ({ market }) => market.type,
  line: ({ market, side }) => lineText(market, side),
  hour: ({ isInPlay, start, t }) =>
    isInPlay ? 'in play' : start === undefined ? 'unknown' : between((start - t) / HOUR_MS, HOURS, 'h before'),
  favourite: ({ f0 }) =>
    f0 === undefined
      ? 'unknown'
      : f0 < 0.15
        ? 'under .15'
        : f0 < 0.4
          ? '.15 to .40'
          : f0 <= 0.6
            ? '.40 to .60'
            : 'over .60',
  strategy: ({ strategy }) => strategy ?? 'unknown',
  age: ({ ageMs }) => (ageMs === undefined ? 'unknown' : between(ageMs / 1000, AGES_S, 's')),
  inventory: (fill) => between(inventoryBefore(fill), INVENTORIES, '$'),
  queue: ({ queuePlaced }) => (queuePlaced === undefined ? 'unknown' : between(queuePlaced / 1e6, AHEAD, '$ ahead')),
  day: ({ t }) => new Date(t).toISOString().slice(0, 10),
};

/** The line as the backed side has it: `spread -3.5`, `total 224.5`. */
function lineText(market: Market, side: Side): string {
  const line = lineFor(market, side);
  if (line === undefined) return market.type;
  return `${market.type} ${market.type === 'spread' && line > 0 ? '+' : ''}${line}`;
}

/** The key of a row for people: the name of the game replaces its id. */
export function shownKey(by: AttributionName, key: string, names: Readonly<Record<string, string>>): string {
  if (by !== 'market' && by !== 'game') return key;
  const [game = '', ...market] = key.split('/');
  return [names[game] ?? game, ...market].join(' ');
}

/**
 * Payoff of the backed side less that of the other side before the fill, dollars. Above 0, the fill added to
 * the inventory.
 */
export function inventoryBefore({ market, side, position, payout }: RunFill): number {
  const isFirst = market.sides[0] === side;
  const after = isFirst ? position.first - position.second : position.second - position.first;
  return (after - payout) / 1e6;
}

/** The name of the range that holds `value`. */
function between(value: number, edges: readonly number[], unit: string): string {
  const above = edges.findIndex((edge) => value < edge);
  const [first, last] = [edges[0] ?? 0, edges.at(-1) ?? 0];
  if (above === 0) return `under ${first} ${unit}`;
  return above === -1 ? `${last} ${unit} and more` : `${edges[above - 1] ?? 0} to ${edges[above] ?? 0} ${unit}`;
}

const ORDERED: Partial<Readonly<Record<AttributionName, readonly number[]>>> = {
  hour: HOURS,
  age: AGES_S,
  inventory: INVENTORIES,
  queue: AHEAD,
};

export function attributionOf(fills: readonly RunFill[], by: AttributionName): readonly AttributionRow[] {
  const groups = new Map<string, GroupSums>();
  for (const fill of fills) {
    const key = ATTRIBUTION_KEYS[by](fill);
    let sums = groups.get(key);
    if (sums === undefined) groups.set(key, (sums = noSums()));
    addToGroup(sums, fill, 1);
  }
  return attributionRows(groups, by);
}

/** Rows of the groups: ranges in ascending order, other keys by risk. */
export function attributionRows(
  groups: Iterable<readonly [string, GroupSums]>,
  by: AttributionName,
): readonly AttributionRow[] {
  const rows = [...groups].map(([key, sums]) => rowOf(key, sums));
  const isRange = ORDERED[by] !== undefined || by === 'favourite' || by === 'day';
  return rows.sort((a, b) =>
    isRange ? rankOf(a.key) - rankOf(b.key) || (a.key < b.key ? -1 : 1) : b.risk - a.risk || (a.key < b.key ? -1 : 1),
  );
}

/** Start of a range, for sorting. A key without a number sorts last. */
function rankOf(key: string): number {
  if (key.startsWith('under')) return Number.NEGATIVE_INFINITY;
  const number = /-?\d*\.?\d+/.exec(key)?.[0];
  return number === undefined ? Number.POSITIVE_INFINITY : Number(number) + (key.startsWith('over') ? 1e-9 : 0);
}

/** Sums over the fills of one group, micro-dollars, and the number of fills with each known. */
export type GroupSums = {
  fills: number;
  risk: number;
  spread: number;
  drift: number;
  luck: number;
  /** 0 or below. */
  commission: number;
  pnl: number;
  unpriced: number;
  unpricedPnl: number;
  /** Spread captured by all fills with a fair price, settled or not. */
  captured: number;
  clv: number;
  markout60s: number;
  markout300s: number;
  readonly known: { parts: number; captured: number; clv: number; markout60s: number; markout300s: number };
};

export const noSums = (): GroupSums => ({
  fills: 0,
  risk: 0,
  spread: 0,
  drift: 0,
  luck: 0,
  commission: 0,
  pnl: 0,
  unpriced: 0,
  unpricedPnl: 0,
  captured: 0,
  clv: 0,
  markout60s: 0,
  markout300s: 0,
  known: { parts: 0, captured: 0, clv: 0, markout60s: 0, markout300s: 0 },
});

const GROUP_MARKOUTS = [
  ['markout60s', 60],
  ['markout300s', 300],
] as const;

/**
 * Adds the markouts after the first `from` of MARKOUT_SECONDS. Markouts become known in order and are never
 * withdrawn.
 */
export function addMarkoutsToGroup(sums: GroupSums, fill: FillPrices, from: number, sign: 1 | -1 = 1): void {
  for (const [name, seconds] of GROUP_MARKOUTS) {
    const money = MARKOUT_SECONDS.indexOf(seconds) < from ? undefined : markoutOf(fill, seconds);
    if (money === undefined) continue;
    sums[name] += sign * money;
    sums.known[name] += sign;
  }
}

/** Adds a fill to the sums; `sign` −1 removes it again. */
export function addToGroup(sums: GroupSums, fill: FillPrices, sign: 1 | -1): void {
  const { known } = sums;
  sums.fills += sign;
  sums.risk += sign * fill.risk;
  const parts = identityOf(fill);
  if (parts !== undefined) {
    known.parts += sign;
    for (const part of IDENTITY_PARTS) sums[part] += sign * parts[part];
  } else if (fill.profit !== undefined) {
    sums.unpriced += sign;
    sums.unpricedPnl += sign * (fill.profit - fill.commission);
  }
  const captured = spreadOf(fill);
  if (captured !== undefined) {
    known.captured += sign;
    sums.captured += sign * captured;
  }
  const value = clvOf(fill);
  if (value !== undefined) {
    known.clv += sign;
    sums.clv += sign * value.money;
  }
  addMarkoutsToGroup(sums, fill, 0, sign);
}

function rowOf(key: string, { known, ...sums }: GroupSums): AttributionRow {
  const orNull = (count: number, money: number): number | null => (count === 0 ? null : dollars(money));
  const [spread, drift, commission, pnl] = [sums.spread, sums.drift, sums.commission, sums.pnl].map((sum) =>
    orNull(known.parts, sum),
  ) as [number | null, number | null, number | null, number | null];
  // the rest, to the cent: the parts sum to the P&L
  const luck =
    known.parts === 0
      ? null
      : Math.round(100 * ((pnl ?? 0) - (spread ?? 0) - (drift ?? 0) - (commission ?? 0))) / 100 + 0;
  return {
    key,
    fills: sums.fills,
    risk: dollars(sums.risk),
    spread,
    drift,
    luck,
    commission,
    pnl,
    unpriced: sums.unpriced,
    unpricedPnl: dollars(sums.unpricedPnl),
    clv: orNull(known.clv, sums.clv),
    markout60s: orNull(known.markout60s, sums.markout60s),
    markout300s: orNull(known.markout300s, sums.markout300s),
  };
}

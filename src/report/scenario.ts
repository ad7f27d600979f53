// Every figure of one scenario of a run, as `report --json` has it (DESIGN §6, "Outputs"): money in dollars, null where nobody
// can know.
import type { AttributionName, AttributionRow } from './attribution.ts';
import { ATTRIBUTIONS, attributionOf } from './attribution.ts';
import type { Interval, Luck, Scores } from './chance.ts';
import { intervalOf, LEAST_GAMES, luckOf, scoresOf } from './chance.ts';
import type { FillPrices, FillSums } from './fill-figures.ts';
import { MARKOUT_SECONDS, markoutOf, sumsOf } from './fill-figures.ts';
import type { FillModelFigures } from './fill-model-figures.ts';
import type { Inventory, Permits, Quoting } from './quoting.ts';
import { inventoryFigures, permitsOf, quotingOf } from './quoting.ts';
import type { ReportFill } from './report-fill.ts';
import { dollars, fine } from './rounding.ts';
import type { RunFacts } from './run-facts.ts';

export type ScenarioFigures = {
  readonly identity: {
    /** Null, as all parts: there are fills, and of none all parts are known. */
    readonly spread: number | null;
    readonly drift: number | null;
    readonly luck: number | null;
    /** 0 or below. */
    readonly commission: number | null;
    /** Of the fills of which all parts are known: their sum, to the cent. */
    readonly pnl: number | null;
    readonly fills: number;
    /** Spread captured of all fills with a fair price, settled or not. */
    readonly captured: number | null;
    /** Settled fills without a price, and what they brought; and those that are not settled. */
    readonly unpriced: number;
    readonly unpricedPnl: number;
    readonly open: number;
  };
  readonly clv: {
    readonly dollars: number | null;
    readonly points: number | null;
    readonly share: number | null;
    /** Fills with a close, which these are of; and those without. */
    readonly fills: number;
    readonly unknown: number;
  };
  /** `1s` … `300s`, `close`: dollars; `perPayout`: the same per dollar of payout. */
  readonly markouts: Readonly<Record<string, number | null>>;
  /** Identity and CLV by the prices of whoever prices markets outside, and how many fills have one. */
  readonly outside: { readonly fills: number } & Pick<ScenarioFigures, 'identity' | 'clv'>;
  readonly markoutsPerPayout: Readonly<Record<string, number | null>>;
  /** Fills after which the price went against the order: it had moved before (latency), or moved within a minute (pricing). */
  readonly pickedOff: {
    readonly latency: { readonly fills: number; readonly money60s: number };
    readonly pricing: { readonly fills: number; readonly money60s: number };
    readonly rest: { readonly fills: number; readonly money60s: number };
    /** Of which the price a minute later is not known. */
    readonly unknown: { readonly fills: number };
  };
  readonly attribution: Readonly<Record<AttributionName, readonly AttributionRow[]>>;
  readonly quoting: Quoting;
  readonly permits: Permits;
  readonly inventory: Inventory;
  readonly interval: Interval;
  readonly luck: Luck;
  readonly scores: Scores;
  /** Of the scenario that goes by one: `calibrated`. */
  readonly fillModel?: FillModelFigures;
  /** From daily results and only from 30 days with fills and 30 games on, a year having 365; null before. */
  readonly sharpe: number | null;
};

const LEAST_DAYS = 30;
/** A point of probability within five seconds. */
const MOVED = 0.01;

/** `seed`: of the bootstrap. */
export function scenarioFigures(facts: RunFacts, seed: number): ScenarioFigures {
  const { fills } = facts;
  const sums = sumsOf(fills);
  const { clv, markouts } = sums;
  const closes = fills.reduce((sum, { fc, payout }) => sum + (fc === undefined ? 0 : payout), 0);
  return {
    identity: identityFigures(sums),
    clv: clvFigures(sums),
    outside: outsideFigures(fills),
    markouts: {
      ...byMarkout(({ fills: of, money }) => known(of, dollars(money)), markouts),
      close: known(clv.fills, dollars(clv.money)),
    },
    markoutsPerPayout: {
      ...byMarkout(({ fills: of, money, payout }) => known(of, fine(money / payout)), markouts),
      close: known(clv.fills, fine(clv.money / Math.max(1, closes))),
    },
    pickedOff: pickedOff(fills),
    attribution: Object.fromEntries(ATTRIBUTIONS.map((by) => [by, attributionOf(fills, by)])) as Record<
      AttributionName,
      readonly AttributionRow[]
    >,
    quoting: quotingOf(facts),
    permits: permitsOf(facts),
    inventory: inventoryFigures(facts),
    interval: intervalOf(fills, seed),
    luck: luckOf(fills),
    scores: scoresOf(fills),
    sharpe: sharpeOf(fills),
  };
}

const known = (count: number, value: number): number | null => (count === 0 ? null : value);

function identityFigures({
  identity,
  unpriced,
  open,
  spread: captured,
}: FillSums): ScenarioFigures['identity'] {
  const counts = {
    ...{ fills: identity.fills, captured: known(captured.fills, dollars(captured.money)) },
    ...{ unpriced: unpriced.fills, unpricedPnl: dollars(unpriced.pnl), open },
  };
  if (identity.fills === 0 && unpriced.fills + open > 0)
    return { spread: null, drift: null, luck: null, commission: null, pnl: null, ...counts };
  // each to the cent, and so that they sum to it
  const [spread, drift, commission, pnl] = [
    identity.spread,
    identity.drift,
    identity.commission,
    identity.pnl,
  ].map(dollars) as [number, number, number, number];
  const luck = Math.round(100 * (pnl - spread - drift - commission)) / 100 + 0;
  return { spread, drift, luck, commission, pnl, ...counts };
}

const clvFigures = ({ clv, fills }: FillSums): ScenarioFigures['clv'] => ({
  dollars: known(clv.fills, dollars(clv.money)),
  points: known(clv.fills, fine(clv.points)),
  share: known(clv.fills, fine(clv.share)),
  fills: clv.fills,
  unknown: fills - clv.fills,
});

function outsideFigures(fills: readonly ReportFill[]): ScenarioFigures['outside'] {
  const sums = sumsOf(fills.map((fill) => ({ ...fill, f0: fill.outside?.f0, fc: fill.outside?.fc })));
  const priced = fills.filter(({ outside }) => (outside?.f0 ?? outside?.fc) !== undefined).length;
  return { fills: priced, identity: identityFigures(sums), clv: clvFigures(sums) };
}

type Markouts = FillSums['markouts'];

const byMarkout = (
  of: (one: Markouts[keyof Markouts]) => number | null,
  markouts: Markouts,
): Readonly<Record<string, number | null>> =>
  Object.fromEntries(MARKOUT_SECONDS.map((seconds) => [`${seconds}s`, of(markouts[seconds])]));

/**
 * REPORT.md, "One fill": the own fair price (what the strategy said, else the consensus) had moved against the order by a point
 * in the five seconds before it filled, or not.
 */
export function pickedOffOf(
  fill: FillPrices & Pick<ReportFill, 'past' | 'own'>,
): 'latency' | 'pricing' | 'rest' | 'unknown' {
  const { past, f0 } = fill.own?.past === undefined ? fill : fill.own;
  if (past !== undefined && f0 !== undefined && past - f0 >= MOVED) return 'latency';
  const after = markoutOf(fill, 60);
  return after === undefined ? 'unknown' : after < 0 ? 'pricing' : 'rest';
}

function pickedOff(fills: readonly ReportFill[]): ScenarioFigures['pickedOff'] {
  const groups = Map.groupBy(fills, pickedOffOf);
  const of = (name: 'latency' | 'pricing' | 'rest') => {
    const group = groups.get(name) ?? [];
    return {
      fills: group.length,
      money60s: dollars(group.reduce((sum, fill) => sum + (markoutOf(fill, 60) ?? 0), 0)),
    };
  };
  const unknown = { fills: groups.get('unknown')?.length ?? 0 };
  return { latency: of('latency'), pricing: of('pricing'), rest: of('rest'), unknown };
}

/** Of what each day brought, days without a fill among them; a year has 365 of them. Null: too few days with fills, or games. */
function sharpeOf(fills: readonly ReportFill[]): number | null {
  if (fills.length === 0 || fills.some(({ profit }) => profit === undefined)) return null;
  const days = dailyPnl(fills);
  const traded = new Set(fills.map(({ t }) => Math.floor(t / DAY_MS))).size;
  const games = new Set(fills.map(({ gameId }) => gameId)).size;
  if (traded < LEAST_DAYS || games < LEAST_GAMES) return null;
  const mean = days.reduce((sum, one) => sum + one.pnl, 0) / days.length;
  const variance = days.reduce((sum, one) => sum + (one.pnl - mean) ** 2, 0) / (days.length - 1);
  return variance === 0 ? null : fine((mean / Math.sqrt(variance)) * Math.sqrt(365));
}

const DAY_MS = 86_400_000;

/** By the UTC day of each fill, from the first to the last, micro-dollars; days without one are there. */
export function dailyPnl(
  fills: readonly ReportFill[],
): readonly { readonly day: string; readonly pnl: number; readonly clv: number }[] {
  const days = fills.map(({ t }) => Math.floor(t / DAY_MS));
  const [first, last] = days.reduce(
    ([a, b], day) => [Math.min(a, day), Math.max(b, day)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
  if (fills.length === 0) return [];
  const sums = Array.from({ length: last - first + 1 }, (_, index) => ({
    day: new Date((first + index) * DAY_MS).toISOString().slice(0, 10),
    pnl: 0,
    clv: 0,
  }));
  for (const [index, fill] of fills.entries()) {
    const sum = sums[(days[index] ?? first) - first];
    if (sum === undefined) continue;
    sum.pnl += (fill.profit ?? 0) - fill.commission;
    sum.clv += fill.fc === undefined ? 0 : Math.round(fill.payout * fill.fc - fill.risk);
  }
  return sums;
}

// Computes every figure of one scenario of a run, as `report --json` has it (docs/report.md): for each phase
// and for both together. Money is in dollars; a figure that cannot be known is null; `known` says how many
// fills each figure covers.
import type { Phase, Source } from '../domain/index.ts';
import { MARKOUT_SECONDS, PHASES, SOURCES, eachPhase, phaseOf } from '../domain/index.ts';
import type { AttributionName, AttributionRow } from './attribution.ts';
import { ATTRIBUTIONS, attributionOf } from './attribution.ts';
import type { Interval, Luck, Scores } from './chance.ts';
import { intervalOf, LEAST_GAMES, luckOf, scoresOf } from './chance.ts';
import type { FillPrices, FillSums, ByWeight } from './fill-figures.ts';
import { aboveByWeight, clvRatios, markoutOf, perPlaceOf, pointsByWeight, sumsOf } from './fill-figures.ts';
import type { FillModelFigures } from './fill-model-figures.ts';
import type { KnownFigures } from './known-figures.ts';
import { knownFigures } from './known-figures.ts';
import type { Inventory, Permits, Quoting } from './quoting.ts';
import { inventoryFigures, inventoryOfPhase, permitFigures, quotingOf } from './quoting.ts';
import type { RunFill } from './run-fill.ts';
import { dollars, fine } from './rounding.ts';
import type { RunFacts } from './run-facts.ts';
import { wholePhase } from './run-facts.ts';

export type IdentityFigures = {
  /** Dollars. This and all other parts are null when there are fills, but none has all parts known. */
  readonly spread: number | null;
  /** Drift to the close, dollars. In play: to the last price of the market. */
  readonly drift: number | null;
  readonly luck: number | null;
  /** Dollars, 0 or below. */
  readonly commission: number | null;
  /** Sum of the parts over the fills with all parts known, to the cent. */
  readonly pnl: number | null;
  readonly fills: number;
  /** Spread captured by all fills with a fair price, settled or not, dollars. */
  readonly captured: number | null;
  /** Number and P&L of settled fills without a price, and number of fills that are not settled. */
  readonly unpriced: number;
  readonly unpricedPnl: number;
  readonly open: number;
};

/** Closing line value of fills before the start. Fills in play have none: see `markouts` at 60 and 300 s. */
export type ClvFigures = {
  readonly dollars: number | null;
  /** Points and share weighted by payout; the `plain` ones count each fill once. */
  readonly points: number | null;
  readonly share: number | null;
  readonly plainPoints: number | null;
  readonly plainShare: number | null;
  /** Fills before the start with a close (the base of these figures), and without one. */
  readonly fills: number;
  readonly unknown: number;
};

/** Figures by the prices of one source. `fills`: how many have a price of it. */
export type SourceFigures = {
  readonly fills: number;
  readonly identity: IdentityFigures;
  readonly clv: ClvFigures;
};

export type SectionFigures = {
  readonly identity: IdentityFigures;
  readonly clv: ClvFigures;
  /**
   * Payout × (price − own price). The price is the close before the start, and the price 300 s later in play.
   */
  readonly edge: { readonly dollars: number | null; readonly perPlace: number | null };
  /** Means in points of price − own price, and the share above the close: by payout, by stake, and plain. */
  readonly byWeight: {
    readonly edge: ByWeight;
    readonly clv: ByWeight;
    readonly aboveClose: ByWeight;
    readonly markouts: Readonly<Record<string, ByWeight>>;
  };
  /** `1s` … `300s`, `close` (before the start): dollars. */
  readonly markouts: Readonly<Record<string, number | null>>;
  /** Markouts per dollar of payout, and as plain mean over fills. */
  readonly markoutsPerPayout: Readonly<Record<string, number | null>>;
  readonly plainMarkouts: Readonly<Record<string, number | null>>;
  /**
   * Identity and CLV by source of prices: `fair:` and `odds:` signals, and the `fair` of the intents (`own`).
   * `fills`: how many have a price of `fair` or `odds`.
   */
  readonly outside: { readonly fills: number } & Readonly<Record<Source, SourceFigures>>;
  /**
   * Fills after which the price went against the order: it had moved before (latency), or moved within a
   * minute (pricing).
   */
  readonly pickedOff: {
    readonly latency: PickedOffFigures;
    readonly pricing: PickedOffFigures;
    readonly rest: PickedOffFigures;
    /** Fills without a known price a minute later. */
    readonly unknown: { readonly fills: number };
  };
  readonly attribution: Readonly<Record<AttributionName, readonly AttributionRow[]>>;
  readonly quoting: Quoting;
  readonly permits: Permits;
  readonly inventory: Inventory;
  readonly interval: Interval;
  readonly luck: Luck;
  readonly scores: Scores;
  /** Sharpe ratio of daily results, a year having 365 days. Null under 30 days with fills or 30 games. */
  readonly sharpe: number | null;
  /** The number of fills and the share of the payout that each figure covers. */
  readonly known: KnownFigures;
};
/** `money60s`: dollars; null when no fill of the group has it known. */
type PickedOffFigures = { readonly fills: number; readonly money60s: number | null };

export type ScenarioFigures = {
  readonly phases: Readonly<Record<Phase, SectionFigures>>;
} & SectionFigures & {
    /** Present in the `calibrated` scenario, which uses a fill model. */
    readonly fillModel?: FillModelFigures;
  };

const LEAST_DAYS = 30;
/** A point of probability within five seconds. */
const MOVED = 0.01;

/** @param seed seed of the bootstrap */
export const scenarioFigures = (facts: RunFacts, seed: number): ScenarioFigures => ({
  phases: eachPhase((phase) => sectionsOf(facts, seed, phase)),
  ...sectionsOf(facts, seed),
});

/** Figures of one phase. Undefined phase: both together. */
function sectionsOf(facts: RunFacts, seed: number, phase?: Phase): SectionFigures {
  const fills = phase === undefined ? facts.fills : facts.fills.filter((fill) => phaseOf(fill) === phase);
  const { permits } = phase === undefined ? wholePhase(facts) : facts.phases[phase];
  const early = phase === 'inplay' ? 0 : facts.phases.prematch.permits.place;
  const sums = sumsOf(fills);
  const { clv, markouts, edge } = sums;
  const close = (value: number): number | null => known(clv.fills, value);
  const perPlace = perPlaceOf(permits.place, edge, sums);
  return {
    identity: identityFigures(sums),
    clv: clvFigures(sums),
    edge: {
      dollars: sums.fills === 0 ? 0 : known(edge.fills, dollars(edge.money)),
      perPlace: perPlace === null ? null : fine(perPlace),
    },
    byWeight: {
      edge: fineWeights(pointsByWeight(edge)),
      clv: fineWeights(pointsByWeight(clv)),
      aboveClose: fineWeights(aboveByWeight(clv)),
      markouts: byMarkout((sum) => fineWeights(pointsByWeight(sum)), markouts),
    },
    markouts: {
      ...byMarkout(({ fills: count, money }) => known(count, dollars(money)), markouts),
      close: close(dollars(clv.money)),
    },
    markoutsPerPayout: {
      ...byMarkout(({ money, payout }) => known(payout, fine(money / payout)), markouts),
      close: known(clv.payout, fine(clv.money / clv.payout)),
    },
    plainMarkouts: {
      ...byMarkout(({ fills: count, points }) => known(count, fine(points / count)), markouts),
      close: close(fine(clv.points / clv.fills)),
    },
    outside: outsideFigures(fills),
    pickedOff: pickedOff(fills),
    attribution: Object.fromEntries(ATTRIBUTIONS.map((by) => [by, attributionOf(fills, by)])) as Record<
      AttributionName,
      readonly AttributionRow[]
    >,
    quoting: quotingOf(facts, phase === undefined ? PHASES : [phase]),
    permits: permitFigures(permits, sums, early),
    inventory:
      phase === undefined ? inventoryFigures(facts) : inventoryOfPhase(facts, phase, isOnlyPhase(facts, phase)),
    interval: intervalOf(fills, seed),
    luck: luckOf(fills),
    scores: scoresOf(fills),
    sharpe: sharpeOf(fills),
    known: knownFigures(sums),
  };
}

/** True when nothing rested or filled in the other phase. */
const isOnlyPhase = ({ fills, phases }: RunFacts, phase: Phase): boolean =>
  PHASES.every((other) => other === phase || phases[other].orders.all === 0) &&
  fills.every((fill) => phaseOf(fill) === phase);

const fineOr = (value: number | null): number | null => (value === null ? null : fine(value));
const fineWeights = ({ payout, stake, plain }: ByWeight): ByWeight => ({
  payout: fineOr(payout),
  stake: fineOr(stake),
  plain: fineOr(plain),
});
const known = (count: number, value: number): number | null => (count === 0 ? null : value);

function identityFigures({ identity, unpriced, open, spread: captured }: FillSums): IdentityFigures {
  const counts = {
    fills: identity.fills,
    captured: known(captured.fills, dollars(captured.money)),
    unpriced: unpriced.fills,
    unpricedPnl: dollars(unpriced.pnl),
    open,
  };
  if (identity.fills === 0 && unpriced.fills + open > 0)
    return { spread: null, drift: null, luck: null, commission: null, pnl: null, ...counts };
  // each part is rounded to the cent, and luck is the rest: the parts sum to the P&L
  const [spread, drift, commission, pnl] = [identity.spread, identity.drift, identity.commission, identity.pnl].map(
    dollars,
  ) as [number, number, number, number];
  const luck = Math.round(100 * (pnl - spread - drift - commission)) / 100 + 0;
  return { spread, drift, luck, commission, pnl, ...counts };
}

function clvFigures({ clv, early }: FillSums): ClvFigures {
  const { points, share, plainPoints, plainShare } = clvRatios(clv);
  return {
    dollars: known(clv.fills, dollars(clv.money)),
    points: fineOr(points),
    share: fineOr(share),
    plainPoints: fineOr(plainPoints),
    plainShare: fineOr(plainShare),
    fills: clv.fills,
    unknown: early.fills - clv.fills,
  };
}

/** Figures of the fills at the prices of each source. */
function outsideFigures(fills: readonly RunFill[]): SectionFigures['outside'] {
  const isPriced = ({ outside }: RunFill): boolean =>
    Object.values(outside).some(({ f0, fc }) => f0 !== undefined || fc !== undefined);
  return {
    fills: fills.filter(isPriced).length,
    ...(Object.fromEntries(SOURCES.map((source) => [source, sourceFigures(fills, source)])) as Record<
      Source,
      SourceFigures
    >),
  };
}

function sourceFigures(fills: readonly RunFill[], source: Source): SourceFigures {
  const priced = fills.flatMap((fill) => {
    const { f0, fc } = (source === 'own' ? fill.own : fill.outside[source]) ?? {};
    return f0 === undefined && fc === undefined ? [] : [{ ...fill, f0, fc }];
  });
  const sums = sumsOf(priced);
  return { fills: priced.length, identity: identityFigures(sums), clv: clvFigures(sums) };
}

const byMarkout = <T>(
  figureOf: (sum: FillSums['markouts'][60]) => T,
  markouts: FillSums['markouts'],
): Readonly<Record<string, T>> =>
  Object.fromEntries(MARKOUT_SECONDS.map((seconds) => [`${seconds}s`, figureOf(markouts[seconds])]));

/**
 * Classifies a fill (figures.md, "One fill"). `latency`: the own fair price (that of the strategy, else the
 * consensus) moved against the order by a point in the five seconds before the fill. `pricing`: a minute
 * later it was worth less than it cost.
 */
export function pickedOffOf(
  fill: FillPrices & Pick<RunFill, 'past' | 'own'>,
): 'latency' | 'pricing' | 'rest' | 'unknown' {
  const { past, f0 } = fill.own?.past === undefined ? fill : fill.own;
  if (past !== undefined && f0 !== undefined && past - f0 >= MOVED) return 'latency';
  const after = markoutOf(fill, 60);
  return after === undefined ? 'unknown' : after < 0 ? 'pricing' : 'rest';
}

function pickedOff(fills: readonly RunFill[]): SectionFigures['pickedOff'] {
  const groups = Map.groupBy(fills, pickedOffOf);
  const figuresOf = (name: 'latency' | 'pricing' | 'rest') => {
    const group = groups.get(name) ?? [];
    const money = group.flatMap((fill) => markoutOf(fill, 60) ?? []);
    const isUnknown = group.length > 0 && money.length === 0;
    return {
      fills: group.length,
      money60s: isUnknown ? null : dollars(money.reduce((sum, amount) => sum + amount, 0)),
    };
  };
  const unknown = { fills: groups.get('unknown')?.length ?? 0 };
  return { latency: figuresOf('latency'), pricing: figuresOf('pricing'), rest: figuresOf('rest'), unknown };
}

/**
 * Sharpe ratio of the daily P&L, days without fills included. Null: too few days with fills, or too few
 * games.
 */
function sharpeOf(fills: readonly RunFill[]): number | null {
  if (fills.length === 0 || fills.some(({ profit }) => profit === undefined)) return null;
  const days = dailyPnl(fills);
  const traded = new Set(fills.map(({ t }) => Math.floor(t / DAY_MS))).size;
  const games = new Set(fills.map(({ gameId }) => gameId)).size;
  if (traded < LEAST_DAYS || games < LEAST_GAMES) return null;
  const mean = days.reduce((sum, day) => sum + day.pnl, 0) / days.length;
  const variance = days.reduce((sum, day) => sum + (day.pnl - mean) ** 2, 0) / (days.length - 1);
  return variance === 0 ? null : fine((mean / Math.sqrt(variance)) * Math.sqrt(365));
}

const DAY_MS = 86_400_000;

/**
 * P&L by the UTC day of the fill, micro-dollars, from the first day to the last, days without fills included.
 */
export function dailyPnl(fills: readonly RunFill[]): readonly { readonly day: string; readonly pnl: number }[] {
  const days = fills.map(({ t }) => Math.floor(t / DAY_MS));
  const [first, last] = days.reduce(
    ([a, b], day) => [Math.min(a, day), Math.max(b, day)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
  if (fills.length === 0) return [];
  const sums = Array.from({ length: last - first + 1 }, (_, index) => ({
    day: new Date((first + index) * DAY_MS).toISOString().slice(0, 10),
    pnl: 0,
  }));
  for (const [index, fill] of fills.entries()) {
    const sum = sums[(days[index] ?? first) - first];
    if (sum === undefined) continue;
    sum.pnl += (fill.profit ?? 0) - fill.commission;
  }
  return sums;
}

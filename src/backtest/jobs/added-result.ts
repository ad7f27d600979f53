// Adds the figures of two runs that follow each other. Figures that are no sums (shares, percentiles of waits,
// the drawdown) are made by scenario-sum.ts from what they are computed from.
import { cents } from '../../run/index.ts';
import type { MonthFigures, ScenarioResult } from '../result.ts';

type Edge = ScenarioResult['pnl']['edge'];
type Signals = ScenarioResult['signals'];

/** The result of no run. */
export const NO_RESULT: ScenarioResult = {
  fills: 0,
  riskFilled: 0,
  pnl: { marked: 0, edge: { fills: 0, atFill: 0, after60s: 0 }, maxDrawdown: 0, worst: 0 },
  strategies: {},
  orders: { placed: 0, edited: 0, cancelled: 0, refused: 0, refusals: {}, unknown: 0 },
  permits: { place: 0, cancel: 0, waitedMs: { p50: 0, p95: 0 } },
  http: {},
  intents: 0,
  quotedShare: 0,
  heldBack: {},
  heldWhy: {},
  idle: {},
  alerts: {},
  signals: null,
  openAtExit: 0,
  end: null,
};

export function addedResult(a: ScenarioResult, b: ScenarioResult): ScenarioResult {
  const fills = a.fills + b.fills;
  return {
    fills,
    riskFilled: cents(a.riskFilled + b.riskFilled),
    pnl: {
      marked: cents(a.pnl.marked + b.pnl.marked),
      ...addedSettled(a.pnl, b.pnl),
      edge: addedEdge(a.pnl.edge, b.pnl.edge, fills),
      maxDrawdown: Math.max(a.pnl.maxDrawdown, b.pnl.maxDrawdown),
      worst: Math.min(a.pnl.worst, b.pnl.worst),
    },
    strategies: addedStrategies(a.strategies, b.strategies),
    orders: {
      placed: a.orders.placed + b.orders.placed,
      edited: a.orders.edited + b.orders.edited,
      cancelled: a.orders.cancelled + b.orders.cancelled,
      refused: a.orders.refused + b.orders.refused,
      refusals: addedRefusals(a.orders.refusals, b.orders.refusals),
      unknown: a.orders.unknown + b.orders.unknown,
    },
    permits: {
      place: a.permits.place + b.permits.place,
      cancel: a.permits.cancel + b.permits.cancel,
      waitedMs: b.permits.waitedMs,
    },
    http: addedRecords(a.http, b.http),
    intents: a.intents + b.intents,
    quotedShare: b.quotedShare,
    heldBack: b.heldBack,
    heldWhy: { ...b.heldWhy, ...a.heldWhy },
    idle: addedRecords(a.idle, b.idle),
    alerts: Object.fromEntries(Object.entries(addedRecords(a.alerts, b.alerts)).sort(([x], [y]) => (x < y ? -1 : 1))),
    signals: addedSignals(a.signals, b.signals),
    openAtExit: a.openAtExit === null || b.openAtExit === null ? null : a.openAtExit + b.openAtExit,
    end: a.end !== null && a.end.exit !== 0 ? a.end : (b.end ?? a.end),
  };
}

export const noMonth = (month: string): MonthFigures => ({
  month,
  games: 0,
  fills: 0,
  riskFilled: 0,
  marked: 0,
  edge: NO_RESULT.pnl.edge,
});

export function addedMonth(sum: MonthFigures, games: number, { fills, riskFilled, pnl }: ScenarioResult): MonthFigures {
  const all = sum.fills + fills;
  return {
    month: sum.month,
    games: sum.games + games,
    fills: all,
    riskFilled: cents(sum.riskFilled + riskFilled),
    marked: cents(sum.marked + pnl.marked),
    ...(pnl.settled === undefined ? {} : { settled: cents((sum.settled ?? 0) + pnl.settled) }),
    edge: addedEdge(sum.edge, pnl.edge, all),
  };
}

/** Adds numbers by name. The names of `a` come first. */
export function addedRecords(
  a: Readonly<Record<string, number>>,
  b: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const sums: Record<string, number> = { ...a };
  for (const [name, value] of Object.entries(b)) sums[name] = (sums[name] ?? 0) + value;
  return sums;
}

/** Adds refusals by their code, with its first message. The most frequent comes first. */
function addedRefusals(
  a: ScenarioResult['orders']['refusals'],
  b: ScenarioResult['orders']['refusals'],
): ScenarioResult['orders']['refusals'] {
  const codeOf = (reason: string): string => reason.split(':', 1)[0] ?? '';
  const sums = new Map(Object.entries(a).map(([reason, count]) => [codeOf(reason), { reason, count }]));
  for (const [reason, count] of Object.entries(b)) {
    const known = sums.get(codeOf(reason));
    if (known === undefined) sums.set(codeOf(reason), { reason, count });
    else known.count += count;
  }
  const rows = [...sums.values()].sort((x, y) => y.count - x.count || (x.reason < y.reason ? -1 : 1));
  return Object.fromEntries(rows.map(({ reason, count }) => [reason, count]));
}

function addedSettled(
  a: ScenarioResult['pnl'],
  b: ScenarioResult['pnl'],
): Pick<ScenarioResult['pnl'], 'settled' | 'unsettled'> {
  if (b.settled === undefined) return {};
  const unsettled = [...new Set([...(a.unsettled ?? []), ...(b.unsettled ?? [])])].sort();
  return { settled: cents((a.settled ?? 0) + b.settled), unsettled };
}

/** `fills`: of both runs. Without any fill that has both prices the sums are not known. */
function addedEdge(a: Edge, b: Edge, fills: number): Edge {
  const priced = a.fills + b.fills;
  if (priced === 0 && fills > 0) return { fills: 0, atFill: null, after60s: null };
  return {
    fills: priced,
    atFill: cents((a.atFill ?? 0) + (b.atFill ?? 0)),
    after60s: cents((a.after60s ?? 0) + (b.after60s ?? 0)),
  };
}

function addedStrategies(a: ScenarioResult['strategies'], b: ScenarioResult['strategies']): typeof a {
  return Object.fromEntries(
    Object.entries(b).map(([id, next]) => {
      const sum = a[id];
      if (sum === undefined) return [id, next];
      const fills = sum.fills + next.fills;
      return [
        id,
        {
          fills,
          riskFilled: cents(sum.riskFilled + next.riskFilled),
          marked: cents(sum.marked + next.marked),
          ...(next.settled === undefined ? {} : { settled: cents((sum.settled ?? 0) + next.settled) }),
          edge: addedEdge(sum.edge, next.edge, fills),
        },
      ];
    }),
  );
}

/** Percentiles of ages are means of those of the runs, weighted by their reads. */
function addedSignals(a: Signals, b: Signals): Signals {
  if (a === null || b === null) return a ?? b;
  const reads = a.reads + b.reads;
  const mean = (name: 'p50Ms' | 'p95Ms'): number => Math.round((a[name] * a.reads + b[name] * b.reads) / reads);
  return { reads, p50Ms: mean('p50Ms'), p95Ms: mean('p95Ms'), lastMs: b.lastMs };
}

// The results of a backtest as CSV tables: over time, by fill, by market and by variation. Times are ISO,
// money is in dollars.
import type { Scenario } from '../report/index.ts';
import type { ScenarioRun } from './scenario-types.ts';
import { isoTime } from '../domain/index.ts';
import { failuresOf } from './strategy-failures.ts';
import { isId, plainField, textField } from '../table/index.ts';
import type { FillCell, FillColumn } from '../run/index.ts';
import { FILL_COLUMNS, fillCells, SERIES_COLUMNS, seriesRows } from '../run/index.ts';
import type { BacktestResult } from './result.ts';
import type { VariedRun } from './variations.ts';

type Runs = ReadonlyMap<Scenario, ScenarioRun>;
type Cell = string | number | undefined;

/**
 * The marked result over time, `time,pessimistic,…`: one row per point. The field of a scenario that ended
 * earlier is empty.
 */
export function curveCsv(runs: Runs): string {
  const times = [...new Set([...runs.values()].flatMap(({ equity }) => equity.map(({ t }) => t)))].sort(
    (a, b) => a - b,
  );
  const byTime = [...runs.values()].map(({ equity }) => new Map(equity.map(({ t, marked }) => [t, marked])));
  return csvOf(
    ['time', ...runs.keys()],
    times.map((t) => [isoTime(t), ...byTime.map((points) => points.get(t))]),
  );
}

/** The run of a backtest, as its references name it. */
const RUN = 'backtest';

export const fillsCsv = (runs: Runs): string =>
  csvOf(
    FILL_COLUMNS.map(({ name }) => name),
    [...runs].flatMap(([scenario, { fills }]) =>
      fills.map((fill) =>
        fillCells(scenario, { fill, run: RUN, isOwn: true }).map((cell, index) => textIn(FILL_COLUMNS[index], cell)),
      ),
    ),
  );

function textIn(column: FillColumn | undefined, cell: FillCell): Cell {
  if (typeof cell === 'boolean') return String(cell);
  if (typeof cell !== 'number') return cell;
  switch (column?.kind) {
    case 'time':
      return isoTime(cell);
    case 'money':
      return dollars(cell * 1e6);
    case 'price':
      return probability(cell);
    default:
      return cell;
  }
}

/**
 * Each order that came to rest. `queue_ahead`: the others' stake that was served before it at that time.
 * `fair`: the fair price of its side.
 */
export const ordersCsv = (runs: Runs): string =>
  csvOf(
    [
      ...['scenario', 'rested_from', 'rested_to', 'game', 'market', 'side', 'odds', 'probability', 'risk', 'filled'],
      ...['queue_ahead', 'fair', 'ended_as', 'reason', 'strategy', 'order'],
    ],
    rowsOf(runs, ({ orders }) =>
      (orders ?? []).map((order) => [
        ...[isoTime(Math.round(order.fromMs)), isoTime(Math.round(order.toMs))],
        ...[order.market.gameId, order.market.id, order.side, order.odds, probability(order.price)],
        ...[dollars(order.risk), dollars(order.filled), money(order.queuePlaced), probability(order.fair)],
        ...[order.end, order.reason, order.strategy, order.ref],
      ]),
    ),
  );

/** The series that strategies logged. */
export const seriesCsv = (runs: Runs): string =>
  csvOf(
    SERIES_COLUMNS.map(({ name }) => name),
    [...runs].flatMap(([scenario, { series }]) =>
      seriesRows(scenario, RUN, series).map((cells) =>
        cells.map((cell, index) => (SERIES_COLUMNS[index]?.kind === 'time' ? isoTime(Number(cell)) : cell)),
      ),
    ),
  );

/** Quotes and book of each quoted market over time, as probabilities of its first side. */
export const quotesCsv = (runs: Runs): string =>
  csvOf(
    ['scenario', 'time', 'market', 'fair', 'others_first', 'others_second', 'own_first', 'own_second'],
    rowsOf(runs, ({ quotes }) =>
      [...(quotes ?? [])].flatMap(([id, points]) =>
        points.map(({ t, fair, others, own }) => [
          isoTime(t),
          id,
          ...[fair, ...others, ...own].map((p) => probability(p ?? undefined)),
        ]),
      ),
    ),
  );

export const marketsCsv = (runs: Runs): string =>
  csvOf(
    [
      ...['scenario', 'game', 'event', 'market', 'fills', 'risk_filled', 'if_first', 'if_second'],
      ...['marked', 'settled', 'outcome'],
    ],
    rowsOf(runs, ({ markets }) =>
      markets.map(({ gameId, eventName, market, fills, riskFilled, position, marked, settled, outcome }) => [
        ...[gameId, eventName, market.id, fills, dollars(riskFilled)],
        ...[dollars(position.first), dollars(position.second), dollars(marked)],
        settled === undefined ? undefined : dollars(settled),
        outcome,
      ]),
    ),
  );

/** The result of each month in each scenario. */
export const monthsCsv = (scenarios: BacktestResult['scenarios']): string =>
  csvOf(
    ['scenario', 'month', 'games', 'fills', 'risk_filled', 'marked', 'settled', 'edge_at_fill', 'edge_60s'],
    Object.entries(scenarios).flatMap(([scenario, { months = [] }]) =>
      months.map(({ month, games, fills, riskFilled, marked, settled, edge }) => [
        ...[scenario, month, games, fills, riskFilled, marked, settled],
        ...[edge.atFill ?? undefined, edge.after60s ?? undefined],
      ]),
    ),
  );

/** One row for each scenario of each variation. `run` is the name of its folder. */
export function variationsCsv(rows: readonly VariedRun[]): string {
  const names = rows[0]?.variation.map(({ name }) => name) ?? [];
  return csvOf(
    [
      ...['run', ...names, 'scenario', 'fills', 'risk_filled', 'marked', 'settled', 'edge_at_fill', 'edge_60s'],
      ...['max_drawdown', 'worst', 'placed', 'edited', 'cancelled', 'refused', 'quoted', 'errors'],
    ],
    rows.flatMap(({ run, variation, result }) =>
      Object.entries(result.scenarios).map(([scenario, outcome]) => {
        const { fills, riskFilled, pnl, orders, quotedShare } = outcome;
        return [
          ...[run, ...variation.map(({ text }) => text), scenario, fills, riskFilled],
          ...[
            pnl.marked,
            pnl.settled,
            pnl.edge.atFill ?? undefined,
            pnl.edge.after60s ?? undefined,
            pnl.maxDrawdown,
            pnl.worst,
          ],
          ...[orders.placed, orders.edited, orders.cancelled, orders.refused, quotedShare, failuresOf(outcome)],
        ];
      }),
    ),
  );
}

const rowsOf = (runs: Runs, cells: (run: ScenarioRun) => readonly (readonly Cell[])[]): readonly Cell[][] =>
  [...runs].flatMap(([name, run]) => cells(run).map((row) => [name, ...row]));

const dollars = (micros: number): string => (Math.round(micros / 1e4) / 100 + 0).toFixed(2);
const money = (micros: number | undefined): string => (micros === undefined ? '' : dollars(micros));
const probability = (p: number | undefined): string => p?.toFixed(4) ?? '';

const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/;
/** Columns of free text: even a text that looks like a number is escaped as text. */
const TEXTS = new Set(['event', 'reason', 'name']);

export function csvOf(names: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const field = (cell: Cell, index: number): string => {
    if (typeof cell !== 'string') return cell === undefined ? '' : String(cell);
    const name = names[index] ?? '';
    const isPlain = isId(name) || (NUMBER.test(cell) && !TEXTS.has(name));
    return (isPlain ? plainField : textField)(cell);
  };
  const lines = [names.map(plainField), ...rows.map((row) => row.map(field))];
  return `${lines.map((line) => line.join(',')).join('\n')}\n`;
}

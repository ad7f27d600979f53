// The text that a backtest prints at its end.
import { aligned } from '../terminal/index.ts';
import { moneyText, printable } from '../domain/index.ts';
import type { BacktestResult, MeasuredTime, ScenarioResult, BacktestTiming, VariedRun } from '../backtest/index.ts';
import { SHOWN, firstOf, COMPLETED, FAILURES, TIME_TABLE } from '../backtest/index.ts';
import { heldText, idleText, LEAST_HELD, percent } from './summary.ts';

const money = (dollars: number): string => moneyText(dollars);

/** The reasons of refused orders with their counts. Undefined when none was refused. */
function refusalsText(refusals: Readonly<Record<string, number>>): string | undefined {
  const all = Object.entries(refusals).map(
    ([reason, count]) => `${reason.replace(/:.*$/su, '')} ${count.toLocaleString('en')}`,
  );
  return all.length === 0 ? undefined : all.slice(0, MAX_REASONS).join(', ');
}

/** The edge of a scenario; with the number of priced fills where some fills had no price. */
function edgeText({ fills, pnl: { edge } }: ScenarioResult, moment: 'atFill' | 'after60s'): string {
  const value = edge[moment];
  return value === null ? 'not known' : `${money(value)}${edge.fills < fills ? ` of ${edge.fills}` : ''}`;
}

/** A row of the table, or none when all its cells are undefined. */
const optionalRow = (
  name: string,
  cells: readonly (string | undefined)[],
): readonly (readonly [string, ...string[]])[] =>
  cells.every((cell) => cell === undefined) ? [] : [[name, ...cells.map((cell) => cell ?? '')]];

/** One row a strategy with its result, where there are several strategies. */
function strategyRows(runs: readonly ScenarioResult[]): readonly (readonly [string, ...string[]])[] {
  const ids = Object.keys(runs[0]?.strategies ?? {});
  if (ids.length < 2) return [];
  return ids.map((id) => [
    `  ${id}`,
    ...runs.map(({ strategies }) => {
      const { marked = 0, fills = 0 } = strategies[id] ?? {};
      return `${money(marked)} in ${fills} ${fills === 1 ? 'fill' : 'fills'}`;
    }),
  ]);
}

/** One row a month with its result, settled where it can be, where there are several months. */
function monthRows(runs: readonly ScenarioResult[]): readonly (readonly [string, ...string[]])[] {
  const months = runs[0]?.months ?? [];
  if (months.length < 2) return [];
  return months.map(({ month }) => [
    `  ${month}`,
    ...runs.map((run) => {
      const { settled, marked = 0, fills = 0 } = run.months?.find((row) => row.month === month) ?? {};
      return `${money(settled ?? marked)} in ${fills} ${fills === 1 ? 'fill' : 'fills'}`;
    }),
  ]);
}

/** The jobs of a backtest, in a line. */
function jobsText(jobs: BacktestResult['jobs']): readonly string[] {
  if (jobs === undefined) return [];
  const { independent, played } = jobs;
  const games = played.reduce((sum, job) => sum + job.games, 0).toLocaleString('en');
  return [
    independent
      ? `${games} games, played independently: windows, credit and limits are not shared`
      : `${games} games on ${played.length.toLocaleString('en')} days, each day played by a new bot`,
  ];
}

/** The scenarios side by side. */
export function tableOf(
  { scenarios, frames, inputs, jobs }: BacktestResult,
  { ms, scenarios: timings }: BacktestTiming,
  written: string,
  measured: readonly MeasuredTime[] = [],
): string {
  const names = SHOWN.filter((name) => scenarios[name] !== undefined);
  const runs = names.flatMap((name) => scenarios[name] ?? []);
  const rows: readonly (readonly [string, ...string[]])[] = [
    ['', ...names],
    ['fills', ...runs.map(({ fills }) => String(fills))],
    ['risk filled', ...runs.map(({ riskFilled }) => money(riskFilled))],
    ['pnl marked', ...runs.map(({ pnl }) => money(pnl.marked))],
    ...strategyRows(runs),
    ...optionalRow(
      'pnl settled',
      // without any score nothing is settled
      runs.map(({ pnl: { settled, unsettled = [] } }) =>
        settled === undefined ? undefined : settled === 0 && unsettled.length > 0 ? '–' : money(settled),
      ),
    ),
    ...monthRows(runs),
    ['edge at fill', ...runs.map((run) => edgeText(run, 'atFill'))],
    ['edge 60 s later', ...runs.map((run) => edgeText(run, 'after60s'))],
    ['max drawdown', ...runs.map(({ pnl }) => money(pnl.maxDrawdown))],
    ['worst case', ...runs.map(({ pnl }) => money(pnl.worst))],
    ['placed', ...runs.map(({ orders }) => String(orders.placed))],
    ['edited', ...runs.map(({ orders }) => String(orders.edited))],
    ['cancelled', ...runs.map(({ orders }) => String(orders.cancelled))],
    ['refused', ...runs.map(({ orders }) => String(orders.refused))],
    ...optionalRow(
      '  because of',
      runs.map(({ orders }) => refusalsText(orders.refusals)),
    ),
    ['requests', ...runs.map(({ permits }) => `${permits.place} place, ${permits.cancel} cancel`)],
    ['waited', ...runs.map(({ permits: { waitedMs } }) => `p50 ${waitedMs.p50} ms, p95 ${waitedMs.p95} ms`)],
    ['quoted', ...runs.map(({ quotedShare }) => percent(quotedShare))],
    ...optionalRow(
      'held back',
      runs.map(({ heldBack }) => heldText(heldBack)),
    ),
    ...optionalRow(
      'no quote',
      runs.map(({ idle }) => idleText(idle)),
    ),
  ];
  return [
    ...aligned(rows),
    '',
    ...(names.length > 1 && !names.includes('optimistic') ? [MORE_SCENARIOS] : []),
    `${frames.toLocaleString('en')} frames in ${inputs.tapes.length} ${inputs.tapes.length === 1 ? 'tape' : 'tapes'}, ${(ms / 1000).toFixed(1)} s in all, ${timings.map(({ framesPerSecond }) => framesPerSecond.toLocaleString('en')).join(' / ')} frames/s`,
    ...jobsText(jobs),
    ...remarksOf({ scenarios, inputs }),
    ...measured.map(measuredText),
    ...calibrationText(inputs),
    `written to ${written}`,
    '',
  ]
    .map(printable)
    .join('\n');
}

/** How to get the scenario that is not played by default. */
const MORE_SCENARIOS = '--fills all adds optimistic: had all that vanished been taken';

/** The commission of the exchange as a share of winnings, 0 to 1. */
function shareOf(config: unknown): number {
  const { commission } = config as { readonly commission?: { readonly share?: unknown } };
  return typeof commission?.share === 'number' ? commission.share : 0;
}

const measuredText = ({ strategy, inputs, p50, p99, most }: MeasuredTime): string =>
  `strategy ${strategy} took ${timeText(p50)} (p50), ${timeText(p99)} (p99), at most ${timeText(most)} for each of ${inputs.toLocaleString('en')} inputs`;
const timeText = (microseconds: number): string =>
  microseconds < 1000 ? `${microseconds} µs` : `${(microseconds / 1000).toFixed(1)} ms`;

/** What strategies cost in virtual time. */
function strategyTimeText({ strategyLatency }: BacktestResult['inputs']): readonly string[] {
  if (strategyLatency === undefined) return [];
  return strategyLatency === 'measured'
    ? [
        `strategies took the time that was measured; --strategy-latency with the ${TIME_TABLE} of this folder repeats it`,
      ]
    : [`strategies took ${strategyLatency} for each input`];
}

/** Remarks on the scenarios of a result, beside its figures. */
function remarksOf({ scenarios, inputs }: Pick<BacktestResult, 'scenarios' | 'inputs'>): readonly string[] {
  const runs = Object.values(scenarios);
  const abnormalEnds = runs.flatMap(({ end }) => (end !== null && end.exit !== 0 ? [end] : []));
  const unsettled = [...new Set(runs.flatMap(({ pnl }) => pnl.unsettled ?? []))];
  const skipped = inputs.tapes.reduce((sum, tape) => sum + tape.skipped, 0);
  const impureFiles = inputs.strategies.flatMap(({ file, impure: is }) => (is ? [file] : []));
  const refusals = new Map<string, number>();
  for (const { orders } of runs)
    for (const [reason, count] of Object.entries(orders.refusals))
      refusals.set(reason, Math.max(count, refusals.get(reason) ?? 0));
  const held = runs.flatMap(({ heldBack, heldWhy }) =>
    Object.entries(heldWhy).flatMap(([control, why]) =>
      (heldBack[control] ?? 0) >= LEAST_HELD ? [`${control}: ${why}`] : [],
    ),
  );
  return [
    ...[...refusals].slice(0, MAX_REASONS).map(([reason, count]) => `refused, up to ${count}×: ${reason}`),
    ...[...new Map(held.map((text) => [text.slice(0, text.indexOf(':')), text])).values()].map(
      (text) => `held back by ${text}`,
    ),
    ...strategyTimeText(inputs),
    ...(impureFiles.length > 0 ? [`impure, as the YAML says: two runs may differ: ${impureFiles.join(', ')}`] : []),
    ...(shareOf(inputs.config) > 0
      ? ['marked results, their curve and drawdown are before commission of what is not settled']
      : []),
    ...(skipped > 0 ? [`${skipped} ${skipped === 1 ? 'line' : 'lines'} left out`] : []),
    ...(unsettled.length > 0
      ? [
          `no result decides all fills of ${unsettled.length === 1 ? 'a game' : `${unsettled.length} games`}: ${unsettled.slice(0, 3).join(', ')}${unsettled.length > 3 ? ', …' : ''}; "pnl settled" leaves those out`,
        ]
      : []),
    ...abnormalEnds.map(({ exit, reason }) => `ended early with exit ${exit}: ${reason}`),
    ...failedText(runs),
    ...completedText(runs),
    ...(runs.every(({ intents }) => intents === 0)
      ? ['no strategy ever quoted: are markets.leagues, types, live and stopBefore those of the tape?']
      : []),
  ];
}

/** Groups equal texts: each text with the distinct runs that it is about. */
function groupedByText(
  entries: readonly { readonly text: string; readonly of: string }[],
): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, Set<string>>();
  for (const { text, of: owner } of entries) {
    const known = all.get(text);
    if (known === undefined) all.set(text, new Set([owner]));
    else known.add(owner);
  }
  return new Map([...all].map(([text, owners]) => [text, [...owners]]));
}

/** Refusal reasons that are shown; result.json has all. */
const MAX_REASONS = 5;
const MAX_LINES = 20;

/** The error lines of strategies. `run` is empty where there is only one run. */
export function errorLines(
  errors: readonly { readonly run: string; readonly where: string; readonly text: string }[],
): readonly string[] {
  if (errors.every(({ run }) => run === '')) return errors.map(({ where, text }) => `${where}: ${text}`);
  const all = [...groupedByText(errors.map(({ where, text }) => ({ text, of: where })))];
  return [
    ...all.slice(0, MAX_LINES).map(([text, runs]) => `${firstOf(runs)}: ${text}`),
    ...(all.length > MAX_LINES
      ? [`and ${all.length - MAX_LINES} more; variations.csv counts the errors of each run`]
      : []),
  ];
}

/** One row a variation: the calibrated scenario, or the only one, with the range over the others. */
export function variationsTable(rows: readonly VariedRun[], written: string): string {
  const [first] = rows;
  const names = SHOWN.filter((name) => first?.result.scenarios[name] !== undefined);
  const [shownScenario] = names;
  const isSettled = rows.every(({ result }) => isSettledIn(result));
  const heads = ['fills', 'pnl marked', ...(isSettled ? ['pnl settled'] : [])];
  const cells = rows.flatMap(({ run, variation, result: { scenarios } }) => {
    const result = shownScenario && scenarios[shownScenario];
    if (result === undefined) return [];
    const all = names.flatMap((name) => scenarios[name] ?? []);
    const spread = (pick: (scenario: ScenarioResult) => number, text: (value: number) => string): string => {
      const values = all.map(pick);
      const ends = `${text(Math.min(...values))} to ${text(Math.max(...values))}`;
      return `${text(pick(result))}${all.length > 1 ? ` (${ends})` : ''}`;
    };
    return [
      [
        ...[run, ...variation.map(({ text }) => text)],
        spread(({ fills }) => fills, String),
        spread(({ pnl }) => pnl.marked, money),
        ...(isSettled ? [spread(({ pnl }) => pnl.settled ?? 0, money)] : []),
        ...[edgeText(result, 'after60s'), money(result.pnl.maxDrawdown), percent(result.quotedShare)],
      ],
    ];
  });
  const settings = first?.variation.map(({ name }) => name) ?? [];
  const header = ['run', ...settings, ...heads, 'edge 60 s later', 'max drawdown', 'quoted'];
  const note = names.length > 1 ? [`${shownScenario}; in brackets from the least to the most of the scenarios`] : [];
  const remarks = groupedByText(
    rows.flatMap(({ run, result }) => remarksOf(result).map((text) => ({ text, of: run }))),
  );
  return [
    ...[...aligned([header, ...cells]), '', ...note],
    ...[...remarks].map(([text, runs]) => (runs.length === rows.length ? text : `run ${firstOf(runs)}: ${text}`)),
    ...[`written to ${written}`, ''],
  ]
    .map(printable)
    .join('\n');
}

/** Every scenario of the result was settled by scores. */
const isSettledIn = ({ scenarios }: BacktestResult): boolean =>
  Object.values(scenarios).every(({ pnl }) => pnl.settled !== undefined);

function failedText(runs: readonly ScenarioResult[]): readonly string[] {
  const codes = FAILURES.filter((code) => runs.some(({ alerts }) => alerts[code] !== undefined));
  if (codes.length === 0) return [];
  return [`${codes.join(', ')}: what failed quoted nothing from there on, so the figures are of less than the tapes`];
}

function completedText(runs: readonly ScenarioResult[]): readonly string[] {
  const times = Math.max(...runs.map(({ alerts }) => alerts[COMPLETED] ?? 0));
  if (times === 0) return [];
  return [
    `${COMPLETED} ${times === 1 ? 'once' : `${times} times`}: intents ended while a market was quoted, and nothing was quoted there any more`,
  ];
}

/** A calibration within this share of the filled risk counts as a match. */
const FAR_OFF = 0.05;

function calibrationText({ calibratedBy, fillModel }: BacktestResult['inputs']): readonly string[] {
  if (calibratedBy === null || fillModel === null) return [];
  const { lean } = fillModel;
  const { riskFilled, backtested, backtestedFills, fills } = calibratedBy;
  const recorded = `the run had ${fills} ${fills === 1 ? 'fill' : 'fills'} for ${money(riskFilled)}`;
  const summary = `fill model with a lean of ${lean}: ${recorded}, the backtest ${backtestedFills} for ${money(backtested)}`;
  const isFarOff = Math.abs(backtested - riskFilled) > FAR_OFF * riskFilled;
  if (lean === 1 && backtested < riskFilled)
    return [
      `${summary}; the run was filled more than a tape can show, as quotes between the others' offers are: read "calibrated" as too low`,
    ];
  if (!isFarOff) return [summary, 'on other tapes: --fill-model with the fill-model.json of this folder'];
  return [`${summary}; no lean comes nearer: are these the tapes of that run, its configuration and latency?`];
}

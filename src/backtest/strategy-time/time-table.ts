// `strategy-latency.csv`: how long strategies took for each input of a measured run. With it another backtest
// repeats the run, byte for byte.
import type { Scenario } from '../../report/index.ts';
import { SCENARIOS } from '../../report/index.ts';
import { OddsmakerError } from '../../domain/index.ts';
import { plainField, readCsv, textField } from '../../table/index.ts';
import type { RecordedTimes } from './strategy-times.ts';

export const TIME_TABLE = 'strategy-latency.csv';
const NAMES = ['scenario', 'part', 'seq', 'strategy', 'microseconds'] as const;

/** The times of all runs of a table. */
export type StrategyTimeTables = {
  readonly kind: 'tables';
  readonly file: string;
  readonly tables: readonly { readonly scenario: Scenario; readonly times: RecordedTimes }[];
};

/** `runs`: each with what was measured, if anything. */
export function timeTableCsv(
  runs: ReadonlyMap<Scenario, { readonly strategyTimes?: RecordedTimes | undefined }>,
): string {
  const lines: string[] = [NAMES.join(',')];
  for (const [scenario, { strategyTimes }] of runs) {
    if (strategyTimes === undefined) continue;
    const { part, strategies, rows } = strategyTimes;
    const begin = `${scenario},${textField(part)}`;
    const names = strategies.map((name) => plainField(name));
    for (let row = 0; row < rows.length; row += 3)
      lines.push(`${begin},${rows[row]},${names[rows[row + 1] ?? 0]},${rows[row + 2]}`);
  }
  return `${lines.join('\n')}\n`;
}

/** What strategies took for an input, microseconds: the median, the 99th percentile and the most. */
export type MeasuredTime = {
  readonly strategy: string;
  readonly inputs: number;
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
};

/** The times of each strategy in a table that `timeTableCsv` made, over all its runs. */
export function measuredTimesIn(csv: string): readonly MeasuredTime[] {
  const times = new Map<string, number[]>();
  // a part may contain commas: the last two fields do not
  for (const [, strategy = '', microseconds] of csv.matchAll(/,\d+,([^,\n]*),(\d+)$/gm)) {
    const known = times.get(strategy);
    if (known === undefined) times.set(strategy, [Number(microseconds)]);
    else known.push(Number(microseconds));
  }
  return [...times].map(([strategy, unsorted]) => {
    const sorted = unsorted.sort((a, b) => a - b);
    const quantile = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
    return { strategy, inputs: sorted.length, p50: quantile(0.5), p99: quantile(0.99), most: sorted.at(-1) ?? 0 };
  });
}

/** @throws OddsmakerError TABLE_INVALID, with file and line */
export async function readTimeTable(file: string): Promise<StrategyTimeTables> {
  const runs = new Map<string, { scenario: Scenario; times: OpenTimes }>();
  let line = 0;
  let run: { scenario: Scenario; times: OpenTimes } | undefined;
  for await (const [scenario = '', part = '', seq = '', strategy = '', microseconds = ''] of readCsv(file)) {
    line += 1;
    if (line === 1) {
      const found = [scenario, part, seq, strategy, microseconds].join(',');
      if (found !== NAMES.join(','))
        throw invalid(file, line, `expected the columns ${NAMES.join(', ')}, as a run with measured writes them`);
      continue;
    }
    const known = SCENARIOS.find((name) => name === scenario);
    if (known === undefined) throw invalid(file, line, `expected a scenario: ${SCENARIOS.join(', ')}`);
    const [step, time] = [wholeIn(seq), wholeIn(microseconds)];
    if (step === undefined || step === 0) throw invalid(file, line, 'seq: expected the number of a step, from 1');
    if (time === undefined) throw invalid(file, line, 'microseconds: expected a whole number, 0 or more');
    if (strategy === '') throw invalid(file, line, 'strategy: expected the id of a strategy');
    if (run?.scenario !== known || run.times.part !== part) {
      const key = `${known} ${part}`;
      run = runs.get(key) ?? { scenario: known, times: { part, strategies: [], rows: [] } };
      runs.set(key, run);
    }
    const { strategies, rows } = run.times;
    if (step < (rows.at(-3) ?? 0)) throw invalid(file, line, 'seq: its step comes before that of the row above');
    let index = strategies.indexOf(strategy);
    if (index < 0) index = strategies.push(strategy) - 1;
    rows.push(step, index, time);
  }
  if (line === 0) throw invalid(file, 1, 'the file is empty');
  return { kind: 'tables', file, tables: [...runs.values()] };
}

type OpenTimes = { readonly part: string; readonly strategies: string[]; readonly rows: number[] };

const wholeIn = (text: string): number | undefined => (/^\d{1,12}$/.test(text) ? Number(text) : undefined);

const invalid = (file: string, line: number, problem: string): OddsmakerError =>
  new OddsmakerError('TABLE_INVALID', `${file}:${line}: ${problem}`);

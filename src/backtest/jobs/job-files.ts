// The tables of a backtest in jobs. The thread that played a job makes its rows, and they are appended to drafts
// job after job, so only one job is in memory at a time.
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scenario } from '../../report/index.ts';
import { FACTS_FILE, FACTS_IN_PARTS, packFactsPart } from '../../report/index.ts';
import { clvSum, drawnSeries, thinned } from '../../run/index.ts';
import { fillsCsv, marketsCsv, ordersCsv, quotesCsv, seriesCsv } from '../csv.ts';
import type { Draft } from '../out.ts';
import type { ScenarioDone } from '../scenario-run.ts';
import type { ScenarioRun } from '../scenario-types.ts';
import { TIME_TABLE, timeTableCsv } from '../strategy-time/time-table.ts';

const TABLES = {
  'fills.csv': fillsCsv,
  'markets.csv': marketsCsv,
  'orders.csv': ordersCsv,
  'quotes.csv': quotesCsv,
  [TIME_TABLE]: timeTableCsv,
  'series.csv': seriesCsv,
} as const;
type TableName = keyof typeof TABLES;
const NAMES = Object.keys(TABLES) as TableName[];
/** The most points of the curve of a job. */
const MOST_POINTS = 400;

/** The rows of a job in each table, as UTF-8. */
export type JobTables = Readonly<Record<TableName, Uint8Array>>;
/** The result of a job in a scenario, as it is kept until the end. */
export type StoredResult = {
  /** The balance at the start of the run, dollars. */
  readonly balance: number;
  /** How long it took. */
  readonly ms: number;
  /** Without fills, markets, orders and quotes: these are in `tables` and `fills`. */
  readonly done: ScenarioDone;
  /** Rows of the tables, without their heads. */
  readonly tables: JobTables;
  /** The fills as a part of `report-facts.bin`. */
  readonly fills: Uint8Array;
  /** Number of fills in the busiest market. */
  readonly busiestFills: number;
  /** Closing line value, dollars. Null: no fill has a close. */
  readonly clv: number | null;
  /**
   * What the run brought to the account, micro-dollars: markets that a result decides after commission, all
   * others as they are marked at its end.
   */
  readonly brought: number;
};

/** The drafts of the tables, and of `report-facts.bin` with the fills only. */
export type JobDrafts = Readonly<Record<TableName | typeof FACTS_FILE, Draft>>;

const forEachTable = <Value>(valueOf: (name: TableName) => Value): Readonly<Record<TableName, Value>> => ({
  'fills.csv': valueOf('fills.csv'),
  'markets.csv': valueOf('markets.csv'),
  'orders.csv': valueOf('orders.csv'),
  'quotes.csv': valueOf('quotes.csv'),
  [TIME_TABLE]: valueOf(TIME_TABLE),
  'series.csv': valueOf('series.csv'),
});

/** What is summed of the fills and markets of a run. */
export function summedOf({
  fills,
  markets,
  busiest,
}: ScenarioRun): Pick<StoredResult, 'busiestFills' | 'clv' | 'brought'> {
  const busiestId = busiest?.market.id;
  return {
    busiestFills: fills.reduce((count, { market }) => (market.id === busiestId ? count + 1 : count), 0),
    clv: clvSum(fills),
    brought: markets.reduce((sum, { settled, marked }) => sum + (settled ?? marked), 0),
  };
}

/** Splits a run into what is summed and what is appended to files. */
export function splitRun(
  scenario: Scenario,
  run: ScenarioRun,
): Pick<StoredResult, 'tables' | 'fills' | 'busiestFills' | 'clv' | 'brought'> & { readonly run: ScenarioRun } {
  const { fills, facts } = run;
  const runs = new Map([[scenario, run]]);
  const curve = thinned(facts.curve, MOST_POINTS);
  // the table has all of each series
  const { series } = drawnSeries(run.series, run.paths);
  const none = { fills: [], markets: [], orders: undefined, quotes: undefined, series, strategyTimes: undefined };
  return {
    run: { ...run, ...none, equity: curve, facts: { ...facts, fills: [], curve } },
    tables: forEachTable((name) => {
      const text = TABLES[name](runs);
      return Buffer.from(text.slice(text.indexOf('\n') + 1));
    }),
    fills: packFactsPart({ scenario, fills }),
    ...summedOf(run),
  };
}

export class JobFiles {
  readonly drafts: JobDrafts;

  /** `folder`: for the drafts. */
  constructor(folder: string) {
    const draft = (name: string): Draft => ({ draft: join(folder, name) });
    this.drafts = { ...forEachTable(draft), [FACTS_FILE]: draft(FACTS_FILE) };
    // the heads of the tables
    for (const name of NAMES) writeFileSync(this.drafts[name].draft, TABLES[name](new Map()));
    writeFileSync(this.drafts[FACTS_FILE].draft, FACTS_IN_PARTS);
  }

  add({ tables, fills }: Pick<StoredResult, 'tables' | 'fills'>): void {
    for (const name of NAMES) appendFileSync(this.drafts[name].draft, tables[name]);
    appendFileSync(this.drafts[FACTS_FILE].draft, fills);
  }
}

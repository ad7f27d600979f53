// `oddsmaker export`: what runs and tapes hold, as tables for analysis.
import { SCENARIOS, journalOf } from '../report/index.ts';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { Option } from 'commander';
import { EXIT, OddsmakerError } from '../domain/index.ts';
import { headerOf, partsOf, unpackedChunks, unpackedLines, journalsIn } from '../journal/index.ts';
import type { Column, Row, TableWriter } from '../table/index.ts';
import { csvTable, jsonTable, parquetTable, typedCsv } from '../table/index.ts';
import type { BookSource, RunLedger } from '../export/index.ts';
import {
  BOOK_COLUMNS,
  bookRows,
  EVENT_COLUMNS,
  FILL_TABLE,
  fillRows,
  heldMarks,
  writeEvents,
  MARK_COLUMNS,
  restedRows,
  markRows,
  ledgerOf,
  SERIES_TABLE,
  seriesOf,
  TABLES,
} from '../export/index.ts';
import { wholeNumber } from './flags.ts';
import { unlessInterrupted } from './interrupted.ts';
import { refuseInput } from './out-file.ts';
import { LiveLine } from '../terminal/index.ts';
import { tapeFilesOf } from '../tape/index.ts';

const LEVELS = 5;

const HELP = `
SOURCE is a folder that \`backtest --out\` wrote, a journal, a folder of journals (all of them), or a tape or folder of
tapes.

fills     one row per fill: price, fair price then and at the close, markouts, phase, result; the columns of fills.csv
orders    one row per submitted order: why, when, the answer, what filled, how it ended
quotes    one row per order that rested: from when to when, at which price, and the stake ahead of it
marks     one row when the others' price of a market changes (without own offers), with the position and its value, once a minute
books     one row per price level of a side that changed, --levels at most; a row of level 0 for an empty side
events    one row per event of a journal, its fields as JSON (docs/reference/events.md)
series    one row per value that a strategy logged with log.series

Tapes have marks and books. Fills, orders, quotes, series and positions come from the events of a journal. A journal of
format 1 (before 0.3) is replayed: only export those that you trust (replay --help). For a backtest, fills and series come
from its tables, orders and quotes from its journals (backtest --journal), one per scenario. Without journals, orders and
quotes are the orders that rested (backtest --orders), with the same columns and empty cells for the rest. Times are UTC,
money is in dollars. Probabilities are of the side; in marks, of the market's first side (home, over). docs/export.md has
every column. The file is written with its columns even when there are no rows.

Exit:  0 done; 2 a wrong command line; 65 the source cannot be read, or not to its end, or does not have that; 78 --out
       cannot be written.

Examples:
  oddsmaker export results --what fills --format parquet --out fills.parquet
  oddsmaker export data/journal --what quotes --format csv --out quotes.csv
  oddsmaker export data/journal --what events --format jsonl --out events.jsonl
  oddsmaker export tapes --what books --levels 1 --format parquet --out best.parquet
`;

const WHAT = ['fills', 'orders', 'quotes', 'marks', 'books', 'events', 'series'] as const;
const FORMATS = { parquet: parquetTable, csv: csvTable, jsonl: jsonTable } as const;
type What = (typeof WHAT)[number];
type Flags = {
  readonly what: What;
  readonly format: keyof typeof FORMATS;
  readonly out: string;
  readonly levels: number;
};

export function registerExport(command: Command, finish: (code: number) => void): void {
  command
    .description('Writes what runs and tapes hold as a table, for analysis.')
    .argument('<source>', 'results of a backtest, a journal, a tape, or a folder of these')
    .addOption(new Option('--what <what>', 'content of the rows').choices(WHAT).makeOptionMandatory())
    .addOption(
      new Option('--format <format>', 'format of the file').choices(Object.keys(FORMATS)).makeOptionMandatory(),
    )
    .requiredOption('--out <file>', 'the file to write')
    .option('--levels <n>', 'price levels of a side at most, for books', wholeNumber(1, 1000), LEVELS)
    .addHelpText('after', HELP)
    .action(async (source: string, flags: Flags) => {
      finish(
        await unlessInterrupted(
          () => 'nothing was written',
          () => exportFrom(source, flags),
        ),
      );
    });
}

type Rows = {
  readonly columns: readonly Column[];
  readonly rows: AsyncIterable<Row> | Iterable<Row>;
};

async function exportFrom(source: string, flags: Flags): Promise<number> {
  const { what, format, out } = flags;
  const problems: string[] = [];
  const note = (problem: string): void => {
    problems.push(problem);
    process.stderr.write(`oddsmaker: ${problem}\n`);
  };
  refuseInput(out, [source]);
  const { columns, rows } = await rowsOf(source, flags, note);
  if (statSync(out, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new OddsmakerError('OUT_UNWRITABLE', `--out ${out}: this is a folder: name a file`);
  let table: TableWriter | undefined;
  let read = 0;
  try {
    table = FORMATS[format](resolve(out), columns);
    if (what === 'events') read = await writeAllEvents(source, table, note);
    else
      for await (const row of rows) {
        read += 1;
        const wait = table.write(row);
        if (wait !== undefined) await wait;
      }
    if (read === 0 && problems.length > 0) return EXIT.badData;
    const written = await table.keep();
    const emptyNote = written === 0 ? `: there are no ${what} in ${source}, the file has its columns alone` : '';
    process.stdout.write(`${written.toLocaleString('en-US')} rows in ${out}${emptyNote}\n`);
  } finally {
    table?.drop();
  }
  return problems.length > 0 ? EXIT.badData : EXIT.done;
}

type Journal = { readonly file: string; readonly scenario: string };
type Found =
  | { readonly kind: 'results'; readonly folder: string; readonly journals: readonly Journal[] }
  | { readonly kind: 'journals'; readonly journals: readonly Journal[] }
  | { readonly kind: 'tapes'; readonly files: readonly string[] };

/** @throws OddsmakerError NOT_IN_SOURCE, TAPE_INVALID */
async function find(source: string): Promise<Found> {
  // a journal may be packed meanwhile
  const named = existsSync(source) ? source : (partsOf(source)[0]?.file ?? source);
  const stat = statSync(named, { throwIfNoEntry: false });
  if (stat === undefined) throw new OddsmakerError('NOT_IN_SOURCE', `${source}: there is no such file or folder`);
  if (!stat.isDirectory())
    return (await isJournal(source))
      ? { kind: 'journals', journals: [{ file: source, scenario: 'live' }] }
      : { kind: 'tapes', files: tapeFilesOf(source).map(({ file }) => file) };
  const scenarios = SCENARIOS.flatMap((scenario) => {
    const file = join(source, journalOf(scenario));
    return existsSync(file) ? [{ file, scenario }] : [];
  });
  if (existsSync(join(source, 'result.json'))) return { kind: 'results', folder: source, journals: scenarios };
  const runs = journalsIn(source).map((file) => ({ file, scenario: 'live' }));
  if (runs.length > 0) return { kind: 'journals', journals: runs };
  if (existsSync(join(source, 'variations.csv')))
    throw new OddsmakerError(
      'NOT_IN_SOURCE',
      `${source}: a folder of many settings: name one of those in it, such as ${join(source, readdirSync(source).find((name) => /^\d+$/.test(name)) ?? '1')}`,
    );
  return { kind: 'tapes', files: tapeFilesOf(source).map(({ file }) => file) };
}

async function isJournal(file: string): Promise<boolean> {
  try {
    for await (const chunk of unpackedChunks(file))
      return /^\s*\{\s*"journal"\s*:/.test(chunk.toString('utf8', 0, 200));
  } catch {
    // the tape reader reports what is wrong
  }
  return false;
}

async function rowsOf(source: string, { what, levels }: Flags, note: (text: string) => void): Promise<Rows> {
  if (what === 'events') return { columns: EVENT_COLUMNS, rows: [] };
  const found = await find(source);
  if (what === 'books' || what === 'marks') {
    const sources = sourcesOf(found);
    if (sources.length === 0)
      throw new OddsmakerError(
        'NOT_IN_SOURCE',
        `${source}: a backtest keeps no ${what} unless it has a journal: run it with --journal, or export its tape`,
      );
    return what === 'books'
      ? { columns: BOOK_COLUMNS, rows: inTurn(sources, note, (bookSource) => bookRows(bookSource, levels)) }
      : { columns: MARK_COLUMNS, rows: inTurn(sources, note, withHeld) };
  }
  const journals = found.kind === 'tapes' ? [] : found.journals;
  const tables = found.kind === 'results' ? await tableOf(found.folder, what, journals.length > 0) : undefined;
  if (tables !== undefined) return tables;
  if (journals.length === 0 && found.kind === 'results' && what === 'series')
    throw new OddsmakerError(
      'NOT_IN_SOURCE',
      `${source}: no series.csv is there: no strategy logged a series (log.series)`,
    );
  if (journals.length === 0)
    throw new OddsmakerError(
      'NOT_IN_SOURCE',
      found.kind === 'tapes'
        ? `${source}: a tape has no ${what} of a bot: export a journal, or what a backtest of it wrote`
        : `${source}: no ${what}.csv and no journal is there: run the backtest with --journal`,
    );
  if (what === 'fills') return { columns: FILL_TABLE, rows: inTurn(journals, note, fillsIn) };
  if (what === 'series') return { columns: SERIES_TABLE, rows: inTurn(journals, note, seriesIn) };
  const table = TABLES[what];
  return { columns: table.columns, rows: rowsOfJournals(journals, note, table) };
}

/** What the tables of a backtest say. Undefined when its journals say it, or say more. */
async function tableOf(
  folder: string,
  what: 'fills' | 'orders' | 'quotes' | 'series',
  hasJournals: boolean,
): Promise<Rows | undefined> {
  const isOrders = what === 'orders' || what === 'quotes';
  if (isOrders && hasJournals) return undefined;
  const rested = join(folder, 'orders.csv');
  if (isOrders && existsSync(rested)) {
    const { columns } = TABLES[what];
    return { columns, rows: restedRows(await typedCsv(rested), columns) };
  }
  const file = join(folder, `${what}.csv`);
  if (!existsSync(file)) return undefined;
  const { columns, rows } = await typedCsv(file);
  return { columns, rows: rows() };
}

/** Writes the events of all journals of a source. Returns their number. @throws OddsmakerError NOT_IN_SOURCE */
async function writeAllEvents(source: string, table: TableWriter, note: (text: string) => void): Promise<number> {
  const found = await find(source);
  const journals = found.kind === 'tapes' ? [] : found.journals;
  if (journals.length === 0)
    throw new OddsmakerError('NOT_IN_SOURCE', `${source}: no journal is there, and events are in journals alone`);
  let events = 0;
  for (const { file, scenario } of journals) {
    const run = await runOf(file).catch(() => undefined);
    try {
      const problem = await writeEvents(file, scenario, run, (row) => {
        events += 1;
        void table.write(row);
      });
      if (problem !== undefined) note(`${file}: ${problem}`);
    } catch (error) {
      if (!(error instanceof OddsmakerError) || error.code === 'OUT_UNWRITABLE') throw error;
      note(error.message);
    }
  }
  return events;
}

async function* fillsIn({ file, scenario = 'live', problem }: BookSource): AsyncGenerator<Row, void, void> {
  const { rows, incomplete } = await fillRows(file, scenario);
  if (incomplete !== undefined) problem(`${file}: ${incomplete}`);
  yield* rows;
}

async function* seriesIn({ file, scenario = 'live', run }: BookSource): AsyncGenerator<Row, void, void> {
  await headerOf(file);
  yield* seriesOf(file, scenario, run);
}

async function* rowsOfJournals(
  journals: readonly Journal[],
  note: (text: string) => void,
  table: (typeof TABLES)['orders'],
): AsyncGenerator<Row, void, void> {
  for (const { file, scenario } of journals) {
    const ledger = await openedLedger(file, note);
    if (ledger === undefined) continue;
    try {
      yield* ledger.rows(table, scenario);
    } finally {
      ledger.close();
    }
  }
}

/**
 * The ledger of a journal. Undefined when it cannot be read, which is reported; the other journals continue.
 */
async function openedLedger(file: string, note: (text: string) => void): Promise<RunLedger | undefined> {
  try {
    const ledger = await ledgerOf(file);
    if (ledger.incomplete !== undefined) note(`${file}: ${ledger.incomplete}`);
    return ledger;
  } catch (error) {
    if (!(error instanceof OddsmakerError)) throw error;
    note(error.message);
    return undefined;
  }
}

type Source = { readonly file: string; readonly scenario: string | undefined };

const sourcesOf = (found: Found): readonly Source[] =>
  found.kind === 'tapes' ? found.files.map((file) => ({ file, scenario: undefined })) : found.journals;

/**
 * The rows of the sources, one source after the other. A source that cannot be read is reported, and the
 * others continue.
 */
async function* inTurn(
  sources: readonly Source[],
  note: (text: string) => void,
  rows: (source: BookSource) => AsyncGenerator<Row, void, void>,
): AsyncGenerator<Row, void, void> {
  for (const { file, scenario } of sources) {
    const line = new LiveLine(process.stderr);
    const size = Math.max(1, statSync(file, { throwIfNoEntry: false })?.size ?? 1);
    try {
      yield* rows({
        file,
        scenario,
        run: scenario === undefined ? undefined : await runOf(file).catch(() => undefined),
        problem: (text) => {
          line.clearLine();
          note(text);
        },
        progress: (bytes) => line.draw(() => `${file}: ${Math.floor((bytes / size) * 100)} %`),
      });
    } catch (error) {
      line.clearLine();
      if (!(error instanceof OddsmakerError) || error.code === 'OUT_UNWRITABLE') throw error;
      note(error.message);
    } finally {
      line.clearLine();
    }
  }
}

/** The first records, in which the name of the run appears. */
const FIRST_RECORDS = 20;

/** The name of the run of a journal. Undefined when its beginning is missing. */
async function runOf(journal: string): Promise<string | undefined> {
  let lines = 0;
  for await (const line of unpackedLines(partsOf(journal)[0]?.file ?? journal)) {
    const [, run] = /"in":\{"type":"boot","run":"([^"\\]+)"/.exec(line.toString()) ?? [];
    lines += 1;
    if (run !== undefined || lines === FIRST_RECORDS) return run;
  }
  return undefined;
}

/** The marks of a source, with what was held where the source is a journal. */
async function* withHeld(source: BookSource): AsyncGenerator<Row, void, void> {
  const held = source.scenario === undefined ? [] : await heldMarks(source.file);
  yield* markRows(source, held.values());
}

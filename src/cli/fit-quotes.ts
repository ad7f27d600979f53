// `oddsmaker fit-quotes`: fits how fast markets take offers by their distance from fair, and how far prices move
// against fills, on journals of runs and on backtests; writes the table that strategies read.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { Option } from 'commander';
import { EXIT, messageOf, OddsmakerError, PHASES, PHASE_NAMES, printable } from '../domain/index.ts';
import { journalAt, journalsIn } from '../journal/index.ts';
import type { QuoteEntry, QuoteTable } from '../pricing/index.ts';
import { bestDistance, PRIOR_QUOTES, valueOf } from '../pricing/index.ts';
import type { Scenario } from '../report/index.ts';
import { FACTS_FILE, readRuns, SCENARIOS, unpackFacts } from '../report/index.ts';
import type { QuoteFacts, RunFacts } from '../run/index.ts';
import { cents, fitQuotes, mergedFacts } from '../run/index.ts';
import { aligned } from '../terminal/index.ts';
import { refuseInput, writeOutFile } from './out-file.ts';
import { isBacktest } from './report.ts';

/** What a fill pays in the table, dollars. */
const PAYOUT = 100;

const HELP = `
Reads journals of runs, folders of journals (all runs in them), and folders that backtest --out wrote (also with --vary),
and fits for each league, market type and phase (before the start, in play)
  A, k  fills per hour of one quote at a distance of d points from the fair price: A * exp(-k * d)
  a     points that the fair price moves against a fill, up to the close; in play, in the next 300 s
with their standard errors. Groups with little data are drawn towards their league, leagues towards all of them, and
these towards the constants that ship. The best distance is a + 1/k; beside it stands what a quote on each side earns
there in an hour if a fill pays $${PAYOUT}.

A fit needs quotes at several distances: play the same tapes with several values of edge (backtest --vary). Quotes that
rest below fair or more than 5 points away do not count.

--out writes {quotes: 1, groups: [{league, type, phase, A, k, a, errors: {A, k, a}, fills, hours}], leagues: [{league,
...}], all: {...}}, as readQuoteTable and quoteMarketOf of oddsmaker/pricing read it. --json prints {schema: 1, table,
best: [{league, type, phase, distance, fills, value}]}: fills and dollars per hour at the best distance.

Exit:  0 done; 2 a wrong command line; 65 an input cannot be read, or has no quotes or fills with a fair price; 78 the
       file cannot be written.

Examples:
  oddsmaker fit-quotes data/journal --out quotes.json
  oddsmaker fit-quotes out --out quotes.json --json
  oddsmaker backtest config/paper.yaml --tape data/tapes --vary main.edge=0.006,0.012,0.025 --out data/edges
  oddsmaker fit-quotes data/edges --fills pessimistic --out quotes.json
`;

type Flags = { readonly out: string; readonly fills?: Scenario; readonly json?: true };

export function registerFitQuotes(command: Command, finish: (code: number) => void): void {
  command
    .description('Fits how fast markets take quotes, and how far prices move against them, on runs and backtests.')
    .argument('<what...>', 'folders of backtests; journals of runs, packed or not, or folders of them')
    .requiredOption('--out <file>', 'where the table goes')
    .addOption(
      new Option(
        '--fills <scenario>',
        'scenario of the backtests (default: calibrated, else the one there is)',
      ).choices(SCENARIOS),
    )
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(async (names: readonly string[], flags: Flags) => {
      finish(await fit(names, flags));
    });
}

async function fit(names: readonly string[], { out, fills, json }: Flags): Promise<number> {
  const folders = names.flatMap(backtestsAt);
  const journals = names.filter((name) => backtestsAt(name).length === 0).flatMap(journalsAt);
  const reads = [...names, ...folders, ...journals];
  refuseInput(out, reads);
  const backtests = folders.map((folder) => factsOfBacktest(folder, fills));
  const runs = backtests.map(({ facts }) => facts);
  if (journals.length > 0) runs.push((await readRuns(journals, refuseUntyped)).figures.facts);
  const facts = mergedFacts(runs);
  const recordings = new Set(backtests.map(({ tapes }) => tapes)).size + journals.length;
  const table = fitQuotes(runs, PRIOR_QUOTES, (folders.length + journals.length) / recordings);
  if (table === undefined) throw unknown(names.join(', '), whyNone(facts));
  writeOutFile(out, `${JSON.stringify(table, null, 2)}\n`, reads);
  process.stdout.write(json === true ? jsonOf(table) : textOf(table, facts, out));
  return EXIT.done;
}

/** The backtest in a folder, or those in its folders, as --vary writes them. */
function backtestsAt(path: string): readonly string[] {
  if (isBacktest(path)) return [path];
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(path)
    .sort()
    .map((name) => join(path, name))
    .filter(isBacktest);
}

/** The journals at a path: one, or all in a folder. @throws OddsmakerError JOURNAL_INVALID */
function journalsAt(path: string): readonly string[] {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
  const journals = journalsIn(path);
  return journals.length === 0 ? [journalAt(path)] : journals;
}

const unknown = (name: string, why: string): OddsmakerError => new OddsmakerError('QUOTES_UNKNOWN', `${name}: ${why}`);

const UNTYPED = 'its quote times are not by market type, since another version wrote it';

function refuseUntyped(journal: string, events: Parameters<NonNullable<Parameters<typeof readRuns>[1]>>[1]): void {
  for (const event of events)
    if (event.type === 'Sample' && event.quotes?.some(({ byType }) => byType === undefined) === true)
      throw unknown(journal, UNTYPED);
}

/** @throws OddsmakerError REPORT_INVALID, QUOTES_UNKNOWN */
function factsOfBacktest(
  folder: string,
  wanted: Scenario | undefined,
): { readonly facts: RunFacts; readonly tapes: string } {
  const file = join(folder, FACTS_FILE);
  if (!existsSync(file))
    throw new OddsmakerError(
      'REPORT_INVALID',
      `${folder}: ${FACTS_FILE} is not there: play the backtest again, without --report none or json`,
    );
  let facts: RunFacts | undefined;
  let tapes: string;
  try {
    const { scenarios, inputs } = unpackFacts(readFileSync(file));
    tapes = inputs.flatMap(([name, value]) => (name === 'tape' ? [value] : [])).join(' ');
    const named = scenarios.find(({ name }) => name === (wanted ?? 'calibrated'));
    facts = (wanted === undefined ? (named ?? scenarios[0]) : named)?.facts;
  } catch (error) {
    throw new OddsmakerError('REPORT_INVALID', `${file}: no facts of this version: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (facts === undefined) throw unknown(folder, `it has no scenario ${wanted ?? ''}: backtest --fills all plays it`);
  const { phases } = facts;
  if (PHASES.some((phase) => Object.values(phases[phase].quotes).some(({ byType }) => byType === undefined)))
    throw unknown(folder, UNTYPED);
  return { facts, tapes };
}

/** Why nothing can be fitted. */
function whyNone({ fills, phases }: QuoteFacts): string {
  const quotes = PHASES.flatMap((phase) => Object.values(phases[phase].quotes));
  if (quotes.every(({ ms }) => ms === 0)) return 'no quote rested';
  if (quotes.every(({ pricedMs }) => pricedMs === 0)) return 'no quote rested while its market had a fair price';
  if (fills.length === 0) return 'no quote was filled';
  return `none of ${fills.length} fills was between 0 and 5 points from a known fair price`;
}

/** The best distance of an entry, and what quotes on both sides bring there in an hour. */
const bestOf = ({ A, k, a }: QuoteEntry) => ({
  distance: bestDistance(k, a),
  ...valueOf({ A, k, adverse: a }, PAYOUT),
});

function jsonOf(table: QuoteTable): string {
  const best = table.groups.map(({ league, type, phase, ...entry }) => {
    const { distance, fills, value } = bestOf(entry);
    const fine = (figure: number): number => Number(figure.toFixed(4));
    return { league, type, phase, distance: fine(distance), fills: fine(fills), value: cents(value) };
  });
  return `${JSON.stringify({ schema: 1, table, best })}\n`;
}

function textOf({ groups, leagues, all }: QuoteTable, facts: QuoteFacts, out: string): string {
  const row = (name: string, entry: QuoteEntry): readonly string[] => {
    const { A, k, a, errors, fills, hours } = entry;
    const { distance, value } = bestOf(entry);
    return [
      ...[name, within(A, errors.A), within(k, errors.k), within(a, errors.a)],
      ...[String(fills), hours.toFixed(1), distance.toFixed(2), `$${value.toFixed(2)}`],
    ];
  };
  return [
    ...aligned([
      ['', 'A', 'k', 'a', 'fills', 'hours', 'best', 'earns'],
      ...groups.map(({ league, type, phase, ...entry }) => row(`${league} ${type}, ${PHASE_NAMES[phase]}`, entry)),
      ...leagues.map(({ league, ...entry }) => row(league, entry)),
      row('all', all),
    ]),
    '',
    `${all.fills} of ${facts.fills.length} fills count: those from 0 to 5 points from a known fair price`,
    'A: fills per hour of a quote at the fair price; k: how fast they fall with each point from it; a: points that the',
    `price moves against a fill; best: a + 1/k; earns: quotes on both sides there, in an hour, if a fill pays $${PAYOUT}`,
    `written to ${out}`,
    '',
  ]
    .map(printable)
    .join('\n');
}

const within = (value: number, error: number): string => `${value.toFixed(2)} ± ${error.toFixed(2)}`;

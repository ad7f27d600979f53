// `oddsmaker report`: every figure of a backtest or of runs, as a page, as JSON or in a few lines.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import { EXIT, messageOf, moneyText, OddsmakerError, PHASE_NAMES, printable, SOURCES } from '../domain/index.ts';
import { DEVIG_METHODS } from '../pricing/index.ts';
import type { ReportData } from '../report/index.ts';
import type { SectionFigures } from '../run/index.ts';
import {
  FACTS_FILE,
  backtestReport,
  figureAt,
  fitText,
  pathsIn,
  reportJson,
  reportHtml,
  reportOfJournals,
  unpackFacts,
  valueAt,
} from '../report/index.ts';
import { NO_FACTS, scenarioFigures } from '../run/index.ts';
import { aligned } from '../terminal/index.ts';
import { journalAt } from '../journal/index.ts';
import { refuseInput, refuseOtherPage, writeOutFile } from './out-file.ts';
import { collected, duration, mapped } from './flags.ts';
import { activity } from './report-activity.ts';
import type { FillsFlags } from './report-fills.ts';

const HELP = `
Reads a folder that backtest --out wrote, or journals of runs in order of time (for a folder of journals: its newest run),
and shows where the money comes from (spread captured + drift to the close + luck = P&L, to the cent), by market, game,
strategy, age, queue and inventory; how quotes rested and filled; the return per permit; how much of it may be chance; and
what the data cannot show. Each figure is given pre-match (judged by the close: CLV), in play (judged by markouts at 60
and 300 s), and for both. Points are weighted by payout (stake + win), and also by stake and plain. docs/report.md says
what each figure is.

--out writes one HTML file: no network, pictures with their data, light and dark, for a phone and for paper. It has a
switch of the scenario, a list of quoted markets and one of the series that strategies logged (log.series). --json
prints {schema: 2, scenarios: {calibrated: {phases: {prematch, inplay}, identity, clv, edge, byWeight, markouts,
attribution, quoting, permits, inventory, interval, luck, scores, known, …}, …}}, each phase with all sections; money in
dollars, null where it is not known; known has the number of fills that each figure covers. Journals have one scenario,
live.

--fills FILE.csv reports fills that were made anywhere. Columns are found by their names, or named with --map, such as
--map odds=Price: time, event (or home and away), side, odds (American or decimal) and stake, and where there are any
market, line (as the backed side has it), period, start, league, result (won, lost, push, void), profit before commission,
commission, strategy, id. Commas, semicolons or tabs, any currency, decimal point or comma. --odds takes documents of an
odds vendor, each with its time ({"ts": Unix ms, "data": [events]} or {"timestamp": ISO time, "data": …}), from which the
prices before, after and at the close come; without it only results are known. Rows and fills that cannot be used are
named on stderr with the nearest events. --json prints one scenario, own.

--activity shows what the operator of the exchange sees of the account. The exchange's rules judge automation by its
activity: whether it makes or takes offers, cancels per fill, lifetime of quotes, answers by status, and the share of
fills within five seconds after a price moved by two points or more. The journal of a running run is read to its end.
With --json it prints {schema: 1, journal: {file, from, to, torn}, orders, fills, cancelsPerFill, life, answers,
largeMoves}.

Exit:  0 done; 2 a wrong command line; 65 an input cannot be read, or this version acts differently from its run; 78 the
       page cannot be written.

Examples:
  oddsmaker report out --out report.html
  oddsmaker report out --json
  oddsmaker report data/journal --out week.html
  oddsmaker report --activity data/journal
  oddsmaker report --fills bets.csv --odds odds/ --out bets.html
  oddsmaker report --fills bets.csv --map time=Placed --map stake="Risk $" --zone -05:00
`;

type Flags = Omit<FillsFlags, 'fills'> & {
  readonly fills?: string;
  readonly activity?: true;
  readonly json?: true;
  readonly out?: string;
};

export function registerReport(command: Command, finish: (code: number) => void): void {
  command
    .description('Every figure of a backtest, or of runs.')
    .argument('[what...]', 'folder of a backtest; or journals of runs, packed or not, or a folder of them: its newest')
    .option('--out <file>', 'write a page of HTML')
    .option('--json', 'print one JSON object')
    .option('--activity', 'what the operator of the exchange sees of the account')
    .option('--fills <file>', 'fills that were made anywhere, as CSV')
    .addOption(
      new Option('--odds <file|dir>', 'with --fills: odds documents; repeat for several')
        .argParser(collected)
        .default([]),
    )
    .option('--results <file>', 'with --fills: results by game, for fills without one')
    .addOption(
      new Option('--map <name=column>', 'with --fills: the column of a field; repeat for several')
        .argParser(mapped)
        .default({}),
    )
    .option('--teams <file>', 'with --odds: names of teams in the documents, by those of the fills (YAML or JSON)')
    .option('--zone <offset>', 'with --fills: the zone of times without one, such as -05:00', zone)
    .option(
      '--assume-delay <d>',
      'with --odds: documents without a time were fetched so long after their newest price',
      duration,
    )
    .addOption(
      new Option('--devig <method>', 'with --odds: removes the margin of the books (default: shin)').choices(
        DEVIG_METHODS,
      ),
    )
    .addHelpText('after', HELP)
    .action(async (named: readonly string[], flags: Flags, self: Command) => {
      const misused = (problem: string): never => self.error(`error: ${problem}`, { exitCode: EXIT.usage });
      const [first = ''] = named;
      if (flags.fills !== undefined) {
        if (named.length > 0 || flags.activity === true)
          misused('--fills takes no folder, no journal and no --activity');
        finish(await printFills({ ...flags, fills: flags.fills }, misused));
        return;
      }
      if (named.length === 0) misused('name the folder of a backtest, a journal, or --fills FILE.csv');
      if (flags.odds.length > 0 || Object.keys(flags.map).length > 0 || flags.teams !== undefined)
        misused('--odds, --map and --teams belong to --fills');
      if (flags.activity === true) {
        if (named.length > 1 || flags.out !== undefined) misused('--activity takes one journal, and no --out');
        finish(await activity(journalAt(first), flags.json === true));
        return;
      }
      const folders = named.filter(isBacktest);
      if (folders.length > 0 && named.length > 1)
        misused('one folder of a backtest at a time: compare sets two side by side');
      if (flags.out !== undefined) {
        refuseInput(flags.out, folders.length > 0 ? named : [...named, ...named.map(journalAt)]);
        refuseOtherPage(flags.out, misused);
      }
      const data = folders.length > 0 ? readReport(first) : (await reportOfJournals(named.map(journalAt))).data;
      finish(print(data, flags, named));
    });
}

async function printFills(flags: FillsFlags & Flags, misused: (problem: string) => never): Promise<number> {
  const reads = [flags.fills, ...flags.odds, ...(flags.results === undefined ? [] : [flags.results])];
  if (flags.out !== undefined) {
    refuseInput(flags.out, reads);
    refuseOtherPage(flags.out, misused);
  }
  const { fillsExit, fillsJson, fillsReport, fillsTables } = await import('./report-fills.ts');
  const report = await fillsReport(flags);
  const { data } = report;
  if (flags.out !== undefined) writeOutFile(flags.out, reportHtml(data), reads);
  process.stdout.write(flags.json === true ? fillsJson(report) : `${fillsTables(report)}${textOf(data, flags.out)}`);
  return fillsExit(report);
}

/** Minutes east of Greenwich. @throws InvalidArgumentError */
function zone(text: string): number {
  if (/^(?:z|utc|gmt)$/i.test(text)) return 0;
  const [, sign, hours, minutes = '0'] = /^([+-])(\d{1,2})(?::?(\d{2}))?$/.exec(text) ?? [];
  if (sign === undefined || Number(hours) > 14)
    throw new InvalidArgumentError('expected an offset such as +01:00, or UTC');
  return (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
}

/** The files in a backtest folder that have its figures and charts, or the facts from which they are computed. */
const REPORT = 'report.json';

/** Whether a path is the folder of a backtest. */
export const isBacktest = (path: string): boolean =>
  ['result.json', REPORT, FACTS_FILE].some(
    (name) => statSync(join(path, name), { throwIfNoEntry: false })?.isFile() === true,
  );

const PATHS = pathsIn(scenarioFigures(NO_FACTS, 1));

/**
 * Whether a figure is a number, null (not known) or a group of figures. A figure that the writing version did
 * not have yet is set to null, in place.
 */
function isFigure(figures: unknown, path: string): boolean {
  const value = valueAt(figures, path);
  if (value !== undefined) return typeof value === 'number' || typeof value === 'object';
  const [name = '', ...section] = path.split('.').reverse();
  const within = section.length === 0 ? figures : valueAt(figures, section.reverse().join('.'));
  if (typeof within !== 'object' || within === null) return false;
  Object.assign(within, { [name]: null });
  return true;
}

/** Fields of `report.json` as version 0.2 named them. */
type FormerNames = { cannotTell?: unknown; scenarios?: Record<string, { happened?: unknown }> };

/** The report data with the present names of its fields. */
function withPresentNames(data: Partial<ReportData>): Partial<ReportData> {
  const former = data as FormerNames;
  if (former.scenarios === undefined) return data;
  const scenarios: Record<string, unknown> = Object.fromEntries(
    Object.entries(former.scenarios).map(([name, { happened, ...scenario }]) => [
      name,
      happened === undefined ? scenario : { ...scenario, eventLog: happened },
    ]),
  );
  return { ...data, scenarios, limitations: data.limitations ?? former.cannotTell } as Partial<ReportData>;
}

/**
 * Reads the report of a backtest folder, or computes it from the facts there.
 * @throws OddsmakerError REPORT_INVALID
 */
export function readReport(folder: string): ReportData {
  const [file, read] = existsSync(join(folder, REPORT))
    ? [join(folder, REPORT), reportIn]
    : [join(folder, FACTS_FILE), reportFromFacts];
  try {
    return read(file);
  } catch (error) {
    throw new OddsmakerError(
      'REPORT_INVALID',
      `${file}: no report of this version: ${messageOf(error)}: play the backtest again (oddsmaker backtest CONFIG --tape … --out ${folder})`,
      { cause: error },
    );
  }
}

const reportFromFacts = (file: string): ReportData => backtestReport(unpackFacts(readFileSync(file)));

function reportIn(file: string): ReportData {
  const data = withPresentNames(JSON.parse(readFileSync(file, 'utf8')) as Partial<ReportData>);
  const version: unknown = data.report;
  if (version === 1)
    throw new Error(
      'its figures are of schema 1, which made one of fills before the start and in play; here they are of schema 2',
    );
  if (version !== 2) throw new Error('it is of another version');
  // a number where a text belongs, or the other way round, would reach the page as it is
  for (const [name, { figures }] of Object.entries(data.scenarios ?? {})) {
    const wrong = PATHS.find((path) => !isFigure(figures, path));
    if (wrong !== undefined) throw new Error(`scenarios.${name}.figures.${wrong} is no number: it was changed by hand`);
  }
  reportHtml(data as ReportData);
  return data as ReportData;
}

function print(data: ReportData, { out, json }: Flags, reads: readonly string[]): number {
  if (out !== undefined) writeOutFile(out, reportHtml(data), reads);
  process.stdout.write(json === true ? reportJson(data) : textOf(data, out));
  return EXIT.done;
}

type Figures = ReportData['scenarios'][string]['figures'];
type Column = readonly [name: string, figures: Figures];
const NOT_KNOWN = 'not known';

function textOf({ scenarios, limitations }: ReportData, out: string | undefined): string {
  const columns = Object.entries(scenarios).map(([name, { figures }]): Column => [name, figures]);
  const rows = [
    ['', ...columns.map(([name]) => name)],
    ...partRows('pre-match', columns, ({ phases }) => phases.prematch, 'to the close'),
    ...partRows('in play', columns, ({ phases }) => phases.inplay, 'to the last price'),
    ...partRows('both', columns, (figures) => figures, ''),
    ['max drawdown', ...columns.map(([, { inventory }]) => known(inventory.maxDrawdown))],
  ];
  const [first] = columns;
  const isOfFills = Object.values(scenarios)[0]?.fillsOnly === true;
  return [
    ...(columns.length === 0 ? ['this run has no scenario: there is nothing to show'] : aligned(rows)),
    '',
    ...(isOfFills ? [] : (first?.[1].quoting.byLeague ?? [])).map(
      ({ phase, league, fillRateFit }) =>
        `fill rate by distance, ${PHASE_NAMES[phase]}, ${league}: ${fitText(fillRateFit)}`,
    ),
    ...limitations,
    ...(out === undefined ? ['--out FILE.html writes all of it as a page, --json prints it'] : [`written to ${out}`]),
    '',
  ]
    .map(printable)
    .join('\n');
}

const known = (value: number | null | undefined): string =>
  value === null || value === undefined ? NOT_KNOWN : moneyText(value);

/** A figure, with the number of fills that it covers where that is not all. */
function partly(figures: SectionFigures, section: string, figure: string): string {
  const value = figureAt(figures, `${section}.${figure}`);
  const coverage = figures.known[section]?.[figure];
  return value === null || value === undefined || coverage === undefined || coverage.fills === coverage.ofFills
    ? known(value)
    : `${known(value)} (${coverage.fills} of ${coverage.ofFills} fills)`;
}

/** The rows of one phase, or of both. `to` says to which price the drift of fills runs. */
function partRows(
  name: string,
  columns: readonly Column[],
  partOf: (figures: Figures) => SectionFigures,
  to: string,
): readonly (readonly string[])[] {
  const parts = columns.map(([, figures]) => partOf(figures));
  const row = (label: string, cellText: (figures: SectionFigures) => string): readonly string[] => [
    `  ${label}`,
    ...parts.map(cellText),
  ];
  const any = (test: (figures: SectionFigures) => boolean): boolean => parts.some(test);
  const count = ({ identity: { fills, unpriced, open } }: SectionFigures): number => fills + unpriced + open;
  if (!any((section) => count(section) > 0)) return [[name, ...parts.map(() => 'no fill')]];
  return [
    [name, ...parts.map(() => '')],
    row('fills settled, open', ({ identity }) => `${identity.fills + identity.unpriced}, ${identity.open}`),
    row('spread captured', ({ identity }) => known(identity.spread)),
    row(`drift ${to}`.trim(), ({ identity }) => known(identity.drift)),
    row(
      'luck',
      ({ identity, luck }) =>
        `${known(identity.luck)}${luck.deviation === null ? '' : ` ± ${luck.deviation.toFixed(2)}`}`,
    ),
    ...(any(({ identity }) => (identity.commission ?? 0) !== 0)
      ? [row('commission', ({ identity }) => known(identity.commission))]
      : []),
    row('P&L of these', ({ identity }) =>
      identity.unpriced === 0
        ? known(identity.pnl)
        : `${known(identity.pnl)} (${identity.fills.toLocaleString('en-US')} fills)`,
    ),
    ...(any(({ identity }) => identity.unpriced > 0)
      ? [
          row('settled without a price', ({ identity }) =>
            identity.unpriced === 0
              ? '–'
              : `${moneyText(identity.unpricedPnl)} (${identity.unpriced.toLocaleString('en-US')} fills)`,
          ),
          row('P&L settled', ({ identity }) =>
            identity.fills + identity.unpriced === 0
              ? NOT_KNOWN
              : moneyText((identity.pnl ?? 0) + identity.unpricedPnl),
          ),
        ]
      : []),
    // includes fills that are not settled
    ...(any(({ identity }) => identity.open + identity.unpriced > 0)
      ? [row('spread captured of all fills', ({ identity }) => known(identity.captured))]
      : []),
    ...judgedRows(name, row, any),
  ];
}

const percent = (share: number | null): string => (share === null ? NOT_KNOWN : `${(100 * share).toFixed(1)} %`);
const points = (p: number | null): string => (p === null ? NOT_KNOWN : (100 * p).toFixed(2));

/** The rows that judge fills by later prices: CLV, markouts, edge. */
function judgedRows(
  name: string,
  row: (label: string, cellText: (figures: SectionFigures) => string) => readonly string[],
  any: (test: (figures: SectionFigures) => boolean) => boolean,
): readonly (readonly string[])[] {
  const isLive = name === 'in play';
  return [
    ...(isLive
      ? []
      : [
          row(name === 'both' ? 'CLV, pre-match' : 'CLV', (figures) => partly(figures, 'clv', 'dollars')),
          row('CLV points by payout (plain)', ({ clv }) => `${points(clv.points)} (${points(clv.plainPoints)})`),
          row('payout above the close (plain)', ({ clv }) => `${percent(clv.share)} (${percent(clv.plainShare)})`),
        ]),
    ...SOURCES.flatMap((source) =>
      !isLive && any(({ outside }) => outside[source].fills > 0)
        ? [
            row(
              `CLV by ${source === 'own' ? 'own fair' : `${source}: prices`}`,
              ({ outside }) => `${known(outside[source].clv.dollars)} (${outside[source].fills} fills)`,
            ),
          ]
        : [],
    ),
    row('markout 60 s', (figures) => partly(figures, 'markouts', '60s')),
    row('markout 300 s', (figures) => partly(figures, 'markouts', '300s')),
    row('edge', (figures) => partly(figures, 'edge', 'dollars')),
    row(
      'edge points (by stake; plain)',
      ({ byWeight: { edge } }) => `${points(edge.payout)} (${points(edge.stake)}; ${points(edge.plain)})`,
    ),
    ...(any(({ permits }) => permits.place > 0)
      ? [row('edge per place permit', ({ edge }) => (edge.perPlace === null ? NOT_KNOWN : edge.perPlace.toFixed(4)))]
      : []),
    row('edge, 95 %', ({ interval }) =>
      interval.edgeLow === null
        ? (interval.note ?? NOT_KNOWN)
        : `${known(interval.edgeLow)} to ${known(interval.edgeHigh)}`,
    ),
    row('games, needed for a verdict', ({ interval }) => `${interval.games}, ${interval.gamesNeeded ?? NOT_KNOWN}`),
    row('picked off late, priced', ({ pickedOff }) => `${pickedOff.latency.fills}, ${pickedOff.pricing.fills}`),
  ];
}

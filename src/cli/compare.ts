// `oddsmaker compare`: two runs side by side, figure by figure and order by order.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { EXIT, OddsmakerError, parseTime, PHASE_NAMES, PHASES, printable } from '../domain/index.ts';
import { readCsv } from '../table/index.ts';
import type { ComparedOrder, OrderComparison, OrderDifference, ReportData } from '../report/index.ts';
import type { ReportOrder, ScenarioFigures } from '../run/index.ts';
import { compareHtml, compareOrders, figureAt, pathsIn, reportOfJournals } from '../report/index.ts';
import { aligned } from '../terminal/index.ts';
import { journalAt } from '../journal/index.ts';
import { refuseInput, refuseOtherPage, writeOutFile } from './out-file.ts';
import { isBacktest, readReport } from './report.ts';

const HELP = `
A and B are folders of backtests, or journals of runs: a live journal and the backtest of its own tapes, or two backtests
with different settings. The first scenario of a backtest is used: calibrated, if it was played. Figures are shown side
by side with their difference: pre-match, in play, and both. Orders are paired when strategy, market and side are the
same and both rested within five seconds of each other. The differences are listed in order of time: another price (and
the fair price of each), a fill on one side only (and the queue ahead of it), or no order at all. Backtests need
backtest --orders for that.

To compare a run with its own backtest, play its journal as the tape with the latency that it measured:
  oddsmaker backtest config.yaml --tape run.ndjson.zst --latency run.ndjson.zst --orders --out again
  oddsmaker compare run.ndjson.zst again --out compare.html

--json prints {schema: 1, a, b, figures: [{path, a, b}], orders: {both, onlyA, onlyB, filledAlike, filledA, filledB,
partings: [{at, why, a, b}]} | null}.

Exit:  0 done, whatever differs; 2 a wrong command line; 65 what is named cannot be read; 78 the page cannot be written.
`;

type Flags = { readonly out?: string; readonly json?: true };
type Side = {
  readonly name: string;
  readonly scenario: string;
  /** ISO times; null: nothing was traded. */
  readonly from: string | null;
  readonly to: string | null;
  readonly figures: ScenarioFigures;
  readonly orders: readonly ComparedOrder[] | undefined;
};

export function registerCompare(command: Command, finish: (code: number) => void): void {
  command
    .description('Compares two runs: their figures, and where their orders differ.')
    .argument('<a>', 'folder of a backtest, or journal of a run')
    .argument('<b>', 'the same')
    .option('--out <file>', 'write a page of HTML')
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(async (a: string, b: string, flags: Flags, self: Command) => {
      if (flags.out !== undefined) {
        refuseInput(flags.out, [a, b]);
        refuseOtherPage(flags.out, (problem) => self.error(`error: ${problem}`, { exitCode: EXIT.usage }));
      }
      finish(await compare(a, b, flags));
    });
}

async function compare(first: string, second: string, { out, json }: Flags): Promise<number> {
  const [a, b] = [await sideOf(first), await sideOf(second)];
  const figures = pathsIn(a.figures).flatMap((path) => {
    const [valueA, valueB] = [figureAt(a.figures, path), figureAt(b.figures, path)];
    return valueA === undefined || valueB === undefined ? [] : [{ path, a: valueA, b: valueB }];
  });
  const orders = a.orders === undefined || b.orders === undefined ? undefined : compareOrders(a.orders, b.orders);
  const names = { a: `${a.name} (${a.scenario})`, b: `${b.name} (${b.scenario})` };
  const stretches = stretchText(a, b);
  if (out !== undefined) writeOutFile(out, compareHtml({ ...names, figures, orders }), [first, second]);
  process.stdout.write(json === true ? jsonOf(names, figures, orders) : textOf(names, stretches, figures, orders, out));
  return EXIT.done;
}

/** Two runs cover the same time when they overlap in at least this share of the longer one. */
const SAME_TIME = 0.95;

/** Unix ms of an ISO time. NaN when it is not known, which compares with nothing. */
const msOf = (time: string | null | undefined): number => parseTime(time ?? '') ?? Number.NaN;

/**
 * A note when A and B did not run over the same time, because their sums then do not compare. Empty
 * otherwise.
 */
function stretchText(a: Side, b: Side): readonly string[] {
  const [spanA, spanB] = [a, b].map(({ from, to }) => [msOf(from), msOf(to)] as const);
  if (spanA === undefined || spanB === undefined) return [];
  const overlap = Math.min(spanA[1], spanB[1]) - Math.max(spanA[0], spanB[0]);
  const longest = Math.max(spanA[1] - spanA[0], spanB[1] - spanB[0]);
  if (overlap >= SAME_TIME * longest) return [];
  const spanText = ({ from, to }: Side): string => `${from ?? 'nothing'} to ${to ?? ''}`;
  return [`A covers ${spanText(a)}, B covers ${spanText(b)}: their sums do not cover the same time`];
}

async function sideOf(path: string): Promise<Side> {
  const folder = isBacktest(path);
  const { data, orders } = folder
    ? { data: readReport(path), orders: await ordersIn(path) }
    : await reportOfJournals([journalAt(path)]).then((report) => ({
        data: report.data,
        orders: report.orders.map(comparedOf),
      }));
  const [name, scenario] = firstOf(path, data);
  return {
    name: path,
    scenario: name,
    from: data.from,
    to: data.to,
    figures: scenario.figures,
    orders: orders?.filter((order) => !('scenario' in order) || order.scenario === name),
  };
}

function firstOf(path: string, { scenarios }: ReportData): [string, ReportData['scenarios'][string]] {
  const [first] = Object.entries(scenarios);
  if (first === undefined) throw new OddsmakerError('REPORT_INVALID', `${path}: nothing was traded there`);
  return first;
}

const comparedOf = ({
  strategy,
  market,
  side,
  odds,
  risk,
  filled,
  fromMs,
  end,
  fair,
  queuePlaced,
}: ReportOrder): ComparedOrder => ({
  strategy: strategy ?? '',
  market: market.id,
  side,
  odds,
  risk: risk / 1e6,
  filled: filled / 1e6,
  fromMs,
  end,
  fair,
  queue: queuePlaced === undefined ? undefined : queuePlaced / 1e6,
});

/** The orders of `orders.csv`, each with its scenario. Undefined when the backtest wrote no such file. */
async function ordersIn(
  folder: string,
): Promise<readonly (ComparedOrder & { readonly scenario: string })[] | undefined> {
  const file = join(folder, 'orders.csv');
  if (!existsSync(file)) return undefined;
  let names: readonly string[] | undefined;
  const orders: (ComparedOrder & { readonly scenario: string })[] = [];
  for await (const row of readCsv(file)) {
    if (names === undefined) {
      names = row;
      continue;
    }
    const columns = names;
    const cell = (name: string): string => row[columns.indexOf(name)] ?? '';
    const number = (name: string): number | undefined => (cell(name) === '' ? undefined : Number(cell(name)));
    orders.push({
      scenario: cell('scenario'),
      strategy: cell('strategy'),
      market: cell('market'),
      side: cell('side'),
      end: cell('ended_as'),
      odds: number('odds') ?? 0,
      risk: number('risk') ?? 0,
      filled: number('filled') ?? 0,
      fromMs: parseTime(cell('rested_from')) ?? 0,
      fair: number('fair'),
      queue: number('queue_ahead'),
    });
  }
  return orders;
}

type Names = { readonly a: string; readonly b: string };
type Figure = { readonly path: string; readonly a: number | null; readonly b: number | null };

const timeText = ({ t }: OrderDifference): string => new Date(Math.round(t)).toISOString();

function jsonOf(names: Names, figures: readonly Figure[], orders: OrderComparison | undefined): string {
  const comparison =
    orders === undefined
      ? null
      : {
          ...orders,
          partings: orders.partings.map((parting) => ({
            at: timeText(parting),
            why: parting.why,
            a: parting.a ?? null,
            b: parting.b ?? null,
          })),
        };
  return `${JSON.stringify({ schema: 1, ...names, figures, orders: comparison })}\n`;
}

/** The figures that the text shows, in order. */
const TEXT_FIGURES = [
  ...([
    'identity.pnl',
    'identity.spread',
    'identity.drift',
    'identity.luck',
    'identity.fills',
    'identity.unpriced',
    'identity.unpricedPnl',
    'identity.open',
  ] as const),
  ...([
    'clv.dollars',
    'clv.points',
    'clv.share',
    'edge.dollars',
    'edge.perPlace',
    'markouts.60s',
    'markouts.300s',
    'quoting.twoSided',
    'quoting.meanDistance',
    'quoting.orders',
  ] as const),
  ...(['permits.place', 'permits.cancel', 'permits.clvPerPlace', 'inventory.maxDrawdown', 'inventory.worst'] as const),
];
const MAX_PARTINGS = 10;

function textOf(
  { a, b }: Names,
  stretches: readonly string[],
  figures: readonly Figure[],
  orders: OrderComparison | undefined,
  out: string | undefined,
): string {
  const known = (value: number | null): string =>
    value === null ? 'not known' : String(Math.round(value * 1e4) / 1e4);
  const rowsOf = (name: string, prefix: string): readonly (readonly string[])[] => [
    [name, '', '', ''],
    ...TEXT_FIGURES.flatMap((path) => {
      const figure = figures.find((candidate) => candidate.path === `${prefix}${path}`);
      // a figure that neither side knows is left out, such as the CLV of fills in play
      if (figure === undefined || (figure.a === null && figure.b === null)) return [];
      // no difference where one side is not known
      const difference = figure.a === null || figure.b === null ? null : figure.b - figure.a;
      return [[`  ${path}`, known(figure.a), known(figure.b), known(difference)]];
    }),
  ];
  const rows = [...PHASES.flatMap((phase) => rowsOf(PHASE_NAMES[phase], `phases.${phase}.`)), ...rowsOf('both', '')];
  return [
    `A  ${a}`,
    `B  ${b}`,
    ...stretches,
    '',
    ...aligned([['', 'A', 'B', 'B − A'], ...rows]),
    '',
    ...(orders === undefined
      ? ['orders are compared only when both sides have them: backtest --orders']
      : ordersText(orders)),
    ...(out === undefined ? [] : [`written to ${out}`]),
    '',
  ]
    .map(printable)
    .join('\n');
}

function ordersText({
  both,
  onlyA,
  onlyB,
  filledAlike,
  filledA,
  filledB,
  partings,
}: OrderComparison): readonly string[] {
  const [first] = partings;
  return [
    `${both} orders in both, ${filledAlike} of them filled alike; ${onlyA} in A only, ${onlyB} in B only; filled $${filledA.toFixed(2)} and $${filledB.toFixed(2)}`,
    ...(first === undefined ? ['no order differs'] : [`the first differs at ${timeText(first)}:`]),
    ...partings.slice(0, MAX_PARTINGS).map((parting) => {
      const { market, side, strategy } = (parting.a ?? parting.b) as ComparedOrder;
      const where = parting.b === undefined ? 'A only' : parting.a === undefined ? 'B only' : 'both';
      return `  ${timeText(parting)}  ${where}  ${strategy} ${market} ${side}: ${parting.why}`;
    }),
  ];
}

// `oddsmaker compare`: two runs side by side, figure by figure and order by order.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { EXIT, OddsmakerError, parseTime, PHASE_NAMES, PHASES, printable } from '../domain/index.ts';
import { readCsv } from '../table/index.ts';
import type { ComparedOrder, OrderComparison, Parting, ReportData } from '../report/index.ts';
import type { ReportOrder, ScenarioFigures } from '../run/index.ts';
import { compareHtml, compareOrders, figureAt, pathsIn, reportOfJournals } from '../report/index.ts';
import { aligned } from '../terminal/index.ts';
import { journalAt } from '../journal/index.ts';
import { refuseInput, refuseOtherPage, writeOutFile } from './out-file.ts';
import { isBacktest, readReport } from './report.ts';

const HELP = `
A and B are folders of backtests, or journals of runs: a live journal and the backtest of its own tapes, or two backtests of
different settings. Of a backtest the first scenario is taken, calibrated where it was played. Figures stand side by side with
their difference, before the start of games, in play, and both. Orders are paired where strategy, market and side are the same and both came to rest within five seconds:
where and why they part is told from the first on: another price (and the fair price of each), a fill that the other did
not have (and what stood before it in the queue), or no order there at all. Backtests need backtest --orders for that.

To hold a run against its own backtest, play its journal as the tape with the latency that it measured:
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
    .description('Sets two runs side by side: their figures, and where their orders part.')
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
    const [one, two] = [figureAt(a.figures, path), figureAt(b.figures, path)];
    return one === undefined || two === undefined ? [] : [{ path, a: one, b: two }];
  });
  const orders = a.orders === undefined || b.orders === undefined ? undefined : compareOrders(a.orders, b.orders);
  const names = { a: `${a.name} (${a.scenario})`, b: `${b.name} (${b.scenario})` };
  const stretches = stretchText(a, b);
  if (out !== undefined) writeOutFile(out, compareHtml({ ...names, figures, orders }), [first, second]);
  process.stdout.write(json === true ? jsonOf(names, figures, orders) : textOf(names, stretches, figures, orders, out));
  return EXIT.done;
}

/** Of runs over one time whose ends differ by less, it is the same. */
const SAME_TIME = 0.95;

/** NaN: not known, which is neither less nor more than any time. */
const msOf = (time: string | null | undefined): number => parseTime(time ?? '') ?? Number.NaN;

/** When each ran, where that is not the same: their sums are not of the same then. */
function stretchText(a: Side, b: Side): readonly string[] {
  const [one, two] = [a, b].map(({ from, to }) => [msOf(from), msOf(to)] as const);
  if (one === undefined || two === undefined) return [];
  const together = Math.min(one[1], two[1]) - Math.max(one[0], two[0]);
  const longest = Math.max(one[1] - one[0], two[1] - two[0]);
  if (together >= SAME_TIME * longest) return [];
  const told = ({ from, to }: Side): string => `${from ?? 'nothing'} to ${to ?? ''}`;
  return [`A is of ${told(a)}, B of ${told(b)}: their sums are not of the same time`];
}

async function sideOf(path: string): Promise<Side> {
  const folder = isBacktest(path);
  const { data, orders } = folder
    ? { data: readReport(path), orders: await ordersIn(path) }
    : await reportOfJournals([journalAt(path)]).then((of) => ({
        data: of.data,
        orders: of.orders.map(comparedOf),
      }));
  const [name, scenario] = firstOf(path, data);
  return {
    name: path,
    scenario: name,
    from: data.from,
    to: data.to,
    figures: scenario.figures,
    orders: orders?.filter((one) => !('of' in one) || one.of === name),
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

/** Of `orders.csv`, each with its scenario; undefined: the backtest wrote none. */
async function ordersIn(folder: string): Promise<readonly (ComparedOrder & { readonly of: string })[] | undefined> {
  const file = join(folder, 'orders.csv');
  if (!existsSync(file)) return undefined;
  let names: readonly string[] | undefined;
  const orders: (ComparedOrder & { readonly of: string })[] = [];
  for await (const row of readCsv(file)) {
    if (names === undefined) {
      names = row;
      continue;
    }
    const head = names;
    const cell = (name: string): string => row[head.indexOf(name)] ?? '';
    const number = (name: string): number | undefined => (cell(name) === '' ? undefined : Number(cell(name)));
    orders.push({
      of: cell('scenario'),
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

const at = ({ t }: Parting): string => new Date(Math.round(t)).toISOString();

function jsonOf(names: Names, figures: readonly Figure[], orders: OrderComparison | undefined): string {
  const told =
    orders === undefined
      ? null
      : {
          ...orders,
          partings: orders.partings.map((one) => ({
            at: at(one),
            why: one.why,
            a: one.a ?? null,
            b: one.b ?? null,
          })),
        };
  return `${JSON.stringify({ schema: 1, ...names, figures, orders: told })}\n`;
}

/** What is read first of two runs. */
const TOLD = [
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
const MOST_TOLD = 10;

function textOf(
  { a, b }: Names,
  stretches: readonly string[],
  figures: readonly Figure[],
  orders: OrderComparison | undefined,
  out: string | undefined,
): string {
  const known = (value: number | null): string =>
    value === null ? 'not known' : String(Math.round(value * 1e4) / 1e4);
  const rowsOf = (name: string, before: string): readonly (readonly string[])[] => [
    [name, '', '', ''],
    ...TOLD.flatMap((path) => {
      const of = figures.find((one) => one.path === `${before}${path}`);
      // what is known of neither, as the CLV of fills in play, says nothing
      if (of === undefined || (of.a === null && of.b === null)) return [];
      // what is not known compares with nothing
      const apart = of.a === null || of.b === null ? null : of.b - of.a;
      return [[`  ${path}`, known(of.a), known(of.b), known(apart)]];
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
    ...(orders === undefined ? ['orders are compared where both tell them: backtest --orders'] : ordersText(orders)),
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
    ...(first === undefined ? ['no order differs'] : [`the first of them part at ${at(first)}:`]),
    ...partings.slice(0, MOST_TOLD).map((one) => {
      const { market, side, strategy } = (one.a ?? one.b) as ComparedOrder;
      const where = one.b === undefined ? 'A only' : one.a === undefined ? 'B only' : 'both';
      return `  ${at(one)}  ${where}  ${strategy} ${market} ${side}: ${one.why}`;
    }),
  ];
}

// `npm run bench`: all benchmarks as one table of ratios against their floors, measured in the same run.
// `--json` prints one object; names as arguments select benchmarks.
import { backtest } from './backtest.ts';
import { command } from './command.ts';
import { days } from './days.ts';
import { flood } from './flood.ts';
import { frameToIntents } from './frame-to-intents.ts';
import { Load } from './load.ts';
import { longRun } from './long-run.ts';
import { manyClients } from './many-clients.ts';
import { page } from './page.ts';
import { prices } from './prices.ts';
import { recording } from './recording.ts';
import { restOrders } from './rest-orders.ts';
import { scale } from './scale.ts';
import { scarcity } from './scarcity.ts';
import { median, spread } from './statistics.ts';
import { sweep } from './sweep.ts';
import { tickToRequest } from './tick-to-request.ts';
import { venueOperations } from './venue.ts';
import { burst, windows } from './windows.ts';

/** One measured figure. `goal` reads like the design's table: `<= 1.3`. */
export type Row = {
  readonly what: string;
  /** The figure of each round; the row shows their median. One number where a figure has no rounds. */
  readonly ratios: readonly number[];
  readonly goal: string;
  /** Absolute figures for context; they mean little on a noisy machine. */
  readonly detail: string;
};

const benches: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  'frame-to-intents': frameToIntents,
  'tick-to-request': tickToRequest,
  page,
  flood,
  command,
  backtest,
  scale,
  recording,
  'long-run': longRun,
  days,
  sweep,
  prices,
  windows,
  burst,
  scarcity,
  venue: venueOperations,
  'rest-orders': restOrders,
  'many-clients': manyClients,
};
/** What `--quick` runs: the rows that a person feels, in three minutes. */
const quick: typeof benches = { command: () => command({ quick: true }) };

const HELP = `npm run bench -- [NAME…] [--quick] [--json]

--quick  only the rows that a person feels, in about three minutes
Names, all of them when none is given:
${Object.keys(benches)
  .map((name) => `  ${name}\n`)
  .join('')}`;

const args = process.argv.slice(2);
if (args.includes('--help')) {
  process.stdout.write(HELP);
  process.exit(0);
}
const json = args.includes('--json');
const selected = args.includes('--quick') ? quick : benches;
const wanted = args.filter((arg) => !arg.startsWith('--'));
const unknown = wanted.filter((name) => selected[name] === undefined);
if (unknown.length > 0) {
  process.stderr.write(`unknown benchmark ${unknown.join(', ')}: expected ${Object.keys(selected).join(', ')}\n`);
  process.exit(2);
}

/** A row as it is printed. `load`: cores that other processes used meanwhile, null where it is not known. */
type Printed = Row & { readonly ratio: number; readonly met: boolean; readonly load: number | null };

const rows: Printed[] = [];
for (const [name, bench] of Object.entries(selected)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  process.stderr.write(`${name} …\n`);
  const load = new Load();
  const measured = await bench();
  const others = load.others ?? null;
  for (const row of measured) {
    const ratio = median(row.ratios);
    rows.push({ ...row, ratio, met: isMet(ratio, row.goal), load: others });
  }
}

if (json) process.stdout.write(`${JSON.stringify({ schema: 2, rows })}\n`);
else {
  const width = Math.max(...rows.map((row) => row.what.length));
  for (const { what, ratio, ratios, goal, met, load, detail } of rows) {
    const cells = [
      what.padEnd(width),
      ratio.toFixed(2).padStart(6),
      (ratios.length > 1 ? spread(ratios) : '').padEnd(16),
      `goal ${goal.padEnd(8)}`,
      met ? 'met   ' : 'MISSED',
      `load ${load?.toFixed(1) ?? '?'}`,
      detail,
    ];
    process.stdout.write(`${cells.join('  ')}\n`);
  }
}

function isMet(ratio: number, goal: string): boolean {
  const [sign, bound] = goal.split(' ');
  return sign === '<=' ? ratio <= Number(bound) : ratio >= Number(bound);
}

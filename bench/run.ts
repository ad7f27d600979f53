// `npm run bench`: all benchmarks as one table of ratios against their floors, measured in the same run.
// `--json` prints one object; names as arguments select benchmarks.
import { backtest } from './backtest.ts';
import { command } from './command.ts';
import { flood } from './flood.ts';
import { frameToIntents } from './frame-to-intents.ts';
import { manyClients } from './many-clients.ts';
import { page } from './page.ts';
import { recording } from './recording.ts';
import { restOrders } from './rest-orders.ts';
import { scale } from './scale.ts';
import { scarcity } from './scarcity.ts';
import { sweep } from './sweep.ts';
import { tickToRequest } from './tick-to-request.ts';
import { venueOperations } from './venue.ts';
import { burst, windows } from './windows.ts';

/** One measured ratio. `goal` reads like the design's table: `<= 1.3`. */
export type Row = {
  readonly what: string;
  readonly ratio: number;
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
  sweep,
  windows,
  burst,
  scarcity,
  venue: venueOperations,
  'rest-orders': restOrders,
  'many-clients': manyClients,
};

const args = process.argv.slice(2);
if (args.includes('--help')) {
  process.stdout.write(
    `npm run bench -- [NAME…] [--json]\n\nNames, all of them when none is given:\n${Object.keys(benches)
      .map((name) => `  ${name}\n`)
      .join('')}`,
  );
  process.exit(0);
}
const json = args.includes('--json');
const wanted = args.filter((arg) => !arg.startsWith('--'));
const unknown = wanted.filter((name) => benches[name] === undefined);
if (unknown.length > 0) {
  process.stderr.write(`unknown benchmark ${unknown.join(', ')}: expected ${Object.keys(benches).join(', ')}\n`);
  process.exit(2);
}

const rows: (Row & { readonly met: boolean })[] = [];
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  process.stderr.write(`${name} …\n`);
  for (const row of await bench()) rows.push({ ...row, met: isMet(row) });
}

if (json) process.stdout.write(`${JSON.stringify({ schema: 1, rows })}\n`);
else {
  const width = Math.max(...rows.map((row) => row.what.length));
  for (const row of rows) {
    process.stdout.write(
      `${row.what.padEnd(width)}  ${row.ratio.toFixed(2).padStart(6)}  goal ${row.goal.padEnd(8)} ${row.met ? 'met   ' : 'MISSED'}  ${row.detail}\n`,
    );
  }
}

function isMet({ ratio, goal }: Row): boolean {
  const [sign, bound] = goal.split(' ');
  return sign === '<=' ? ratio <= Number(bound) : ratio >= Number(bound);
}

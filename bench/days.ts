// A backtest of a folder of days, as a user runs it from the package: two threads against one. Both must write
// the same bytes.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePackage } from '../test/support/package-folder.ts';
import type { Cost } from './measured-process.ts';
import { measured } from './measured-process.ts';
import type { Row } from './run.ts';
import type { Season } from './season.ts';
import { seasonOf } from './season.ts';
import { median, ratiosOf } from './statistics.ts';

/** Forty evenings, in which a thread compiles its code for a tenth of the time. SEASON=164 plays all of them, once. */
const { SEASON } = process.env;
const EVENINGS = Number(SEASON ?? 40);
const ROUNDS = SEASON === undefined ? 2 : 1;
const SAME = ['result.json', 'fills.csv', 'markets.csv', 'pnl.csv', 'months.csv'];

export async function days(): Promise<readonly Row[]> {
  const season = await seasonOf(EVENINGS);
  const folder = mkdtempSync(join(tmpdir(), 'oddsmaker-bench-'));
  try {
    makePackage(join(folder, 'package'), join(folder, 'node_modules'));
    const costs: Record<1 | 2, Cost[]> = { 1: [], 2: [] };
    for (let round = 0; round < ROUNDS; round++) {
      for (const threads of round % 2 === 0 ? ([1, 2] as const) : ([2, 1] as const))
        costs[threads].push(await play(season, threads, folder));
      for (const name of SAME)
        if (!readFileSync(join(folder, '1', name)).equals(readFileSync(join(folder, '2', name))))
          throw new Error(`${name} differs between one thread and two`);
    }
    const wallsOf = (threads: 1 | 2): readonly number[] => costs[threads].map(({ wallMs }) => wallMs);
    const text = (threads: 1 | 2): string => {
      const ms = median(wallsOf(threads));
      const peak = median(costs[threads].map(({ peakMb }) => peakMb));
      return `${(ms / 1000).toFixed(1)} s, ${(ms / season.games).toFixed(0)} ms a game, ${peak.toFixed(0)} MB`;
    };
    return [
      {
        what: `a folder of ${season.evenings} days, ${season.games} games: two threads ÷ one`,
        ratios: ratiosOf(wallsOf(1), wallsOf(2)),
        goal: '>= 1.7',
        detail: `one: ${text(1)}; two: ${text(2)}; medians of ${ROUNDS}`,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function play(season: Season, threads: 1 | 2, folder: string): Promise<Cost> {
  const flags = ['--tape', season.tapes, '--results', season.scores, '--out', join(folder, String(threads))];
  const [bin, config] = ['bin/oddsmaker.js', 'examples/sample.yaml'].map((name) => join(folder, 'package', name));
  const args = [`${bin}`, 'backtest', `${config}`, ...flags, '--threads', String(threads)];
  return measured(args, { PROCESS_METER: join(folder, 'used.json') });
}

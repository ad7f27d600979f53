// The garbage that a backtest from the compact tape leaves, in KB per frame. `garbageOf` starts this file as
// a process whose young generation holds a whole run, so that nothing is collected between two measurements
// of the heap.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runScenario } from '../../src/backtest/run-scenario.ts';
import { readCompact } from '../../src/tape/compact-reader.ts';
import { MarketSource } from '../../src/backtest/market-source.ts';
import { backtestOptions, inTurn, writeCompact } from './backtests.ts';
import { coreSettings } from './core-driver.ts';

/** Whether the bot quotes the markets or, as `watched`, none of them. */
export type Attention = 'watched' | 'quoted';
export type Garbage = {
  readonly frames: number;
  readonly kbAFrame: number;
  /** Steps of the core: frames, answers, events of own orders, permits and ticks. */
  readonly stepsAFrame: number;
  readonly fills: number;
};

const HERE = fileURLToPath(import.meta.url);
const MB = 1024;
const WARM_UP = 2;
const A_WHILE_MS = 100 * 3_600_000;

export async function garbageOf(tape: string, attention: Attention): Promise<Garbage> {
  const flags = [
    '--conditions=oddsmaker-source',
    `--min-semi-space-size=${MB}`,
    `--max-semi-space-size=${MB}`,
    '--expose-gc',
  ];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, HERE, tape, attention]);
  return JSON.parse(stdout) as Garbage;
}

async function measured(tape: string, attention: Attention): Promise<Garbage> {
  const folder = mkdtempSync(join(tmpdir(), 'oddsmaker-garbage-'));
  try {
    const compact = join(folder, 'tape.compact');
    await writeCompact(tape, compact);
    const markets = attention === 'quoted' ? { live: true } : { stopBeforeMs: A_WHILE_MS };
    const options = backtestOptions(coreSettings({ markets }));
    let steps = 0;
    // counted in the rounds that are not measured
    const counted = { ...options, observe: () => void (steps += 1) };
    for (let round = 0; ; round++) {
      globalThis.gc?.();
      const before = process.memoryUsage().heapUsed;
      const source = new MarketSource([{ name: tape, batches: inTurn(readCompact(compact)) }]);
      const { frames, result } = await runScenario(source, round < WARM_UP ? counted : options);
      const kbAFrame = (process.memoryUsage().heapUsed - before) / 1024 / frames;
      if (round >= WARM_UP) return { frames, kbAFrame, stepsAFrame: steps / WARM_UP / frames, fills: result.fills };
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (process.argv[1] === HERE) {
  const [, , tape = '', attention = 'quoted'] = process.argv;
  process.stdout.write(JSON.stringify(await measured(tape, attention as Attention)));
}

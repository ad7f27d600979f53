// What a backtest from the compact tape leaves for the collector, KB a frame: `garbageOf` starts this file as a process whose
// young generation holds a whole run, so that nothing is collected between two looks at the heap.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { BacktestOptions } from '../../src/backtest/backtest.ts';
import { runScenario } from '../../src/backtest/backtest.ts';
import { readCompact } from '../../src/backtest/compact-reader.ts';
import { CompactWriter } from '../../src/backtest/compact-writer.ts';
import { DEFAULT_LATENCY } from '../../src/backtest/latency.ts';
import { MarketSource } from '../../src/backtest/market-source.ts';
import { decodeTape } from '../../src/backtest/tape-stream.ts';
import { backtestSettings } from '../../src/cli/core-settings.ts';
import type { MarketEvent } from '../../src/paper/index.ts';
import { coreSettings } from './core-driver.ts';

/** `watched`: no market is quoted. */
export type Attention = 'watched' | 'quoted';
export type Garbage = { readonly frames: number; readonly kbAFrame: number; readonly fills: number };

const HERE = fileURLToPath(import.meta.url);
const MB = 1024;
const WARM_UP = 2;
const A_WHILE_MS = 100 * 3_600_000;

export async function garbageOf(tape: string, attention: Attention): Promise<Garbage> {
  const flags = [`--min-semi-space-size=${MB}`, `--max-semi-space-size=${MB}`, '--expose-gc'];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, HERE, tape, attention]);
  return JSON.parse(stdout) as Garbage;
}

async function measured(tape: string, attention: Attention): Promise<Garbage> {
  const folder = mkdtempSync(join(tmpdir(), 'oddsmaker-garbage-'));
  try {
    const compact = join(folder, 'tape.compact');
    const writer = new CompactWriter(compact, '');
    for await (const events of decodeTape(tape, {})) for (const event of events) writer.add(event);
    writer.end({ skipped: 0, torn: false, problems: [] });
    for (let round = 0; ; round++) {
      globalThis.gc?.();
      const before = process.memoryUsage().heapUsed;
      const source = new MarketSource([{ name: tape, batches: inTurn(readCompact(compact)) }]);
      const { frames, result } = await runScenario(source, optionsFor(attention));
      const kbAFrame = (process.memoryUsage().heapUsed - before) / 1024 / frames;
      if (round >= WARM_UP) return { frames, kbAFrame, fills: result.fills };
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function* inTurn(
  batches: Iterable<readonly MarketEvent[]>,
): AsyncGenerator<readonly MarketEvent[], void, void> {
  for (const batch of batches) yield batch;
}

function optionsFor(attention: Attention): BacktestOptions {
  const window = (requests: number, windowMs: number): BacktestOptions['windows']['place'] => ({
    ...{ requests, windowMs, marginMs: 20 },
  });
  const markets = attention === 'quoted' ? { live: true } : { stopBeforeMs: A_WHILE_MS };
  return {
    settings: backtestSettings(coreSettings({ markets })),
    windows: { place: window(25, 5000), cancel: window(30, 2000), read: window(10, 1000) },
    requestTimeoutMs: 5000,
    expirationMinutes: undefined,
    latency: DEFAULT_LATENCY,
    seed: 1,
    fills: 'pessimistic',
    calibratedShare: 0.5,
    fromMs: undefined,
    toMs: undefined,
    results: new Map(),
  };
}

if (process.argv[1] === HERE) {
  const [, , tape = '', attention = 'quoted'] = process.argv;
  process.stdout.write(JSON.stringify(await measured(tape, attention as Attention)));
}

// Frames per second of a whole backtest (decode, venue, engine, strategy, orders) against JSON.parse of the
// same payloads: from lines in memory, from the packed file, and from the compact tape.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import type { BacktestOptions } from '../src/backtest/scenario-types.ts';
import { runScenario } from '../src/backtest/run-scenario.ts';
import { readCompact } from '../src/tape/compact-reader.ts';
import { MarketSource } from '../src/backtest/market-source.ts';
import { decodeTape } from '../src/tape/tape-stream.ts';
import { microsOfDollars } from '../src/domain/index.ts';
import type { CoreSettings } from '../src/engine/index.ts';
import type { MarketEvent } from '../src/tape/index.ts';
import { TapeDecoder } from '../src/tape/index.ts';
import type { TapeFrame } from '../src/tape/tape-reader.ts';
import { readTape } from '../src/tape/tape-reader.ts';
import type { Strategy } from '../src/strategy/index.ts';
import fairGame from '../strategies/fair-game.ts';
import twoSided from '../strategies/two-sided.ts';
import { backtestOptions, inTurn, writeCompact } from '../test/support/backtests.ts';
import { coreSettings } from '../test/support/core-driver.ts';
import { marketDay } from './market-day.ts';
import { garbageOf } from '../test/support/garbage.ts';
import type { Row } from './run.ts';
import { median, ratiosOf } from './statistics.ts';

const WARM_UP = 4;
const ROUNDS = 5;
const BATCH = 1000;
const DAYS = 10;
const NAMES = { memory: 'memory', file: 'the packed file', compact: 'the compact tape' } as const;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (how?: { readonly type: 'minor' }) => void;
/**
 * Collects the garbage of the last block before the next begins. Only the young generation: a full collection
 * would drop the shapes of objects that no longer exist, and with them the code compiled for them.
 */
const tidy = (): void => collect({ type: 'minor' });

export async function backtest(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'oddsmaker-bench-'));
  try {
    const recorded = fileURLToPath(new URL('../../shared/data/nba-cle-min-inplay.ndjson.gz', import.meta.url));
    const rows: Row[] = [];
    if (existsSync(recorded)) {
      // without markets.live, a game that began is watched but no longer quoted
      rows.push(
        ...(await measure('NBA, quoted until it begins', { file: recorded, folder, live: false }, { compact: 2.5 })),
        ...(await measure(
          'NBA, quoted in play',
          { file: recorded, folder, live: true },
          { memory: 0.8, file: 0.65, compact: 1.1 },
        )),
        ...(await byGame(recorded, folder)),
      );
    }
    const day = join(folder, 'day.ndjson.gz');
    writeFileSync(
      day,
      gzipSync(
        marketDay(200, 40_000)
          .map(({ ts, ns, event, data }) => `${JSON.stringify({ ts, ns, event, data })}\n`)
          .join(''),
      ),
    );
    rows.push(...(await measure('200 markets', { file: day, folder, live: true }, { compact: 0.8 })));
    rows.push(...(await garbage(existsSync(recorded) ? recorded : day)), await memory());
    return rows;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

type Way = keyof typeof NAMES;

/** `goals`: the ways to measure, each with its goal. */
async function measure(
  name: string,
  { file, folder, live }: { readonly file: string; readonly folder: string; readonly live: boolean },
  goals: Readonly<Partial<Record<Way, number>>>,
): Promise<readonly Row[]> {
  const frames: TapeFrame[] = [];
  for await (const frame of readTape(file)) if (frame.ns === '/priceUpdates') frames.push(frame);
  const compact = join(folder, `${name}.compact`);
  await writeCompact(file, compact);
  const ways = {
    memory: () => inMemory(frames),
    file: () => decodeTape(file, {}),
    compact: () => inTurn(readCompact(compact)),
  } as const satisfies Readonly<Record<Way, unknown>>;
  const ratios: Record<Way, number[]> = { memory: [], file: [], compact: [] };
  const names = Object.keys(goals) as Way[];
  const frameRates: Record<string, number[]> = { parse: [] };
  const fills = new Set<number>();
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    for (const way of round % 2 === 0 ? names : names.toReversed()) {
      // the floor is measured right before, so that a slow moment of the machine affects both
      const parseMs = parseAll(frames);
      tidy();
      const began = performance.now();
      const { result } = await runScenario(new MarketSource([{ name, batches: ways[way]() }]), options(live));
      const ms = performance.now() - began;
      tidy();
      fills.add(result.fills);
      if (round < WARM_UP) continue;
      ratios[way].push(parseMs / ms);
      (frameRates[way] ??= []).push(frames.length / ms);
      frameRates['parse']?.push(frames.length / parseMs);
    }
  }
  if (fills.size !== 1) throw new Error(`the ways differ: ${[...fills].join(', ')} fills`);
  const rateTexts = Object.entries(frameRates).map(
    ([way, rates]) => `${way} ${Math.round(median(rates) * 1000).toLocaleString('en')}`,
  );
  const detail = `medians of ${ROUNDS}: ${rateTexts.join(', ')} frames/s; ${[...fills].join()} fills`;
  return names.map((way) => ({
    what: `backtest frames/s from ${NAMES[way]} ÷ JSON.parse, ${name}`,
    ratios: ratios[way],
    goal: `>= ${goals[way]}`,
    detail,
  }));
}

/** Strategies of whole games against one with an instance for each market. */
async function byGame(file: string, folder: string): Promise<readonly Row[]> {
  const compact = join(folder, 'scopes.compact');
  await writeCompact(file, compact);
  const kinds = {
    market: options(true),
    game: options(true, { ...(twoSided as Strategy), scope: 'game' }),
    fair: backtestOptions(settingsFor(true, fairGame, { risk: 20 })),
  } as const;
  type Kind = keyof typeof kinds;
  const times: Record<Kind, number[]> = { market: [], game: [], fair: [] };
  const fills: Record<Kind, number> = { market: 0, game: 0, fair: 0 };
  const order: readonly Kind[] = ['market', 'game', 'fair'];
  for (let round = 0; round < WARM_UP + ROUNDS; round++)
    for (const kind of round % 2 === 0 ? order : order.toReversed()) {
      tidy();
      const began = performance.now();
      const source = new MarketSource([{ name: kind, batches: inTurn(readCompact(compact)) }]);
      const { result } = await runScenario(source, kinds[kind]);
      fills[kind] = result.fills;
      if (round >= WARM_UP) times[kind].push(performance.now() - began);
    }
  if (fills.game !== fills.market) throw new Error(`the scopes differ: ${fills.game}, ${fills.market} fills`);
  const detailOf = (kind: Kind): string =>
    `medians of ${ROUNDS}: ${median(times[kind]).toFixed(0)} and ${median(times.market).toFixed(0)} ms`;
  return [
    {
      what: 'the same from the compact tape with scope: game ÷ scope: market, time',
      ratios: ratiosOf(times.game, times.market),
      goal: '<= 1.1',
      detail: detailOf('game'),
    },
    {
      what: 'the same with fair-game, priced from the book ÷ two-sided, time',
      ratios: ratiosOf(times.fair, times.market),
      goal: '<= 1.5',
      detail: `${detailOf('fair')}; ${fills.fair} and ${fills.market} fills`,
    },
  ];
}

function parseAll(frames: readonly TapeFrame[]): number {
  const from = performance.now();
  let kept: unknown;
  for (const { data } of frames) kept = JSON.parse(data);
  const ms = performance.now() - from;
  if (kept === undefined) throw new Error('nothing was parsed');
  return ms;
}

async function garbage(tape: string): Promise<readonly Row[]> {
  const { frames, kbAFrame, stepsAFrame, fills } = await garbageOf(tape, 'quoted');
  const watched = await garbageOf(tape, 'watched');
  const detail = (unwatched: number): string =>
    `${frames} frames, ${fills} fills; ${unwatched.toFixed(1)} where nothing is quoted`;
  return [
    {
      what: 'garbage a frame, KB, compact tape, quoted in play',
      ratios: [kbAFrame],
      goal: '<= 8',
      detail: detail(watched.kbAFrame),
    },
    {
      what: 'the same, steps of the core a frame',
      ratios: [stepsAFrame],
      goal: '<= 1.4',
      detail: detail(watched.stepsAFrame),
    },
  ];
}

/** The heap at the end of each of several days, each with its own games. */
async function memory(): Promise<Row> {
  const heaps: number[] = [];
  async function* days(): AsyncGenerator<readonly MarketEvent[], void, void> {
    for (let day = 0; day < DAYS; day++) {
      for await (const events of inMemory(marketDay(50, 10_000, day))) yield events;
      collect();
      heaps.push(process.memoryUsage().heapUsed);
    }
  }
  await runScenario(new MarketSource([{ name: 'days', batches: days() }]), options(true));
  // the first days also fill caches that do not depend on the tape
  const [first = Number.NaN] = heaps.slice(2);
  const last = heaps.at(-1) ?? Number.NaN;
  return {
    what: `heap of a backtest after ${DAYS} days ÷ after three, 50 games a day`,
    ratios: [last / first],
    goal: '<= 1.1',
    detail: `MB after each day: ${heaps.map((bytes) => (bytes / 1024 / 1024).toFixed(1)).join(', ')}`,
  };
}

async function* inMemory(frames: readonly TapeFrame[]): AsyncGenerator<readonly MarketEvent[], void, void> {
  const decoder = new TapeDecoder('memory');
  for (let start = 0; start < frames.length; start += BATCH)
    yield frames.slice(start, start + BATCH).flatMap((frame) => decoder.read(frame));
}

const common = coreSettings();
/** Limits that never deny an order: the benchmark measures quoting, not denials. */
const settingsFor = (live: boolean, strategy: Strategy, params?: object): CoreSettings =>
  coreSettings(
    {
      markets: { live },
      orders: {
        risk: {
          ...common.orders.risk,
          maxOpenOrders: 10_000,
          maxGameLoss: microsOfDollars(1e6),
          maxTotalLoss: microsOfDollars(1e6),
        },
      },
    },
    strategy,
    params,
  );
const options = (live: boolean, strategy: Strategy = twoSided): BacktestOptions =>
  backtestOptions(settingsFor(live, strategy));

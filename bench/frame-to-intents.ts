// Frames → intents through the whole core (parse, mirror, strategy, controls, planning) against JSON.parse of the same
// payloads. On the recorded NBA game where it lies beside the project, otherwise on a generated tape.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Arrival } from '../src/domain/index.ts';
import { Core } from '../src/engine/index.ts';
import { readTape } from '../src/record/tape-reader.ts';
import { coreSettings } from '../test/support/core-driver.ts';
import { writeGeneratedTape } from '../test/support/generated-tape.ts';
import { Decoder, DEFAULT_PROFILE } from '../src/wire/index.ts';
import type { Row } from './run.ts';
import { median, quantile } from './statistics.ts';

type Frame = { readonly ts: number; readonly event: string; readonly data: string };
const ROUNDS = 7;

export async function frameToIntents(): Promise<readonly Row[]> {
  const { frames, source } = await loadFrames();
  const throughput: number[] = [];
  const p50: number[] = [];
  const p99: number[] = [];
  let detail = '';
  for (let round = 0; round <= ROUNDS; round++) {
    const parsed = timeParse(frames);
    const stepped = timeCore(frames);
    if (round === 0) continue; // warm-up
    throughput.push(parsed.totalMs / stepped.totalMs);
    p50.push(median(stepped.each) / median(parsed.each));
    p99.push(quantile(stepped.each, 0.99) / quantile(parsed.each, 0.99));
    detail = `${source}: parse ${perSecond(frames, parsed.totalMs)}, core ${perSecond(frames, stepped.totalMs)} frames/s, ${stepped.intents} intents`;
  }
  return [
    {
      what: 'frames/s to intents ÷ JSON.parse of the same payloads',
      ratio: median(throughput),
      goal: '>= 0.85',
      detail,
    },
    {
      what: 'frame → intents, p50 ÷ parse of that payload',
      ratio: median(p50),
      goal: '<= 1.3',
      detail: `median of ${ROUNDS} rounds`,
    },
    {
      what: 'frame → intents, p99 ÷ parse of that payload',
      ratio: median(p99),
      goal: '<= 3',
      detail: `median of ${ROUNDS} rounds`,
    },
  ];
}

const perSecond = (frames: readonly Frame[], ms: number): string =>
  Math.round((frames.length / ms) * 1000).toLocaleString('en');

async function loadFrames(): Promise<{ frames: readonly Frame[]; source: string }> {
  const recorded = fileURLToPath(new URL('../../shared/data/nba-cle-min-inplay.ndjson.gz', import.meta.url));
  if (existsSync(recorded)) return { frames: await framesOf(recorded), source: 'NBA in play' };
  const folder = mkdtempSync(join(tmpdir(), 'oddsmaker-bench-'));
  try {
    const file = join(folder, 'tape.ndjson.gz');
    writeGeneratedTape(file, 1200);
    return { frames: await framesOf(file), source: 'generated' };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function framesOf(file: string): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const { ts, ns, event, data } of readTape(file))
    if (ns === '/priceUpdates') frames.push({ ts, event, data });
  return frames;
}

type Timed = { totalMs: number; readonly each: number[] };

function timeParse(frames: readonly Frame[]): Timed {
  const each: number[] = [];
  let kept: unknown;
  for (const { data } of frames) {
    const from = performance.now();
    kept = JSON.parse(data);
    each.push(performance.now() - from);
  }
  if (kept === undefined) throw new Error('nothing was parsed');
  return { totalMs: each.reduce((sum, ms) => sum + ms, 0), each };
}

function timeCore(frames: readonly Frame[]): Timed & { readonly intents: number } {
  const core = new Core(coreSettings({ markets: { live: true } }), { reportAsync: () => undefined });
  const from = frames[0]?.ts ?? 0;
  let seq = 0;
  const decoder = new Decoder(DEFAULT_PROFILE);
  const step = (t: number, arrival: Arrival): void => {
    seq += 1;
    decoder.applyCommands(core.step({ seq, t, mono: t - from + 1, in: decoder.inputOf(arrival) }));
  };
  step(from, { type: 'boot', run: 'bench' });
  step(from, { type: 'session', username: 'u', userId: 'u', mode: 'coins', balance: 10_000 });
  step(from, { type: 'feed', feed: 'user', status: 'up', epoch: 1 });
  step(from, { type: 'feed', feed: 'prices', status: 'up', epoch: 1 });
  const each: number[] = [];
  for (const { ts, event, data } of frames) {
    const at = performance.now();
    step(ts, { type: 'frame', feed: 'prices', epoch: 1, event, data });
    each.push(performance.now() - at);
  }
  const { intents } = core.status();
  if (intents < frames.length / 2)
    throw new Error(
      `only ${intents} intents for ${frames.length} frames: the benchmark does not measure quoting`,
    );
  return { totalMs: each.reduce((sum, ms) => sum + ms, 0), each, intents };
}

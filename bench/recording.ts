// The time that recording and the journal take on the bot's thread for one price frame, against JSON.parse of
// it. Compression and writing run in the background; the delay of the event loop meanwhile is reported
// beside.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { JournalWriter } from '../src/journal/journal.ts';
import { Recorder } from '../src/tape/recorder.ts';
import { DEFAULT_PROFILE } from '../src/wire/index.ts';
import { marketDay } from './market-day.ts';
import type { Row } from './run.ts';
import { median, quantile } from './statistics.ts';

const FRAMES = 4000;
/** Frames per burst, as they arrive live; the event loop is free between bursts. */
const BURST = 20;

export async function recording(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'oddsmaker-bench-'));
  try {
    const frames = marketDay(50, FRAMES);
    const disk = {
      problem: (message: string) => {
        throw new Error(message);
      },
      resumed: () => undefined,
    };
    const recorder = new Recorder({
      folder,
      run: 'bench',
      perspective: 'offerer',
      profile: DEFAULT_PROFILE,
      username: 'bench',
      priceNamespace: '/priceUpdates',
      userNamespace: '/v2/user/',
      secrets: () => ['a-token-of-the-session'],
      ...disk,
    });
    const journal = new JournalWriter(
      join(folder, 'journal.ndjson.zst'),
      { version: 'bench', config: {}, strategies: [], profile: {} },
      disk,
    );
    const each = { parse: [] as number[], record: [] as number[], journal: [] as number[] };
    const timed = (kind: keyof typeof each, action: () => void): void => {
      const from = performance.now();
      action();
      each[kind].push(performance.now() - from);
    };
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    for (const [index, { ts, event, data }] of frames.entries()) {
      timed('parse', () => void JSON.parse(data));
      timed('record', () => recorder.frame('prices', event, data, { t: ts, mono: ts }));
      timed('journal', () =>
        journal.record(
          { seq: index + 1, t: ts, mono: ts, in: { type: 'frame', feed: 'prices', epoch: 1, event, data } },
          [],
        ),
      );
      if (index % BURST === 0) await sleep(1);
    }
    delay.disable();
    await recorder.close();
    await journal.close();
    const row = (kind: 'record' | 'journal', action: string): Row => ({
      what: `${action} a frame on the bot's thread ÷ JSON.parse of it`,
      ratios: [median(each[kind]) / median(each.parse)],
      goal: '<= 2',
      detail: `p50 ${(median(each[kind]) * 1000).toFixed(1)} µs, p99 ${(quantile(each[kind], 0.99) * 1000).toFixed(1)} µs; the event loop's delay meanwhile: p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms`,
    });
    return [row('record', 'recording'), row('journal', 'writing down')];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

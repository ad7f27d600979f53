// The file of page frames: each frame is read back at its time, and an incomplete file is not opened.
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Frame } from '../../src/page/frame-file.ts';
import { FrameReader, FrameWriter } from '../../src/page/frame-file.ts';
import { createRandom } from '../../src/domain/random.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'frames-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Frames whose rows appear, change and disappear at random. */
function framesOf(count: number): Frame[] {
  const { next: random } = createRandom(7, 'frames');
  const pick = (most: number): number => Math.floor(random() * most);
  const rows = new Map<string, { fair: number | null; own: readonly number[] }>();
  return Array.from({ length: count }, (_, index) => {
    for (let times = pick(4); times > 0; times--) {
      const id = `m${pick(6)}`;
      if (pick(4) === 0) rows.delete(id);
      else rows.set(id, { fair: pick(3) === 0 ? null : random(), own: [pick(9)] });
    }
    const markets = Object.fromEntries(rows);
    const ladders = Object.fromEntries([...rows].map(([id]) => [id, [[{ odds: pick(9) }], []]]));
    const none = {};
    const state = {
      seq: index + 1,
      t: 1000 + index * 250,
      now: { why: `at ${pick(3)}`, http: { 200: index } },
      markets,
      orders: none,
      externals: none,
      fills: none,
      strategies: none,
      log: none,
      alerts: none,
      recent: { [index]: [index] },
      curve: none,
    };
    return { state, ladders } as unknown as Frame;
  });
}

const PAST = { from: 1000, to: 60_000, marks: [[1500, 'fill']], curve: [[1000, 1, -1]], ends: null } as const;

function written(frames: readonly Frame[]): string {
  const file = join(folder, 'run.frames');
  const writer = new FrameWriter(file);
  for (const frame of frames) writer.addFrame(frame);
  writer.finishFile(PAST, [['m1', [[1000, 0.5, null, null]]]]);
  return file;
}

describe('a file of frames', () => {
  it('returns each written frame by its time, in any order of reading', () => {
    const frames = framesOf(200);
    const reader = FrameReader.open(written(frames));
    expect(reader?.past).toEqual({ ...PAST, frames: 200 });
    for (const index of [0, 199, 47, 48, 49, 95, 96, 150, 3, 120]) {
      const { state, ladders } = frames[index] as Frame;
      const found = reader?.at(state.t + 249);
      expect(found?.frame).toEqual({ state, ladders });
      expect([found?.before, found?.after]).toEqual([
        frames[index - 1]?.state.t ?? null,
        frames[index + 1]?.state.t ?? null,
      ]);
    }
    // times before the first and after the last frame, then one frame forward and one back
    expect(reader?.at(0).frame.state.seq).toBe(1);
    expect(reader?.at(1e15).frame.state.seq).toBe(200);
    expect(reader?.at(1000, 1).frame.state.seq).toBe(2);
    expect(reader?.at(1000, -1).frame.state.seq).toBe(1);
    expect(reader?.at(1e15, 1).frame.state.seq).toBe(200);
    expect(reader?.pathOf('m1')).toEqual([[1000, 0.5, null, null]]);
    expect(reader?.pathOf('toString')).toEqual([]);
    reader?.close();
  });

  it('is not opened when it is cut off, is no file of frames, or was never finished', () => {
    const file = written(framesOf(60));
    const { length } = readFileSync(file);
    truncateSync(file, length - 1);
    expect(FrameReader.open(file)).toBeUndefined();
    writeFileSync(file, 'x'.repeat(500));
    expect(FrameReader.open(file)).toBeUndefined();
    writeFileSync(file, '');
    expect(FrameReader.open(file)).toBeUndefined();
    expect(FrameReader.open(join(folder, 'none'))).toBeUndefined();
    const draft = join(folder, 'draft');
    const writer = new FrameWriter(draft);
    for (const frame of framesOf(60)) writer.addFrame(frame);
    writer.abandon();
    expect(FrameReader.open(draft)).toBeUndefined();
  });
});

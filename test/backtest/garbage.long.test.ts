import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { garbageOf } from '../support/garbage.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';

/**
 * Twice what was measured when these limits were set: a copy of a ladder, or of all markets, exceeds them.
 */
const MOST_KB = { watched: 13, quoted: 30 };

it('a backtest leaves little for the garbage collector, frame by frame', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'oddsmaker-garbage-'));
  try {
    const tape = join(folder, 'tape.ndjson.gz');
    writeGeneratedTape(tape, 3000);
    const watched = await garbageOf(tape, 'watched');
    expect(watched.frames).toBeGreaterThan(10_000);
    expect(watched.fills).toBe(0);
    expect(watched.kbAFrame).toBeLessThan(MOST_KB.watched);
    const quoted = await garbageOf(tape, 'quoted');
    expect(quoted.fills).toBeGreaterThan(0);
    expect(quoted.kbAFrame).toBeLessThan(MOST_KB.quoted);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

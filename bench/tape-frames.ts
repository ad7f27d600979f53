// Price frames for the benchmarks of the live side: from the recorded NBA game when that lies beside the
// project, otherwise from a generated tape.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readTape } from '../src/tape/tape-reader.ts';
import { writeGeneratedTape } from '../test/support/generated-tape.ts';

export type Frame = { readonly ts: number; readonly event: string; readonly data: string };

export async function loadFrames(): Promise<{ frames: readonly Frame[]; source: string }> {
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

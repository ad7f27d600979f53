// A cut of the sample plays as the whole tape from there on, with games that are live, closed, moved and
// over, and lost connections.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder, ROOT, run } from '../support/children.ts';

const TAPE = join(ROOT, 'examples/sample.ndjson.zst');
const CONFIG = join(ROOT, 'examples/sample.yaml');

async function played(tape: string, ...flags: readonly string[]) {
  const out = folder();
  const { code, stderr } = await run([
    'backtest',
    CONFIG,
    '--tape',
    tape,
    '--fills',
    'optimistic',
    '--out',
    out,
    ...flags,
  ]);
  expect(code, stderr).toBe(0);
  const { scenarios } = JSON.parse(readFileSync(join(out, 'result.json'), 'utf8')) as { scenarios: object };
  return { scenarios, fills: readFileSync(join(out, 'fills.csv'), 'utf8') };
}

it.each(['2030-11-16T18:30:05Z', '2030-11-16T19:30:00Z', '3h'])(
  'a tape cut at %s plays as the whole tape from there on',
  async (from) => {
    const cut = join(folder(), 'cut.ndjson.zst');
    expect(await run(['tape', 'cut', TAPE, '--from', from, '--out', cut])).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(await played(cut)).toEqual(await played(TAPE, '--from', from));
  },
  300_000,
);

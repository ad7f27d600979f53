// `markets.select` on the sample tape: fewer requests than for all markets, and the same result each time.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resultSchema } from '../../src/backtest/result.ts';
import { command, folder, NO_JOURNAL, ROOT, TWO_SIDED, writeConfig } from '../support/children.ts';

const TAPE = join(ROOT, 'examples/sample.ndjson.zst');
/** By then one game has begun. */
const UNTIL = '2030-11-16T19:05Z';

async function play(select: string, ...flags: readonly string[]) {
  const config = writeConfig(
    [
      'exchange: { embedded: {} }',
      `markets: { live: true${select} }`,
      `strategies: [{ use: ${TWO_SIDED}, id: main, params: { edge: 0.02, risk: 20 } }]`,
      NO_JOURNAL,
    ].join('\n'),
  );
  const out = folder();
  const line = ['backtest', config, '--tape', TAPE, '--to', UNTIL, '--out', out, '--fills', 'pessimistic'];
  const { code, stderr } = await command([...line, '--report', 'none', ...flags]);
  expect(code, stderr).toBe(0);
  const text = readFileSync(join(out, 'result.json'), 'utf8');
  const run = resultSchema.parse(JSON.parse(text)).scenarios['pessimistic'];
  if (run === undefined) throw new Error('no scenario');
  return { out, run, files: ['fills.csv', 'markets.csv'].map((name) => readFileSync(join(out, name), 'utf8')), text };
}

describe('a backtest with markets.select', () => {
  it('sends fewer requests for three markets than for all, and ends the same each time', async () => {
    const [all, first, second] = await Promise.all([
      play(''),
      play(', select: { by: value, most: 3 }'),
      play(', select: { by: value, most: 3 }'),
    ]);
    expect(first.run.permits.place).toBeGreaterThan(0);
    expect(first.run.permits.place).toBeLessThan(0.5 * all.run.permits.place);
    // by share of the wanted slots in selected markets
    expect(first.run.quotedShare).toBeGreaterThan(0.9);
    expect(first.files).toEqual(second.files);
    expect(first.run).toEqual(second.run);
  });

  it('leaves the commands as they are with by: all, and a journal that replays with by: value', async () => {
    const [without, all, value] = await Promise.all([
      play('', '--journal'),
      play(', select: { by: all, most: 1 }', '--journal'),
      play(', select: { by: value }', '--journal'),
    ]);
    const bodyOf = ({ out }: { readonly out: string }): string =>
      readFileSync(join(out, 'pessimistic.ndjson'), 'utf8').split('\n').slice(1).filter(isStep).join('\n');
    expect(bodyOf(all)).toBe(bodyOf(without));
    expect(bodyOf(value)).not.toBe(bodyOf(without));
    const journal = join(value.out, 'pessimistic.ndjson');
    const { code, stdout } = await command(['replay', '--verify', journal]);
    expect(stdout).toContain('Every command is the same');
    expect(code).toBe(0);
    const ref = /"ref":"([^"]+)"/.exec(readFileSync(journal, 'utf8'))?.[1] ?? '';
    const why = await command(['why', journal, ref]);
    expect(why.stdout).toMatch(/its market by value per permit: rank \d+, \$\d+\.\d\d a permit/);
  });
});

/** The chain covers the header, which holds the configuration. */
const isStep = (line: string): boolean => !line.includes('"chain"');

// Shipped strategies on the first hours of the sample: each trades in every scenario. The README plays
// `two-sided` on all of it (test/docs/readme.long.test.ts).
import { SCENARIOS } from '../../src/report/index.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { resultSchema } from '../../src/backtest/result.ts';
import { command, folder, NO_JOURNAL, ROOT, writeConfig } from '../support/children.ts';

const TAPE = join(ROOT, 'examples/sample.ndjson.zst');
/** By then one game has begun, and one begins. */
const UNTIL = '2030-11-16T19:15Z';

type Row = { readonly odds: number };
type Game = {
  readonly id: string;
  readonly homeMoneylines: readonly Row[];
  readonly awayMoneylines: readonly Row[];
};

/** Signals as a model might send them: the middle of each moneyline when the recorder connected. */
function signals(): string {
  const read = zstdDecompressSync(readFileSync(TAPE))
    .toString('utf8', 0, 1_000_000)
    .split('\n', 3)
    .map((line) => JSON.parse(line) as { ts: number; ns: string; data: string })
    .find(({ ns }) => ns === 'rest');
  if (read === undefined) throw new Error('the sample has no read');
  const { data } = JSON.parse(read.data) as { data: { games: readonly Game[] } };
  const probability = ([best]: readonly Row[]): number => {
    const odds = best?.odds ?? 100;
    return odds > 0 ? 100 / (100 + odds) : -odds / (100 - odds);
  };
  const values = Object.fromEntries(
    data.games.map(({ id, homeMoneylines, awayMoneylines }) => [
      `fair:${id}/moneyline`,
      (probability(homeMoneylines) + 1 - probability(awayMoneylines)) / 2,
    ]),
  );
  const file = join(folder(), 'signals.ndjson');
  const line = { ts: read.ts + 1, ns: 'signals', event: 'signal', data: { values, ttl: '2h' } };
  writeFileSync(file, `${JSON.stringify(line)}\n`);
  return file;
}

describe('a shipped strategy on the sample tape', () => {
  it.each([
    ['join-best', '{ risk: 20 }', () => []],
    ['own-price', '{ edge: 0.015, risk: 20 }', () => ['--tape', signals()]],
  ])('is filled in every scenario, for more risk from one to the next: %s', async (name, params, inputs) => {
    const strategy = `{ use: ${join(ROOT, 'strategies', `${name}.ts`)}, id: main, params: ${params} }`;
    const config = writeConfig(
      `exchange: { embedded: { traders: tape } }\nmarkets: { live: true }\nstrategies:\n  - ${strategy}\n${NO_JOURNAL}`,
    );
    const out = folder();
    const { code, stderr } = await command([
      ...['backtest', config, '--tape', TAPE, '--to', UNTIL, '--out', out, '--fills', 'all'],
      ...inputs(),
    ]);
    // a part of the tape may look as if its recorder had cut the ladders
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^(oddsmaker: .* as if they were cut .*\n)?$/)]);
    const { scenarios } = resultSchema.parse(JSON.parse(readFileSync(join(out, 'result.json'), 'utf8')));
    const filled = SCENARIOS.map((scenario) => scenarios[scenario]?.riskFilled ?? 0);
    expect(filled[0]).toBeGreaterThan(0);
    expect(filled[1]).toBeGreaterThan(filled[0] ?? 0);
    expect(filled[2]).toBeGreaterThan(filled[1] ?? 0);
    for (const scenario of SCENARIOS) expect(scenarios[scenario]?.quotedShare).toBeGreaterThan(0.8);
  });
});

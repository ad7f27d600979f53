// `warmUp` in a backtest: the tape before --from gives the history, else quotes wait for it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command, folder, ROOT, run } from '../support/children.ts';

const SAMPLE = join(ROOT, 'examples/sample.ndjson.zst');

type Scenario = { readonly orders: { readonly placed: number }; readonly heldWhy: Readonly<Record<string, unknown>> };

async function played(
  warmUp: string,
  ...flags: readonly string[]
): Promise<{ readonly out: string; readonly result: Scenario }> {
  const config = join(folder(), 'bot.yaml');
  writeFileSync(
    config,
    `exchange: { embedded: { traders: tape }, playerMode: coins }
markets: { leagues: [NBA], types: [moneyline], lines: main }
strategies:
  - { use: ${join(ROOT, 'strategies/two-sided.ts')}, id: main, params: { edge: 0.02, risk: 20 }, warmUp: ${warmUp} }
journal: { dir: null }
ledger: { file: null }
`,
  );
  const out = folder();
  const { code, stderr } = await command([
    'backtest',
    config,
    '--tape',
    SAMPLE,
    '--out',
    out,
    '--fills',
    'pessimistic',
    ...flags,
  ]);
  expect(code, stderr).toBe(0);
  const json = JSON.parse(readFileSync(join(out, 'result.json'), 'utf8')) as {
    readonly scenarios: { readonly pessimistic: Scenario };
  };
  return { out, result: json.scenarios.pessimistic };
}

describe('warmUp in a backtest', () => {
  it('holds quotes back at the beginning of a tape, and not where the tape before --from has a history', async () => {
    const cold = await played('20m', '--to', '2030-11-16T17:20Z');
    expect(cold.result.heldWhy).toHaveProperty('warm-up');
    expect(cold.result.orders.placed).toBeGreaterThan(0);
    const warm = await played('20m', '--from', '2030-11-16T17:00Z', '--to', '2030-11-16T17:20Z');
    expect(warm.result.heldWhy).not.toHaveProperty('warm-up');
    expect(warm.result.orders.placed).toBeGreaterThan(0);
    const never = await played('3h', '--from', '2030-11-16T17:00Z', '--to', '2030-11-16T17:20Z');
    expect(never.result.orders.placed).toBe(0);
  });

  it('is in the journal, which replays without the tape', async () => {
    const { out } = await played('20m', '--from', '2030-11-16T17:00Z', '--to', '2030-11-16T17:05Z', '--journal');
    const { code, stdout, stderr } = await run(['replay', '--verify', join(out, 'pessimistic.ndjson')]);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/the same|identical|reproduc/i);
  });
});

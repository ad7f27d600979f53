// `backtest --look-ahead-check`: who knows what comes later is found out, also by what it remembers of earlier runs.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { command, folder, NO_JOURNAL, STRATEGIES, writeConfig } from '../support/children.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';

const own = (body: string): string => `import { map } from 'rxjs';
import { z } from 'zod';
import { defineStrategy } from 'oddsmaker/strategy';
const memory = ((globalThis as { memory?: Map<string, number> }).memory ??= new Map<string, number>());
let count = 0;
export default defineStrategy({
  name: 'own',
  params: z.object({}),
  create: () => (views$) => views$.pipe(map(({ market, now }) => { ${body} })),
});
`;

async function checked(strategies: string, ...flags: readonly string[]) {
  return checkedFor(60, strategies, ...flags);
}

async function checkedFor(seconds: number, strategies: string, ...flags: readonly string[]) {
  const home = folder();
  const tape = join(home, 'tape.ndjson.gz');
  writeGeneratedTape(tape, seconds);
  const config = writeConfig(`exchange: { embedded: {} }\n${strategies}${NO_JOURNAL}`, home);
  return command([
    'backtest',
    config,
    '--tape',
    tape,
    '--out',
    join(home, 'out'),
    '--look-ahead-check',
    '--threads',
    '1',
    ...flags,
  ]);
}

async function checkedOwn(body: string, ...flags: readonly string[]) {
  const file = join(folder(), 'own.ts');
  writeFileSync(file, own(body));
  return checked(`strategies: [{ use: ${file}, id: mine, impure: true }]\n`, ...flags);
}

it('finds nothing in a strategy that looks at what it is shown', async () => {
  const { code, stdout } = await checked(STRATEGIES);
  expect(stdout).toMatch(/^look-ahead: none\. [\d,]{4,} intents before 20 cuts are the same bytes$/m);
  expect(code).toBe(0);
});

it('says how far the fill model looks ahead where it does, and compares up to there', async () => {
  const { code, stdout } = await checkedFor(240, STRATEGIES, '--fills', 'calibrated');
  expect(stdout).toMatch(
    /^look-ahead: none\. [\d,]{2,} intents before 20 cuts are the same bytes; calibrated looks up to [\d.]+ s ahead of what vanishes/m,
  );
  expect(code).toBe(0);
});

it('goes on with the pessimistic scenario where the fill model looks over all of a short tape', async () => {
  const { code, stdout } = await checked(STRATEGIES, '--fills', 'calibrated');
  expect(stdout).toMatch(/^look-ahead: nothing could be compared: calibrated looks up to [\d.]+ s ahead/m);
  expect(stdout).toMatch(/^look-ahead: none\. [\d,]{4,} intents before 20 cuts are the same bytes$/m);
  expect(code).toBe(0);
});

it('finds a strategy that remembers what an earlier run saw later: the first difference, by time and strategy', async () => {
  const { code, stdout } = await checkedOwn(`
    count += 1;
    const known = memory.get('last') ?? 0;
    memory.set('last', Math.max(known, count));
    return { market: market.id, quotes: [], reason: String(known > count) };
  `);
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^look-ahead: strategy mine wants something else at 2030-03-01T18:00:\S+ where the tape ends at 2030-/m,
  );
  expect(stdout).toContain('"reason":"');
});

it('plays one configuration', async () => {
  const { code, stderr } = await checked(STRATEGIES, '--vary', 'main.edge=0.01,0.02');
  expect([code, stderr]).toEqual([2, expect.stringContaining('leave --vary out')]);
});

// `backtest --look-ahead-check` finds a strategy that knows what comes later, also by what it remembers of
// earlier runs.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder, STRATEGIES } from '../support/children.ts';
import { checkLookAhead } from '../support/look-ahead.ts';

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

async function checkedOwn(body: string, ...flags: readonly string[]) {
  const file = join(folder(), 'own.ts');
  writeFileSync(file, own(body));
  return checkLookAhead(`strategies: [{ use: ${file}, id: mine, impure: true }]\n`, ...flags);
}

it('backtest --look-ahead-check finds nothing in a strategy that uses its views only', async () => {
  const { code, stdout } = await checkLookAhead(STRATEGIES);
  expect(stdout).toMatch(/^look-ahead: none\. [\d,]{4,} intents before 20 cuts are the same bytes$/m);
  expect(code).toBe(0);
});

it('backtest --look-ahead-check finds a strategy that remembers an earlier run, and shows the first difference', async () => {
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

it('backtest --look-ahead-check plays a single configuration and refuses --vary', async () => {
  const { code, stderr } = await checkLookAhead(STRATEGIES, '--vary', 'main.edge=0.01,0.02');
  expect([code, stderr]).toEqual([2, expect.stringContaining('leave --vary out')]);
});

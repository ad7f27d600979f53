// A slow strategy in the process of the backtest itself: Ctrl-C works as before after a view that took long.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { folder, NO_JOURNAL, start, writeConfig } from '../support/children.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';

const SLOW = `import { map } from 'rxjs';
import { z } from 'zod';
import { defineStrategy } from 'oddsmaker/strategy';
let seen = 0;
const spin = (ms: number): void => {
  for (const from = Date.now(); Date.now() < from + ms;);
};
export default defineStrategy({
  name: 'slow',
  params: z.object({}),
  create: () => (views$) =>
    views$.pipe(
      map(({ market }) => {
        spin((seen += 1) === 1 ? 12_000 : 50);
        return { market: market.id, quotes: [] };
      }),
    ),
});
`;

it('Ctrl-C ends a backtest as usual after a strategy took long once', async () => {
  const home = folder();
  writeFileSync(join(home, 'slow.ts'), SLOW);
  const tape = join(home, 'generated.ndjson.gz');
  writeGeneratedTape(tape, 30);
  const config = writeConfig(
    `exchange: { embedded: {} }\nstrategies: [{ use: ./slow.ts, id: mine, impure: true }]\n${NO_JOURNAL}`,
    home,
  );
  const { child, ended, prints } = start([
    ...['backtest', config, '--tape', tape, '--out', folder(), '--threads', '1'],
  ]);
  expect(await prints('stderr', /\?/)).toMatch(/slow\.ts:6 \(spin\) has been running for 5 s/);
  // the long view has ended by then
  await sleep(9000);
  child.kill('SIGINT');
  const { code, stderr } = await ended;
  expect(code, stderr).toBe(130);
  expect(stderr).toContain('interrupted; no results were written');
});

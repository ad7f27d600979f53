// `warmUp` over a restart: the prices in the journal of the last run are an input of the next one, so that it quotes at
// once, and its journal replays without any other file.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scanJournal } from '../../src/journal/index.ts';
import { folder, run, startExchange, TWO_SIDED, writeConfig } from '../support/children.ts';

type History = { readonly markets: readonly { readonly prices: readonly unknown[] }[] };

it('a restarted bot quotes at once, with the prices of its last run as an input of the new journal', async () => {
  const exchange = await startExchange('--games', '2', '--account', 'bot:pw:10000:10000');
  const workspace = folder();
  writeFileSync(join(workspace, 'secret'), '');
  const config = writeConfig(
    `exchange: { restUrl: '${exchange.restUrl}', socketUrl: '${exchange.socketUrl}', username: bot, password: pw, playerMode: coins }
markets: { leagues: [NBA], types: [moneyline], lines: main }
strategies:
  - { use: ${TWO_SIDED}, id: main, params: { edge: 0.02, risk: 20 }, warmUp: 9s }
risk: { maxDailyLoss: 1000 }
journal: { dir: ./run }
ledger: { file: ./run/ledger.db }
ops: { port: 0 }
`,
    workspace,
  );
  const first = await run(['run', config, '--for', '20s', '--json']);
  expect(first.code, first.stderr).toBe(0);
  expect((JSON.parse(first.stdout) as { placed: number }).placed).toBeGreaterThan(0);
  const second = await run(['run', config, '--for', '8s', '--json']);
  expect(second.code, second.stderr).toBe(0);
  // shorter than the warm-up, and it placed all the same
  expect((JSON.parse(second.stdout) as { placed: number }).placed).toBeGreaterThan(0);
  const journals = readdirSync(join(workspace, 'run'))
    .filter((name) => name.endsWith('.ndjson.zst'))
    .sort();
  const histories: (History | undefined)[] = [];
  for (const name of journals) {
    let found: History | undefined;
    await scanJournal(join(workspace, 'run', name), {
      step: ({ input }) => {
        if (input.in.type === 'history') found = input.in;
      },
    });
    histories.push(found);
    const replayed = await run(['replay', '--verify', join(workspace, 'run', name)]);
    expect(replayed.code, replayed.stderr).toBe(0);
  }
  expect(histories[0]).toBeUndefined();
  expect(histories[1]?.markets.length).toBe(2);
  expect(histories[1]?.markets.every(({ prices }) => prices.length > 0)).toBe(true);
}, 120_000);

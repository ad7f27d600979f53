// Runs a client that was written from the specification alone, without this project's wire code, against the
// exchange process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startExchange } from '../support/children.ts';

const CLIENT = fileURLToPath(new URL('./spec-client.mjs', import.meta.url));

it('a client written from the specification alone finds the exchange as specified', { timeout: 120_000 }, async () => {
  const funds = ['alice:secret:10000:10000', 'bob:secret:10000:10000', 'carol:secret:30:30'];
  const accounts = funds.flatMap((account) => ['--account', account]);
  const { restUrl, socketUrl, adminUrl } = await startExchange('--traders', 'none', '--games', '4', ...accounts);
  const client = spawn(process.execPath, [CLIENT, restUrl, socketUrl, adminUrl], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  client.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = (await once(client, 'close')) as [number | null];
  expect(output.split('\n').filter((line) => /^(FAIL|skip)/.test(line))).toEqual([]);
  expect(output).toMatch(/\n\d+ steps, 0 failed/);
  expect(code).toBe(0);
});

import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readJournal } from '../../src/journal/journal-reader.ts';
import { folder, start, TWO_SIDED, writeConfig } from '../support/children.ts';

const ENV = { X: 'k3y', LONG: 'a-secret-of-16-c', VIEW: 'may-only-look', OPS: 'may-command-too', MODE: 'coins' };

/** Reads the first frame of the page. */
async function firstFrame(url: string, token: string): Promise<string> {
  const aborting = new AbortController();
  const response = await fetch(`${url}/api/stream`, {
    headers: { authorization: `Bearer ${token}` },
    signal: aborting.signal,
  });
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk as Uint8Array).toString();
    if (/event: (?!hello)\w+\ndata: .*\n\n/.test(text)) break;
  }
  aborting.abort();
  return text;
}

it('a value from the environment is on no page, in no log and in no journal, whatever its key', async () => {
  const workFolder = folder();
  const source = readFileSync(TWO_SIDED, 'utf8')
    .replace('inventoryLimit:', 'apiKey: z.string(),\n  pwd: z.string(),\n  feed: z.string(),\n  inventoryLimit:')
    .replace(
      'const [first, second]',
      "if (view.market.type === 'total') throw new Error(`no access with ${params.pwd}`);\n  const [first, second]",
    )
    .replace('reason: `fair', 'reason: `${params.pwd} fair');
  writeFileSync(join(workFolder, 'own.ts'), source);
  const config = writeConfig(
    [
      'exchange: { embedded: { games: 2 }, playerMode: "${MODE}" }',
      'strategies:',
      '  - use: ./own.ts',
      '    id: main',
      '    params: { edge: 0.02, risk: 50, apiKey: "${X}", pwd: "${LONG}", feed: "https://feed/${X}/v1" }',
      'ops: { port: 0, token: "${OPS}", viewToken: "${VIEW}" }',
      'ledger: { file: ./ledger.db }',
      'journal: { dir: ./run }',
      '',
    ].join('\n'),
    workFolder,
  );
  const bot = start(['run', config], ENV);
  const log = await bot.prints('stderr', /no access with/);
  const url = /"url":"(http[^"]+)"/.exec(log)?.[1] ?? '';
  const frame = await firstFrame(url, ENV.VIEW);
  expect(frame).toContain('"apiKey"');
  expect(frame).toContain('${X}');
  const status = await fetch(`${url}/status`, { headers: { authorization: `Bearer ${ENV.VIEW}` } });
  const statusText = await status.text();
  bot.child.kill('SIGTERM');
  const { stdout, stderr } = await bot.ended;
  const name = readdirSync(join(workFolder, 'run')).find((file) => file.includes('.ndjson')) ?? '';
  const { header, steps } = await readJournal(join(workFolder, 'run', name));
  expect(header).toMatchObject({
    config: {
      exchange: { playerMode: 'coins' },
      strategies: [{ params: { apiKey: '${X}', pwd: '${LONG}', feed: 'https://feed/${X}/v1' } }],
      ops: { token: '${OPS}', viewToken: '${VIEW}' },
    },
  });
  for (const step of steps) expect(JSON.stringify(step)).not.toContain(ENV.LONG);
  expect(JSON.stringify(steps)).toContain('"said":"${LONG} fair');
  for (const file of readdirSync(workFolder).filter((entry) => entry.startsWith('ledger.db')))
    expect(readFileSync(join(workFolder, file)).includes(ENV.LONG), file).toBe(false);
  const alerts = steps.flatMap(({ commands }) => commands.filter(({ type }) => type === 'alert'));
  expect(JSON.stringify(alerts)).toContain('no access with ${LONG}');
  for (const shown of [frame, statusText, stdout, stderr, JSON.stringify([header, alerts])])
    for (const secret of [ENV.LONG, 'feed/k3y', '"k3y"', ENV.OPS, ENV.VIEW]) expect(shown).not.toContain(secret);
});

// Every reader of a file that a user wrote accepts it as Linux editors write it, with a byte order mark and
// with the line ends of Windows, and refuses UTF-16 by name.
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { fillModelOf, fillModelText } from '../../src/backtest/fill-model-file.ts';
import { readResults } from '../../src/backtest/results-file.ts';
import { SHIPPED_FILL_MODEL } from '../../src/backtest/shipped-fill-model.ts';
import { readAccountFile } from '../../src/cli/accounts.ts';
import { loadConfig, loadGate, loadTeams, loadYaml } from '../../src/config/index.ts';
import { faultPlanSchema } from '../../src/paper/index.ts';
import { rawFilesOf } from '../../src/import/raw-files.ts';
import { StreamFile } from '../../src/import/stream-file.ts';
import { readCsv } from '../../src/table/csv-reader.ts';
import { readTape } from '../../src/tape/tape-reader.ts';
import { FollowedFile } from '../../src/signals/index.ts';
import { fileOdds, httpOdds } from '../../src/signals/odds-reader.ts';
import { command, folder, STRATEGIES } from '../support/children.ts';

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

async function messagesOf(file: string): Promise<readonly unknown[]> {
  const raw = (await rawFilesOf([file], folder(), () => undefined))[0];
  if (raw === undefined) return [];
  const stream = new StreamFile(raw, () => undefined);
  await stream.advance();
  if (stream.problem !== undefined) throw new Error(`${file}: ${stream.problem}`);
  return [stream.head];
}

const TAPE = [
  '{"tape":1,"depth":null,"perspective":"offerer"}',
  '{"ts":1898596800000,"ns":"/priceUpdates","event":"connect","data":""}',
  '{"ts":1898596800000,"ns":"/priceUpdates","event":"gameUpdate","data":"{}"}\n',
].join('\n');
const BETFAIR = '{"op":"mcm","pt":1709380800000,"mc":[{"id":"1.3","rc":[]}]}\n';
const CONFIG = `exchange: { embedded: {} }\n${STRATEGIES}`;
const GATE = 'name: first\ngames: 3\npass: { fills: ">= 1" }\n';

/** What a reader returns for a file, without the file name. */
const READERS: readonly (readonly [string, string, (file: string) => unknown])[] = [
  ['a configuration', CONFIG, (file) => loadConfig(file, {}).config],
  ['a gate', GATE, (file) => loadGate(file).gate],
  [
    'a fault plan',
    'seed: 7\nrules:\n  - { fault: delay, on: [place], by: 50ms }\n',
    (file) => loadYaml(file, {}, faultPlanSchema),
  ],
  ['a table of teams', '"LA Lakers": Lakers\n', loadTeams],
  ['results', '{"g1":{"home":5,"away":2}}\n', readResults],
  ['a fill model', fillModelText(SHIPPED_FILL_MODEL), (file) => fillModelOf(file).model],
  ['accounts', 'alice:secret\n#c\nbob:x\n', readAccountFile],
  ['a tape', TAPE, (file) => all(readTape(file))],
  ['a table', 'time,event\n2026-03-01T18:00:00Z,"Ash @ Birch"\n', (file) => all(readCsv(file))],
  ['a stream of Betfair', BETFAIR, messagesOf],
];

describe.each(READERS)('%s', (_what, text, read) => {
  const written = (bytes: string | Buffer): string => {
    const file = join(folder(), 'file');
    writeFileSync(file, bytes);
    return file;
  };

  it('is read the same with a byte order mark and with the line ends of Windows', async () => {
    const plain = await read(written(text));
    expect(await read(written(`\ufeff${text}`))).toEqual(plain);
    expect(await read(written(`\ufeff${text.replaceAll('\n', '\r\n')}`))).toEqual(plain);
  });

  it('is refused as UTF-16, with its name and what to do', async () => {
    const file = written(Buffer.from(`\ufeff${text}`, 'utf16le'));
    const error = await Promise.resolve()
      .then(() => read(file))
      .catch((thrown: unknown) => thrown);
    expect(String(error)).toContain(file);
    expect(String(error)).toContain('it is UTF-16 and must be UTF-8');
  });
});

it.each([
  ['a configuration', `# Málaga\n${CONFIG}`, READERS[0]?.[2]],
  ['results', '{"Málaga":{"home":5,"away":2}}\n', readResults],
  ['accounts', 'málaga:secret\n', readAccountFile],
])('%s is refused as Latin-1, with its name and line', (_what, text, read) => {
  const file = join(folder(), 'latin1');
  writeFileSync(file, Buffer.from(text, 'latin1'));
  expect(() => read?.(file)).toThrow(file);
  expect(() => read?.(file)).toThrow('line 1 has a character that is not UTF-8');
});

describe('a document of odds', () => {
  const bytes = (encoding: BufferEncoding): Buffer => Buffer.from('\ufeff[]\r\n', encoding);

  it('may begin with a byte order mark, from a file or over HTTP, and is refused as UTF-16', async () => {
    const file = join(folder(), 'odds.json');
    const read = fileOdds(file);
    const { signal } = new AbortController();
    writeFileSync(file, bytes('utf8'));
    expect(await read(signal)).toEqual({ type: 'new', text: '[]\r\n' });
    writeFileSync(file, bytes('utf16le'));
    expect(await read(signal)).toEqual({
      type: 'failed',
      problem: expect.stringContaining('UTF-16') as string,
    });
    const { createServer } = await import('node:http');
    const server = createServer((_request, response) => response.end(bytes('utf8')));
    await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as { readonly port: number };
    expect(await httpOdds(`http://127.0.0.1:${port}/`, () => 0)(signal)).toEqual({
      type: 'new',
      text: '[]\r\n',
    });
    server.close();
    server.closeAllConnections();
  });
});

describe('a followed file of signals', () => {
  it('may have a byte order mark before any line, and is refused as UTF-16', async () => {
    const path = join(folder(), 'signals.ndjson');
    writeFileSync(path, '');
    const received: unknown[] = [];
    const warnings: unknown[] = [];
    const file = new FollowedFile(path, {
      take: (messages) => received.push(...messages),
      log: { info: () => undefined, warn: (_message, fields) => warnings.push(fields) },
      now: () => 0,
    });
    await vi.waitFor(() => expect(file.details).toMatchObject({ open: true }));
    appendFileSync(path, '\ufeff{"values":{"p":1}}\r\n\ufeff{"values":{"p":2}}\r\n');
    await vi.waitFor(() => expect(received).toEqual([{ values: { p: 1 } }, { values: { p: 2 } }]));
    appendFileSync(path, Buffer.from('\ufeff{"values":{"p":3}}\r\n{"values":{"p":3}}\r\n', 'utf16le'));
    await vi.waitFor(() =>
      expect(warnings).toEqual([
        expect.objectContaining({ kind: 'no UTF-8', problem: expect.stringContaining('UTF-16') as string }),
      ]),
    );
    await file.close();
  });
});

describe('the file of --env-file', () => {
  const written = (text: string | Buffer): string => {
    const env = join(folder(), 'x.env');
    writeFileSync(env, text);
    return env;
  };

  it('may begin with a byte order mark', async () => {
    const config = join(folder(), 'c.yaml');
    writeFileSync(config, `${CONFIG}ops: { token: "\${TEXT_TEST_TOKEN}" }\n`);
    const env = written('\ufeffTEXT_TEST_TOKEN=0123456789abcdef-first\r\nOTHER=1\r\n');
    const { code, stderr } = await command(['check', config, '--env-file', env]);
    expect([code, stderr]).toEqual([0, '']);
  });

  it('causes a warning with the line of a value that is cut at a #, without the value', async () => {
    const env = written('# secrets\nTEXT_TEST_OTHER=abc#123\n');
    const { stderr } = await command(['ctl', 'nowhere.yaml', 'pause', '--env-file', env]);
    expect(stderr).toContain(`oddsmaker: warning: ${env}:2: the value ends before the #: put the value in quotes`);
    expect(stderr).not.toMatch(/abc|123/);
  });

  it('is refused as UTF-16', async () => {
    const env = written(Buffer.from('\ufeffTEXT_TEST_TOKEN=0123456789abcdef\r\n', 'utf16le'));
    const { code, stderr } = await command(['ctl', 'nowhere.yaml', 'pause', '--env-file', env]);
    expect([code, stderr]).toEqual([78, expect.stringMatching(/x\.env cannot be read: it is UTF-16/)]);
  });
});

// A journal holds the sources of its strategies, so it replays without the files of the time of its run.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readJournal } from '../../src/journal/journal-reader.ts';
import { folder, run, TWO_SIDED, writeConfig } from '../support/children.ts';
import { cli, rewrite } from '../support/journals.ts';

let home = '';
/** The file name of the journal in `run`. */
let journal = '';
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'oddsmaker-sources-'));
  mkdirSync(join(home, 'sizes'));
  writeFileSync(join(home, 'sizes', 'all.ts'), "export { half } from './half.ts';\n");
  writeFileSync(
    join(home, 'sizes', 'half.ts'),
    'export const half = (size: number): number => Math.floor(size / 2);\n',
  );
  const source = readFileSync(TWO_SIDED, 'utf8').replace(
    'risk: params.risk',
    'risk: half(params.risk) as typeof params.risk',
  );
  expect(source).toContain('half(');
  writeFileSync(join(home, 'quotes.ts'), `import { half } from './sizes/all.ts';\n${source}`);
  const config = writeConfig(
    [
      'exchange: { embedded: { games: 2, seed: 1 } }',
      'strategies: [{ use: ./quotes.ts, id: main, params: { edge: 0.02, risk: 100 } }]',
      'journal: { dir: ./run }',
      '',
    ].join('\n'),
    home,
  );
  const { code, stderr } = await run(['run', config, '--for', '3s']);
  expect(code, stderr).toBe(0);
  journal = readdirSync(join(home, 'run')).find((name) => name.endsWith('.ndjson.zst')) ?? '';
}, 60_000);
afterAll(() => rmSync(home, { recursive: true, force: true }));

const elsewhere = (): string => {
  const to = folder();
  cpSync(home, to, { recursive: true });
  return to;
};

type Report = {
  readonly ok: boolean;
  readonly changed: boolean;
  readonly compared: { readonly commands: number };
  readonly strategies: readonly { readonly file: string }[];
};
/** Replays in a process of its own, which loads files as a run does. */
async function replay(
  to: string,
  ...flags: readonly string[]
): Promise<{ readonly code: number | null; readonly report: Report; readonly text: string }> {
  const args = ['replay', '--verify', join(to, 'run', journal), ...flags];
  const [json, text] = await Promise.all([run([...args, '--json']), run(args)]);
  return { code: json.code, report: JSON.parse(json.stdout) as Report, text: text.stdout };
}

describe('the strategies of a journal', () => {
  it('are recorded with every own file that they import', async () => {
    const { header } = await readJournal(join(home, 'run', journal));
    const recordOf = (file: string): { readonly file: string; readonly source: string; readonly sha256: string } => {
      const source = readFileSync(join(home, file), 'utf8');
      return { file, source, sha256: createHash('sha256').update(source).digest('hex') };
    };
    expect(header.strategies).toEqual([
      {
        ...recordOf('quotes.ts'),
        file: './quotes.ts',
        imports: [recordOf('sizes/all.ts'), recordOf('sizes/half.ts')],
      },
    ]);
  });

  it.each([
    ['the file is gone', (to: string) => rmSync(join(to, 'quotes.ts'))],
    [
      'sizes/half.ts was changed',
      (to: string) => writeFileSync(join(to, 'sizes', 'half.ts'), 'export const half = () => 700;\n'),
    ],
  ])(
    'replay from the source in the journal when %s, and the report says so',
    { timeout: 60_000 },
    async (why, change) => {
      const to = elsewhere();
      change(to);
      const { code, report, text } = await replay(to);
      expect(code, text).toBe(0);
      expect(report).toMatchObject({ ok: true, changed: false });
      expect(report.compared.commands).toBeGreaterThan(10);
      expect(report.strategies[0]?.file).toBe(join(to, 'run', journal));
      expect(text).toContain(`main: ./quotes.ts (from the source in the journal: ${why}), as then`);
    },
  );

  it(
    'replay from the files on disk when a configuration is named, and the report names what differs',
    { timeout: 60_000 },
    async () => {
      const to = elsewhere();
      writeFileSync(join(to, 'sizes', 'half.ts'), 'export const half = () => 700;\n');
      const { code, report, text } = await replay(to, '--config', join(to, 'bot.yaml'));
      expect(code, text).toBe(65);
      expect(report).toMatchObject({ ok: false, changed: true });
      expect(text).toContain('CHANGED, what it imports is not as then: sizes/half.ts');
    },
  );

  it('are refused when the journal places them outside their folder', async () => {
    const to = elsewhere();
    const evil = await rewrite(join(to, 'run', journal), join(to, 'run', 'evil.ndjson'), {
      header: ({ strategies, ...header }) => ({
        ...header,
        strategies: strategies.map((strategy) => ({ ...strategy, at: join(to, 'evil.ts'), sha256: 'none' })),
      }),
    });
    const { code, err } = await cli('replay', '--verify', evil);
    expect(code).toBe(65);
    expect(err).toContain('a strategy file cannot be at');
  });
});

// A journal in parts is one journal for every command that reads journals.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { partFile } from '../../src/journal/journal-parts.ts';
import { readJournal } from '../../src/journal/journal-reader.ts';
import type { FaultyJournal } from '../support/journals.ts';
import { cli, writeFaultyJournal, writeJournal } from '../support/journals.ts';

let at = '';
let made: FaultyJournal = { config: '', journal: '' };
/** In parts of which the first is packed, as those of a run are. */
let parts = '';
let records = 0;
let order = '';

beforeAll(async () => {
  at = mkdtempSync(join(tmpdir(), 'oddsmaker-parts-'));
  made = await writeFaultyJournal(at, { seconds: 60, seed: 1 });
  const { header, steps } = await readJournal(made.journal);
  records = steps.length;
  expect(records).toBeGreaterThan(1000);
  parts = await writeJournal(join(at, 'run', 'parts.ndjson'), header, steps, 1);
  writeFileSync(`${parts}.zst`, zstdCompressSync(readFileSync(parts)));
  rmSync(parts);
  for (const { commands } of steps.slice(300))
    for (const command of commands) if (command.type === 'edit') order ||= String(command.order.ref);
});
afterAll(() => rmSync(at, { recursive: true, force: true }));

/** Both verdicts, as if the two had one name. */
async function both(...command: readonly string[]): Promise<readonly unknown[]> {
  const said: unknown[] = [];
  for (const file of [made.journal, parts]) {
    const { code, out, err } = await cli(...command.map((word) => (word === 'JOURNAL' ? file : word)));
    said.push({ code, out: out.replaceAll(file, 'JOURNAL'), err });
  }
  return said;
}

describe('a journal in parts', () => {
  it.each([
    ['replay', ['replay', '--verify', 'JOURNAL']],
    ['conform', ['conform', 'JOURNAL']],
    ['why', ['why', 'JOURNAL', 'ORDER', '--json']],
  ])('is one for %s', async (_name, command) => {
    const [one, other] = await both(...command.map((word) => (word === 'ORDER' ? order : word)));
    expect(one).toMatchObject({ err: '', out: expect.stringMatching(/./) as string });
    expect(other).toEqual(one);
  });

  it('is one tape, and measures one latency', async () => {
    const backtest = async (journal: string): Promise<unknown> => {
      const out = join(at, `out-${journal === parts ? 'parts' : 'one'}`);
      const flags = ['--tape', journal, '--latency', journal, '--out', out, '--fills', 'pessimistic'];
      expect(await cli('backtest', made.config, ...flags, '--no-cache')).toMatchObject({ code: 0 });
      return JSON.parse(readFileSync(join(out, 'result.json'), 'utf8')) as unknown;
    };
    const one = (await backtest(made.journal)) as { scenarios: unknown; frames: unknown };
    const other = (await backtest(parts)) as { scenarios: unknown; frames: unknown; inputs: unknown };
    expect(other.scenarios).toEqual(one.scenarios);
    expect(other.frames).toBe(one.frames);
    expect(other.inputs).toMatchObject({
      tapes: [{ file: `${parts}.zst` }, { file: partFile(parts, 2) }],
      latencyJournal: { file: parts },
    });
  });

  it('is no tape where a part between others is missing, and is told once where one is there twice', async () => {
    const to = join(at, 'gap');
    mkdirSync(to);
    for (const [name, from] of [
      ['run.ndjson.zst', `${parts}.zst`],
      ['run.part0003.ndjson', partFile(parts, 2)],
    ] as const)
      cpSync(from, join(to, name));
    const flags = ['--out', join(at, 'out-gap'), '--fills', 'pessimistic', '--no-cache'];
    const run = (tape: string) => cli('backtest', made.config, '--tape', tape, ...flags);
    const told = await run(join(to, 'run.ndjson'));
    expect(told.code).toBe(65);
    expect(told.err).toContain(
      `${join(to, 'run.ndjson.zst')}:1: part 2 of this journal is missing, and part 3 is there`,
    );
    // nor is the folder
    expect(await run(to)).toMatchObject({ code: 65, err: told.err });
    rmSync(join(to, 'run.part0003.ndjson'));
    // a kill came before the packed one took its place
    writeFileSync(join(to, 'run.ndjson'), zstdDecompressSync(readFileSync(`${parts}.zst`)));
    expect(await run(to)).toMatchObject({ code: 0 });
    const { inputs } = JSON.parse(readFileSync(join(at, 'out-gap', 'result.json'), 'utf8')) as {
      readonly inputs: { readonly tapes: readonly { readonly file: string }[] };
    };
    expect(inputs.tapes.map(({ file }) => file)).toEqual([join(to, 'run.ndjson')]);
  });

  it('that is cut off is measured by up to there, and that is told before anything is played', async () => {
    const to = join(at, 'cut');
    mkdirSync(to);
    const file = join(to, 'run.ndjson.zst');
    cpSync(`${parts}.zst`, file);
    truncateSync(file, Math.floor(statSync(file).size / 2));
    const flags = ['--tape', made.journal, '--out', join(at, 'out-cut'), '--no-cache'];
    for (const [more, code] of [
      [['--fills', 'pessimistic', '--latency', file], 0],
      [['--fills', 'calibrated', '--calibrate', file], 0],
    ] as const)
      expect(await cli('backtest', made.config, ...flags, ...more)).toMatchObject({
        code,
        err: expect.stringMatching(/^oddsmaker: .*run\.ndjson\.zst:\d+: .*torn here; its run was killed/m) as string,
      });
    truncateSync(file, 10);
    expect(await cli('backtest', made.config, ...flags, '--latency', file)).toMatchObject({
      code: 65,
      err: expect.stringContaining(`${file}:1: the file is cut off in its first line`) as string,
    });
  });

  it('without its beginning still tells of its orders, but neither replays nor conforms', async () => {
    const former = readFileSync(`${parts}.zst`);
    rmSync(`${parts}.zst`);
    try {
      const why = await cli('why', parts, order);
      expect(why.err).toMatch(/the first parts of this journal are gone, it is read from record 1001 on/);
      const flags = ['--tape', made.journal, '--latency', parts, '--out', join(at, 'out-latency')];
      expect(await cli('backtest', made.config, ...flags, '--fills', 'pessimistic', '--no-cache')).toMatchObject({
        code: 0,
        err: expect.stringContaining(
          `${parts}: the first parts of this journal are gone, it is read from record 1001 on`,
        ) as string,
      });
      for (const command of [['replay', '--verify'], ['conform']])
        expect(await cli(...command, parts)).toMatchObject({
          code: 65,
          err: expect.stringMatching(/begins behind record 1000, and the one before it is missing/) as string,
        });
    } finally {
      writeFileSync(`${parts}.zst`, former);
    }
  });
});

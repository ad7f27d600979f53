// A journal in parts is read as one journal by every command that reads journals.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { partFile } from '../../src/journal/journal-parts.ts';
import { readJournal } from '../../src/journal/journal-reader.ts';
import type { FaultyJournal } from '../support/journals.ts';
import { cli, writeFaultyJournal, writeJournal } from '../support/journals.ts';

let directory = '';
let made: FaultyJournal = { config: '', journal: '' };
/** The same journal in parts. The first part is packed, as in the journals of a run. */
let parts = '';
let records = 0;
let order = '';

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'oddsmaker-parts-'));
  made = await writeFaultyJournal(directory, { seconds: 60, seed: 1 });
  const { header, steps } = await readJournal(made.journal);
  records = steps.length;
  expect(records).toBeGreaterThan(1000);
  parts = await writeJournal(join(directory, 'run', 'parts.ndjson'), header, steps, 1);
  writeFileSync(`${parts}.zst`, zstdCompressSync(readFileSync(parts)));
  rmSync(parts);
  for (const { commands } of steps.slice(300))
    for (const command of commands) if (command.type === 'edit') order ||= String(command.order.ref);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** The results of a command for the whole journal and for its parts, with the file name replaced. */
async function both(...command: readonly string[]): Promise<readonly unknown[]> {
  const results: unknown[] = [];
  for (const file of [made.journal, parts]) {
    const { code, out, err } = await cli(...command.map((word) => (word === 'JOURNAL' ? file : word)));
    results.push({ code, out: out.replaceAll(file, 'JOURNAL'), err });
  }
  return results;
}

describe('a journal in parts', () => {
  it.each([
    ['replay', ['replay', '--verify', 'JOURNAL']],
    ['conform', ['conform', 'JOURNAL']],
    ['why', ['why', 'JOURNAL', 'ORDER', '--json']],
  ])('reads the same as a whole journal to oddsmaker %s', async (_name, command) => {
    const [whole, other] = await both(...command.map((word) => (word === 'ORDER' ? order : word)));
    expect(whole).toMatchObject({ err: '', out: expect.stringMatching(/./) as string });
    expect(other).toEqual(whole);
  });

  it.each(['marks', 'books', 'fills'])('exports the %s of all its parts', async (what) => {
    const tables: string[] = [];
    for (const file of [made.journal, parts]) {
      const out = join(directory, `${what}.csv`);
      const { code, err } = await cli('export', file, '--what', what, '--format', 'csv', '--out', out);
      expect([code, err]).toEqual([0, '']);
      tables.push(readFileSync(out, 'utf8'));
    }
    expect(tables[0]?.split('\n').length).toBeGreaterThan(10);
    expect(tables[1]).toBe(tables[0]);
    // positions of the last part, too
    const [names = '', ...rows] = (tables[0] ?? '').trim().split('\n');
    const column = names.split(',').indexOf('marked');
    if (what === 'marks') expect(rows.some((row) => Number(row.split(',')[column]) !== 0)).toBe(true);
  });

  it('plays as one tape, and measures one latency', async () => {
    const backtest = async (journal: string): Promise<unknown> => {
      const out = join(directory, `out-${journal === parts ? 'parts' : 'one'}`);
      const flags = ['--tape', journal, '--latency', journal, '--out', out, '--fills', 'pessimistic'];
      expect(await cli('backtest', made.config, ...flags, '--no-cache')).toMatchObject({ code: 0 });
      return JSON.parse(readFileSync(join(out, 'result.json'), 'utf8')) as unknown;
    };
    const whole = (await backtest(made.journal)) as { scenarios: unknown; frames: unknown };
    const other = (await backtest(parts)) as { scenarios: unknown; frames: unknown; inputs: unknown };
    expect(other.scenarios).toEqual(whole.scenarios);
    expect(other.frames).toBe(whole.frames);
    expect(other.inputs).toMatchObject({
      tapes: [{ file: `${parts}.zst` }, { file: partFile(parts, 2) }],
      latencyJournal: { file: parts },
    });
  });

  it('is refused as a tape when a part is missing, and is read once when a part is there packed and unpacked', async () => {
    const to = join(directory, 'gap');
    mkdirSync(to);
    for (const [name, from] of [
      ['run.ndjson.zst', `${parts}.zst`],
      ['run.part0003.ndjson', partFile(parts, 2)],
    ] as const)
      cpSync(from, join(to, name));
    const flags = ['--out', join(directory, 'out-gap'), '--fills', 'pessimistic', '--no-cache'];
    const run = (tape: string) => cli('backtest', made.config, '--tape', tape, ...flags);
    const refused = await run(join(to, 'run.ndjson'));
    expect(refused.code).toBe(65);
    expect(refused.err).toContain(
      `${join(to, 'run.ndjson.zst')}:1: part 2 of this journal is missing, and part 3 is there`,
    );
    // the folder is refused as well
    expect(await run(to)).toMatchObject({ code: 65, err: refused.err });
    rmSync(join(to, 'run.part0003.ndjson'));
    // as after a kill before the packed part replaced the other
    writeFileSync(join(to, 'run.ndjson'), zstdDecompressSync(readFileSync(`${parts}.zst`)));
    expect(await run(to)).toMatchObject({ code: 0 });
    const { inputs } = JSON.parse(readFileSync(join(directory, 'out-gap', 'result.json'), 'utf8')) as {
      readonly inputs: { readonly tapes: readonly { readonly file: string }[] };
    };
    expect(inputs.tapes.map(({ file }) => file)).toEqual([join(to, 'run.ndjson')]);
  });

  it('is measured up to where it is torn, and the backtest says so before it plays', async () => {
    const to = join(directory, 'cut');
    mkdirSync(to);
    const file = join(to, 'run.ndjson.zst');
    cpSync(`${parts}.zst`, file);
    truncateSync(file, Math.floor(statSync(file).size / 2));
    const flags = ['--tape', made.journal, '--out', join(directory, 'out-cut'), '--no-cache'];
    for (const [latency, code] of [
      [['--fills', 'pessimistic', '--latency', file], 0],
      [['--fills', 'calibrated', '--calibrate', file], 0],
    ] as const)
      expect(await cli('backtest', made.config, ...flags, ...latency)).toMatchObject({
        code,
        err: expect.stringMatching(/^oddsmaker: .*run\.ndjson\.zst:\d+: .*torn here; its run was killed/m) as string,
      });
    truncateSync(file, 10);
    expect(await cli('backtest', made.config, ...flags, '--latency', file)).toMatchObject({
      code: 65,
      err: expect.stringContaining(`${file}:1: the file is cut off in its first line`) as string,
    });
  });

  it('still shows its orders without its first parts, but cannot be replayed or checked', async () => {
    const former = readFileSync(`${parts}.zst`);
    rmSync(`${parts}.zst`);
    try {
      const why = await cli('why', parts, order);
      expect(why.err).toMatch(/the first parts of this journal are gone, it is read from record 1001 on/);
      const flags = ['--tape', made.journal, '--latency', parts, '--out', join(directory, 'out-latency')];
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

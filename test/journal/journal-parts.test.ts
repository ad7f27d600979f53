// A journal that is split into several files.
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Command, Input } from '../../src/domain/index.ts';
import type { DiskReport } from '../../src/files/disk-report.ts';
import type { JournalHeader } from '../../src/journal/journal.ts';
import { JournalWriter } from '../../src/journal/journal.ts';
import { partFile, partsOf } from '../../src/journal/journal-parts.ts';
import type { Tear } from '../../src/journal/journal-reader.ts';
import { readJournal, scanJournal } from '../../src/journal/journal-reader.ts';
import { GOOD_DISK } from '../support/disk.ts';

const HEADER = { version: '1.2.3', config: { a: 1 }, strategies: [], profile: {} };
const TICK: Input = { type: 'tick' };
const wake = (dueAt: number): Command => ({ type: 'wake', at: dueAt });
const RUNS = 25;
/** Fewer characters than a thousand records have: a new part begins at each chain record. */
const EVERY_TIME = 1;

const dir = mkdtempSync(join(tmpdir(), 'journal-parts-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
let files = 0;
function fresh(): string {
  const folder = join(dir, `${(files += 1)}`);
  mkdirSync(folder);
  return join(folder, 'run.ndjson');
}
const named = (file: string): string[] => readdirSync(join(file, '..')).sort();

async function written(
  count: number,
  {
    file = fresh(),
    partChars = EVERY_TIME,
    disk = GOOD_DISK,
    header = HEADER,
  }: {
    file?: string;
    partChars?: number;
    disk?: DiskReport;
    header?: JournalHeader;
  } = {},
): Promise<string> {
  const writer = new JournalWriter(file, header, disk, partChars);
  for (let seq = 1; seq <= count; seq++) {
    writer.record({ seq, t: 1000 + seq, mono: seq, in: TICK }, seq % 3 === 0 ? [wake(seq)] : []);
  }
  await writer.close();
  return file;
}

type Scanned = {
  readonly seqs: readonly number[];
  readonly tears: readonly Tear[];
  readonly begins: number[];
};
async function scanned(file: string): Promise<Scanned> {
  const [seqs, tears, begins]: [number[], Tear[], number[]] = [[], [], []];
  await scanJournal(file, {
    step: ({ input, commands }) => {
      seqs.push(input.seq);
      expect(commands).toEqual(input.seq % 3 === 0 ? [wake(input.seq)] : []);
    },
    torn: (tear) => tears.push(tear),
    begins: (seq) => begins.push(seq),
  });
  return { seqs, tears, begins };
}
const upTo = (last: number, first = 1): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i);
const refusal = (file: string): Promise<unknown> =>
  readJournal(file).then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );

describe('a long journal', () => {
  it.each([
    ['', (bytes: Buffer) => bytes],
    ['.zst', zstdDecompressSync],
  ])('continues in further parts, each packed like the first: "%s"', async (packing, unpacked) => {
    const file = await written(3500, { file: `${fresh()}${packing}` });
    expect(named(file)).toEqual(
      ['run.ndjson', 'run.part0002.ndjson', 'run.part0003.ndjson', 'run.part0004.ndjson'].map(
        (name) => `${name}${packing}`,
      ),
    );
    const linesOf = (part: number): string[] =>
      unpacked(readFileSync(partFile(file, part)))
        .toString()
        .split('\n');
    const last = JSON.parse(linesOf(1).at(-2) ?? '') as { chain: string };
    expect(last).toEqual({ seq: 1000, chain: expect.stringMatching(/^\w{64}$/) as string, next: 2 });
    expect(JSON.parse(linesOf(2)[0] ?? '')).toEqual({
      journal: 2,
      ...HEADER,
      after: { part: 1, seq: 1000, chain: last.chain },
    });
  });

  it('stays in one file while it is shorter than the limit', async () => {
    const file = await written(2500, { partChars: 1e6 });
    expect(named(file)).toEqual(['run.ndjson']);
  });

  it.each([1, 3, 4])('is read as a whole from the name of its part %d', async (part) => {
    const file = await written(3500);
    // an earlier version packed parts during the run
    for (const old of [file, partFile(file, 2)]) {
      writeFileSync(`${old}.zst`, zstdCompressSync(readFileSync(old)));
      rmSync(old);
    }
    const names = [file, `${file}.zst`, partFile(file, part), `${partFile(file, part)}.zst`];
    for (const name of names) {
      const { header, steps } = await readJournal(name);
      expect(header).toEqual({ journal: 2, ...HEADER });
      expect(steps.map(({ input }) => input.seq)).toEqual(upTo(3500));
    }
  });

  it.each([999, 1000, 1001, 2000])('of %d records is read to its end without a tear', async (count) => {
    expect(await scanned(await written(count))).toEqual({ seqs: upTo(count), tears: [], begins: [] });
  });

  it('of any length that is cut off anywhere is read up to the cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3200 }), fc.nat(), async (count, cut) => {
        const file = await written(count);
        const last = partsOf(file).at(-1)?.file ?? '';
        const { length } = readFileSync(last);
        const left = cut % (length + 1);
        truncateSync(last, left);
        const isFirst = last === file;
        if (isFirst && !readFileSync(last, 'utf8').includes('\n')) {
          expect(await refusal(file)).toMatch(/empty|not JSON|torn/);
          return;
        }
        // the last line needs no line end
        const isWhole = left >= length - 1;
        const { seqs, tears } = await scanned(file);
        expect(seqs).toEqual(upTo(seqs.length));
        expect(tears).toHaveLength(isWhole ? 0 : 1);
        if (!isWhole) expect(tears[0]).toMatchObject({ file: last, seq: seqs.length });
        if (!isFirst) expect(seqs.length).toBeGreaterThanOrEqual(Math.floor((count - 1) / 1000) * 1000);
      }),
      { numRuns: RUNS },
    );
  });

  it('without its first parts is read from the next part if the reader allows it, and refused by default', async () => {
    const file = await written(3500);
    for (const { file: part } of partsOf(file).slice(0, 2)) rmSync(part);
    expect(await scanned(file)).toEqual({ seqs: upTo(3500, 2001), tears: [], begins: [2001] });
    expect(await refusal(partFile(file, 4))).toMatch(
      /run\.part0003\.ndjson:1: this part begins behind record 2000, and the one before it is missing/,
    );
  });

  it('without a middle part is torn at the gap, and the parts after the gap can be read', async () => {
    const file = await written(3500);
    rmSync(partsOf(file)[1]?.file ?? '');
    const { seqs, tears } = await scanned(file);
    expect(seqs).toEqual(upTo(1000));
    expect(tears).toMatchObject([{ seq: 1000, verified: 1000 }]);
    expect(tears[0]?.problem).toMatch(/part 2 of the journal should follow, and is missing/);
    expect(await scanned(partFile(file, 3))).toMatchObject({ seqs: upTo(3500, 2001), begins: [2001] });
  });

  it('without its last part is refused', async () => {
    const file = await written(2500);
    rmSync(partFile(file, 3));
    expect(await refusal(file)).toMatch(/part 3 of the journal should follow/);
  });

  it('is refused when a part was replaced by one with a valid chain of its own', async () => {
    const file = await written(2500);
    const changed = fresh();
    const writer = new JournalWriter(changed, HEADER, GOOD_DISK, EVERY_TIME);
    for (let seq = 1; seq <= 1500; seq++) writer.record({ seq, t: 7, mono: seq, in: TICK }, []);
    await writer.close();
    rmSync(partsOf(file)[0]?.file ?? '');
    copyFileSync(changed, file);
    expect(await refusal(file)).toMatch(/part0002\.ndjson.*:1: this part does not follow on .*run\.ndjson/);
  });

  it('is refused when a part has the name of another part', async () => {
    const file = await written(2500);
    const moved = join(file, '..', 'moved.ndjson');
    copyFileSync(partFile(file, 2), moved);
    expect(await refusal(moved)).toMatch(/:1: this is part 2 of a journal, and its name says 1/);
  });

  it.each(['"next":7', '"next":null', '"next":"2"', '"seq":999,"x":0'])(
    'is refused when its chain record says %s',
    async (field) => {
      const file = await written(1500);
      const part = partsOf(file)[0]?.file ?? '';
      const text = readFileSync(part, 'utf8');
      const changed = field.startsWith('"next"')
        ? text.replace('"next":2', field)
        : text.replace('"seq":1000,"chain"', '"seq":999,"chain"');
      expect(changed).not.toBe(text);
      writeFileSync(part, changed);
      expect(await refusal(file)).toMatch(/this chain record belongs elsewhere/);
    },
  );

  it('is read through a symbolic link, and ignores files whose names only resemble parts', async () => {
    const file = await written(2500);
    const elsewhere = fresh();
    symlinkSync(partsOf(file)[0]?.file ?? '', elsewhere);
    expect((await readJournal(elsewhere)).steps).toHaveLength(2500);
    for (const name of ['run.part0001.ndjson', 'run.part00002.ndjson', 'run.part0000.ndjson'])
      writeFileSync(join(file, '..', name), 'a tape, say');
    expect((await readJournal(file)).steps).toHaveLength(2500);
  });

  it('is refused when records follow the end of a part', async () => {
    const file = await written(2500);
    const part = partsOf(file)[1]?.file ?? '';
    const text = readFileSync(part, 'utf8');
    writeFileSync(part, `${text}${text.split('\n').at(-2)}\n`);
    expect(await refusal(file)).toMatch(/this part of the journal had ended, and more follows/);
  });

  it('is read from the unpacked part when both exist, since a kill may come before that one is removed', async () => {
    const file = await written(2500);
    writeFileSync(`${file}.zst`, 'half');
    expect((await readJournal(file)).steps).toHaveLength(2500);
  });

  it('is read up to the cut of a packed part', async () => {
    const file = await written(3500, { file: `${fresh()}.zst` });
    const second = partFile(file, 2);
    truncateSync(second, statSync(second).size - 200);
    expect(await refusal(file)).toMatch(/part0002\.ndjson\.zst:\d+: the file cannot be read/);
    const { seqs, tears } = await scanned(file);
    expect(tears).toMatchObject([{ file: second, problem: 'the journal is torn here' }]);
    expect(seqs).toEqual(upTo(seqs.length));
    expect(seqs.length).toBeGreaterThanOrEqual(1000);
    expect(seqs.length).toBeLessThan(2000);
  });

  it('continues in its current part when the next part cannot be created', async () => {
    const problems: string[] = [];
    const disk = { ...GOOD_DISK, problem: (message: string) => void problems.push(message) };
    const file = fresh();
    writeFileSync(partFile(file, 2), 'another program’s\n');
    await written(3500, { file, disk });
    expect(problems).toEqual([expect.stringMatching(/^the journal cannot continue in a new part.*EEXIST/)]);
    expect(readFileSync(partFile(file, 2), 'utf8')).toBe('another program’s\n');
    rmSync(partFile(file, 2));
    expect((await readJournal(file)).steps).toHaveLength(3500);
  });
});

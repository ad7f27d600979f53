import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Command, Arrival, RunEvent, StampedArrival } from '../../src/domain/index.ts';
import type { JournalHeader } from '../../src/journal/journal.ts';
import { JournalWriter } from '../../src/journal/journal.ts';
import type { Tear } from '../../src/journal/journal-reader.ts';
import { readJournal, scanJournal } from '../../src/journal/journal-reader.ts';
import { GOOD_DISK } from '../support/disk.ts';

const HEADER: JournalHeader = {
  version: '1.2.3',
  config: { exchange: { password: '[hidden]' } },
  strategies: [{ file: './own.ts', sha256: 'abc' }],
  profile: { oddsStep: 1 },
};
const TICK: Arrival = { type: 'tick' };
const frame = (data: string): Arrival => ({
  type: 'frame',
  feed: 'prices',
  epoch: 1,
  event: 'orderUpdate',
  data,
});
const wake = (dueAt: number): Command => ({ type: 'wake', at: dueAt });

const dir = mkdtempSync(join(tmpdir(), 'journal-'));
afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
});
let files = 0;
const fresh = (): string => join(dir, `${(files += 1)}`, 'journal.ndjson');

type Step = { readonly in: Arrival; readonly out: readonly Command[] };
async function written(steps: readonly Step[], file = fresh()): Promise<string> {
  const writer = new JournalWriter(file, HEADER, GOOD_DISK);
  steps.forEach((step, index) => {
    const stamped: StampedArrival = { seq: index + 1, t: 1000 + index, mono: index + 0.5, in: step.in };
    writer.record(stamped, step.out);
  });
  await writer.close();
  return file;
}
const many = (count: number): Step[] =>
  Array.from({ length: count }, (_, i) => ({ in: TICK, out: i % 3 === 0 ? [wake(i)] : [] }));

const linesOf = (file: string): string[] => readFileSync(file, 'utf8').split('\n').slice(0, -1);
const json = (line: string | undefined): Record<string, unknown> =>
  JSON.parse(line ?? 'null') as Record<string, unknown>;

/** The line and message of the refusal of `content` as a journal. */
async function refusalOf(content: string | Buffer): Promise<{ line: number; message: string }> {
  const file = join(dir, `changed-${(files += 1)}.ndjson`);
  writeFileSync(file, content);
  const error = await readJournal(file).then(
    () => undefined,
    (problem: unknown) => problem,
  );
  expect(error).toMatchObject({ code: 'JOURNAL_INVALID', exit: 65 });
  const { message } = error as Error;
  expect(message.startsWith(`${file}:`)).toBe(true);
  return { line: Number.parseInt(message.slice(file.length + 1), 10), message };
}

describe('a written journal', () => {
  it('begins with a header, then has inputs with their commands, and ends with a chain', async () => {
    const lines = linesOf(
      await written([
        { in: { type: 'boot', run: 'r' }, out: [wake(5)] },
        { in: TICK, out: [] },
      ]),
    );
    expect(lines.map(json)).toEqual([
      { journal: 2, ...HEADER },
      { seq: 1, t: 1000, mono: 0.5, in: { type: 'boot', run: 'r' } },
      { seq: 1, out: [{ type: 'wake', at: 5 }] },
      { seq: 2, t: 1001, mono: 1.5, in: { type: 'tick' } },
      { seq: 2, chain: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
    ]);
  });

  it('has the sha256 of all lines before it after every 1,000th record and at the end', async () => {
    const lines = linesOf(await written(many(2500)));
    const hash = createHash('sha256');
    const chains: unknown[] = [];
    for (const line of lines) {
      const { seq, chain } = json(line);
      if (chain !== undefined) {
        expect(chain).toBe(hash.copy().digest('hex'));
        chains.push(seq);
      }
      hash.update(`${line}\n`);
    }
    expect(chains).toEqual([1000, 2000, 2500]);
    expect(json(lines.at(-1))['chain']).toBeDefined();
  });

  it.each([1000, 2000])('that is cut off after its regular chain record %d is torn, not complete', async (seq) => {
    const lines = linesOf(await written(many(2345)));
    const end = lines.findIndex((line) => json(line)['seq'] === seq && json(line)['chain'] !== undefined);
    const { line, message } = await refusalOf(`${lines.slice(0, end + 1).join('\n')}\n`);
    expect(message).toMatch(/closing record is missing/);
    expect(line).toBe(end + 1);
  });

  it('without a regular chain record counts as changed, since a tear would remove the lines after it too', async () => {
    const lines = linesOf(await written(many(1468))).filter((line) => json(line)['chain'] === undefined);
    const { message } = await refusalOf(`${lines.join('\n')}\n`);
    expect(message).toMatch(/chain record behind record 1000 is missing/);
  });

  it('has the events of a step in one line with its commands, and the reader returns them', async () => {
    const file = fresh();
    const writer = new JournalWriter(file, HEADER, GOOD_DISK);
    const events: readonly RunEvent[] = [{ type: 'Reconciled', open: 3 }];
    writer.record({ seq: 1, t: 1, mono: 1, in: TICK }, [wake(5)], events);
    writer.record({ seq: 2, t: 2, mono: 2, in: TICK }, [], events);
    writer.record({ seq: 3, t: 3, mono: 3, in: TICK }, []);
    await writer.close();
    const lines = linesOf(file).map(json);
    expect(lines.filter((line) => 'ev' in line)).toEqual([
      { seq: 1, out: [wake(5)], ev: events },
      { seq: 2, ev: events },
    ]);
    const { steps } = await readJournal(file);
    expect(steps.map((step) => step.events)).toEqual([events, events, []]);
  });

  it('of format 1 is read without events', async () => {
    const lines = linesOf(await written(many(2)));
    const first = `${JSON.stringify({ ...json(lines[0]), journal: 1 })}\n${lines[1] ?? ''}\n`;
    const chain = createHash('sha256').update(first).digest('hex');
    const file = fresh();
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${first}${JSON.stringify({ seq: 1, chain })}\n`);
    const { steps } = await readJournal(file);
    expect(steps).toEqual([{ input: json(lines[1]), commands: [], events: undefined }]);
  });

  it('without prices has price frames without payload, and everything else as recorded', async () => {
    const user: Arrival = { type: 'frame', feed: 'user', epoch: 1, event: 'positionUpdate', data: '{"a":"}}"}' };
    const payloads = ['', '{"odds":[1,"\\"}}"]}', 'ends with a backslash \\', '"}}', '{"é":"😀"}'];
    const steps = [
      ...payloads.map((data) => ({ in: frame(data), out: [wake(1)] })),
      { in: user, out: [] },
      { in: TICK, out: [] },
    ];
    const read: Arrival[] = [];
    await scanJournal(await written(steps), {
      withoutPrices: true,
      step: ({ input, commands }) => {
        read.push(input.in);
        expect(commands).toEqual(steps[read.length - 1]?.out);
      },
    });
    // a line that ends with an escaped backslash looks cut off, and is read whole
    const kept = read.map((input) => (input.type === 'frame' ? input.data : input.type));
    expect(kept).toEqual(['', '', payloads[2], '', '', user.data, 'tick']);
  });

  it('writes nothing after it is closed, though another file has its descriptor then', async () => {
    const file = fresh();
    const writer = new JournalWriter(file, HEADER, GOOD_DISK);
    const permit: Command = { type: 'cancel', req: 1, permit: 1, orderIds: [], why: [] };
    // both must reach the disk at once, and the second waits for the first
    writer.record({ seq: 1, t: 1, mono: 1, in: TICK }, [permit]);
    writer.record({ seq: 2, t: 2, mono: 2, in: TICK }, [permit]);
    await writer.close();
    writer.record({ seq: 3, t: 3, mono: 3, in: TICK }, [permit]);
    const other = await written(many(3));
    const before = readFileSync(other, 'utf8');
    const descriptors = Array.from({ length: 10 }, () => openSync(other, 'a'));
    await new Promise((resolve) => setTimeout(resolve, 120));
    for (const fd of descriptors) closeSync(fd);
    expect(readFileSync(other, 'utf8')).toBe(before);
    expect((await readJournal(file)).steps).toHaveLength(2);
  });

  it('never overwrites another journal', async () => {
    const file = await written(many(1));
    expect(() => new JournalWriter(file, HEADER, GOOD_DISK)).toThrow(/EEXIST/);
  });
});

describe('readJournal', () => {
  it.each([0, 1, 999, 1000, 1001, 2345])('returns %d steps as they were recorded', async (count) => {
    const steps = many(count);
    const journal = await readJournal(await written(steps));
    expect(journal.header).toEqual({ journal: 2, ...HEADER });
    expect(journal.steps.map(({ input, commands }) => ({ in: input.in, out: commands }))).toEqual(steps);
    expect(journal.steps.map(({ input }) => input.seq)).toEqual(steps.map((_, i) => i + 1));
  });

  it('returns any payload as it was recorded', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { maxLength: 5 }), async (payloads) => {
        const file = await written(payloads.map((data) => ({ in: frame(data), out: [] })));
        const { steps } = await readJournal(file);
        expect(steps.map(({ input }) => (input.in.type === 'frame' ? input.in.data : undefined))).toEqual(payloads);
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    ['a line separator', 'a\u2028b'],
    ['a paragraph separator', 'a\u2029b'],
    ['line ends', 'a\r\nb\rc\n'],
  ])('returns a payload with %s as it was recorded', async (_name, data) => {
    const { steps } = await readJournal(await written([{ in: frame(data), out: [] }]));
    expect(steps[0]?.input.in).toEqual(frame(data));
  });

  describe('of a changed journal', () => {
    let good: Buffer = Buffer.alloc(0);
    beforeAll(async () => {
      good = readFileSync(await written(many(1200)));
    });

    it('refuses any changed byte', async () => {
      await fc.assert(
        fc.asyncProperty(fc.nat(good.length - 2), fc.integer({ min: 1, max: 255 }), async (index, by) => {
          const changed = Buffer.from(good);
          changed[index] = ((changed[index] ?? 0) + by) % 256;
          await refusalOf(changed);
        }),
        { numRuns: 60 },
      );
    });

    it('refuses a changed digit at the next chain record', async () => {
      const lines = good.toString().split('\n');
      const index = lines.findIndex((line) => line.includes('"seq":500,"t"'));
      lines[index] = lines[index]?.replace('"t":1499', '"t":1498') ?? '';
      const { line, message } = await refusalOf(lines.join('\n'));
      expect(json(lines[line - 1])).toMatchObject({ seq: 1000, chain: expect.any(String) as string });
      expect(message).toMatch(/chain does not match/);
    });

    it('refuses an added carriage return', async () => {
      const text = good.toString();
      await refusalOf(text.replace('\n', '\r\n'));
    });

    it('refuses a missing record, an exchanged pair and a repeated record', async () => {
      const lines = good.toString().split('\n');
      const index = lines.findIndex((line) => line.includes('"seq":500,"t"'));
      const [first = '', second = ''] = lines.slice(index, index + 2);
      expect(await refusalOf(lines.toSpliced(index, 1).join('\n'))).toMatchObject({
        message: expect.stringMatching(/record 500 is missing/) as string,
      });
      await refusalOf(lines.toSpliced(index, 2, second, first).join('\n'));
      await refusalOf(lines.toSpliced(index, 0, first).join('\n'));
    });

    it('refuses missing commands', async () => {
      const lines = good.toString().split('\n');
      const index = lines.findIndex((line) => line.includes('"seq":499,"out"'));
      expect(index).toBeGreaterThan(0);
      expect((await refusalOf(lines.toSpliced(index, 1).join('\n'))).message).toMatch(/chain/);
    });

    it('refuses a tear in the middle of a line or between two lines', async () => {
      const lines = good.toString().split('\n').slice(0, -1);
      const middle = lines.slice(0, 700).join('\n');
      expect((await refusalOf(middle.slice(0, -8))).message).toMatch(/torn/);
      expect((await refusalOf(middle)).message).toMatch(/torn/);
      expect((await refusalOf(lines.slice(0, -1).join('\n'))).message).toMatch(/torn/);
      expect((await refusalOf(good.subarray(0, good.length - 5))).message).toMatch(/torn/);
    });
  });

  it.each([
    ['an empty file', '', /empty/],
    ['a tape', '{"tape":1,"from":1,"depth":null}\n', /not a journal/],
    [
      'a journal of a newer version',
      '{"journal":3}\n',
      /format 3, which a newer version wrote: this one reads up to 2/,
    ],
    ['text', 'hello\n', /not JSON|not a journal/],
    ['JSON that is no record', 'null\n', /not a journal/],
    ['a number', '5\n', /not a journal/],
    ['a second line that is no record', '{"journal":1}\nnull\n', /not a journal record/],
  ])('refuses %s', async (_name, content, says) => {
    expect((await refusalOf(content)).message).toMatch(says);
  });

  it('refuses a file that is not there', async () => {
    await expect(readJournal(join(dir, 'none.ndjson'))).rejects.toMatchObject({ code: 'JOURNAL_INVALID' });
  });
});

describe('a torn journal', () => {
  type Scanned = { readonly seqs: number[]; readonly tears: Omit<Tear, 'file'>[] };
  async function scanned(content: string, upTo?: number): Promise<Scanned> {
    const file = join(dir, `torn-${(files += 1)}.ndjson`);
    writeFileSync(file, content);
    const seqs: number[] = [];
    const tears: Omit<Tear, 'file'>[] = [];
    await scanJournal(file, {
      step: ({ input, commands }) => {
        seqs.push(input.seq);
        // the reader reports a step with its commands, or not at all
        expect(commands).toEqual((input.seq - 1) % 3 === 0 ? [wake(input.seq - 1)] : []);
      },
      torn: ({ file: torn, ...tear }) => {
        expect(torn).toBe(file);
        tears.push(tear);
      },
      ...(upTo === undefined ? {} : { upTo }),
    });
    return { seqs, tears };
  }
  const upToSeq = (seq: number): number[] => Array.from({ length: seq }, (_, i) => i + 1);
  let lines: string[] = [];
  beforeAll(async () => {
    lines = linesOf(await written(many(1202)));
  });
  const indexOf = (seq: number): number => lines.findIndex((line) => line.startsWith(`{"seq":${seq},"t"`));

  it('is read up to its tear, and the tear names the last record that a chain covers', async () => {
    const { seqs, tears } = await scanned(`${lines.slice(0, indexOf(1201)).join('\n')}\n`);
    // the commands of record 1200 would follow it and are missing
    expect(seqs).toEqual(upToSeq(1199));
    expect(tears).toEqual([
      { line: indexOf(1201), problem: expect.stringMatching(/torn/) as string, seq: 1199, verified: 1000 },
    ]);
    const middle = await scanned(`${lines.slice(0, indexOf(1200)).join('\n')}\n${lines[indexOf(1200)]?.slice(0, 9)}`);
    expect(middle.seqs).toEqual(upToSeq(1198));
    expect(middle.tears).toMatchObject([{ line: indexOf(1200) + 1, seq: 1198, verified: 1000 }]);
    const shorter = await scanned(`${lines.slice(0, indexOf(1199)).join('\n')}\n`);
    expect(shorter.seqs).toEqual(upToSeq(1198));
  });

  it('is reported only when the end is missing and the reader does not stop before it', async () => {
    expect(await scanned(lines.join('\n'))).toMatchObject({ seqs: upToSeq(1202), tears: [] });
    expect(await scanned(lines.slice(0, -1).join('\n'), 700)).toEqual({ seqs: upToSeq(700), tears: [] });
  });

  it('is refused when a line before the tear was changed', async () => {
    const changed = lines.map((line) => line.replace('"t":1499', '"t":1498')).slice(0, indexOf(1100));
    await expect(scanned(changed.join('\n'))).rejects.toMatchObject({
      code: 'JOURNAL_INVALID',
      message: expect.stringMatching(/chain does not match/) as string,
    });
  });
});

describe('a journal on a disk that refuses writes', () => {
  // a limit on the file size stands for a full disk: the write fails with EFBIG
  const script = `
    const { JournalWriter } = await import(process.env.JOURNAL);
    const said = [];
    let fail;
    const problem = new Promise((resolve) => (fail = resolve));
    const report = {
      problem: (message) => { said.push(message); fail(); },
      resumed: (message) => { said.push(message); console.log('resumed'); },
    };
    const writer = new JournalWriter(process.argv[1], { config: 'x'.repeat(20_000) }, report);
    const tick = (seq) => writer.record({ seq, t: 1, mono: 1, in: { type: 'tick' } }, []);
    tick(1);
    await problem;
    for (let seq = 2; seq < 100; seq++) tick(seq);
    console.log('refused');
    process.stdin.once('data', async () => {
      const late = setTimeout(() => { console.log('close() hangs'); process.exit(1); }, 3000);
      await writer.close();
      clearTimeout(late);
      console.log(JSON.stringify({ said, isTorn: writer.isTorn }));
      process.exit(0);
    });
  `;
  const start = (file: string) => {
    const command = 'ulimit -S -f 8; exec "$0" --input-type=module -e "$1" "$2"';
    const child = spawn('sh', ['-c', command, process.execPath, script, file], {
      env: { ...process.env, JOURNAL: new URL('../../src/journal/journal.ts', import.meta.url).href },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const line = async (): Promise<string> => ((await lines.next()) as { value?: string }).value ?? 'the end';
    return { child, line };
  };

  it('reports the problem, lets the bot end, and reports that it is torn', async () => {
    const file = join(dir, 'full.ndjson');
    const { child, line } = start(file);
    expect(await line()).toBe('refused');
    child.stdin.write('end\n');
    const { said: messages, isTorn } = JSON.parse(await line()) as { said: string[]; isTorn: boolean };
    expect(messages).toEqual([
      expect.stringMatching(/^the journal cannot be written, tried again every second: EFBIG/),
      expect.stringMatching(/^the journal ends here, before its run does: EFBIG/),
    ]);
    expect(isTorn).toBe(true);
    await expect(readJournal(file)).rejects.toMatchObject({ code: 'JOURNAL_INVALID' });
  });

  it('is complete when the disk takes writes again', async () => {
    const file = join(dir, 'freed.ndjson');
    const { child, line } = start(file);
    expect(await line()).toBe('refused');
    execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited:']);
    expect(await line()).toBe('resumed');
    child.stdin.write('end\n');
    const { said: messages, isTorn } = JSON.parse(await line()) as { said: string[]; isTorn: boolean };
    expect(messages[1]).toBe('the journal is written again; nothing of it is missing');
    expect(isTorn).toBe(false);
    expect((await readJournal(file)).steps).toHaveLength(99);
  });
});

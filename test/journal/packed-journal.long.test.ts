// A journal that is packed while it is written: what a kill leaves of it, and how readers read it.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Command, Arrival, StampedArrival } from '../../src/domain/index.ts';
import type { JournalHeader } from '../../src/journal/journal.ts';
import { JournalWriter } from '../../src/journal/journal.ts';
import type { JournalStep, Tear } from '../../src/journal/journal-reader.ts';
import { readJournal, scanJournal } from '../../src/journal/journal-reader.ts';
import { readTape } from '../../src/tape/tape-reader.ts';
import { GOOD_DISK } from '../support/disk.ts';

const HEADER: JournalHeader = { version: '1', config: {}, strategies: [], profile: {} };
const dir = mkdtempSync(join(tmpdir(), 'packed-journal-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
let files = 0;
const freshFolder = (): string => join(dir, `${(files += 1)}`);
const NAME = 'run.ndjson.zst';

const frame = (seq: number, length: number): Arrival => ({
  type: 'frame',
  feed: 'prices',
  epoch: 1,
  event: 'orderUpdate',
  data: `${seq}:${'x'.repeat(length)}`,
});
const stamped = (seq: number, input: Arrival): StampedArrival => ({
  seq,
  t: Date.UTC(2030, 0, 1) + seq,
  mono: seq,
  in: input,
});
const SEND: Command = { type: 'cancel', req: 1, permit: 1, orderIds: [], why: [] };

type Scanned = { readonly steps: readonly JournalStep[]; readonly tears: readonly Tear[] };
async function scanned(folder: string): Promise<Scanned> {
  const [steps, tears]: [JournalStep[], Tear[]] = [[], []];
  await scanJournal(join(folder, NAME), {
    step: (step) => steps.push(step),
    torn: (tear) => tears.push(tear),
  });
  return { steps, tears };
}

describe('a packed journal', () => {
  it('ends as one zstd file without other files', async () => {
    const folder = freshFolder();
    const writer = new JournalWriter(join(folder, NAME), HEADER, GOOD_DISK);
    for (let seq = 1; seq <= 1500; seq++) writer.record(stamped(seq, frame(seq, 300)), seq % 7 === 0 ? [SEND] : []);
    expect(readdirSync(folder).length).toBeGreaterThan(1);
    await writer.close();
    expect(readdirSync(folder)).toEqual([NAME]);
    const lines = zstdDecompressSync(readFileSync(join(folder, NAME)))
      .toString()
      .trimEnd()
      .split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ seq: 1500, chain: expect.any(String) as string });
    expect((await readJournal(join(folder, NAME))).steps).toHaveLength(1500);
    expect(statSync(join(folder, NAME)).size).toBeLessThan(lines.join('\n').length / 10);
  });

  it('is readable by its own user alone, as are its tail and its folder', async () => {
    const folder = freshFolder();
    const writer = new JournalWriter(join(folder, NAME), HEADER, GOOD_DISK);
    writer.record(stamped(1, frame(1, 10)), [SEND]);
    const modes = (): number[] =>
      [folder, ...readdirSync(folder).map((name) => join(folder, name))].map((path) => statSync(path).mode & 0o777);
    expect(new Set(modes().slice(1))).toEqual(new Set([0o600]));
    await writer.close();
    expect(modes()).toEqual([0o700, 0o600]);
  });

  it('has each step that sends a request as soon as it is recorded, whatever is being packed', async () => {
    const step = fc.record({
      sends: fc.boolean(),
      length: fc.integer({ min: 0, max: 60_000 }),
      // lets the packing proceed, or not
      waitMs: fc.constantFrom(undefined, undefined, undefined, 0, 1, 30),
      isCopied: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 60 }),
        fc.constantFrom(1, 400_000, Number.POSITIVE_INFINITY),
        async (steps, partBytes) => {
          const folder = freshFolder();
          const writer = new JournalWriter(join(folder, NAME), HEADER, GOOD_DISK, partBytes);
          const copies: { readonly at: string; readonly sent: number }[] = [];
          let [seq, sent] = [0, 0];
          for (const { sends, length, waitMs, isCopied } of steps)
            // parts end at chain records
            for (let repeat = 0; repeat < 50; repeat++) {
              seq += 1;
              const isSend = sends && repeat === 49;
              if (isSend) sent = seq;
              writer.record(stamped(seq, frame(seq, repeat === 0 ? length : 20)), isSend ? [SEND] : []);
              if (repeat === 49 && waitMs !== undefined) await sleep(waitMs);
              if (repeat !== 49 || !isCopied || copies.length > 12) continue;
              // a kill leaves what the kernel has
              const copy = freshFolder();
              cpSync(folder, copy, { recursive: true });
              copies.push({ at: copy, sent });
            }
          await writer.close();
          for (const copy of copies) {
            const { steps: found } = await scanned(copy.at);
            expect(found.length).toBeGreaterThanOrEqual(copy.sent);
            expect(found.map(({ input }) => input.seq)).toEqual(found.map((_, index) => index + 1));
            if (copy.sent > 0) expect(found[copy.sent - 1]?.commands).toEqual([SEND]);
            rmSync(copy.at, { recursive: true });
          }
          const whole = await scanned(folder);
          expect(whole.tears).toEqual([]);
          expect(whole.steps).toHaveLength(seq);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('that is cut off anywhere is read up to the cut', async () => {
    const folder = freshFolder();
    const writer = new JournalWriter(join(folder, NAME), HEADER, GOOD_DISK);
    for (let seq = 1; seq <= 3000; seq++) {
      writer.record(stamped(seq, frame(seq, (seq * 7919) % 500)), []);
      if (seq % 500 === 0) await sleep(600);
    }
    await writer.close();
    const { size } = statSync(join(folder, NAME));
    let before = -1;
    for (let left = 200; left <= size; left += Math.ceil(size / 40)) {
      const copy = freshFolder();
      cpSync(folder, copy, { recursive: true });
      truncateSync(join(copy, NAME), left);
      const { steps, tears } = await scanned(copy).catch((error: unknown) => {
        expect(String(error)).toMatch(/cut off in its first line/);
        return { steps: [], tears: [1] };
      });
      expect(tears).toHaveLength(1);
      expect(steps.length).toBeGreaterThanOrEqual(before);
      // a longer file has at least as many steps
      before = steps.length;
    }
    expect(before).toBeGreaterThanOrEqual(2500);
  });

  it('is read as a tape during its run, with the frames that only its tail has', async () => {
    const folder = freshFolder();
    const writer = new JournalWriter(join(folder, NAME), HEADER, GOOD_DISK);
    writer.record(stamped(1, frame(1, 10)), []);
    await sleep(700);
    writer.record(stamped(2, frame(2, 10)), []);
    writer.record(stamped(3, frame(3, 10)), [SEND]);
    const payloads: string[] = [];
    for await (const { data } of readTape(join(folder, NAME))) payloads.push(data);
    expect(payloads.map((data) => data.slice(0, 2))).toEqual(['1:', '2:', '3:']);
    // the name of the tail reads the same journal
    expect((await scanOf(join(folder, 'run.ndjson.tail1'))).length).toBe(3);
    await writer.close();
  });

  it('continues with another header after a reload, and later parts begin with that header', async () => {
    const file = join(freshFolder(), NAME);
    const writer = new JournalWriter(file, HEADER, GOOD_DISK, 1);
    const reloaded = { ...HEADER, config: { is: 'other' } };
    for (let seq = 1; seq <= 1000; seq++) writer.record(stamped(seq, { type: 'tick' }), []);
    writer.recordHeader(reloaded);
    for (let seq = 1001; seq <= 2000; seq++) writer.record(stamped(seq, { type: 'tick' }), []);
    writer.recordHeader(reloaded);
    await writer.close();
    const headers: [unknown, number][] = [];
    let steps = 0;
    await scanJournal(file, {
      header: ({ config }) => headers.push([config, 0]),
      reloaded: ({ config }, seq) => void headers.push([config, seq]),
      step: () => (steps += 1),
    });
    expect(steps).toBe(2000);
    expect(headers).toEqual([
      [{}, 0],
      [{ is: 'other' }, 1000],
      [{ is: 'other' }, 2000],
    ]);
    const third = file.replace('.ndjson', '.part0003.ndjson');
    const [first = ''] = zstdDecompressSync(readFileSync(third)).toString().split('\n');
    expect(JSON.parse(first)).toMatchObject({ journal: 2, config: { is: 'other' }, after: { part: 2 } });
    const tape: string[] = [];
    for await (const { data } of readTape(file)) tape.push(data);
    expect(tape).toEqual([]);
  });
});

async function scanOf(file: string): Promise<readonly number[]> {
  const seqs: number[] = [];
  await scanJournal(file, { step: ({ input }) => seqs.push(input.seq), torn: () => undefined });
  return seqs;
}

const JOURNAL_MODULE = new URL('../../src/journal/journal.ts', import.meta.url).href;

describe('the packed journal of a killed run', () => {
  /** Prints each sequence number after `record` has returned: by then the exchange may have the request. */
  const script = `
    const { writeSync } = await import('node:fs');
    const { JournalWriter } = await import(process.env.JOURNAL);
    const report = { problem: (message) => writeSync(1, message + '\\n'), resumed: () => undefined };
    const header = { version: '1', config: {}, strategies: [], profile: {} };
    const writer = new JournalWriter(process.argv[1], header, report, 2_000_000);
    let seq = 0;
    const data = 'some odds and names '.repeat(200);
    const step = () => {
      for (let more = 0; more < 10; more++) {
        seq += 1;
        const sends = seq % Number(process.env.EVERY) === 0;
        const commands = sends ? [{ type: 'place', req: seq, permit: seq, orders: [], why: [] }] : [];
        writer.record({ seq, t: Date.now(), mono: performance.now(), in: { type: 'frame', data } }, commands);
        if (sends || more === 0) writeSync(1, seq + ' ' + Date.now() + ' ' + Number(sends) + '\\n');
      }
      setTimeout(step, 4);
    };
    step();
  `;

  const killedAfter = async (afterMs: number, everyStep: number): Promise<void> => {
    const folder = freshFolder();
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, join(folder, NAME)], {
      env: { ...process.env, JOURNAL: JOURNAL_MODULE, EVERY: String(everyStep) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const printed: (readonly number[])[] = [];
    for await (const line of createInterface(child.stdout)) {
      if (printed.length === 0) setTimeout(() => child.kill('SIGKILL'), afterMs);
      printed.push(line.split(' ').map(Number));
    }
    const { steps, tears } = await scanned(folder);
    expect(tears).toHaveLength(1);
    const lastAt = printed.at(-1)?.[1] ?? Number.NaN;
    const found = new Set(steps.flatMap(({ input, commands }) => (commands.length > 0 ? [input.seq] : [])));
    const sent = printed.filter(([, , sends]) => sends === 1);
    expect(sent.filter(([seq]) => !found.has(seq ?? 0))).toEqual([]);
    // no record before is missing
    expect(steps.map(({ input }) => input.seq)).toEqual(steps.map((_, index) => index + 1));
    // the journal of a run shorter than a second that sent nothing may be empty
    expect(steps.at(-1)?.input.t ?? printed[0]?.[1]).toBeGreaterThan(lastAt - 1000);
  };

  it(
    'has each step that sent a request, and lacks at most the last second of the others',
    { timeout: 60_000 },
    async () => {
      // the last two runs rarely send
      const kills = [
        [1, 7],
        [350, 7],
        [900, 7],
        [1700, 1000],
        [2600, 100_000],
      ] as const;
      await Promise.all(kills.map(([afterMs, everyStep]) => killedAfter(afterMs, everyStep)));
    },
  );
});

describe('a packed journal on a disk that refuses writes', () => {
  // a limit on the file size stands for a full disk: the write fails with EFBIG; random text does not shrink
  // when packed
  const script = `
    const { randomBytes } = await import('node:crypto');
    const { JournalWriter } = await import(process.env.JOURNAL);
    const said = [];
    const report = {
      problem: (message) => { said.push(message); console.log('refused'); },
      resumed: (message) => { said.push(message); console.log('resumed'); },
    };
    const writer = new JournalWriter(process.argv[1], { config: 'x' }, report);
    const send = (seq) => writer.record(
      { seq, t: 1, mono: 1, in: { type: 'frame', data: randomBytes(3000).toString('base64') } },
      [{ type: 'cancel', req: seq, permit: seq, orderIds: [], why: [] }],
    );
    for (let seq = 1; seq < 100; seq++) send(seq);
    process.stdin.once('data', async () => {
      await writer.close();
      console.log(JSON.stringify({ said, isTorn: writer.isTorn }));
      process.exit(0);
    });
  `;
  const start = (file: string) => {
    const command = 'ulimit -S -f 40; exec "$0" --input-type=module -e "$1" "$2"';
    const child = spawn('sh', ['-c', command, process.execPath, script, file], {
      env: { ...process.env, JOURNAL: JOURNAL_MODULE },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const line = async (): Promise<string> => ((await lines.next()) as { value?: string }).value ?? 'the end';
    return { child, line };
  };

  it('reports the problem once, and is complete when the disk takes writes again', async () => {
    const folder = freshFolder();
    mkdirSync(folder);
    const { child, line } = start(join(folder, NAME));
    expect(await line()).toBe('refused');
    execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited:']);
    expect(await line()).toBe('resumed');
    child.stdin.write('end\n');
    const { said: messages, isTorn } = JSON.parse(await line()) as { said: string[]; isTorn: boolean };
    expect(messages).toEqual([
      expect.stringMatching(/^the journal cannot be written, tried again every second: EFBIG/),
      'the journal is written again; nothing of it is missing',
    ]);
    expect(isTorn).toBe(false);
    expect((await readJournal(join(folder, NAME))).steps).toHaveLength(99);
    expect(readdirSync(folder)).toEqual([NAME]);
  });

  it('reports that it is torn when the run ends first', async () => {
    const folder = freshFolder();
    mkdirSync(folder);
    const { child, line } = start(join(folder, NAME));
    expect(await line()).toBe('refused');
    child.stdin.write('end\n');
    let printed = await line();
    while (printed === 'refused') printed = await line();
    const { said: messages, isTorn } = JSON.parse(printed) as { said: string[]; isTorn: boolean };
    expect(messages.at(-1)).toMatch(/^the journal ends here, before its run does: EFBIG/);
    expect(isTorn).toBe(true);
    const { steps, tears } = await scanned(folder);
    expect(tears).toHaveLength(1);
    expect(steps.length).toBeGreaterThan(0);
  });
});

import { existsSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { TapeFrame } from '../../src/tape/tape-reader.ts';
import { readTape, readTapeInBatches } from '../../src/tape/tape-reader.ts';

const dir = mkdtempSync(join(tmpdir(), 'tape-reader-'));
afterAll(() => rmSync(dir, { recursive: true }));

const write = (name: string, content: string | Buffer): string => {
  const file = join(dir, name);
  writeFileSync(file, content);
  return file;
};

async function readAll(file: string): Promise<{ frames: TapeFrame[]; error: unknown }> {
  const frames: TapeFrame[] = [];
  try {
    for await (const frame of readTape(file)) frames.push(frame);
  } catch (error) {
    return { frames, error };
  }
  return { frames, error: undefined };
}

/** The first time of the tapes. Times of tapes are within 2000 to 2100. */
const T0 = Date.UTC(2030, 0);
const frame = (ms: number, data = '{}'): string =>
  JSON.stringify({ ts: T0 + ms, ns: '/priceUpdates', event: 'orderUpdate', data });
const LINES = [frame(1), frame(2, '{"ö":"€ 𝄞"}'), frame(3)].join('\n');

describe('reading a tape', () => {
  it.each([
    ['plain.ndjson', Buffer.from(LINES)],
    ['packed.ndjson.gz', gzipSync(LINES)],
    ['packed.ndjson.zst', zstdCompressSync(LINES)],
    ['windows.ndjson', Buffer.from(LINES.replaceAll('\n', '\r\n'))],
  ])('delivers every frame of %s with its line', async (name, content) => {
    const { frames, error } = await readAll(write(name, content));
    expect(error).toBeUndefined();
    expect(frames.map(({ ts, line }) => [ts - T0, line])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
    expect(frames[1]?.data).toBe('{"ö":"€ 𝄞"}');
  });

  it('passes the header on and skips empty lines', async () => {
    const file = write('header.ndjson', `${JSON.stringify({ tape: 1, depth: 20 })}\n\n${frame(5)}\n`);
    const headers: unknown[] = [];
    const frames: TapeFrame[] = [];
    for await (const tapeFrame of readTape(file, { onHeader: (header) => headers.push(header) }))
      frames.push(tapeFrame);
    expect(headers).toEqual([{ tape: 1, depth: 20 }]);
    expect(frames).toMatchObject([{ ts: T0 + 5, line: 3 }]);
  });

  it('reads connects, disconnects and REST bodies', async () => {
    const lines = [
      { ts: T0 + 1, ns: '/priceUpdates', event: 'connect' },
      { ts: T0 + 2, ns: 'rest', event: 'POST /x', data: { data: 1 } },
    ];
    const { frames } = await readAll(write('others.ndjson', lines.map((line) => JSON.stringify(line)).join('\n')));
    expect(frames.map(({ data }) => data)).toEqual(['', '{"data":1}']);
  });

  it('reads a journal as a tape: the messages that its run received, and the books that it requested', async () => {
    const profile = { priceNamespace: '/p', userNamespace: '/u/', bookPerspective: 'taker' };
    const lines = [
      { journal: 1, profile },
      { seq: 1, t: T0 + 10, mono: 0, in: { type: 'boot', run: 'x' } },
      { seq: 2, t: T0 + 20, mono: 1, in: { type: 'feed', feed: 'prices', status: 'up', epoch: 1 } },
      { seq: 2, out: [{ type: 'read', req: 7, read: { what: 'league', league: 'NBA', page: 1 } }, null] },
      { seq: 3, t: T0 + 25, mono: 2, in: { type: 'failure', req: 7, failure: 'timeout', detail: '' } },
      {
        seq: 4,
        t: T0 + 30,
        mono: 2,
        in: { type: 'reply', req: 7, status: 200, body: { data: { games: [] } } },
      },
      {
        seq: 5,
        t: T0 + 40,
        mono: 3,
        in: { type: 'frame', feed: 'prices', event: 'orderUpdate', data: '{}' },
      },
      {
        seq: 6,
        t: T0 + 50,
        mono: 4,
        in: { type: 'frame', feed: 'user', event: 'positionUpdate', data: '[]' },
      },
      { seq: 6, out: [{ type: 'read', req: 8, read: { what: 'game', gameId: 'g' } }] },
      { seq: 7, t: T0 + 60, mono: 5, in: { type: 'reply', req: 8, status: 500, body: {} } },
      { seq: 8, t: T0 + 70, mono: 6, in: { type: 'feed', feed: 'prices', status: 'down', epoch: 1 } },
      { seq: 8, chain: 'ab' },
    ];
    const headers: unknown[] = [];
    const file = write('journal.ndjson', lines.map((line) => JSON.stringify(line)).join('\n'));
    const frames: TapeFrame[] = [];
    for await (const tapeFrame of readTape(file, { onHeader: (header) => headers.push(header) }))
      frames.push(tapeFrame);
    expect(headers).toEqual([{ tape: 1, depth: null, perspective: 'taker', profile }]);
    expect(frames).toEqual([
      { ts: T0 + 20, ns: '/p', event: 'connect', data: '', line: 3 },
      {
        ts: T0 + 30,
        ns: 'rest',
        event: 'POST /exchange/getOrderbook',
        data: '{"data":{"games":[]}}',
        sent: T0 + 20,
        line: 6,
      },
      { ts: T0 + 40, ns: '/p', event: 'orderUpdate', data: '{}', line: 7 },
      { ts: T0 + 50, ns: '/u/journal', event: 'positionUpdate', data: '[]', line: 8 },
      { ts: T0 + 70, ns: '/p', event: 'disconnect', data: '', line: 11 },
    ]);
  });

  it.each([
    ['bad JSON', `${frame(1)}\nnonsense\n${frame(2)}`, 2, /not JSON/],
    ['a torn tail', `${frame(1)}\n${frame(2).slice(0, 30)}`, 2, /torn off/],
    ['an array', '[1]', 1, /not a tape record/],
    ['a time that is no milliseconds', '{"ts":1e18,"ns":"a","event":"b","data":"c"}', 1, /"ts"/],
    [
      'a time in seconds',
      `${frame(1)}\n{"ts":1898596800,"ns":"a","event":"b","data":"c"}`,
      2,
      /"ts" must be milliseconds since 1970, of 2000 to 2100, received 1898596800, which is 1970-01-22: seconds\? multiply by 1000$/,
    ],
    [
      'a time in microseconds',
      '{"ts":1898596800000000,"ns":"a","event":"b","data":"c"}',
      1,
      /microseconds\? divide by 1000$/,
    ],
    ['a line without ts', '{"ns":"a","event":"b","data":"c"}', 1, /"ts"/],
    ['a payload that is no text', '{"ts":1,"ns":"/priceUpdates","event":"b","data":{}}', 1, /"data"/],
    ['a tape of another version', '{"tape":2}', 1, /version 2/],
    [
      'lines out of order',
      `${frame(90_000)}\n${frame(80_000)}\n${frame(79_999)}`,
      3,
      /"ts" is 10 s before a line above/,
    ],
    ['an empty file', '', 1, /empty/],
    ['a journal of another version', '{"journal":3}', 1, /journal version 3 is not known, only 1 to 2 are/],
    ['a line of a journal without a number', '{"journal":1}\n{"in":{"type":"tick"}}', 2, /"seq"/],
    ['an input of a journal without a time', '{"journal":1}\n{"seq":1,"in":{"type":"tick"}}', 2, /"t"/],
    ['a line of a journal without content', '{"journal":1}\n{"seq":1}', 2, /no input, commands, events or chain/],
    [
      'a frame of a journal without a payload',
      '{"journal":1}\n{"seq":1,"t":1,"in":{"type":"frame","feed":"prices"}}',
      2,
      /a frame has/,
    ],
    ['a torn journal', '{"journal":1}\n{"seq":1,"t":1,"in":{"ty', 2, /torn off/],
  ])('ends at %s, naming file and line', async (name, content, line, problem) => {
    const file = write(`${name}.ndjson`, content);
    const { frames, error } = await readAll(file);
    expect(frames).toHaveLength(content.startsWith('{"journal"') ? 0 : line - 1);
    expect(error).toMatchObject({ code: 'TAPE_INVALID', exit: 65 });
    expect((error as Error).message).toMatch(problem);
    expect((error as Error).message.startsWith(`${file}:${line}: `)).toBe(true);
  });

  it('ends at the tear of a packed file', async () => {
    for (const [name, pack] of [
      ['torn.gz', gzipSync],
      ['torn.zst', zstdCompressSync],
    ] as const) {
      const content = Array.from({ length: 5000 }, (_, i) => frame(i, `{"n":${Math.sin(i)}}`)).join('\n');
      const file = write(name, pack(content));
      truncateSync(file, Math.floor(pack(content).length / 2));
      const { error } = await readAll(file);
      expect(error, name).toMatchObject({ code: 'TAPE_INVALID' });
      expect((error as Error).message).toMatch(/:\d+: /);
    }
  });

  it.each([
    ['gz', gzipSync],
    ['zst', zstdCompressSync],
  ])('reads all pieces of a file that was packed in several (%s)', async (ending, pack) => {
    const pieces = [pack(`${frame(1)}\n${frame(2)}\n`), pack(''), pack(`${frame(3)}\n`)];
    const { frames, error } = await readAll(write(`several.${ending}`, Buffer.concat(pieces)));
    expect(error).toBeUndefined();
    expect(frames.map(({ ts }) => ts - T0)).toEqual([1, 2, 3]);
  });

  it('ends where rubbish follows a packed file, after all frames of the file', async () => {
    const file = write('rubbish.zst', Buffer.concat([zstdCompressSync(`${frame(1)}\n`), Buffer.from('rubbish')]));
    const { frames, error } = await readAll(file);
    expect(frames).toHaveLength(1);
    expect(error).toMatchObject({ code: 'TAPE_INVALID' });
    expect((error as Error).message).toMatch(/:2: /);
  });

  it.each([
    ['missing.ndjson', undefined, /no such file/],
    ['not-packed.gz', 'plain text', /not packed as its name says/],
  ])('reports what is wrong with %s', async (name, content, problem) => {
    const { error } = await readAll(content === undefined ? join(dir, name) : write(name, content));
    expect(error).toMatchObject({ code: 'TAPE_INVALID' });
    expect((error as Error).message).toMatch(problem);
  });

  it('reports that a directory is no tape', async () => {
    expect(((await readAll(dir)).error as Error).message).toMatch(/directory/);
  });
});

describe('lines of order books that are read before they are parsed as JSON', () => {
  type EarlyFrame = Pick<TapeFrame, 'ts' | 'ns' | 'event' | 'data'>;

  /**
   * Returns the frames, the error, and the number of lines read early: those whose payload is the inside of a
   * JSON text.
   */
  async function readEarly(file: string): Promise<{ frames: EarlyFrame[]; problem: unknown; early: number }> {
    const frames: EarlyFrame[] = [];
    let early = 0;
    const batches = readTapeInBatches(file, {}, ({ ts, ns, escaped }): EarlyFrame | undefined => {
      try {
        const parsed = { ts, ns, event: 'orderUpdate', data: JSON.parse(`"${escaped}"`) as string };
        early += 1;
        return parsed;
      } catch {
        return undefined;
      }
    });
    try {
      for await (const batch of batches)
        for (const { ts, ns, event, data } of batch) frames.push({ ts, ns, event, data });
    } catch (error) {
      return { frames, problem: (error as Error).message, early };
    }
    return { frames, problem: undefined, early };
  }

  async function expectSame(file: string): Promise<number> {
    const { frames, error } = await readAll(file);
    const { early, ...outcome } = await readEarly(file);
    expect(outcome).toEqual({
      frames: frames.map(({ ts, ns, event, data }) => ({ ts, ns, event, data })),
      problem: (error as Error | undefined)?.message,
    });
    return early;
  }

  it('are all lines but the first, in whatever pieces the file comes', async () => {
    const content = Array.from({ length: 9000 }, (_none, n) => frame(n + 1, `{"a":"${'é\\"x'.repeat(n % 90)}"}`));
    expect(await expectSame(write('many.ndjson', content.join('\n')))).toBe(8999);
    expect(await expectSame(write('many.ndjson.gz', gzipSync(content.join('\r\n'))))).toBe(8999);
  });

  const line = fc.oneof(
    fc.tuple(fc.integer({ min: -5, max: 30_000 }), fc.string()).map(([ts, data]) => frame(ts, data)),
    fc.constantFrom(
      frame(1e13),
      frame(1.5),
      `{"ts":01,"ns":"/priceUpdates","event":"orderUpdate","data":"x"}`,
      `{"ts":${T0 + 7},"ns":"/priceUpdates","event":"orderUpdate","data":"x","ts":${T0 + 8},"sent":"y"}`,
      `{"ts":${T0 + 7},"ns":"/priceUpdates","event":"orderUpdate","data":"x\\"}`,
      `{"ts":${T0 + 7},"ns":"/priceUpdates","event":"orderUpdate","data":"x\\\\"}`,
      `{"ts":${T0 + 7},"ns":"/priceUpdates","event":"orderUpdate","data":"x"} `,
      `{"ts":${T0 + 7},"ns":"/priceUpdates","event":"orderUpdate","data":"\t"}`,
      `{"ts":${T0 + 7},"ns":"/priceUpdates","event":"orderUpdate","data":""}`,
      `{"ts":${T0 + 7},"ns":"/priceUpdates","event":"orderUpdate","data":"}`,
      `{"ts":${T0 + 7},"ns":"/priceUpdates","event":"gameUpdate","data":"x"}`,
      `{"ts":${T0 + 7},"ns":"/other","event":"orderUpdate","data":"x"}`,
      `{"ts": ${T0 + 7},"ns":"/priceUpdates","event":"orderUpdate","data":"x"}`,
      `{"tape":1}`,
      '',
    ),
  );
  it('give the same frames and errors as lines parsed as JSON, whatever they hold', async () => {
    let early = 0;
    const property = fc.asyncProperty(fc.array(line, { maxLength: 12 }), fc.nat(20), async (lines, torn) => {
      const text = [frame(0), ...lines].join('\n');
      early += await expectSame(write('any.ndjson', text.slice(0, text.length - torn)));
    });
    await fc.assert(property, { numRuns: 400 });
    expect(early).toBeGreaterThan(50);
  });
});

const RECORDED = '../shared/data/nba-cle-min-inplay.ndjson.gz';
it.skipIf(!existsSync(RECORDED))(`the tape reader reads the recorded game (needs ${RECORDED})`, async () => {
  const { frames, error } = await readAll(RECORDED);
  expect(error).toBeUndefined();
  expect(frames).toHaveLength(13_741);
  expect(frames.at(-1)?.line).toBe(13_741);
});

// Tapes as the recorder writes them: every message with both times, readable however the process ended.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { RecorderOptions } from '../../src/tape/recorder.ts';
import { Recorder } from '../../src/tape/recorder.ts';
import type { TapeFrame } from '../../src/tape/tape-reader.ts';
import { readTape } from '../../src/tape/tape-reader.ts';
import { DAY_LIMIT, run, startExchange, writeConfig, exchangeSection, STRATEGIES } from '../support/children.ts';
import { GOOD_DISK } from '../support/disk.ts';

const folders: string[] = [];
const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'recorder-'));
  folders.push(made);
  return made;
};
afterEach(() => {
  for (const made of folders.splice(0)) rmSync(made, { recursive: true, force: true });
});

const options = (dir: string, overrides: Partial<RecorderOptions> = {}): RecorderOptions => ({
  folder: dir,
  run: 'r',
  perspective: 'offerer',
  profile: { oddsStep: 1 },
  priceNamespace: '/priceUpdates',
  userNamespace: '/v2/user/',
  username: 'alice',
  secrets: () => ['token-of-alice', 'alice-pw'],
  ...GOOD_DISK,
  ...overrides,
});
/** The start of the recorded times. Times of tapes are within 2000 to 2100. */
const FROM = Date.UTC(2030, 0, 1);
const timesAt = (t: number) => ({ t: FROM + t, mono: t / 2 });
const tapesIn = (dir: string): string[] =>
  readdirSync(dir)
    .filter((name) => name.includes('.ndjson'))
    .sort()
    .map((name) => join(dir, name));
const indexOf = (dir: string) =>
  JSON.parse(readFileSync(join(dir, 'index.json'), 'utf8')) as {
    segments: { file: string; frames: number; closed: boolean; from: number; to: number }[];
  };

/** All frames up to the tear, if there is one. */
async function framesOf(file: string): Promise<{ frames: TapeFrame[]; header: unknown; torn: boolean }> {
  const frames: TapeFrame[] = [];
  let header: unknown;
  try {
    for await (const frame of readTape(file, { onHeader: (firstLine) => (header = firstLine) })) frames.push(frame);
  } catch {
    return { frames, header, torn: true };
  }
  return { frames, header, torn: false };
}

describe.each(['zst', 'gz'] as const)('a tape packed as %s', (pack) => {
  it('holds every message unchanged, after a header', async () => {
    const dir = folder();
    const recorder = new Recorder(options(dir, { pack }));
    recorder.connection('prices', 'up', '', timesAt(1000));
    recorder.frame('prices', 'orderUpdate', '{"gameID":"g","odds":-110}', timesAt(1001));
    recorder.read('POST /exchange/getOrderbook', { data: { games: [] } }, FROM + 1001, timesAt(1002));
    recorder.connection('prices', 'down', 'transport close', timesAt(1003));
    await recorder.close();
    const [file = ''] = tapesIn(dir);
    const { frames, header, torn } = await framesOf(file);
    expect(torn).toBe(false);
    expect(header).toMatchObject({ tape: 1, depth: null, perspective: 'offerer', profile: { oddsStep: 1 } });
    expect(frames.map(({ ts, ns, event, data }) => [ts, ns, event, data])).toEqual([
      [FROM + 1000, '/priceUpdates', 'connect', ''],
      [FROM + 1001, '/priceUpdates', 'orderUpdate', '{"gameID":"g","odds":-110}'],
      [FROM + 1002, 'rest', 'POST /exchange/getOrderbook', '{"data":{"games":[]}}'],
      [FROM + 1003, '/priceUpdates', 'disconnect', 'transport close'],
    ]);
    expect(indexOf(dir).segments).toMatchObject([{ frames: 4, closed: true, from: FROM + 1000, to: FROM + 1003 }]);
  });
});

describe('a recorder', () => {
  it.each([0, 31])('makes a new salt when a full disk wrote only %i bytes of it', (length) => {
    const dir = folder();
    writeFileSync(join(dir, '.salt'), Buffer.alloc(length));
    new Recorder(options(dir));
    const salt = readFileSync(join(dir, '.salt'));
    expect(salt).toHaveLength(32);
    expect(salt.equals(Buffer.alloc(32))).toBe(false);
    new Recorder(options(dir));
    expect(readFileSync(join(dir, '.salt')).equals(salt)).toBe(true);
    expect(readdirSync(dir).filter((name) => name.startsWith('.salt'))).toEqual(['.salt']);
  });

  it('writes pseudonyms for accounts, the same on every tape of a folder, and no secret', async () => {
    const dir = folder();
    for (const time of [1000, 2000]) {
      const recorder = new Recorder(options(dir, { run: `r${time}` }));
      recorder.frame('user', 'positionUpdate', '{"createdBy":"64ab","note":"token-of-alice"}', timesAt(time));
      await recorder.close();
    }
    const texts: string[] = [];
    for (const file of tapesIn(dir)) {
      const { frames } = await framesOf(file);
      texts.push(`${frames[0]?.ns} ${frames[0]?.data}`);
    }
    expect(texts).toHaveLength(2);
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]).toMatch(/^\/v2\/user\/p-[0-9a-f]{16} {"createdBy":"p-[0-9a-f]{16}","note":"\[secret\]"}$/);
    const elsewhere = folder();
    const other = new Recorder(options(elsewhere));
    other.frame('user', 'positionUpdate', '{"createdBy":"64ab"}', timesAt(1));
    await other.close();
    expect((await framesOf(tapesIn(elsewhere)[0] ?? '')).frames[0]?.ns).not.toBe(texts[0]?.split(' ')[0]);
  });

  it('begins a new segment after its time, and lists all segments in the index', async () => {
    const dir = folder();
    const recorder = new Recorder(options(dir, { rotateMs: 1 }));
    recorder.frame('prices', 'e', '1', timesAt(1));
    await sleep(1300);
    recorder.frame('prices', 'e', '2', timesAt(2));
    await recorder.close();
    expect(tapesIn(dir)).toHaveLength(2);
    expect(indexOf(dir).segments.map(({ frames, closed }) => [frames, closed])).toEqual([
      [1, true],
      [1, true],
    ]);
  });

  it('loses at most the last second when it is killed, and the next recorder leaves that tape alone', async () => {
    const dir = folder();
    const script = join(folder(), 'child.ts');
    const source = new URL('../../src/tape/recorder.ts', import.meta.url).href;
    writeFileSync(
      script,
      `import { Recorder } from ${JSON.stringify(source)};
       const recorder = new Recorder({ folder: ${JSON.stringify(dir)}, run: 'k', perspective: 'offerer', profile: {},
         priceNamespace: '/priceUpdates', userNamespace: '/v2/user/', username: 'a', secrets: () => [], problem: () => {}, resumed: () => {} });
       let n = 0;
       setInterval(() => { n += 1; recorder.frame('prices', 'e', String(n), { t: Date.now(), mono: n }); process.stdout.write(n + '\\n'); }, 5);`,
    );
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await sleep(3500);
    const killedAt = Date.now();
    child.kill('SIGKILL');
    await once(child, 'close');
    const written = Number(output.trim().split('\n').at(-1));
    const [file = ''] = tapesIn(dir);
    const bytes = readFileSync(file);
    const { frames, torn } = await framesOf(file);
    expect(torn).toBe(true);
    expect(frames.length).toBeGreaterThan(100);
    expect(frames.map(({ data }) => Number(data))).toEqual(frames.map((_frame, index) => index + 1));
    expect(frames.length).toBeLessThanOrEqual(written);
    // the last second, and what a busy machine adds to it
    expect(killedAt - (frames.at(-1)?.ts ?? 0)).toBeLessThan(2500);
    const next = new Recorder(options(dir));
    next.frame('prices', 'e', 'x', timesAt(Date.now()));
    await next.close();
    expect(readFileSync(file).equals(bytes)).toBe(true);
    expect(indexOf(dir).segments.map(({ closed }) => closed)).toEqual([false, true]);
  });

  it('throws at once, with the reason, when its folder can never exist or is a file', () => {
    expect(() => new Recorder(options('/proc/no-such-folder'))).toThrow(/ENOENT/);
    const file = join(folder(), 'a-file');
    writeFileSync(file, '');
    expect(() => new Recorder(options(file))).toThrow(/EEXIST/);
    expect(() => new Recorder(options(join(file, 'below')))).toThrow(/ENOTDIR/);
  });

  it('accepts nothing after it is closed', async () => {
    const dir = folder();
    const recorder = new Recorder(options(dir));
    recorder.frame('prices', 'e', '1', timesAt(1));
    await recorder.close();
    recorder.frame('prices', 'e', '2', timesAt(2));
    expect(recorder.lost).toBe(1);
    expect(tapesIn(dir)).toHaveLength(1);
  });

  it('reports a disk that refuses, counts what it could not keep, and never throws', async () => {
    const dir = folder();
    const problems: string[] = [];
    const recorder = new Recorder(options(dir, { problem: (message) => problems.push(message) }));
    // a folder has the name that the segment would get
    mkdirSync(join(dir, '2030-01-01T00-00-00-001Z-r-1.ndjson.zst'));
    recorder.frame('prices', 'e', '1', timesAt(1));
    await expect.poll(() => problems.length).toBe(1);
    recorder.frame('prices', 'e', '2', timesAt(2));
    recorder.frame('prices', 'e', '3', timesAt(3));
    expect(recorder.lost).toBe(3);
    await recorder.close();
    expect(problems[0]).toContain('cannot be written');
    expect(recorder.isRefused).toBe(true);
  });

  it('keeps what a disk took before it refused, counts the rest, and continues when the disk accepts again', async () => {
    const dir = folder();
    const script = join(folder(), 'child.ts');
    writeFileSync(
      script,
      `import { randomBytes } from 'node:crypto';
       import { Recorder } from ${JSON.stringify(new URL('../../src/tape/recorder.ts', import.meta.url).href)};
       const say = (word: string) => (message: string) => process.stdout.write(word + ': ' + message + '\\n');
       const recorder = new Recorder({ folder: ${JSON.stringify(dir)}, run: 'f', perspective: 'offerer', profile: {}, retryMs: 300,
         priceNamespace: '/priceUpdates', userNamespace: '/v2/user/', username: 'a', secrets: () => [],
         problem: say('problem'), resumed: say('resumed') });
       let n = 0;
       const times = () => ({ t: Date.now(), mono: n });
       recorder.connection('prices', 'up', '', times());
       const timer = setInterval(() => { n += 1; recorder.frame('prices', 'e', n + ' ' + randomBytes(300).toString('hex'), times()); }, 5);
       process.stdin.once('data', async () => {
         clearInterval(timer);
         await recorder.close();
         process.stdout.write(JSON.stringify({ n, records: recorder.records, lost: recorder.lost, refused: recorder.isRefused }) + '\\n');
         process.exit(0);
       });`,
    );
    // the limit on the size of a file stands for a full disk: writes beyond it are refused with EFBIG
    const child = spawn('sh', ['-c', 'ulimit -S -f 250; exec "$0" "$1"', process.execPath, script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await expect.poll(() => output.match(/problem: /g)?.length ?? 0, { timeout: 20_000 }).toBeGreaterThan(1);
    execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited:']);
    await expect.poll(() => output, { timeout: 20_000 }).toContain('resumed: ');
    await sleep(1500);
    child.stdin.write('end\n');
    await once(child, 'close');
    const { n, records, lost, refused } = JSON.parse(output.trim().split('\n').at(-1) ?? '') as {
      [key: string]: number;
    };
    expect(refused).toBe(false);
    expect(records).toBe((n ?? 0) + 1);
    expect(lost).toBeGreaterThan(0);
    expect(lost).toBeLessThan(n ?? 0);
    const read: TapeFrame[] = [];
    for (const file of tapesIn(dir)) read.push(...(await framesOf(file)).frames);
    const numbers = read.filter(({ event }) => event === 'e').map(({ data }) => Number(data.split(' ')[0]));
    // the tape has what was on the disk before it refused
    expect(numbers[0]).toBe(1);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(new Set(numbers).size).toBe(numbers.length);
    // a tear may leave more than what is known to be on the disk
    expect(numbers.length).toBeGreaterThanOrEqual((n ?? 0) - (lost ?? 0));
    const segments = indexOf(dir).segments;
    expect(segments.map(({ file }) => join(dir, file))).toEqual(tapesIn(dir));
    expect(segments.at(-1)?.closed).toBe(true);
    // the tape marks each place where a number is missing
    read.forEach((frame, index) => {
      const [before, next] = [Number(read[index - 1]?.data.split(' ')[0]), Number(frame.data.split(' ')[0])];
      if (frame.event === 'e' && read[index - 1]?.event === 'e') expect(next).toBe(before + 1);
    });
    const holes = read.filter(({ data }) => data === 'not recorded').length;
    expect(holes).toBeGreaterThan(0);
    expect(read.filter(({ event }) => event === 'connect')).toHaveLength(holes + 1);
  }, 60_000);
});

describe('oddsmaker record', () => {
  it('records an exchange beside its bot, and the recording plays as a tape', { timeout: 60_000 }, async () => {
    const venue = await startExchange('--games', '1', '--account', 'alice:alice-pw');
    const dir = folder();
    const config = writeConfig(
      `${exchangeSection(venue.restUrl, venue.socketUrl)}markets: { leagues: [NBA] }\nrecord: { dir: ./tapes }\n${DAY_LIMIT}${STRATEGIES}`,
      dir,
    );
    const [recorded, bot] = await Promise.all([
      run(['record', config, '--for', '6s']),
      run(['run', config, '--for', '5s', '--json']),
    ]);
    expect(recorded.code, recorded.stderr).toBe(0);
    expect(bot.code, bot.stderr).toBe(0);
    const files = tapesIn(join(dir, 'tapes'));
    expect(files).toHaveLength(2);
    for (const file of files) {
      const { frames, torn } = await framesOf(file);
      expect(torn).toBe(false);
      expect(frames.some(({ ns }) => ns === 'rest')).toBe(true);
      expect(frames.filter(({ event }) => event === 'orderUpdate').length).toBeGreaterThan(5);
      for (const { data, ns } of frames) {
        expect(data).not.toContain('alice-pw');
        expect(ns).not.toContain('alice');
      }
    }
    const played = await run([
      ...[
        'run',
        writeConfig(`exchange: { embedded: {} }\nmarkets: { leagues: [NBA] }\njournal: { dir: null }\n${STRATEGIES}`),
      ],
      ...['--tape', files[0] ?? '', '--for', '1500ms', '--json'],
    ]);
    expect(played.code, played.stderr).toBe(0);
    expect((JSON.parse(played.stdout) as { frames: number }).frames).toBeGreaterThan(0);
  });

  it('reads a league in the exchange’s spelling when the configuration has it in another case', async () => {
    const venue = await startExchange('--games', '1', '--account', 'alice:alice-pw');
    // an exchange that is case-sensitive: it has no games of "nba"
    const strict = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        const { url = '', method = 'GET', headers } = request;
        if (`${url} ${body}`.includes('nba')) {
          response.setHeader('content-type', 'application/json');
          response.end('{"data":{"market":null,"games":[],"pagination":{"hasNextPage":false}}}');
          return;
        }
        const { host: _host, 'content-length': _length, connection: _connection, ...kept } = headers;
        void fetch(`${venue.restUrl}${url}`, {
          method,
          headers: kept as Record<string, string>,
          ...(method === 'GET' ? {} : { body }),
        }).then(async (answer) => {
          response.statusCode = answer.status;
          response.setHeader('content-type', 'application/json');
          response.end(await answer.text());
        });
      });
    });
    await new Promise<void>((done) => void strict.listen(0, '127.0.0.1', done));
    const { port } = strict.address() as { readonly port: number };
    const dir = folder();
    const config = writeConfig(
      `${exchangeSection(`http://127.0.0.1:${port}`, venue.socketUrl)}markets: { leagues: [nba] }\nrecord: { dir: ./tapes }\n${DAY_LIMIT}${STRATEGIES}`,
      dir,
    );
    const { code, stderr } = await run(['record', config, '--for', '5s']);
    strict.close();
    strict.closeAllConnections();
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('"league":"nba","exchange":"NBA"');
    const [file = ''] = tapesIn(join(dir, 'tapes'));
    const reads = (await framesOf(file)).frames.filter(({ ns }) => ns === 'rest');
    expect(reads.map(({ data }) => data.includes('"participants"'))).toEqual([false, true]);
  }, 60_000);
});

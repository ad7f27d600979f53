// `oddsmaker backtest` on generated tapes: what it reads, what it refuses, and that the same inputs give the
// same bytes. Exit codes come from real processes; tests that check only results run the command line in this
// process.
import type { RunEvent } from '../../src/domain/index.ts';
import { RESULTS } from '../../src/report/index.ts';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { Curve } from '../../src/run/curve.ts';
import type { BacktestResult } from '../../src/backtest/result.ts';
import { resultSchema } from '../../src/backtest/result.ts';
import { writeOut } from '../../src/backtest/out.ts';
import { main } from '../../src/index.ts';
import { cacheFolder } from '../../src/files/cache-folder.ts';
import { JournalWriter } from '../../src/journal/journal.ts';
import { stampedName } from '../../src/files/stamped-name.ts';
import type { Ended } from '../support/children.ts';
import { folder, NO_JOURNAL, run, start, STRATEGIES, TWO_SIDED, writeConfig } from '../support/children.ts';
import { GOOD_DISK } from '../support/disk.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';
import { MadeTape, NOON } from './made-tape.ts';

const YAML = `exchange: { embedded: {} }\n${STRATEGIES}${NO_JOURNAL}`;

const DAY_S = 86_400;

/** The lines of a generated tape, header first. No two frames have the same time. */
function linesOf(seconds: number): readonly string[] {
  const file = join(folder(), 'generated.ndjson.gz');
  writeGeneratedTape(file, seconds);
  const [header = '', ...frames] = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n');
  let last = 0;
  return [
    header,
    ...frames.map((line) => {
      const frame = JSON.parse(line) as { ts: number };
      frame.ts = last = Math.max(frame.ts, last + 1);
      return JSON.stringify(frame);
    }),
  ];
}

const textOf = (lines: readonly string[]): string => `${lines.join('\n')}\n`;

/** A segment named as a recorder names it. */
const segment = (name: string): string => stampedName(0, `a-${name}`);

function tapeOf(content: string | Buffer, name = 'tape.ndjson', into = folder()): string {
  const file = join(into, name);
  writeFileSync(file, content);
  return file;
}

type Completed = Ended & { readonly out: string };

const argsOf = (out: string, flags: readonly string[]): readonly string[] => [
  ...['backtest', writeConfig(YAML), '--out', out, '--latency', '80ms'],
  ...flags,
];

/** One backtest in its own process. */
async function spawned(...flags: readonly string[]): Promise<Completed> {
  const out = folder();
  return { ...(await run(argsOf(out, flags))), out };
}

async function backtest(...flags: readonly string[]): Promise<Completed> {
  const out = folder();
  return { ...(await inThisProcess(argsOf(out, flags))), out };
}

/** Runs the command line in this process, one call at a time. */
async function inThisProcess(args: readonly string[]): Promise<Ended> {
  const output = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      output[stream] += text.toString();
      return true;
    }),
  );
  try {
    const code = await main(args);
    return { code, ...output };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

const textIn = ({ out }: Completed, name: string): string => readFileSync(join(out, name), 'utf8');

/** The result of a run that succeeded, parsed by its schema. */
function resultOf(completed: Completed): BacktestResult {
  expect(completed.stderr).toBe('');
  expect(completed.code).toBe(0);
  return resultSchema.parse(JSON.parse(textIn(completed, 'result.json')));
}

/** The parts of a result that do not name its inputs. */
const outcomeOf = (completed: Completed): Pick<BacktestResult, 'scenarios' | 'frames'> => {
  const { scenarios, frames } = resultOf(completed);
  return { scenarios, frames };
};

describe('several tapes of a backtest', () => {
  it('are merged by time: two files that hold every other frame, or a folder of them, play as one tape', async () => {
    const [header = '', ...frames] = linesOf(20);
    const whole = tapeOf(textOf([header, ...frames]));
    const parts = [0, 1].map((part) => textOf([header, ...frames.filter((_line, i) => i % 2 === part)]));
    const two = parts.map((text, i) => tapeOf(text, `part${i}.ndjson`));
    const inFolder = folder();
    tapeOf(gzipSync(parts[0] ?? ''), 'a.ndjson.gz', inFolder);
    tapeOf(zstdCompressSync(parts[1] ?? ''), 'b.ndjson.zst', inFolder);
    tapeOf('not a tape', 'notes.txt', inFolder);
    const single = await backtest('--tape', whole);
    const files = await backtest('--tape', two[0] ?? '', '--tape', two[1] ?? '');
    const several = await backtest('--tape', inFolder);
    const expected = outcomeOf(single);
    expect(expected.frames).toBe(frames.length);
    expect(expected.scenarios.pessimistic?.fills).toBeGreaterThan(10);
    expect(outcomeOf(files)).toEqual(expected);
    expect(outcomeOf(several)).toEqual(expected);
    expect(resultOf(several).inputs.tapes).toMatchObject([
      { file: join(inFolder, 'a.ndjson.gz'), frames: Math.ceil(frames.length / 2), skipped: 0 },
      { file: join(inFolder, 'b.ndjson.zst'), frames: Math.floor(frames.length / 2), skipped: 0 },
    ]);
  });

  it('in the taker’s view keep the teams of the first segment in the next one', async () => {
    const market = new MadeTape({ perspective: 'taker' }).game(0);
    for (let i = 0; i < 40; i++)
      market
        .side(i, 'home', [{ id: 'h', odds: 110, risk: 4000, left: 4000 - 40 * i }])
        .side(i, 'away', [{ id: 'a', odds: 110, risk: 4000, left: 4000 - 40 * i }]);
    const [header = '', ...frames] = market.lines;
    const half = frames.length / 2;
    const segments = folder();
    tapeOf(textOf([header, ...frames.slice(0, half)]), '1.ndjson', segments);
    tapeOf(textOf([header, ...frames.slice(half)]), '2.ndjson', segments);
    const single = await backtest('--fills', 'pessimistic', '--tape', tapeOf(textOf([header, ...frames])));
    const two = await backtest('--fills', 'pessimistic', '--tape', segments);
    expect(outcomeOf(single).scenarios.pessimistic?.fills).toBeGreaterThan(10);
    expect(outcomeOf(two)).toEqual(outcomeOf(single));
  });
});

describe('segments in the taker’s view', () => {
  it('use the teams that the first segment named late', async () => {
    // Half a megabyte of totals, which need no teams, comes before the header and the sides that need them.
    const market = new MadeTape({ perspective: 'taker' });
    for (let i = 0; i < 1500; i++) market.side(i / 1000, 'over 210.5', [{ id: `n${i}`, odds: 150, risk: 1 }]);
    market.game(10);
    for (let i = 10; i < 50; i++)
      market
        .side(i, 'home', [{ id: 'h', odds: 110, risk: 4000, left: 4000 - 40 * i }])
        .side(i, 'away', [{ id: 'a', odds: 110, risk: 4000, left: 4000 - 40 * i }]);
    const [header = '', ...frames] = market.lines;
    const whole = market.write();
    const segments = folder();
    tapeOf(textOf([header, ...frames.slice(0, -40)]), '1.ndjson', segments);
    tapeOf(textOf([header, ...frames.slice(-40)]), '2.ndjson', segments);
    const single = await backtest('--fills', 'pessimistic', '--tape', whole);
    const two = await backtest('--fills', 'pessimistic', '--tape', segments);
    expect(outcomeOf(single).scenarios.pessimistic?.fills).toBeGreaterThan(10);
    expect(outcomeOf(two)).toEqual(outcomeOf(single));
  });
});

describe('a tape with ladders cut at ten rows', () => {
  /** Ladders of ten rows at most: whenever a better price arrives, the last row falls off. */
  function cutTape(header: { readonly depth?: number } | null): string {
    const row = (id: string, odds: number) => ({ id, odds, risk: 1000 });
    const nine = (side: string) => Array.from({ length: 9 }, (_none, index) => row(`${side}${index}`, 102 + index));
    const home = nine('home');
    const market = new MadeTape(header).game(0).side(0, 'away', [...nine('away'), row('last', 113)]);
    for (let k = 0; k < 10; k++) {
      market.side(k * 20, 'home', [...home, row(`last ${k}`, 113)]);
      market.side(k * 20 + 10, 'home', [row(`better ${k}`, 101), ...home]);
    }
    return market.write();
  }

  it.each([null, {}])(
    'brings a warning when its header gives no depth, since what falls off looks taken (header: %j)',
    async (header) => {
      const tape = cutTape(header);
      const completed = await backtest('--tape', tape, '--fills', 'all');
      expect(completed.stderr).toContain(
        `oddsmaker: ${tape}: no ladder has more than 10 rows and 21 have just as many, as if they were cut there`,
      );
      const { scenarios, inputs } = resultOf({ ...completed, stderr: '' });
      expect(inputs.depth).toBeNull();
      expect(scenarios.optimistic?.fills).toBeGreaterThan(0);
      // with a given depth nothing looks taken, from the compact tape neither
      for (const cacheFlags of [['--no-cache'], [], []]) {
        const known = await backtest('--tape', tape, '--fills', 'all', '--depth', '10', ...cacheFlags);
        expect(known).toMatchObject({ code: 0, stderr: '' });
        expect(resultOf(known)).toMatchObject({
          inputs: { depth: 10 },
          scenarios: { optimistic: { fills: 0 } },
        });
      }
    },
  );

  it('brings a warning that counts only the played part, and one that contradicts a --depth below its rows', async () => {
    const tape = cutTape(null);
    const completed = await backtest('--tape', tape, '--to', '30s');
    expect(completed.stderr).toContain('no ladder has more than 10 rows and 5 have just as many');
    const wrong = await backtest('--tape', tape, '--depth', '5');
    expect(wrong).toMatchObject({
      code: 0,
      stderr: `oddsmaker: ${tape}: ladders have up to 10 rows, more than the given --depth 5\n`,
    });
  });

  it('brings no warning when the depth does not matter or the header gives it', async () => {
    expect(await backtest('--tape', cutTape(null), '--fills', 'pessimistic')).toMatchObject({ stderr: '' });
    const completed = await backtest('--tape', cutTape({ depth: 10 }), '--fills', 'all');
    expect(completed.stderr).toBe('');
    expect(resultOf(completed).scenarios.optimistic?.fills).toBe(0);
    // the header takes precedence over --depth
    const deeper = await backtest('--tape', cutTape({ depth: 11 }), '--depth', '10', '--fills', 'all');
    expect(resultOf(deeper).scenarios.optimistic?.fills).toBeGreaterThan(0);
  });
});

describe('the tape of a backtest', () => {
  const lines = linesOf(5);
  const text = textOf(lines);
  const middle = 40;
  const cases: readonly (readonly [
    damage: string,
    name: string,
    content: string | Buffer,
    problem: RegExp,
    skipped: number,
    frames: (frames: number) => boolean,
  ])[] = [
    [
      'that is torn in its last line',
      'torn.ndjson',
      text.slice(0, -40),
      new RegExp(`torn\\.ndjson:${lines.length}: this line is not JSON, or is torn off`),
      1,
      (frames) => frames === lines.length - 2,
    ],
    [
      'that is torn in the middle of a packed piece',
      'torn.ndjson.gz',
      gzipSync(text.repeat(1)).subarray(0, -100),
      /torn\.ndjson\.gz:\d+: the packed file ends in the middle: it is torn off/,
      1,
      (frames) => frames > 0 && frames < lines.length - 1,
    ],
    [
      'with one unreadable line',
      'bad.ndjson',
      textOf(
        lines.toSpliced(
          middle - 1,
          1,
          lines[middle - 1]?.replace('"orderUpdate","data":"{', '"orderUpdate","data":"') ?? '',
        ),
      ),
      new RegExp(`bad\\.ndjson:${middle}: this orderUpdate cannot be read`),
      1,
      (frames) => frames === lines.length - 2,
    ],
  ];

  it.each(cases)(
    '%s ends it with exit code 65, file and line; --lenient leaves the line out and counts it',
    async (...testCase) => {
      const [, name, content, problem, skipped, frames] = testCase;
      const tape = tapeOf(content, name);
      const flags = ['--fills', 'pessimistic', '--tape', tape];
      const [strict, lenient] = await Promise.all([spawned(...flags), spawned(...flags, '--lenient')]);
      expect(strict.stderr).toMatch(problem);
      expect(strict).toMatchObject({ code: 65, stdout: '' });
      expect(lenient.code).toBe(0);
      expect(lenient.stderr).toMatch(problem);
      expect(lenient.stdout).toContain('1 line left out');
      const { inputs } = resultSchema.parse(JSON.parse(textIn(lenient, 'result.json')));
      expect(inputs.tapes).toMatchObject([{ file: tape, skipped }]);
      expect(inputs.tapes[0]?.frames).toSatisfy(frames);
      // the compact form keeps what was left out, which is still a failure without --lenient
      const again = await backtest(...flags);
      expect(again).toMatchObject({ code: 65, stdout: '' });
      expect(again.stderr).toMatch(problem);
    },
  );

  it('that is a torn segment of a killed run plays up to the tear, lenient or not', async () => {
    const [header = '', ...frames] = lines;
    const segments = folder();
    const half = gzipSync(textOf([header, ...frames.slice(0, 60)])).subarray(0, -100);
    tapeOf(half, segment('1.ndjson.gz'), segments);
    tapeOf('', segment('2.ndjson.gz'), segments);
    tapeOf(textOf([header, ...frames.slice(60)]), segment('3.ndjson'), segments);
    const flags = ['--fills', 'pessimistic', '--tape', segments];
    const first = await backtest(...flags);
    expect(first.code, first.stderr).toBe(0);
    expect(first.stderr).toMatch(/1\.ndjson\.gz:\d+: the packed file ends in the middle: it is torn off/);
    expect(first.stderr).toMatch(/2\.ndjson\.gz:1: the packed file ends in the middle/);
    const { inputs } = resultSchema.parse(JSON.parse(textIn(first, 'result.json')));
    expect(inputs.tapes.map(({ torn, skipped }) => [torn, skipped])).toEqual([
      [true, 1],
      [true, 1],
      [false, 0],
    ]);
    expect(inputs.tapes[0]?.frames).toBeGreaterThan(0);
    // the second time it is read from the compact forms
    expect(textIn(await backtest(...flags), 'result.json')).toBe(textIn(first, 'result.json'));
    const wrong = textOf([header, ...frames.slice(0, 60)]).replace('orderUpdate', 'order"');
    tapeOf(wrong, segment('1.ndjson'), segments);
    expect(await backtest(...flags)).toMatchObject({ code: 65, stdout: '' });
  });

  it('that is torn and merely lies in a folder is not taken for a segment of a killed run', async () => {
    const tapes = folder();
    tapeOf(gzipSync(textOf(lines)).subarray(0, -100), 'copied.ndjson.gz', tapes);
    const { code, stderr } = await backtest('--fills', 'pessimistic', '--tape', tapes);
    expect(code).toBe(65);
    expect(stderr).toMatch(/copied\.ndjson\.gz:\d+: the packed file ends in the middle: it is torn off/);
  });

  it('has its compact form made again, whichever byte of that is wrong', async () => {
    const tape = tapeOf(textOf(linesOf(10)));
    const flags = ['--fills', 'pessimistic', '--tape', tape];
    const first = textIn(await backtest(...flags), 'result.json');
    const hash = createHash('sha256').update(readFileSync(tape)).digest('hex');
    const compact = join(cacheFolder(), `tape.ndjson.${hash.slice(0, 16)}.compact`);
    const whole = readFileSync(compact);
    for (const share of [0, 0.2, 0.5, 0.8, 1]) {
      const damaged = Buffer.from(whole);
      const offset = Math.floor((damaged.length - 1) * share);
      damaged[offset] = (damaged[offset] ?? 0) ^ 0x55;
      writeFileSync(compact, damaged);
      expect(textIn(await backtest(...flags), 'result.json')).toBe(first);
      expect(readFileSync(compact)).toEqual(whole);
    }
  });

  it.each([
    ['that is missing', () => join(folder(), 'none.ndjson'), /none\.ndjson:1: there is no such file/],
    ['without a frame of a price feed', () => tapeOf('{"tape":1}\n'), /tape\.ndjson:1: no frame of a price feed/],
    ['that is an empty folder', () => folder(), /:1: no tape in this folder/],
  ])('%s ends it with exit code 65', async (_what, make, problem) => {
    const completed = await backtest('--tape', make());
    expect(completed).toMatchObject({ code: 65, stdout: '' });
    expect(completed.stderr).toMatch(problem);
  });
});

describe('a backtest of the same inputs', () => {
  it('writes the same bytes from the lines of a tape and from its compact form', async () => {
    const tape = tapeOf(textOf(linesOf(20)));
    const first = await spawned('--tape', tape);
    const second = await spawned('--tape', tape);
    const bare = await backtest('--tape', tape, '--no-cache');
    for (const name of ['result.json', 'fills.csv', 'markets.csv', 'pnl.csv', 'pnl.svg']) {
      expect(textIn(second, name)).toBe(textIn(first, name));
      expect(textIn(bare, name)).toBe(textIn(first, name));
    }
    expect(Object.keys(resultOf(first).scenarios)).toEqual(['pessimistic', 'calibrated']);
  });

  it('writes the same bytes when ids come back after more than a thousand events', async () => {
    const market = new MadeTape().game(0, { mainTotal: 210.5 });
    let second = 0;
    let ids = 0;
    const home = (...idsShown: readonly string[]): unknown =>
      market.side(
        (second += 1),
        'home',
        idsShown.map((id) => ({ id, odds: 110, risk: 200 })),
      );
    market.side(0, 'away', [{ id: 'a', odds: 110, risk: 200 }]);
    for (let cycle = 0; cycle < 8; cycle++) {
      home(`h${cycle}`, 'stays');
      home('stays');
      for (let i = 0; i < 1100 + 130 * cycle; i++)
        market.side((second += 0.01), 'over 210.5', [{ id: `n${(ids += 1)}`, odds: 150, risk: 1 }]);
      home(`h${cycle}`, 'stays');
      home('stays');
    }
    const tape = market.write();
    const flags = ['--fills', 'optimistic', '--tape', tape];
    const first = await backtest(...flags);
    const again = await backtest(...flags);
    expect(outcomeOf(first).scenarios.optimistic?.fills).toBeGreaterThan(0);
    expect(outcomeOf(again)).toEqual(outcomeOf(first));
  });

  it('writes the same bytes when the run ends before the tape', async () => {
    const market = new MadeTape().game(0).side(0, 'home', []).side(0, 'away', []);
    for (let i = 0; i < 6000; i++) market.side(1 + i / 100, 'over 210.5', [{ id: `n${i}`, odds: 150, risk: 1 }]);
    const flags = ['--fills', 'pessimistic', '--tape', market.write()];
    const first = await backtest(...flags, '--to', '2s');
    // all of the tape is read and cached
    expect(resultOf(await backtest(...flags)).inputs.tapes[0]?.frames).toBe(6003);
    expect(textIn(await backtest(...flags, '--to', '2s'), 'result.json')).toBe(textIn(first, 'result.json'));
  });
});

describe('--from and --to of a backtest', () => {
  it('take ISO times or offsets from the first frame, and trading ends at --to', async () => {
    const tape = tapeOf(textOf(linesOf(30)));
    const flags = ['--fills', 'pessimistic', '--tape', tape];
    const offsets = await backtest(...flags, '--from', '10s', '--to', '20s');
    const iso = ['--from', '2030-03-01T18:00:10Z', '--to', '2030-03-01T18:00:20Z'];
    const times = await backtest(...flags, ...iso);
    const { inputs, scenarios, frames } = resultOf(offsets);
    expect(inputs).toMatchObject({ from: '2030-03-01T18:00:10.000Z', to: '2030-03-01T18:00:20.000Z' });
    expect(textIn(times, 'result.json')).toBe(textIn(offsets, 'result.json'));
    expect(Object.keys(scenarios)).toEqual(['pessimistic']);
    // the book is built from the first frame on, and no frame is played from second 20 on
    const frameTimes =
      textOf(linesOf(30))
        .match(/"ts":(\d+)/g)
        ?.map((ts) => Number(ts.slice(5))) ?? [];
    const end = Date.parse('2030-03-01T18:00:20Z');
    expect(frames).toBe(frameTimes.filter((ts) => ts < end).length);
    // the curve starts at --from
    expect(textIn(offsets, 'pnl.csv').split('\n')[1]).toBe('2030-03-01T18:00:10.000Z,0');
  });
});

describe('a backtest with --to in a silence of the tape', () => {
  /** A tape with no frame between second 1 and second 1200. */
  const quiet = (): string =>
    new MadeTape()
      .game(0)
      .side(0, 'home', [{ id: 'h', odds: 110, risk: 100 }])
      .side(1, 'away', [{ id: 'a', odds: 110, risk: 100 }])
      .side(1200, 'home', [])
      .write();
  const lastPoint = (out: Completed): string | undefined =>
    textIn(out, 'pnl.csv').trim().split('\n').at(-1)?.split(',')[0];

  it('trades up to --to and counts no frame after it', async () => {
    const out = await backtest('--fills', 'pessimistic', '--tape', quiet(), '--to', '10m');
    expect(resultOf(out).inputs.tapes[0]?.frames).toBe(3);
    expect(Date.parse(lastPoint(out) ?? '')).toBeGreaterThanOrEqual(NOON + 600_000);
    expect(Date.parse(lastPoint(out) ?? '')).toBeLessThan(NOON + 630_000);
  });

  it('trades up to --to when --from is in the same silence, too', async () => {
    const out = await backtest('--fills', 'pessimistic', '--tape', quiet(), '--from', '5m', '--to', '10m');
    expect(textIn(out, 'pnl.csv').split('\n')[1]).toBe(`${new Date(NOON + 300_000).toISOString()},0`);
    expect(Date.parse(lastPoint(out) ?? '')).toBeGreaterThanOrEqual(NOON + 600_000);
    expect(resultOf(out).scenarios.pessimistic).toMatchObject({ end: { exit: 0 }, openAtExit: 0 });
  });
});

describe('a backtest with --from before the tape', () => {
  it('starts with the tape', async () => {
    const flags = ['--fills', 'pessimistic', '--tape', tapeOf(textOf(linesOf(20)))];
    const without = await backtest(...flags);
    const before = await backtest(...flags, '--from', '2030-02-20');
    expect(outcomeOf(before)).toEqual(outcomeOf(without));
    expect(textIn(before, 'pnl.csv')).toBe(textIn(without, 'pnl.csv'));
  });
});

describe('the profit curve of a backtest', () => {
  it('has a header, a row for each second and a row for the end', async () => {
    const completed = await backtest('--tape', tapeOf(textOf(linesOf(130))), '--fills', 'pessimistic');
    const { pnl } = resultOf(completed).scenarios.pessimistic ?? {};
    const [header, ...rows] = textIn(completed, 'pnl.csv').trimEnd().split('\n');
    expect(header).toBe('time,pessimistic');
    const begin = Date.parse('2030-03-01T18:00:00Z');
    const seconds = rows.map((row) => (Date.parse(row.split(',')[0] ?? '') - begin) / 1000);
    expect(seconds.slice(0, 129)).toEqual(Array.from({ length: 129 }, (_none, second) => second));
    expect(seconds.length).toBeLessThan(135);
    expect(seconds.at(-1)).toBeGreaterThan(129);
    expect(Number(rows.at(-1)?.split(',')[1])).toBe(pnl?.marked);
    const svg = textIn(completed, 'pnl.svg');
    expect(svg).toMatch(/Marked result, dollars; 2030-03-01 18:00 to 2030-03-01 18:02 UTC/);
    // the time labels of the axis differ
    const marks = svg.match(/>\d\d:\d\d:\d\d</g) ?? [];
    expect(new Set(marks).size).toBe(6);
  });

  it('keeps its shape, its end and at most 2,000 points, however long the tapes are', () => {
    const curve = new Curve(1000);
    let ms = 0;
    for (let n = 0; n < 20_000; n++) {
      curve.addPoint(ms, { marked: ms, worst: 0, inventory: 0, inPlay: 0 });
      ms += curve.stepMs;
    }
    const times = curve.points.map(({ t }) => t);
    expect(times.length).toBeGreaterThanOrEqual(1000);
    expect(times.length).toBeLessThanOrEqual(2000);
    expect(times[0]).toBe(0);
    expect(times.at(-1)).toBe(ms - curve.stepMs);
    const steps = new Set(times.slice(1).map((t, index) => t - (times[index] ?? 0)));
    expect([...steps]).toEqual([curve.stepMs]);
  });
});

describe('the profit curve of a tape with a silence of days', () => {
  it('has the minutes of both parts and none of the silence', async () => {
    const tape = new MadeTape().game(0, { start: new Date(NOON + 10 * DAY_S * 1000).toISOString() });
    for (const day of [0, 5])
      for (let n = 0; n <= 600; n += 20)
        tape
          .side(day * DAY_S + n, 'home', [{ id: `h${day}`, odds: 110 + (n % 40), risk: 100 }])
          .side(day * DAY_S + n, 'away', [{ id: `a${day}`, odds: 105, risk: 100 }]);
    const completed = await backtest('--fills', 'pessimistic', '--tape', tape.write());
    expect(completed.code).toBe(0);
    const minutes = textIn(completed, 'pnl.csv')
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((row) => Math.floor((Date.parse(row.split(',')[0] ?? '') - NOON) / 60_000));
    const [first, second] = [0, 5 * DAY_S].map((from) => Array.from({ length: 11 }, (_none, n) => from / 60 + n));
    expect(minutes).toEqual(expect.arrayContaining([...(first ?? []), ...(second ?? [])]));
    expect(new Set(minutes).size).toBeLessThan(30);
  });
});

describe('--latency with a journal', () => {
  const header = { version: '0', config: {}, strategies: [], profile: {} };

  /** A journal of requests that take `roundTrips` ms each. Every other request is never answered. */
  async function journalOf(...roundTrips: readonly number[]): Promise<string> {
    const file = join(folder(), 'run.ndjson');
    const journal = new JournalWriter(file, header, GOOD_DISK);
    let seq = 0;
    let mono = 0;
    const step = (wait: number, input: object, commands: readonly object[], events: readonly RunEvent[] = []): void =>
      journal.record(
        { seq: (seq += 1), t: 1e12 + (mono += wait), mono, in: input } as never,
        commands as never,
        events,
      );
    roundTrips.forEach((ms, index) => {
      step(10_000, { type: 'tick' }, [
        { type: 'cancel', req: 2 * index, bucket: 'cancel', permit: 1, orders: [] },
        { type: 'cancel', req: 2 * index + 1, bucket: 'cancel', permit: 2, orders: [] },
      ]);
      step(
        ms,
        { type: 'reply', req: 2 * index, status: 200, body: {} },
        [],
        [{ type: 'RequestAnswered', request: 2 * index, kind: 'cancel', status: 200, latencyMs: ms }],
      );
    });
    await journal.close();
    return file;
  }

  it('uses half of the journal’s round trips', async () => {
    const tape = tapeOf(textOf(linesOf(20)));
    const journal = await journalOf(160, 160, 160);
    const flags = ['--fills', 'pessimistic', '--tape', tape];
    const measured = await backtest(...flags, '--latency', journal);
    const given = await backtest(...flags, '--latency', '80ms');
    expect(outcomeOf(measured)).toEqual(outcomeOf(given));
    expect(resultOf(measured).inputs.latency).toBe(`measured from ${journal}`);
  });

  it('ends with exit code 65 when the journal has no answered request', async () => {
    const journal = await journalOf();
    const completed = await backtest('--tape', tapeOf(textOf(linesOf(1))), '--latency', journal);
    expect(completed).toMatchObject({ code: 65, stdout: '' });
    expect(completed.stderr).toContain(`${journal}: no answered request in this journal`);
  });
});

describe('a backtest command line', () => {
  const tape = ['--tape', 'x.ndjson'];
  it.each<[string, readonly string[], RegExp]>([
    ['without a tape', ['--out', 'o'], /required option '--tape/],
    ['without a folder for the results', [...tape], /required option '--out/],
    [
      'with an unknown scenario',
      [...tape, '--out', 'o', '--fills', 'rosy'],
      /--fills.*'rosy'.*pessimistic, calibrated/,
    ],
    ['with a start that is no time', [...tape, '--out', 'o', '--from', 'noon'], /--from.*'noon'.*ISO time.*20h/],
    ['with an end that is no time', [...tape, '--out', 'o', '--to', '20'], /--to.*'20'.*ISO time.*20h/],
    [
      'with a latency that is none',
      [...tape, '--out', 'o', '--latency', 'soon'],
      /--latency.*'soon'.*80ms±30ms.*journal/,
    ],
    ['with a latency below 0', [...tape, '--out', 'o', '--latency', '30ms±80ms'], /--latency.*'30ms±80ms'/],
    ['with a seed that is no whole number', [...tape, '--out', 'o', '--seed', '1.5'], /--seed.*'1\.5'.*whole number/],
  ])('%s ends with exit code 2', async (_what, flags, problem) => {
    const { code, stdout, stderr } = await inThisProcess(['backtest', 'bot.yaml', ...flags]);
    expect(stderr.replaceAll('\n', ' ')).toMatch(problem);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });
});

it(
  'a backtest plays a year of silence, and Ctrl-C ends it within sixty years of silence',
  { timeout: 60_000 },
  async () => {
    const lines = linesOf(5);
    const last = JSON.parse(lines.at(-1) ?? '') as { ts: number };
    const years = (n: number): string =>
      tapeOf(textOf([...lines, JSON.stringify({ ...last, ts: last.ts + n * 365 * 86_400_000 })]));
    const completed = await backtest('--tape', years(1), '--fills', 'pessimistic');
    expect(completed.code, completed.stderr).toBe(0);
    expect(resultOf(completed).frames).toBe(lines.length);
    const out = folder();
    const { child, ended } = start(argsOf(out, ['--tape', years(60), '--fills', 'pessimistic', '--journal']));
    await expect.poll(() => existsSync(join(out, 'pessimistic.ndjson')), { timeout: 50_000 }).toBe(true);
    const from = performance.now();
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130, stderr: expect.stringContaining('interrupted') as string });
    // playing sixty years takes longer
    expect(performance.now() - from).toBeLessThan(10_000);
  },
);

describe('a backtest in which nothing is quoted for a year', { timeout: 60_000 }, () => {
  const yearLater = (line: string): string =>
    line.replace(/"ts":(\d+)/, (_all, ts) => `"ts":${Number(ts) + 365 * 86_400_000}`);
  const lines = linesOf(5);
  const last = lines.at(-1) ?? '';
  const recorder = (event: string): string =>
    last.replace(/"event":"[^"]*","data":.*/, `"event":"${event}","data":""}`);

  it('plays through the year when the kill switch is set', async () => {
    const config = writeConfig(`${YAML}risk: { state: halted }\n`);
    const out = folder();
    const tape = tapeOf(textOf([...lines, yearLater(last)]));
    const completed = await inThisProcess([
      ...['backtest', config, '--tape', tape, '--out', out, '--fills', 'pessimistic'],
    ]);
    expect(completed.code, completed.stderr).toBe(0);
    expect(completed.stdout).toContain('frames');
  });

  it('plays through the year when the recorder had lost its connection', async () => {
    const again = [recorder('disconnect'), yearLater(recorder('connect')), yearLater(last)];
    const completed = await backtest('--tape', tapeOf(textOf([...lines, ...again])), '--fills', 'pessimistic');
    expect(completed.code, completed.stderr).toBe(0);
    expect(resultOf(completed).frames).toBe(lines.length);
  });
});

describe('a plain and a packed tape of the same name', () => {
  it('are two tapes: a backtest plays the one that it is given, or both of a folder', async () => {
    const tapeFolder = folder();
    const long = linesOf(20);
    const short = linesOf(5);
    const plain = tapeOf(textOf(short), 'game.ndjson', tapeFolder);
    const packed = join(tapeFolder, 'game.ndjson.gz');
    writeFileSync(packed, gzipSync(textOf(long)));
    const framesOf = async (tape: string) =>
      resultOf(await backtest('--tape', tape, '--fills', 'pessimistic')).inputs.tapes.map((input) => [
        input.file,
        input.frames,
      ]);
    const both = [
      [plain, short.length - 1],
      [packed, long.length - 1],
    ];
    expect(await framesOf(plain)).toEqual([both[0]]);
    expect(await framesOf(packed)).toEqual([both[1]]);
    expect(await framesOf(tapeFolder)).toEqual(both);
  });
});

describe('the result files of a backtest', () => {
  const tape = (): string => tapeOf(textOf(linesOf(5)));
  const draftsIn = (out: string): readonly string[] => readdirSync(out).filter((name) => name.endsWith('.draft'));
  const run = (out: string) => inThisProcess(argsOf(out, ['--tape', tape(), '--fills', 'pessimistic']));

  it('stay as they are when the disk is full', async () => {
    const out = folder();
    for (const name of RESULTS) writeFileSync(join(out, name), 'old');
    symlinkSync('/dev/full', join(out, `.markets.csv.${process.pid}.draft`));
    const completed = await run(out);
    expect(completed).toMatchObject({ code: 78, stdout: '' });
    expect(completed.stderr).toContain(`--out ${out}: the disk is full`);
    for (const name of RESULTS) expect(readFileSync(join(out, name), 'utf8')).toBe('old');
    expect(draftsIn(out)).toEqual([]);
  });

  it('lack result.json when not all of them could be replaced', () => {
    const out = folder();
    for (const name of RESULTS) writeFileSync(join(out, name), 'old');
    rmSync(join(out, 'fills.csv'));
    mkdirSync(join(out, 'fills.csv'));
    const files = Object.fromEntries(RESULTS.map((name) => [name, 'new'])) as Parameters<typeof writeOut>[1];
    expect(() => {
      writeOut(out, files);
    }).toThrow(/--out/);
    expect(existsSync(join(out, 'result.json'))).toBe(false);
    expect(draftsIn(out)).toEqual([]);
  });

  it('replace the drafts of a killed backtest, and leave those of one that is still writing', async () => {
    const out = folder();
    const [left, fresh] = [join(out, '.result.json.1.draft'), join(out, '.pnl.svg.2.draft')];
    for (const draft of [left, fresh]) writeFileSync(draft, 'half');
    utimesSync(left, 1, 1);
    expect(await run(out)).toMatchObject({ code: 0 });
    expect(draftsIn(out)).toEqual(['.pnl.svg.2.draft']);
  });
});

describe('a backtest', () => {
  it('refuses a latency so long that no answer arrives within exchange.requestTimeout', async () => {
    const tape = tapeOf(textOf(linesOf(5)));
    const yaml = YAML.replace('embedded: {}', 'embedded: {}, requestTimeout: 1s');
    const begin = (latency: string) =>
      inThisProcess([
        ...['backtest', writeConfig(yaml), '--out', folder(), '--tape', tape],
        ...['--fills', 'pessimistic', '--latency', latency],
      ]);
    const late = await begin('600ms±50ms');
    expect(late).toMatchObject({ code: 2, stdout: '' });
    expect(late.stderr).toContain(
      'with a latency of 600ms±50ms one way no answer comes within exchange.requestTimeout (1000 ms)',
    );
    // with this spread an answer arrives in time now and then
    expect((await begin('550ms±100ms')).stderr).not.toContain('requestTimeout');
  });

  it('needs no secret of the login, but every secret of a strategy', async () => {
    const tape = tapeOf(textOf(linesOf(5)));
    const exchange =
      'exchange: { restUrl: http://127.0.0.1:9, socketUrl: http://127.0.0.1:9, username: me, password: "${NOT_SET}" }\n';
    const begin = (yaml: string) => inThisProcess(['backtest', writeConfig(yaml), '--out', folder(), '--tape', tape]);
    expect(await begin(`${exchange}ops: { token: "\${NOT_SET}" }\n${STRATEGIES}${NO_JOURNAL}`)).toMatchObject({
      code: 0,
      stderr: '',
    });
    const completed = await begin(
      `${exchange}${STRATEGIES.replace('edge: 0.02', 'feedToken: "${NOT_SET}"')}${NO_JOURNAL}`,
    );
    expect(completed.code).toBe(78);
    expect(completed.stderr).toContain('strategies.0.params.feedToken: the environment variable NOT_SET is not set');
  });

  it('refuses an --out folder that cannot be written before it computes anything', async () => {
    const tape = tapeOf(textOf(linesOf(5)));
    const file = tapeOf('', 'a-file');
    const taken = folder();
    mkdirSync(join(taken, 'result.json'));
    for (const [out, problem] of [
      [file, /this is a file, and a folder is wanted/],
      [join(file, 'below'), /something in this path is a file, not a folder/],
      [taken, /result\.json is a folder/],
    ] as const) {
      const { code, stderr } = await inThisProcess(argsOf(out, ['--tape', tape]));
      expect(stderr).toMatch(problem);
      expect(stderr).toContain('--out');
      expect(code).toBe(78);
    }
  });

  it('refuses a --to before the start, and lists what the tapes hold when they lack --from or the leagues', async () => {
    const tape = tapeOf(textOf(linesOf(5)));
    const none = await backtest('--tape', tape, '--from', '3s', '--to', '2s');
    expect(none).toMatchObject({ code: 2, stdout: '' });
    expect(none.stderr).toContain('--to (2030-03-01T18:00:02.000Z) is not after the start');
    const late = await backtest('--tape', tape, '--from', '2h');
    expect(late).toMatchObject({ code: 65, stdout: '' });
    expect(late.stderr).toContain('the tapes end before --from (2030-03-01T20:00:00.000Z)');
    const has =
      /the tapes contain, from 2030-03-01T18:00:00\.000Z to .*:\n {2}NBA: Ravens @ Otters \(2030-03-01T20:00:00\.000Z\)/;
    expect(late.stderr).toMatch(has);
    const config = writeConfig(`exchange: { embedded: {} }\nmarkets: { leagues: [NHL] }\n${STRATEGIES}${NO_JOURNAL}`);
    const other = await run(['backtest', config, '--tape', tape, '--out', folder()]);
    expect(other).toMatchObject({ code: 65, stdout: '' });
    expect(other.stderr).toContain('no game of markets.leagues (NHL) is on the tapes');
    expect(other.stderr).toMatch(has);
  });

  it('accepts a league in any case', async () => {
    const tape = tapeOf(textOf(linesOf(5)));
    const config = writeConfig(`exchange: { embedded: {} }\nmarkets: { leagues: [nba] }\n${STRATEGIES}${NO_JOURNAL}`);
    expect(await run(['backtest', config, '--tape', tape, '--out', folder()])).toMatchObject({ code: 0 });
  });

  it('writes results even when a strategy fails, and reports its file and line', async () => {
    const strategies = folder();
    const strategy = join(strategies, 'broken.ts');
    const kit = fileURLToPath(new URL('../../src/strategy/index.ts', import.meta.url));
    writeFileSync(
      strategy,
      `import { map } from '${fileURLToPath(import.meta.resolve('rxjs'))}';
import { z } from '${fileURLToPath(import.meta.resolve('zod'))}';
import { defineStrategy } from '${kit}';
export default defineStrategy({
  name: 'broken',
  params: z.object({}),
  create: () => (views$) =>
    views$.pipe(
      map((view) => {
        throw new Error('no such offer in ' + view.market.id);
      }),
    ),
});
`,
    );
    const config = writeConfig(
      `exchange: { embedded: {} }\nstrategies: [{ use: ${strategy}, id: mine }]\n${NO_JOURNAL}`,
    );
    const out = folder();
    const tape = tapeOf(textOf(linesOf(5)));
    const completed = await inThisProcess(['backtest', config, '--out', out, '--tape', tape, '--fills', 'pessimistic']);
    expect(completed.stderr).toMatch(/pessimistic: STRATEGY_THREW: .*mine.*no such offer in .* \(broken\.ts:10\)/);
    expect(completed.code).toBe(78);
    expect(textIn({ ...completed, out }, 'result.json')).toContain('"STRATEGY_THREW"');
  });
});

describe('a file of --results', () => {
  it.each([
    ['that is not JSON', 'home 101', /scores\.json: not JSON/],
    ['without a score', '{"g": {"home": 101}}', /scores\.json: g: away: expected a whole number/],
    ['with half a point', '{"g": {"home": 1.5, "away": 0}}', /scores\.json: g: home: expected a whole number/],
    [
      'with a game listed twice',
      '{\n"g": {"home": 1, "away": 0},\n"h": {"home": 1, "away": 0},\n"g": {"home": 2, "away": 0}\n}',
      /scores\.json:4: a game, or a key of it, is listed twice/,
    ],
    [
      'with a key listed twice',
      '{"g": {"home": 1, "home": 2, "away": 0}}',
      /scores\.json:1: a game, or a key of it, is listed twice/,
    ],
    [
      'with a winner that is no side',
      '{"g": {"winner": "A Ace"}}',
      /scores\.json: g: winner: expected home, away, draw/,
    ],
    ['that is a list', '[]', /scores\.json: expected an object/],
    ['that is missing', undefined, /scores\.json: the file cannot be read/],
  ])('%s ends the backtest with exit code 65', async (_what, content, problem) => {
    const file = join(folder(), 'scores.json');
    if (content !== undefined) writeFileSync(file, content);
    const completed = await backtest('--tape', 'x.ndjson', '--results', file);
    expect(completed).toMatchObject({ code: 65, stdout: '' });
    expect(completed.stderr).toMatch(problem);
  });

  it('settles the fills; a game that has no score, or is not on the tapes, is named', async () => {
    const tape = tapeOf(textOf(linesOf(20)));
    const settle = async (scores: string) => {
      const results = tapeOf(scores, 'scores.json');
      const completed = await backtest('--fills', 'pessimistic', '--tape', tape, '--results', results);
      warnings = completed.stderr.replace(results, 'FILE');
      return resultOf({ ...completed, stderr: '' }).scenarios.pessimistic?.pnl;
    };
    let warnings = '';
    const pnl = await settle('{"tape-game": {"home": 110, "away": 100}}');
    expect(pnl?.unsettled).toEqual([]);
    expect(pnl?.settled).not.toBe(0);
    expect(warnings).toBe('');
    const unsettled = { settled: 0, unsettled: ['tape-game'] };
    expect(await settle('{"another": {"home": 1, "away": 0}}')).toMatchObject(unsettled);
    expect(warnings).toBe('oddsmaker: FILE: the tapes, as far as they were played, do not have the game another\n');
    const six = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => `"${id}": {"home": 1, "away": 0}`);
    expect(await settle(`{${six.join(', ')}}`)).toMatchObject(unsettled);
    expect(warnings).toBe(
      'oddsmaker: FILE: the tapes, as far as they were played, do not have 6 of its games: a, b, c, d, e, …\n',
    );
    const code = async (scores: string): Promise<number | null> =>
      (
        await backtest(
          ...['--fills', 'pessimistic', '--tape', tape, '--strict'],
          ...['--results', tapeOf(scores, 'strict.json')],
        )
      ).code;
    expect(await code('{"another": {"home": 1, "away": 0}}')).toBe(1);
    expect(await code('{"tape-game": {"home": 110, "away": 100}}')).toBe(0);
    // a file without any score is accepted
    expect(await settle('{}')).toMatchObject(unsettled);
  });
});

describe('a --results entry', () => {
  const settle = async (results: string) => {
    const file = tapeOf(results, 'results.json');
    const completed = await backtest(
      '--fills',
      'pessimistic',
      '--tape',
      tapeOf(textOf(linesOf(20))),
      '--results',
      file,
    );
    const [head = '', ...rows] = textIn(completed, 'markets.csv').trim().split('\n');
    const column = (name: string): number => head.split(',').indexOf(name);
    const markets = rows.map((row) => row.split(','));
    return {
      stderr: completed.stderr.replace(file, 'FILE'),
      rows: markets.map((cells) => [cells[column('settled')], cells[column('outcome')]]),
      ofType: (type: string) =>
        markets.flatMap((cells) =>
          cells[column('market')]?.includes(`/${type}`) === true
            ? [[cells[column('settled')], cells[column('outcome')]]]
            : [],
        ),
    };
  };

  it('with a score that its sport cannot end with leaves the game open and is named', async () => {
    const { rows, stderr } = await settle('{"tape-game": {"home": 4, "away": 4}}');
    expect(new Set(rows.map(String))).toEqual(new Set([',open']));
    expect(stderr).toBe(
      'oddsmaker: FILE: 4-4 of game tape-game cannot be the final score: a game of NBA does not end level (sports: … draw: impossible); the game stays open\n',
    );
  });

  it('that voids a game returns its stakes', async () => {
    const { rows } = await settle('{"tape-game": {"void": true}}');
    expect(rows.length).toBeGreaterThan(0);
    expect(new Set(rows.map(String))).toEqual(new Set(['0.00,void']));
  });

  it('with a winner alone settles only the moneyline, and one may void a single market type', async () => {
    const won = await settle('{"tape-game": {"winner": "home"}}');
    expect(new Set(won.ofType('moneyline').map(([, outcome]) => outcome === 'won' || outcome === 'lost'))).toEqual(
      new Set([true]),
    );
    const others = [...won.ofType('spread'), ...won.ofType('total')];
    expect(new Set(others.map(String))).toEqual(new Set(others.length === 0 ? [] : [',open']));
    const score = '"home": 110, "away": 100';
    const apart = await settle(`{"tape-game": {${score}, "by": {"moneyline": {"void": true}}}}`);
    expect(new Set(apart.ofType('moneyline').map(String))).toEqual(new Set(['0.00,void']));
  });
});

it('a backtest reports the result of each strategy: together they sum to the run, settled or not', async () => {
  const tape = tapeOf(textOf(linesOf(20)));
  const strategies = ['wide', 'near'].map(
    (id, index) => `  - { use: ${TWO_SIDED}, id: ${id}, params: { edge: ${0.03 - index / 100}, risk: 40 } }\n`,
  );
  const yaml = YAML.replace(STRATEGIES, `strategies:\n${strategies.join('')}`);
  const runWith = async (...flags: readonly string[]): Promise<Completed> => {
    const out = folder();
    const args = ['backtest', writeConfig(yaml), '--out', out, '--tape', tape, '--fills', 'pessimistic'];
    return { ...(await inThisProcess([...args, ...flags])), out };
  };
  const scores = tapeOf('{"tape-game": {"home": 110, "away": 100}}', 'scores.json');
  for (const completed of [await runWith(), await runWith('--results', scores)]) {
    const run = resultOf(completed).scenarios.pessimistic;
    const rows = Object.values(run?.strategies ?? {});
    expect(Object.keys(run?.strategies ?? {})).toEqual(['wide', 'near']);
    const sum = (valueOf: (row: (typeof rows)[number]) => number): number =>
      rows.reduce((total, row) => total + valueOf(row), 0);
    expect(Math.min(...rows.map(({ fills }) => fills))).toBeGreaterThan(0);
    expect(sum(({ fills }) => fills)).toBe(run?.fills);
    expect(sum(({ riskFilled }) => riskFilled)).toBeCloseTo(run?.riskFilled ?? 0, 1);
    expect(sum(({ marked }) => marked)).toBeCloseTo(run?.pnl.marked ?? 0, 1);
    expect(sum(({ edge }) => edge.atFill ?? NaN)).toBeCloseTo(run?.pnl.edge.atFill ?? 0, 1);
    const settled = rows.every((row) => row.settled === undefined) ? undefined : sum((row) => row.settled ?? 0);
    if (run?.pnl.settled === undefined) expect(settled).toBeUndefined();
    else expect(settled).toBeCloseTo(run.pnl.settled, 1);
    expect(completed.stdout).toMatch(/^ {2}wide +-?\$[\d.]+ in \d+ fills?$/m);
  }
});

it('a backtest reports why little was quoted: controls by share of the wanted time, reasons by count', async () => {
  const tape = tapeOf(textOf(linesOf(20)));
  const runWith = async (yaml: string): Promise<Completed> => {
    const out = folder();
    const args = ['backtest', writeConfig(yaml), '--out', out, '--tape', tape, '--fills', 'pessimistic'];
    return { ...(await inThisProcess(args)), out };
  };
  const held = await runWith(`${YAML}risk: { maxOrderRisk: 2 }\n`);
  expect(resultOf(held).scenarios.pessimistic).toMatchObject({
    quotedShare: 0,
    heldBack: { 'order-size': expect.closeTo(1, 1) as number },
  });
  expect(held.stdout).toMatch(/^held back +order-size [\d.]+ %/m);
  expect(held.stdout).toMatch(/^held back by order-size: \S+, \S+: risk \S+ is not within 1 and 2$/m);
  const idle = await runWith(YAML.replace('risk: ', 'minDepth: 1000000, risk: '));
  const { heldBack, idle: reasons } = resultOf(idle).scenarios.pessimistic ?? {};
  expect(heldBack).toEqual({});
  expect(reasons?.['no fair price']).toBeGreaterThan(20);
  expect(idle.stdout).toMatch(/^no quote +\d+× no fair price$/m);
  expect(idle.stdout).not.toContain('held back');
});

describe('--only-market', () => {
  it('plays the markets whose id or game contains a text, and says so in the result', async () => {
    const tape = join(folder(), 'tape.ndjson.gz');
    writeGeneratedTape(tape, 300);
    const all = resultOf(await backtest('--tape', tape));
    const marketsIn = async (text: string): Promise<readonly string[]> => {
      const played = await backtest('--tape', tape, '--only-market', text);
      expect(played.code, played.stderr).toBe(0);
      expect(resultOf(played).inputs.onlyMarket).toBe(text);
      return textIn(played, 'markets.csv').trim().split('\n').slice(1);
    };
    expect(all.inputs).not.toHaveProperty('onlyMarket');
    const moneyline = await marketsIn('/MONEYline');
    expect(moneyline.length).toBeGreaterThan(0);
    expect(moneyline.every((row) => row.includes('moneyline'))).toBe(true);
    expect(await marketsIn('no such market')).toEqual([]);
  });
});

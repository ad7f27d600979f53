import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { stampedName } from '../../src/files/stamped-name.ts';
import { command, folder, NO_JOURNAL, run, STRATEGIES, writeConfig } from '../support/children.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';

const frame = (ms: number): string =>
  JSON.stringify({
    ts: Date.UTC(2030, 0) + ms,
    ns: '/priceUpdates',
    event: 'orderUpdate',
    data: '{"gameID":"g1"}',
  });
const GOOD = `${frame(1)}\n${frame(2)}\n`;

const TAPES: readonly (readonly [what: string, name: string, content: string | Buffer | undefined, line: string])[] = [
  ['a torn tail', 'torn.ndjson', `${GOOD}${frame(3).slice(0, 40)}`, ':3: '],
  ['a torn packed file', 'torn.ndjson.gz', gzipSync(GOOD.repeat(500)).subarray(0, -20), ':'],
  ['a line in the middle that is no record', 'odd.ndjson', `${frame(1)}\n{"price":5}\n${frame(2)}\n`, ':2: '],
  ['a text', 'notes.txt', 'Dear diary,\n', ':1: '],
  ['a configuration', 'bot.yaml', 'exchange: {}\n', ':1: '],
  ['an empty file', 'empty.ndjson', '', ':1: '],
  ['no file', 'none.ndjson', undefined, ':1: '],
];

const tapeOf = (name: string, content: string | Buffer | undefined): string => {
  const file = join(folder(), name);
  if (content !== undefined) writeFileSync(file, content);
  return file;
};

describe('an invalid tape', () => {
  it.each(TAPES)('ends the exchange with 65, file and line: %s', async (_what, name, content, line) => {
    const tape = tapeOf(name, content);
    const { code, stdout, stderr } = await command(['exchange', '--tape', tape]);
    expect(stderr).toContain(`${tape}${line}`);
    expect(stdout).toBe('');
    expect(code).toBe(65);
  });

  it.each(TAPES)('ends a run with 65, file and line, before it trades: %s', async (_what, name, content, line) => {
    const tape = tapeOf(name, content);
    const file = writeConfig(`exchange: { embedded: { traders: tape } }\n${STRATEGIES}${NO_JOURNAL}`);
    const { code, stdout, stderr } = await command([...['run', file, '--tape', tape, '--for', '2s', '--json']]);
    expect(stderr).toContain(`${tape}${line}`);
    // a program that waits for the object of --json gets one, with no orders
    expect(JSON.parse(stdout)).toMatchObject({
      schema: 1,
      frames: 0,
      placed: 0,
      http: {},
      openAtExit: null,
    });
    expect(code).toBe(65);
  });

  it('in the configuration is looked for next to that file', async () => {
    const file = writeConfig(`exchange: { embedded: { tapes: [./none.ndjson] } }\n${STRATEGIES}${NO_JOURNAL}`);
    const { code, stderr } = await command(['run', file, '--for', '1s']);
    expect(code).toBe(65);
    expect(stderr).toContain(`${file.replace('bot.yaml', 'none.ndjson')}:1: there is no such file`);
  });
});

it('a run plays a segment of a recorder up to where it is torn, and leaves out a payload that it cannot read', async () => {
  const whole = join(folder(), 'whole.ndjson.gz');
  writeGeneratedTape(whole, 30);
  const lines = gunzipSync(readFileSync(whole)).toString().trimEnd().split('\n');
  const nonsense = JSON.stringify({
    ts: (JSON.parse(lines[100] ?? '') as { ts: number }).ts,
    ns: '/priceUpdates',
    event: 'orderUpdate',
    data: '<html>',
  });
  const segment = join(folder(), stampedName(0, 'a-1.ndjson'));
  writeFileSync(segment, [...lines.slice(0, 101), nonsense, ...lines.slice(101, 200), '{"ts":1'].join('\n'));
  const file = writeConfig(`exchange: { embedded: {} }\n${STRATEGIES}${NO_JOURNAL}`);
  const flags = ['--tape', segment, '--speed', '10', '--for', '4s', '--json'];
  const { code, stdout, stderr } = await run(['run', file, ...flags]);
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ openAtExit: 0 });
  expect(stderr).toContain(`${segment}:102: this orderUpdate cannot be read: not JSON; it is left out`);
  expect(stderr).toContain(`${segment}:202: `);
});

it('a run plays the segments of a recorder one after another, each up to where it is torn', async () => {
  const tapes = folder();
  const whole = join(folder(), 'whole.ndjson.gz');
  // it plays while the bot starts: long enough for a busy machine
  writeGeneratedTape(whole, 120);
  const [header = '', ...frames] = gunzipSync(readFileSync(whole)).toString().trimEnd().split('\n');
  const segment = (number: number) => join(tapes, stampedName(0, `a-${number}.ndjson`));
  writeFileSync(segment(1), `${[header, ...frames.slice(0, 100)].join('\n')}\n${frames[100]?.slice(0, 40)}`);
  writeFileSync(segment(2), `${[header, ...frames.slice(100)].join('\n')}\n`);
  const file = writeConfig(`exchange: { embedded: {} }\n${STRATEGIES}${NO_JOURNAL}`);
  const { code, stdout, stderr } = await run(['run', file, '--tape', tapes, '--speed', '10', '--for', '9s', '--json']);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('1.ndjson:102: this line is not JSON, or is torn off; played up to there');
  // the first segment has about 100 of them
  expect((JSON.parse(stdout) as { frames: number }).frames).toBeGreaterThan(150);
});

it('oddsmaker exchange refuses --from after the end of the tape', async () => {
  const tape = join(folder(), 'short.ndjson.gz');
  writeGeneratedTape(tape, 5);
  const { code, stdout, stderr } = await command(['exchange', '--tape', tape, '--from', '2h']);
  expect(stderr).toMatch(/short\.ndjson\.gz:1: the tape has nothing after 2030-03-01T20:00:00\.000Z: start earlier/);
  expect(stdout).toBe('');
  expect(code).toBe(65);
});

it('oddsmaker run refuses --from without a tape', async () => {
  const file = writeConfig(`exchange: { embedded: {} }\n${STRATEGIES}${NO_JOURNAL}`);
  const { code, stderr } = await command(['run', file, '--from', '2h', '--for', '1s']);
  expect(stderr).toContain('--from needs a tape');
  expect(code).toBe(2);
});

it('oddsmaker run asks for a tape when the configuration needs one', async () => {
  const file = writeConfig(`exchange: { embedded: { traders: tape } }\n${STRATEGIES}${NO_JOURNAL}`);
  const { code, stderr } = await command(['run', file, '--for', '1s']);
  expect(code).toBe(78);
  expect(stderr).toContain(`${file}:1:`);
  expect(stderr).toMatch(/exchange\.embedded\.tapes: expected a recorded feed, here or with --tape/);
});

describe('a tape with times in seconds', () => {
  const tape = join(folder(), 'seconds.ndjson');
  writeFileSync(tape, '{"ts":1898596800,"ns":"/priceUpdates","event":"connect","data":""}\n');

  it.each([
    ['tape', 'info', tape],
    ['tape', 'merge', tape, tape, '--out', join(folder(), 'merged.ndjson')],
    ['tape', 'cut', tape, '--from', '2030-03-01T12:00:00Z', '--out', join(folder(), 'cut.ndjson')],
    [
      'backtest',
      writeConfig(`exchange: { embedded: {} }\n${STRATEGIES}${NO_JOURNAL}`),
      '--tape',
      tape,
      '--out',
      folder(),
      '--lenient',
    ],
  ])('ends %s %s with 65, and a hint at the unit', async (...words) => {
    const { code, stderr } = await command(words);
    expect(stderr).toContain(
      `${tape}:1: "ts" must be milliseconds since 1970, of 2000 to 2100, received 1898596800, which is 1970-01-22: seconds? multiply by 1000`,
    );
    expect(code).toBe(65);
  });
});

it('oddsmaker backtest --lenient refuses a tape with signals whose times are in seconds', async () => {
  const tape = join(folder(), 'signals.ndjson.gz');
  writeGeneratedTape(tape, 10);
  const [head = '', ...lines] = gunzipSync(readFileSync(tape)).toString().split('\n');
  const data = JSON.stringify({ values: { 'fair:tape-game/moneyline': 0.5 }, ttl: '60s', ts: 1898618400 });
  const signal = JSON.stringify({
    ts: Date.parse('2030-03-01T18:00:00Z'),
    ns: 'signals',
    event: 'signal',
    data,
  });
  writeFileSync(tape, gzipSync([head, signal, ...lines].join('\n')));
  const config = writeConfig(`exchange: { embedded: {} }\n${STRATEGIES}${NO_JOURNAL}`);
  const { code, stderr } = await command(['backtest', config, '--tape', tape, '--out', folder(), '--lenient']);
  expect([code, stderr]).toEqual([65, expect.stringContaining(`${tape}:2: this signal cannot be read: "ts" must be`)]);
});

import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { ShownFacts } from '../../src/cli/tape-info.ts';
import { command, folder, NO_JOURNAL, STRATEGIES, writeConfig } from '../support/children.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';

type Line = { readonly ts: number; readonly ns: string; readonly event: string; readonly data: string };

function generated(seconds = 60): string {
  const file = join(folder(), 'made.ndjson.gz');
  writeGeneratedTape(file, seconds);
  return file;
}

function write(name: string, header: object, lines: readonly (readonly [number, string, unknown?, string?])[]): string {
  const file = join(folder(), name);
  const text = lines.map(([ts, event, data = '', ns = '/priceUpdates']) =>
    JSON.stringify({
      ts,
      ns,
      event,
      data: typeof data === 'string' ? data : JSON.stringify(data),
      ...(ns === 'rest' ? { sent: ts - 50 } : {}),
    }),
  );
  writeFileSync(file, `${[JSON.stringify({ tape: 1, ...header }), ...text].join('\n')}\n`);
  return file;
}

const linesOf = (file: string): Line[] => {
  const bytes = readFileSync(file);
  const text = file.endsWith('.zst') ? zstdDecompressSync(bytes) : file.endsWith('.gz') ? gunzipSync(bytes) : bytes;
  const all = text.toString().trim().split('\n').slice(1);
  return all.map((line) => JSON.parse(line) as Line);
};

const game = (id: string, league: string, fields = {}) => ({
  id,
  league,
  start: '2030-03-01T20:00:00Z',
  participants: [
    { id: `${id}-a`, longName: 'Away', homeAway: 'away' },
    { id: `${id}-h`, longName: 'Home', homeAway: 'home' },
  ],
  ...fields,
});
const row = (id: string, odds: number, risk: number, sumUntaken = risk) => ({
  id,
  odds,
  risk,
  sumUntaken,
  createdAt: '2030-03-01T18:00:00Z',
});
const side = (gameID: string, team: string, ...sideOrders: readonly object[]) => ({
  gameID,
  type: 'moneyline',
  participantID: `${gameID}-${team}`,
  sideOrders,
});
const T = Date.parse('2030-03-01T18:00:00Z');
const NBA_AND_NHL = [
  [T, 'connect'],
  [T, 'gameUpdate', game('one', 'NBA')],
  [T, 'gameUpdate', game('two', 'NHL')],
  [T + 1000, 'orderUpdate', side('one', 'h', row('a', 120, 50), row('b', 130, 9))],
  [T + 2000, 'orderUpdate', side('two', 'h', row('c', 120, 50))],
  [T + 3000, 'orderUpdate', side('one', 'h', row('a', 120, 50, 20))],
  [T + 4000, 'disconnect', 'transport close'],
  [T + 90_000, 'connect'],
  [
    T + 90_000,
    'POST /exchange/getOrderbook',
    {
      data: { games: [game('one', 'NBA', { homeMoneylines: [row('a', 120, 50, 10)] }), game('two', 'NHL')] },
    },
    'rest',
  ],
  [T + 91_000, 'orderUpdate', side('one', 'h', row('a', 120, 50, 5))],
] as const;

describe('oddsmaker tape info', () => {
  it('shows the period, line counts, leagues, depth, disconnects and games of a tape', async () => {
    const file = write('two.ndjson', { depth: 20, perspective: 'offerer' }, NBA_AND_NHL);
    const { code, stdout } = await command(['tape', 'info', file, '--json']);
    expect(code).toBe(0);
    const { tapes } = JSON.parse(stdout) as { tapes: ShownFacts[] };
    expect(tapes).toMatchObject([
      {
        from: '2030-03-01T18:00:00.000Z',
        to: '2030-03-01T18:01:31.000Z',
        lines: { frames: 4, gameUpdates: 2, reads: 2 },
        leagues: { NBA: 1, NHL: 1 },
        depth: { stated: 20, told: 20, deepest: 2 },
        disconnects: [{ from: '2030-03-01T18:00:04.000Z', to: '2030-03-01T18:01:30.000Z' }],
        silences: [{ ms: 86_000 }],
        torn: null,
      },
    ]);
    // 30 of the first offer; changes while nothing was recorded are no takes that the tape proves
    expect(tapes[0]?.games[0]).toMatchObject({ gameId: 'one', takes: 1, taken: 30, types: { moneyline: 1 } });
    const text = await command(['tape', 'info', file]);
    expect(text.stdout).toMatch(/one\s+NBA\s+2030-03-01T20:00\s+before\s+moneyline\s+3\s+1\s+\$30.00/);
    expect(text.stdout).toContain('1 lost connections');
  });

  it('names a file that is no tape, shows the others, and notes a torn tail', async () => {
    const torn = join(folder(), 'torn.ndjson.gz');
    writeFileSync(torn, gzipSync(gunzipSync(readFileSync(generated()))).subarray(0, -50));
    const notes = join(folder(), 'notes.ndjson');
    writeFileSync(notes, 'Dear diary\nof mine\n');
    const gone = join(folder(), 'gone.ndjson');
    const { code, stdout, stderr } = await command(['tape', 'info', gone, notes, torn, '--json']);
    expect(code).toBe(65);
    expect(stderr).toContain(`${gone}:1: there is no such file`);
    expect(stderr).toContain(`${notes}:1: this line is not JSON`);
    const { tapes } = JSON.parse(stdout) as { tapes: ShownFacts[] };
    expect(tapes).toHaveLength(1);
    expect(tapes[0]?.torn).toMatch(/torn off/);
    expect((await command(['tape', 'info', torn])).code).toBe(0);
  });
});

describe('oddsmaker tape cut', () => {
  const config = () => writeConfig(`exchange: { embedded: {} }\n${STRATEGIES}${NO_JOURNAL}`);
  const played = async (tape: string, ...flags: readonly string[]) => {
    const out = folder();
    const { code, stderr } = await command([
      ...['backtest', config(), '--tape', tape, '--fills', 'optimistic', '--out', out, ...flags],
    ]);
    expect(code, stderr).toBe(0);
    const { scenarios } = JSON.parse(readFileSync(join(out, 'result.json'), 'utf8')) as { scenarios: object };
    return { scenarios, fills: readFileSync(join(out, 'fills.csv'), 'utf8') };
  };

  it('writes a tape that plays as the whole tape does from there on', async () => {
    const whole = generated(120);
    const out = join(folder(), 'cut.ndjson.zst');
    const { code, stdout, stderr } = await command(['tape', 'cut', whole, '--from', '30s', '--out', out]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^\d+ lines, .* after \d+ that hold the earlier books: /);
    const cutRun = await played(out);
    expect(cutRun).toEqual(await played(whole, '--from', '30s'));
    expect(cutRun.fills.split('\n').length).toBeGreaterThan(10);
  });

  it('keeps the named leagues and games only, in reads as well, up to a time', async () => {
    const file = write('two.ndjson', { depth: 20 }, NBA_AND_NHL);
    const out = join(folder(), 'cut.ndjson');
    const { code } = await command([
      ...['tape', 'cut', file, '--from', '1500ms', '--to', '91s', '--league', 'NBA', '--out', out],
    ]);
    expect(code).toBe(0);
    const lines = linesOf(out);
    expect(JSON.stringify(lines)).not.toContain('two');
    expect(lines.map(({ ts, event }) => [ts - T, event])).toEqual([
      // the state at the start
      [1500, 'gameUpdate'],
      [1500, 'orderUpdate'],
      [3000, 'orderUpdate'],
      [4000, 'disconnect'],
      [90_000, 'connect'],
      [90_000, 'POST /exchange/getOrderbook'],
    ]);
    expect(readFileSync(out, 'utf8').split('\n')[0]).toContain('"depth":20');
    const other = await command(['tape', 'cut', file, '--game', 'two', '--out', out]);
    expect(other.code).toBe(0);
    expect(JSON.stringify(linesOf(out))).not.toContain('one-h');
  });

  it('writes the state at the start first, with the changes it needs before each following line', async () => {
    const file = write('gap.ndjson', {}, [
      [T, 'gameUpdate', game('one', 'NBA')],
      [T + 1, 'orderUpdate', side('one', 'h', row('a', 120, 50))],
      [T + 2, 'orderUpdate', side('one', 'a', row('b', 120, 50))],
      [T + 3, 'gameUpdate', { id: 'one', messageType: 'marketClosed' }],
      [T + 4, 'gameUpdate', { id: 'one', messageType: 'marketOpen', live: true }],
      [T + 5, 'orderUpdate', side('one', 'a', row('b', 120, 40))],
      [T + 9, 'orderUpdate', side('one', 'a', row('b', 120, 30))],
    ]);
    const out = join(folder(), 'cut.ndjson');
    expect((await command(['tape', 'cut', file, '--from', '8ms', '--out', out])).code).toBe(0);
    const lines = linesOf(out).map(({ data }) => {
      const { messageType, live, participantID, sideOrders } = JSON.parse(data) as Record<string, unknown>;
      return [messageType ?? participantID, live, (sideOrders as unknown[] | undefined)?.length];
    });
    expect(lines).toEqual([
      ['marketOpen', false, undefined],
      ['one-h', false, 0],
      ['one-a', false, 0],
      ['one-h', false, 1],
      ['marketClosed', false, undefined],
      ['marketOpen', false, undefined],
      [undefined, true, undefined],
      ['one-a', true, 1],
      [undefined, true, undefined],
      ['one-a', undefined, 1],
    ]);
  });

  it.each<[string, (tape: string) => readonly string[], number, RegExp]>([
    ['that does not exist', () => ['gone.ndjson', '--out', 'x.ndjson'], 65, /no such file/],
    [
      'without lines in the range',
      (tape) => [tape, '--from', '2040-01-01T00:00Z', '--out', 'x.ndjson'],
      65,
      /it has nothing in that range/,
    ],
    [
      'that ends before it begins',
      (tape) => [tape, '--from', '9s', '--to', '9s', '--out', 'x.ndjson'],
      2,
      /after --from/,
    ],
    ['that is its own output', (tape) => [tape, '--from', '9s', '--out', tape], 2, /one of the tapes/],
    ['when the output is a text file', (tape) => [tape, '--out', 'x.txt'], 78, /\.ndjson/],
    ['without an output', (tape) => [tape], 2, /--out/],
  ])('refuses a tape %s', async (_what, args, exit, problem) => {
    const { code, stderr } = await command(['tape', 'cut', ...args(generated(5))]);
    expect(stderr).toMatch(problem);
    expect(code).toBe(exit);
  });
});

it('oddsmaker tape cut takes a league in any case, and refuses two spellings of it on one tape', async () => {
  const [tapes, out] = [folder(), join(folder(), 'cut.ndjson')];
  const file = join(tapes, 'two.ndjson');
  const update = (id: string, league: string): string =>
    JSON.stringify({
      ts: T,
      ns: '/priceUpdates',
      event: 'gameUpdate',
      data: JSON.stringify(game(id, league)),
    });
  writeFileSync(file, `${update('one', 'Primera División')}\n${update('two', 'NHL')}\n`);
  const lower = await command(['tape', 'cut', file, '--league', 'primera division', '--out', out]);
  expect([lower.code, lower.stderr]).toEqual([0, '']);
  expect(linesOf(out).map(({ data }) => (JSON.parse(data) as { id: string }).id)).toEqual(['one']);
  writeFileSync(file, `${update('one', 'NBA')}\n${update('two', 'Nba')}\n`);
  const other = join(folder(), 'cut.ndjson');
  const refused = await command(['tape', 'cut', file, '--league', 'nba', '--out', other]);
  expect(refused.code).toBe(65);
  expect(refused.stderr).toContain('--league nba: the tape has several leagues that differ only in case or accents');
  expect(existsSync(other)).toBe(false);
});

it('oddsmaker tape cut refuses an unknown league and writes nothing', async () => {
  const tapes = folder();
  const [tape, out] = [join(tapes, 'one.ndjson.gz'), join(tapes, 'out.ndjson.gz')];
  writeGeneratedTape(tape, 5);
  const { code, stderr } = await command(['tape', 'cut', tape, '--league', 'nope', '--out', out]);
  expect([code, stderr]).toEqual([65, expect.stringContaining('no such game: nope')]);
  expect(existsSync(out)).toBe(false);
});

describe('oddsmaker tape merge', () => {
  it('warns how many lines are on more than one tape', async () => {
    const tapes = folder();
    const [first, second, out] = ['one', 'two', 'out'].map((name) => join(tapes, `${name}.ndjson.gz`)) as [
      string,
      string,
      string,
    ];
    writeGeneratedTape(first, 5);
    copyFileSync(first, second);
    const { code, stderr } = await command(['tape', 'merge', first, second, '--out', out]);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^oddsmaker: \d+ lines are on more than one of these tapes/),
    ]);
  });

  it('orders lines by time, and lines of the same time by the order of the command line', async () => {
    const nba = write('one.ndjson', { depth: 20 }, [
      [T, 'gameUpdate', game('one', 'NBA')],
      [T + 5, 'orderUpdate', side('one', 'h', row('a', 120, 50))],
    ]);
    const nhl = write('two.ndjson', { depth: null, perspective: 'offerer' }, [
      [T, 'gameUpdate', game('two', 'NHL')],
      [T + 3, 'orderUpdate', side('two', 'h', row('a', 120, 50))],
      [T + 5, 'orderUpdate', side('two', 'h')],
    ]);
    const out = join(folder(), 'both.ndjson.gz');
    const { code, stdout } = await command(['tape', 'merge', nhl, nba, '--out', out]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^5 lines of 2 tapes/)]);
    expect(linesOf(out).map(({ ts, data }) => [ts - T, data.includes('"two')])).toEqual([
      [0, true],
      [0, false],
      [3, true],
      [5, true],
      [5, false],
    ]);
    expect(gunzipSync(readFileSync(out)).toString().split('\n')[0]).toContain('"depth":20');
  });

  it('restores a tape from its pieces', async () => {
    const whole = generated(20);
    const pieces = [join(folder(), 'a.ndjson.zst'), join(folder(), 'b.ndjson.zst')];
    await command(['tape', 'cut', whole, '--to', '10s', '--out', pieces[0] ?? '']);
    const lines = linesOf(whole);
    const later = lines.filter(({ ts }) => ts >= (lines[0]?.ts ?? 0) + 10_000);
    writeFileSync((pieces[1] ?? '').replace('.zst', ''), later.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const out = join(folder(), 'whole.ndjson');
    const { code } = await command([
      ...['tape', 'merge', pieces[0] ?? '', (pieces[1] ?? '').replace('.zst', ''), '--out', out],
    ]);
    expect(code).toBe(0);
    expect(linesOf(out)).toEqual(lines);
  });

  it('refuses tapes that show the book in different ways, and a tape that lost its connection meanwhile', async () => {
    const plain = write('plain.ndjson', {}, NBA_AND_NHL);
    const taker = write('taker.ndjson', { perspective: 'taker' }, NBA_AND_NHL);
    const out = join(folder(), 'x.ndjson');
    const views = await command(['tape', 'merge', plain, taker, '--out', out]);
    expect([views.code, views.stderr]).toEqual([65, expect.stringMatching(/perspective differs from/)]);
    const other = write('other.ndjson', {}, [
      [T + 10, 'gameUpdate', game('three', 'NBA')],
      [T + 80_000, 'orderUpdate', side('three', 'h')],
    ]);
    const lost = await command(['tape', 'merge', plain, other, '--out', out]);
    expect([lost.code, lost.stderr]).toEqual([65, expect.stringMatching(/loses its connection .* backtest --tape/)]);
  });
});

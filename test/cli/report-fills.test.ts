// `oddsmaker report --fills`: bets made anywhere, with the odds of that time, as a page, as text and as JSON.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { makeOwnHistory, packed } from '../../examples/make-own-history.ts';
import { command, folder, ROOT } from '../support/children.ts';

const NFL = join(ROOT, '../shared/data/odds/nfl-2025-11-09.odds.ndjson.gz');
const EXAMPLE = join(ROOT, 'examples/own-fills.csv');
const ODDS = join(ROOT, 'examples/own-odds.ndjson.zst');

type Json = {
  readonly schema: number;
  readonly scenarios: { readonly own: Readonly<Record<string, Readonly<Record<string, number | null>>>> };
  readonly unmatched: readonly {
    readonly line: number;
    readonly why: string;
    readonly candidates: readonly string[];
  }[];
  readonly leftOut: readonly { readonly line: number; readonly why: string }[];
};

function file(name: string, content: string | Buffer, into = folder()): string {
  const path = join(into, name);
  writeFileSync(path, content);
  return path;
}
const jsonOf = async (...args: readonly string[]): Promise<Json> => {
  const { code, stdout, stderr } = await command(['report', ...args, '--json']);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Json;
};

describe('the example of own fills', () => {
  it('is byte for byte what its script writes today', () => {
    const { fills, odds } = makeOwnHistory();
    expect(readFileSync(EXAMPLE, 'utf8')).toBe(fills);
    expect(readFileSync(ODDS).equals(packed(odds))).toBe(true);
  });

  it('is reported as text, as a page and as JSON, with the same figures', async () => {
    const out = join(folder(), 'own.html');
    const { code, stdout, stderr } = await command(['report', '--fills', EXAMPLE, '--odds', ODDS, '--out', out]);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    const { scenarios } = await jsonOf('--fills', EXAMPLE, '--odds', ODDS);
    const { identity, clv } = scenarios.own;
    expect(identity?.['fills']).toBe(117);
    expect(stdout).toContain(
      `CLV                                               -$${(-(clv?.['dollars'] ?? 0)).toFixed(2)}`,
    );
    expect(stdout).toMatch(/^line +fills +risk/m);
    const page = readFileSync(out, 'utf8');
    expect(page).toContain('Fills of own-fills.csv');
    expect(page).not.toMatch(/id="(?:permits|quotes|quoting|alerts)"/);
  });

  it('has the same figures with abbreviations and a table of teams', async () => {
    const csv = file('fills.csv', readFileSync(EXAMPLE, 'utf8').replaceAll('Otters', 'SLO'));
    const teams = file('teams.yaml', 'SLO: Otters\n');
    const own = async (...args: readonly string[]): Promise<Json> => jsonOf('--odds', ODDS, '--fills', ...args);
    expect((await own(csv)).unmatched.length).toBeGreaterThan(0);
    const { scenarios, unmatched } = await own(csv, '--teams', teams);
    expect(unmatched).toEqual([]);
    expect(scenarios.own['clv']).toEqual((await own(EXAMPLE)).scenarios.own['clv']);
    const alone = await command(['report', 'somewhere', '--teams', teams]);
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining('--odds, --map and --teams belong to')]);
  });

  it('has the odds of a folder as well, and results alone without odds', async () => {
    const into = folder();
    mkdirSync(join(into, 'a/b'), { recursive: true });
    const lines = makeOwnHistory().odds.trimEnd().split('\n');
    file('1.ndjson.gz', gzipSync(lines.slice(0, 200).join('\n')), join(into, 'a'));
    file('2.json', lines.slice(200).join('\n'), join(into, 'a/b'));
    file('notes.txt', 'no odds', into);
    const whole = await jsonOf('--fills', EXAMPLE, '--odds', ODDS);
    expect(await jsonOf('--fills', EXAMPLE, '--odds', into)).toEqual(whole);
    const { own } = (await jsonOf('--fills', EXAMPLE)).scenarios;
    expect(own['identity']).toMatchObject({ fills: 0, unpriced: 117, pnl: null });
    expect(own['identity']?.['unpricedPnl']).toBe(whole.scenarios.own['identity']?.['pnl']);
  });
});

describe.skipIf(!existsSync(NFL))('bets on a recorded Sunday', () => {
  const bets = [
    'Placed;Event;Market;Selection;Line;Odds;Stake;Result',
    '2025-11-09T16:40:00Z;Buffalo Bills @ Miami Dolphins;ML;Miami Dolphins;;4,20;€ 50,00;W',
    '2025-11-09T16:40:00Z;Buffalo Bills @ Miami Dolphins;ML;Miami Dolphins;;4,20;€ 50,00;W',
    '2025-11-09T11:10:00-06:00;Ravens @ Vikings;Total;Over;48,5;2,02;€ 75,00;L',
    '2025-11-09T14:00:00Z;Lakers @ Celtics;ML;Lakers;;2,02;€ 75,00;L',
    '2025-11-09T14:00:00Z;Ravens @ Packers;ML;Ravens;;2,02;€ 75,00;L',
    '2025-11-09T14:00:00Z;Ravens @ Vikings;Corners;Ravens;;2,02;€ 75,00;L',
    '2025-11-09T14:00:00Z;Ravens @ Vikings;ML;Ravens;;;€ 75,00;L',
  ];

  it('are priced by the documents of their time; the rest is named, with the nearest events', async () => {
    const csv = file('bets.csv', `\uFEFF${bets.join('\r\n')}\r\n`);
    const { scenarios, unmatched, leftOut } = await jsonOf('--fills', csv, '--odds', NFL);
    expect(scenarios.own['identity']).toMatchObject({ fills: 2, unpriced: 2 });
    expect(leftOut.map(({ line, why }) => [line, why.slice(0, 20)])).toEqual([
      [3, 'the same as line 2: '],
      [7, 'market "Corners": ex'],
      [8, 'it has no odds'],
    ]);
    expect(unmatched).toMatchObject([
      { line: 5, why: 'no event has its teams', candidates: [] },
      { line: 6, why: 'no event has both of its teams', candidates: [expect.stringContaining('Ravens @ Minnesota')] },
    ]);
    // by hand: eleven books before 16:40, and the last document before the kick-off
    expect(scenarios.own['clv']?.['fills']).toBe(2);
  });
});

describe('what cannot be used', () => {
  it.each([
    [['--fills', 'nothing.csv'], 65, 'nothing.csv: there is no such file'],
    [['--fills', EXAMPLE, '--odds', 'nothing.json'], 65, 'nothing.json: there is no such file'],
    [['--fills', EXAMPLE, '--odds', EXAMPLE], 65, 'no column for home; away'],
    [['--fills', EXAMPLE, '--map', 'oods=Price'], 65, 'it is no field; did you mean odds?'],
    [['--fills', EXAMPLE, '--map', 'Price'], 2, 'expected FIELD=COLUMN'],
    [['--fills', EXAMPLE, '--zone', 'CET'], 2, 'expected an offset such as +01:00'],
    [['--fills', EXAMPLE, 'data/journal'], 2, '--fills takes no folder, no journal'],
    [['--odds', ODDS], 2, 'name the folder of a backtest, a journal, or --fills FILE.csv'],
    [['--fills', EXAMPLE, '--out', EXAMPLE], 2, 'is one of the files that are read'],
  ])('%j ends with %i', async (args, code, text) => {
    const ended = await command(['report', ...args]);
    expect(ended.stderr).toContain(text);
    expect(ended.code).toBe(code);
    expect(ended.stdout).toBe('');
  });

  it('is a table without one fill: exit 65, each row named', async () => {
    const { code, stderr } = await command([
      'report',
      '--fills',
      file('bets.csv', 'time,event,side,odds,stake\nx,A @ B,A,-110,5\n'),
    ]);
    expect(stderr).toContain('bets.csv:2: time x: expected a time');
    expect(code).toBe(65);
  });
});

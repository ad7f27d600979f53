// A second opinion on every figure of a report: recompute.py, in another language and without a line of src, computes the
// figures from the raw files of a run by the written definitions alone, and compares them with `report --json` one by one.
// Three runs: a backtest of an NBA evening in play, a live run on the paper exchange, and a table of bets.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { zstdDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { folder, ROOT, run, startExchange } from '../../support/children.ts';

const SCRIPT = join(ROOT, 'test/report/recompute/recompute.py');
/** A strategy with a fair price of its own, and that price: a part of ½ and a part of the price of the book. */
const NINE_TENTHS = join(ROOT, 'test/report/recompute/nine-tenths.ts');
const [BASE, SHARE] = ['0.05', '0.9'];
const EXAMPLES = join(ROOT, 'examples');
const SCENARIO = 'pessimistic';

type Verdict = { readonly code: number; readonly stdout: string; readonly stderr: string };

async function recompute(...args: readonly string[]): Promise<Verdict> {
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  try {
    const { stdout, stderr } = await promisify(execFile)('python3', [SCRIPT, ...args], { env, maxBuffer: 1 << 27 });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as Verdict;
    return { code, stdout, stderr };
  }
}

/** Types a command and writes what it prints into a file. */
async function printed(file: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(args);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('"level":"error"')]);
  writeFileSync(file, stdout);
  return file;
}

async function exported(file: string, dir: string): Promise<string> {
  const { code } = await run(['export', dir, '--what', 'fills', '--format', 'csv', '--out', file]);
  expect(code).toBe(0);
  return file;
}

const unpacked = (from: string, to: string): string => {
  writeFileSync(to, zstdDecompressSync(readFileSync(from)));
  return to;
};

/** The last lines of the script: the figures that are not recomputed, with reasons, and the counts. */
const countsOf = ({ stdout }: Verdict): Readonly<Record<string, number>> =>
  Object.fromEntries(
    (stdout.trimEnd().split('\n').at(-1) ?? '').split(', ').map((part) => {
      const [count = '', name = ''] = part.split(' ');
      return [name, Number(count)];
    }),
  );

const isEqual = (verdict: Verdict): void => {
  expect([verdict.code, verdict.stderr]).toEqual([0, '']);
  expect(verdict.stdout).toContain('figure\tours\ttheirs\tequal');
  expect(verdict.stdout).toContain('not recomputed: ');
};

async function backtest(home: string): Promise<readonly string[]> {
  const out = join(home, 'out');
  const results = join(EXAMPLES, 'sample-scores.json');
  const tape = join(EXAMPLES, 'sample.ndjson.zst');
  const { code } = await run([
    ...['backtest', join(EXAMPLES, 'sample.yaml'), '--tape', tape, '--results', results],
    ...['--fills', SCENARIO, '--seed', '3', '--orders', '--journal', '--out', out],
  ]);
  expect(code).toBe(0);
  return [
    out,
    SCENARIO,
    unpacked(tape, join(home, 'tape.ndjson')),
    results,
    await printed(join(home, 'events.ndjson'), ['events', '--json', join(out, `${SCENARIO}.ndjson`)]),
    await printed(join(home, 'report.json'), ['report', out, '--json']),
  ];
}

async function live(home: string): Promise<readonly string[]> {
  const { restUrl, socketUrl } = await startExchange(
    ...['--league', 'EPL', '--seed', '33', '--speed', '900', '--games', '4', '--account', 'demo:demo:50000:50000'],
  );
  const config = join(home, 'live.yaml');
  writeFileSync(
    config,
    `exchange: { restUrl: "${restUrl}", socketUrl: "${socketUrl}", username: demo, password: demo, playerMode: coins, gradesEvery: 2s }
markets: { leagues: [EPL], types: [moneyline, spread, total], lines: all, live: true, stopBefore: 0s }
strategies:
  - { use: ${NINE_TENTHS}, id: main, params: { edge: 0.01, risk: 30, inventoryLimit: 2000 } }
risk: { maxGameLoss: 5000, maxTotalLoss: 50000, maxDailyLoss: 100000 }
commission: { of: market, share: 0.02 }
journal: { dir: ./journal }
ledger: { file: ./ledger.db }
`,
  );
  const { code, stderr } = await run(['run', config, '--for', '22s', '--json']);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('"level":"error"')]);
  const dir = join(home, 'journal');
  const [packed = ''] = readdirSync(dir).filter((name) => name.endsWith('.ndjson.zst'));
  return [
    unpacked(join(dir, packed), join(home, 'journal.ndjson')),
    await printed(join(home, 'events.ndjson'), ['events', '--json', dir]),
    await printed(join(home, 'report.json'), ['report', dir, '--json']),
    await exported(join(home, 'fills.csv'), dir),
    BASE,
    SHARE,
  ];
}

/** The generated month of bets, those whose line some bookmaker quotes, with pushes, voids, halves and open bets. */
async function bets(home: string): Promise<readonly string[]> {
  const odds = join(EXAMPLES, 'own-odds.ndjson.zst');
  const plain = unpacked(odds, join(home, 'odds.ndjson'));
  const table = join(home, 'bets.csv');
  const selected = await recompute('select', join(EXAMPLES, 'own-fills.csv'), plain, table);
  expect(Number(selected.stdout)).toBeGreaterThan(50);
  const changed: Readonly<Record<number, string>> = {
    3: 'P',
    6: 'V',
    9: 'half won',
    12: 'half lost',
    15: '',
    18: '',
    21: '',
  };
  const [header = '', ...rows] = readFileSync(table, 'utf8').trimEnd().split('\n');
  const cells = rows.map((row, index) =>
    row.replace(/[^,]*(,[^,]*)$/, (kept, tag: string) => (index in changed ? `${changed[index] ?? ''}${tag}` : kept)),
  );
  writeFileSync(table, `${[header, ...cells].join('\n')}\n`);
  const results = join(home, 'results.json');
  const scores = Array.from({ length: 44 }, (_, game) => [
    `game-${game}`,
    game % 6 === 5 ? { void: true } : { home: 105 + 2 * (game % 9), away: 112 },
  ]);
  writeFileSync(results, JSON.stringify(Object.fromEntries(scores)));
  return [
    table,
    plain,
    results,
    await printed(join(home, 'report.json'), [
      'report',
      '--fills',
      table,
      '--odds',
      odds,
      '--results',
      results,
      '--json',
    ]),
  ];
}

type Phases = Readonly<Record<string, { readonly byWeight: { readonly edge: { stake: number } } }>>;

/** A copy of a report in which a figure was changed, or added. */
function changedReport(
  home: string,
  report: string,
  change: (scenario: Record<string, Record<string, unknown>>) => void,
): string {
  const tree = JSON.parse(readFileSync(report, 'utf8')) as {
    scenarios: Record<string, Record<string, Record<string, unknown>>>;
  };
  for (const scenario of Object.values(tree.scenarios)) change(scenario);
  const file = join(home, 'changed.json');
  writeFileSync(file, JSON.stringify(tree));
  return file;
}

describe('the figures of a report, recomputed from the raw files', () => {
  it('are equal to rounding for a backtest; one changed row, figure, weight or new figure is named', async () => {
    const home = folder();
    const args = await backtest(home);
    const verdict = await recompute('backtest', ...args);
    isEqual(verdict);
    const { equal, fills } = countsOf(verdict);
    expect(fills).toBeGreaterThan(300);
    expect(equal).toBeGreaterThan(10_000);

    // one row of fills.csv
    const [out = '', ...others] = args;
    const wrong = join(home, 'wrong');
    mkdirSync(wrong);
    cpSync(out, wrong, { recursive: true });
    const lines = readFileSync(join(out, 'fills.csv'), 'utf8').split('\n');
    const [names = '', first = ''] = lines;
    const cells = first.split(',');
    for (const name of ['markout_5s', 'settled']) {
      const column = names.split(',').indexOf(name);
      cells[column] = String(Number(cells[column]) + 0.01);
    }
    const tx = cells[names.split(',').indexOf('tx')] ?? '';
    writeFileSync(join(wrong, 'fills.csv'), [names, cells.join(','), ...lines.slice(2)].join('\n'));
    const row = await recompute('backtest', wrong, ...others);
    const named = ['markout_5s', 'settled'].map((name) => `not equal: fills.csv[${tx}].${name}\n`);
    expect([row.code, row.stderr]).toEqual([1, named.join('')]);

    // one figure of the report, and a figure that this test does not know
    const report = others.at(-1) ?? '';
    const changed = changedReport(home, report, ({ clv, quoting }) => {
      if (clv !== undefined) clv['dollars'] = Number(clv['dollars']) + 0.01;
      if (quoting !== undefined) quoting['newFigure'] = 1;
    });
    const figure = await recompute('backtest', out, ...others.slice(0, -1), changed);
    expect([figure.code, figure.stderr]).toEqual([1, 'not equal: clv.dollars\nnot equal: quoting.newFigure\n']);

    // one mean of one phase by one weight
    const weighted = changedReport(home, report, ({ phases }) => {
      const { byWeight } = (phases as Phases)['inplay'] ?? {};
      if (byWeight !== undefined) byWeight.edge.stake += 0.00001;
    });
    const weight = await recompute('backtest', out, ...others.slice(0, -1), weighted);
    expect([weight.code, weight.stderr]).toEqual([1, 'not equal: phases.inplay.byWeight.edge.stake\n']);
  }, 600_000);

  it('are equal to rounding for a live run on the paper exchange', async () => {
    const home = folder();
    const args = await live(home);
    const verdict = await recompute('live', ...args);
    isEqual(verdict);
    const { equal, fills } = countsOf(verdict);
    expect(fills).toBeGreaterThan(5);
    expect(equal).toBeGreaterThan(1000);
    const [journal = '', events = '', report = '', ...others] = args;
    const changed = changedReport(home, report, ({ identity }) => {
      if (identity !== undefined) identity['captured'] = Number(identity['captured']) + 0.02;
    });
    const wrong = await recompute('live', journal, events, changed, ...others);
    expect([wrong.code, wrong.stderr]).toEqual([1, 'not equal: identity.captured\n']);
    // another fair price of the strategy than the one it had
    const [table = ''] = others;
    const otherPrice = await recompute('live', journal, events, report, table, BASE, '0.8');
    expect(otherPrice.code).toBe(1);
    expect(otherPrice.stderr).toContain('not equal: outside.own.identity.captured\n');
  }, 600_000);

  it('are equal to rounding for a table of bets with odds and results', async () => {
    const home = folder();
    const args = await bets(home);
    const verdict = await recompute('own', ...args);
    isEqual(verdict);
    const { equal, checked, fills } = countsOf(verdict);
    expect(fills).toBeGreaterThan(50);
    expect(equal).toBeGreaterThan(3000);
    expect(checked).toBe(9);
    // a bet won instead of lost, in the table that the script reads
    const [table = '', ...others] = args;
    const wrong = join(home, 'wrong.csv');
    writeFileSync(wrong, readFileSync(table, 'utf8').replace(',L,', ',W,'));
    const row = await recompute('own', wrong, ...others);
    expect(row.code).toBe(1);
    expect(row.stderr).toContain('not equal: identity.pnl\n');
  }, 600_000);
});

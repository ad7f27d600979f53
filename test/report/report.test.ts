// The command `report` for backtests and journals: its output, its page and its refusals.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { ScenarioFigures } from '../../src/run/index.ts';
import { figureAt, packFacts } from '../../src/report/index.ts';
import { command, folder, NO_JOURNAL, STRATEGIES, TWO_SIDED, writeConfig } from '../support/children.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';

type Report = { readonly schema: 2; readonly scenarios: Readonly<Record<string, ScenarioFigures>> };
const reportOf = async (path: string): Promise<Report> =>
  JSON.parse((await command(['report', path, '--json'])).stdout) as Report;

/** The table of the newest backtest. */
let table = '';

async function played(score: string | undefined, ...flags: readonly string[]): Promise<string> {
  const home = folder();
  const tape = join(home, 'tape.ndjson.gz');
  writeGeneratedTape(tape, 400, { startsAfter: 300_000 });
  const config = writeConfig(
    `exchange: { embedded: {} }\nmarkets: { live: true, stopBefore: 0s }\n${STRATEGIES}${NO_JOURNAL}`,
  );
  writeFileSync(join(home, 'scores.json'), score ?? '{}');
  const results = score === undefined ? [] : ['--results', join(home, 'scores.json')];
  const { code, stdout, stderr } = await command([
    'backtest',
    config,
    '--tape',
    tape,
    '--out',
    join(home, 'out'),
    ...results,
    ...flags,
  ]);
  expect([code, stderr]).toEqual([0, '']);
  table = stdout;
  return join(home, 'out');
}

/** The sum of the P&L parts, and the P&L, in cents. */
const sums = ({ identity: { spread, drift, luck, commission, pnl } }: ScenarioFigures): readonly number[] => [
  Math.round(100 * ((spread ?? NaN) + (drift ?? NaN) + (luck ?? NaN) + (commission ?? NaN))),
  Math.round(100 * (pnl ?? NaN)),
];

describe('the command report', () => {
  it('puts the calibrated scenario of a backtest first, and the P&L parts add up to the cent', async () => {
    const out = await played('{"tape-game": {"home": 101, "away": 97}}', '--fills', 'all');
    const { scenarios } = await reportOf(out);
    expect(Object.keys(scenarios)).toEqual(['calibrated', 'pessimistic', 'optimistic']);
    const result = JSON.parse(readFileSync(join(out, 'result.json'), 'utf8')) as {
      scenarios: Record<string, { fills: number; pnl: { settled: number } }>;
    };
    for (const [name, figures] of Object.entries(scenarios)) {
      const [parts, pnl] = sums(figures);
      expect(parts).toBe(pnl);
      const { fills, unpriced, unpricedPnl, open } = figures.identity;
      expect(fills + unpriced + open).toBe(result.scenarios[name]?.fills);
      expect(fills).toBeGreaterThan(0);
      expect((figures.identity.pnl ?? NaN) + unpricedPnl).toBeCloseTo(result.scenarios[name]?.pnl.settled ?? 0, 1);
      expect(figureAt(figures, 'permits.clvPerPlace')).toEqual(expect.any(Number));
    }
    const shown = await command(['report', out, '--out', join(out, 'r.html')]);
    expect([shown.code, shown.stderr]).toEqual([0, '']);
    expect(shown.stdout).toMatch(/^ +calibrated +pessimistic +optimistic$/m);
    expect(shown.stdout).toContain('1 game: too few games');
    // the pre-match phase first, the sum last
    expect(shown.stdout).toMatch(
      /^pre-match$[^]+^in play$|^in play +no fill[^]+^both$[^]+games, needed for a verdict +1, /m,
    );
    for (const { phases, ...sum } of Object.values(scenarios))
      for (const phase of Object.values(phases))
        expect(Object.keys(sum)).toEqual(expect.arrayContaining(Object.keys(phase)));
    const html = readFileSync(join(out, 'r.html'), 'utf8');
    expect(html.length).toBeLessThan(2_000_000);
    expect(html).not.toMatch(/<(?:script|link|img|iframe)[^>]+(?:src|href)=/);
    for (const id of [
      'identity',
      'equity',
      'markouts',
      'attribution',
      'quotes',
      'inventory',
      'quoting',
      'permits',
      'calibration',
      'held',
      'alerts',
      'limits',
    ])
      expect(html).toContain(`<section id="${id}">`);
    // the page shows names of games, where figures have their ids
    expect(html).toMatch(/<td>Ravens @ Otters, \d{4}-\d\d-\d\d \d\d:\d\d moneyline<\/td>/);
    // on a phone each row is a card, and each figure has its name
    expect(html).toMatch(/<table class="sort cards">.*?<td class="n[^"]*" data-v="[^"]*" data-name="P&amp;L">/s);
    expect(html.match(/download="[\w-]+\.csv"/g)?.length).toBeGreaterThan(15);
  });

  it('says that nothing is settled when the games of a backtest have no result', async () => {
    const out = await played(undefined);
    const { stdout } = await command(['report', out]);
    expect(stdout).toContain('Nothing was settled: luck and P&L are not known.');
    const { identity, clv } = (await reportOf(out)).scenarios['calibrated'] ?? {};
    expect(identity).toMatchObject({ fills: 0, pnl: null, captured: expect.any(Number) as number });
    expect(clv?.dollars).not.toBeNull();
    // a results file without these games gives no zero either
    await played('{}');
    expect(table).toMatch(/^pnl settled +– +–$/m);
    expect(table).toMatch(/no result decides all fills of a game: tape-game; "pnl settled" leaves those out/);
  });

  it('computes the same figures later that --report json and html write at once', async () => {
    const scores = '{"tape-game": {"home": 101, "away": 97}}';
    const later = await played(scores);
    const json = await played(scores, '--report', 'json');
    const html = await played(scores, '--report', 'html');
    const files = (out: string): readonly string[] => readdirSync(out).filter((name) => name.startsWith('report'));
    expect([later, json, html].map(files)).toEqual([
      ['report-facts.bin'],
      ['report.json'],
      ['report-facts.bin', 'report.html'],
    ]);
    expect(await reportOf(json)).toEqual(await reportOf(later));
    const page = join(folder(), 'page.html');
    await command(['report', html, '--out', page]);
    expect(readFileSync(join(html, 'report.html'), 'utf8')).toBe(readFileSync(page, 'utf8'));
  });

  it('says to play a backtest again that wrote nothing for a report', async () => {
    const out = await played(undefined, '--report', 'none');
    expect(readdirSync(out)).not.toContain('report-facts.bin');
    const { code, stderr } = await command(['report', out]);
    expect([code, stderr]).toEqual([65, expect.stringMatching(/report-facts\.bin: .*: play the backtest again/)]);
  });

  it.each<[string, (facts: Buffer) => Uint8Array, string]>([
    ['cut short', (facts) => facts.subarray(0, 100), 'no report of this version'],
    ['of another content', () => zstdCompressSync(serialize({ version: '0.2.0' })), 'its facts are of version 0.2.0'],
    ['that are no facts', () => Buffer.from('{}'), 'no report of this version'],
  ])('refuses facts %s, and does not remove them', async (_what, change, problem) => {
    const out = folder();
    writeFileSync(join(out, 'result.json'), '{}');
    const file = join(out, 'report-facts.bin');
    const facts = packFacts({
      ...{ title: '', from: null, to: null, inputs: [], seed: 1, scenarios: [], model: undefined },
    });
    writeFileSync(file, facts);
    expect((await command(['report', out])).code).toBe(0);
    writeFileSync(file, change(facts));
    const { code, stderr } = await command(['report', out]);
    expect([code, stderr]).toEqual([65, expect.stringContaining(problem)]);
    expect(existsSync(file)).toBe(true);
  });

  it('writes a page for a run without fills', async () => {
    const home = folder();
    const tape = join(home, 'tape.ndjson.gz');
    writeGeneratedTape(tape, 5);
    const config = writeConfig(
      `exchange: { embedded: {} }\nstrategies: [{ use: ${TWO_SIDED}, id: main, params: { edge: 0.2, risk: 1 } }]\n${NO_JOURNAL}`,
    );
    await command(['backtest', config, '--tape', tape, '--out', join(home, 'out')]);
    const { code } = await command(['report', join(home, 'out'), '--out', join(home, 'r.html')]);
    expect(code).toBe(0);
    expect(readFileSync(join(home, 'r.html'), 'utf8')).toContain('Nothing filled.');
  });

  it('has the scenario live for a journal, with the figures of the backtest that wrote it', async () => {
    const out = await played('{"tape-game": {"home": 101, "away": 97}}', '--fills', 'pessimistic', '--journal');
    const { pessimistic } = (await reportOf(out)).scenarios;
    const { live, ...others } = (await reportOf(join(out, 'pessimistic.ndjson'))).scenarios;
    expect(others).toEqual({});
    const fillsOf = (figures: ScenarioFigures | undefined): number =>
      (figures?.attribution.game ?? []).reduce((sum, { fills }) => sum + fills, 0);
    expect(fillsOf(live)).toBe(fillsOf(pessimistic));
    expect(live?.permits.place).toBe(pessimistic?.permits.place);
    expect(live?.permits.cancel).toBe(pessimistic?.permits.cancel);
    expect(live?.quoting.orders).toBe(pessimistic?.quoting.orders);
    // the bot sees the book later by its latency
    expect(live?.quoting.twoSided).toBeCloseTo(pessimistic?.quoting.twoSided ?? 0, 1);
    expect(live?.quoting.meanDistance).toBeCloseTo(pessimistic?.quoting.meanDistance ?? 0, 2);
  });

  it('reads a report of version 0.2, whose event log and limitations had other names', async () => {
    const out = await played(undefined, '--fills', 'pessimistic', '--report', 'json');
    const page = join(out, 'page.html');
    await command(['report', out, '--out', page]);
    const present = readFileSync(page, 'utf8');
    const file = join(out, 'report.json');
    const former = readFileSync(file, 'utf8')
      .replace('"limitations":', '"cannotTell":')
      .replace('"eventLog":', '"happened":');
    expect(former).not.toMatch(/"limitations":|"eventLog":/);
    writeFileSync(file, former);
    expect((await command(['report', out, '--out', page])).code).toBe(0);
    expect(readFileSync(page, 'utf8')).toBe(present);
  });

  it('refuses unreadable folders and wrong arguments', async () => {
    const home = folder();
    mkdirSync(join(home, 'out'));
    writeFileSync(join(home, 'out', 'result.json'), '{}');
    writeFileSync(join(home, 'out', 'report.json'), '{"report": 7}');
    const other = await command(['report', join(home, 'out')]);
    expect([other.code, other.stderr]).toEqual([65, expect.stringContaining('no report of this version')]);
    // the refusal of a report of an earlier version says what to do
    writeFileSync(join(home, 'out', 'report.json'), '{"report": 1}');
    for (const asked of [
      ['report', join(home, 'out')],
      ['compare', join(home, 'out'), join(home, 'out')],
    ]) {
      const former = await command(asked);
      expect([former.code, former.stderr]).toEqual([
        65,
        expect.stringMatching(/of schema 1, .* schema 2: play the backtest again \(oddsmaker backtest CONFIG/),
      ]);
    }
    const none = await command(['report', join(home, 'nothing')]);
    expect(none.code).toBe(65);
    const two = await command(['report', join(home, 'out'), join(home, 'out')]);
    expect([two.code, two.stderr]).toEqual([2, expect.stringContaining('one folder of a backtest at a time')]);
    const unwritable = await command(['report', await played(undefined), '--out', join(home, 'a', 'b.html')]);
    expect(unwritable.code).toBe(78);
  });
});

const RECORDED = '../shared/data/nba-cle-min-inplay.ndjson.gz';

describe.skipIf(!existsSync(RECORDED))(`the report of a recorded game (needs ${RECORDED})`, () => {
  it('splits the P&L into spread, drift and luck to the cent', async () => {
    const home = folder();
    writeFileSync(join(home, 'scores.json'), '{"42830d70c7e0fd6a3c0184ae": {"home": 88, "away": 94}}');
    const config = writeConfig(
      `exchange: { embedded: {} }\nmarkets: { live: true, stopBefore: 0s }\nstrategies: [{ use: ${TWO_SIDED}, id: main, params: { edge: 0.01, risk: 100 } }]\n${NO_JOURNAL}`,
    );
    const { code } = await command([
      ...['backtest', config, '--tape', RECORDED, '--depth', '20', '--fills', 'calibrated', '--no-cache'],
      ...['--out', join(home, 'out'), '--results', join(home, 'scores.json')],
    ]);
    expect(code).toBe(0);
    const { calibrated } = (await reportOf(join(home, 'out'))).scenarios;
    if (calibrated === undefined) throw new Error('no such scenario');
    const [parts, pnl] = sums(calibrated);
    expect(parts).toBe(pnl);
    expect(calibrated.identity).toMatchObject({ unpriced: 0, open: 0 });
    expect(calibrated.identity.fills).toBeGreaterThan(300);
    // quotes around the middle of the book capture a spread, and the takers are better informed
    expect(calibrated.identity.spread).toBeGreaterThan(0);
    expect(calibrated.identity.drift).toBeLessThan(0);
  });
});

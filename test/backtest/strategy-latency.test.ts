// `--strategy-latency`: what a strategy takes for an input delays the bot in virtual time, and what was measured
// can be repeated.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { strategyLatency } from '../../src/backtest/index.ts';
import type { StrategyLatencyFlag } from '../../src/backtest/index.ts';
import type { BacktestResult } from '../../src/backtest/result.ts';
import { resultSchema } from '../../src/backtest/result.ts';
import { unpackFacts } from '../../src/report/index.ts';
import { command, folder, NO_JOURNAL, ROOT, STRATEGIES, writeConfig } from '../support/children.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';
import { GAME, MadeTape, timeAt } from './made-tape.ts';

const SECONDS = 30;
const LATENCY = ['--latency', '80ms', '--fills', 'pessimistic'];

/** A strategy that computes for a while, here some milliseconds, before it quotes. */
const BURNS = `import { map } from 'rxjs';
import { z } from 'zod';
import { defineStrategy } from 'oddsmaker/strategy';
const burn = (rounds: number): number => {
  let x = 1;
  for (let i = 0; i < rounds; i++) x = (x * 31 + i) % 1000003;
  return x;
};
export default defineStrategy({
  name: 'burns',
  params: z.object({ rounds: z.number() }),
  create: ({ params }) => (views$) =>
    views$.pipe(
      map(({ market }) => ({
        market: market.id,
        quotes: burn(params.rounds) < 0 ? [] : [{ side: market.sides[0], risk: 10_00, odds: 150 }],
      })),
    ),
});
`;

function tapeIn(home: string): string {
  const tape = join(home, 'game.ndjson.gz');
  writeGeneratedTape(tape, SECONDS);
  return tape;
}

const configOf = (strategies: string, home: string): string =>
  writeConfig(
    `exchange: { embedded: {} }\nmarkets: { leagues: [NBA], types: [moneyline] }\n${strategies}${NO_JOURNAL}`,
    home,
  );

type Done = { readonly out: string; readonly stdout: string; readonly result: BacktestResult };

async function backtest(config: string, tape: string, ...flags: readonly string[]): Promise<Done> {
  const out = folder();
  const ended = await command(['backtest', config, '--tape', tape, '--out', out, ...LATENCY, ...flags]);
  expect([ended.code, ended.stderr]).toEqual([0, '']);
  const result = resultSchema.parse(JSON.parse(readFileSync(join(out, 'result.json'), 'utf8')));
  return { ...ended, out, result };
}

/** A tape with a quiet book, a price for it at second 20, and a take at second 20.3. */
function quietTape(): string {
  const row = { odds: 110, risk: 100 };
  const made = new MadeTape()
    .game(0)
    .side(0, 'home', [{ id: 'h', ...row }])
    .side(0, 'away', [{ id: 'a', ...row }])
    .side(20.3, 'home', [{ id: 'h', ...row, left: 40 }])
    .side(40, 'home', [{ id: 'h', ...row, left: 40 }]);
  const signal = { values: { [`fair:${GAME}/moneyline`]: 0.5 }, ttl: '1h' };
  made.lines.splice(-2, 0, JSON.stringify({ ts: timeAt(20), ns: 'signals', event: 'signal', data: signal }));
  return made.write();
}

/** When the first order of a strategy rested, seconds after noon. */
function firstRested({ out }: Done, strategy: string): number {
  const [head = '', ...rows] = readFileSync(join(out, 'orders.csv'), 'utf8').trim().split('\n');
  const names = head.split(',');
  const cells = rows.map((row) => row.split(','));
  const own = cells.filter((row) => row[names.indexOf('strategy')] === strategy);
  const times = own.map((row) => Date.parse(row[names.indexOf('rested_from')] ?? ''));
  expect(times.length).toBeGreaterThan(0);
  return (Math.min(...times) - timeAt(0)) / 1000;
}

/** Expects the same bytes in all files except timing.json. */
function expectSameFiles(a: Done, b: Done): void {
  const names = readdirSync(a.out, { recursive: true, encoding: 'utf8' }).filter((name) => /\.\w+$/.test(name));
  expect(names).toContain('strategy-latency.csv');
  for (const name of names) {
    if (name === 'timing.json') continue;
    const [before, after] = [a, b].map(({ out }) => readFileSync(join(out, name)));
    // V8 writes a number in another form when the code that made it is compiled
    if (name === 'report-facts.bin' && before !== undefined && after !== undefined)
      expect(unpackFacts(after)).toEqual(unpackFacts(before));
    else expect(before !== undefined && after?.equals(before), name).toBe(true);
  }
}

describe('--strategy-latency with a time', () => {
  let home = '';
  let tape = '';
  beforeAll(() => {
    home = folder();
    tape = tapeIn(home);
  });

  it('delays nothing with 0ms', async () => {
    const config = configOf(STRATEGIES, home);
    const without = await backtest(config, tape, '--journal');
    const none = await backtest(config, tape, '--journal', '--strategy-latency', '0ms');
    expect(none.result.scenarios).toEqual(without.result.scenarios);
    const journalOf = ({ out }: Done): Buffer => readFileSync(join(out, 'pessimistic.ndjson'));
    expect(journalOf(none).equals(journalOf(without))).toBe(true);
  });

  it('delays orders by that time, also those of strategies that run with a slow one', async () => {
    const quiet = quietTape();
    const own = (id: string): string =>
      `  - { use: ${join(ROOT, 'strategies/own-price.ts')}, id: ${id}, params: { edge: 0.02, risk: 50 } }\n`;
    const config = configOf(`strategies:\n${own('one')}${own('two')}`, home);
    const play = async (...times: readonly string[]): Promise<Done> =>
      backtest(config, quiet, '--orders', '--journal', ...times.flatMap((time) => ['--strategy-latency', time]));
    // a signal at second 20, its latency and that of the request
    for (const [times, restsAt, text] of [
      [[], 20.16, undefined],
      [['two=300ms'], 20.46, 'two=300ms'],
      [['0.5ms'], 20.161, '0.5ms'],
      [['100ms', 'two=300ms'], 20.56, '100ms, two=300ms'],
    ] as const) {
      const done = await play(...times);
      for (const id of ['one', 'two']) expect(firstRested(done, id)).toBeCloseTo(restsAt, 3);
      // the take comes too early for what rests after it
      expect((done.result.scenarios.pessimistic?.fills ?? 0) > 0).toBe(restsAt < 20.3);
      expect(done.result.inputs.strategyLatency).toBe(text);
      if (text !== undefined) expect(done.stdout).toContain(`strategies took ${text} for each input`);
      const verified = await command(['replay', '--verify', join(done.out, 'pessimistic.ndjson')]);
      expect([verified.code, verified.stderr]).toEqual([0, '']);
    }
  });

  it('has the bot read only the newest book after a long time, so that it quotes less often', async () => {
    const config = configOf(STRATEGIES, home);
    const without = await backtest(config, tape);
    const slow = await backtest(config, tape, '--strategy-latency', '2s');
    const [fast, late] = [without.result.scenarios.pessimistic, slow.result.scenarios.pessimistic];
    expect(late?.intents).toBeLessThan((fast?.intents ?? 0) / 3);
    // one view after the other: no more than a step each two seconds
    expect(late?.intents).toBeGreaterThan(SECONDS / 4);
  });

  it('gives the same bytes each time', async () => {
    const config = configOf(STRATEGIES, home);
    const flags = ['--journal', '--strategy-latency', '7.5ms'];
    const [a, b] = [await backtest(config, tape, ...flags), await backtest(config, tape, ...flags)];
    for (const name of ['result.json', 'pessimistic.ndjson', 'fills.csv'])
      expect(readFileSync(join(b.out, name)).equals(readFileSync(join(a.out, name))), name).toBe(true);
  });
});

describe('--strategy-latency measured', () => {
  let home = '';
  let config = '';
  let measured: Done;
  beforeAll(async () => {
    home = folder();
    writeFileSync(join(home, 'burns.ts'), BURNS);
    config = configOf('strategies: [{ use: ./burns.ts, id: mine, params: { rounds: 1000000 } }]\n', home);
    measured = await backtest(config, tapeIn(home), '--orders', '--journal', '--strategy-latency', 'measured');
  });

  it('costs a strategy the time that it really takes', async () => {
    const without = await backtest(config, join(home, 'game.ndjson.gz'), '--orders');
    const rows = readFileSync(join(measured.out, 'strategy-latency.csv'), 'utf8').trim().split('\n').slice(1);
    const times = rows.map((row) => Number(row.split(',')[4]));
    // all but the end of the market
    expect(times.filter((time) => time > 500).length).toBeGreaterThan(0.8 * times.length);
    const later = firstRested(measured, 'mine') - firstRested(without, 'mine');
    // its first view, and what it waited for before
    expect(later).toBeGreaterThanOrEqual((times[0] ?? 0) / 1e6 - 0.002);
    expect(measured.result.inputs.strategyLatency).toBe('measured');
    expect(measured.stdout).toContain('strategies took the time that was measured');
    expect(measured.stdout).toMatch(/^strategy mine took \d+\.\d ms \(p50\), .* for each of \d+ inputs$/m);
  });

  it('is repeated by its table, byte for byte, and its journal replays', async () => {
    const table = join(measured.out, 'strategy-latency.csv');
    const tape = join(home, 'game.ndjson.gz');
    const again = await backtest(config, tape, '--orders', '--journal', '--strategy-latency', table);
    expectSameFiles(measured, again);
    expect(again.result.inputs.strategyTimes?.sha256).toMatch(/^[0-9a-f]{64}$/);
    const verified = await command(['replay', '--verify', join(measured.out, 'pessimistic.ndjson')]);
    expect([verified.code, verified.stderr]).toEqual([0, '']);
  });

  it.each([
    [
      'of another run',
      (rows: string[]) => rows.filter((_, index) => index !== 3),
      /is not of this run: it has no time/,
    ],
    [
      'longer than the run',
      (rows: string[]) => [...rows, 'pessimistic,,99999,mine,3'],
      /no strategy ran in its step 99999/,
    ],
    [
      'without a time',
      (rows: string[]) => [...rows.slice(0, 3), 'pessimistic,,9,mine,fast'],
      /csv:4: microseconds: expected a whole number/,
    ],
    [
      'with a negative time',
      (rows: string[]) => [...rows.slice(0, 3), 'pessimistic,,9,mine,-3'],
      /csv:4: microseconds: expected a whole number/,
    ],
    [
      'of other columns',
      (rows: string[]) => ['a,b,c', ...rows.slice(1).map(() => '1,2,3')],
      /csv:1: expected the columns scenario, part, seq, strategy, microseconds/,
    ],
    [
      'of another scenario',
      (rows: string[]) => rows.map((row) => row.replace('pessimistic', 'hopeful')),
      /csv:2: expected a scenario: pessimistic, calibrated, optimistic/,
    ],
    ['empty', () => [], /csv:1: the file is empty/],
  ])('refuses a table that is %s', async (_what, change, problem) => {
    const rows = readFileSync(join(measured.out, 'strategy-latency.csv'), 'utf8').trim().split('\n');
    const table = join(folder(), 'table.csv');
    writeFileSync(
      table,
      change(rows)
        .map((row) => `${row}\n`)
        .join(''),
    );
    const out = folder();
    const tape = join(home, 'game.ndjson.gz');
    const flags = ['--tape', tape, '--out', out, ...LATENCY, '--strategy-latency', table];
    const { code, stderr } = await command(['backtest', config, ...flags]);
    expect(stderr).toMatch(problem);
    expect(code).toBe(65);
    expect(readdirSync(out)).toEqual([]);
  });

  it('is repeated day by day as well', async () => {
    const tapes = join(folder(), 'tapes');
    mkdirSync(tapes);
    for (const [day, id] of ['a', 'b'].entries())
      writeGeneratedTape(join(tapes, `${id}.ndjson.gz`), 10, { id, from: Date.parse(`2030-11-${20 + day}T18:00:00Z`) });
    const first = await backtest(config, tapes, '--strategy-latency', 'measured');
    const table = join(first.out, 'strategy-latency.csv');
    expect(
      new Set(
        readFileSync(table, 'utf8')
          .trim()
          .split('\n')
          .slice(1)
          .map((row) => row.split(',')[1]),
      ).size,
    ).toBe(2);
    expect(first.stdout).toMatch(/^strategy mine took .* for each of \d+ inputs$/m);
    expectSameFiles(first, await backtest(config, tapes, '--strategy-latency', table, '--threads', '2'));
  });
});

describe('the value of --strategy-latency', () => {
  const read = (...texts: readonly string[]): StrategyLatencyFlag | undefined =>
    texts.reduce<StrategyLatencyFlag | undefined>((before, text) => strategyLatency(text, before), undefined);

  it.each<[readonly string[], StrategyLatencyFlag]>([
    [['2ms'], { kind: 'given', ms: 2, byStrategy: {} }],
    [['0.05ms'], { kind: 'given', ms: 0.05, byStrategy: {} }],
    [['a=1ms', '2ms', 'b=0ms'], { kind: 'given', ms: 2, byStrategy: { a: 1, b: 0 } }],
    [['measured'], { kind: 'measured' }],
    [['out/strategy-latency.csv'], { kind: 'file', file: 'out/strategy-latency.csv' }],
  ])('reads %j', (texts, flag) => expect(read(...texts)).toEqual(flag));

  it.each<[readonly string[], RegExp]>([
    [['-2ms'], /0ms or more/],
    [['a=-2ms'], /a takes 0ms or more/],
    [['fast'], /expected measured, a time such as 2ms/],
    [['a=fast'], /a: expected a time such as 2ms/],
    [['a=measured'], /measured is for all strategies/],
    [['a=1ms', 'a=2ms'], /the time of a is given twice/],
    [['1ms', '2ms'], /given twice/],
    [['2ms', 'measured'], /measured is for all strategies/],
    [['measured', '2ms'], /measured is for all strategies/],
    [['x.csv', 'a=2ms'], /x.csv is for all strategies/],
    [['2h'], /at most 1m/],
  ])('refuses %j', (texts, problem) => expect(() => read(...texts)).toThrow(problem));

  it.each<[string, readonly string[], RegExp]>([
    ['an unknown strategy', ['mian=2ms'], /there is no strategy mian; did you mean main\?/],
    ['--vary', ['measured', '--vary', 'main.edge=0.01,0.02'], /--vary compares runs, and measured gives other times/],
    ['--look-ahead-check', ['measured', '--look-ahead-check'], /give a time such as 2ms/],
    ['--watch and a table', ['x.csv', '--watch'], /x.csv has the times of one run/],
  ])('is refused with %s', async (_what, flags, problem) => {
    const home = folder();
    const args = ['--tape', tapeIn(home), '--out', folder(), '--strategy-latency', ...flags];
    const { code, stderr } = await command(['backtest', configOf(STRATEGIES, home), ...args]);
    expect(stderr).toMatch(problem);
    expect(code).toBe(2);
  });

  it('is a time in a sweep, whose points then are as backtests with it', async () => {
    const home = folder();
    const out = join(home, 'swept');
    const [config, tape] = [configOf(STRATEGIES, home), tapeIn(home)];
    const flags = [...LATENCY, '--strategy-latency', '2s'];
    const words = ['--param', 'main.edge=0.02', '--objective', 'permits.spreadPerPlace', '--threads', '1', ...flags];
    const swept = await command(['sweep', config, '--tape', tape, '--out', out, ...words]);
    expect(swept.code, swept.stderr).toBe(0);
    const point = JSON.parse(readFileSync(join(out, 'points.ndjson'), 'utf8').split('\n')[1] ?? '') as {
      readonly outcome: { readonly figures: Readonly<Record<string, number>> };
    };
    const slow = await backtest(config, tape, '--strategy-latency', '2s');
    const quoted = ({ result }: Done): number | undefined => result.scenarios.pessimistic?.quotedShare;
    expect(point.outcome.figures['quotedShare']).toBe(quoted(slow));
    expect(quoted(slow)).not.toBe(quoted(await backtest(config, tape)));
    expect(readFileSync(join(out, 'sweep.json'), 'utf8')).toContain('"strategyLatency": "2000ms"');
  });

  it.each(['measured', 'x.csv'])(
    'is no %s in a sweep, whose points give the same results everywhere',
    async (value) => {
      const home = folder();
      const out = join(home, 'swept');
      const flags = ['--param', 'main.edge=0.01,0.02', '--strategy-latency', value];
      const { code, stderr } = await command([
        ...['sweep', configOf(STRATEGIES, home), '--tape', tapeIn(home), '--out', out, ...flags],
      ]);
      expect(stderr).toMatch(/the points of a sweep must give the same results .* give a time such as 2ms/);
      expect(code).toBe(2);
      expect(readdirSync(home)).not.toContain('swept');
    },
  );
});

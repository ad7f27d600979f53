// Backtests of several days, which are played in jobs.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { BALANCE } from '../../src/backtest/replay.ts';
import { findTapes, latencyOf, playInTurn, readJobs } from '../../src/backtest/index.ts';
import type { BacktestResult } from '../../src/backtest/result.ts';
import { resultSchema } from '../../src/backtest/result.ts';
import { loadOffline } from '../../src/config/index.ts';
import { command, folder, NO_JOURNAL, STRATEGIES, writeConfig } from '../support/children.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';

const DAY_MS = 24 * 3_600_000;
const SECONDS = 40;
const FIRST = Date.parse('2030-11-29T18:00:00Z');
const WRITTEN = ['result.json', 'fills.csv', 'markets.csv', 'pnl.csv', 'months.csv'];
/** Windows that are always full. */
const FEW_PERMITS = 'exchange: { embedded: {}, limits: { place: { requests: 6, window: 5s } } }\n';

/** Tapes of games, each with the start of its day. */
function tapesOf(games: readonly { readonly id: string; readonly from: number }[]): string {
  const tapes = join(folder(), 'tapes');
  mkdirSync(tapes);
  for (const [index, { id, from }] of games.entries())
    writeGeneratedTape(join(tapes, `${id}.ndjson.gz`), SECONDS, { id, from, startsAfter: 3_600_000, phase: index / 3 });
  return tapes;
}

const configOf = (more = ''): string =>
  writeConfig(
    `${more.includes('exchange:') ? '' : 'exchange: { embedded: {} }\n'}markets: { leagues: [NBA] }\n${STRATEGIES}${NO_JOURNAL}${more}`,
  );

async function backtest(config: string, tape: string, ...flags: readonly string[]) {
  const out = folder();
  const ended = await command(['backtest', config, '--tape', tape, '--out', out, '--fills', 'pessimistic', ...flags]);
  expect([ended.code, ended.stderr]).toEqual([0, '']);
  const file = (name: string): string => readFileSync(join(out, name), 'utf8');
  return { ...ended, out, file, result: resultSchema.parse(JSON.parse(file('result.json'))) };
}
const shown = ({ scenarios }: BacktestResult) => scenarios.pessimistic;
const fillsIn = (csv: string): readonly string[] => csv.trim().split('\n').slice(1);

describe('days', () => {
  let tapes = '';
  let config = '';
  let all: Awaited<ReturnType<typeof backtest>>;
  const days = ['a', 'b', 'c'].map((id, day) => ({ id, from: FIRST + day * DAY_MS }));
  beforeAll(async () => {
    tapes = tapesOf(days);
    config = configOf();
    all = await backtest(config, tapes);
  });

  it('give the same bytes with one thread and with two', async () => {
    const two = await backtest(config, tapes, '--threads', '2');
    for (const name of WRITTEN) expect(two.file(name), name).toBe(all.file(name));
    expect(existsSync(join(two.out, '.jobs'))).toBe(false);
  });

  it('are each what a backtest of that day alone gives', async () => {
    const alone: (typeof all)[] = [];
    for (const { id } of days) alone.push(await backtest(config, join(tapes, `${id}.ndjson.gz`)));
    expect(fillsIn(all.file('fills.csv'))).toEqual(alone.flatMap(({ file }) => fillsIn(file('fills.csv'))));
    const sum = (figure: (result: NonNullable<ReturnType<typeof shown>>) => number): number =>
      alone.reduce((total, { result }) => total + figure(shown(result) ?? expect.fail('no scenario')), 0);
    const scenario = shown(all.result);
    expect(scenario?.fills).toBe(sum(({ fills }) => fills));
    expect(scenario?.fills).toBeGreaterThan(10);
    expect(scenario?.pnl.marked).toBeCloseTo(
      sum(({ pnl }) => pnl.marked),
      6,
    );
    expect(scenario?.orders.placed).toBe(sum(({ orders }) => orders.placed));
    expect(all.result.frames).toBe(alone.reduce((total, { result }) => total + result.frames, 0));
    expect(alone.every(({ result }) => result.jobs === undefined)).toBe(true);
  });

  it('count as shares of the whole when a sweep plays them in turn', async () => {
    const found = await findTapes([tapes]);
    const reading = { lenient: false, cache: 'none' } as const;
    const startsAtMs = 8 * 3_600_000;
    const jobs = await readJobs(found, { ...reading, threads: 1, startsAtMs, isIndependent: false });
    const { model: latency } = await latencyOf(undefined);
    const job = { tapes: found, reading, latency, signalLatency: latency, seed: 1, fills: 'pessimistic' } as const;
    const inputs = { fromMs: undefined, toMs: undefined, results: undefined, code: undefined, journalIn: undefined };
    const shares: number[] = [];
    await playInTurn({ ...job, ...inputs, calibrated: { share: 1 } }, jobs, loadOffline(config, {}), {
      progress: (share) => shares.push(share),
    });
    expect(shares.length).toBeGreaterThan(days.length - 1);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares.at(-1)).toBeCloseTo(1, 6);
  });

  it('are named in the result, with the sums of each month', () => {
    expect(all.result.jobs?.independent).toBe(false);
    expect(all.result.jobs?.played.map(({ name, games }) => [name, games])).toEqual([
      ['2030-11-29', 1],
      ['2030-11-30', 1],
      ['2030-12-01', 1],
    ]);
    const scenario = shown(all.result);
    const months = scenario?.months ?? [];
    expect(months.map(({ month, games }) => [month, games])).toEqual([
      ['2030-11', 2],
      ['2030-12', 1],
    ]);
    expect(months.reduce((sum, { fills }) => sum + fills, 0)).toBe(scenario?.fills);
    expect(months.reduce((sum, { marked }) => sum + marked, 0)).toBeCloseTo(scenario?.pnl.marked ?? Number.NaN, 6);
    expect(all.stdout).toMatch(/^ {2}2030-11 .* fills\n {2}2030-12 .* fills$/m);
    expect(all.stdout).toContain('3 games on 3 days, each day played by a new bot\n');
    expect(all.file('months.csv')).toMatch(/^scenario,month,.*\npessimistic,2030-11,2,.*\npessimistic,2030-12,1,.*\n$/);
  });

  it('have one report, which shows the months', async () => {
    const page = join(folder(), 'report.html');
    expect((await command(['report', all.out, '--out', page])).code).toBe(0);
    const html = readFileSync(page, 'utf8');
    expect(html).toContain('Result by month');
    expect(html).toContain('Each of the 3 days was played by a new bot');
    const json = await backtest(config, tapes, '--report', 'json');
    const report = JSON.parse(json.file('report.json')) as {
      scenarios: { pessimistic: { figures: { identity: { fills: number; unpriced: number; open: number } } } };
    };
    const { fills, unpriced, open } = report.scenarios.pessimistic.figures.identity;
    expect(fills + unpriced + open).toBe(shown(all.result)?.fills);
  });

  it('are left out before --from and after --to', async () => {
    const { result } = await backtest(config, tapes, '--from', '2030-11-30T12:00Z', '--to', '2030-12-01T12:00Z');
    const second = await backtest(config, join(tapes, 'b.ndjson.gz'));
    expect(shown(result)?.fills).toBe(shown(second.result)?.fills);
  });

  it('can be games that are played alone, and the result says so', async () => {
    const evening = tapesOf([0, 1].map((game) => ({ id: `g${game}`, from: FIRST + game * 5000 })));
    const { result, stdout, out } = await backtest(config, evening, '--independent');
    expect(result.jobs?.independent).toBe(true);
    expect(result.jobs?.played.map(({ name }) => name)).toEqual(['g0', 'g1']);
    expect(stdout).toContain('2 games, played independently: windows, credit and limits are not shared\n');
    const page = join(folder(), 'report.html');
    expect((await command(['report', out, '--out', page])).code).toBe(0);
    expect(readFileSync(page, 'utf8')).toContain('The games were played independently');
  });

  it('begin with the balance that the days before left, where the balance holds orders back', async () => {
    const bound = configOf('risk: { maxCreditUse: 0.0003 }\n');
    const single = await backtest(bound, tapes, '--journal');
    const two = await backtest(bound, tapes, '--journal', '--threads', '2');
    for (const name of WRITTEN) expect(two.file(name), name).toBe(single.file(name));
    expect(shown(single.result)?.heldWhy['credit']).toBeDefined();
    const brought = marksByGame(single.file('markets.csv'));
    let balance = BALANCE;
    for (const [day, { name }] of (single.result.jobs?.played ?? []).entries()) {
      const journal = readFileSync(join(single.out, name, 'pessimistic.ndjson'), 'utf8');
      expect(Number(/"type":"session".*?"balance":([\d.]+)/.exec(journal)?.[1])).toBeCloseTo(balance, 1);
      balance += brought[day] ?? Number.NaN;
    }
    expect(balance).not.toBe(BALANCE);
  });
});

/** The marked results of the games a, b and c. */
const marksByGame = (csv: string): readonly number[] =>
  ['a', 'b', 'c'].map((id) =>
    fillsIn(csv)
      .map((line) => line.split(','))
      .filter(([, game]) => game === id)
      .reduce((sum, cells) => sum + Number(cells[8]), 0),
  );

it('games of one evening share the request windows, with one thread and with two', async () => {
  const config = configOf(FEW_PERMITS + 'orders: { reserve: 1 }\n');
  const evening = tapesOf([0, 1, 2].map((game) => ({ id: `g${game}`, from: FIRST + game * 5000 })));
  const single = await backtest(config, evening, '--threads', '1');
  const two = await backtest(config, evening, '--threads', '2');
  expect(single.result.jobs).toBeUndefined();
  expect(two.file('fills.csv')).toBe(single.file('fills.csv'));
  expect(two.file('result.json')).toBe(single.file('result.json'));
  const { permits, fills } = shown(single.result) ?? expect.fail('no scenario');
  // one request in 5 / 6 s
  const most = 6 * ((SECONDS + 10) / 5 + 1);
  expect(permits.place).toBeLessThanOrEqual(most);
  expect(permits.place).toBeGreaterThan(0.7 * most);
  expect(fills).toBeGreaterThan(0);
  const alone = await backtest(config, evening, '--independent');
  expect(shown(alone.result)?.permits.place).toBeGreaterThan(1.5 * permits.place);
});

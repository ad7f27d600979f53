// What the scenarios of the sample only assume: the same bot, live at the exchange that made the sample, on
// the same evening. This test writes the table in docs/backtest.md with `-u`.
import { SCENARIOS } from '../../src/report/index.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { CONNECTIONS, sampleExchange } from '../../examples/sample-evening.ts';
import { DEFAULT_LATENCY, drawsOf } from '../../src/backtest/latency.ts';
import { resultSchema } from '../../src/backtest/result.ts';
import { VirtualRun } from '../../src/backtest/virtual-run.ts';
import { loadCoreSettings } from '../../src/setup/core-settings.ts';
import { loadOffline } from '../../src/config/index.ts';
import { dollarsOfMicros } from '../../src/domain/index.ts';
import { command, folder, ROOT } from '../support/children.ts';
import { doorSettings } from '../support/door-settings.ts';
import { WINDOWS } from '../support/windows.ts';

const CONFIG = join(ROOT, 'examples/sample.yaml');
const SAMPLE = ['--tape', 'examples/sample.ndjson.zst', '--results', 'examples/sample-scores.json'];
const BALANCE = 1e6;
const BOT = { username: 'bot', password: 'secret' };

/** The results of fills, in dollars. */
type Result = { fills: number; risk: number; ahead: number; live: number; settled: number };
const NOTHING: Result = { fills: 0, risk: 0, ahead: 0, live: 0, settled: 0 };

const results = new Map<string, Result>();
const resultOf = (name: string): Result => results.get(name) ?? NOTHING;

/** Plays from when the recorder connected to its end. Returns the starts of the games. */
async function playItself(): Promise<ReadonlyMap<string, number>> {
  const { settings } = await loadCoreSettings(loadOffline(CONFIG, {}));
  const exchange = sampleExchange([{ ...BOT, coins: BALANCE, mode: 'coins' }]);
  const account = exchange.world.venue.accounts.get(BOT.username);
  if (account === undefined) throw new Error('no account');
  const starts = new Map<string, number>();
  const itself = { ...NOTHING };
  const { from } = CONNECTIONS[0];
  const { to } = CONNECTIONS[1];
  exchange.advanceTo(Date.parse(from));
  const run = new VirtualRun({
    exchange,
    settings,
    run: from.slice(0, 10),
    door: {
      ...doorSettings(BOT, settings, WINDOWS),
      latency: drawsOf(DEFAULT_LATENCY, 1, from),
    },
  });
  run.start();
  exchange.advanceTo(Date.parse(to));
  run.stop();
  exchange.advanceTo(Date.parse(to) + 60_000);
  expect(run.ended).toMatchObject({ code: 0 });
  run.kill();
  for (const { order, atMs, risk, profit } of account.plays.values()) {
    const { id, start } = order.book.game.header;
    starts.set(id, start);
    if (profit === undefined) throw new Error(`${id} was not graded`);
    itself.fills += 1;
    itself.risk += dollarsOfMicros(risk);
    itself[atMs < start ? 'ahead' : 'live'] += dollarsOfMicros(profit);
  }
  itself.settled = dollarsOfMicros(account.balances.coins) - BALANCE;
  expect(itself.ahead + itself.live).toBeCloseTo(itself.settled, 2);
  results.set('the bot itself', itself);
  return starts;
}

type Scores = Readonly<Record<string, { readonly home: number; readonly away: number }>>;

/** Adds up the fills of a table, each settled by the scores. */
function readFills(text: string, scores: Scores, starts: ReadonlyMap<string, number>): void {
  const [head = '', ...rows] = text.trimEnd().split('\n');
  const names = head.split(',');
  for (const row of rows) {
    const cells = row.split(',');
    const cellOf = (name: string): string => cells[names.indexOf(name)] ?? '';
    const result = results.get(cellOf('scenario')) ?? { ...NOTHING };
    results.set(cellOf('scenario'), result);
    const [, type, line = '0'] = cellOf('market').split('/');
    const { home, away } = scores[cellOf('game')] ?? { home: Number.NaN, away: Number.NaN };
    const first = type === 'total' ? home + away > Number(line) : home - away + Number(line) > 0;
    const isWon = first === ['home', 'over'].includes(cellOf('side'));
    const phase = Date.parse(cellOf('time')) < (starts.get(cellOf('game')) ?? Number.NaN) ? 'ahead' : 'live';
    result.fills += 1;
    result.risk += Number(cellOf('risk'));
    result[phase] += isWon ? Number(cellOf('win')) : -Number(cellOf('risk'));
  }
}

beforeAll(async () => {
  const out = folder();
  const { code } = await command(['backtest', CONFIG, ...SAMPLE, '--fills', 'all', '--out', out]);
  expect(code).toBe(0);
  const scores = JSON.parse(readFileSync(join(ROOT, 'examples/sample-scores.json'), 'utf8')) as Scores;
  const starts = await playItself();
  readFills(readFileSync(join(out, 'fills.csv'), 'utf8'), scores, starts);
  const { scenarios } = resultSchema.parse(JSON.parse(readFileSync(join(out, 'result.json'), 'utf8')));
  for (const scenario of SCENARIOS) resultOf(scenario).settled = scenarios[scenario]?.pnl.settled ?? Number.NaN;
});

describe('the bot of the sample, live at the exchange that made it', () => {
  it('is filled for more than calibrated, since takers take its own offers, and for less than optimistic', () => {
    const { risk } = resultOf('the bot itself');
    expect(risk).toBeGreaterThan(resultOf('calibrated').risk);
    expect(risk).toBeLessThan(resultOf('optimistic').risk);
  });

  it('earns before the starts and loses in play, as in the pessimistic scenario', () => {
    for (const name of ['the bot itself', 'pessimistic']) {
      expect(resultOf(name).ahead).toBeGreaterThan(0);
      expect(resultOf(name).live).toBeLessThan(0);
    }
    expect(resultOf('the bot itself').settled).toBeLessThan(resultOf('pessimistic').settled);
  });

  it('is compared with the scenarios in docs/backtest.md', async () => {
    const names = [...SCENARIOS, 'the bot itself'];
    const dollars = (amount: number): string =>
      `${amount < 0 ? '−' : ''}$${Math.abs(Math.round(amount)).toLocaleString('en-US')}`;
    const row = (label: string, cell: (name: string) => string): string =>
      `| ${[label, ...names.map(cell)].join(' | ')} |`;
    const table = [
      row('', (name) => name),
      row('---', () => '---'),
      row('fills', (name) => resultOf(name).fills.toLocaleString('en-US')),
      row('risk filled', (name) => dollars(resultOf(name).risk)),
      row('settled', (name) => dollars(resultOf(name).settled)),
      row('… filled before the starts', (name) => dollars(resultOf(name).ahead)),
      row('… filled in play', (name) => dollars(resultOf(name).live)),
    ].join('\n');
    const page = readFileSync(join(ROOT, 'docs/backtest.md'), 'utf8');
    const [before = '', after = ''] = page.split(/(?<=<!-- sample: .*-->\n)[\s\S]*?(?=<!-- \/sample -->)/);
    await expect(`${before}${table}\n${after}`).toMatchFileSnapshot('../../docs/backtest.md');
  });
});

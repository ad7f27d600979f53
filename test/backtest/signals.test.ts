// Backtests of strategies that use signals: from tapes of signals, and from journals of runs that received
// them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { BacktestResult } from '../../src/backtest/result.ts';
import { resultSchema } from '../../src/backtest/result.ts';
import type { Ended } from '../support/children.ts';
import { command, folder, NO_JOURNAL, ROOT, writeConfig } from '../support/children.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';

const FROM = Date.parse('2030-03-01T18:00:00Z');
const FAIR = 'fair:tape-game/moneyline';
const OWN_PRICE = `strategies:\n  - { use: ${join(ROOT, 'strategies/own-price.ts')}, id: own, params: { edge: 0.02, risk: 50 } }\n`;

/** A tape of one game, a minute by default. */
function market(seconds = 60, startsAfter?: number): string {
  const file = join(folder(), 'market.ndjson.gz');
  writeGeneratedTape(file, seconds, startsAfter === undefined ? {} : { startsAfter });
  return file;
}

type TimedSignal = { readonly at: number; readonly values: unknown; readonly ttl?: string };
const lineOf = ({ at: seconds, values, ttl }: TimedSignal): string =>
  JSON.stringify({ ts: FROM + seconds * 1000, ns: 'signals', event: 'signal', data: { values, ttl } });

function signals(...timed: readonly TimedSignal[]): string {
  const file = join(folder(), 'signals.ndjson');
  writeFileSync(file, `${timed.map(lineOf).join('\n')}\n`);
  return file;
}

type Done = Ended & { readonly out: string; readonly result: BacktestResult };

async function backtest(strategies: string, ...flags: readonly string[]): Promise<Done> {
  const out = folder();
  const config = writeConfig(`exchange: { embedded: {} }\nmarkets: { types: [moneyline] }\n${strategies}${NO_JOURNAL}`);
  const ended = await command(['backtest', config, '--out', out, '--latency', '80ms', ...flags]);
  expect([ended.code, ended.stderr]).toEqual([0, expect.stringMatching(/^(oddsmaker: .*\n)*$/)]);
  const text = readFileSync(join(out, 'result.json'), 'utf8');
  return { ...ended, out, result: resultSchema.parse(JSON.parse(text)) };
}

const pessimistic = ({ result }: Done): NonNullable<BacktestResult['scenarios']['pessimistic']> => {
  const { scenarios } = result;
  if (scenarios.pessimistic === undefined) throw new Error('no such scenario');
  return scenarios.pessimistic;
};

/** The times at which the steps of a journal sent orders, seconds after the start. */
function sentAt(journal: string): readonly number[] {
  const lines = readFileSync(journal, 'utf8').trimEnd().split('\n');
  const records = lines.map((line) => JSON.parse(line) as { t?: number; out?: { type: string }[] });
  return records.flatMap(({ out }, index) =>
    out?.some(({ type }) => type === 'place') === true ? [((records[index - 1]?.t ?? 0) - FROM) / 1000] : [],
  );
}

describe('a backtest with signals', { timeout: 60_000 }, () => {
  it('quotes from the time of a recorded signal until its ttl ends', async () => {
    const tapes = ['--tape', market(), '--tape', signals({ at: 20, values: { [FAIR]: 0.5 }, ttl: '10s' })];
    const flags = [...tapes, '--fills', 'pessimistic', '--journal'];
    const done = await backtest(OWN_PRICE, ...flags);
    const journal = join(done.out, 'pessimistic.ndjson');
    const sent = sentAt(journal);
    // a latency after the signal, as for frames
    expect(sent[0]).toBe(20.08);
    expect(Math.max(...sent)).toBeLessThan(30);
    expect(pessimistic(done).idle).toHaveProperty('no price of our own');
    expect(done.stderr).toBe('');

    const verified = await command(['replay', '--verify', journal]);
    expect(verified.code, verified.stderr).toBe(0);
    // the journal holds the signals that its bot received
    const again = await backtest(OWN_PRICE, '--tape', journal, '--fills', 'pessimistic', '--journal');
    expect(sentAt(join(again.out, 'pessimistic.ndjson'))[0]).toBe(20.16);
    const delayed = await backtest(OWN_PRICE, ...flags, '--signal-latency', '250ms');
    expect(sentAt(join(delayed.out, 'pessimistic.ndjson'))[0]).toBe(20.25);
    expect(delayed.result.inputs).toMatchObject({ latency: '80ms', signalLatency: '250ms' });
  });

  it('reports CLV by the outside price separately', async () => {
    const timed = [
      { at: 1, values: { [FAIR]: 0.5 }, ttl: '1h' },
      { at: 104, values: { [FAIR.replace('fair:', 'odds:')]: 0.55 } },
      { at: 105, values: { [FAIR]: 0.6 } },
    ];
    const tapes = ['--tape', market(120, 110_000), '--tape', signals(...timed)];
    const strategies = OWN_PRICE.replace('own-price.ts', 'two-sided.ts').replace('0.02', '0.005');
    const { out } = await backtest(strategies, ...tapes, '--fills', 'optimistic');
    const { stdout } = await command(['report', out, '--json']);
    type Figures = {
      readonly outside: {
        fills: number;
        fair: { fills: number; clv: { dollars: number | null } };
        odds: { fills: number; clv: { dollars: number | null } };
      };
      readonly clv: unknown;
    };
    const { outside, clv } = (JSON.parse(stdout) as { scenarios: { optimistic: Figures } }).scenarios.optimistic;
    // HOME is at .6 when the game begins: computed by hand from the fills
    const [names = '', ...rows] = readFileSync(join(out, 'fills.csv'), 'utf8').trimEnd().split('\n');
    const cell = (row: string, name: string): string => row.split(',')[names.split(',').indexOf(name)] ?? '';
    expect(rows.length).toBeGreaterThan(0);
    expect(outside.fills).toBe(rows.length);
    const byHand = (price: number): number =>
      rows.reduce((sum, row) => {
        const [risk, odds] = [Number(cell(row, 'risk')), Number(cell(row, 'odds'))];
        const payout = risk + (odds > 0 ? (risk * odds) / 100 : (risk * 100) / -odds);
        return sum + payout * (cell(row, 'side') === 'home' ? price : 1 - price) - risk;
      }, 0);
    expect(outside.fair.clv.dollars).toBeCloseTo(byHand(0.6), 1);
    // the odds feed is a source of its own
    expect(outside.odds.fills).toBe(rows.length);
    expect(outside.odds.clv.dollars).toBeCloseTo(byHand(0.55), 1);
    expect(clv).not.toEqual(outside.fair.clv);
  });

  it('gives the same result from lines, from compact tapes and from one tape of both', async () => {
    const timed = Array.from({ length: 30 }, (_, i) => ({
      at: 1 + 2 * i,
      values: { [FAIR]: 0.5 + 0.002 * (i % 5), other: i },
      ttl: '1500ms',
    }));
    const [book, own] = [market(), signals(...timed)];
    const [header = '', ...frames] = gunzipSync(readFileSync(book)).toString().trimEnd().split('\n');
    const timeOf = (line: string): number => (JSON.parse(line) as { ts: number }).ts;
    const all = [...frames, ...timed.map(lineOf)].sort((a, b) => timeOf(a) - timeOf(b));
    const both = join(folder(), 'both.ndjson');
    writeFileSync(both, `${[header, ...all].join('\n')}\n`);
    const two = ['--tape', book, '--tape', own];
    const runs = [
      await backtest(OWN_PRICE, ...two),
      await backtest(OWN_PRICE, ...two),
      await backtest(OWN_PRICE, ...two, '--no-cache'),
      await backtest(OWN_PRICE, '--tape', both),
      await backtest(OWN_PRICE, '--tape', both),
    ];
    const outcomes = runs.map(({ result: { scenarios, frames: count } }) => ({ scenarios, count }));
    for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0]);
    const { orders, quotedShare } = pessimistic(runs[0] as Done);
    expect(orders.placed).toBeGreaterThan(30);
    expect(quotedShare).toBeGreaterThan(0.8);
    expect(runs[0]?.result.inputs.tapes.map(({ frames: count }) => count)).toEqual([frames.length, 0]);
    expect(runs[0]?.stderr).toBe('oddsmaker: no strategy subscribed to these signals of the tapes: other\n');
  });

  it('starts with the signals from before --from that still hold', async () => {
    const tapes = [
      '--tape',
      market(),
      '--tape',
      signals(
        { at: -3600, values: { [FAIR]: 0.9 }, ttl: '1h' },
        { at: 5, values: { [FAIR]: 0.5 }, ttl: '40s' },
        { at: 6, values: { gone: 1 }, ttl: '1s' },
      ),
    ];
    const flags = [...tapes, '--from', '30s', '--fills', 'pessimistic', '--journal'];
    const done = await backtest(OWN_PRICE, ...flags);
    const { signals: ages } = pessimistic(done);
    // sent at second 5, first read at 30, ended at 45
    expect(ages?.reads).toBeGreaterThan(5);
    expect(ages?.p50Ms).toBeGreaterThan(25_000);
    expect(ages?.p95Ms).toBeLessThan(42_000);
    const sent = sentAt(join(done.out, 'pessimistic.ndjson'));
    expect(sent[0]).toBeLessThan(31);
    expect(Math.max(...sent)).toBeLessThan(45);
    const journal = readFileSync(join(done.out, 'pessimistic.ndjson'), 'utf8');
    expect(journal).toContain(`{"type":"signal","values":{"${FAIR}":0.5},"ttlMs":15000,"ts":${FROM + 5000}}`);
    expect(journal).not.toContain('gone');
  });

  it.each([
    ['withdrawn', null],
    ['replaced by one that has ended', 0.6],
  ])('does not bring back a price that was %s before --from', async (_what, then) => {
    const signalTape = signals(
      { at: 5, values: { [FAIR]: 0.5, other: 1 }, ttl: '1h' },
      { at: 10, values: { [FAIR]: then }, ttl: '10s' },
    );
    const tapes = ['--tape', market(), '--tape', signalTape];
    const done = await backtest(OWN_PRICE, ...tapes, '--from', '30s', '--fills', 'pessimistic', '--journal');
    expect(sentAt(join(done.out, 'pessimistic.ndjson'))).toEqual([]);
    const journal = readFileSync(join(done.out, 'pessimistic.ndjson'), 'utf8');
    expect(journal.match(/"type":"signal".*?\}/g)).toEqual(['"type":"signal","values":{"other":1}']);
  });

  it('ends with exit code 65 at a signal that cannot be read; --lenient leaves it out and counts it', async () => {
    const bad = signals({ at: 1, values: { [FAIR]: 0.5 } }, { at: 2, values: { [FAIR]: '0.6' } });
    const config = writeConfig(`exchange: { embedded: {} }\n${OWN_PRICE}${NO_JOURNAL}`);
    const flags = ['backtest', config, '--out', folder(), '--tape', market(), '--tape', bad];
    const { code, stderr } = await command(flags);
    expect(code).toBe(65);
    expect(stderr).toContain(`${bad}:2: this signal cannot be read: signal ${FAIR}: expected a finite number`);
    const lenient = await command([...flags, '--lenient']);
    expect(lenient.code).toBe(0);
    expect(lenient.stderr).toContain(`left out: ${bad}:2: `);
  });

  it('needs a tape of a market, too', async () => {
    const config = writeConfig(`exchange: { embedded: {} }\n${OWN_PRICE}${NO_JOURNAL}`);
    const alone = signals({ at: 1, values: { [FAIR]: 0.5 } });
    const { code, stderr } = await command(['backtest', config, '--out', folder(), '--tape', alone]);
    expect(code).toBe(65);
    expect(stderr).toContain('no frame of a price feed');
  });
});

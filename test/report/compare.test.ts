import { describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ComparedOrder } from '../../src/report/index.ts';
import { compareOrders } from '../../src/report/index.ts';
import { command, folder, NO_JOURNAL, STRATEGIES, writeConfig } from '../support/children.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';

const order = (changes: Partial<ComparedOrder> = {}): ComparedOrder => ({
  strategy: 'main',
  market: 'g/moneyline',
  side: 'home',
  odds: 105,
  risk: 100,
  filled: 0,
  fromMs: 1000,
  end: 'cancelled',
  fair: 0.5,
  queue: 0,
  ...changes,
});

describe('compareOrders', () => {
  it('finds no difference between equal orders', () => {
    const compared = compareOrders(
      [order(), order({ side: 'away' })],
      [order({ side: 'away', fromMs: 1800 }), order()],
    );
    expect(compared).toEqual({
      both: 2,
      onlyA: 0,
      onlyB: 0,
      filledAlike: 2,
      filledA: 0,
      filledB: 0,
      partings: [],
    });
  });

  it('finds orders that differ by price or fills, or exist in one run only, earliest first', () => {
    const compared = compareOrders(
      [
        order({ fromMs: 30_000, filled: 100, queue: 20 }),
        order({ fromMs: 10_000, fair: 0.51 }),
        order({ fromMs: 50_000 }),
        order({ fromMs: 60_000, market: 'g/total/200.5' }),
      ],
      [
        order({ fromMs: 30_500, filled: 40, queue: 80 }),
        order({ fromMs: 10_100, odds: 109, fair: 0.49 }),
        order({ fromMs: 70_000 }),
      ],
    );
    expect(compared).toMatchObject({ both: 2, onlyA: 2, onlyB: 1, filledAlike: 0, filledA: 100, filledB: 40 });
    expect(compared.partings.map(({ t, why }) => [t, why])).toEqual([
      [10_000, 'quoted at 105 against 109: the fair price was 0.5100 against 0.4900'],
      [30_000, 'filled $100.00 against $40.00: $20.00 stood before it against $80.00'],
      [50_000, 'the other run had no order there then'],
      [60_000, 'the other run had no order there then'],
      [70_000, 'the other run had no order there then'],
    ]);
  });
});

describe('the command compare', () => {
  it('finds the same orders in a backtest and its journal, and differences after a change of settings', async () => {
    const home = folder();
    const tape = join(home, 'tape.ndjson.gz');
    writeGeneratedTape(tape, 60);
    const config = writeConfig(`exchange: { embedded: {} }\n${STRATEGIES}${NO_JOURNAL}`);
    const play = async (out: string, ...flags: readonly string[]): Promise<void> => {
      const { code, stderr } = await command([
        'backtest',
        config,
        '--tape',
        tape,
        '--out',
        join(home, out),
        '--fills',
        'pessimistic',
        '--orders',
        ...flags,
      ]);
      expect([code, stderr]).toEqual([0, '']);
    };
    await play('a', '--journal');
    await play('b', '--latency', '900ms');
    const own = await command(['compare', join(home, 'a', 'pessimistic.ndjson'), join(home, 'a'), '--json']);
    const compared = JSON.parse(own.stdout) as {
      orders: { both: number; onlyA: number; onlyB: number; filledAlike: number };
      figures: { path: string; a: number; b: number }[];
    };
    expect(compared.orders.both).toBeGreaterThan(20);
    expect(compared.orders).toMatchObject({ onlyA: 0, onlyB: 0 });
    expect(compared.orders.filledAlike).toBe(compared.orders.both);
    const place = compared.figures.find(({ path }) => path === 'permits.place');
    expect(place?.a).toBe(place?.b);

    const other = await command(['compare', join(home, 'a'), join(home, 'b'), '--out', join(home, 'c.html')]);
    expect(other.code).toBe(0);
    expect(other.stdout).toMatch(/^the first differs at 2030-03-01T18:00:/m);
    expect(readFileSync(join(home, 'c.html'), 'utf8')).toContain('<section id="orders">');
    const none = await command(['compare', join(home, 'a'), join(home, 'nothing')]);
    expect(none.code).toBe(65);
  });
});

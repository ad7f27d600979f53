// Signals in the core: who is shown what when one is told, changes, is withdrawn or has had its time.
import { debounceTime, map } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Input } from '../../src/domain/index.ts';
import { defineStrategy } from '../../src/strategy/index.ts';
import type { StrategyContext } from '../../src/strategy/index.ts';
import ownPrice from '../../strategies/own-price.ts';
import { CoreDriver, coreSettings, GAME_ID } from '../support/core-driver.ts';

const FAIR = `fair:${GAME_ID}/moneyline`;
const told = (values: Readonly<Record<string, number | null>>, ttlMs = 60_000): Input => ({
  type: 'signal',
  values,
  ttlMs,
});

type Look = (context: Pick<StrategyContext<unknown>, 'signals'>) => unknown;

/** A core whose strategy notes at each view what it sees of the signals. */
function watching(look: Look): { readonly driver: CoreDriver; readonly seen: unknown[] } {
  const seen: unknown[] = [];
  const strategy = defineStrategy({
    name: 'watching',
    params: z.object({}),
    create: () => (views$) =>
      views$.pipe(
        map((view) => {
          seen.push(look(view));
          return { market: view.market.id, quotes: [] };
        }),
      ),
  });
  const driver = new CoreDriver(coreSettings({}, strategy, {}));
  driver.start();
  // what own orders and the account bring comes first
  driver.pass(2000);
  seen.length = 0;
  return { driver, seen };
}

describe('a signal', () => {
  it('is shown at once to whoever asks for it, and to nobody else', () => {
    const { driver, seen } = watching(({ signals }) => signals.get('a'));
    driver.input(told({ b: 1 }));
    expect(seen).toEqual([]);
    driver.input(told({ a: 0.5 }));
    expect(seen).toEqual([0.5]);
    driver.input(told({ a: null }));
    expect(seen).toEqual([0.5, undefined]);
  });

  it('brings one view for all that is told at once', () => {
    const { driver, seen } = watching(({ signals }) => [signals.get('a'), signals.get('b')]);
    driver.input(told({ a: 1, b: 2 }));
    expect(seen).toEqual([[1, 2]]);
  });

  it('brings no view when it is what it was, and holds longer', () => {
    const { driver, seen } = watching(({ signals }) => signals.get('a'));
    driver.input(told({ a: 1 }, 1000));
    driver.pass(900);
    driver.input(told({ a: 1 }, 1000));
    driver.pass(900);
    expect(seen).toEqual([1]);
    driver.pass(250);
    expect(seen).toEqual([1, undefined]);
  });

  it('ends when its time is over, at the moment that the core asks to be woken', () => {
    const { driver, seen } = watching(({ signals }) => signals.get('a'));
    driver.input(told({ a: 1 }, 123));
    const wake = driver.sent.findLast(({ type }) => type === 'wake');
    expect(wake).toEqual({ type: 'wake', at: driver.now + 123 });
    driver.pass(122);
    expect(seen).toEqual([1]);
    driver.pass(1);
    expect(seen).toEqual([1, undefined]);
  });

  it('is looked for from then on when it is asked for first', () => {
    const { driver, seen } = watching(({ signals }) =>
      signals.get('first') === undefined ? 'none' : signals.get('second'),
    );
    driver.input(told({ second: 2 }));
    expect(seen).toEqual([]);
    driver.input(told({ first: 1 }));
    driver.input(told({ second: 3 }));
    expect(seen).toEqual([2, 3]);
  });

  it('reaches a strategy that reads it from a timer', () => {
    const seen: unknown[] = [];
    const strategy = defineStrategy({
      name: 'late',
      params: z.object({}),
      create:
        ({ scheduler, signals }) =>
        (views$) =>
          views$.pipe(
            debounceTime(300, scheduler),
            map(({ market }) => {
              seen.push(signals.get('a'));
              return { market: market.id, quotes: [] };
            }),
          ),
    });
    const driver = new CoreDriver(coreSettings({}, strategy, {}));
    driver.start();
    driver.pass(2000);
    seen.length = 0;
    driver.input(told({ a: 7 }));
    driver.pass(500);
    expect(seen).toEqual([7]);
  });

  it('that was told before the market is known is there for its first view', () => {
    const seen: unknown[] = [];
    const strategy = defineStrategy({
      name: 'early',
      params: z.object({}),
      create: () => (views$) =>
        views$.pipe(
          map(({ market, signals }) => {
            seen.push(signals.get('a'));
            return { market: market.id, quotes: [] };
          }),
        ),
    });
    const driver = new CoreDriver(coreSettings({}, strategy, {}));
    driver.input(told({ a: 7 }));
    driver.start();
    expect(seen[0]).toBe(7);
  });

  it('is left out where ten thousand stand, which is told once', () => {
    const { driver, seen } = watching(({ signals }) => signals.get('one more'));
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`s${index}`, index]));
    driver.input(told(many));
    const alerts = [told({ 'one more': 1 }), told({ another: 1 }), told({ s5: 6 })].flatMap((input) =>
      driver.input(input).filter(({ type }) => type === 'alert'),
    );
    expect(alerts).toEqual([
      expect.objectContaining({ code: 'SIGNALS_LEFT_OUT', fields: { stand: 10_000, leftOut: ['one more'] } }),
    ]);
    expect(seen).toEqual([]);
    driver.input(told({ s0: null, 'one more': 2 }));
    expect(seen).toEqual([2]);
  });

  it('shows in the status, with what is left of its time and whether anybody asks', () => {
    const { driver } = watching(({ signals }) => signals.get('a'));
    driver.input(told({ a: 1, b: 2 }, 5000));
    driver.pass(2000);
    expect(Object.fromEntries(driver.core.signals())).toEqual({
      a: { value: 1, ageMs: 2000, leftMs: 3000, asked: true },
      b: { value: 2, ageMs: 2000, leftMs: 3000, asked: false },
    });
  });

  it('is as old as its sender says, and its age at each look of a strategy is counted', () => {
    const { driver } = watching(({ signals }) => [signals.get('a'), signals.get('none')]);
    const { wall } = driver;
    driver.input({ type: 'signal', values: { a: 1 }, ttlMs: 5000, ts: wall - 700 });
    driver.pass(300);
    expect(driver.core.signals().get('a')?.ageMs).toBe(1000);
    driver.input(told({ a: 2 }));
    const [name, ages] = [...driver.core.signalAges()][0] ?? [];
    expect([...driver.core.signalAges().keys()]).toEqual(['a']);
    expect([name, ages?.count, ages?.quantile(0.5), ages?.last]).toEqual(['a', 2, 0, 0]);
    expect(ages?.quantile(1)).toBeGreaterThanOrEqual(700);
  });
});

describe('own-price', () => {
  const quoting = (): CoreDriver => {
    const driver = new CoreDriver(coreSettings({}, ownPrice, { edge: 0.02, risk: 100 }));
    expect(driver.start().filter(({ type }) => type === 'place')).toEqual([]);
    const [place] = driver.input(told({ [FAIR]: 0.5 }, 3000)).filter(({ type }) => type === 'place');
    if (place?.type !== 'place') throw new Error('it does not quote');
    expect(place.orders.map(({ side, rung }) => [side, rung])).toEqual([
      ['home', 90],
      ['away', 90],
    ]);
    driver.accept(place, 'o');
    return driver;
  };

  it('quotes around its signal, and moves with it', () => {
    const moved = quoting().input(told({ [FAIR]: 0.51 }, 3000));
    expect(moved.map(({ type }) => type)).toEqual(['edit', 'edit']);
  });

  it('cancels when its time is over', () => {
    const driver = quoting();
    expect(driver.pass(2900).map(({ type }) => type)).not.toContain('cancel');
    expect(driver.pass(200).map(({ type }) => type)).toContain('cancel');
  });

  it.each([0.02, 0.98, 1.5, -3])('quotes nothing around %s', (fair) => {
    expect(
      quoting()
        .input(told({ [FAIR]: fair }))
        .map(({ type }) => type),
    ).toEqual(['cancel']);
  });
});

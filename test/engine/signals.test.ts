// Signals in the core: which views strategies get when a signal is set, changes, is withdrawn or expires.
import { debounceTime, map } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Input } from '../../src/domain/index.ts';
import { defineStrategy } from '../../src/strategy/index.ts';
import type { StrategyContext } from '../../src/strategy/index.ts';
import ownPrice from '../../strategies/own-price.ts';
import { CoreDriver, coreSettings, GAME_ID } from '../support/core-driver.ts';

const FAIR = `fair:${GAME_ID}/moneyline`;
const signalInput = (values: Readonly<Record<string, number | null>>, ttlMs = 60_000): Input => ({
  type: 'signal',
  values,
  ttlMs,
});

type Read = (context: Pick<StrategyContext<unknown>, 'signals'>) => unknown;

/** A core whose strategy notes at each view the result of `read`. */
function watching(read: Read): { readonly driver: CoreDriver; readonly seen: unknown[] } {
  const seen: unknown[] = [];
  const strategy = defineStrategy({
    name: 'watching',
    params: z.object({}),
    create: () => (views$) =>
      views$.pipe(
        map((view) => {
          seen.push(read(view));
          return { market: view.market.id, quotes: [] };
        }),
      ),
  });
  const driver = new CoreDriver(coreSettings({}, strategy, {}));
  driver.start();
  // views caused by own orders and the account come first
  driver.passTime(2000);
  seen.length = 0;
  return { driver, seen };
}

describe('a signal', () => {
  it('is shown at once to the strategies that subscribed to it, and to no others', () => {
    const { driver, seen } = watching(({ signals }) => signals.get('a'));
    driver.input(signalInput({ b: 1 }));
    expect(seen).toEqual([]);
    driver.input(signalInput({ a: 0.5 }));
    expect(seen).toEqual([0.5]);
    driver.input(signalInput({ a: null }));
    expect(seen).toEqual([0.5, undefined]);
  });

  it('causes one view for all values of one input', () => {
    const { driver, seen } = watching(({ signals }) => [signals.get('a'), signals.get('b')]);
    driver.input(signalInput({ a: 1, b: 2 }));
    expect(seen).toEqual([[1, 2]]);
  });

  it('causes no view when its value is unchanged, and lasts longer', () => {
    const { driver, seen } = watching(({ signals }) => signals.get('a'));
    driver.input(signalInput({ a: 1 }, 1000));
    driver.passTime(900);
    driver.input(signalInput({ a: 1 }, 1000));
    driver.passTime(900);
    expect(seen).toEqual([1]);
    driver.passTime(250);
    expect(seen).toEqual([1, undefined]);
  });

  it('ends when its time to live is over, at the time for which the core asked to be woken', () => {
    const { driver, seen } = watching(({ signals }) => signals.get('a'));
    driver.input(signalInput({ a: 1 }, 123));
    const wake = driver.sent.findLast(({ type }) => type === 'wake');
    expect(wake).toEqual({ type: 'wake', at: driver.now + 123 });
    driver.passTime(122);
    expect(seen).toEqual([1]);
    driver.passTime(1);
    expect(seen).toEqual([1, undefined]);
  });

  it('is watched from the first time that a strategy reads it', () => {
    const { driver, seen } = watching(({ signals }) =>
      signals.get('first') === undefined ? 'none' : signals.get('second'),
    );
    driver.input(signalInput({ second: 2 }));
    expect(seen).toEqual([]);
    driver.input(signalInput({ first: 1 }));
    driver.input(signalInput({ second: 3 }));
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
    driver.passTime(2000);
    seen.length = 0;
    driver.input(signalInput({ a: 7 }));
    driver.passTime(500);
    expect(seen).toEqual([7]);
  });

  it('that was set before the market is known is there for the first view of that market', () => {
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
    driver.input(signalInput({ a: 7 }));
    driver.start();
    expect(seen[0]).toBe(7);
  });

  it('is left out when ten thousand are set, which is reported once', () => {
    const { driver, seen } = watching(({ signals }) => signals.get('one more'));
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`s${index}`, index]));
    driver.input(signalInput(many));
    const alerts = [signalInput({ 'one more': 1 }), signalInput({ another: 1 }), signalInput({ s5: 6 })].flatMap(
      (input) => driver.input(input).filter(({ type }) => type === 'alert'),
    );
    expect(alerts).toEqual([
      expect.objectContaining({ code: 'SIGNALS_LEFT_OUT', fields: { stand: 10_000, leftOut: ['one more'] } }),
    ]);
    expect(seen).toEqual([]);
    driver.input(signalInput({ s0: null, 'one more': 2 }));
    expect(seen).toEqual([2]);
  });

  it('is listed in the status with its remaining time and whether a strategy subscribed to it', () => {
    const { driver } = watching(({ signals }) => signals.get('a'));
    driver.input(signalInput({ a: 1, b: 2 }, 5000));
    driver.passTime(2000);
    expect(Object.fromEntries(driver.core.signals())).toEqual({
      a: { value: 1, ageMs: 2000, leftMs: 3000, asked: true },
      b: { value: 2, ageMs: 2000, leftMs: 3000, asked: false },
    });
  });

  it('has the age that its sender states, and its age at each read of a strategy is counted', () => {
    const { driver } = watching(({ signals }) => [signals.get('a'), signals.get('none')]);
    const { wall } = driver;
    driver.input({ type: 'signal', values: { a: 1 }, ttlMs: 5000, ts: wall - 700 });
    driver.passTime(300);
    expect(driver.core.signals().get('a')?.ageMs).toBe(1000);
    driver.input(signalInput({ a: 2 }));
    const [name, ages] = [...driver.core.signalAges()][0] ?? [];
    expect([...driver.core.signalAges().keys()]).toEqual(['a']);
    expect([name, ages?.count, ages?.quantile(0.5), ages?.last]).toEqual(['a', 2, 0, 0]);
    expect(ages?.quantile(1)).toBeGreaterThanOrEqual(700);
  });
});

describe('the strategy own-price', () => {
  const quoting = (): CoreDriver => {
    const driver = new CoreDriver(coreSettings({}, ownPrice, { edge: 0.02, risk: 100 }));
    expect(driver.start().filter(({ type }) => type === 'place')).toEqual([]);
    const [place] = driver.input(signalInput({ [FAIR]: 0.5 }, 3000)).filter(({ type }) => type === 'place');
    if (place?.type !== 'place') throw new Error('it does not quote');
    expect(place.orders.map(({ side, rung }) => [side, rung])).toEqual([
      ['home', 90],
      ['away', 90],
    ]);
    driver.accept(place, 'o');
    return driver;
  };

  it('quotes around its signal, and moves with it', () => {
    const moved = quoting().input(signalInput({ [FAIR]: 0.51 }, 3000));
    expect(moved.map(({ type }) => type)).toEqual(['edit', 'edit']);
  });

  it('cancels when its signal expires', () => {
    const driver = quoting();
    expect(driver.passTime(2900).map(({ type }) => type)).not.toContain('cancel');
    expect(driver.passTime(200).map(({ type }) => type)).toContain('cancel');
  });

  it.each([0.02, 0.98, 1.5, -3])('quotes nothing around %s', (fair) => {
    expect(
      quoting()
        .input(signalInput({ [FAIR]: fair }))
        .map(({ type }) => type),
    ).toEqual(['cancel']);
  });
});

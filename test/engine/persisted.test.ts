// Values that strategies keep over restarts: inputs of the next run, events of this one.
import { map } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { EventOf, StrategyId } from '../../src/domain/index.ts';
import { defineStrategy } from '../../src/strategy/index.ts';
import { CoreDriver, coreSettings, GAME_ID } from '../support/core-driver.ts';

type Change = (former: unknown) => unknown;

/** A core with a strategy that shows what it kept and changes it at each view. */
function counting(change: Change) {
  const seen: unknown[] = [];
  const strategy = defineStrategy({
    name: 'counting',
    params: z.object({}),
    create:
      ({ persist }) =>
      (views$) =>
        views$.pipe(
          map(({ market }) => {
            const former = persist.get();
            seen.push(former);
            persist.set(change(former));
            return { market: market.id, quotes: [] };
          }),
        ),
  });
  const driver = new CoreDriver(coreSettings({}, strategy, {}));
  const raised = (): readonly EventOf<'ValuePersisted'>[] =>
    driver.events.filter((event) => event.type === 'ValuePersisted');
  return { driver, strategy, seen, raised };
}

const addOne: Change = (former) => ({ views: ((former as { views?: number } | undefined)?.views ?? 0) + 1 });

describe('a value that a strategy persists', () => {
  it('is there at its next view, and leaves as one event for half a second', () => {
    const { driver, seen, raised } = counting(addOne);
    driver.start();
    driver.passTime(1000);
    const [events, views] = [raised().length, seen.length];
    for (const odds of [106, 107, 108]) driver.frame('p-home', [{ id: 'h1', odds, risk: 200 }]);
    expect(seen.slice(views)).toEqual([{ views }, { views: views + 1 }, { views: views + 2 }]);
    expect(raised()).toHaveLength(events);
    driver.passTime(1000);
    expect(raised().slice(events)).toEqual([
      { type: 'ValuePersisted', strategy: 'main', game: GAME_ID, value: { views: views + 3 } },
    ]);
  });

  it('is what a former run left, and raises nothing while it stays as it is', () => {
    const { driver, seen, raised } = counting((former) => former);
    driver.input({ type: 'persisted', strategy: 'main' as StrategyId, game: GAME_ID, value: { b: 1, a: 2 } });
    driver.start();
    driver.passTime(1000);
    expect(seen[0]).toEqual({ a: 2, b: 1 });
    expect(raised()).toEqual([]);
  });

  it('outlives a strategy that is revived, and a run that ends within half a second', () => {
    const { driver, seen, raised } = counting((former) => {
      if (seen.length === 2) throw new Error('it fails');
      return addOne(former);
    });
    driver.start();
    driver.frame('p-home', [{ id: 'h1', odds: 106, risk: 200 }]);
    expect(driver.core.strategiesOff()).toHaveLength(1);
    driver.input({ type: 'strategy', strategy: 'main' as StrategyId, command: 'revive' });
    expect(seen.slice(1)).toEqual([{ views: 1 }, { views: 1 }]);
    driver.input({ type: 'operator', command: 'abort' });
    driver.passTime(5000);
    expect(raised().at(-1)?.value).toEqual({ views: 2 });
    expect(driver.events.at(-1)?.type).toBe('RunEnded');
  });

  it.each([
    ['no JSON', () => new Map(), 'persist.set: a Map is not JSON'],
    ['too long', () => 'é'.repeat(32_768), 'persist.set: the value has 65538 bytes as JSON, and 65536 is the most'],
  ])('that is %s disables the strategy with its reason, and the former value stays', (_name, change, message) => {
    const { driver, raised } = counting(change);
    driver.input({ type: 'persisted', strategy: 'main' as StrategyId, game: GAME_ID, value: 1 });
    driver.start();
    driver.passTime(1000);
    expect(JSON.stringify(driver.events.filter(({ type }) => type === 'StrategyQuarantined'))).toContain(message);
    expect(raised()).toEqual([]);
  });

  it('changes nothing when it is tried out', () => {
    const { driver, seen } = counting(addOne);
    driver.start();
    const views = seen.length;
    const [entry] = coreSettings({}, counting(addOne).strategy, {}).strategies;
    if (entry === undefined) throw new Error('there is no strategy');
    driver.core.tryOut(entry, {});
    driver.frame('p-home', [{ id: 'h1', odds: 106, risk: 200 }]);
    expect(seen.at(-1)).toEqual({ views });
  });
});

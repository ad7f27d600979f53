// What strategies log with `log.series`: events of the run, the same in a replay.
import { map } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { EventOf } from '../../src/domain/index.ts';
import { defineStrategy } from '../../src/strategy/index.ts';
import { CoreDriver, coreSettings, GAME_ID } from '../support/core-driver.ts';

function logging(valueOf: (odds: number) => number) {
  const strategy = defineStrategy({
    name: 'logging',
    params: z.object({}),
    create:
      ({ log }) =>
      (views$) =>
        views$.pipe(
          map(({ market, sides }) => {
            const best = sides[0].offers[0];
            if (best !== undefined) log.series('best', valueOf(best.rung));
            return { market: market.id, quotes: [] };
          }),
        ),
  });
  const driver = new CoreDriver(coreSettings({}, strategy, {}));
  const raised = (): readonly EventOf<'SeriesLogged'>[] =>
    driver.events.filter((event) => event.type === 'SeriesLogged');
  return { driver, raised };
}

describe('a series of a strategy', () => {
  it('leaves as one event for the views of a second, with its market', () => {
    const { driver, raised } = logging((rung) => rung / 10);
    driver.start();
    driver.passTime(2000);
    const before = raised().length;
    for (const odds of [106, 107, 108]) driver.frame('p-home', [{ id: 'h1', odds, risk: 200 }]);
    expect(raised()).toHaveLength(before);
    driver.passTime(2000);
    const [event, ...others] = raised().slice(before);
    expect(others).toEqual([]);
    expect(event).toMatchObject({ type: 'SeriesLogged', strategy: 'main', game: GAME_ID });
    expect(event?.market).toContain(GAME_ID);
    expect(event?.points).toHaveLength(1);
  });

  it('that is no number raises one warning and no event, and the strategy goes on', () => {
    const { driver, raised } = logging(() => Number.NaN);
    driver.start();
    driver.passTime(1000);
    for (const odds of [106, 107]) driver.frame('p-home', [{ id: 'h1', odds, risk: 200 }]);
    driver.passTime(1000);
    expect(raised()).toEqual([]);
    expect(driver.events.filter((event) => event.type === 'Alert' && event.code === 'SERIES_DROPPED')).toMatchObject([
      {
        level: 'warn',
        fields: { strategy: 'main', detail: 'log.series: the value of "best" is NaN: expected a finite number' },
      },
    ]);
    expect(driver.events.some(({ type }) => type === 'StrategyQuarantined')).toBe(false);
  });
});

// Strategies that take too long for one input: strikes, what disables a strategy, and how it comes back.
import { describe, expect, it } from 'vitest';
import type { Command, StrategyId } from '../../src/domain/index.ts';
import type { StrategyBudget } from '../../src/strategy/host/host.ts';
import { alertsIn, cancelsIn, CoreDriver, coreSettings, placesIn } from '../support/core-driver.ts';

const MAIN = 'main' as StrategyId;

function running(budget?: StrategyBudget) {
  const settings = coreSettings();
  const [entry] = settings.strategies;
  if (entry === undefined) throw new Error('no strategy');
  const strategies = [budget === undefined ? entry : { ...entry, budget }];
  const driver = new CoreDriver({ ...settings, strategies });
  const [place] = placesIn(driver.start());
  if (place === undefined) throw new Error('no place');
  driver.accept(place, 'o');
  const strike = (wallMs: number, cpuMs = wallMs): readonly Command[] =>
    driver.input({ type: 'strategy-strike', strategy: MAIN, cpuMs, wallMs });
  return { driver, strike };
}

describe('a strategy that takes too long', () => {
  it('is warned about, and is disabled with its quotes cancelled at the third time within ten minutes', () => {
    const { driver, strike } = running();
    expect(alertsIn(strike(400), 'STRATEGY_STRIKE')).toMatchObject([
      { level: 'warn', fields: { strategy: 'main', cpuMs: 400, wallMs: 400, strikes: 1, of: 3 } },
    ]);
    expect(alertsIn(strike(400), 'STRATEGY_STRIKE')).toHaveLength(1);
    expect(driver.core.strategiesOff()).toEqual([]);
    const commands = strike(3000, 5);
    expect(alertsIn(commands, 'STRATEGY_OVERRUN')).toMatchObject([
      {
        level: 'error',
        fields: { strategy: 'main', detail: expect.stringContaining('strike 3 of 3') as string },
      },
    ]);
    expect(cancelsIn(driver.passTime(250)).flatMap(({ orderIds }) => orderIds)).toHaveLength(2);
    expect(driver.core.strategiesOff()).toEqual([{ id: MAIN, why: 'STRATEGY_OVERRUN', markets: 0 }]);
    // it is disabled already
    expect(strike(3000)).toEqual([]);
  });

  it('has no strikes left after ten minutes', () => {
    const { driver, strike } = running();
    strike(400);
    strike(400);
    driver.now += 600_000;
    expect(alertsIn(strike(400), 'STRATEGY_STRIKE')).toMatchObject([{ fields: { strikes: 1 } }]);
  });

  it('gets three strikes at once when it takes five times its wall budget', () => {
    const { driver, strike } = running();
    strike(10_001, 3);
    expect(driver.core.strategiesOff()).toHaveLength(1);
    const patient = running({ cpuMs: 250, wallMs: 2000, strikes: 5, inMs: 600_000 });
    patient.strike(10_001, 3);
    patient.strike(300);
    expect(patient.driver.core.strategiesOff()).toEqual([]);
    patient.strike(300);
    expect(patient.driver.core.strategiesOff()).toHaveLength(1);
  });

  it('starts anew without strikes when an operator resumes it', () => {
    const { driver, strike } = running();
    for (const ms of [400, 400, 400]) {
      const commands = [...strike(ms), ...driver.passTime(250)];
      for (const { req, orderIds } of cancelsIn(commands)) {
        driver.reply(req, { data: orderIds.map((orderID) => ({ orderID, status: 'cancelled' })) });
        for (const orderID of orderIds) driver.position({ orderID, offered: 0, filled: 0, remaining: 0 });
      }
    }
    const resumed = driver.input({ type: 'strategy', strategy: MAIN, command: 'revive' });
    expect(alertsIn(resumed, 'STRATEGY_REVIVED')).toHaveLength(1);
    expect(driver.core.strategiesOff()).toEqual([]);
    const commands = [...resumed, ...driver.passTime(1000)];
    expect(placesIn(commands).flatMap(({ orders }) => orders)).toHaveLength(2);
    expect(alertsIn(strike(400), 'STRATEGY_STRIKE')).toMatchObject([{ fields: { strikes: 1 } }]);
  });

  it('gets the budget of a new configuration, without strikes', () => {
    const settings = coreSettings();
    const patient = { cpuMs: 1000, wallMs: 2000, strikes: 3, inMs: 600_000 };
    const [entry] = settings.strategies;
    if (entry === undefined) throw new Error('no strategy');
    const next = { ...settings, strategies: [{ ...entry, budget: patient }] };
    const driver = new CoreDriver(settings, { configured: () => next });
    driver.start();
    for (const ms of [400, 400]) driver.input({ type: 'strategy-strike', strategy: MAIN, cpuMs: ms, wallMs: ms });
    expect(driver.core.budgetOf(MAIN)).toMatchObject({ cpuMs: 250 });
    driver.input({ type: 'configure', config: 'b', replace: [MAIN], by: 'reload' });
    expect(driver.core.budgetOf(MAIN)).toEqual(patient);
    const strike = driver.input({ type: 'strategy-strike', strategy: MAIN, cpuMs: 1200, wallMs: 1200 });
    expect(alertsIn(strike, 'STRATEGY_STRIKE')).toMatchObject([{ fields: { strikes: 1 } }]);
  });

  it('is not changed by a resume when it was not disabled', () => {
    const { driver } = running();
    expect(driver.input({ type: 'strategy', strategy: MAIN, command: 'revive' })).toEqual([]);
  });
});

// What is held on other exchanges, in the core: signals reach the limits, expired values raise an alert
// until fresh ones come, and no figure of the account contains them.
import { describe, expect, it } from 'vitest';
import type { Command, Market } from '../../src/domain/index.ts';
import { market, microsOfDollars } from '../../src/domain/index.ts';
import type { CoreSettings } from '../../src/engine/index.ts';
import { alertsIn, CoreDriver, coreSettings, GAME_ID, placesIn, readsIn, teams } from '../support/core-driver.ts';

const MONEYLINE = market(GAME_ID, 'moneyline');
const [AWAY_TEAM, HOME_TEAM] = teams;
const swapped = [
  { ...HOME_TEAM, homeAway: 'away' },
  { ...AWAY_TEAM, homeAway: 'home' },
];
const replaced = [AWAY_TEAM, { id: 'p-other', longName: 'Other', shortName: 'OTH', homeAway: 'home' }];

/** A game may lose `dollars`. The strategy wants 100 on each side, which may lose 100 together. */
function settingsOf(dollars: number, heldHedges = false): CoreSettings {
  const { orders } = coreSettings();
  return coreSettings({
    orders: { risk: { ...orders.risk, maxGameLoss: microsOfDollars(dollars), heldHedges } },
  });
}

type Pair = readonly [first: number | null, second: number | null];

const send = (driver: CoreDriver, [first, second]: Pair, ttlMs = 60_000, { id }: Market = MONEYLINE) =>
  driver.input({ type: 'signal', values: { [`held:${id}:first`]: first, [`held:${id}:second`]: second }, ttlMs });

const sidesIn = (commands: readonly Command[]) =>
  placesIn(commands).flatMap(({ orders }) => orders.map(({ side }) => side));

const header = (driver: CoreDriver, participants: readonly unknown[], fields = {}) =>
  driver.input({
    ...({ type: 'frame', feed: 'prices', epoch: 1, event: 'gameUpdate' } as const),
    data: JSON.stringify({ id: GAME_ID, participants, ...fields }),
  });

const heldIn = (driver: CoreDriver) => driver.core.markets()[0]?.elsewhere;

describe('a loss elsewhere', () => {
  it('keeps back the order that adds to it, until it is withdrawn', () => {
    const driver = new CoreDriver(settingsOf(150));
    send(driver, [20, -80]);
    expect(sidesIn(driver.start())).toEqual(['away']);
    const [shown] = driver.core.markets();
    expect(shown).toMatchObject({
      elsewhere: { first: 20, second: -80, isExpired: false },
      held: ['game-loss'],
      slots: [{ side: 'home', reason: 'the game could lose 180.00, with what is held elsewhere' }, { side: 'away' }],
    });
    send(driver, [null, null]);
    expect(sidesIn(driver.passTime(1000))).toEqual(['home']);
    expect(heldIn(driver)).toBeUndefined();
  });

  it('counts from the step in which it comes', () => {
    const driver = new CoreDriver(settingsOf(150));
    driver.start(undefined, undefined, { place: 0, cancel: 0 });
    send(driver, [20, -80]);
    expect(sidesIn(driver.permits('place', 25))).toEqual(['away']);
  });

  it('changes no figure of the account: neither P&L, worst loss, fills nor what the events record', () => {
    const held = new CoreDriver();
    const plain = new CoreDriver();
    for (const driver of [held, plain]) {
      const [place] = placesIn(driver.start());
      if (place === undefined) throw new Error('no place');
      const [id] = driver.accept(place, 'o');
      driver.position(
        { orderID: id, odds: 105, offered: 100, filled: 50, remaining: 50 },
        { txID: 't1', filled: 50, odds: 105 },
      );
      send(driver, driver === held ? [300, -700] : [null, null], 1000);
      driver.passTime(3000);
    }
    expect(heldIn(held)?.isExpired).toBe(true);
    const figures = ({ core, events }: CoreDriver) => ({
      ...{ ...core.status(), heldExpired: [] },
      ...{ marked: core.marked, worst: core.worst, realized: core.realized, day: core.day.status },
      ...{ positions: [...core.positions()], marks: [...core.marks()], fills: [...core.fills()].length },
      ...{ credit: core.credit, events: events.filter(({ type }) => type !== 'Alert') },
    });
    expect(figures(held)).toEqual(figures(plain));
    const worst = (driver: CoreDriver) => driver.core.markets()[0]?.worstOfGame ?? 0;
    expect(worst(held)).toBeLessThan(worst(plain) - 600);
  });
});

describe('a hedge elsewhere', () => {
  it.each([
    [false, []],
    [true, ['home']],
  ])(
    'with heldHedges %s lets these sides rest, where an order of 100 alone may lose too much: %j',
    (heldHedges, sides) => {
      const driver = new CoreDriver(settingsOf(99, heldHedges));
      send(driver, [-99, 99]);
      expect(sidesIn(driver.start())).toEqual(sides);
    },
  );

  it('counts from the reload on that allows it', () => {
    const driver = new CoreDriver(settingsOf(99), { configured: () => settingsOf(99, true) });
    send(driver, [-50, 50]);
    expect(sidesIn(driver.start())).toEqual([]);
    driver.input({ type: 'configure', config: 'next', replace: [] });
    expect(sidesIn(driver.passTime(1000))).toEqual(['home']);
  });

  it('no longer counts once it has expired, at the time for which the core asked to be woken', () => {
    const driver = new CoreDriver(settingsOf(99, true));
    driver.start(undefined, undefined, { place: 0, cancel: 30 });
    send(driver, [-50, 50], 123);
    expect(driver.sent.findLast(({ type }) => type === 'wake')).toEqual({ type: 'wake', at: driver.now + 123 });
    driver.passTime(123);
    expect(sidesIn(driver.permits('place', 25))).toEqual([]);
  });
});

describe('expired values', () => {
  it('raise an alert once, which ends when fresh values come for all of them', () => {
    const driver = new CoreDriver();
    driver.start();
    const other = market(GAME_ID, 'spread', -3.5);
    send(driver, [10, -10], 1000);
    send(driver, [10, -10], 2000, other);
    expect(alertsIn(driver.passTime(750), 'HELD_EXPIRED')).toEqual([]);
    expect(driver.core.status().heldExpired).toEqual([]);
    const expired = alertsIn(driver.passTime(5000), 'HELD_EXPIRED');
    expect(expired.map(({ level, fields }) => [level, fields])).toEqual([
      ['warn', { markets: [MONEYLINE.id], count: 1 }],
      ['warn', { markets: [other.id], count: 2 }],
    ]);
    expect(driver.core.status().heldExpired).toEqual([MONEYLINE.id, other.id]);
    expect(heldIn(driver)).toEqual({ first: 10, second: -10, isExpired: true });
    expect(alertsIn(send(driver, [10, -10]), 'HELD_EXPIRED')).toEqual([]);
    expect(alertsIn(send(driver, [null, null], 1000, other), 'HELD_EXPIRED')).toMatchObject([{ level: 'info' }]);
    expect(driver.core.status().heldExpired).toEqual([]);
  });

  it('are forgotten with their game', () => {
    const driver = new CoreDriver();
    driver.start(undefined, undefined, { place: 0, cancel: 0 });
    send(driver, [10, -10], 1000);
    driver.passTime(2000);
    header(driver, teams, { ended: true });
    const later = driver.passTime(90_000);
    expect(alertsIn(later, 'HELD_EXPIRED')).toMatchObject([{ level: 'info' }]);
    expect(driver.core.heldIn(MONEYLINE)).toBeUndefined();
  });
});

describe('the names of values', () => {
  it('count as read for a market of the exchange; others are kept, and count too', () => {
    const driver = new CoreDriver();
    driver.start();
    const unknown = market('later' as never, 'moneyline');
    send(driver, [10, -30], 60_000, unknown);
    expect(driver.core.isSubscribed(`held:${MONEYLINE.id}:first`)).toBe(true);
    expect(driver.core.isSubscribed(`held:${unknown.id}:first`)).toBe(false);
    expect(driver.core.isSubscribed(`held:${GAME_ID}/spread/-3.5:first`)).toBe(false);
    expect(driver.core.markets().map(({ market: id, elsewhere }) => [id, elsewhere?.second])).toEqual([
      [unknown.id, -30],
      [MONEYLINE.id, undefined],
    ]);
  });
});

describe('values for more than 5,000 markets', () => {
  it('are left out, which is reported once until there is room', () => {
    const driver = new CoreDriver();
    const many = Array.from({ length: 2501 }, (_, index) => index);
    const fill = (prefix: string) =>
      driver.input({
        ...({ type: 'signal', ttlMs: 60_000 } as const),
        values: Object.fromEntries(many.map((index) => [`held:${prefix}${index}/moneyline:first`, 1])),
      });
    const alerts = [fill('a'), fill('b'), send(driver, [1, -1]), driver.input({ type: 'tick' })].flatMap((commands) =>
      alertsIn(commands, 'SIGNALS_LEFT_OUT'),
    );
    expect(alerts.map(({ fields }) => fields['leftOut'])).toEqual([
      ['held:b2499/moneyline:first', 'held:b2500/moneyline:first'],
    ]);
    expect(driver.core.heldIn(MONEYLINE)).toBeUndefined();
  });
});

describe('teams that change', () => {
  it('take what is held elsewhere with them when home and away change places', () => {
    const driver = new CoreDriver();
    driver.start();
    send(driver, [20, -80], 123);
    header(driver, swapped);
    // the expiry of another signal
    driver.input({ type: 'signal', values: { other: 1 }, ttlMs: 50 });
    driver.passTime(50);
    expect(driver.sent.findLast(({ type }) => type === 'wake')).toEqual({ type: 'wake', at: driver.now + 73 });
    expect(heldIn(driver)).toEqual({ first: -80, second: 20, isExpired: false });
    expect(readsIn(driver.sent).some(({ read }) => read.what === 'game')).toBe(true);
    expect(alertsIn(driver.passTime(73), 'HELD_EXPIRED')).toHaveLength(1);
  });

  it('leave the worst of both sides when one is replaced, with an alert', () => {
    const driver = new CoreDriver();
    driver.start();
    send(driver, [20, -80]);
    expect(alertsIn(header(driver, replaced), 'HELD_EXPIRED')).toMatchObject([{ level: 'warn' }]);
    expect(heldIn(driver)).toEqual({ first: -80, second: -80, isExpired: true });
  });
});

describe('a restart', () => {
  it('counts nothing until the values are sent again', () => {
    const before = new CoreDriver(settingsOf(150));
    send(before, [20, -80]);
    before.start();
    expect(heldIn(before)).toBeDefined();
    const after = new CoreDriver(settingsOf(150));
    expect(sidesIn(after.start())).toEqual(['home', 'away']);
  });
});

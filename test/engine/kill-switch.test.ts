// The kill switch and the other automatic protections: latched states, stalls, losses, a banned account.
import { describe, expect, it } from 'vitest';
import { microsOfDollars } from '../../src/domain/index.ts';
import type { Command, MarketId } from '../../src/domain/index.ts';
import type { OfferRow } from '../support/core-driver.ts';
import {
  AWAY,
  cancelsIn,
  CoreDriver,
  coreSettings,
  exitsIn,
  GAME_ID,
  HOME,
  placesIn,
  readsIn,
} from '../support/core-driver.ts';

function quoting(driver = new CoreDriver()) {
  const [place] = placesIn(driver.start(HOME, AWAY));
  if (place === undefined) throw new Error('no place');
  return { driver, ids: driver.accept(place, 'o') };
}
const operate = (driver: CoreDriver, command: 'halt' | 'resume' | 'reduce-only' | 'cancel-all') =>
  driver.input({ type: 'operator', command });
const types = (commands: readonly Command[]): readonly string[] => commands.map(({ type }) => type);
const fill = (driver: CoreDriver, id: string, txID: string, filled: number, odds: number): readonly Command[] =>
  driver.position({ orderID: id, odds, offered: 100, filled, remaining: 100 - filled }, { txID, filled, odds });
const books = (driver: CoreDriver): void => {
  driver.frame('p-home', HOME);
  driver.frame('p-away', AWAY);
};

describe('the kill switch', () => {
  it('cancels everything on halt, again until a list is empty, and stays halted until resume', () => {
    const { driver } = quoting();
    expect(types(operate(driver, 'halt'))).toContain('cancel-all');
    expect(driver.core.status()).toMatchObject({ trading: 'halted' });
    const answer = (orders: readonly unknown[]): void => {
      driver.passTime(500);
      const list = readsIn(driver.sent).findLast(({ read }) => read.what === 'open-orders');
      const plays = readsIn(driver.reply(list?.req ?? 0, { data: { unmatched: orders } }));
      driver.reply(plays.find(({ read }) => read.what === 'plays')?.req ?? 0, { data: { matchedBets: [] } });
    };
    answer([{ id: 'o0', remaining: 100 }]);
    expect(types(driver.passTime(3500))).toContain('cancel-all');
    answer([]);
    driver.passTime(500);
    expect(types(driver.passTime(10_000))).not.toContain('cancel-all');
    books(driver);
    expect(placesIn(driver.passTime(2000))).toEqual([]);
    operate(driver, 'resume');
    expect(driver.core.status()).toMatchObject({ trading: 'active', closed: undefined });
  });

  it('is never loosened by a weaker command: reduce-only after halt changes nothing', () => {
    const { driver } = quoting();
    operate(driver, 'halt');
    operate(driver, 'reduce-only');
    expect(driver.core.status().trading).toBe('halted');
  });

  it('on reduce-only keeps the quotes that reduce a position and pulls the others', () => {
    const { driver, ids } = quoting();
    fill(driver, ids[0] ?? '', 't1', 50, 110);
    const commands = operate(driver, 'reduce-only');
    const pulled = [...cancelsIn(commands), ...cancelsIn(driver.passTime(500))].flatMap(({ orderIds }) => orderIds);
    expect(pulled).toContain(ids[0]);
    expect(pulled).not.toContain(ids[1]);
  });

  it('on reduce-only sizes quotes so that no fill can turn a position into a larger opposite one', () => {
    const { driver, ids } = quoting();
    // pays 10.50 more when home wins: all that $5.02 on away at +109 can turn
    fill(driver, ids[0] ?? '', 't1', 5, 110);
    const moves = [...operate(driver, 'reduce-only'), ...driver.passTime(500)].filter(
      (command) => command.type === 'edit',
    );
    expect(moves).toMatchObject([{ orderId: ids[1], order: { side: 'away', risk: 502 } }]);
  });

  it('on reduce-only quotes nothing against a position that is smaller than the smallest order', () => {
    const { driver, ids } = quoting();
    fill(driver, ids[0] ?? '', 't1', 0.5, 110);
    const commands = [...operate(driver, 'reduce-only'), ...driver.passTime(500)];
    expect(new Set(cancelsIn(commands).flatMap(({ orderIds }) => orderIds))).toEqual(new Set(ids));
  });

  it('is set from the configuration', () => {
    const driver = new CoreDriver(
      coreSettings({ safety: { state: 'halted', haltAtLoss: undefined, losingFills: undefined } }),
    );
    expect(placesIn([...driver.start(), ...driver.passTime(2000)])).toEqual([]);
    expect(driver.core.status().closed).toContain('halted');
  });

  it('is set by a loss', () => {
    const safety = { state: 'active', haltAtLoss: microsOfDollars(30), losingFills: undefined } as const;
    const { driver, ids } = quoting(new CoreDriver(coreSettings({ safety })));
    fill(driver, ids[0] ?? '', 't1', 100, 110);
    // HOME is worth much less now
    driver.frame('p-home', [{ id: 'h2', odds: 300, risk: 200 }]);
    driver.frame('p-away', [{ id: 'a2', odds: -280, risk: 200 }]);
    driver.passTime(1000);
    expect(driver.core.status().trading).toBe('halted');
  });

  it.each<[string, readonly OfferRow[], 'p-home' | 'p-away']>([
    ['wide', [{ id: 'h2', odds: 500, risk: 200 }], 'p-home'],
    // a dollar at a price that no one else offers
    [
      'thin',
      [
        { id: 'a2', odds: -102, risk: 1 },
        { id: 'a3', odds: 500, risk: 200 },
      ],
      'p-away',
    ],
    ['one-sided', [], 'p-home'],
  ])('is not set by a book that a large take left %s: that is no price', (_shape, rows, side) => {
    const safety = { state: 'active', haltAtLoss: microsOfDollars(1), losingFills: undefined } as const;
    const { driver, ids } = quoting(new CoreDriver(coreSettings({ safety })));
    fill(driver, ids[0] ?? '', 't1', 100, 110);
    const { marked } = driver.core;
    driver.frame(side, rows);
    driver.passTime(1000);
    expect(driver.core.marked).toBe(marked);
    expect(driver.core.status().trading).toBe('active');
  });

  it('marks at the newest price of any book until there is a fair price', () => {
    const wide = [{ id: 'h1', odds: 150, risk: 200 }];
    const driver = new CoreDriver();
    for (const place of placesIn(driver.start(wide, [{ id: 'a1', odds: 105, risk: 200 }]))) driver.accept(place, 'o');
    const market = `${GAME_ID}/moneyline` as MarketId;
    const before = driver.core.priceOf(market);
    driver.frame('p-home', [{ id: 'h2', odds: 180, risk: 200 }]);
    expect(driver.core.priceOf(market)).toBeLessThan(before ?? 0);
    driver.frame('p-home', [{ id: 'h3', odds: 106, risk: 200 }]);
    const fair = driver.core.priceOf(market);
    driver.frame('p-home', wide);
    expect(driver.core.priceOf(market)).toBe(fair);
  });
});

describe('other protections', () => {
  it('pull all quotes after the process stood still, until the feeds were healthy for a while', () => {
    const { driver } = quoting();
    driver.now += 2500;
    driver.wall += 2500;
    expect(cancelsIn(driver.input({ type: 'tick' }))).toHaveLength(1);
    expect(driver.core.status().closed).toContain('came back a moment ago');
  });

  it('pause a strategy whose fills keep losing', () => {
    const losingFills = { count: 2, withinMs: 60_000, pauseMs: 20_000, markoutMs: 1000 };
    const settings = coreSettings({ safety: { state: 'active', haltAtLoss: undefined, losingFills } });
    const { driver, ids } = quoting(new CoreDriver(settings));
    // paid 0.6 for a side that the book values at 0.5
    fill(driver, ids[0] ?? '', 't1', 10, -150);
    fill(driver, ids[0] ?? '', 't2', 20, -150);
    const commands = driver.passTime(2000);
    expect(commands.filter((command) => command.type === 'alert').map(({ code }) => code)).toContain('LOSING_FILLS');
    expect(
      cancelsIn(commands)
        .flatMap(({ orderIds }) => orderIds)
        .sort(),
    ).toEqual([...ids].sort());
  });

  it('stop the run when the exchange forbids the account to read its user', () => {
    const driver = new CoreDriver();
    const [place] = placesIn(driver.start());
    driver.reply(place?.req ?? 0, { error: { message: 'USER IS BANNED', code: 403 } }, 403);
    const user = readsIn(driver.passTime(500)).find(({ read }) => read.what === 'user');
    driver.reply(user?.req ?? 0, { error: { message: 'USER IS BANNED', code: 403 } }, 403);
    expect(driver.core.status().stopping).toBe(true);
    expect(exitsIn(driver.passTime(40_000)).length).toBeGreaterThanOrEqual(0);
  });

  it('let an operator settle a game that the exchange does not grade', () => {
    const { driver, ids } = quoting();
    fill(driver, ids[0] ?? '', 't1', 50, 110);
    driver.input({ type: 'settle', gameId: GAME_ID, home: 101, away: 99 });
    expect([...driver.core.positions()]).toEqual([]);
    expect(driver.core.status().pnl.marked).toBeCloseTo(55, 5);
  });
});

describe('a halt', () => {
  it('cancels everything also while the player mode is unknown', () => {
    const driver = new CoreDriver();
    driver.input({ type: 'boot', run: 'run' });
    driver.input({ type: 'session', username: 'demo', userId: 'u', mode: undefined, balance: 100 });
    expect(types(operate(driver, 'halt'))).toContain('cancel-all');
  });
});

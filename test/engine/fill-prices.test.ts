// The prices of fills in markets that are no longer quoted: they are followed until the fill is settled.
import { expect, it } from 'vitest';
import { market } from '../../src/domain/index.ts';
import { AWAY, CoreDriver, coreSettings, GAME_ID, HOME, placesIn, START } from '../support/core-driver.ts';

const MONEYLINE = market(GAME_ID, 'moneyline');

/** A bot with a fill on the home side of a fair price of .5, until it stops quoting a minute before the start. */
function driverWithFill(): CoreDriver {
  const driver = new CoreDriver(coreSettings());
  const [place] = placesIn(driver.start());
  if (place === undefined) throw new Error('no place');
  const [first] = driver.accept(place, 'o');
  driver.position(
    { orderID: first, odds: 115, offered: 10, filled: 10, remaining: 0 },
    { txID: 't1', odds: 115, risk: 10, win: 11.5, orderID: first },
  );
  driver.passTime(START - 50_000 - driver.wall);
  expect(driver.core.status().wanted).toBe(0);
  return driver;
}
const closes = (driver: CoreDriver) =>
  driver.events.flatMap((event) => (event.type === 'CloseTaken' ? [event.prices.consensus] : []));

it('the close of a market that is not quoted before the start is its last price before the start', () => {
  const driver = driverWithFill();
  const marked = driver.core.status().pnl.marked;
  // the market moves to the home side in the last minute
  driver.frame('p-home', [{ id: 'h1', odds: -120, risk: 200 }]);
  driver.frame('p-away', [{ id: 'a1', odds: 130, risk: 200 }]);
  driver.passTime(START - 1000 - driver.wall);
  // what is held is marked as before
  expect(driver.core.status().pnl.marked).toBe(marked);
  driver.passTime(1500);
  driver.frame('p-home', HOME, { live: true });
  driver.frame('p-away', AWAY, { live: true });
  driver.passTime(500);
  const [close = 0] = closes(driver);
  // 120/220 against 1 - 100/230, in the middle
  expect(close).toBeCloseTo((120 / 220 + 130 / 230) / 2, 2);
});

it('a market in which nothing is held is not followed', () => {
  const driver = new CoreDriver(coreSettings());
  driver.start();
  driver.passTime(START - 50_000 - driver.wall);
  driver.frame('p-home', [{ id: 'h1', odds: -120, risk: 200 }]);
  driver.frame('p-away', [{ id: 'a1', odds: 130, risk: 200 }]);
  expect(driver.core.fairOf(MONEYLINE.id)).toBeCloseTo(0.5, 6);
});

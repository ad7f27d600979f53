// What games with fills may bring: by the book or the odds feed, and without any effect on decisions.
import { describe, expect, it } from 'vitest';
import type { Input } from '../../src/domain/index.ts';
import { marketOf, oddsOf } from '../../src/domain/index.ts';
import { gameRisk, holdingsOf, modelFor } from '../../src/pricing/index.ts';
import { CoreDriver, GAME_ID, placesIn } from '../support/core-driver.ts';

const PARAMETERS = { [`model:${GAME_ID}:margin`]: 4.5, [`model:${GAME_ID}:total`]: 225 };
const MODEL = modelFor('basketball', { margin: 4.5, total: 225 });

/** A core whose offer on home is filled with $60 at +108. */
function filled(): CoreDriver {
  const driver = new CoreDriver();
  const [place] = placesIn(driver.start());
  if (place === undefined) throw new Error('nothing was placed');
  const [id] = driver.accept(place, 'o');
  const odds = oddsOf(place.orders[0]?.rung ?? (0 as never));
  expect(place.orders[0]?.side).toBe('home');
  driver.position({ orderID: id, odds, offered: 100, filled: 60, remaining: 40 }, { txID: 'tx-1', filled: 60, odds });
  return driver;
}
const signals = (values: Readonly<Record<string, number>>): Input => ({ type: 'signal', values, ttlMs: 60_000 });
const risksIn = ({ events }: CoreDriver) => events.filter((event) => event.type === 'GameRisk');

describe('the risk of a game', () => {
  it('is empty before anything fills', () => {
    const driver = new CoreDriver();
    driver.start();
    expect([...driver.core.gameRisks()]).toEqual([]);
  });

  it('is that of the exchange’s own book, and that of the odds feed where it has one', () => {
    const driver = filled();
    const [own] = driver.core.gameRisks();
    expect(own).toMatchObject({ gameId: GAME_ID, markets: 1, worst: -60, byScore: { source: 'book', worst: -60 } });
    driver.input(signals(PARAMETERS));
    const [fed] = driver.core.gameRisks();
    const p = MODEL.moneyline().fair;
    const win = driver.core.markets()[0]?.position.first ?? 0;
    expect(fed?.byScore?.source).toBe('odds');
    expect(fed?.byScore?.expected).toBeCloseTo(win * p - 60 * (1 - p), 6);
    expect(fed?.byScore?.hurting).toEqual([{ scores: 'away wins', value: -60, p: expect.closeTo(1 - p, 9) as number }]);
    const cells = fed?.map?.cells.flat() ?? [];
    expect(cells.reduce((sum, cell) => sum + cell.p * cell.value, 0)).toBeCloseTo(win * p - 60 * (1 - p), 6);
  });

  it('is an event after a fill, every five minutes at most, that has all to compute it again', () => {
    const driver = filled();
    const [event] = risksIn(driver);
    expect(event).toMatchObject({ game: GAME_ID, worst: -60_000_000, score: { source: 'book', worst: -60_000_000 } });
    const { sport = '', parameters, state } = event?.score?.model ?? {};
    const model = modelFor(sport as 'basketball', parameters as never, state);
    const held = (event?.markets ?? []).flatMap(({ market: id, ...position }) =>
      holdingsOf({ market: marketOf(id), position }, model.grid.draw),
    );
    expect(1e6 * (gameRisk(model, held)?.expected ?? 0)).toBeCloseTo(event?.score?.expected ?? 0, -1);
    expect(risksIn(driver)).toHaveLength(1);
    const odds = 108;
    driver.position(
      { orderID: 'o0', odds, offered: 100, filled: 80, remaining: 20 },
      { txID: 'tx-2', filled: 20, odds },
    );
    driver.passTime(298_000);
    expect(risksIn(driver)).toHaveLength(1);
    driver.passTime(2000);
    expect(risksIn(driver)).toHaveLength(2);
    expect(risksIn(driver).at(-1)?.worst).toBe(-80_000_000);
  });

  it('changes no command and no other event when it is read', () => {
    const [quiet, read] = [filled(), filled()];
    for (const driver of [quiet, read]) {
      driver.input(signals(PARAMETERS));
      driver.passTime(3000);
      if (driver === read) expect([...driver.core.gameRisks()]).toHaveLength(1);
      driver.frame('p-home', [{ id: 'h1', odds: 120, risk: 200 }]);
      driver.passTime(305_000);
    }
    expect(read.sent).toEqual(quiet.sent);
    expect(read.events).toEqual(quiet.events);
  });
});

// What games with fills may bring: by the book or the odds feed, and without any effect on decisions.
import { describe, expect, it } from 'vitest';
import type { Input } from '../../src/domain/index.ts';
import { marketOf, oddsOf } from '../../src/domain/index.ts';
import { gameRisk, holdingsOf, modelFor } from '../../src/pricing/index.ts';
import { scoresText } from '../../src/engine/game-risks.ts';
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
    expect(driver.core.payoffMapOf(GAME_ID)).toBeUndefined();
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
    const cells = driver.core.payoffMapOf(GAME_ID)?.cells.flat() ?? [];
    expect(cells.reduce((sum, cell) => sum + cell.p * cell.value, 0)).toBeCloseTo(win * p - 60 * (1 - p), 6);
  });

  it('is an event after a fill, once a minute at most, that has all to compute it again', () => {
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
    driver.passTime(59_000);
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
      driver.passTime(65_000);
    }
    expect(read.sent).toEqual(quiet.sent);
    expect(read.events).toEqual(quiet.events);
  });
});

describe('scores in words', () => {
  const all = { from: MODEL.grid.total.from, to: MODEL.grid.total.from + MODEL.grid.total.probabilities.length - 1 };
  const low = MODEL.grid.margin.from;
  const high = low + MODEL.grid.margin.probabilities.length - 1;
  const textOf = (from: number, to: number, total = all): string =>
    scoresText({ margin: { from, to }, total, value: 0, p: 1 }, MODEL.grid);

  it.each([
    [low, high, 'any score'],
    [low, -1, 'away wins'],
    [low, -4, 'away by 4 or more'],
    [low, 3, 'away wins, or home by 3 at most'],
    [low, 0, 'away wins or level'],
    [1, high, 'home wins'],
    [7, high, 'home by 7 or more'],
    [-2, high, 'home wins, or away by 2 at most'],
    [3, 3, 'home by 3'],
    [4, 7, 'home by 4 to 7'],
    [-7, -4, 'away by 4 to 7'],
    [-2, 3, 'from away by 2 to home by 3'],
  ])('%d to %d: %s', (from, to, text) => {
    expect(textOf(from, to)).toBe(text);
  });

  it('names a total that counts', () => {
    expect(textOf(low, -1, { from: all.from, to: 221 })).toBe('away wins, 221 or fewer');
    expect(textOf(low, high, { from: 222, to: all.to })).toBe('222 or more');
    expect(textOf(4, 7, { from: 219, to: 219 })).toBe('home by 4 to 7, 219');
  });
});

// Leagues of the configuration and of the exchange match without regard to case and accents, and no game is
// quoted by guess.
import { describe, expect, it } from 'vitest';
import type { Command } from '../../src/domain/index.ts';
import {
  alertsIn,
  AWAY,
  CoreDriver,
  coreSettings,
  gameEntry,
  HOME,
  placesIn,
  readsIn,
} from '../support/core-driver.ts';

const driverFor = (...leagues: readonly string[]): CoreDriver => new CoreDriver(coreSettings({ markets: { leagues } }));

/** The exchange lists these games in the league that is read first. */
function started(driver: CoreDriver, games: readonly unknown[]): readonly Command[] {
  driver.input({ type: 'boot', run: 'run' });
  driver.input({ type: 'session', username: 'demo', userId: 'u', mode: 'coins', balance: 10_000 });
  driver.input({ type: 'feed', feed: 'user', status: 'up', epoch: 1 });
  const [read] = readsIn(driver.input({ type: 'feed', feed: 'prices', status: 'up', epoch: 1 })).filter(
    ({ read: { what } }) => what === 'league',
  );
  driver.permits('cancel', 30);
  driver.permits('place', 25);
  return driver.reply(read?.req ?? 0, {
    data: { market: null, games, pagination: { hasNextPage: false } },
  });
}

const gameOf = (id: string, league: string): unknown => gameEntry(HOME, AWAY, { id, league });
const quoted = (commands: readonly Command[]): readonly string[] => [
  ...new Set(placesIn(commands).flatMap(({ orders }) => orders.map(({ market }) => market.gameId))),
];

describe('a league of the configuration', () => {
  it.each([['nba'], ['NBÁ'], [' Nba ']])('is quoted as the exchange writes it: %j', (league) => {
    const driver = driverFor(league);
    expect(quoted(started(driver, [gameOf('g1', 'NBA')]))).toEqual(['g1']);
    expect(alertsIn(driver.sent, 'LEAGUE_EMPTY')).toEqual([]);
    expect(alertsIn(driver.sent, 'LEAGUE_AMBIGUOUS')).toEqual([]);
  });

  it('matches neither of two leagues that differ from it only in case, and reports that once', () => {
    const driver = driverFor('nba');
    const both = [gameOf('g1', 'NBA'), gameOf('g2', 'Nba')];
    expect(quoted(started(driver, both))).toEqual([]);
    driver.passTime(2000);
    expect(quoted(driver.sent)).toEqual([]);
    expect(alertsIn(driver.sent, 'LEAGUE_AMBIGUOUS').map(({ fields }) => fields)).toEqual([
      { league: 'nba', exchange: ['NBA', 'Nba'] },
    ]);
  });

  it('matches the one of two leagues that is written exactly the same', () => {
    const driver = driverFor('Nba');
    expect(quoted(started(driver, [gameOf('g1', 'NBA'), gameOf('g2', 'Nba')]))).toEqual(['g2']);
    expect(alertsIn(driver.sent, 'LEAGUE_AMBIGUOUS')).toEqual([]);
  });

  it('is quoted no longer when a second spelling of it appears', () => {
    const driver = driverFor('nba');
    const [place] = placesIn(started(driver, [gameOf('game-1', 'NBA')]));
    if (place === undefined) throw new Error('it does not quote');
    driver.accept(place, 'o');
    driver.frame('p-home', HOME, { gameID: 'g2', league: 'Nba' });
    const after = driver.passTime(1000);
    expect([...driver.sent, ...after].some(({ type }) => type === 'cancel' || type === 'cancel-all')).toBe(true);
    expect(alertsIn(driver.sent, 'LEAGUE_AMBIGUOUS')).toHaveLength(1);
  });

  it("is read in the exchange's spelling when it has no games in its own", () => {
    const driver = driverFor('nba');
    started(driver, []);
    const reads = readsIn(driver.frame('p-home', HOME));
    expect(reads.map(({ read }) => read)).toContainEqual({ what: 'league', league: 'NBA', page: 1 });
  });

  it('matches no other league', () => {
    const driver = driverFor('NBA');
    started(driver, [gameOf('g1', 'NBA-2')]);
    driver.frame('p-home', HOME, { gameID: 'g3', league: 'MLB' });
    expect(quoted(driver.sent)).toEqual([]);
  });
});

// Results of games that an operator gives: what a result settles, what a later one adds, and what is refused
// or taken back.
import { describe, expect, it } from 'vitest';
import type { GameResult, MarketType } from '../../src/domain/index.ts';
import { alertsIn, AWAY, CoreDriver, GAME_ID, gameEntry, HOME, placesIn } from '../support/core-driver.ts';

/** 50 of the home offer at +110 filled, and the game is over. */
function held(league = 'NBA', sport = 'basketball') {
  const driver = new CoreDriver();
  const [place] = placesIn(driver.start(HOME, AWAY));
  if (place === undefined) throw new Error('no place');
  const [id = ''] = driver.accept(place, 'o');
  driver.position(
    { orderID: id, odds: 110, offered: 100, filled: 50, remaining: 50 },
    { txID: 't1', filled: 50, odds: 110 },
  );
  driver.wall += 7_200_000;
  const data = JSON.stringify(gameEntry(HOME, AWAY, { ended: true, league, sport }));
  driver.input({ type: 'frame', feed: 'prices', epoch: 1, event: 'gameUpdate', data });
  const settle = (result: GameResult) => {
    const input = { type: 'settle', gameId: GAME_ID, result } as const;
    return driver.core.settleProblem(input) ?? driver.input(input);
  };
  const unsettle = (...types: MarketType[]) =>
    driver.input({ type: 'unsettle', gameId: GAME_ID, ...(types.length === 0 ? {} : { types }) });
  const state = (): readonly [realized: number, waits: boolean] => [
    driver.core.realized,
    driver.core.waitsFor(GAME_ID),
  ];
  return { driver, settle, unsettle, state };
}

describe('a result that an operator gives', () => {
  it.each<[string, GameResult, number]>([
    ['a score', { home: 101, away: 99 }, 55],
    ['a winner', { winner: 'away' }, -50],
    ['void', { void: true }, 0],
    ['void of a type', { by: { moneyline: { void: true } } }, 0],
    ['a share', { by: { moneyline: { share: -0.5 } } }, -25],
    ['a market of its own', { by: { [`${GAME_ID}/moneyline`]: { winner: 'home' } } }, 55],
  ])('settles held positions by %s', (_kind, result, brought) => {
    const { settle, state } = held();
    expect(typeof settle(result)).toBe('object');
    expect(state()).toEqual([brought, false]);
  });

  it('leaves open the markets that it does not decide, names them, and a later result completes it', () => {
    const { settle, state } = held('ATP', 'tennis');
    const commands = settle({ home: 14, away: 18 });
    if (typeof commands === 'string') throw new Error(commands);
    expect(alertsIn(commands, 'SETTLED')).toMatchObject([
      { fields: { gameId: GAME_ID, result: '14-18', fills: 0, open: 'moneyline' } },
    ]);
    expect(state()).toEqual([0, true]);
    settle({ winner: 'home' });
    expect(state()).toEqual([55, false]);
  });

  it('is refused when its sport cannot end so, and when it contradicts an earlier result', () => {
    const { settle, state } = held();
    expect(settle({ home: 4, away: 4 })).toMatch(/4-4 of game game-1 cannot be the final score: a game of NBA/);
    expect(settle({ winner: 'draw' })).toMatch(/does not end level/);
    expect(state()).toEqual([0, true]);
    settle({ winner: 'home' });
    expect(settle({ home: 99, away: 101 })).toMatch(/is settled as winner home: take that back first/);
    expect(settle({ void: true })).toMatch(/take that back first, with `ctl unsettle game-1`/);
    expect(state()).toEqual([55, false]);
  });

  it('is taken back whole, or for the types that were wrong', () => {
    const { settle, unsettle, state } = held();
    settle({ home: 101, away: 99 });
    unsettle('total', 'spread');
    expect(state()).toEqual([55, false]);
    unsettle('moneyline');
    expect(state()).toEqual([0, true]);
    settle({ by: { moneyline: { void: true } } });
    expect(state()).toEqual([0, false]);
    unsettle();
    expect(state()).toEqual([0, true]);
    settle({ home: 99, away: 101 });
    expect(state()).toEqual([-50, false]);
  });

  it('in a journal from before 0.3 decides every market by its two numbers, and a level score returns the stakes', () => {
    const tennis = held('ATP', 'tennis');
    tennis.driver.input({ type: 'settle', gameId: GAME_ID, home: 14, away: 18 });
    expect(tennis.state()).toEqual([-50, false]);
    const level = held();
    level.driver.input({ type: 'settle', gameId: GAME_ID, home: 4, away: 4 });
    expect(level.state()).toEqual([0, false]);
  });
});

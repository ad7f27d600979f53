import { describe, expect, it } from 'vitest';
import type { GameId } from '../../src/domain/index.ts';
import { bestOf } from '../../src/venue/index.ts';
import { identityOf } from '../../src/traders/synthetic-teams.ts';
import { T0 } from '../paper/fixtures.ts';
import { HOUR, livingGames, MINUTE, syntheticMarket } from './synthetic-fixture.ts';

describe('the slate of generated games', () => {
  it('always has the set number of open games, some of them not begun, and drops past games', () => {
    const { venue, traders, run, now } = syntheticMarket({ seed: 4, games: 4, sideGames: true });
    const published = new Set<GameId>();
    const most = { games: 0, simulated: 0, orders: 0, positions: 0 };
    const slates = new Set<number>();
    let withoutNext = 0;
    const observe = (): void => {
      const living = livingGames(venue);
      slates.add(living.length);
      if (!living.some(({ header }) => !header.live && header.start > now())) withoutNext++;
      for (const { header } of living) published.add(header.id);
      most.games = Math.max(most.games, venue.games.size);
      most.simulated = Math.max(most.simulated, traders.snapshot().games.length);
      for (const { open, credit } of venue.accounts.values()) {
        most.orders = Math.max(most.orders, open.size);
        most.positions = Math.max(most.positions, credit.coins.positions().length);
      }
    };
    run(50 * HOUR, observe, 10 * MINUTE);
    expect(slates).toEqual(new Set([4]));
    expect(withoutNext).toBe(0);
    expect(most.simulated).toBeLessThanOrEqual(8);
    expect(most.orders).toBeLessThan(250);
    expect(published.size).toBeGreaterThan(35);
    // a graded game can be looked up for a day
    const whole = [...venue.games.values()].filter(({ details }) => details.kind === 'game');
    expect(whole.length).toBeLessThan(published.size);
    expect(most.games).toBeLessThan(80);
    expect(most.positions).toBeLessThan(600);
    const ended = [...venue.games.values()].filter(({ header }) => header.ended);
    expect(ended.every(({ graded }) => graded !== undefined)).toBe(true);
  });

  it('has the games whose starts are given, each published hours ahead, and no others', () => {
    const starts = [8, 9, 32].map((hours) => T0 + hours * HOUR);
    const { venue, run, now } = syntheticMarket({ seed: 7, starts });
    const published: number[] = [];
    const graded = new Map<GameId, number>();
    expect(venue.games.size).toBe(0);
    run(
      40 * HOUR,
      () => {
        if (venue.games.size > published.length) published.push(now());
        for (const game of venue.games.values())
          if (game.graded !== undefined) graded.set(game.header.id, game.header.start);
      },
      MINUTE,
    );
    expect(published).toEqual(starts.map((start) => start - 6 * HOUR));
    expect([...graded.keys()]).toEqual(starts.map((_start, index) => identityOf(7, index).id));
    // a start may have been moved
    for (const [index, start] of [...graded.values()].entries())
      expect(Math.abs(start - (starts[index] ?? 0))).toBeLessThanOrEqual(30 * MINUTE);
    expect(livingGames(venue)).toEqual([]);
  });

  it('gives no team two games at a time, and every game an id of its own', () => {
    const games = Array.from({ length: 300 }, (_, index) => identityOf(5, index));
    expect(new Set(games.map(({ id }) => id)).size).toBe(300);
    for (let first = 0; first + 6 <= games.length; first++) {
      const teams = games.slice(first, first + 6).flatMap(({ home, away }) => [home.name, away.name]);
      expect(new Set(teams).size).toBe(12);
    }
    // every team meets every other team
    const pairs = games.slice(0, 276).map(({ home, away }) => [home.name, away.name].sort().join(' – '));
    expect(new Set(pairs).size).toBe(276);
  });

  it('catches up with a pause in larger steps: games go live and end on time', () => {
    const { venue, traders, run } = syntheticMarket({ seed: 1, games: 2 });
    run(HOUR, () => {}, HOUR);
    expect(livingGames(venue).some(({ header }) => header.live)).toBe(false);
    run(2 * HOUR, () => {}, 2 * HOUR);
    const [first] = venue.games.values();
    expect(first?.header.live).toBe(true);
    const [state] = traders.snapshot().games;
    expect(state?.play.possessions).toBeGreaterThan(60);
    run(3 * HOUR, () => {}, 3 * HOUR);
    expect(first?.graded).toBeDefined();
    expect(livingGames(venue)).toHaveLength(2);
  });

  it('runs games faster when asked, while its traders keep their pace', () => {
    const { venue, run } = syntheticMarket({ seed: 1, games: 2, speed: 60 });
    const [first] = venue.games.values();
    expect((first?.header.start ?? 0) - T0).toBeGreaterThanOrEqual(2 * MINUTE);
    expect((first?.header.start ?? 0) - T0).toBeLessThan(3 * MINUTE);
    run(5 * MINUTE);
    expect(first?.graded).toBeDefined();
  });

  it('has side games when asked: halves, a last quarter and a player with the first game, and a champion', () => {
    const { venue, run } = syntheticMarket({ seed: 2, games: 2, sideGames: true, speed: 20 });
    run(MINUTE);
    const kinds = [...venue.games.values()].map(({ details, header }) => [
      details.kind,
      details.periodName ?? details.marketName,
      header.parentGameId !== undefined && venue.games.has(header.parentGameId),
      header.futures,
    ]);
    expect(kinds).toEqual([
      ['futures', 'Champion', false, true],
      ['game', undefined, false, false],
      ['game', undefined, false, false],
      ['child', '1st Half', true, false],
      ['prop', undefined, true, false],
      ['child', '2nd Half', true, false],
      ['child', '4th Quarter', true, false],
    ]);
    const [futures, parent, , half, prop] = venue.games.values();
    for (const game of [half, prop, futures]) {
      expect(game?.books.size).toBeGreaterThan(0);
      for (const book of game?.books.values() ?? [])
        expect(book.sides.every((side) => bestOf(side) !== undefined)).toBe(true);
    }
    expect([...(prop?.books.values() ?? [])].map(({ market }) => market.type)).toEqual(['total']);
    run(9 * MINUTE);
    // the half is over, the game is not
    expect(half?.graded).toBeDefined();
    expect(parent?.graded).toBeUndefined();
    run(4 * MINUTE);
    const [whole, firstHalf] = [parent?.graded, half?.graded];
    expect((firstHalf?.home ?? 0) + (firstHalf?.away ?? 0)).toBeLessThan((whole?.home ?? 0) + (whole?.away ?? 0));
    expect(prop?.graded?.away).toBe(0);
    expect(prop?.graded?.home).toBeLessThan(whole?.home ?? 0);
    expect(futures?.header).toMatchObject({ open: true, ended: false });
  });
});

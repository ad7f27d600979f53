import { describe, expect, it } from 'vitest';
import type { Rung } from '../../src/domain/index.ts';
import { microsOfDollars, probabilityOfRung, rungAtMost } from '../../src/domain/index.ts';
import type { MarketBook, VenueGame } from '../../src/venue/index.ts';
import { bestOf } from '../../src/venue/index.ts';
import { World } from '../../src/paper/index.ts';
import type { WorldOptions } from '../../src/paper/index.ts';
import { recordsOf, SavedState } from '../../src/paper/state/records.ts';
import { T0 } from '../paper/fixtures.ts';
import { HOUR, livingGames, MINUTE, moneyOf } from './synthetic-fixture.ts';

const OPTIONS: WorldOptions = {
  traders: 'synthetic',
  seed: 21,
  games: 3,
  sideGames: true,
  speed: 24,
  accounts: [{ username: 'user', password: 'x', coins: 1e6 }],
};

/**
 * A world on a virtual clock. `former.saved` is the state of the former run, as the state file brings it
 * back.
 */
function startWorld(startMs: number, former?: { readonly saved: SavedState; readonly earlierRuns: number }) {
  let nowMs = startMs;
  const ports = { now: () => nowMs, at: () => {}, newToken: () => 'token' };
  const world = new World(OPTIONS, ports, former);
  world.open();
  const run = (ms: number): void => {
    for (const until = nowMs + ms; nowMs < until;) {
      nowMs += 100;
      world.tick();
    }
  };
  return { world, venue: world.venue, run, now: () => nowMs };
}

/** Everything that the state file keeps, through JSON. */
function save({ world, venue }: ReturnType<typeof startWorld>, market: unknown = world.marketState()): SavedState {
  const saved = new SavedState();
  const records = [...recordsOf(venue.everything()), { k: 'market', state: market }];
  for (const record of JSON.parse(JSON.stringify(records)) as typeof records) saved.applyRecord(record as never);
  return saved;
}

const isMain = ({ market, game: { header } }: MarketBook): boolean =>
  market.type === 'moneyline' || market.line === (market.type === 'spread' ? header.mainHomeSpread : header.mainTotal);

/** The middle of the book of every main line. */
function prices(games: readonly VenueGame[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const game of games) {
    for (const book of game.books.values()) {
      const [first, second] = book.sides.map(bestOf);
      if (!isMain(book) || first === undefined || second === undefined) continue;
      found.set(book.market.id, (probabilityOfRung(first.rung) + 1 - probabilityOfRung(second.rung)) / 2);
    }
  }
  return found;
}

describe('the generated market after a restart', () => {
  it('continues with the same games, scores and lines, at prices near the former ones', () => {
    const before = startWorld(T0);
    before.run(7.5 * MINUTE);
    const state = before.world.marketState();
    const headers = [...before.venue.games.values()].map(({ header }) => header);
    expect(headers.some(({ live, ended }) => live && !ended)).toBe(true);

    const after = startWorld(before.now(), { saved: save(before), earlierRuns: 1 });
    expect(after.world.marketProblem).toBeUndefined();
    expect(livingGames(after.venue).map(({ header }) => header)).toEqual(
      livingGames(before.venue).map(({ header }) => header),
    );
    expect(after.world.marketState()).toEqual(state);
    const [was, is] = [prices(livingGames(before.venue)), prices(livingGames(after.venue))];
    expect(is.size).toBeGreaterThanOrEqual(7);
    for (const [market, price] of is) expect(Math.abs(price - (was.get(market) ?? price))).toBeLessThan(0.06);

    // the market continues: games are played to their end, and new ones are published
    const ids = new Set(before.venue.games.keys());
    after.run(7.5 * MINUTE);
    expect([...after.venue.games.values()].filter(({ graded }) => graded !== undefined).length).toBeGreaterThan(0);
    expect([...after.venue.games.keys()].some((id) => !ids.has(id))).toBe(true);
    expect(livingGames(after.venue)).toHaveLength(3);
  });

  it('is the same for the same saved state, byte for byte', () => {
    const before = startWorld(T0);
    before.run(6.5 * MINUTE);
    const states = [1, 2].map(() => {
      const after = startWorld(before.now() + 5_000, { saved: save(before), earlierRuns: 1 });
      after.run(MINUTE);
      return JSON.stringify(after.world.marketState());
    });
    expect(states[1]).toBe(states[0]);
  });

  it('plays what was due while it was down: games begin, end and are graded, and positions are paid', () => {
    const before = startWorld(T0);
    const user = before.venue.accounts.get('user');
    if (user === undefined) throw new Error('no user');
    before.run(MINUTE);
    const rung = rungAtMost(0.9, 1) as Rung;
    for (const game of livingGames(before.venue)) {
      // a book whose makers have just pulled their offers has nothing to take
      const taken = [...game.books.values()].filter((book) => {
        const ticket = { book, side: book.market.sides[0], rung, risk: microsOfDollars(100) };
        return before.venue.place(user, { ...ticket, orderType: 'fillAndKill' }, before.now()).ok;
      });
      expect(taken.length).toBeGreaterThan(0);
    }
    const saved = save(before);

    const after = startWorld(before.now() + 2 * HOUR, { saved, earlierRuns: 1 });
    const money = moneyOf(after.venue);
    const formerIds = [...before.venue.games.keys()].filter((id) => after.venue.games.get(id)?.details.kind === 'game');
    expect(formerIds).toHaveLength(3);
    for (const id of formerIds) expect(after.venue.games.get(id)?.graded).toBeDefined();
    const back = after.venue.accounts.get('user');
    expect([...(back?.plays.values() ?? [])].every(({ profit }) => profit !== undefined)).toBe(true);
    expect(back?.balances.coins).not.toBe(microsOfDollars(1e6));
    expect(livingGames(after.venue)).toHaveLength(3);
    expect(livingGames(after.venue).every(({ header }) => header.start > after.now())).toBe(true);
    after.run(MINUTE);
    expect(moneyOf(after.venue)).toBe(money);
  });

  it('starts anew when the saved state cannot be read, reports why, and continues the games that exist', () => {
    const before = startWorld(T0);
    before.run(6.5 * MINUTE);
    const former = livingGames(before.venue).map(({ header }) => header.id);
    const after = startWorld(before.now(), { saved: save(before, { version: 1, games: 'none' }), earlierRuns: 1 });
    expect(after.world.marketProblem).toMatch(/atMs|games/);
    expect(livingGames(after.venue).map(({ header }) => header.id)).toEqual(former);
    const [live] = livingGames(after.venue).filter(({ header }) => header.live);
    expect(live).toBeDefined();
    expect(prices(livingGames(after.venue)).size).toBeGreaterThan(6);

    // a missing state is no problem
    const early = startWorld(before.now(), { saved: save(before, undefined), earlierRuns: 1 });
    expect(early.world.marketProblem).toBeUndefined();
    expect(livingGames(early.venue)).toHaveLength(3);
  });
});

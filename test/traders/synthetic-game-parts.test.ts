import { describe, expect, it } from 'vitest';
import type { Micros, Rung } from '../../src/domain/index.ts';
import { microsOfDollars, rungAtMost } from '../../src/domain/index.ts';
import type { VenueAccount, Venue, VenueGame } from '../../src/venue/index.ts';
import { bestOf, sideOf } from '../../src/venue/index.ts';
import { SyntheticGame } from '../../src/traders/index.ts';
import { createRandom } from '../../src/domain/random.ts';
import { T0 } from '../paper/fixtures.ts';
import { HOUR, livingGames, MINUTE, moneyOf, syntheticMarket } from './synthetic-fixture.ts';

/** What the venue reported about a game: one line for each gameUpdate, without the changes of lines. */
function story(seed: number, hours: number) {
  const market = syntheticMarket({ seed, speed: 12 });
  const lines: string[] = [];
  const starts: number[] = [];
  const [first] = market.venue.games.values();
  let main = `${first?.header.mainHomeSpread} ${first?.header.mainTotal}`;
  let mainsSet = 0;
  market.listen({
    gameChanged: (game, type) => {
      if (game !== first) return;
      const { live, ended, start, mainHomeSpread, mainTotal } = game.header;
      const mainNow = `${mainHomeSpread} ${mainTotal}`;
      if (mainNow !== main) mainsSet++;
      main = mainNow;
      if (starts.at(-1) !== start) starts.push(start);
      const phase = game.graded !== undefined ? 'graded' : ended ? 'ended' : live ? 'live' : 'ahead';
      const line = type === undefined ? phase : `${phase} ${type}`;
      if (lines.at(-1) !== line) lines.push(line);
    },
  });
  market.run((hours * HOUR) / 12);
  return { ...market, game: first as VenueGame, lines, starts, mainsSet: () => mainsSet };
}

const made = (seed: number, index: number, startMs: number): SyntheticGame =>
  new SyntheticGame({ seed, league: 'NBA', speed: 1, earlierRuns: 0 }, { index, startMs });

describe('a generated game', () => {
  it('is published open, goes live at its start, closes and opens in play, ends and is graded, and reports each change', () => {
    const { game, lines, mainsSet } = story(1, 5);
    const linesOf = (phase: string): readonly string[] => lines.filter((line) => line.startsWith(phase));
    expect(lines.map((line) => line.split(' ')[0]).filter((phase, i, all) => all[i - 1] !== phase)).toEqual([
      'ahead',
      'live',
      'ended',
      'graded',
    ]);
    expect(linesOf('ahead').every((line) => line === 'ahead')).toBe(true);
    const stops = linesOf('live market');
    expect(stops.length).toBeGreaterThan(8);
    // closed, open, closed … and closed when the time is up
    expect(stops.every((line, i) => line === `live ${i % 2 === 0 ? 'marketClosed' : 'marketOpen'}`)).toBe(true);
    expect(stops.at(-1)).toBe('live marketClosed');
    expect(mainsSet()).toBeGreaterThan(5);
    expect(game.header).toMatchObject({ live: true, ended: true, open: false });
    expect(game.graded?.home).toBeGreaterThan(50);
    expect(game.graded?.home).not.toBe(game.graded?.away);
  });

  it('lasts two hours and a quarter from start to end, or some minutes more with an overtime', () => {
    const lengths: number[] = [];
    for (let index = 0; index < 60; index++) {
      const game = made(9, index, HOUR);
      let nowMs = 0;
      while (!game.face.ended) game.advance((nowMs += 1_000), 1);
      lengths.push((nowMs - game.face.start) / MINUTE);
      expect(game.play.score.home).not.toBe(game.play.score.away);
    }
    expect(Math.min(...lengths)).toBeGreaterThan(134);
    expect(Math.max(...lengths)).toBeGreaterThan(140);
    expect(Math.max(...lengths)).toBeLessThan(200);
  });

  it('sometimes has its start moved before it begins, by five minutes or more', () => {
    const moves: number[] = [];
    for (let index = 0; index < 100; index++) {
      const game = made(5, index, 2 * HOUR);
      for (let nowMs = 0; !game.face.live; nowMs += 10_000) {
        const { start } = game.face;
        game.advance(nowMs, 10);
        if (game.face.start === start) continue;
        moves.push((game.face.start - start) / MINUTE);
        expect(game.face.live).toBe(false);
        expect(game.face.start).toBeGreaterThan(nowMs);
      }
    }
    expect(moves.length).toBeGreaterThan(3);
    expect(moves.length).toBeLessThan(30);
    for (const move of moves) expect([5, 10, 15, 20, 25, 30]).toContain(Math.abs(move));
  });

  it('has no offers of its makers while the market is closed, nor after the end', () => {
    const { venue, run } = syntheticMarket({ seed: 1, speed: 12 });
    const makers = ['maker-1', 'maker-2', 'maker-3'].map((name) => venue.accounts.get(name) as VenueAccount);
    let closedSteps = 0;
    let left = 0;
    run((5 * HOUR) / 12, () => {
      for (const game of venue.games.values()) {
        if (game.header.open && !game.header.ended) continue;
        closedSteps++;
        for (const book of game.books.values()) for (const side of book.sides) left += side.orders.length;
      }
    });
    expect(closedSteps).toBeGreaterThan(100);
    expect(left).toBe(0);
    // the makers are still there: they quote the next game
    expect(makers.every(({ open }) => open.size > 0)).toBe(true);
  });

  it('loses the offers on old lines when the main lines are set anew, and is quoted at the new lines', () => {
    const { venue, run } = syntheticMarket({ seed: 6, speed: 12 });
    let stale = 0;
    let checked = 0;
    run((4 * HOUR) / 12, (nowMs) => {
      if ((nowMs - T0) % 1_000 !== 0) return;
      for (const { header, books } of livingGames(venue)) {
        const wanted = wantedLines(header.mainHomeSpread ?? 0, header.mainTotal ?? 0);
        for (const { market, sides } of books.values()) {
          checked++;
          if (!wanted.has(`${market.type} ${market.line}`) && sides.some(({ orders }) => orders.length > 0)) stale++;
        }
      }
    });
    expect(checked).toBeGreaterThan(5_000);
    expect(stale).toBe(0);
  });

  it('respects what an operator does: a closed market stays closed, a moved start counts, an ended game is replaced', () => {
    const { venue, run, now } = syntheticMarket({ seed: 2, games: 2 });
    const [first, second] = venue.games.values();
    if (first === undefined || second === undefined) throw new Error('no games');
    venue.changeGame(first, { open: false }, now());
    venue.changeGame(second, { start: now() + 30_000 }, now());
    run(20_000);
    expect(first.header.open).toBe(false);
    expect([...first.books.values()].every(({ sides }) => sides.every(({ orders }) => orders.length === 0))).toBe(true);
    expect(second.header.live).toBe(false);
    run(20_000);
    expect(second.header.live).toBe(true);
    venue.changeGame(first, { ended: true }, now());
    run(1_000);
    expect(first.graded).toBeUndefined();
    expect(livingGames(venue)).toHaveLength(2);
    expect(livingGames(venue)).not.toContain(first);
  });
});

const wantedLines = (spread: number, total: number): ReadonlySet<string> =>
  new Set([
    'moneyline undefined',
    `spread ${spread}`,
    `spread ${spread + (spread < 0 ? 1 : -1)}`,
    `total ${total}`,
    `total ${total + 2}`,
  ]);

/** An account that quotes and takes at random, all the time. */
function meddle(venue: Venue, user: VenueAccount, seed: number): (nowMs: number) => void {
  const random = createRandom(seed, 'meddler');
  return (nowMs) => {
    if (random.next() < 0.9) return;
    if (random.next() < 0.3) venue.cancelWhere(user, () => true, nowMs);
    for (const game of livingGames(venue)) {
      for (const book of game.books.values()) {
        const side = book.market.sides[random.next() < 0.5 ? 0 : 1];
        const best = bestOf(sideOf(book, side));
        const rung = best === undefined ? rungAtMost(random.between(0.3, 0.6), 1) : best.rung - 40;
        const takes = random.next() < 0.3;
        const ticket = { book, side, risk: microsOfDollars(random.between(10, 300)) };
        venue.place(
          user,
          takes
            ? { ...ticket, rung: rungAtMost(0.97, 1) as Rung, orderType: 'fillAndKill' }
            : { ...ticket, rung: rung as Rung, orderType: 'limit' },
          nowMs,
        );
      }
    }
  };
}

describe('accounts in the generated market', () => {
  it('change neither prices nor scores nor the course of games, whatever they do to the book', () => {
    const [quiet, busy] = [0, 1].map(() => syntheticMarket({ seed: 12, speed: 24 }));
    if (quiet === undefined || busy === undefined) throw new Error('no market');
    const user = busy.venue.addAccount({ username: 'user', coins: 1e9 });
    const act = meddle(busy.venue, user, 1);
    for (let minute = 0; minute < 11; minute++) {
      quiet.run(MINUTE);
      busy.run(MINUTE, act);
      expect(busy.traders.snapshot()).toEqual(quiet.traders.snapshot());
    }
    expect(user.fills).toBeGreaterThan(300);
  });

  it('are paid when a game is graded, and the money of all accounts together stays exactly the same', () => {
    const { venue, run } = syntheticMarket({ seed: 13, games: 1, speed: 24, sideGames: true });
    const users = ['alice', 'bob'].map((username) => venue.addAccount({ username, coins: 1e7 }));
    const before = moneyOf(venue);
    const acts = users.map((user, index) => meddle(venue, user, index));
    run(13 * MINUTE, (nowMs) => {
      for (const act of acts) act(nowMs);
    });
    const graded = [...venue.games.values()].filter((game) => game.graded !== undefined);
    expect(graded.filter(({ details }) => details.kind === 'game').length).toBeGreaterThanOrEqual(1);
    expect(new Set(graded.map(({ details }) => details.kind))).toEqual(new Set(['game', 'child', 'prop']));
    for (const user of users) {
      const settled = [...user.plays.values()].filter(({ order }) => order.book.game.graded !== undefined);
      expect(settled.length).toBeGreaterThan(100);
      const won = settled.reduce((sum, { profit }) => sum + (profit ?? Number.NaN), 0);
      expect(user.balances.coins).toBe((microsOfDollars(1e7) + won) as Micros);
    }
    expect(moneyOf(venue)).toBe(before);
  });
});

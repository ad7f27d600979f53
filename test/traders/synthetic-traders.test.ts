import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Rung } from '../../src/domain/index.ts';
import { microsOfDollars, probabilityOfRung } from '../../src/domain/index.ts';
import type { MarketBook, Venue } from '../../src/venue/index.ts';
import { bestOf, sideOf } from '../../src/venue/index.ts';
import { BookJson } from '../../src/paper/index.ts';
import { DEFAULT_PROFILE } from '../../src/wire/index.ts';
import { T0 } from '../paper/fixtures.ts';
import { HOUR, livingGames, MINUTE, syntheticMarket } from './synthetic-fixture.ts';

/** Hashes everything that the venue reports. */
function reported(seed: number, games: number, ms: number, speed: number) {
  const market = syntheticMarket({ seed, games, speed, sideGames: games > 1 });
  const json = new BookJson(DEFAULT_PROFILE);
  const hash = createHash('sha256');
  let frames = 0;
  const add = (text: string): void => {
    frames++;
    hash.update(text);
  };
  market.listen({
    sideChanged: (side) => add(json.orderUpdate(side, undefined)),
    gameChanged: (game, type) => add(json.game(game, undefined, type)),
  });
  market.run(ms);
  return { hash: hash.digest('hex'), frames, graded: gradedOf(market.venue) };
}

const gradedOf = (venue: Venue): number =>
  [...venue.games.values()].filter(({ graded }) => graded !== undefined).length;

/** Throws when offers stand that would match; true when there are offers on both sides. */
function isTwoSided(book: MarketBook): boolean {
  const [first, second] = book.sides.map(bestOf);
  if (first === undefined || second === undefined) return false;
  const sum = probabilityOfRung(first.rung) + probabilityOfRung(second.rung);
  if (sum >= 1) throw new Error(`crossed: ${book.market.id} ${sum}`);
  return true;
}

describe('the synthetic market', () => {
  it('is the same for the same seed, byte for byte, and different for another seed', () => {
    const [first, same, other] = [7, 7, 8].map((seed) => reported(seed, 6, 20_000, 1));
    expect(first?.frames).toBeGreaterThan(0);
    expect(same).toEqual(first);
    expect(other?.hash).not.toBe(first?.hash);
  });

  it('is the same over the whole course of a game, to its grade and beyond', () => {
    const [first, same] = [3, 3].map((seed) => reported(seed, 1, 12 * MINUTE, 24));
    expect(first?.graded).toBe(1);
    expect(same).toEqual(first);
  });

  it('has six games two hours or more ahead, each with moneyline, spreads and totals', () => {
    const { venue, run } = syntheticMarket({ games: 6 });
    run(1_000);
    const games = [...venue.games.values()];
    expect(games).toHaveLength(6);
    for (const game of games) {
      expect(game.header.start).toBeGreaterThanOrEqual(T0 + 7_200_000);
      expect([...game.books.values()].map((book) => book.market.type).sort()).toEqual([
        'moneyline',
        'spread',
        'spread',
        'total',
        'total',
      ]);
    }
    expect(new Set(games.flatMap(({ header }) => [header.home.name, header.away.name])).size).toBe(12);
  });

  it('stays two-sided and uncrossed, at a moderate rate of frames', () => {
    let quoted = 0;
    let checked = 0;
    let frames = 0;
    const { venue, listen, run } = syntheticMarket({ seed: 3, games: 6 });
    listen({ sideChanged: () => frames++ });
    run(120_000, () => {
      for (const game of venue.games.values()) {
        for (const book of game.books.values()) {
          checked++;
          if (isTwoSided(book)) quoted++;
        }
      }
    });
    expect(quoted / checked).toBeGreaterThan(0.97);
    expect(frames / 120).toBeGreaterThan(15);
    expect(frames / 120).toBeLessThan(60);
  });

  it('stays two-sided and uncrossed in play too, except for seconds after a jump, and is wider than before', () => {
    const width = { ahead: [] as number[], live: [] as number[] };
    let checked = 0;
    let quoted = 0;
    let openS = 0;
    const { venue, run } = syntheticMarket({ seed: 4 });
    const check = (): void => {
      const [game] = livingGames(venue);
      if (game === undefined || !game.header.open) return;
      const { live, mainHomeSpread, mainTotal } = game.header;
      // a market that has just opened is not quoted at once
      if (live && ++openS < 3) return;
      for (const book of game.books.values()) {
        const { type, line } = book.market;
        if (type === 'spread' ? line !== mainHomeSpread : type === 'total' && line !== mainTotal) continue;
        checked++;
        if (!isTwoSided(book)) continue;
        quoted++;
        const [first, second] = book.sides.map((side) => probabilityOfRung(bestOf(side)?.rung ?? (0 as Rung)));
        width[live ? 'live' : 'ahead'].push(1 - (first ?? 0) - (second ?? 0));
      }
    };
    const each = (nowMs: number): void => {
      if (livingGames(venue)[0]?.header.open === false) openS = 0;
      if ((nowMs - T0) % 1_000 === 0) check();
    };
    run(20 * MINUTE, each);
    run(1.8 * HOUR, () => {}, 10 * MINUTE);
    run(HOUR, each);
    const middle = (widths: number[]): number => widths.sort((a, b) => a - b)[widths.length >> 1] ?? 0;
    expect(quoted / checked).toBeGreaterThan(0.95);
    expect(middle(width.ahead)).toBeLessThan(0.05);
    expect(middle(width.live)).toBeGreaterThan(1.2 * middle(width.ahead));
  });

  it('changes in bursts: a game changes ten times as much as usual within a second, and informed takers follow', () => {
    const perSecond = Array.from({ length: 3_600 }, () => ({
      sides: 0,
      markets: new Set<string>(),
      informed: 0,
    }));
    const { venue, listen, run, now } = syntheticMarket({ seed: 2 });
    const taker = venue.accounts.get('taker-2');
    let fills = 0;
    listen({
      sideChanged: ({ book }) => {
        const second = perSecond[Math.floor((now() - T0) / 1000)];
        if (second === undefined) return;
        second.sides++;
        second.markets.add(book.market.id);
      },
    });
    run(HOUR, (nowMs) => {
      const second = perSecond[Math.floor((nowMs - T0) / 1000)];
      if (second !== undefined) second.informed += (taker?.fills ?? 0) - fills;
      fills = taker?.fills ?? 0;
    });
    const sides = perSecond.map((second) => second.sides).sort((a, b) => a - b);
    const median = sides[sides.length >> 1] ?? 0;
    expect(median).toBeGreaterThan(0);
    expect(sides.at(-1)).toBeGreaterThanOrEqual(10 * median);
    expect(sides.filter((count) => count >= 5 * median).length).toBeGreaterThan(10);
    // all five markets change within that second, and many times
    expect(perSecond.filter((second) => second.markets.size === 5 && second.sides >= 20).length).toBeGreaterThan(3);
    const informed = perSecond.map((second) => second.informed);
    const after = perSecond.flatMap((second, index) => (second.sides >= 20 ? [index, index + 1, index + 2] : []));
    const right = [...new Set(after)].reduce((sum, index) => sum + (informed[index] ?? 0), 0);
    const all = informed.reduce((sum, count) => sum + count, 0);
    expect(all).toBeGreaterThan(10);
    expect(right / all).toBeGreaterThan(0.8);
  });

  it('takes the best offer of any owner, so that an account that quotes inside is filled', () => {
    const { venue, run } = syntheticMarket({ seed: 5 });
    const user = venue.addAccount({ username: 'user', password: 'x', coins: 1e6 });
    const [game] = venue.games.values();
    if (game === undefined) throw new Error('no game');
    const book = venue.book(game, 'moneyline', undefined);
    run(120_000, (nowMs) => {
      if ((nowMs - T0) % 1000 !== 0) return;
      venue.cancelWhere(user, () => true, nowMs);
      for (const side of book.market.sides) {
        const best = bestOf(sideOf(book, side));
        if (best === undefined) continue;
        const ticket = { book, side, rung: (best.rung - 20) as Rung, risk: microsOfDollars(50) };
        venue.place(user, { ...ticket, orderType: 'post' }, nowMs);
      }
    });
    expect(user.fills).toBeGreaterThan(3);
  });
});

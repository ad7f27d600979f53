import { describe, expect, it } from 'vitest';
import { probabilityOfRung } from '../../../src/domain/index.ts';
import { bestOf, BookJson, sideOf, SyntheticTraders, Venue } from '../../../src/paper/index.ts';
import type { SideBook } from '../../../src/paper/index.ts';
import { DEFAULT_PROFILE } from '../../../src/wire/index.ts';
import { T0 } from '../fixtures.ts';

function market(seed: number, seconds: number, during?: (venue: Venue, nowMs: number) => void) {
  const venue = new Venue({ seed });
  const json = new BookJson(DEFAULT_PROFILE);
  const frames: string[] = [];
  const traders = new SyntheticTraders(venue, { seed, games: 6, league: 'NBA' }, T0);
  venue.sink = {
    sideChanged: (side: SideBook) => void frames.push(json.orderUpdate(side, undefined)),
    gameChanged: () => {},
    position: () => {},
  };
  for (let ms = 100; ms <= seconds * 1000; ms += 100) {
    traders.step(T0 + ms);
    during?.(venue, T0 + ms);
  }
  return { venue, frames };
}

describe('the synthetic market', () => {
  it('is the same for the same seed, byte for byte, and another for another seed', () => {
    const [one, same, other] = [market(7, 20), market(7, 20), market(8, 20)];
    expect(one.frames.length).toBeGreaterThan(0);
    expect(same.frames).toEqual(one.frames);
    expect(other.frames).not.toEqual(one.frames);
  });

  it('has six games two hours and more ahead, each with moneyline, spreads and totals', () => {
    const { venue } = market(1, 1);
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
    let looked = 0;
    const { frames } = market(3, 120, (venue) => {
      for (const game of venue.games.values()) {
        for (const book of game.books.values()) {
          const [first, second] = book.sides.map(bestOf);
          looked++;
          if (first === undefined || second === undefined) continue;
          quoted++;
          const sum = probabilityOfRung(first.rung) + probabilityOfRung(second.rung);
          if (sum >= 1) throw new Error(`crossed: ${sum}`);
        }
      }
    });
    expect(quoted / looked).toBeGreaterThan(0.97);
    expect(frames.length / 120).toBeGreaterThan(15);
    expect(frames.length / 120).toBeLessThan(60);
  });

  it('takes the best offer whoever owns it, so an account that quotes inside gets filled', () => {
    const venue = new Venue({ seed: 5 });
    const user = venue.addAccount({ username: 'user', password: 'x', coins: 1e6 });
    const traders = new SyntheticTraders(venue, { seed: 5, games: 1, league: 'NBA' }, T0);
    const [game] = venue.games.values();
    if (game === undefined) throw new Error('no game');
    const book = venue.book(game, 'moneyline', undefined);
    for (let ms = 100; ms <= 120_000; ms += 100) {
      if (ms % 1000 === 0) {
        venue.cancelWhere(user, () => true, T0 + ms);
        for (const side of book.market.sides) {
          const best = bestOf(sideOf(book, side));
          if (best !== undefined)
            venue.place(
              user,
              { book, side, rung: (best.rung - 20) as never, risk: 50_000_000 as never, orderType: 'post' },
              T0 + ms,
            );
        }
      }
      traders.step(T0 + ms);
    }
    expect(user.fills).toBeGreaterThan(3);
  });
});

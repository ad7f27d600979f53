import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Micros } from '../../src/domain/index.ts';
import { crosses, rungOf } from '../../src/domain/index.ts';
import { bestOf, sideOf, Venue } from '../../src/venue/index.ts';
import { BookJson } from '../../src/paper/index.ts';
import { TapeFeed } from '../../src/traders/index.ts';
import { decodeTape } from '../../src/tape/tape-stream.ts';
import { DEFAULT_PROFILE, parseOrderUpdate } from '../../src/wire/index.ts';

const RECORDED = '../shared/data/nba-cle-min-inplay.ndjson.gz';

it.skipIf(!existsSync(RECORDED))(
  `a recorded game plays among own quotes: they fill, money is conserved, and every frame can be read (needs ${RECORDED})`,
  async () => {
    const venue = new Venue();
    const maker = venue.addAccount({ username: 'maker', password: 'x', coins: 1e6 });
    const json = new BookJson(DEFAULT_PROFILE);
    let frames = 0;
    venue.sink = {
      sideChanged: (side) => {
        const perspective = { odds: 'offerer', side: 'offerer', line: 'offerer' } as const;
        const read = parseOrderUpdate(json.orderUpdate(side, maker), perspective);
        if (!read.ok) throw new Error(read.problem);
        frames++;
      },
      gameChanged: () => {},
      position: () => {},
    };
    const feed = new TapeFeed({ name: RECORDED, events: decodeTape(RECORDED, {}) });
    await feed.prepare({ atMs: Date.parse('2019-12-29T01:30:00Z') });
    feed.open(venue, 1, undefined, 0);
    const [game] = venue.games.values();
    if (game === undefined) throw new Error('no game');
    expect(game.header.live).toBe(true);
    const book = venue.book(game, 'moneyline', undefined);
    let now = 0;
    let nextQuote = 0;
    let refused = 0;
    await feed.play({
      now: () => now,
      until: (dueMs) => {
        now = dueMs;
        if (now >= nextQuote && game.header.open) {
          nextQuote = now + 5000;
          venue.cancelWhere(maker, () => true, now);
          for (const side of book.market.sides) {
            const best = bestOf(sideOf(book, side));
            if (best === undefined) continue;
            const ticket = {
              book,
              side,
              rung: rungOf(best.odds),
              risk: 50_000_000 as Micros,
              orderType: 'post',
            } as const;
            if (!venue.place(maker, ticket, now).ok) refused++;
          }
          const [home, away] = book.sides.map((side) => side.orders[0]);
          if (home !== undefined && away !== undefined) expect(crosses(home.rung, away.rung)).toBe(false);
        }
        return Promise.resolve();
      },
    });
    expect(game.header.ended).toBe(true);
    expect(frames).toBeGreaterThan(5000);
    expect(maker.fills).toBeGreaterThan(100);
    expect(refused).toBeLessThan(1000);
    expect(maker.open.size).toBe(0);
    const positions = [maker, venue.tape].map((account) => account.credit.coins.positionOf(book.market));
    expect(positions.reduce((sum, position) => sum + position.first, 0)).toBe(0);
    expect(positions.reduce((sum, position) => sum + position.second, 0)).toBe(0);
  },
);

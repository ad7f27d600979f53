import { describe, expect, it } from 'vitest';
import type { OrderId } from '../../src/domain/index.ts';
import { oppositeRung, oppositeSide, winOf } from '../../src/domain/index.ts';
import type { Tempo } from '../../src/traders/index.ts';
import type { VenueOrder } from '../../src/venue/index.ts';
import { bestOf } from '../../src/venue/index.ts';
import { BUSY } from '../../src/traders/index.ts';
import { T0 } from '../paper/fixtures.ts';
import { HOUR, MINUTE, syntheticMarket } from './synthetic-fixture.ts';

/** Deep books that move rarely. */
const CALM: Tempo = {
  lines: 'main',
  drift: 0.4,
  news: 0.2,
  stops: 1,
  makers: 2,
  levels: [2, 3],
  edge: 1,
  requoteAt: { ahead: 0.012, live: 0.02 },
  pullAt: { ahead: 0.03, live: 0.05 },
  refill: 'gone',
  waiting: 10,
  noiseEvery: [50, 150],
  lightNoiseEvery: [60, 240],
  noiseMost: 300,
};

/** An hour of one game before its start, and all orders that rested in it. */
function hour(tempo: Tempo) {
  const market = syntheticMarket({ seed: 6, starts: [T0 + 3 * HOUR], tempo });
  const seen = new Map<OrderId, VenueOrder>();
  const lengths: number[] = [];
  market.run(MINUTE);
  market.listen({
    sideChanged: ({ orders }) => {
      lengths.push(orders.length);
      for (const order of orders) seen.set(order.id, order);
    },
  });
  market.run(HOUR);
  const ofMaker = (name: string) => [...seen.values()].filter(({ account }) => account.username === name);
  return { ...market, frames: lengths.length, mean: sum(lengths) / lengths.length, ofMaker };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

describe('the tempo of a generated market', () => {
  it('is busy by default; a calm market moves far less, in deeper books of main lines only', () => {
    const [busy, calm] = [hour(BUSY), hour(CALM)];
    expect(busy.frames).toBeGreaterThan(20 * calm.frames);
    expect(calm.frames).toBeGreaterThan(100);
    expect(calm.mean).toBeGreaterThan(1.3 * busy.mean);
    const [game] = calm.venue.games.values();
    expect([...(game?.books.values() ?? [])].map(({ market }) => market.type)).toEqual([
      'moneyline',
      'spread',
      'total',
    ]);
    const byDefault = syntheticMarket({ seed: 6, starts: [T0 + 3 * HOUR] });
    byDefault.run(MINUTE);
    expect([...byDefault.venue.games.values()][0]?.books.size).toBe(5);
  });

  it('leaves offers far from the price where they stand, while makers renew their quotes', () => {
    const { venue, ofMaker } = hour(CALM);
    const [quoting, waiting] = [ofMaker('maker-1'), ofMaker('maker-3')];
    const resting = venue.accounts.get('maker-3')?.open.size ?? 0;
    expect(resting).toBeGreaterThanOrEqual(6 * 5);
    expect(waiting.length).toBeLessThan(1.5 * resting);
    expect(quoting.length).toBeGreaterThan(3 * (venue.accounts.get('maker-1')?.open.size ?? 0));
    for (const { side, rung, book } of waiting) {
      const best = bestOf(book.sides[book.market.sides.indexOf(side)] ?? book.sides[0]);
      expect(rung).toBeGreaterThan(best?.rung ?? Number.POSITIVE_INFINITY);
    }
  });

  it('restores what was taken and leaves the rest of the ladder: only the taken offer changes its id', () => {
    const { venue, run, now } = syntheticMarket({
      seed: 6,
      starts: [T0 + 3 * HOUR],
      // nothing else happens
      tempo: { ...CALM, drift: 0, news: 0, noiseEvery: [7200, 7200] },
    });
    run(MINUTE);
    const [game] = venue.games.values();
    if (game === undefined) throw new Error('no game');
    const book = venue.book(game, 'moneyline', undefined);
    const ladder = () => [...(book.sides[0]?.orders ?? [])];
    const before = ladder();
    const best = bestOf(book.sides[0]) as VenueOrder;
    const taker = venue.addAccount({ username: 'user', password: 'x', coins: 1e6 });
    const [rung, risk] = [oppositeRung(best.rung), winOf(best.remaining, best.odds)];
    const ticket = { book, side: oppositeSide(best.side), rung, risk };
    venue.place(taker, { ...ticket, orderType: 'fillAndKill' }, now());
    expect(best.status).toBe('filled');
    run(5_000);
    const after = ladder();
    const fresh = after.filter((order) => !before.includes(order));
    expect(fresh.map(({ rung, offered }) => [rung, offered])).toEqual([[best.rung, best.offered]]);
    expect(before.filter((order) => !after.includes(order))).toEqual([best]);
  });
});

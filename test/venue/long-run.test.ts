// Memory that a long-running venue must free.
import { describe, expect, it } from 'vitest';
import type { GameMessage, Ladder, OrderId, Rung } from '../../src/domain/index.ts';
import { microsOfDollars } from '../../src/domain/index.ts';
import { createTapeClock, TapeTraders } from '../../src/traders/index.ts';
import { sideOf } from '../../src/venue/index.ts';
import { accepted, T0, venueFixture } from '../paper/fixtures.ts';

describe('ended orders', () => {
  it('are forgotten except for the newest when the venue limits their number', () => {
    const { venue, account, moneyline, tick } = venueFixture({ keepEnded: 3 });
    const maker = account('m');
    const orders = Array.from({ length: 20 }, (_none, index) => {
      const ticket = { book: moneyline, side: 'home', rung: 10 as Rung, risk: microsOfDollars(5) } as const;
      const { order } = accepted(venue.place(maker, { ...ticket, orderType: 'post', reference: `r${index}` }, tick()));
      if (index > 0) venue.cancel(maker, order.id, tick());
      return order;
    });
    const known = orders.filter(({ id }) => venue.orderById(id) !== undefined);
    // the first order still rests
    expect(known[0]).toBe(orders[0]);
    expect(known.slice(-3)).toEqual(orders.slice(-3));
    expect(known.length).toBeLessThanOrEqual(1 + 2 * 3);
    expect([...maker.byReference.keys()]).toEqual(known.map(({ reference }) => reference));
  });
});

describe('a recorded game that ended', () => {
  it('leaves no recorded offers in its books', () => {
    const { venue, game, moneyline, tick } = venueFixture();
    const clock = createTapeClock(T0, T0, 1);
    const traders = new TapeTraders({ venue, clock });
    const offers: Ladder = [
      {
        id: 'g' as OrderId,
        rung: 10 as Rung,
        risk: microsOfDollars(10),
        untaken: microsOfDollars(10),
        createdAt: '2026-01-01T00:00:00Z',
        own: false,
      },
    ];
    const message = (fields: Partial<GameMessage>): GameMessage => ({
      gameId: game.header.id,
      parentGameId: undefined,
      league: undefined,
      sport: undefined,
      eventName: undefined,
      start: undefined,
      live: undefined,
      ended: undefined,
      futures: undefined,
      participants: undefined,
      mainHomeSpread: undefined,
      mainTotal: undefined,
      messageType: undefined,
      ladders: [],
      covers: [],
      ...fields,
    });
    const apply = (fields: Partial<GameMessage>): void => {
      const ts = tick();
      traders.applyGame({ ts, what: 'game', game: message(fields), exhausted: [] }, ts);
    };
    const home = { type: 'moneyline', side: 'home' } as const;
    apply({ ladders: [{ ...home, line: undefined, offers }], covers: [home] });
    const side = sideOf(moneyline, 'home');
    expect(side.ghosts).toHaveLength(1);
    // a closed market may open again
    apply({ messageType: 'marketClosed' });
    expect(side.ghosts).toHaveLength(1);
    apply({ ended: true });
    expect([side.ghosts.length, side.ghostById.size]).toEqual([0, 0]);
  });
});

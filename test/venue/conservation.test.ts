import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Side } from '../../src/domain/index.ts';
import type { VenueAccount, OrderType } from '../../src/venue/index.ts';
import { bestOf } from '../../src/venue/index.ts';
import { venueFixture } from '../paper/fixtures.ts';

const action = fc.record({
  who: fc.integer({ min: 0, max: 3 }),
  side: fc.constantFrom<Side>('home', 'away'),
  odds: fc.oneof(
    fc.integer({ min: -130, max: -100 }),
    fc.integer({ min: 100, max: 130 }),
    fc.constantFrom(-10_000, 10_000, 99_999.5, -100.5),
  ),
  cents: fc.integer({ min: 100, max: 100_000 }),
  orderType: fc.constantFrom<OrderType>('post', 'limit', 'fillAndKill', 'fillOrKill'),
  cancel: fc.boolean(),
});

it('the venue conserves money to the micro-dollar: the losses of some accounts are the gains of others', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const { venue, moneyline, account, place, tick } = venueFixture();
      const accounts = ['a', 'b', 'c', 'd'].map((name) => account(name, { coins: 1e6 }));
      for (const { who, side, odds, cents, orderType, cancel } of actions) {
        const actor = accounts[who] as VenueAccount;
        place(actor, side, odds, cents / 100, orderType);
        const [first] = actor.open.values();
        if (cancel && first !== undefined) venue.cancel(actor, first.id, tick());
      }
      const positions = [...accounts, venue.tape].map((holder) => holder.credit.coins.positionOf(moneyline.market));
      expect(positions.reduce((sum, position) => sum + position.first, 0)).toBe(0);
      expect(positions.reduce((sum, position) => sum + position.second, 0)).toBe(0);
      const [home, away] = moneyline.sides.map(bestOf);
      // no crossing offers remain, except for amounts that are too small to match
      if (home !== undefined && away !== undefined && home.rung + away.rung <= 0) {
        const [h, a] = [home, away].map((offer) => (offer?.kind === 'order' ? offer.remaining : 0));
        expect(Math.min(h ?? 0, a ?? 0)).toBeLessThan(10_000);
      }
      for (const side of moneyline.sides) {
        for (const order of side.orders) {
          expect(order.remaining).toBe(order.offered - order.filled);
          expect(order.remaining).toBeGreaterThan(0);
        }
      }
    }),
    { numRuns: 200 },
  );
});

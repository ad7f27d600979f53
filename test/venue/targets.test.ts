// Takes of one named offer, and the limit on an account's loss on one game.
import { describe, expect, it } from 'vitest';
import type { OrderId, Side } from '../../src/domain/index.ts';
import { microsOfDollars, toRung } from '../../src/domain/index.ts';
import type { VenueAccount, Placed, Refusal } from '../../src/venue/index.ts';
import { wireProfileSchema } from '../../src/wire/index.ts';
import { accepted, dollars, refused, venueFixture } from '../paper/fixtures.ts';

function fixture(options: Parameters<typeof venueFixture>[0] = {}) {
  const base = venueFixture(options);
  const take = (who: VenueAccount, side: Side, odds: number, risk: number, target: string): Placed | Refusal => {
    const rung = toRung(odds);
    if (rung === undefined) throw new Error(`no odds: ${odds}`);
    const ticket = { book: base.moneyline, side, rung, risk: microsOfDollars(risk), target: target as OrderId };
    return base.venue.place(who, { ...ticket, orderType: 'limit' }, base.tick());
  };
  return { ...base, take };
}

describe('a take of a named offer', () => {
  it('fills only against that offer, even when others are better or older, and rests no remainder', () => {
    const { account, place, take, moneyline } = fixture();
    const [maker, taker] = [account('maker'), account('taker')];
    accepted(place(maker, 'home', 100, 50, 'post'));
    const named = accepted(place(maker, 'home', 110, 50, 'post')).order;
    const { plays, rests } = accepted(take(taker, 'away', -110, 22, named.id));
    expect(plays.map((play) => [play.counterparty, dollars(play.risk), play.odds])).toEqual([[named.id, 22, -110]]);
    expect(dollars(named.remaining)).toBe(30);
    expect(rests).toBe(false);
    expect(moneyline.sides[1].orders).toEqual([]);
  });

  it('is refused with the reason why the offer cannot be taken', () => {
    const { account, place, take, venue, tick } = fixture();
    const [maker, taker] = [account('maker', { mode: 'cash' }), account('taker')];
    const post = (): string => accepted(place(maker, 'home', 110, 50, 'post')).order.id;
    const message = (result: Placed | Refusal): readonly [number, string] => {
      const { status, message: reason } = refused(result);
      return [status, reason];
    };
    const cancelled = post();
    venue.cancel(maker, cancelled, tick());
    expect(message(take(taker, 'away', -110, 10, cancelled))).toEqual([409, 'Session is cancelled']);
    const edited = post();
    const rung = toRung(120);
    const book = venue.orderById(edited)?.book;
    if (rung === undefined || book === undefined) throw new Error('no order to edit');
    venue.edit(maker, edited, { book, side: 'home', rung, risk: microsOfDollars(50), orderType: 'limit' }, tick());
    expect(message(take(taker, 'away', -110, 10, edited))).toEqual([409, 'Odds have been edited']);
    const expiring = accepted(
      venue.place(
        maker,
        { book, side: 'home', rung, risk: microsOfDollars(50), orderType: 'post', expiryMs: tick() + 1 },
        tick(),
      ),
    ).order.id;
    tick(1000);
    expect(message(take(taker, 'away', -120, 10, expiring))).toEqual([409, 'Session is expired']);
    const worse = post();
    expect(message(take(taker, 'away', -105, 10, worse))).toEqual([409, 'Odds have been edited']);
    expect(message(take(taker, 'away', -110, 60, worse))).toEqual([
      409,
      'Order size exceeds quantity available, which is $55.00',
    ]);
    expect(message(take(maker, 'away', -110, 10, worse))).toEqual([409, `You cannot fill your own order: ${worse}`]);
    expect(message(take(taker, 'home', -110, 10, worse))[0]).toBe(400);
    expect(message(take(taker, 'away', -110, 10, 'unknown'))).toEqual([404, 'Order not found: unknown']);
    accepted(take(taker, 'away', -110, 55, worse));
    expect(message(take(taker, 'away', -110, 10, worse))).toEqual([
      409,
      'Order size exceeds quantity available, which is $0.00',
    ]);
  });
});

describe('the liability of an account', () => {
  it('is limited per game when the profile sets a limit', () => {
    const { account, place, venue, game } = fixture({
      profile: wireProfileSchema.parse({ maxLiability: 100 }),
    });
    const maker = account('maker');
    accepted(place(maker, 'home', 110, 60, 'post'));
    expect(refused(place(maker, 'home', 110, 60, 'post'))).toMatchObject({
      status: 409,
      message: 'Exceeds max liability 100',
      errorType: 'rejected_liability',
    });
    // an offer on the opposite side of the game adds no liability
    accepted(place(maker, 'away', 110, 60, 'post'));
    expect(refused(place(maker, 'over', 110, 60, 'post', venue.book(game, 'total', 210.5))).status).toBe(409);
  });
});

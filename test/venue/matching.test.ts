import { describe, expect, it } from 'vitest';
import { bestOf, sideOf } from '../../src/venue/index.ts';
import { accepted, dollars, refused, T0, venueFixture } from '../paper/fixtures.ts';

describe('matching', () => {
  it('fills at the resting price, best price first, then oldest order first', () => {
    const { account, place, moneyline } = venueFixture();
    const [a, b, c, taker] = [account('a'), account('b'), account('c'), account('t')];
    const worse = accepted(place(a, 'home', 110, 100, 'post')).order;
    const older = accepted(place(b, 'home', 105, 100, 'post')).order;
    const younger = accepted(place(c, 'home', 105, 100, 'post')).order;
    const taken = accepted(place(taker, 'away', -110, 200));
    // a risk of 105 takes the older 100 at +105; the remaining 95 take from the younger order
    expect(taken.plays.map((play) => [play.counterparty, play.odds, dollars(play.risk)])).toEqual([
      [older.id, -105, 105],
      [younger.id, -105, 95],
    ]);
    expect(older.status).toBe('filled');
    expect(dollars(younger.remaining)).toBeCloseTo(100 - 95 / 1.05, 6);
    expect(worse.remaining).toBe(worse.offered);
    expect(taken.rests).toBe(false);
    expect(bestOf(sideOf(moneyline, 'home'))).toBe(younger);
  });

  it('treats +100 and −100 as one price', () => {
    const { account, place } = venueFixture();
    accepted(place(account('a'), 'home', 100, 50, 'post'));
    expect(accepted(place(account('b'), 'away', -100, 50)).plays).toHaveLength(1);
  });

  it.each([
    ['post', 'refuses an offer that would cross', false, 0, false],
    ['limit', 'takes what crosses and rests the remainder', true, 50, true],
    ['fillAndKill', 'takes what crosses and drops the remainder', true, 50, false],
    ['fillOrKill', 'refuses an order that cannot be filled completely', false, 0, false],
  ] as const)('with %s it %s', (orderType, _name, ok, filled, rests) => {
    const { account, place } = venueFixture();
    accepted(place(account('a'), 'home', 100, 50, 'post'));
    const result = place(account('b'), 'away', 100, 80, orderType);
    expect(result.ok).toBe(ok);
    if (!result.ok) {
      expect(result).toMatchObject({ status: 409, errorType: 'rejected_order_type_rules' });
      return;
    }
    expect(dollars(result.plays.reduce((sum, play) => sum + play.risk, 0))).toBe(filled);
    expect(result.rests).toBe(rests);
    if (rests) expect(dollars(result.order.offered)).toBe(30);
  });

  it('names the available size when a fillOrKill order is too large', () => {
    const { account, place } = venueFixture();
    accepted(place(account('a'), 'home', 110, 50, 'post'));
    expect(refused(place(account('b'), 'away', -110, 80, 'fillOrKill')).message).toBe(
      'Order size exceeds quantity available, which is $55.00',
    );
  });

  it('matches only equal lines', () => {
    const { venue, game, account, place } = venueFixture();
    accepted(place(account('a'), 'home', -110, 50, 'post', venue.book(game, 'spread', -3.5)));
    expect(accepted(place(account('b'), 'away', 110, 50, 'limit', venue.book(game, 'spread', -3))).plays).toHaveLength(
      0,
    );
    expect(
      accepted(place(account('c'), 'away', 110, 50, 'limit', venue.book(game, 'spread', -3.5))).plays,
    ).toHaveLength(1);
  });

  it('refuses to fill an own order in cash mode and fills it in coins mode', () => {
    const { account, place } = venueFixture();
    const cash = account('cash', { mode: 'cash' });
    const resting = accepted(place(cash, 'home', 100, 50, 'post')).order;
    expect(refused(place(cash, 'away', 100, 50)).message).toBe(`You cannot fill your own order: ${resting.id}`);
    const coins = account('coins');
    accepted(place(coins, 'home', -105, 10, 'post'));
    const own = accepted(place(coins, 'away', 105, 10.5));
    expect(own.plays).toHaveLength(1);
    expect(coins.fills).toBe(2);
    expect(new Set(coins.plays.keys()).size).toBe(2);
  });

  it('refuses an order that the balance does not cover at the worst final score', () => {
    const { account, place } = venueFixture();
    const who = account('a', { coins: 100 });
    accepted(place(who, 'home', 100, 90, 'post'));
    expect(refused(place(who, 'home', 110, 20, 'post'))).toMatchObject({
      status: 409,
      message: 'Order size exceeds available credit',
      errorType: 'rejected_liability',
    });
    // only one side can lose, so only the larger stake counts
    expect(place(who, 'away', 120, 90, 'post').ok).toBe(true);
  });

  it('frees the credit of a cancelled order', () => {
    const { venue, account, place, tick } = venueFixture();
    const who = account('a', { coins: 100 });
    const { order } = accepted(place(who, 'home', 100, 100, 'post'));
    expect(venue.cancel(who, order.id, tick()).ok).toBe(true);
    expect(place(who, 'home', 100, 100, 'post').ok).toBe(true);
  });

  it('refuses places on a game that has started but is not live, or is closed', () => {
    const late = venueFixture({}, { start: T0 - 1 });
    expect(refused(late.place(late.account('a'), 'home', 100, 5)).message).toBe('Game is past start time');
    const live = venueFixture({}, { start: T0 - 1, live: true });
    expect(live.place(live.account('a'), 'home', 100, 5).ok).toBe(true);
    const closed = venueFixture({}, { open: false });
    expect(refused(closed.place(closed.account('a'), 'home', 100, 5))).toMatchObject({
      status: 409,
      message: 'Game has been taken OTB or is graded',
    });
  });
});

describe('an order', () => {
  it('ends at its expiry and emits a cancel record', () => {
    const { venue, account, moneyline, records, tick } = venueFixture();
    const who = account('a');
    const placed = accepted(
      venue.place(
        who,
        {
          book: moneyline,
          side: 'home',
          rung: 0 as never,
          risk: 5_000_000 as never,
          orderType: 'post',
          expiryMs: T0 + 60_000,
        },
        tick(),
      ),
    );
    venue.advance(T0 + 59_999);
    expect(placed.order.status).toBe('open');
    venue.advance(T0 + 60_000);
    expect(placed.order.status).toBe('cancelled');
    expect(records.at(-1)?.record).toMatchObject({
      unmatched: { offered: 0, remaining: 0 },
      play: undefined,
    });
    expect(who.open.size).toBe(0);
  });

  it('ends at the start of the game when gameStartExpiry is set', () => {
    const { venue, game, account, moneyline } = venueFixture();
    const ticket = {
      book: moneyline,
      side: 'home',
      rung: 0 as never,
      risk: 5_000_000 as never,
      orderType: 'post',
    } as const;
    const stays = accepted(venue.place(account('a'), ticket, T0));
    const goes = accepted(venue.place(account('b'), { ...ticket, gameStartExpiry: true }, T0));
    venue.advance(game.header.start);
    expect([stays.order.status, goes.order.status]).toEqual(['open', 'cancelled']);
  });

  it('is replaced by an edit: a cancel of the old id, then a new order', () => {
    const { venue, account, place, moneyline, records, tick } = venueFixture();
    const who = account('a', { coins: 100 });
    const old = accepted(place(who, 'home', 100, 90, 'post')).order;
    records.length = 0;
    const edited = venue.edit(
      who,
      old.id,
      { book: moneyline, side: 'home', rung: 50 as never, risk: 95_000_000 as never, orderType: 'post' },
      tick(),
    );
    expect(edited.ok && edited.placed.ok && edited.placed.order.id).not.toBe(old.id);
    expect(records.map(({ record }) => record.unmatched?.offered)).toEqual([0, 95_000_000]);
    expect(
      venue.edit(
        who,
        old.id,
        { book: moneyline, side: 'home', rung: 50 as never, risk: 95_000_000 as never, orderType: 'post' },
        tick(),
      ),
    ).toMatchObject({ status: 404 });
  });

  it('is unchanged by an edit that is refused', () => {
    const { venue, account, place, moneyline, tick } = venueFixture();
    const who = account('a', { coins: 100 });
    const old = accepted(place(who, 'home', 100, 90, 'post')).order;
    expect(
      venue.edit(
        who,
        old.id,
        { book: moneyline, side: 'home', rung: 0 as never, risk: 101_000_000 as never, orderType: 'post' },
        tick(),
      ),
    ).toMatchObject({ status: 409 });
    expect(old.status).toBe('open');
  });

  it('is refused a cancel with a status that depends on whether it is unknown, foreign, filled or cancelled', () => {
    const { venue, account, place, tick } = venueFixture();
    const [a, b] = [account('a'), account('b')];
    const filled = accepted(place(a, 'home', 100, 10, 'post')).order;
    accepted(place(b, 'away', 100, 10));
    const open = accepted(place(a, 'home', 100, 10, 'post')).order;
    expect(venue.cancel(a, 'unknown', tick())).toMatchObject({ status: 404 });
    expect(venue.cancel(b, open.id, tick())).toMatchObject({
      status: 403,
      message: `Not your order: ${open.id}`,
    });
    expect(venue.cancel(a, filled.id, tick())).toMatchObject({ status: 409 });
    expect(venue.cancel(a, open.id, tick())).toMatchObject({ ok: true });
    expect(venue.cancel(a, open.id, tick())).toMatchObject({ status: 404 });
  });

  it('is cancelled by a cancel-all at 15 per second, while individual cancels get 423', () => {
    const { venue, account, place, moneyline } = venueFixture();
    const who = account('a');
    const orders = Array.from({ length: 31 }, (_, index) => accepted(place(who, 'home', 101 + index, 5, 'post')).order);
    const start = T0 + 10_000;
    venue.cancelAll(who, start);
    const late = accepted(
      venue.place(
        who,
        {
          book: moneyline,
          side: 'home',
          rung: 900 as never,
          risk: 5_000_000 as never,
          orderType: 'post',
        },
        start + 1,
      ),
    ).order;
    venue.advance(start + 1000);
    const left = orders.filter((order) => order.status === 'open').length;
    expect(left).toBeGreaterThanOrEqual(15);
    expect(left).toBeLessThanOrEqual(16);
    expect(venue.cancel(who, late.id, start + 1000)).toMatchObject({
      status: 423,
      details: { code: 'CANCEL_ALL_IN_PROGRESS' },
    });
    venue.advance(start + 2100);
    expect(orders.every((order) => order.status === 'cancelled')).toBe(true);
    expect(late.status).toBe('open');
    expect(venue.cancel(who, late.id, start + 2101).ok).toBe(true);
  });

  it('leaves the book when its game ends', () => {
    const { venue, game, account, place, tick } = venueFixture();
    const { order } = accepted(place(account('a'), 'home', 100, 10, 'post'));
    venue.changeGame(game, { ended: true, open: false }, tick());
    expect(order.status).toBe('cancelled');
  });
});

describe('emitted events', () => {
  it('are sent once per changed side and operation, position records before sides', () => {
    const { account, place, emitted, records } = venueFixture();
    for (const name of ['a', 'b', 'c']) accepted(place(account(name), 'home', 100, 10, 'post'));
    emitted.length = 0;
    records.length = 0;
    accepted(place(account('t'), 'away', 100, 40));
    expect(emitted.map((emission) => emission.what === 'side' && emission.side.side)).toEqual(['home', 'away']);
    // one maker and one taker record for each of three fills, and one for the resting remainder
    expect(
      records.map(({ account: who, record }) => [
        who.username,
        record.unmatched === undefined ? 'took' : record.play === undefined ? 'posted' : 'filled',
      ]),
    ).toEqual([
      ['a', 'filled'],
      ['t', 'took'],
      ['b', 'filled'],
      ['t', 'took'],
      ['c', 'filled'],
      ['t', 'took'],
      ['t', 'posted'],
    ]);
  });
});

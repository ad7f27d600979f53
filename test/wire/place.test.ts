import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GameId, Market, OrderId, PlaceResult, Side, Why } from '../../src/domain/index.ts';
import { market, microsOfDollars, toRung } from '../../src/domain/index.ts';
import {
  callOf,
  DEFAULT_PROFILE,
  encodeEdit,
  encodePlace,
  parseEditReply,
  parsePlaceReply,
  profileOf,
  wireProfileSchema,
} from '../../src/wire/index.ts';
import { LIVE_GAME, newOrder, participants, problem, value } from './fixtures.ts';

const GAME = 'g1' as GameId;
const WHY: Why = { cause: 'shy', intent: null, value: 0, waitedMs: 0, over: 'wait', because: 'it is the only one' };
const rested = {
  matched: [],
  unmatched: { orderID: 'o1', offered: 100, remaining: 100, odds: 105, userReference: 'r1' },
};
const fill = { txID: 't1', odds: '-105', risk: '40', win: 38.1, amount: 40, orderID: 'theirs' };
const reply = (...createdSessions: readonly unknown[]) => ({ data: { createdSessions } });
const results = (...sessions: readonly unknown[]): readonly PlaceResult[] =>
  value(parsePlaceReply(reply(...sessions), sessions.length));

describe('a place request', () => {
  it.each<[Market, Side, object]>([
    [market(GAME, 'moneyline'), 'home', { type: 'moneyline', side: 'p-home' }],
    [market(GAME, 'moneyline'), 'away', { type: 'moneyline', side: 'p-away' }],
    [market(GAME, 'spread', -3.5), 'home', { type: 'spread', side: 'p-home', number: -3.5 }],
    [market(GAME, 'spread', -3.5), 'away', { type: 'spread', side: 'p-away', number: 3.5 }],
    [market(GAME, 'spread', 0), 'away', { type: 'spread', side: 'p-away', number: 0 }],
    [market(GAME, 'total', 210.5), 'over', { type: 'total', side: 'over', number: 210.5 }],
    [market(GAME, 'total', 210.5), 'under', { type: 'total', side: 'under', number: 210.5 }],
  ])('writes the market %j and its side %s as the owner of the order sees them', (orderMarket, side, expected) => {
    const body = encodePlace([newOrder(orderMarket, side, -105.5, 20.25)], participants, DEFAULT_PROFILE);
    expect(body).toEqual({
      orders: [{ gameID: 'g1', ...expected, odds: -105.5, risk: 20.25, orderType: 'post', userReference: 'r1' }],
    });
    expect(JSON.stringify(body)).not.toContain('-0,');
  });

  it('writes a batch in the order given', () => {
    const orders = ['r1', 'r2', 'r3'].map((ref) => newOrder(market(GAME, 'moneyline'), 'home', 105, 10, ref));
    const rows = encodePlace(orders, participants, DEFAULT_PROFILE)?.['orders'] as {
      userReference: string;
    }[];
    expect(rows.map((row) => row.userReference)).toEqual(['r1', 'r2', 'r3']);
  });

  it('writes the size under the name that the profile sets, and the expiry when there is one', () => {
    const order = newOrder(market(GAME, 'moneyline'), 'home', 105, 10);
    const body = encodePlace([order], participants, wireProfileSchema.parse({ riskField: 'bet' }), 30);
    expect(body?.['orders']).toMatchObject([{ bet: 10, expirationMinutes: 30 }]);
    expect(JSON.stringify(body)).not.toContain('risk');
  });

  it.each<['spec' | 'family', GameId, number | undefined, number | undefined]>([
    ['spec', GAME, undefined, undefined],
    ['spec', LIVE_GAME, undefined, undefined],
    ['spec', LIVE_GAME, 7, 7],
    ['family', GAME, undefined, undefined],
    ['family', GAME, 7, 7],
    ['family', LIVE_GAME, 7, 7],
    // without minutes it would end at a start that has passed
    ['family', LIVE_GAME, undefined, 1440],
  ])(
    'in preset %s, for game %s and orders.expiry of %s minutes, has an expiry of %s minutes',
    (preset, game, set, minutes) => {
      const order = newOrder(market(game, 'moneyline'), 'home', 105, 10);
      const context = { profile: profileOf(preset), participants, expirationMinutes: set };
      const place = callOf({ type: 'place', req: 1, permit: 1, orders: [order], why: [WHY] }, context);
      expect(place?.body).toMatchObject({ orders: [{ userReference: 'r1' }] });
      const [row] = (place?.body as { readonly orders: readonly object[] }).orders;
      expect(row).toEqual(expect.objectContaining(minutes === undefined ? {} : { expirationMinutes: minutes }));
      if (minutes === undefined) expect(row).not.toHaveProperty('expirationMinutes');
      const orderId = 'o1' as OrderId;
      const edit = callOf({ type: 'edit', req: 1, permit: 1, orderId, order, why: WHY }, context);
      expect(edit?.body).toMatchObject({ expiryChange: minutes ?? 0 });
    },
  );

  it('is not written when the participants of a game are unknown', () => {
    const known = newOrder(market(GAME, 'moneyline'), 'home', 105, 10);
    const unknown = newOrder(market('g2' as GameId, 'moneyline'), 'home', 105, 10);
    expect(encodePlace([known, unknown], participants, DEFAULT_PROFILE)).toBeUndefined();
  });

  it('writes every price and every size exactly', () => {
    const tenths = fc.integer({ min: 1000, max: 1_000_000 });
    fc.assert(
      fc.property(tenths, fc.boolean(), fc.integer({ min: 1, max: 100_000 }), (n, negative, cents) => {
        const odds = (negative && n > 1000 ? -n : n) / 10;
        const order = newOrder(market(GAME, 'moneyline'), 'home', odds, cents / 100);
        const text = JSON.stringify(encodePlace([order], participants, DEFAULT_PROFILE));
        const [row] = (JSON.parse(text) as { orders: { odds: number; risk: number }[] }).orders;
        expect(row?.odds).toBe(odds);
        expect(Math.abs((row?.odds ?? 0) * 10) % 1).toBe(0);
        expect(toRung(row?.odds ?? 0)).toBe(order.rung);
        expect(row?.risk).toBe(cents / 100);
      }),
    );
  });
});

describe('a place reply', () => {
  it('is read by position: an offer, a fill, a part of each, and an error under status 200', () => {
    const error = { error: 'Order would cross', errorType: 'rejected_order_type_rules' };
    expect(results(rested, { matched: [fill], unmatched: {} }, { ...rested, matched: [fill] }, error)).toEqual([
      { status: 'accepted', orderId: 'o1', ref: 'r1', fills: [] },
      {
        status: 'accepted',
        orderId: undefined,
        ref: undefined,
        fills: [{ txId: 't1', risk: microsOfDollars(40), odds: -105 }],
      },
      {
        status: 'accepted',
        orderId: 'o1',
        ref: 'r1',
        fills: [{ txId: 't1', risk: microsOfDollars(40), odds: -105 }],
      },
      { status: 'refused', errorType: 'rejected_order_type_rules', message: 'Order would cross' },
    ]);
  });

  it.each<[unknown, string, string | undefined]>([
    [{ error: 'no', errorType: 'validation_error' }, 'no', 'validation_error'],
    [{ error: { message: 'no', code: 409 } }, 'no', undefined],
    [{ error: {}, errorType: 7 }, '', undefined],
    [{ error: true }, '', undefined],
  ])('reads the result %j as a refusal of its order', (session, message, errorType) => {
    expect(results(session)).toEqual([{ status: 'refused', message, errorType }]);
  });

  it('reads a null error as no refusal', () => {
    expect(results({ ...rested, error: null })[0]?.status).toBe('accepted');
  });

  it.each<[string, unknown]>([
    ['is null', null],
    ['is text', 'ok'],
    ['is empty', {}],
    ['has neither offer nor fill', { matched: [], unmatched: {} }],
    ['has an offer without id', { matched: [], unmatched: { offered: 100 } }],
    ['has a fill without txID', { matched: [{ ...fill, txID: undefined }], unmatched: {} }],
    ['has a fill without size', { matched: [{ txID: 't1', odds: 105 }], unmatched: {} }],
    ['has a fill of absurd size', { matched: [{ ...fill, amount: 1e300 }], unmatched: {} }],
    ['has a fill at no price', { matched: [{ ...fill, odds: 7 }], unmatched: {} }],
  ])('marks only its own order unreadable when a result %s', (_what, session) => {
    expect(results(rested, session, rested).map((result) => result.status)).toEqual([
      'accepted',
      'unreadable',
      'accepted',
    ]);
  });

  it.each<[string, unknown, number]>([
    ['has too few results', reply(rested), 2],
    ['has too many results', reply(rested, rested), 1],
    ['has none', reply(), 1],
    ['has no list', { data: { createdSessions: {} } }, 1],
    ['has no data', { createdSessions: [rested] }, 1],
    ['is text', 'ok', 1],
    ['is nothing', undefined, 1],
  ])('is refused when it %s', (_what, body, count) => {
    expect(problem(parsePlaceReply(body, count))).not.toBe('');
  });
});

describe('an edit', () => {
  it('writes the full new order as a post order, with its reference and its expiry', () => {
    const order = newOrder(market(GAME, 'spread', -3.5), 'away', -105.5, 20.25, 'r2');
    const body = {
      sessionID: 'o1',
      orderOdds: -105.5,
      orderVolume: 20.25,
      orderType: 'post',
      userReference: 'r2',
    };
    expect(encodeEdit('o1' as OrderId, order)).toEqual({ ...body, expiryChange: 0 });
    expect(encodeEdit('o1' as OrderId, order, 30)).toEqual({ ...body, expiryChange: 30 });
  });

  it.each<[string, unknown, boolean | undefined, PlaceResult['status']]>([
    ['moved the order', { cancelled: { success: true, orderID: 'o1' }, ...rested }, true, 'accepted'],
    ['cancelled the order and then refused', { cancelled: { success: true }, error: 'no' }, true, 'refused'],
    ['left the order alone', { cancelled: { success: false }, matched: [], unmatched: {} }, false, 'refused'],
    ['left the order alone, in few words', { cancelled: { success: false } }, false, 'refused'],
    [
      'left the order alone, and has an unreadable match',
      { cancelled: { success: false }, matched: [{}] },
      ...([false, 'unreadable'] as const),
    ],
    ['does not say whether it cancelled', { matched: [], unmatched: {} }, undefined, 'unreadable'],
    ['says in text that it cancelled', { cancelled: { success: 'true' }, ...rested }, undefined, 'accepted'],
  ])('is read from a reply that %s', (_what, data, cancelled, status) => {
    const result = value(parseEditReply({ data }));
    expect([result.cancelled, result.placed.status]).toEqual([cancelled, status]);
  });

  it.each([undefined, null, 'x', {}, { data: [] }])('refuses the reply %j', (body) => {
    expect(parseEditReply(body).ok).toBe(false);
  });
});

// Cancels, the lists of own orders, the current user, and the error envelope.
import { describe, expect, it } from 'vitest';
import type { OrderId, OrderRef, TxId } from '../../src/domain/index.ts';
import { microsOfDollars } from '../../src/domain/index.ts';
import {
  DEFAULT_PROFILE,
  encodeCancelMultiple,
  encodeLogin,
  encodeMode,
  parseCancelReply,
  parseEnvelope,
  parseOpenOrders,
  parseOrderLookup,
  parsePlayLookup,
  parseReferenceTrail,
  parseUser,
  wireProfileSchema,
} from '../../src/wire/index.ts';
import { problem, value } from './fixtures.ts';

describe('a request that cancels several orders', () => {
  it('names the order ids under the field that the wire profile sets', () => {
    const ids = ['o1', 'o2'] as OrderId[];
    expect(encodeCancelMultiple(ids, DEFAULT_PROFILE)).toEqual({ sessionIDs: ids });
    const other = wireProfileSchema.parse({ cancelIdsField: 'ids' });
    expect(encodeCancelMultiple(ids, other)).toEqual({ ids });
  });

  it('reads its answer by position: only a plain true is a success', () => {
    const rows = [
      { success: true, sessionID: 'o1', offered: 0, remaining: 60 },
      { success: false, sessionID: 'o2', reason: 'already filled' },
      { success: 'true', sessionID: 'o3', error: 'odd' },
      null,
    ];
    expect(value(parseCancelReply({ data: rows }, 4))).toEqual([
      { orderId: 'o1', success: true, reason: undefined },
      { orderId: 'o2', success: false, reason: 'already filled' },
      { orderId: 'o3', success: false, reason: 'odd' },
      { orderId: undefined, success: false, reason: undefined },
    ]);
  });

  it.each([[{ data: [] }], [{ data: [{}, {}] }], [{ data: {} }], [{}], [null], [[{}]]])(
    'refuses the answer %j, which lacks one result for each id',
    (body) => {
      expect(problem(parseCancelReply(body, 1))).not.toBe('');
    },
  );
});

describe('the list of open orders', () => {
  it('is read with order id, game, reference and remaining size', () => {
    const unmatched = [
      { id: 'o1', userReference: 'r1', remaining: '60.5', gameID: 'g1' },
      { orderID: 'o2', game: { id: 'g2' } },
    ];
    expect(value(parseOpenOrders({ data: { unmatched } }))).toMatchObject([
      { orderId: 'o1', gameId: 'g1', ref: 'r1', remaining: microsOfDollars(60.5) },
      { orderId: 'o2', gameId: 'g2', ref: undefined, remaining: undefined },
    ]);
    expect(value(parseOpenOrders({ data: { unmatched: [] } }))).toEqual([]);
  });

  it.each([null, 7, {}, { id: '' }, { id: 7 }])(
    'is refused for the row %j: an unreadable order must not count as absent',
    (row) => {
      expect(parseOpenOrders({ data: { unmatched: [{ id: 'o1' }, row] } }).ok).toBe(false);
    },
  );

  it.each([undefined, null, 'x', {}, { data: {} }, { data: [] }, { data: { unmatched: null } }, { unmatched: [] }])(
    'is refused when the reply is %j',
    (body) => {
      expect(parseOpenOrders(body).ok).toBe(false);
    },
  );

  it.each([-5, 1e300, 1e308])('leaves the remaining size %d undefined', (remaining) => {
    const [order] = value(parseOpenOrders({ data: { unmatched: [{ id: 'o1', remaining }] } }));
    expect(order?.remaining).toBeUndefined();
  });
});

describe('the look-up of a matched play', () => {
  const bet = { txID: 't1', odds: 105, risk: 10 };
  const lookUp = (body: unknown): unknown => value(parsePlayLookup(body, 't1' as TxId));

  it.each<[string, unknown, boolean, number | undefined]>([
    ['waits for its game', { bet }, false, undefined],
    ['was won', { bet: { ...bet, graded: true, profit: 10.5 } }, true, 10_500_000],
    ['was lost', { data: { bet: { ...bet, profit: '-10' } } }, true, -10_000_000],
    ['is settled, with an unknown profit', { bet: { ...bet, graded: true } }, true, undefined],
  ])('reads a play that %s', (_what, body, graded, profit) => {
    expect(lookUp(body)).toEqual({ graded, profit });
  });

  it.each<[string, unknown]>([
    ['no play', {}],
    ['another play', { bet: { ...bet, txID: 't2', profit: 1 } }],
    ['a list', { bet: [bet] }],
  ])('refuses a reply with %s', (_what, body) => {
    expect(parsePlayLookup(body, 't1' as TxId).ok).toBe(false);
  });
});

describe('the look-up of a reference', () => {
  it('reports resting orders and fills, graded or not', () => {
    const data = {
      unmatched: [{ id: 'o1', userReference: 'r1' }],
      matched: [{ txID: 't1', odds: '-105', amount: '40' }],
      graded: [{ txID: 't2', odds: 105, risk: 10 }],
    };
    expect(value(parseReferenceTrail({ data }, 'r1' as OrderRef))).toMatchObject({
      open: [{ orderId: 'o1', ref: 'r1' }],
      fills: [
        { txId: 't1', risk: microsOfDollars(40), odds: -105 },
        { txId: 't2', risk: microsOfDollars(10), odds: 105 },
      ],
    });
  });

  it('ignores records that name another reference, such as the one before an edit that kept the id', () => {
    const data = {
      unmatched: [{ id: 'o1', userReference: 'r0' }],
      matched: [
        { txID: 't1', odds: 105, risk: 10, userReference: 'r0' },
        { txID: 't2', odds: 105, risk: 20, userReference: 'r1' },
      ],
      graded: [{ txID: 't3', odds: 105, risk: 30, userReference: 'r0', profit: 31.5 }],
    };
    const trail = value(parseReferenceTrail({ data }, 'r1' as OrderRef));
    expect(trail).toMatchObject({ open: [], fills: [{ txId: 't2' }] });
    // a graded play is settled, whichever reference it names
    expect(trail.graded).toEqual([{ txId: 't3', profit: microsOfDollars(31.5) }]);
  });

  it('reports nothing when all three lists are empty', () => {
    expect(value(parseReferenceTrail({ data: { unmatched: [], matched: [], graded: [] } }, 'r1' as OrderRef))).toEqual({
      open: [],
      fills: [],
      graded: [],
    });
  });

  it.each<[string, unknown]>([
    ['no data', {}],
    ['none of the three lists', { data: {} }],
    ['a list that is text', { data: { unmatched: 'none', matched: [], graded: [] } }],
    ['a list that is an object', { data: { unmatched: [], matched: { txID: 't1' }, graded: [] } }],
    ['an order without id', { data: { unmatched: [{}], matched: [], graded: [] } }],
    ['a fill without txID', { data: { unmatched: [], matched: [{ odds: 105, risk: 1 }], graded: [] } }],
  ])('refuses a reply with %s: only an explicit empty list proves absence', (_what, body) => {
    expect(parseReferenceTrail(body, 'r1' as OrderRef).ok).toBe(false);
  });
});

describe('the look-up of an order', () => {
  it.each<[string, object, object]>([
    ['rests', { offered: 100, filled: 40, remaining: 60 }, { remaining: 60_000_000, filled: 40_000_000 }],
    ['rests, with numbers as text', { offered: '100', remaining: '60' }, { remaining: 60_000_000, filled: undefined }],
    ['is filled', { offered: 100, filled: 100, remaining: 0 }, { remaining: 0, filled: 100_000_000 }],
    [
      'is cancelled, and still shows the released size',
      { offered: 0, filled: 40, remaining: 60 },
      { remaining: 0, filled: 40_000_000 },
    ],
  ])('reads an order that %s', (_what, order, expected) => {
    expect(value(parseOrderLookup({ data: { order } }))).toEqual(expected);
  });

  it.each<[unknown]>([
    [undefined],
    [{}],
    [{ data: {} }],
    [{ data: { order: null } }],
    [{ data: { order: {} } }],
    [{ data: { order: { remaining: -1 } } }],
    [{ data: { order: { remaining: 'NaN' } } }],
    [{ data: { order: { remaining: 1e300 } } }],
    [{ data: { order: { remaining: 1e308 } } }],
  ])('refuses the reply %j', (body) => {
    expect(parseOrderLookup(body).ok).toBe(false);
  });

  it.each([-5, 1e300])('leaves the filled size %d undefined', (filled) => {
    expect(value(parseOrderLookup({ data: { order: { remaining: 60, filled } } })).filled).toBeUndefined();
  });
});

describe('the current user', () => {
  it('is requested by username and password, and switched by player mode', () => {
    expect(encodeLogin('u', 'p')).toEqual({ username: 'u', password: 'p' });
    expect([encodeMode('cash'), encodeMode('coins')]).toEqual([{ playerMode: 'cash' }, { playerMode: 'coins' }]);
  });

  it('is read with token, mode and both balances, as numbers or text', () => {
    const user = {
      auth: 'tok',
      username: 'u',
      id: 'i',
      playerMode: 'coins',
      cashBalance: '10.5',
      coinsBalance: 2000,
    };
    expect(value(parseUser({ data: { user } }))).toEqual({
      token: 'tok',
      username: 'u',
      userId: 'i',
      mode: 'coins',
      cash: 10.5,
      coins: 2000,
    });
  });

  it('leaves missing or malformed fields undefined', () => {
    const user = { auth: '', playerMode: 'sweeps', cashBalance: 'NaN', coinsBalance: null, id: 7 };
    for (const body of [user, {}]) {
      for (const field of Object.values(value(parseUser({ data: { user: body } })))) expect(field).toBeUndefined();
    }
  });

  it.each([undefined, null, {}, { data: {} }, { data: { user: [] } }, { user: {} }])('is not read from %j', (body) => {
    expect(parseUser(body).ok).toBe(false);
  });
});

describe('the error envelope', () => {
  it('gives the code to branch on and the time to wait', () => {
    const details = { code: 'RATE_LIMITED', kind: 'cancel', retryable: true, retryAfterSeconds: '1.5' };
    expect(parseEnvelope({ error: { message: 'slow down', code: 429, details } })).toEqual({
      message: 'slow down',
      code: 'RATE_LIMITED',
      retryAfterSeconds: 1.5,
    });
  });

  it.each([
    undefined,
    null,
    [],
    'x',
    { code: 7, retryAfterSeconds: -1 },
    { retryAfterSeconds: 1e9 },
    { retryAfterSeconds: 'NaN' },
  ])('has no code and no wait when its details are %j', (details) => {
    expect(parseEnvelope({ error: { message: 'm', code: 409, details } })).toEqual({
      message: 'm',
      code: undefined,
      retryAfterSeconds: undefined,
    });
  });

  it.each([undefined, null, '<html>', [], {}, { error: 'text' }, { error: null }, { message: 'x' }])(
    'is not read from %j, which another server answered',
    (body) => {
      expect(parseEnvelope(body)).toBeUndefined();
    },
  );
});

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

describe('a cancel of many', () => {
  it('names the ids under the field of the profile', () => {
    const ids = ['o1', 'o2'] as OrderId[];
    expect(encodeCancelMultiple(ids, DEFAULT_PROFILE)).toEqual({ sessionIDs: ids });
    const other = wireProfileSchema.parse({ cancelIdsField: 'ids' });
    expect(encodeCancelMultiple(ids, other)).toEqual({ ids });
  });

  it('is answered by position; only a plain true is a success', () => {
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
    'with the answer %j is a problem: one result for each id',
    (body) => {
      expect(problem(parseCancelReply(body, 1))).not.toBe('');
    },
  );
});

describe('the list of open orders', () => {
  it('reads id, game, reference and what remains', () => {
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
    'with the row %j is a problem: what cannot be read must not be taken for absent',
    (row) => {
      expect(parseOpenOrders({ data: { unmatched: [{ id: 'o1' }, row] } }).ok).toBe(false);
    },
  );

  it.each([undefined, null, 'x', {}, { data: {} }, { data: [] }, { data: { unmatched: null } }, { unmatched: [] }])(
    'that says %j is a problem',
    (body) => {
      expect(parseOpenOrders(body).ok).toBe(false);
    },
  );

  it.each([-5, 1e300, 1e308])('does not tell what remains when it is %d', (remaining) => {
    const [order] = value(parseOpenOrders({ data: { unmatched: [{ id: 'o1', remaining }] } }));
    expect(order?.remaining).toBeUndefined();
  });
});

describe('one matched play', () => {
  const bet = { txID: 't1', odds: 105, risk: 10 };
  const told = (body: unknown): unknown => value(parsePlayLookup(body, 't1' as TxId));

  it.each<[string, unknown, boolean, number | undefined]>([
    ['waits for its game', { bet }, false, undefined],
    ['was won', { bet: { ...bet, graded: true, profit: 10.5 } }, true, 10_500_000],
    ['was lost', { data: { bet: { ...bet, profit: '-10' } } }, true, -10_000_000],
    ['is settled, and by how much is not told', { bet: { ...bet, graded: true } }, true, undefined],
  ])('%s', (_what, body, graded, profit) => {
    expect(told(body)).toEqual({ graded, profit });
  });

  it.each<[string, unknown]>([
    ['no play', {}],
    ['another play', { bet: { ...bet, txID: 't2', profit: 1 } }],
    ['a list', { bet: [bet] }],
  ])('is not told by a reply with %s', (_what, body) => {
    expect(parsePlayLookup(body, 't1' as TxId).ok).toBe(false);
  });
});

describe('where a reference went', () => {
  it('tells what rests and what was filled, graded or not', () => {
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

  it('is not told by what names another reference, as before an edit that kept the id', () => {
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
    // whosever it is, it is settled
    expect(trail.graded).toEqual([{ txId: 't3', profit: microsOfDollars(31.5) }]);
  });

  it('is nowhere when all three lists are empty', () => {
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
  ])('is not told by a reply with %s: absence is evidence and must be said', (_what, body) => {
    expect(parseReferenceTrail(body, 'r1' as OrderRef).ok).toBe(false);
  });
});

describe('the look-up of an order', () => {
  it.each<[string, object, object]>([
    ['rests', { offered: 100, filled: 40, remaining: 60 }, { remaining: 60_000_000, filled: 40_000_000 }],
    ['rests, told as text', { offered: '100', remaining: '60' }, { remaining: 60_000_000, filled: undefined }],
    ['is filled', { offered: 100, filled: 100, remaining: 0 }, { remaining: 0, filled: 100_000_000 }],
    [
      'is cancelled, and tells what was released',
      { offered: 0, filled: 40, remaining: 60 },
      { remaining: 0, filled: 40_000_000 },
    ],
  ])('that %s is read', (_what, order, expected) => {
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
  ])('that says %j is a problem', (body) => {
    expect(parseOrderLookup(body).ok).toBe(false);
  });

  it.each([-5, 1e300])('does not tell what was filled when it is %d', (filled) => {
    expect(value(parseOrderLookup({ data: { order: { remaining: 60, filled } } })).filled).toBeUndefined();
  });
});

describe('the user', () => {
  it('is asked for by username and password, and switched by mode', () => {
    expect(encodeLogin('u', 'p')).toEqual({ username: 'u', password: 'p' });
    expect([encodeMode('cash'), encodeMode('coins')]).toEqual([{ playerMode: 'cash' }, { playerMode: 'coins' }]);
  });

  it('tells token, mode and both balances, numbers or text', () => {
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

  it('leaves untold what is missing or odd', () => {
    const user = { auth: '', playerMode: 'sweeps', cashBalance: 'NaN', coinsBalance: null, id: 7 };
    for (const one of [user, {}]) {
      for (const field of Object.values(value(parseUser({ data: { user: one } })))) expect(field).toBeUndefined();
    }
  });

  it.each([undefined, null, {}, { data: {} }, { data: { user: [] } }, { user: {} }])('is not in %j', (body) => {
    expect(parseUser(body).ok).toBe(false);
  });
});

describe('the error envelope', () => {
  it('tells the code to branch on and how long to wait', () => {
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
  ])('with details %j has no code and no wait', (details) => {
    expect(parseEnvelope({ error: { message: 'm', code: 409, details } })).toEqual({
      message: 'm',
      code: undefined,
      retryAfterSeconds: undefined,
    });
  });

  it.each([undefined, null, '<html>', [], {}, { error: 'text' }, { error: null }, { message: 'x' }])(
    'is not in %j: something else answered',
    (body) => {
      expect(parseEnvelope(body)).toBeUndefined();
    },
  );
});

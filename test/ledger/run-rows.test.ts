// The rows of a run in the ledger: a fold over its events.
import { expect, it } from 'vitest';
import type { EventOf, GameId, MarketId, Micros, OrderId, OrderRef, RunEvent, TxId } from '../../src/domain/index.ts';
import { cents } from '../../src/domain/index.ts';
import { RunRows } from '../../src/ledger/index.ts';

type Row = readonly [name: string, values: Readonly<Record<string, unknown>>];

function rowsOf(...steps: readonly (readonly RunEvent[])[]): readonly Row[] {
  const rows: Row[] = [];
  const row = { run: 'r', version: '1', instance: 'a', journal: undefined, configFile: '', configHash: '' };
  const fold = new RunRows(
    { write: (name, values) => rows.push([name, values]) },
    { ...row, strategies: [], pid: 1, host: '' },
    () => ({}),
  );
  for (const [index, events] of steps.entries())
    fold.step({ seq: index + 1, t: 1000 * (index + 1), mono: index }, events);
  return rows.filter(([name]) => name !== 'figures');
}

const REF = 'a.main.#0.r-1' as OrderRef;
const MARKET = 'g1/spread/-3.5' as MarketId;
const submitted: EventOf<'OrderSubmitted'> = {
  type: 'OrderSubmitted',
  ref: REF,
  request: 7,
  strategy: undefined,
  key: undefined,
  market: MARKET,
  side: 'home',
  odds: 105 as EventOf<'OrderSubmitted'>['odds'],
  risk: cents(5000),
  why: undefined,
  fair: 0.5,
};
const answered = { ref: REF, request: 7, latencyMs: 12.5 };
const fill: EventOf<'Fill'> = {
  type: 'Fill',
  txId: 't1' as TxId,
  gameId: 'g1' as GameId,
  market: MARKET,
  side: 'home',
  odds: submitted.odds,
  risk: 20e6 as Micros,
  win: 21e6 as Micros,
  isOwn: true,
  ref: REF,
  strategy: undefined,
  source: 'feed',
  game: undefined,
  fair: 0.49,
  position: { first: 21e6 as Micros, second: -20e6 as Micros },
  before: {},
  past: {},
};

it('the row of an order has its market, its answer and its end', () => {
  const rows = rowsOf(
    [submitted],
    [{ type: 'OrderAccepted', ...answered, status: 200, orderId: 'o1' as OrderId }],
    [{ type: 'OrderRested', ref: REF, orderId: 'o1' as OrderId, ahead: 5e6 as Micros, rank: 2, fair: 0.5 }],
    [{ type: 'OrderEnded', ref: REF, how: 'cancel', filled: 0 as Micros, lifeMs: 30 }],
  );
  expect(rows.map(([name]) => name)).toEqual(['order', 'answer', 'turn', 'turn']);
  expect(rows[0]?.[1]).toMatchObject({
    kind: 'place',
    gameId: 'g1',
    type: 'spread',
    line: -3.5,
    risk: 50e6,
    at: 1000,
  });
  expect(rows[1]?.[1]).toMatchObject({ fate: 'accepted', orderId: 'o1', latencyMs: 12.5, at: 2000 });
  expect(rows[2]?.[1]).toEqual({ ref: REF, endedAt: null, endedAs: null, ahead: 5e6 });
  expect(rows[3]?.[1]).toEqual({ ref: REF, endedAt: 4000, endedAs: 'cancel', ahead: null });
});

it('an order and a fill of a game whose teams changed places are moved to the other side', () => {
  const place = { market: 'g1/spread/3.5' as MarketId, side: 'away' } as const;
  const rows = rowsOf([
    { type: 'OrderMoved', ref: REF, ...place },
    { type: 'FillMoved', txId: 't1' as TxId, ...place },
  ]);
  expect(rows).toMatchObject([
    ['orderMoved', { ref: REF, market: place.market, line: 3.5, side: 'away' }],
    ['moved', { txId: 't1', market: place.market, line: 3.5, side: 'away' }],
  ]);
});

it('a refused order has the reason, and an order that was never sent counts as denied', () => {
  const rejected = { type: 'OrderRejected', ...answered, code: undefined, reason: 'too late' } as const;
  const rows = rowsOf([
    { ...rejected, status: 409, isSent: true },
    { ...rejected, status: undefined, isSent: false },
    { type: 'OrderUnknown', ...answered, status: undefined, reason: 'no answer within 5000 ms' },
  ]);
  expect(rows.map(([, { fate, status, refusal }]) => [fate, status, refusal])).toEqual([
    ['refused', 409, 'too late'],
    ['denied', null, null],
    ['unknown', null, null],
  ]);
});

it('fills and settlements belong to the day that began last', () => {
  const settled = {
    type: 'Settled',
    txId: 't1' as TxId,
    profit: 21e6 as Micros,
    commission: 0 as Micros,
  } as const;
  const rows = rowsOf(
    [fill],
    [{ type: 'DayBegan', startsAt: 500 }, fill],
    [{ ...settled, isReported: true, source: 'operator', result: { home: 3, away: 1 } }],
  );
  expect(rows.map(([name, { day, price }]) => [name, day, price])).toEqual([
    ['fill', null, 20 / 41],
    ['fill', 500, 20 / 41],
    ['settlement', 500, undefined],
  ]);
  expect(rows[2]?.[1]).toMatchObject({ home: 3, away: 1, isReported: 1, result: '{"home":3,"away":1}' });
});

it('the row of a fill without a market has only its stake', () => {
  const [row] = rowsOf([{ ...fill, market: undefined, side: undefined }]);
  expect(row?.[1]).toEqual({
    txId: 't1',
    at: 1000,
    day: null,
    source: 'feed',
    own: 0,
    gameId: 'g1',
    risk: 20e6,
  });
});

it('a bulk cancel and an alert of level info make no row', () => {
  const why = undefined;
  const rows = rowsOf([
    { type: 'CancelSubmitted', request: 1, orders: [{ orderId: 'o1' as OrderId, why }] },
    { type: 'CancelSubmitted', request: 2, orders: [{ orderId: 'o2' as OrderId, why }], scope: 'account' },
    { type: 'Alert', level: 'info', code: 'QUOTING', message: '', fields: {} },
    { type: 'Alert', level: 'warn', code: 'STALLED', message: 'm', fields: { ms: 3 } },
  ]);
  expect(rows.map(([name, { orderId, code }]) => [name, orderId ?? code])).toEqual([
    ['cancel', 'o1'],
    ['alert', 'STALLED'],
  ]);
});

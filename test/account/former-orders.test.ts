// Orders that earlier runs left resting at an exchange that reports no references: the rows of a list that
// are the bot's own.
import { describe, expect, it } from 'vitest';
import { FormerOrders } from '../../src/account/former-orders.ts';
import type { AmericanOdds, GameId, OpenOrder, OrderId, OrderRef } from '../../src/domain/index.ts';
import { centsOfDollars, market, rungOf } from '../../src/domain/index.ts';
import { id, orderOf, ref, withAccount } from './scene.ts';

const SENT_T = Date.UTC(2030, 0, 1);
const MONEYLINE = market('g1' as GameId, 'moneyline');
const ORDER = {
  ref: 'a.main.key.run-1' as OrderRef,
  market: MONEYLINE,
  side: 'home' as const,
  rung: rungOf(110 as AmericanOdds),
  risk: centsOfDollars(50),
};
const ROW: OpenOrder = {
  orderId: 'o1' as OrderId,
  gameId: 'g1' as GameId,
  ref: undefined,
  odds: 110 as AmericanOdds,
  remaining: undefined,
  risk: undefined,
  filled: undefined,
  createdAt: SENT_T + 900,
  place: { type: 'moneyline', side: 'p-home', line: undefined },
};
const HOME = { market: MONEYLINE, side: 'home' } as const;

const handed = (instance: string): FormerOrders => {
  const orders = new FormerOrders();
  orders.hand([{ orderId: ROW.orderId, order: ORDER, sentT: SENT_T }], instance);
  return orders;
};

describe('a row of a list', () => {
  it.each<[string, Partial<OpenOrder>, Parameters<FormerOrders['formerOrderOf']>[1], boolean]>([
    ['with the id, market, side, odds and creation time of an order that the bot sent is an own order', {}, HOME, true],
    ['whose game is not known yet is an own order', {}, undefined, true],
    ['without a creation time is an own order', { createdAt: undefined }, HOME, true],
    ['with another id is no own order', { orderId: 'o2' as OrderId }, HOME, false],
    ['at other odds is no own order', { odds: 120 as AmericanOdds }, HOME, false],
    ['on the other side is no own order', {}, { ...HOME, side: 'away' }, false],
    ['in another market is no own order', {}, { ...HOME, market: market('g1' as GameId, 'spread', 2) }, false],
    ['in another game is no own order', { gameId: 'g2' as GameId }, undefined, false],
    [
      'that is older than the sent order, with its id reused, is no own order',
      { createdAt: SENT_T - 3_600_000 },
      HOME,
      false,
    ],
    ['with a reference is judged by the reference alone', { ref: 'a.main.key.run-1' as OrderRef }, HOME, false],
  ])('%s', (_case, fields, place, isOwn) => {
    expect(handed('a').formerOrderOf({ ...ROW, ...fields }, place)?.order.ref).toBe(isOwn ? ORDER.ref : undefined);
    // orders of another instance stay external
    expect(handed('b').formerOrderOf({ ...ROW, ...fields }, place)).toBeUndefined();
  });
});

describe('an order that is adopted by its id', () => {
  it('does not prove that the exchange reports references: the next run needs the list of resting orders as well', () => {
    const account = withAccount();
    const order = orderOf(ref('run0'));
    const listed = {
      orderId: id('o1'),
      kind: { type: 'resting' as const },
      from: 'list' as const,
      seenAt: 0,
    };
    account.record({ ...listed, ref: order.ref, isRefRecalled: true }, undefined);
    expect(account.reportsReferences).toBe(false);
    account.record({ ...listed, ref: order.ref }, undefined);
    expect(account.reportsReferences).toBe(true);
  });
});

// What an own order counts for, whatever was told of it before.
import { expect, it } from 'vitest';
import type { OrderId, OrderRef, Rung, StrategyId } from '../../src/domain/index.ts';
import { cents } from '../../src/domain/index.ts';
import { Ledger } from '../../src/orders/ledger.ts';
import { target } from './fixtures.ts';

const sent = (ledger: Ledger) => {
  const order = {
    ref: 'r' as OrderRef,
    market: target(1).market,
    side: 'home',
    rung: 5 as Rung,
    risk: cents(100),
  } as const;
  const own = ledger.applySent(order, { strategy: 's' as StrategyId, key: '#0' }, 1, 0, 0);
  ledger.learnId(own, 'o' as OrderId, 1);
  ledger.applyEvent(own, 'accepted', 1);
  return own;
};

it('an order that turns out to rest counts again, though its game was forgotten', () => {
  const ledger = new Ledger();
  const own = sent(ledger);
  const { gameId, id } = own.market;
  ledger.applyEvent(own, 'cancelled', 2);
  ledger.forgetGame(gameId);
  expect(ledger.games.has(gameId)).toBe(false);
  ledger.applyEvent(own, 'mistaken', 3);
  expect([...(ledger.games.get(gameId)?.keys() ?? [])]).toEqual([id]);
});

it('an order that was not cancelled after all is not counted as such', () => {
  const ledger = new Ledger();
  const own = sent(ledger);
  for (const at of [2, 4]) {
    own.cancelAsked = true;
    ledger.applyEvent(own, 'cancel-sent', at);
    ledger.applyEvent(own, 'cancelled', at);
    expect(ledger.stats.cancelled).toBe(1);
    ledger.applyEvent(own, 'mistaken', at + 1);
    expect(ledger.stats.cancelled).toBe(0);
    ledger.applyEvent(own, 'accepted', at + 1);
  }
  ledger.applyEvent(own, 'cancelled', 9);
  expect(ledger.stats).toMatchObject({ placed: 1, cancelled: 0 });
});

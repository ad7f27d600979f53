// An order of the other player mode and one of this run that look alike: whose an id is turns out later, and each fill is booked
// once, where it belongs.
import { expect, it } from 'vitest';
import type {
  GameId,
  Micros,
  NewOrder,
  OrderId,
  OrderRef,
  Rung,
  StrategyId,
  TxId,
} from '../../src/domain/index.ts';
import { cents, market, oddsOf } from '../../src/domain/index.ts';
import type { OwnOrder } from '../../src/orders/index.ts';
import { Ledger } from '../../src/orders/index.ts';

const MONEYLINE = market('g' as GameId, 'moneyline');
const RUNG = 90 as Rung;
const STAKE = 60_000_000 as Micros;
const named = (ref: string): NewOrder => ({
  ...{ ref: ref as OrderRef, market: MONEYLINE, side: 'home', rung: RUNG, risk: cents(10_000) },
});
const OWNER = { strategy: 'main' as StrategyId, key: '#0' };
const ID = 'o1' as OrderId;

function alike(): { readonly ledger: Ledger; readonly former: OwnOrder; readonly ours: OwnOrder } {
  const ledger = new Ledger();
  ledger.applyUnanswered(named('cash'), { ...OWNER, isOfMode: false }, 0, 0);
  const ours = ledger.applySent(named('ours'), OWNER, 1, 10, 10);
  ledger.applyEvent(ours, 'unanswered', 11);
  const former = ledger.find(undefined, 'cash' as OrderRef);
  if (former === undefined) throw new Error('no order');
  return { ledger, former, ours };
}
const fill = (ledger: Ledger, order: OwnOrder, now: number): void => {
  ledger.applyFill(order, 't1' as TxId, STAKE, oddsOf(RUNG), now);
};
const learn = (ledger: Ledger, order: OwnOrder, now: number, by: 'looks' | 'name'): void => {
  ledger.learnId(order, ID, now, by);
  ledger.applyEvent(order, 'accepted', now);
};
const held = (ledger: Ledger): number => ledger.plays.positionIn(MONEYLINE.id).staked;

it('what filled under an id that was taken for the former one’s is ours once it is', () => {
  const { ledger, former, ours } = alike();
  learn(ledger, former, 12, 'looks');
  fill(ledger, former, 13);
  learn(ledger, ours, 14, 'name');
  fill(ledger, ours, 15);
  expect([ours.filled, held(ledger)]).toEqual([STAKE, STAKE]);
  expect(former.filled).toBe(0);
});

it('what filled under an id that was taken for ours is nobody’s once it is the former one’s, and fills that once', () => {
  const { ledger, former, ours } = alike();
  learn(ledger, ours, 12, 'looks');
  fill(ledger, ours, 13);
  learn(ledger, former, 14, 'name');
  for (const now of [14, 15]) {
    if (now > 14) fill(ledger, former, now);
    expect([former.filled, former.status, held(ledger)]).toEqual([STAKE, 'open', 0]);
    expect(ours.filled).toBe(0);
  }
});

it('what filled under looks is nobody’s once the former one is named', () => {
  const { ledger, former } = alike();
  learn(ledger, former, 12, 'looks');
  fill(ledger, former, 13);
  learn(ledger, former, 14, 'name');
  expect([former.filled, held(ledger)]).toEqual([STAKE, 0]);
});

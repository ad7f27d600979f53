// Targets and open orders of markets that differ by a number.
import type { GameId, Micros, OrderId, OrderRef, Rung, StrategyId } from '../../src/domain/index.ts';
import { centsOfDollars, market, slotId } from '../../src/domain/index.ts';
import type { OwnOrder } from '../../src/account/index.ts';
import { ownOrder } from '../../src/account/index.ts';
import { Name } from '../../src/account/records.ts';
import type { Target } from '../../src/orders/index.ts';

const strategy = 'main' as StrategyId;
export const even = 0 as Rung;

export const target = (index: number, rung: Rung = even): Target => {
  const moneyline = market(`g${index}` as GameId, 'moneyline');
  return {
    slot: slotId(strategy, moneyline, 'home', '#0'),
    strategy,
    key: '#0',
    market: moneyline,
    side: 'home',
    rung,
    risk: centsOfDollars(100),
    queue: [],
    intent: 7,
    denial: undefined,
  };
};

export const open = (index: number, rung: Rung): OwnOrder => {
  const { market: moneyline } = target(index);
  const [ref, orderId] = [`r${index}` as OrderRef, `o${index}` as OrderId];
  const order = { ref, market: moneyline, side: 'home', rung, risk: centsOfDollars(100) } as const;
  const sent = { at: 0, t: 0, placing: 'answered', isOfFormerRun: false, mode: undefined } as const;
  return {
    ...ownOrder(order, { strategy, key: '#0' }, new Name(ref, undefined), sent),
    id: new Name(undefined, orderId),
    status: 'open',
    bound: 100e6 as Micros,
    landed: true,
  };
};

/**
 * Rungs in tenths from even money: 0.35 and 1.5 points of probability too generous; dangerous from two
 * tolerances (0.2) on.
 */
export const GENEROUS = -14;
export const DANGEROUS = -60;
export const SHY = 60;

// Targets and open orders of markets that are told apart by a number.
import type { GameId, Micros, OrderId, OrderRef, Rung, StrategyId } from '../../src/domain/index.ts';
import { centsOfDollars, market, slotId } from '../../src/domain/index.ts';
import type { OwnOrder, Target } from '../../src/orders/index.ts';

const strategy = 'main' as StrategyId;
export const even = 0 as Rung;

export const target = (index: number, rung: Rung = even): Target => {
  const of = market(`g${index}` as GameId, 'moneyline');
  return {
    slot: slotId(strategy, of, 'home', '#0'),
    strategy,
    key: '#0',
    market: of,
    side: 'home',
    rung,
    risk: centsOfDollars(100),
    queue: [],
    intent: 7,
    denial: undefined,
  };
};

export const open = (index: number, rung: Rung): OwnOrder => {
  const { market: of, slot } = target(index);
  return {
    ref: `r${index}` as OrderRef,
    market: of,
    side: 'home',
    rung,
    risk: centsOfDollars(100),
    strategy,
    key: '#0',
    slot,
    sentAt: 0,
    sentT: 0,
    openSince: 0,
    endedAt: 0,
    replaces: undefined,
    isEdit: false,
    isOfFormerRun: false,
    modeAt: 0,
    counted: true,
    byLooks: false,
    orderId: `o${index}` as OrderId,
    status: 'open',
    filled: 0 as Micros,
    req: undefined,
    askedAt: 0,
    cancelAsked: false,
    lockedOut: 0,
    cancelsFailed: 0,
    cancelFrom: 0,
    keptId: false,
    seenInFeed: true,
    locked: 0 as Micros,
  };
};

/** Tenths from even money: 0.35 and 1.5 points of probability too generous; dangerous from two tolerances (0.2) on. */
export const GENEROUS = -14;
export const DANGEROUS = -60;
export const SHY = 60;

// An account with a few orders, and facts about them with default values for everything that is not tested.
import type {
  FillReport,
  GameId,
  NewOrder,
  OrderId,
  OrderRef,
  Rung,
  Side,
  StrategyId,
  TxId,
} from '../../src/domain/index.ts';
import { cents, market, microsOfDollars, oddsOf } from '../../src/domain/index.ts';
import type { Fact, OwnOrder } from '../../src/account/index.ts';
import { Account } from '../../src/account/index.ts';

export const MONEYLINE = market('g1' as GameId, 'moneyline');
export const RUNG = 90 as Rung;
export const OWNER = { strategy: 'main' as StrategyId, key: '#0' };
export const LATE_ARRIVAL_MS = 12_000;
export const usd = microsOfDollars;
export const id = (name: string): OrderId => name as OrderId;
/** The reference of an order of this run; `mode` '-cash' is for the player mode cash. */
export const ref = (name: string, mode = ''): OrderRef => `a.main.#0.run${mode}-${name}` as OrderRef;

export const orderOf = (orderRef: OrderRef, side: Side = 'home', dollars = 100): NewOrder => ({
  ref: orderRef,
  market: MONEYLINE,
  side,
  rung: RUNG,
  risk: cents(dollars * 100),
});

export function withAccount(): Account {
  const account = new Account({ instance: 'a', playerMode: 'coins', lateArrivalMs: LATE_ARRIVAL_MS });
  account.fills.applyBoot('run');
  account.fills.applyModeSure(Number.POSITIVE_INFINITY);
  account.beginStep(0);
  return account;
}

let requests = 0;
export const send = (account: Account, orderRef: OrderRef, side?: Side, dollars?: number): OwnOrder =>
  account.applySent(orderOf(orderRef, side, dollars), OWNER, { req: (requests += 1), t: 0 });

export const signatureOf = (side: Side = 'home', dollars = 100) => ({
  market: MONEYLINE,
  side,
  rung: RUNG,
  size: usd(dollars),
  createdAt: undefined,
});

export const fillOf = (txId: string, dollars: number): FillReport => ({
  txId: txId as TxId,
  risk: usd(dollars),
  odds: oddsOf(RUNG),
});

/** Records facts at their times. */
export function recordAll(account: Account, facts: readonly Fact[], placedSide: Side = 'home'): void {
  for (const fact of facts) {
    account.beginStep(fact.seenAt);
    account.record(fact, fact.kind.type === 'fill' ? { market: MONEYLINE, side: placedSide } : undefined);
  }
}

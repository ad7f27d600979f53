// An account with a few orders, and facts about them with everything but what is tested filled in.
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
/** Of this run; in cash with `mode`. */
export const ref = (name: string, mode = ''): OrderRef => `a.main.#0.run${mode}-${name}` as OrderRef;

export const orderOf = (of: OrderRef, side: Side = 'home', dollars = 100): NewOrder => ({
  ref: of,
  market: MONEYLINE,
  side,
  rung: RUNG,
  risk: cents(dollars * 100),
});

export function withAccount(): Account {
  const account = new Account({ instance: 'a', playerMode: 'coins', lateArrivalMs: LATE_ARRIVAL_MS });
  account.fills.applyBoot('run');
  account.fills.applyModeSure(Number.POSITIVE_INFINITY);
  account.begin(0);
  return account;
}

let requests = 0;
export const send = (account: Account, of: OrderRef, side?: Side, dollars?: number): OwnOrder =>
  account.applySent(orderOf(of, side, dollars), OWNER, { req: (requests += 1), t: 0 });

export const looks = (side: Side = 'home', dollars = 100) => ({
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

/** Takes facts in at their times. */
export function recordAll(account: Account, facts: readonly Fact[], placedSide: Side = 'home'): void {
  for (const fact of facts) {
    account.begin(fact.seenAt);
    account.record(fact, fact.kind.type === 'fill' ? { market: MONEYLINE, side: placedSide } : undefined);
  }
}

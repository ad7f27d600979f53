// What can be seen of a run from outside, assembled from the parts of the core; money in dollars.
import type { Market, Position } from '../domain/index.ts';
import { dollarsOfMicros, markedAt } from '../domain/index.ts';
import type { OrderManager } from '../orders/index.ts';
import type { Denial } from '../risk/index.ts';
import type { Account } from './account.ts';
import type { Closing } from './closing.ts';
import type { MarketData } from './market-data.ts';
import type { Quoting } from './quoting.ts';
import type { TradingState } from './settings.ts';

export type CoreStatus = {
  readonly frames: number;
  readonly malformed: number;
  readonly intents: number;
  readonly placed: number;
  readonly edited: number;
  readonly cancelled: number;
  /** Orders of ours that somebody else cancelled: an operator, or the exchange. */
  readonly cancelledByOthers: number;
  readonly fills: number;
  readonly riskFilled: number;
  readonly refused: number;
  readonly unknown: { readonly ever: number; readonly now: number };
  readonly markets: number;
  readonly wanted: number;
  readonly resting: number;
  /** Wanted slots that controls keep empty now, by control. */
  readonly held: Readonly<Record<string, number>>;
  readonly openOrders: number;
  readonly openAtExit: number | undefined;
  readonly pnl: { readonly marked: number; readonly worst: number };
  /** Sum over markets of the payoff difference between the outcomes, dollars. */
  readonly inventory: number;
  readonly quotedShare: number;
  /** Share of the wanted time for which controls kept slots empty, by control. */
  readonly heldShare: Readonly<Record<string, number>>;
  /** Intents without a quote, by their reason. */
  readonly idle: Readonly<Record<string, number>>;
  readonly permits: { readonly place: number; readonly cancel: number };
  readonly feeds: { readonly prices: boolean; readonly user: boolean };
  readonly mode: string | undefined;
  /** The kill switch. */
  readonly trading: TradingState;
  /** The orders and positions on the account are known. */
  readonly accountRead: boolean;
  /** Why nothing is quoted now, if so. */
  readonly closed: string | undefined;
  readonly stopping: boolean;
};

export type StatusParts = {
  readonly manager: OrderManager;
  readonly market: MarketData;
  readonly account: Account;
  readonly quoting: Quoting;
  readonly closing: Closing;
  readonly trading: TradingState;
  readonly accountRead: boolean;
  readonly closed: Denial | undefined;
};

export function statusOf(parts: StatusParts): CoreStatus {
  const { manager, market, account, quoting, closing } = parts;
  const { ledger, sender } = manager;
  const { stats } = ledger;
  let inventory = 0;
  for (const { position } of ledger.plays.positions.values())
    inventory += Math.abs(position.first - position.second);
  return {
    frames: market.frames,
    malformed: market.malformed,
    intents: quoting.intents,
    placed: stats.placed,
    edited: stats.edited,
    cancelled: stats.cancelled,
    cancelledByOthers: stats.cancelledByOthers,
    fills: stats.fills,
    riskFilled: stats.riskFilled / 1e6,
    refused: stats.refused,
    unknown: { ever: stats.unknownEver, now: ledger.unknown.size },
    markets: quoting.open.size,
    ...quoting.share.slots,
    openOrders: ledger.active.size,
    openAtExit: closing.openAtExit,
    pnl: {
      marked: markedOf(manager, quoting) / 1e6,
      worst: worstOf(manager),
    },
    inventory: inventory / 1e6,
    quotedShare: quoting.share.rested,
    heldShare: quoting.share.held,
    idle: quoting.idle,
    permits: { place: sender.permits.place.length, cancel: sender.permits.cancel.length },
    feeds: { prices: market.isUp, user: account.userFeedUp },
    mode: account.mode ?? account.toldMode,
    trading: parts.trading,
    accountRead: parts.accountRead,
    closed: parts.closed?.reason,
    stopping: closing.since !== undefined,
  };
}

/** The worst case of everything resting and held, dollars. */
export const worstOf = (manager: OrderManager): number =>
  Math.min(0, dollarsOfMicros(manager.exposure.totalWorst()));

/** What is held in one market, and what it is worth at the newest fair price, micro-dollars. */
export type Mark = { readonly market: Market; readonly position: Position; readonly marked: number };

export function* marksOf({ ledger }: OrderManager, quoting: Quoting): Iterable<Mark> {
  for (const [id, { market, position }] of ledger.plays.positions) {
    yield { market, position, marked: markedAt(position, quoting.prices.get(id)) };
  }
}

/** What the run brought, settled and marked at the consensus, micro-dollars. */
export function markedOf(manager: OrderManager, quoting: Quoting): number {
  let sum: number = manager.ledger.plays.realized;
  for (const { marked } of marksOf(manager, quoting)) sum += marked;
  return sum;
}

// What can be seen of a run from outside, assembled from the parts of the core; money in dollars.
import type { Feed, Micros, RunCounts, TradingState } from '../domain/index.ts';
import { dollarsOfMicros, inventoryOfAll } from '../domain/index.ts';
import type { Account, DayLoss, DayStatus, PlayerModeWatch } from '../account/index.ts';
import type { OrderManager } from '../orders/index.ts';
import type { Denial } from '../risk/index.ts';
import type { Closing } from './closing.ts';
import type { FeedHealth } from './feed-health.ts';
import type { MarketData } from './market-data.ts';
import type { Prices } from './prices.ts';
import { markedOf } from './marks.ts';
import type { Quoting } from './quoting.ts';

export type CoreStatus = {
  readonly frames: number;
  readonly malformed: number;
  /** Frames over exchange.maxFrame, which were dropped. */
  readonly oversize: Readonly<Record<Feed, number>>;
  readonly intents: number;
  readonly placed: number;
  readonly edited: number;
  readonly cancelled: number;
  /** Own orders that ended cancelled and that we did not cancel. */
  readonly cancelledByOthers: number;
  /** Orders that ended after a cancel of ours that was never answered. */
  readonly undetermined: number;
  readonly fills: number;
  readonly riskFilled: number;
  readonly refused: number;
  readonly unknown: { readonly ever: number; readonly now: number };
  readonly markets: number;
  readonly wanted: number;
  readonly resting: number;
  /** Wanted slots that controls keep empty now, by control. */
  readonly held: Readonly<Record<string, number>>;
  /** How many of these slots have no reference price: risk.bandWithout. */
  readonly withoutReference: number;
  /** Slots that wait for a request, and what their waiting costs, dollars. */
  readonly waiting: { readonly slots: number; readonly value: number };
  readonly openOrders: number;
  /** Open orders on the account that are not ours. */
  readonly externalOrders: number;
  /** Of the configured mode, as it was read last; and what of it orders and positions use. */
  readonly balance: number | undefined;
  readonly creditInUse: number;
  readonly openAtExit: number | undefined;
  readonly pnl: { readonly marked: number; readonly worst: number };
  /** What the account brought since the day began, over all its runs; undefined: there is no limit of a day. */
  readonly day?: DayStatus | undefined;
  /** Sum over markets of the payoff difference between the outcomes, dollars. */
  readonly inventory: number;
  readonly quotedShare: number;
  /** Share of the wanted time for which controls kept slots empty, by control. */
  readonly heldShare: Readonly<Record<string, number>>;
  /** Share of the time with something wanted, in which a limit kept a slot empty. */
  readonly atLimits: number;
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
  readonly mode: PlayerModeWatch;
  readonly health: FeedHealth;
  readonly quoting: Quoting;
  readonly prices: Prices;
  readonly closing: Closing;
  readonly day: DayLoss;
};

/** What a run counts, as its samples say it. */
export const countsOf = ({
  account,
  market,
  quoting,
}: Pick<StatusParts, 'account' | 'market' | 'quoting'>): Omit<RunCounts, 'otherRequests'> => ({
  ...account.counts,
  riskFilled: account.counts.riskFilled as Micros,
  frames: market.frames,
  intents: quoting.intents,
  unknown: account.unknown.size,
});

export function statusOf(of: {
  readonly parts: StatusParts;
  readonly trading: TradingState;
  readonly accountRead: boolean;
  readonly closed: Denial | undefined;
}): CoreStatus {
  const { manager, market, account, mode, health, quoting, prices, closing } = of.parts;
  const { counts } = account;
  const inventory = inventoryOfAll(account.holdings.positions.values());
  const { slots, value } = manager.waiting;
  return {
    frames: market.frames,
    malformed: market.malformed,
    oversize: { ...market.oversize },
    intents: quoting.intents,
    placed: counts.placed,
    edited: counts.edited,
    cancelled: counts.cancelled,
    cancelledByOthers: counts.cancelledByOthers,
    undetermined: counts.undetermined,
    fills: counts.fills,
    riskFilled: counts.riskFilled / 1e6,
    refused: counts.refused,
    unknown: { ever: counts.unknownEver, now: account.unknown.size },
    markets: quoting.open.size,
    ...quoting.share.slots,
    withoutReference: quoting.withoutReference,
    waiting: { slots, value: value / 1e6 },
    openOrders: account.active.size,
    externalOrders: account.external.orders.size,
    balance: mode.balance === undefined ? undefined : dollarsOfMicros(mode.balance),
    creditInUse: dollarsOfMicros(account.creditInUse),
    openAtExit: closing.openAtExit,
    pnl: {
      marked: markedOf(account, prices) / 1e6,
      worst: worstOf(manager),
    },
    day: of.parts.day.status,
    inventory: inventory / 1e6,
    quotedShare: quoting.share.rested,
    heldShare: quoting.share.held,
    atLimits: quoting.share.atLimits,
    idle: quoting.idle,
    permits: manager.permits,
    feeds: { prices: market.isUp, user: health.userFeedUp },
    mode: mode.mode ?? mode.newest,
    trading: of.trading,
    accountRead: of.accountRead,
    closed: of.closed?.reason,
    stopping: closing.since !== undefined,
  };
}

/** The worst case of everything resting and held, dollars. */
export const worstOf = (manager: OrderManager): number => Math.min(0, dollarsOfMicros(manager.exposure.totalWorst()));

// The status of a run, assembled from the parts of the core. Money is in dollars.
import type { Feed, MarketId, Micros, RunCounts, TradingState } from '../domain/index.ts';
import { dollarsOfMicros, inventoryOfAll } from '../domain/index.ts';
import type { Account, DayLoss, DayStatus, PlayerModeWatch } from '../account/index.ts';
import type { OrderManager } from '../orders/index.ts';
import type { Denial, HeldElsewhere } from '../risk/index.ts';
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
  /** Own orders that ended cancelled although this bot did not cancel them. */
  readonly cancelledByOthers: number;
  /** Orders that ended after an own cancel that was never answered. */
  readonly undetermined: number;
  readonly fills: number;
  readonly riskFilled: number;
  readonly refused: number;
  readonly unknown: { readonly ever: number; readonly now: number };
  readonly markets: number;
  readonly wanted: number;
  readonly resting: number;
  /** Number of wanted slots that each control keeps empty now. */
  readonly held: Readonly<Record<string, number>>;
  /** Number of these slots without a reference price (risk.bandWithout). */
  readonly withoutReference: number;
  /** Number of slots that wait for a request, and the cost of their waiting, dollars. */
  readonly waiting: { readonly slots: number; readonly value: number };
  readonly openOrders: number;
  /** Number of external orders open on the account. */
  readonly externalOrders: number;
  /** Balance of the configured player mode, as last read. */
  readonly balance: number | undefined;
  /** Part of the balance that orders and positions use. */
  readonly creditInUse: number;
  readonly openAtExit: number | undefined;
  readonly pnl: { readonly marked: number; readonly worst: number };
  /** Result of the account since the day began, over all its runs. Undefined when there is no daily limit. */
  readonly day?: DayStatus | undefined;
  /** Sum over markets of the payoff difference between the outcomes, dollars. */
  readonly inventory: number;
  readonly quotedShare: number;
  /** Share of the wanted time for which controls kept slots empty, by control. */
  readonly heldShare: Readonly<Record<string, number>>;
  /** Share of the time with something wanted in which a limit kept a slot empty. */
  readonly atLimits: number;
  /** Number of intents without a quote, by reason. */
  readonly idle: Readonly<Record<string, number>>;
  readonly permits: { readonly place: number; readonly cancel: number };
  readonly feeds: { readonly prices: boolean; readonly user: boolean };
  readonly mode: string | undefined;
  /** State of the kill switch. */
  readonly trading: TradingState;
  /** True when the orders and positions on the account are known. */
  readonly accountRead: boolean;
  /** The markets in which the values of what is held on other exchanges have expired. */
  readonly heldExpired: readonly MarketId[];
  /** Why nothing is quoted now. Undefined when quoting is possible. */
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
  readonly held: HeldElsewhere;
};

/** The counts of a run in the form of its samples. */
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

export function statusOf(source: {
  readonly parts: StatusParts;
  readonly trading: TradingState;
  readonly accountRead: boolean;
  readonly closed: Denial | undefined;
}): CoreStatus {
  const { manager, market, account, mode, health, quoting, prices, closing } = source.parts;
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
    markets: quoting.select.count ?? quoting.open.size,
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
    day: source.parts.day.status,
    inventory: inventory / 1e6,
    quotedShare: quoting.share.rested,
    heldShare: quoting.share.held,
    atLimits: quoting.share.atLimits,
    idle: quoting.idle,
    permits: manager.permits,
    feeds: { prices: market.isUp, user: health.userFeedUp },
    mode: mode.mode ?? mode.newest,
    trading: source.trading,
    accountRead: source.accountRead,
    heldExpired: [...source.parts.held.expired.keys()],
    closed: source.closed?.reason,
    stopping: closing.since !== undefined,
  };
}

/** Worst case of all positions and resting orders, dollars, 0 or below. */
export const worstOf = (manager: OrderManager): number =>
  Math.min(0, dollarsOfMicros(manager.exposure.ownTotalWorst()));

// The status of each market for pages and commands: quoted markets, and markets with a position or an open
// order.
import type {
  Cause,
  Ladder,
  Market,
  MarketId,
  QueuePlace,
  OrderStatus,
  OutsideSource,
  Rung,
  Side,
} from '../domain/index.ts';
import {
  dollarsOfCents,
  dollarsOfMicros,
  knownPrices,
  NO_OFFERS,
  oddsOf,
  OUTSIDE_SOURCES,
  queuePlace,
  partText,
  probabilityOfRung,
  sideIndex,
} from '../domain/index.ts';
import type { Freshness, Mirror } from '../mirror/index.ts';
import type { Account, OwnOrder } from '../account/index.ts';
import { idOf, remainingOf } from '../account/index.ts';
import type { Need, OrderManager } from '../orders/index.ts';
import type { SignalBoard } from '../strategy/host/index.ts';
import type { SelectStatus } from './market-select.ts';
import type { HeldElsewhere, HeldPayoffs } from '../risk/index.ts';
import type { Prices } from './prices.ts';
import type { Quoting } from './quoting.ts';

/** The status of one market. Money is in dollars. */
export type MarketStatus = {
  readonly market: MarketId;
  readonly gameId: string;
  /** The event name of the game. Undefined when the game is not known. */
  readonly game: string | undefined;
  /** The part of a game: `h1`, `prop`, `future` … Undefined for a whole game or an unknown one. */
  readonly part: string | undefined;
  /** The game that this part belongs to. */
  readonly parentGameId: string | undefined;
  /** Unix ms. */
  readonly start: number | undefined;
  readonly live: boolean;
  readonly league: string | undefined;
  readonly type: Market['type'];
  readonly line: number | undefined;
  /** Home or over first, then away or under. */
  readonly sides: readonly [Side, Side];
  /** True when the market is shown to the strategies. */
  readonly quoted: boolean;
  /** The price at which the market is marked, as probability of its first side. */
  readonly fair: number | undefined;
  /** Prices of outside sources that have one. */
  readonly outside: Readonly<Partial<Record<OutsideSource, number>>>;
  /** The best offer of others on each side, in the odds and stake of its owner. */
  readonly best: readonly [BestOffer | undefined, BestOffer | undefined];
  /** Whether each side of the book is current. Undefined when the market is not quoted. */
  readonly freshness: readonly [Freshness, Freshness] | undefined;
  /** Where it stands by value per permit. Undefined when all markets are quoted, and before it is ranked. */
  readonly select: SelectStatus | undefined;
  /** Slots that strategies want filled, and the controls that keep some of them empty. */
  readonly wanted: number;
  readonly held: readonly string[];
  /** The regime and the reason of each strategy's newest intent, by strategy. */
  readonly said: Readonly<Record<string, string>>;
  /** The wanted slots, and what each waits for when it does not rest. */
  readonly slots: readonly SlotStatus[];
  readonly orders: readonly OrderStatusInMarket[];
  /** The payout of either outcome, and the sum of all stakes. */
  readonly position: { readonly first: number; readonly second: number; readonly staked: number };
  /** What is held on other exchanges brings if a side wins. Undefined when nothing is known. */
  readonly elsewhere: HeldStatus | undefined;
  /** Worst case of the game with all resting orders, as limits count it, 0 or below. */
  readonly worstOfGame: number;
  /**
   * Worst case of the game and all its parts, each at its own worst. `risk.maxGameLoss` bounds it. 0 or
   * below.
   */
  readonly worstWithParts: number;
};

/** `isExpired`: the time of a value is over, so only losses count. */
export type HeldStatus = { readonly first: number; readonly second: number; readonly isExpired: boolean };

export type BestOffer = { readonly odds: number; readonly size: number };

export type SlotStatus = {
  readonly strategy: string;
  readonly side: Side;
  readonly odds: number;
  readonly risk: number;
  /** The control that keeps the slot empty, and its reason. */
  readonly control: string | undefined;
  readonly reason: string | undefined;
  /** The request that the slot waits for, the cost of waiting, and the time waited. */
  readonly waits: { readonly cause: Cause; readonly value: number; readonly ms: number } | undefined;
};

export type OrderStatusInMarket = {
  readonly ref: string;
  readonly orderId: string | undefined;
  readonly strategy: string;
  readonly side: Side;
  readonly odds: number;
  readonly risk: number;
  readonly remaining: number;
  readonly status: OrderStatus;
  /** Unix ms. */
  readonly sentAt: number;
  /** Stake of others that is taken before this order. */
  readonly ahead: number;
  /** Place in the queue, 1 when no offer is before it. */
  readonly rank: number;
};

export type MarketStatusParts = {
  readonly mirror: Mirror;
  readonly account: Account;
  readonly quoting: Quoting;
  readonly prices: Prices;
  readonly manager: OrderManager;
  readonly held: HeldElsewhere;
  readonly signals: Pick<SignalBoard, 'get'>;
  readonly buffer: { readonly now: number };
};

/** The status of each market, ordered by start. Each is computed when it is taken. */
export function* marketsOf(parts: MarketStatusParts): Generator<MarketStatus, void> {
  const { account, quoting, mirror, held } = parts;
  const markets = new Map<MarketId, Market>();
  for (const [id, { book }] of quoting.open) markets.set(id, book.market);
  for (const { market } of account.active) markets.set(market.id, market);
  for (const [id, { market }] of account.holdings.positions) markets.set(id, market);
  for (const { market } of held.all()) markets.set(market.id, market);
  const startOf = ({ gameId }: Market): number => mirror.games.get(gameId)?.game.start ?? 0;
  const inOrder = [...markets.values()]
    .map((market) => [market, startOf(market)] as const)
    .sort(([a, aStart], [b, bStart]) => aStart - bStart || (a.id < b.id ? -1 : 1));
  for (const [market] of inOrder) yield marketOf(market, parts);
}

const outsideOf = (id: MarketId, signals: MarketStatusParts['signals']): MarketStatus['outside'] =>
  knownPrices(Object.fromEntries(OUTSIDE_SOURCES.map((source) => [source, signals.get(`${source}:${id}`)])));

function marketOf(
  { id, gameId, sides, type, line }: Market,
  { mirror, account, quoting, prices, manager, held, buffer, signals }: MarketStatusParts,
): MarketStatus {
  const game = mirror.games.get(gameId)?.game;
  const quoted = quoting.open.get(id);
  const { first, second, staked } = account.positionIn(id);
  const said = [...(quoted?.intents ?? [])].flatMap(
    ([
      strategy,
      {
        intent: { regime, reason },
      },
    ]) => {
      const words = [regime, reason].filter((text) => text !== undefined);
      return words.length === 0 ? [] : [[strategy, words.join(': ')] as const];
    },
  );
  return {
    market: id,
    gameId,
    game: game?.eventName,
    part: game === undefined ? undefined : partText(game),
    parentGameId: game?.parentGameId,
    start: game?.start,
    live: game?.live ?? false,
    league: game?.league,
    type,
    line,
    sides,
    quoted: quoted !== undefined,
    fair: prices.get(id),
    outside: outsideOf(id, signals),
    best: [bestOf(quoted?.others[0]), bestOf(quoted?.others[1])],
    freshness: quoted?.freshness,
    select: quoting.select.statusOf(id),
    wanted: quoted?.share.wanted ?? 0,
    held: quoted?.share.held ?? [],
    said: Object.fromEntries(said),
    slots: slotsOf(id, manager, buffer.now),
    orders: account
      .activeIn(id)
      .toSorted((a, b) => a.rung - b.rung)
      .map((order) => orderOf(order, quoted?.others[sideIndex(order.side)] ?? NO_OFFERS)),
    position: {
      first: dollarsOfMicros(first),
      second: dollarsOfMicros(second),
      staked: dollarsOfMicros(staked),
    },
    elsewhere: heldStatus(held.payoffsIn({ id, gameId })),
    worstOfGame: Math.min(0, dollarsOfMicros(manager.exposure.worstOf(gameId))),
    worstWithParts: Math.min(0, dollarsOfMicros(manager.exposure.worstWithParts(gameId))),
  };
}

const heldStatus = (held: HeldPayoffs | undefined): HeldStatus | undefined =>
  held && { first: dollarsOfMicros(held.first), second: dollarsOfMicros(held.second), isExpired: held.isExpired };

function bestOf(ladder: Ladder | undefined): BestOffer | undefined {
  const best = ladder?.[0];
  return best && { odds: oddsOf(best.rung), size: dollarsOfMicros(best.untaken) };
}

function slotsOf(id: MarketId, manager: OrderManager, now: number): readonly SlotStatus[] {
  const needs = manager.needsIn(id);
  return manager.targetsIn(id).map(({ slot, strategy, side, rung, risk, denial }) => {
    const need = needs.find((candidate) => candidate.slot === slot);
    const held = denial ?? manager.deniedBy(slot);
    return {
      strategy,
      side,
      odds: oddsOf(rung),
      risk: dollarsOfCents(risk),
      control: held?.control,
      reason: held?.reason,
      waits: need && waitOf(need, now),
    };
  });
}

const waitOf = ({ cause, value, since }: Need, now: number) => ({
  cause,
  value: value / 1e6,
  ms: Math.round(now - (since ?? now)),
});

/** The status of one own order. `others`: the offers of its side without those of the account. */
export function orderOf(order: OwnOrder, others: Ladder): OrderStatusInMarket {
  const { ahead, rank } = queueOf(order, others);
  return {
    ref: order.ref,
    orderId: idOf(order),
    strategy: order.strategy,
    side: order.side,
    odds: oddsOf(order.rung),
    risk: dollarsOfCents(order.risk),
    remaining: dollarsOfMicros(remainingOf(order)),
    status: order.status,
    sentAt: order.sentT,
    ahead: dollarsOfMicros(ahead),
    rank,
  };
}

/**
 * Others' stake before a resting order, and its place in the queue. Undefined when its market is not quoted.
 */
export function queueIn(order: OwnOrder, quoting: Quoting): QueuePlace | undefined {
  const others = quoting.open.get(order.market.id)?.others[sideIndex(order.side)];
  return others && queueOf(order, others);
}

const queueOf = ({ rung, sentT }: OwnOrder, others: Ladder): QueuePlace => queuePlace({ rung, sentAt: sentT }, others);

/** The mark and the best own price of each side, as probabilities. Undefined when there is none. */
export type OwnPrices = {
  readonly market: MarketId;
  readonly fair: number | undefined;
  readonly first: number | undefined;
  readonly second: number | undefined;
};

/** The own prices of each market with an open order or a position. */
export function* ownPricesOf({ account, prices }: Pick<MarketStatusParts, 'account' | 'prices'>): Iterable<OwnPrices> {
  const ids = new Set<MarketId>(account.holdings.positions.keys());
  for (const { market } of account.active) ids.add(market.id);
  for (const market of ids) {
    let [first, second]: (number | undefined)[] = [];
    for (const { side, rung } of account.activeIn(market)) {
      const p = probabilityOfRung(rung);
      if (sideIndex(side) === 0) first = Math.max(first ?? 0, p);
      else second = Math.max(second ?? 0, p);
    }
    yield { market, fair: prices.get(market), first, second };
  }
}

/** The best prices of others by side, as implied probabilities. Undefined for a side without offers. */
export function othersBestOf(
  id: MarketId,
  { quoting }: Pick<MarketStatusParts, 'quoting'>,
): readonly [number | undefined, number | undefined] {
  const others = quoting.open.get(id)?.others;
  const bestIn = (index: 0 | 1): number | undefined => {
    const best = others?.[index][0];
    return best === undefined ? undefined : probabilityOfRung(best.rung);
  };
  return [bestIn(0), bestIn(1)];
}

/** One row of a ladder: others' stake at a price, and own orders there. */
export type LadderRow = {
  readonly odds: number;
  /** Stake of others that can still be taken. */
  readonly size: number;
  /** Number of offers of others. */
  readonly offers: number;
  /** Stake of own orders that can still be taken. */
  readonly own: number;
};

const MOST_ROWS = 60;

/** Both sides of a market, best for a taker first. Undefined when the market is not quoted. */
export function ladderOf(
  id: MarketId,
  { account, quoting }: Pick<MarketStatusParts, 'account' | 'quoting'>,
): readonly [readonly LadderRow[], readonly LadderRow[]] | undefined {
  const quoted = quoting.open.get(id);
  if (quoted === undefined) return undefined;
  const { sides } = quoted.book.market;
  const own = account.activeIn(id);
  const rowsOf = (index: 0 | 1): readonly LadderRow[] => {
    const rows = new Map<Rung, { odds: number; size: number; offers: number; own: number }>();
    const rowAt = (rung: Rung) => {
      const known = rows.get(rung) ?? { odds: oddsOf(rung), size: 0, offers: 0, own: 0 };
      rows.set(rung, known);
      return known;
    };
    for (const { rung, untaken } of quoted.others[index]) {
      const row = rowAt(rung);
      row.size += dollarsOfMicros(untaken);
      row.offers += 1;
    }
    for (const order of own)
      if (order.side === sides[index]) rowAt(order.rung).own += dollarsOfMicros(remainingOf(order));
    return [...rows]
      .sort(([a], [b]) => a - b)
      .slice(0, MOST_ROWS)
      .map(([, row]) => row);
  };
  return [rowsOf(0), rowsOf(1)];
}

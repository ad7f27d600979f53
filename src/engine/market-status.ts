// What can be seen of each market from outside: those that are quoted, and those in which something is held or open.
import type { Market, MarketId, OrderStatus, Side } from '../domain/index.ts';
import { dollarsOfCents, dollarsOfMicros, oddsOf } from '../domain/index.ts';
import type { Mirror } from '../mirror/index.ts';
import type { Account } from '../account/index.ts';
import { remainingOf } from '../account/index.ts';
import type { Prices } from './prices.ts';
import type { Quoting } from './quoting.ts';

/** Money in dollars. */
export type MarketStatus = {
  readonly market: MarketId;
  readonly gameId: string;
  /** Of the game, as far as it is known. */
  readonly game: string | undefined;
  /** Unix ms. */
  readonly start: number | undefined;
  readonly live: boolean;
  /** First home or over, then away or under. */
  readonly sides: readonly [Side, Side];
  /** It is shown to the strategies. */
  readonly quoted: boolean;
  /** What it is marked at, as probability of its first side. */
  readonly fair: number | undefined;
  /** Slots that strategies want filled, and the controls that keep some of them empty. */
  readonly wanted: number;
  readonly held: readonly string[];
  /** What strategies said with their newest intents. */
  readonly said: Readonly<Record<string, string>>;
  readonly orders: readonly {
    readonly strategy: string;
    readonly side: Side;
    readonly odds: number;
    readonly risk: number;
    readonly remaining: number;
    readonly status: OrderStatus;
  }[];
  /** What either outcome pays, and all stakes together. */
  readonly position: { readonly first: number; readonly second: number; readonly staked: number };
};

export type MarketStatusParts = {
  readonly mirror: Mirror;
  readonly account: Account;
  readonly quoting: Quoting;
  readonly prices: Prices;
};

export function marketsOf(parts: MarketStatusParts): readonly MarketStatus[] {
  const { account, quoting } = parts;
  const markets = new Map<MarketId, Market>();
  for (const [id, { book }] of quoting.open) markets.set(id, book.market);
  for (const { market } of account.active) markets.set(market.id, market);
  for (const [id, { market }] of account.holdings.positions) markets.set(id, market);
  return [...markets.values()]
    .map((market) => marketOf(market, parts))
    .sort((a, b) => (a.start ?? 0) - (b.start ?? 0) || (a.market < b.market ? -1 : 1));
}

function marketOf(
  { id, gameId, sides }: Market,
  { mirror, account, quoting, prices }: MarketStatusParts,
): MarketStatus {
  const game = mirror.games.get(gameId)?.game;
  const quoted = quoting.open.get(id);
  const { first, second, staked } = account.positionIn(id);
  const said = [...(quoted?.intents ?? [])].flatMap(([strategy, { intent }]) =>
    intent.reason === undefined ? [] : [[strategy, intent.reason] as const],
  );
  return {
    market: id,
    gameId,
    game: game?.eventName,
    start: game?.start,
    live: game?.live ?? false,
    sides,
    quoted: quoted !== undefined,
    fair: prices.get(id),
    wanted: quoted?.share.wanted ?? 0,
    held: quoted?.share.held ?? [],
    said: Object.fromEntries(said),
    orders: account
      .activeIn(id)
      .toSorted((a, b) => a.rung - b.rung)
      .map((order) => ({
        strategy: order.strategy,
        side: order.side,
        odds: oddsOf(order.rung),
        risk: dollarsOfCents(order.risk),
        remaining: dollarsOfMicros(remainingOf(order)),
        status: order.status,
      })),
    position: {
      first: dollarsOfMicros(first),
      second: dollarsOfMicros(second),
      staked: dollarsOfMicros(staked),
    },
  };
}

// What a strategy sees of one market: a read-only snapshot, at most one per input. What others see as well is frozen:
// writing into it throws.
import type { Cents, Fill, Game, Ladder, Market, Micros, OrderStatus, Position, Rung, Side } from '../domain/index.ts';
import type { Freshness } from '../mirror/index.ts';

/** One of this strategy's own orders that rests or may come to rest. */
export type OwnOffer = {
  readonly side: Side;
  readonly rung: Rung;
  /** Original size in cents. */
  readonly risk: Cents;
  /** What may still be taken, micro-dollars of own stake. */
  readonly remaining: Micros;
  readonly key: string;
  readonly status: OrderStatus;
};

/** One side of a market: what others offer there, and what the strategy itself does. */
export type SideView = {
  readonly side: Side;
  /** The others' offers, best for a taker first; own offers are left out. */
  readonly offers: Ladder;
  readonly freshness: Freshness;
  /** This strategy's own offers on this side. */
  readonly own: readonly OwnOffer[];
};

/** A market as a strategy sees it, whenever its book, game, signals, or the strategy's own orders, fills or position changed. */
export type MarketView = {
  /** Wall clock of the input that caused this view, Unix ms. */
  readonly time: number;
  readonly game: Game;
  readonly market: Market;
  /** First side (home, over), then second (away, under). */
  readonly sides: readonly [SideView, SideView];
  /** The account's position in this market: micro-dollars per outcome. */
  readonly position: Position;
  /** This strategy's fills in this market, oldest first. */
  readonly fills: readonly Fill[];
  readonly signals: Signals;
};

/** Named numbers from outside (an own model, say), latest value each. */
export type Signals = {
  /** Undefined: never told, withdrawn, or too old. Whoever asks is shown its markets again when the number changes. */
  readonly get: (name: string) => number | undefined;
};

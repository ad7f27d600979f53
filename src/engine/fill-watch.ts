// Follows fills: the price of their market some seconds later (markouts) and at its close. What is due is
// looked up at most ten times a second; the price of a moment is the newest one known before that moment,
// not before the lookup (figures.md, "One fill").
import type { EventOf, Game, GameId, Market, MarketId, SignalUpdate, StrategyId, TxId } from '../domain/index.ts';
import {
  CAUSE_MS,
  dropOf,
  fairByStrategy,
  isInPlay,
  knownPrices,
  MARKOUT_SECONDS,
  PAST_MS,
  setOf,
} from '../domain/index.ts';
import { OutsidePrices } from '../measure/index.ts';
import type { CommandBuffer } from './command-buffer.ts';
import type { OwnFairs } from './own-fairs.ts';
import type { Prices as MarketPrices } from './prices.ts';

/** Interval of lookups. Frames arrive more often. */
const MEASURE_EVERY_MS = 100;
/** A wall clock that differs from the monotonic one by more than this was set. */
const CLOCK_STEP_MS = 1000;
/** Highest number of fills followed at once. Beyond it the oldest is dropped. */
const MOST_FOLLOWED = 10_000;

type Followed = {
  readonly txId: TxId;
  market: Market;
  readonly strategy: StrategyId | undefined;
  /** When the fill was booked, monotonic ms. */
  readonly at: number;
  /** The same, Unix ms. */
  readonly t: number;
  readonly isInPlay: boolean;
  /** How many markouts were raised. */
  markouts: number;
  /** True when its market closed or its game was settled. */
  isClosed: boolean;
};

type Prices = EventOf<'Fill'>['before'];

export type FillWatchParts = {
  readonly buffer: Pick<CommandBuffer, 'now' | 't' | 'raise'>;
  readonly prices: Pick<MarketPrices, 'fairOf' | 'fairBefore'>;
  readonly quoting: { readonly ownFairs: Pick<OwnFairs, 'before'> };
  readonly gameOf: (id: GameId) => Pick<Game, 'start' | 'live'> | undefined;
};

export class FillWatch {
  readonly #parts: FillWatchParts;
  readonly #outside = new OutsidePrices();
  /** Fills that wait for a markout or for the close. */
  readonly #fills = new Map<TxId, Followed>();
  readonly #awaitingMarkout = new Set<Followed>();
  readonly #inMarket = new Map<MarketId, Set<Followed>>();
  /** Fills from before the start of the game, whose market has not closed. */
  readonly #early = new Map<MarketId, Set<Followed>>();
  /** Fair price of each followed market at the previous lookup. */
  readonly #before = new Map<MarketId, number | undefined>();
  #measuredAt = Number.NEGATIVE_INFINITY;

  constructor(parts: FillWatchParts) {
    this.#parts = parts;
  }

  /** Applies signals: some of them are outside prices. */
  applySignal(signal: Pick<SignalUpdate, 'values'>): void {
    this.#outside.applySignals(signal);
  }

  /**
   * Fair prices of a market by source: right before the current step, and `PAST_MS` earlier. `strategy`:
   * whose own price.
   */
  pricesOf({ id }: Market, strategy: StrategyId | undefined): { readonly before: Prices; readonly past: Prices } {
    const { buffer, prices, quoting } = this.#parts;
    const pricesAt = (t: number): Prices =>
      knownPrices({
        consensus: prices.fairBefore(id, t),
        own: strategy === undefined ? undefined : quoting.ownFairs.before(id, strategy, t),
      });
    const now = buffer.t - CAUSE_MS;
    return { before: { ...pricesAt(now), ...this.#outside.pricesOf(id) }, past: pricesAt(now - PAST_MS) };
  }

  watchFill(txId: TxId, market: Market, strategy: StrategyId | undefined): void {
    const { buffer } = this.#parts;
    const fill: Followed = {
      txId,
      market,
      strategy,
      at: buffer.now,
      t: buffer.t,
      isInPlay: this.#isInPlay(market),
      markouts: 0,
      isClosed: false,
    };
    this.#fills.set(txId, fill);
    this.#awaitingMarkout.add(fill);
    this.#enterMarket(fill);
    if (this.#fills.size <= MOST_FOLLOWED) return;
    const [oldest] = this.#fills.values();
    if (oldest !== undefined) this.#drop(oldest);
  }

  /** Raises markouts and closes that are due. It runs in every step, before the fills of the step. */
  advance(): void {
    if (this.#fills.size === 0) return;
    const { buffer, prices } = this.#parts;
    if (buffer.now < this.#measuredAt + MEASURE_EVERY_MS) return;
    this.#measuredAt = buffer.now;
    this.#raiseDue();
    for (const id of this.#before.keys()) this.#before.set(id, prices.fairOf(id));
  }

  /** Moves a fill to another market, because home and away of its game changed places. */
  move(txId: TxId, market: Market): void {
    this.#outside.forgetGame(market.gameId);
    const fill = this.#fills.get(txId);
    if (fill === undefined) return;
    this.#leaveMarket(fill);
    fill.market = market;
    this.#enterMarket(fill);
  }

  /**
   * Closes a settled fill, before `Settled` is raised. A fill in play closes at the last price of its market.
   */
  settle(txId: TxId): void {
    const fill = this.#fills.get(txId);
    if (fill === undefined) return;
    if (fill.isInPlay && !fill.isClosed) {
      const inPlay = [...(this.#inMarket.get(fill.market.id) ?? [])].filter(
        (other) => other.isInPlay && !other.isClosed,
      );
      const { buffer, prices } = this.#parts;
      const { id } = fill.market;
      this.#close(inPlay, true, prices.fairBefore(id, buffer.t) ?? this.#before.get(id));
    }
    this.#finish(fill);
  }

  /** Raises what is due and closes the fills in play, at the end of the run. */
  endRun(): void {
    this.#raiseDue();
    for (const fills of this.#inMarket.values()) {
      const open = [...fills].filter((fill) => fill.isInPlay && !fill.isClosed);
      // the market stays open and has no last price yet
      if (open.length > 0) this.#close(open, true, undefined);
    }
  }

  #raiseDue(): void {
    for (const fill of this.#awaitingMarkout) this.#raiseMarkouts(fill);
    for (const early of this.#early.values()) {
      const [first] = early;
      if (first !== undefined && this.#isInPlay(first.market)) this.#closeAtStart(first.market, [...early]);
    }
  }

  #raiseMarkouts(fill: Followed): void {
    const { buffer, prices } = this.#parts;
    for (const seconds of MARKOUT_SECONDS.slice(fill.markouts)) {
      if (buffer.now < fill.at + seconds * 1000) return;
      fill.markouts += 1;
      const fair = prices.fairBefore(fill.market.id, this.#timeAfter(fill, seconds));
      buffer.raise({ type: 'Markout', txId: fill.txId, seconds, ...(fair === undefined ? {} : { fair }) });
    }
    this.#awaitingMarkout.delete(fill);
    this.#leaveIfDone(fill);
  }

  /** The moment some seconds after a fill, Unix ms, also when the wall clock was set meanwhile. */
  #timeAfter(fill: Followed, seconds: number): number {
    const { buffer } = this.#parts;
    const step = buffer.t - fill.t - (buffer.now - fill.at);
    return fill.t + seconds * 1000 + (Math.abs(step) > CLOCK_STEP_MS ? step : 0);
  }

  /** Closes the fills from before the start, when the game has begun. */
  #closeAtStart({ id, gameId }: Market, fills: readonly Followed[]): void {
    const { buffer, prices } = this.#parts;
    const start = this.#parts.gameOf(gameId)?.start ?? Number.POSITIVE_INFINITY;
    // a game that is live before its announced start turned live since the previous lookup
    if (buffer.t >= start) this.#close(fills, false, prices.fairBefore(id, start), start);
    else this.#close(fills, false, this.#before.get(id));
  }

  /** Raises the closing prices of fills in one market. `closedAt`: Unix ms; a strategy's own price is that of before. */
  #close(
    fills: readonly Followed[],
    isLate: boolean,
    consensus: number | undefined,
    closedAt = this.#parts.buffer.t,
  ): void {
    const [first] = fills;
    if (first === undefined) return;
    const { buffer, quoting } = this.#parts;
    const { id } = first.market;
    buffer.raise({
      type: 'CloseTaken',
      market: id,
      isInPlay: isLate,
      prices: { ...knownPrices({ consensus }), ...this.#outside.pricesOf(id) },
      own: fairByStrategy(
        fills.map(({ strategy }) => strategy),
        (strategy) => quoting.ownFairs.before(id, strategy, closedAt),
      ),
    });
    for (const fill of fills) this.#finish(fill);
  }

  #finish(fill: Followed): void {
    fill.isClosed = true;
    dropOf(this.#early, fill.market.id, fill);
    this.#leaveIfDone(fill);
  }

  #isInPlay({ gameId }: Market): boolean {
    return isInPlay(this.#parts.gameOf(gameId), this.#parts.buffer.t);
  }

  #leaveIfDone(fill: Followed): void {
    if (fill.isClosed && !this.#awaitingMarkout.has(fill)) this.#drop(fill);
  }

  #drop(fill: Followed): void {
    this.#fills.delete(fill.txId);
    this.#awaitingMarkout.delete(fill);
    this.#leaveMarket(fill);
  }

  #enterMarket(fill: Followed): void {
    const { id } = fill.market;
    setOf(this.#inMarket, id).add(fill);
    if (!fill.isInPlay && !fill.isClosed) setOf(this.#early, id).add(fill);
    this.#before.set(id, this.#parts.prices.fairOf(id));
  }

  #leaveMarket(fill: Followed): void {
    const { id } = fill.market;
    for (const fills of [this.#inMarket, this.#early]) dropOf(fills, id, fill);
    if (!this.#inMarket.has(id)) this.#before.delete(id);
  }
}

// Measures what changes continuously: how own orders rest relative to the fair price, what others take, and
// the result. The sums are raised every ten seconds of run time (`Sample`).
import type { EventOf, Market, MarketId, Micros, NewOrder, OrderRef, QuoteTimes, RunCounts } from '../domain/index.ts';
import {
  AgeCounts,
  inventoryOf,
  isInPlay,
  microsOfCents,
  phaseOf,
  plus,
  probabilityOfRung,
  toMicroseconds,
  ZERO,
} from '../domain/index.ts';
import type { MarketPrices, OwnQuote } from '../measure/index.ts';
import { Extremes, LastReported, leagueRows, QuoteClock, TakeClock } from '../measure/index.ts';
import { markedOf } from './marks.ts';
import { othersBestOf } from './market-status.ts';
import type { Parts } from './parts.ts';
import { countsOf } from './status.ts';

/** Interval at which quotes, books and the result are measured. Frames arrive more often. */
const MEASURE_EVERY_MS = 1000;
/**
 * Ticks trigger the measurement, so that orders which answer a frame never wait for it. After this many
 * missing ticks any input does.
 */
const TICKS_MISSED = 2;
const SAMPLE_EVERY_MS = 10_000;
/** The first sample comes sooner, so that a new run is visible. */
const FIRST_SAMPLE_MS = 2000;
/** Interval while nothing is wanted, rests or is held. */
const IDLE_SAMPLE_EVERY_MS = 60_000;

type Watched = OwnQuote & {
  /** The reason that the intent gave. */
  readonly reason: string | undefined;
  filled: Micros;
  /** When the order began to rest, monotonic ms. Undefined while it does not rest yet. */
  restedAt: number | undefined;
  ahead: Micros | undefined;
};

type SampleNow = EventOf<'Sample'>;
type MarketRow = NonNullable<SampleNow['markets']>[number];

export class QuoteWatch {
  readonly #parts: Parts;
  readonly #overdueMs: number;
  /** Orders that this run sent and that have not ended. */
  readonly #orders = new Map<OrderRef, Watched>();
  readonly #clock = new QuoteClock<Watched>(false);
  readonly #takes = new TakeClock();
  readonly #extremes = new Extremes();
  #mostHeld = { all: 0, prematch: 0, inplay: 0 };
  /** The result at the newest measurement, settled and marked. */
  #marked = ZERO;
  /** Inventory at the newest measurement: in all markets, and in those in play. */
  #inventory: readonly [Micros, Micros] = [ZERO, ZERO];
  #otherRequests = 0;
  #measureAt = Number.NEGATIVE_INFINITY;
  #sampleAt: number | undefined;
  #skipUntil = Number.NEGATIVE_INFINITY;
  /** Values of the samples so far: standing, counts, and rows by phase and league. */
  readonly #sampled = {
    standing: new LastReported(),
    counts: new LastReported(),
    quotes: new LastReported(),
    takes: new LastReported(),
  };
  /** The newest row of each quoted market, until it is closed. */
  readonly #markets = new Map<MarketId, MarketRow>();

  /**
   * `idleTickMs`: the longest time without a tick. On a driven clock ticks are rare, so any input may trigger
   * a measurement.
   */
  constructor(parts: Parts, idleTickMs: number) {
    this.#parts = parts;
    this.#overdueMs = Number.isFinite(idleTickMs) ? TICKS_MISSED * idleTickMs : 0;
  }

  /** A place or an edit was sent. `intentReason`: the reason that its intent gave. */
  addOrder({ ref, market, side, rung, risk }: NewOrder, intentReason: string | undefined): void {
    const price = probabilityOfRung(rung);
    const stake = microsOfCents(risk);
    const order: Watched = {
      market,
      side,
      price,
      reason: intentReason,
      filled: ZERO,
      restedAt: undefined,
      ahead: undefined,
      payoutLeft: () => Math.max(0, stake - order.filled) / price / 1e6,
    };
    this.#orders.set(ref, order);
  }

  /** Counts a request that is neither place, edit nor cancel. */
  countRequest(): void {
    this.#otherRequests += 1;
  }

  /** The order rests now. `ahead`: others' stake before it; undefined when its market is not quoted. */
  rest(ref: OrderRef, ahead: Micros | undefined): void {
    const order = this.#orders.get(ref);
    if (order === undefined || order.restedAt !== undefined || ahead === undefined) return;
    const { now } = this.#parts.buffer;
    order.restedAt = now;
    order.ahead = ahead;
    this.#clock.addQuote(order, now, this.#termsOf(order.market));
  }

  endQuote(ref: OrderRef): void {
    const order = this.#orders.get(ref);
    if (order === undefined) return;
    this.#orders.delete(ref);
    if (order.restedAt !== undefined) this.#clock.remove(order, this.#parts.buffer.now);
  }

  /** Books a fill. Returns the age, queue position and reason of its order, as far as they are known. */
  fill(ref: OrderRef | undefined, risk: Micros): Pick<EventOf<'Fill'>, 'ageMs' | 'ahead' | 'reason'> {
    const order = ref === undefined ? undefined : this.#orders.get(ref);
    if (order === undefined) return {};
    const { now } = this.#parts.buffer;
    this.#clock.passIn(order.market.id, now);
    order.filled = plus(order.filled, risk);
    const { ahead, reason, restedAt } = order;
    return {
      ...(restedAt === undefined ? {} : { ageMs: toMicroseconds(Math.max(0, now - restedAt)) }),
      ...(ahead === undefined ? {} : { ahead }),
      ...(reason === undefined ? {} : { reason }),
    };
  }

  /** Measures and samples when due. It runs after everything else in a step. */
  advance(isTick: boolean): void {
    const { now } = this.#parts.buffer;
    if (now < (isTick ? this.#measureAt : this.#measureAt + this.#overdueMs)) return;
    this.#measure(now);
    this.#sampleAt ??= now + FIRST_SAMPLE_MS;
    if (now < this.#sampleAt) return;
    this.#sampleAt = now + SAMPLE_EVERY_MS;
    this.#sample(false);
  }

  /** Raises the last sample of the run. */
  closeSample(): void {
    this.#measure(this.#parts.buffer.now);
    this.#sample(true);
  }

  #measure(now: number): void {
    this.#measureAt = now + MEASURE_EVERY_MS;
    const { account, manager, prices, quoting } = this.#parts;
    for (const market of this.#clock.quoted()) {
      const terms = this.#termsOf(market);
      this.#clock.see(market.id, now, terms);
      const others = quoting.open.get(market.id)?.others;
      if (others !== undefined) this.#takes.see(market.id, others, now, terms);
    }
    const marked = markedOf(account, prices);
    this.#marked = whole(marked);
    this.#extremes.see(marked, manager.exposure.ownTotalWorst());
    const [inventory, inPlay] = (this.#inventory = this.#inventories());
    const { all, prematch, inplay } = this.#mostHeld;
    if (inventory > all || inventory - inPlay > prematch || inPlay > inplay)
      this.#mostHeld = {
        all: Math.max(all, inventory),
        prematch: Math.max(prematch, inventory - inPlay),
        inplay: Math.max(inplay, inPlay),
      };
  }

  #termsOf({ id, gameId }: Market): MarketPrices {
    const { buffer, prices } = this.#parts;
    const game = this.#parts.gameOf(gameId);
    return {
      phase: phaseOf({ isInPlay: isInPlay(game, buffer.t) }),
      league: game?.league ?? '',
      fair: prices.fairOf(id),
      best: othersBestOf(id, this.#parts),
    };
  }

  #sample(isLast: boolean): void {
    const standing = this.#standing();
    const isIdle = standing.slots?.wanted === 0 && standing.worst === 0;
    const { now } = this.#parts.buffer;
    if (isIdle && !isLast && now < this.#skipUntil) return;
    this.#skipUntil = now + IDLE_SAMPLE_EVERY_MS;
    const sample = { ...this.#sampled.standing.newOf(standing), ...this.#sums(isLast) };
    if (isLast || Object.keys(sample).length > 0) this.#parts.buffer.raise({ type: 'Sample', ...sample });
  }

  /** Absolute inventory of all markets, and of those in play. */
  #inventories(): readonly [Micros, Micros] {
    const { account, buffer } = this.#parts;
    let [all, inPlay] = [0, 0];
    for (const { market, position } of account.holdings.positions.values()) {
      const held = Math.abs(inventoryOf(position));
      all += held;
      if (held > 0 && isInPlay(this.#parts.gameOf(market.gameId), buffer.t)) inPlay += held;
    }
    return [whole(all), whole(inPlay)];
  }

  /** The fields of a sample that show the current state of the run. */
  #standing(): Standing {
    const { manager, quoting } = this.#parts;
    const [inventory, inPlay] = this.#inventory;
    const { wanted, resting } = quoting.share.slots;
    return {
      marked: this.#marked,
      maxDrawdown: whole(this.#extremes.maxDrawdown),
      worst: Math.min(0, manager.exposure.ownTotalWorst()) as Micros,
      worstEver: this.#extremes.worst as Micros,
      inventory,
      inPlay,
      mostHeld: this.#mostHeld as NonNullable<SampleNow['mostHeld']>,
      permits: manager.permits,
      slots: { wanted, resting },
      shares: quoting.share.sums,
      idle: quoting.idle,
    };
  }

  /** Sums since the beginning of the run, as far as they changed since the previous sample. */
  #sums(isLast: boolean): Pick<SampleNow, 'counts' | 'quotes' | 'takes' | 'signals' | 'markets'> {
    const ages = isLast ? AgeCounts.sum(this.#parts.signals.ages.values()).figures : undefined;
    this.#clock.pass(this.#parts.buffer.now);
    const counts = this.#sampled.counts.newOf(this.#counts);
    const quotes = leagueRows((phase) => this.#clock.timesIn(phase)).map(({ phase, league, ...times }) => ({
      phase,
      league,
      ...roundedTimes(times),
    }));
    const takes = leagueRows((phase) => this.#takes.countsIn(phase)).map(({ phase, league, ms, byReach }) => ({
      phase,
      league,
      ms: Math.round(ms),
      byReach: [...byReach],
    }));
    const newQuotes = quotes.filter((row) => this.#sampled.quotes.isNew(`${row.phase} ${row.league}`, row));
    const newTakes = takes.filter((row) => this.#sampled.takes.isNew(`${row.phase} ${row.league}`, row));
    const markets: MarketRow[] = [];
    for (const { id } of this.#clock.quoted()) {
      const row = this.#newRowOf(id);
      if (row !== undefined) markets.push(row);
    }
    this.#forgetClosed();
    return {
      ...(Object.keys(counts).length > 0 ? { counts } : {}),
      ...(newQuotes.length > 0 ? { quotes: newQuotes } : {}),
      ...(newTakes.length > 0 ? { takes: newTakes } : {}),
      ...(ages === undefined ? {} : { signals: ages }),
      ...(markets.length > 0 ? { markets } : {}),
    };
  }

  /** The market's row for the sample. Undefined when it did not change since it was last raised. */
  #newRowOf(id: MarketId): MarketRow | undefined {
    const price = this.#parts.prices.fairOf(id);
    const fair = price === undefined ? undefined : shown(price);
    const best = othersBestOf(id, this.#parts).map((p) => (p === undefined ? null : shown(p)));
    const [first = null, second = null] = best;
    const last = this.#markets.get(id);
    if (last !== undefined && last.fair === fair && last.best[0] === first && last.best[1] === second) return undefined;
    const row = { market: id, ...(fair === undefined ? {} : { fair }), best: [first, second] } as const;
    this.#markets.set(id, row);
    return row;
  }

  get #counts(): RunCounts {
    return { ...countsOf(this.#parts), otherRequests: this.#otherRequests };
  }

  #forgetClosed(): void {
    const { open } = this.#parts.quoting;
    this.#takes.keepOnly((id) => open.has(id));
    // an order may rest in a market that has closed
    for (const id of this.#markets.keys()) if (!open.has(id) && !this.#clock.isQuoted(id)) this.#markets.delete(id);
  }
}

type Standing = Omit<SampleNow, 'type' | 'counts' | 'quotes' | 'takes' | 'signals' | 'markets'>;

const roundedTimes = ({ distanceMs, weighted, byType = {}, ...times }: QuoteTimes): QuoteTimes => ({
  ms: Math.round(times.ms),
  marketMs: Math.round(times.marketMs),
  twoSidedMs: Math.round(times.twoSidedMs),
  bestMs: Math.round(times.bestMs),
  pricedMs: Math.round(times.pricedMs),
  distanceMs: toMicroseconds(distanceMs),
  byDistance: times.byDistance.map(Math.round),
  weighted: {
    pricedMs: Math.round(weighted.pricedMs),
    distanceMs: Math.round(weighted.distanceMs),
    byDistance: weighted.byDistance.map(Math.round),
  },
  byType: Object.fromEntries(
    Object.entries(byType).map(([type, { ms, distanceMs: sums }]) => [
      type,
      { ms: ms.map(Math.round), distanceMs: sums.map(Math.round) },
    ]),
  ),
});

const whole = (micros: number): Micros => Math.round(micros) as Micros;
/** A probability rounded to six decimals, for plots. */
const shown = (probability: number): number => Math.round(probability * 1e6) / 1e6;

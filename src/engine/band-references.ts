// The reference of the price band in a market whose book has no price now (risk.bandWithout): the odds feed,
// else the last good consensus while it is not too old. With neither, the market has no reference.
import type { MarketId } from '../domain/index.ts';
import { ODDS_PREFIX } from '../domain/index.ts';
import type { BandReference, RiskLimits } from '../risk/index.ts';
import { MOST_BAND_AGE_IN_PLAY_MS } from '../risk/index.ts';
import { Alarm, Alarms } from './market-alarms.ts';

/** The last good consensus of a market. */
export type LastGood = {
  /** Probability of the first side. Undefined when there was none yet. */
  p: number | undefined;
  /** The last moment at which the book showed this price, monotonic ms. */
  at: number;
  /** Set while the price serves as a reference: when it becomes too old. */
  readonly end: Alarm<MarketId>;
};

export type BandReferenceParts = {
  readonly limits: Pick<RiskLimits, 'bandWithout' | 'bandAgeMs'>;
  /** The current value of a signal. Undefined when there is none. */
  readonly signal: (name: string) => number | undefined;
  /** Monotonic ms. */
  readonly now: () => number;
};

export class BandReferences {
  /** How often a last good price became a reference, and so began to age. */
  turns = 0;
  readonly #parts: BandReferenceParts;
  /** Last good prices, also of markets that are temporarily closed. */
  readonly #good = new Map<MarketId, LastGood>();
  readonly #ends = new Alarms<MarketId>();

  constructor(parts: BandReferenceParts) {
    this.#parts = parts;
  }

  /** `number`: orders alarms of the same time. */
  open(id: MarketId, number: number): LastGood {
    const known = this.#good.get(id);
    if (known !== undefined) return known;
    const good = { p: undefined, at: 0, end: new Alarm(id, number) };
    this.#good.set(id, good);
    return good;
  }

  closeEntry({ end }: LastGood): void {
    this.#ends.unset(end);
  }

  forget(id: MarketId): void {
    const good = this.#good.get(id);
    if (good === undefined) return;
    this.closeEntry(good);
    this.#good.delete(id);
  }

  /**
   * The reference for a book without a price. Undefined when there is none. `isLive`: the game is in play.
   */
  referenceOf(good: LastGood, isLive: boolean): BandReference | undefined {
    const { limits, signal, now } = this.#parts;
    this.#ends.unset(good.end);
    if (limits.bandWithout === 'off') return undefined;
    const odds = signal(ODDS_PREFIX + good.end.owner);
    if (odds !== undefined && odds > 0 && odds < 1) return { p: odds, of: 'odds' };
    if (good.p === undefined) return undefined;
    const age = isLive ? Math.min(limits.bandAgeMs, MOST_BAND_AGE_IN_PLAY_MS) : limits.bandAgeMs;
    const end = good.at + age;
    if (now() >= end) return undefined;
    this.turns += 1;
    this.#ends.set(good.end, end);
    return { p: good.p, of: 'last' };
  }

  /** When the next reference becomes too old, monotonic ms. */
  get nextDue(): number {
    return this.#ends.first?.dueAt ?? Number.POSITIVE_INFINITY;
  }

  /** Markets whose reference has become too old. Each is returned once. */
  *ended(): Iterable<MarketId> {
    const now = this.#parts.now();
    yield* this.#ends.ring((time) => time <= now);
  }

  /** The market of an `odds:` signal. Undefined for other signals. */
  marketOf(name: string): MarketId | undefined {
    const isOdds = this.#parts.limits.bandWithout !== 'off' && name.startsWith(ODDS_PREFIX);
    return isOdds ? (name.slice(ODDS_PREFIX.length) as MarketId) : undefined;
  }
}

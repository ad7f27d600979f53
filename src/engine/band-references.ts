// What the price band goes by in a market whose book has no price now (risk.bandWithout): the odds feed, or the last good
// consensus for as long as it may stand. Neither: nothing says what the market is worth.
import type { MarketId } from '../domain/index.ts';
import { ODDS_PREFIX } from '../domain/index.ts';
import type { BandReference, RiskLimits } from '../risk/index.ts';
import { MOST_BAND_AGE_IN_PLAY_MS } from '../risk/index.ts';
import { Alarm, Alarms } from './market-alarms.ts';

/** The last good consensus of a market. */
export type LastGood = {
  /** Probability of the first side; undefined: there was none yet. */
  p: number | undefined;
  /** Until when the book said so, monotonic ms. */
  at: number;
  /** When it is too old to go by, while something goes by it. */
  readonly end: Alarm<MarketId>;
};

export type BandReferenceParts = {
  readonly limits: Pick<RiskLimits, 'bandWithout' | 'bandAgeMs'>;
  /** A signal that holds now. */
  readonly signal: (name: string) => number | undefined;
  /** Monotonic ms. */
  readonly now: () => number;
};

export class BandReferences {
  /** How often one began to age. */
  turns = 0;
  readonly #parts: BandReferenceParts;
  /** Also of markets that are closed for a while. */
  readonly #good = new Map<MarketId, LastGood>();
  readonly #ends = new Alarms<MarketId>();

  constructor(parts: BandReferenceParts) {
    this.#parts = parts;
  }

  /** `number`: tells those of one time apart. */
  open(id: MarketId, number: number): LastGood {
    const known = this.#good.get(id);
    if (known !== undefined) return known;
    const good = { p: undefined, at: 0, end: new Alarm(id, number) };
    this.#good.set(id, good);
    return good;
  }

  close({ end }: LastGood): void {
    this.#ends.unset(end);
  }

  forget(id: MarketId): void {
    const good = this.#good.get(id);
    if (good === undefined) return;
    this.close(good);
    this.#good.delete(id);
  }

  /** For a book without a price. */
  of(good: LastGood, isLive: boolean): BandReference | undefined {
    const { limits, signal, now } = this.#parts;
    this.#ends.unset(good.end);
    if (limits.bandWithout === 'off') return undefined;
    const odds = signal(ODDS_PREFIX + good.end.of);
    if (odds !== undefined && odds > 0 && odds < 1) return { p: odds, of: 'odds' };
    if (good.p === undefined) return undefined;
    const age = isLive ? Math.min(limits.bandAgeMs, MOST_BAND_AGE_IN_PLAY_MS) : limits.bandAgeMs;
    const end = good.at + age;
    if (now() >= end) return undefined;
    this.turns += 1;
    this.#ends.set(good.end, end);
    return { p: good.p, of: 'last' };
  }

  /** When the first that something goes by is too old, monotonic ms. */
  get nextDue(): number {
    return this.#ends.first?.at ?? Number.POSITIVE_INFINITY;
  }

  /** Markets whose reference is too old by now; each is named once. */
  *ended(): Iterable<MarketId> {
    const now = this.#parts.now();
    yield* this.#ends.ring((at) => at <= now);
  }

  /** The market whose odds this signal is; undefined: it is another signal. */
  marketOf(name: string): MarketId | undefined {
    const isOdds = this.#parts.limits.bandWithout !== 'off' && name.startsWith(ODDS_PREFIX);
    return isOdds ? (name.slice(ODDS_PREFIX.length) as MarketId) : undefined;
  }
}

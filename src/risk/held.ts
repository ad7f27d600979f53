// What is held on other exchanges, by market, as signals report it (`held:<market>:first`, `:second`). It is
// no fill: only the limits and the reservation prices read it. Invariant: a value counts as a gain only while
// it has not expired and the value of the other side is known as well.
import type { GameId, Market, MarketId, Micros, Position, SignalUpdate } from '../domain/index.ts';
import { heldNamed, isOnTeams, microsOfDollars, swappedMarket, ZERO } from '../domain/index.ts';

/** What is held elsewhere in one market. */
export type HeldPayoffs = {
  readonly market: Market;
  /** What all of it brings if the first side wins, micro-dollars, net; 0 when no value was sent. */
  readonly first: Micros;
  /** The same if the second side wins. */
  readonly second: Micros;
  /** True when the time of a value is over, or its team was replaced: the sender may be gone. */
  readonly isExpired: boolean;
  /** True when both values are known. */
  readonly isWhole: boolean;
};

/**
 * The payoffs that count: as they are while both are known and not expired, else the worse of each and
 * none. A void or a draw that loses both sides brings nothing, or the worse of the two.
 */
export function countedHeld({ first, second, isExpired, isWhole }: HeldPayoffs): Position {
  const isCertain = isWhole && !isExpired;
  const counted = (payoff: Micros): Micros => (isCertain || payoff < 0 ? payoff : ZERO);
  return {
    first: counted(first),
    second: counted(second),
    staked: (0 - Math.min(0, first, second)) as Micros,
  };
}

/** Values for further markets are left out. */
const MOST_MARKETS = 5000;

/** One value: its payoff, and the monotonic ms until it is good. */
type Value = { readonly payoff: Micros; readonly untilMs: number };
type Entry = { readonly values: readonly [Value | undefined, Value | undefined]; readonly payoffs: HeldPayoffs };

const NONE: ReadonlyMap<MarketId, Entry> = new Map();
const NO_ENTRY: Entry['values'] = [undefined, undefined];

export class HeldElsewhere {
  readonly #games = new Map<GameId, Map<MarketId, Entry>>();
  #count = 0;
  #nextExpiryMs = Number.POSITIVE_INFINITY;
  readonly #expired = new Map<MarketId, HeldPayoffs>();
  readonly #changed = new Set<GameId>();

  /** What is held elsewhere in a market. Undefined when no value is known. */
  payoffsIn({ gameId, id }: Pick<Market, 'gameId' | 'id'>): HeldPayoffs | undefined {
    return this.#games.get(gameId)?.get(id)?.payoffs;
  }

  /** What is held elsewhere in the markets of a game. */
  *payoffsOfGame(gameId: GameId): Iterable<HeldPayoffs> {
    for (const { payoffs } of (this.#games.get(gameId) ?? NONE).values()) yield payoffs;
  }

  /** What is held elsewhere in all markets. */
  *all(): Iterable<HeldPayoffs> {
    for (const gameId of this.#games.keys()) yield* this.payoffsOfGame(gameId);
  }

  /** True when anything is held elsewhere in a game. */
  isIn(gameId: GameId): boolean {
    return this.#games.has(gameId);
  }

  /** The games in which anything is held elsewhere. */
  get games(): Iterable<GameId> {
    return this.#games.keys();
  }

  /** The markets whose values have expired, by id. */
  get expired(): ReadonlyMap<MarketId, HeldPayoffs> {
    return this.#expired;
  }

  /** The earliest time at which a value may expire, monotonic ms. Infinity when there is none. */
  get nextDue(): number {
    return this.#nextExpiryMs;
  }

  /** Takes out the games in which anything changed since the last call. */
  takeChanged(): readonly GameId[] {
    if (this.#changed.size === 0) return NO_GAMES;
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }

  /**
   * Applies the values of an update that are about positions elsewhere. Returns the names that were left out,
   * because there are too many markets.
   * @param now monotonic ms
   */
  applyUpdate({ values, ttlMs }: Pick<SignalUpdate, 'values' | 'ttlMs'>, now: number): readonly string[] {
    const leftOut: string[] = [];
    for (const [name, dollars] of Object.entries(values)) {
      const named = heldNamed(name);
      if (named === undefined) continue;
      const { market, side } = named;
      const before = this.#games.get(market.gameId)?.get(market.id);
      if (before === undefined && (dollars === null || this.#count >= MOST_MARKETS)) {
        if (dollars !== null) leftOut.push(name);
        continue;
      }
      const value = dollars === null ? undefined : { payoff: microsOfDollars(dollars), untilMs: now + ttlMs };
      const [first, second] = before?.values ?? NO_ENTRY;
      this.#set(market, side === 0 ? [value, second] : [first, value], now);
    }
    return leftOut;
  }

  /**
   * Marks the values whose time is over.
   * @param now monotonic ms
   */
  expire(now: number): void {
    if (now < this.#nextExpiryMs) return;
    this.#nextExpiryMs = Number.POSITIVE_INFINITY;
    for (const entries of [...this.#games.values()])
      for (const { values, payoffs } of entries.values()) this.#set(payoffs.market, values, now);
  }

  /**
   * Moves what is held to the sides of the same teams, after home and away of a game changed places.
   * @param now monotonic ms
   */
  swapTeams(gameId: GameId, now: number): void {
    const onTeams = this.#takeOnTeams(gameId);
    for (const { values, payoffs } of onTeams) this.#set(swappedMarket(payoffs.market), [values[1], values[0]], now);
  }

  /**
   * After a team was replaced it is unknown which side wins what: each side counts the worst until a new value
   * comes.
   * @param now monotonic ms
   */
  loseTeams(gameId: GameId, now: number): void {
    for (const { payoffs } of this.#takeOnTeams(gameId)) {
      const worst = { payoff: Math.min(0, payoffs.first, payoffs.second) as Micros, untilMs: Number.NEGATIVE_INFINITY };
      this.#set(payoffs.market, [worst, worst], now);
    }
  }

  /** Drops what is held in a game. */
  forget(gameId: GameId): void {
    for (const { payoffs } of [...(this.#games.get(gameId) ?? NONE).values()]) this.#drop(payoffs.market);
  }

  /** Takes out what is held in the markets whose sides are teams. */
  #takeOnTeams(gameId: GameId): readonly Entry[] {
    const all = [...(this.#games.get(gameId) ?? NONE).values()];
    const onTeams = all.filter(({ payoffs }) => isOnTeams(payoffs.market.type));
    for (const { payoffs } of onTeams) this.#drop(payoffs.market);
    return onTeams;
  }

  #set(market: Market, values: Entry['values'], now: number): void {
    const known = values.filter((value) => value !== undefined);
    if (known.length === 0) {
      this.#drop(market);
      return;
    }
    const [first, second] = values;
    const payoffs: HeldPayoffs = {
      market,
      first: first?.payoff ?? ZERO,
      second: second?.payoff ?? ZERO,
      isExpired: known.some(({ untilMs }) => untilMs <= now),
      isWhole: first !== undefined && second !== undefined,
    };
    for (const { untilMs } of known) if (untilMs > now) this.#nextExpiryMs = Math.min(this.#nextExpiryMs, untilMs);
    const entries = this.#games.get(market.gameId) ?? new Map<MarketId, Entry>();
    const before = entries.get(market.id);
    if (before === undefined) this.#count += 1;
    // the same payoffs for longer change nothing
    const isSame = before !== undefined && isEqual(before.payoffs, payoffs);
    entries.set(market.id, { values, payoffs: isSame ? before.payoffs : payoffs });
    this.#games.set(market.gameId, entries);
    if (isSame) return;
    if (payoffs.isExpired) this.#expired.set(market.id, payoffs);
    else this.#expired.delete(market.id);
    this.#changed.add(market.gameId);
  }

  #drop({ gameId, id }: Market): void {
    const entries = this.#games.get(gameId);
    if (entries === undefined || !entries.delete(id)) return;
    if (entries.size === 0) this.#games.delete(gameId);
    this.#count -= 1;
    this.#expired.delete(id);
    this.#changed.add(gameId);
  }
}

const NO_GAMES: readonly GameId[] = [];

const isEqual = (a: HeldPayoffs, b: HeldPayoffs): boolean =>
  a.first === b.first && a.second === b.second && a.isExpired === b.isExpired && a.isWhole === b.isWhole;

// What the account brought since the day began, over all its runs (rules.md, 14): what games settled since the base, and
// what is held now, against what was held and worth at the base. Everything is marked at the last good consensus, without
// one at its worst. The base is taken when the day begins, or at the first reading of the account after it; what was held
// then without any price gets the first price that there is, so that a price that becomes known is no gain.
//
// A fill of a former run counts like all others, through what it is worth now and was worth at the base: made yesterday and
// graded today, it brings its profit less its mark at the base. One that the exchange lists no more was graded while no run
// looked: it is looked up, and until that tells it stands at its mark.
import type {
  Commission,
  DayAtBoot,
  DayBase,
  FormerPlay,
  GameId,
  Market,
  MarketId,
  Micros,
  Position,
  SettledByHand,
  TxId,
} from '../domain/index.ts';
import {
  applyFill,
  dayStartOf,
  FLAT,
  markedAt,
  plus,
  swapKept,
  swappedMarket,
  swappedPlace,
  swappedPosition,
  swappedPrice,
} from '../domain/index.ts';
import { FormerPlays } from './former-plays.ts';
import type { FormerPorts } from './former-plays.ts';

/** The account has lost `limit` since the day began, `startsAtMs` after midnight UTC. */
export type DailyLossRule = { readonly limit: Micros; readonly startsAtMs: number };

/** What a market is marked at, as probability of its first side. */
type MarkPrices = { readonly get: (id: MarketId) => number | undefined };

/** What the account holds, as this run knows it. */
export type DayHoldings = {
  readonly positions: ReadonlyMap<MarketId, { readonly market: Market; readonly position: Position }>;
  /** What settled since this run began. */
  readonly realized: Micros;
  /** Plays in games that are not known yet. */
  readonly elsewhere: ReadonlyMap<TxId, { readonly gameId: GameId; readonly risk: Micros }>;
  /** A play that is counted in `positions`. */
  readonly fillOf: (txId: TxId) => Pick<FormerPlay, 'market' | 'side' | 'risk' | 'win'> | undefined;
  /** What the exchange keeps of each market. */
  readonly commission: Commission;
};

export type DayStatus = {
  /** Unix ms. */
  readonly startsAt: number;
  /** Settled and marked since the base; undefined: the account was not read yet. */
  readonly brought: Micros | undefined;
  readonly limit: Micros;
};

type BaseEntry = { readonly market: Market; position: Position; price: number | undefined };

export class DayLoss {
  readonly former: FormerPlays;
  /** Changes whenever the base does: it is to be kept. */
  baseVersion = 0;
  /** Undefined: no limit of a day. */
  readonly #safety: { readonly dailyLoss?: DailyLossRule | undefined };
  readonly #holdings: DayHoldings;
  readonly #consensus: MarkPrices;
  readonly #news: FormerPorts['news'];
  /** The last good consensus, also of markets whose books are closed since, and from former runs. */
  readonly #prices = new Map<MarketId, number>();
  #startsAt = Number.NEGATIVE_INFINITY;
  /** What settled since the base before this run, or (below 0: less) what this run had settled when the base was taken. */
  #settled = 0;
  #base: Map<MarketId, BaseEntry> | undefined;
  readonly #baseElsewhere = new Map<TxId, { readonly gameId: GameId; readonly risk: Micros }>();
  #byHand: readonly SettledByHand[] = [];
  /** Of those the ones that count as held again. */
  readonly #takenBack = new Set<TxId>();

  /** `consensus`: the probability of each market's first side, as it is now. */
  constructor(
    safety: { readonly dailyLoss?: DailyLossRule | undefined },
    holdings: DayHoldings,
    consensus: MarkPrices,
    ports: FormerPorts,
  ) {
    this.#safety = safety;
    this.#holdings = holdings;
    this.#consensus = consensus;
    this.former = new FormerPlays(ports);
    this.#news = ports.news;
  }

  /** As it is now: its limit may become another. */
  get #rule(): DailyLossRule | undefined {
    return this.#safety.dailyLoss;
  }

  applyBoot(day: DayAtBoot): void {
    this.former.applyBoot(day.plays);
    this.#byHand = day.settledByHand;
    for (const { market, price } of day.prices) this.#prices.set(market, price);
    this.#startsAt = day.startsAt;
    this.#settled = day.settled;
    if (day.base === undefined) return;
    this.#base = new Map(day.base.entries.map((entry) => [entry.market.id, { ...entry, price: entry.price }]));
    for (const { txId, ...one } of day.base.elsewhere) this.#baseElsewhere.set(txId, one);
  }

  /** At every sweep. `t`: wall clock; `isAccountRead`: orders and plays on the account are known. */
  sweep(t: number, isAccountRead: boolean): void {
    if (this.#rule === undefined) return;
    for (const id of this.#holdings.positions.keys()) this.#notePrice(id);
    for (const { market } of this.former.positions()) this.#notePrice(market.id);
    if (isAccountRead) this.#takeBack();
    this.former.sweep(isAccountRead, this.#holdings);
    this.#begin(dayStartOf(t, this.#rule.startsAtMs));
    if (this.#base === undefined && isAccountRead) this.#takeBase();
    if (this.#base !== undefined) this.#settleBase(this.#base);
  }

  /** A wall clock that steps back begins no day again. */
  #begin(startsAt: number): void {
    if (startsAt <= this.#startsAt) return;
    this.#startsAt = startsAt;
    this.#settled = 0;
    this.#base = undefined;
    this.#baseElsewhere.clear();
  }

  /** Markets of a game in which something was held at the base, or by former runs. */
  *marketsIn(gameId: GameId): Iterable<Market> {
    const held = [...(this.#base?.values() ?? []), ...this.former.positions()];
    for (const { market } of held) if (market.gameId === gameId) yield market;
  }

  /** Home and away of a game changed places: what was held, and its prices, stay with their teams. */
  swapTeams(gameId: GameId, markets: readonly Market[]): void {
    this.former.swapTeams(gameId);
    swapKept(this.#prices, markets, (p, market) => swappedPrice(market, p));
    this.#byHand = this.#byHand.map((one) =>
      one.settled?.play.market.gameId === gameId
        ? { ...one, settled: { ...one.settled, play: swappedPlace(one.settled.play) } }
        : one,
    );
    if (this.#base === undefined) return;
    swapKept(this.#base, markets, ({ position, price }, market) => ({
      market: swappedMarket(market),
      position: swappedPosition(market, position),
      price: swappedPrice(market, price),
    }));
    this.baseVersion += 1;
  }

  /** What an operator settled and the exchange still lists is held again: it counts by its mark until it settles once more. */
  #takeBack(): void {
    for (const one of this.#byHand) if (this.#isListed(one.txId)) this.#unbook(one);
    this.#byHand = [];
  }

  #unbook({ txId, profit, brought, day, settled }: SettledByHand): void {
    if (this.#takenBack.has(txId)) return;
    if (day === this.#startsAt) this.#settled -= profit;
    if (brought !== undefined) this.#holdings.commission.charge(settled?.play.market.id, brought, -1);
    this.#takenBack.add(txId);
  }

  /** An operator takes back what a former run settled: it waits for its game again. */
  unsettle(one: SettledByHand): void {
    this.#unbook(one);
    this.#news.push({ type: 'Unsettled', txId: one.txId });
    if (one.settled !== undefined && !this.#isListed(one.txId)) this.former.add(one.settled.play);
  }

  #isListed(txId: TxId): boolean {
    return this.#holdings.fillOf(txId) !== undefined || this.#holdings.elsewhere.has(txId);
  }

  #notePrice(id: MarketId): void {
    const p = this.#consensus.get(id);
    if (p !== undefined) this.#prices.set(id, p);
  }

  #takeBase(): void {
    const base = new Map<MarketId, BaseEntry>();
    for (const { market, position } of this.#held())
      base.set(market.id, { market, position, price: this.#prices.get(market.id) });
    for (const [txId, one] of this.#elsewhere()) this.#baseElsewhere.set(txId, one);
    this.#base = base;
    // what an operator stated of the day stays
    this.#settled -= this.#holdings.realized + this.former.settled;
    this.baseVersion += 1;
  }

  /** MarkPrices that the base waits for, and games that became known since. */
  #settleBase(base: Map<MarketId, BaseEntry>): void {
    for (const [txId] of this.#baseElsewhere) {
      const play = this.#holdings.fillOf(txId);
      if (play === undefined) continue;
      this.#baseElsewhere.delete(txId);
      const { market, side, risk, win } = play;
      const entry = base.get(market.id) ?? { market, position: FLAT, price: this.#prices.get(market.id) };
      base.set(market.id, { ...entry, position: applyFill(entry.position, side, risk, win) });
      this.baseVersion += 1;
    }
    for (const [id, entry] of base) {
      if (entry.price !== undefined || !this.#isHeld(id)) continue;
      entry.price = this.#prices.get(id);
      if (entry.price !== undefined) this.baseVersion += 1;
    }
  }

  /** What settled without a price was at its worst at the base, and stays so. */
  #isHeld(id: MarketId): boolean {
    return this.#holdings.positions.has(id) || this.former.holds(id);
  }

  /** Positions, those of former runs that no list has shown yet included. */
  *#held(): Iterable<{ readonly market: Market; readonly position: Position }> {
    const former = new Map(this.former.positions().map((one) => [one.market.id, one]));
    for (const [id, one] of this.#holdings.positions) {
      const more = former.get(id)?.position ?? FLAT;
      former.delete(id);
      yield {
        market: one.market,
        position: {
          first: plus(one.position.first, more.first),
          second: plus(one.position.second, more.second),
          staked: plus(one.position.staked, more.staked),
        },
      };
    }
    yield* former.values();
  }

  *#elsewhere(): Iterable<[TxId, { readonly gameId: GameId; readonly risk: Micros }]> {
    // a former run knew the market of its own
    for (const one of this.#holdings.elsewhere) if (!this.former.has(one[0])) yield one;
  }

  /** Settled and marked since the base; undefined: there is no base yet. */
  get brought(): Micros | undefined {
    if (this.#base === undefined) return undefined;
    let sum: number = this.#settled + this.#holdings.realized + this.former.settled;
    for (const { market, position } of this.#held()) sum += markedAt(position, this.#prices.get(market.id));
    for (const [, { risk }] of this.#elsewhere()) sum -= risk;
    for (const { position, price } of this.#base.values()) sum -= markedAt(position, price);
    for (const { risk } of this.#baseElsewhere.values()) sum += risk;
    return Math.round(sum) as Micros;
  }

  /** Undefined: there is no limit of a day. */
  get status(): DayStatus | undefined {
    if (this.#rule === undefined) return undefined;
    return { startsAt: this.#startsAt, brought: this.brought, limit: this.#rule.limit };
  }

  /** The day that runs, Unix ms. */
  get startsAt(): number {
    return this.#startsAt;
  }

  /** As it is to be kept; undefined: none is taken yet. */
  get base(): DayBase | undefined {
    if (this.#base === undefined) return undefined;
    return {
      entries: [...this.#base.values()].map((entry) => ({ ...entry })),
      elsewhere: [...this.#baseElsewhere].map(([txId, one]) => ({ txId, ...one })),
    };
  }
}

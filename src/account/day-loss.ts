// The profit and loss of the account since the day began, over all runs (rules.md, 14): what games settled
// since the base, plus the current value of what is held, minus its value at the base. Positions are marked
// at the last good consensus, without one at their worst. The base is taken when the day begins, or at the
// first read of the account after that. A position that had no price then gets the first price that appears,
// so that a new price is no gain.
//
// A fill of a former run counts like all others: made yesterday and graded today, it brings its profit less
// its mark at the base. A fill that the exchange no longer lists was graded while no run was active: it is
// looked up, and counts at its mark until the answer comes.
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
import { FormerFills } from './former-fills.ts';
import type { FormerPorts } from './former-fills.ts';

/** The daily loss limit. `startsAtMs`: when the day begins, ms after midnight UTC. */
export type DailyLossRule = { readonly limit: Micros; readonly startsAtMs: number };

/** The mark of each market: the probability of its first side. */
type MarkPrices = { readonly get: (id: MarketId) => number | undefined };

/** What the account holds, as far as this run knows. */
export type DayHoldings = {
  readonly positions: ReadonlyMap<MarketId, { readonly market: Market; readonly position: Position }>;
  /** What settled since this run began, after commission. */
  readonly realized: Micros;
  /** Fills in games that are not known yet. */
  readonly elsewhere: ReadonlyMap<TxId, { readonly gameId: GameId; readonly risk: Micros }>;
  /** A fill that is counted in `positions`; undefined for any other. */
  readonly fillOf: (txId: TxId) => Pick<FormerPlay, 'market' | 'side' | 'risk' | 'win'> | undefined;
  /** The commission that the exchange keeps of winnings, by market. */
  readonly commission: Commission;
};

export type DayStatus = {
  /** When the day began, Unix ms. */
  readonly startsAt: number;
  /** Settled and marked since the base. Undefined until the account was read. */
  readonly brought: Micros | undefined;
  readonly limit: Micros;
};

type BaseEntry = { readonly market: Market; position: Position; price: number | undefined };

export class DayLoss {
  readonly former: FormerFills;
  /** Changes whenever the base changes and must be stored. */
  baseVersion = 0;
  /** The daily limit. Undefined `dailyLoss`: there is none. */
  readonly #safety: { readonly dailyLoss?: DailyLossRule | undefined };
  readonly #holdings: DayHoldings;
  readonly #consensus: MarkPrices;
  readonly #news: FormerPorts['news'];
  /** The last good consensus by market, also of closed books and of former runs. */
  readonly #prices = new Map<MarketId, number>();
  #startsAt = Number.NEGATIVE_INFINITY;
  /** What former runs settled since the base, or, when this run took it, minus what was settled by then. */
  #settled = 0;
  #base: Map<MarketId, BaseEntry> | undefined;
  readonly #baseElsewhere = new Map<TxId, { readonly gameId: GameId; readonly risk: Micros }>();
  #operatorSettlements: readonly SettledByHand[] = [];
  /** Operator settlements of these fills that were reversed: the fills count as held again. */
  readonly #reversed = new Set<TxId>();

  /** `consensus`: the current probability of each market's first side. */
  constructor(
    safety: { readonly dailyLoss?: DailyLossRule | undefined },
    holdings: DayHoldings,
    consensus: MarkPrices,
    ports: FormerPorts,
  ) {
    this.#safety = safety;
    this.#holdings = holdings;
    this.#consensus = consensus;
    this.former = new FormerFills(ports);
    this.#news = ports.news;
  }

  /** The current rule: the limit may change while the bot runs. */
  get #rule(): DailyLossRule | undefined {
    return this.#safety.dailyLoss;
  }

  applyBoot(day: DayAtBoot): void {
    this.former.applyBoot(day.plays);
    this.#operatorSettlements = day.settledByHand;
    for (const { market, price } of day.prices) this.#prices.set(market, price);
    this.#startsAt = day.startsAt;
    this.#settled = day.settled;
    if (day.base === undefined) return;
    this.#base = new Map(day.base.entries.map((entry) => [entry.market.id, { ...entry, price: entry.price }]));
    for (const { txId, ...entry } of day.base.elsewhere) this.#baseElsewhere.set(txId, entry);
  }

  /** Housekeeping. `t`: Unix ms. `isAccountRead`: orders and fills of the account are known. */
  housekeep(t: number, isAccountRead: boolean): void {
    if (this.#rule === undefined) return;
    for (const id of this.#holdings.positions.keys()) this.#notePrice(id);
    for (const { market } of this.former.positions()) this.#notePrice(market.id);
    if (isAccountRead) this.#reverseListed();
    this.former.housekeep(isAccountRead, this.#holdings);
    this.#beginDay(dayStartOf(t, this.#rule.startsAtMs));
    if (this.#base === undefined && isAccountRead) this.#takeBase();
    if (this.#base !== undefined) this.#settleBase(this.#base);
  }

  /** Begins a new day. A wall clock that steps back begins no day again. */
  #beginDay(startsAt: number): void {
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

  /** Home and away of a game changed places: positions and prices stay with their teams. */
  swapTeams(gameId: GameId, markets: readonly Market[]): void {
    this.former.swapTeams(gameId);
    swapKept(this.#prices, markets, (p, market) => swappedPrice(market, p));
    this.#operatorSettlements = this.#operatorSettlements.map((settlement) =>
      settlement.settled?.play.market.gameId === gameId
        ? { ...settlement, settled: { ...settlement.settled, play: swappedPlace(settlement.settled.play) } }
        : settlement,
    );
    if (this.#base === undefined) return;
    swapKept(this.#base, markets, ({ position, price }, market) => ({
      market: swappedMarket(market),
      position: swappedPosition(market, position),
      price: swappedPrice(market, price),
    }));
    this.baseVersion += 1;
  }

  /** Reverses operator settlements of fills that the exchange still lists: they count by their mark again. */
  #reverseListed(): void {
    for (const settlement of this.#operatorSettlements) if (this.#isListed(settlement.txId)) this.#reverse(settlement);
    this.#operatorSettlements = [];
  }

  #reverse({ txId, profit, brought, day, settled }: SettledByHand): void {
    if (this.#reversed.has(txId)) return;
    if (day === this.#startsAt) this.#settled -= profit;
    if (brought !== undefined) this.#holdings.commission.charge(settled?.play.market.id, brought, -1);
    this.#reversed.add(txId);
  }

  /** Reverses an operator settlement of a former run: the fill waits for its game again. */
  unsettle(settlement: SettledByHand): void {
    this.#reverse(settlement);
    this.#news.push({ type: 'Unsettled', txId: settlement.txId });
    if (settlement.settled !== undefined && !this.#isListed(settlement.txId))
      this.former.addFill(settlement.settled.play);
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
    for (const [txId, stake] of this.#elsewhere()) this.#baseElsewhere.set(txId, stake);
    this.#base = base;
    // keeps what operators settled today
    this.#settled -= this.#holdings.realized + this.former.settled;
    this.baseVersion += 1;
  }

  /** Completes the base: prices that it waits for, and games that became known since. */
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

  /** False for a position that settled without a price: it was at its worst at the base, and stays so. */
  #isHeld(id: MarketId): boolean {
    return this.#holdings.positions.has(id) || this.former.holds(id);
  }

  /** All positions, including those of former runs that no list has shown yet. */
  *#held(): Iterable<{ readonly market: Market; readonly position: Position }> {
    const former = new Map(this.former.positions().map((held) => [held.market.id, held]));
    for (const [id, held] of this.#holdings.positions) {
      const fromFormer = former.get(id)?.position ?? FLAT;
      former.delete(id);
      yield {
        market: held.market,
        position: {
          first: plus(held.position.first, fromFormer.first),
          second: plus(held.position.second, fromFormer.second),
          staked: plus(held.position.staked, fromFormer.staked),
        },
      };
    }
    yield* former.values();
  }

  *#elsewhere(): Iterable<[TxId, { readonly gameId: GameId; readonly risk: Micros }]> {
    // skips fills whose market a former run knew
    for (const entry of this.#holdings.elsewhere) if (!this.former.has(entry[0])) yield entry;
  }

  /** Settled and marked since the base, micro-dollars. Undefined while there is no base. */
  get brought(): Micros | undefined {
    if (this.#base === undefined) return undefined;
    let sum: number = this.#settled + this.#holdings.realized + this.former.settled;
    for (const { market, position } of this.#held()) sum += markedAt(position, this.#prices.get(market.id));
    for (const [, { risk }] of this.#elsewhere()) sum -= risk;
    for (const { position, price } of this.#base.values()) sum -= markedAt(position, price);
    for (const { risk } of this.#baseElsewhere.values()) sum += risk;
    return Math.round(sum) as Micros;
  }

  /** Undefined when there is no daily limit. */
  get status(): DayStatus | undefined {
    if (this.#rule === undefined) return undefined;
    return { startsAt: this.#startsAt, brought: this.brought, limit: this.#rule.limit };
  }

  /** When the current day began, Unix ms. */
  get startsAt(): number {
    return this.#startsAt;
  }

  /** The base as it is stored. Undefined while none is taken. */
  get base(): DayBase | undefined {
    if (this.#base === undefined) return undefined;
    return {
      entries: [...this.#base.values()].map((entry) => ({ ...entry })),
      elsewhere: [...this.#baseElsewhere].map(([txId, stake]) => ({ txId, ...stake })),
    };
  }
}

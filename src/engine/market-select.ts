// Keeps the markets quoted under `markets.select: { by: value }`, ranked once in ten seconds of run time.
// Invariant: it holds no state and denies nothing while the configuration selects all markets.
import type { Market, MarketId, Side, StrategyId } from '../domain/index.ts';
import { dollarsOfCents, moneyText, probabilityOf, probabilityOfRung } from '../domain/index.ts';
import type { FillNews } from '../account/index.ts';
import { valueOf } from '../pricing/index.ts';
import type { Denial } from '../risk/index.ts';
import type { Gate } from './market-gates.ts';
import { gateOf } from './market-gates.ts';
import { LEAST_STAY_MS, RANK_EVERY_MS, rankMarkets } from './market-ranking.ts';
import { MarketRates, PRIOR_TAKERS } from './market-rates.ts';
import type { Quoted } from './quoted-market.ts';
import type { MarketSelection, ValueSelection } from './settings.ts';

/** Where a market stands among those ranked. Money is in dollars. */
export type SelectStatus = {
  readonly isSelected: boolean;
  /** Its place by value per permit, 1 the best. Undefined while a gate is closed. */
  readonly rank: number | undefined;
  /** The gate that keeps it out. */
  readonly gate: Gate | undefined;
  /** What quotes on the wanted sides bring an hour, and per place permit. */
  readonly value: number;
  readonly perPermit: number;
  /** Takes seen, and quotes that had to move, an hour. */
  readonly takes: number;
  readonly requotes: number;
  /** Why it is left out. Undefined when it is selected. */
  readonly reason: string | undefined;
};

type Tracked = {
  readonly rates: MarketRates;
  /** What the quotes pay out that strategies wanted at the newest ranking with any, dollars. */
  wanted: { readonly payout: number; readonly at: number };
  changedAt: number;
  closed: number;
  status: SelectStatus | undefined;
  denial: Denial | undefined;
};

const denialOf = (reason: string): Denial => ({ control: 'select', reason: `select: ${reason}` });
const NOT_RANKED = denialOf('not ranked yet');

export type SelectPorts = {
  readonly open: ReadonlyMap<MarketId, Quoted>;
  readonly selection: Pick<MarketSelection, 'select'>;
  /** The move of a price that needs a request, as probability. */
  readonly tolerance: () => number;
  /** What a place permit costs now, dollars. */
  readonly permitPrice: () => number;
  /** What became of fills in this step, where own offers are in the book. */
  readonly fills: readonly FillNews[];
  /** True when a strategy may not quote a market now. */
  readonly isDenied: (strategy: StrategyId, market: Market, side: Side) => boolean;
  /** Monotonic ms. */
  readonly now: () => number;
};

export class MarketSelect {
  readonly #ports: SelectPorts;
  readonly #markets = new Map<MarketId, Tracked>();
  #rule: ValueSelection | undefined;
  #rankAt = Number.NEGATIVE_INFINITY;
  /** The price of a permit since the last ranking: its integral over time, and what it is since `at`. */
  readonly #permits = { since: 0, at: 0, price: 0, sum: 0 };

  constructor(ports: SelectPorts) {
    this.#ports = ports;
  }

  /** Applies the newest book of a market. */
  see({ book: { market, sides }, others, consensus }: Quoted): void {
    if (this.#ports.selection.select === undefined) return;
    const bestOf = (index: 0 | 1): number | undefined => {
      const best = sides[index].ladder[0];
      return best === undefined ? undefined : probabilityOfRung(best.rung);
    };
    const seen = { others, fair: consensus?.p, best: [bestOf(0), bestOf(1)] } as const;
    this.#tracked(market.id).rates.see(seen, this.#ports.tolerance(), this.#ports.now());
  }

  forget(id: MarketId): void {
    this.#markets.delete(id);
  }

  /** Why a market is left out. Undefined when it may be quoted. */
  denialOf(id: MarketId): Denial | undefined {
    if (this.#ports.selection.select === undefined) return undefined;
    const tracked = this.#markets.get(id);
    return tracked === undefined ? NOT_RANKED : tracked.denial;
  }

  statusOf(id: MarketId): SelectStatus | undefined {
    return this.#markets.get(id)?.status;
  }

  /** The place of a selected market by value per permit, for people. */
  rankText(id: MarketId): string | undefined {
    const status = this.#markets.get(id)?.status;
    return status?.isSelected === true ? placeOf(status, this.#rule?.most) : undefined;
  }

  /** Number of selected markets. Undefined when all are quoted. */
  get count(): number | undefined {
    if (this.#rule === undefined) return undefined;
    let count = 0;
    for (const { status } of this.#markets.values()) if (status?.isSelected === true) count += 1;
    return count;
  }

  /** When markets are ranked next, monotonic ms. */
  get nextDue(): number {
    return this.#rule === undefined || this.#ports.open.size === 0 ? Number.POSITIVE_INFINITY : this.#rankAt;
  }

  /**
   * Runs in every step. Ranks the markets when it is time and `mayRank`. Returns the markets that are
   * selected or left out now and were not before.
   */
  advance(mayRank: boolean): readonly Market[] {
    this.#applyRule();
    if (this.#rule === undefined) return NO_MARKETS;
    const now = this.#ports.now();
    for (const news of this.#ports.fills)
      if (news.type === 'held' && news.fill.name?.holder !== undefined) this.#countFill(news.fill.market);
    this.#passPermits(now);
    if (!mayRank || now < this.#rankAt || this.#ports.open.size === 0) return NO_MARKETS;
    this.#rankAt = now + RANK_EVERY_MS;
    return this.#rank(this.#rule, now, this.#takePermitPrice(now));
  }

  #countFill(market: Market | undefined): void {
    if (market !== undefined) this.#markets.get(market.id)?.rates.countFill();
  }

  /** A changed rule counts at once: it waits for no ranking, and for no least stay. */
  #applyRule(): void {
    const { select } = this.#ports.selection;
    if (select === this.#rule) return;
    const isSame = JSON.stringify(select) === JSON.stringify(this.#rule);
    this.#rule = select;
    if (isSame) return;
    this.#rankAt = Number.NEGATIVE_INFINITY;
    if (select === undefined) this.#markets.clear();
    for (const tracked of this.#markets.values()) tracked.changedAt = Number.NEGATIVE_INFINITY;
  }

  #passPermits(now: number): void {
    const permits = this.#permits;
    permits.sum += permits.price * (now - permits.at);
    permits.at = now;
    permits.price = this.#ports.permitPrice();
  }

  /** The mean price of a permit since the last ranking, dollars. */
  #takePermitPrice(now: number): number {
    const permits = this.#permits;
    const ms = now - permits.since;
    const mean = ms > 0 ? permits.sum / ms : 0;
    permits.since = now;
    permits.sum = 0;
    return mean;
  }

  #rank({ most, gates }: ValueSelection, now: number, price: number): readonly Market[] {
    const measured = [...this.#ports.open.values()].map((quoted) => {
      const { market } = quoted.book;
      const { id } = market;
      const tracked = this.#tracked(id);
      const { A, takes, requotes } = tracked.rates.ratesOf(now);
      const payout = this.#wantedIn(quoted, tracked, now);
      // a value counts both sides, each with the same payout
      const { value } = valueOf({ ...PRIOR_TAKERS, A }, payout / 2);
      const gate = gateOf({ payout, consensus: quoted.consensus, ageMs: ageOf(quoted, now), takes }, gates);
      tracked.closed = gate === undefined ? 0 : tracked.closed + 1;
      const { changedAt, closed, status } = tracked;
      const isSelected = status?.isSelected === true;
      const perPermit = value / requotes;
      return { id, market, tracked, value, takes, requotes, perPermit, gate, closed, changedAt, isSelected };
    });
    const { inOrder, selected } = rankMarkets(measured, { most, price, now });
    const ranks = new Map(inOrder.map((id, index) => [id, index + 1]));
    const changed: Market[] = [];
    for (const { id, market, tracked, isSelected: wasSelected, ...figures } of measured) {
      const isSelected = selected.has(id);
      const isNew = tracked.status === undefined;
      if (isSelected !== wasSelected) tracked.changedAt = now;
      if (isSelected !== wasSelected || isNew) changed.push(market);
      const { gate, value, perPermit, takes, requotes } = figures;
      const rank = ranks.get(id);
      const isResting = now - tracked.changedAt < LEAST_STAY_MS;
      const text = isSelected ? undefined : reasonOf({ gate, rank, perPermit }, { most, price, isResting });
      tracked.denial = text === undefined ? undefined : denialOf(text);
      const reason = tracked.denial?.reason;
      tracked.status = { isSelected, rank, gate, value, perPermit, takes, requotes, reason };
    }
    return changed;
  }

  /** A strategy that wants nothing for a moment keeps the place of its market. */
  #wantedIn(quoted: Quoted, tracked: Tracked, now: number): number {
    const payout = this.#payoutOf(quoted);
    if (payout > 0 || now - tracked.wanted.at >= LEAST_STAY_MS) tracked.wanted = { payout, at: now };
    return tracked.wanted.payout;
  }

  /** What the wanted quotes of a market pay out on both sides, dollars. */
  #payoutOf({ book: { market }, intents }: Quoted): number {
    let payout = 0;
    for (const { strategy, intent } of intents.values())
      for (const quote of intent.quotes) {
        const p = 'probability' in quote ? quote.probability : probabilityOf(quote.odds);
        if (p <= 0 || p >= 1 || this.#ports.isDenied(strategy, market, quote.side)) continue;
        payout += dollarsOfCents(quote.risk) / p;
      }
    return payout;
  }

  #tracked(id: MarketId): Tracked {
    let tracked = this.#markets.get(id);
    if (tracked === undefined) {
      const changedAt = Number.NEGATIVE_INFINITY;
      const wanted = { payout: 0, at: changedAt };
      tracked = { rates: new MarketRates(), wanted, changedAt, closed: 0, status: undefined, denial: NOT_RANKED };
      this.#markets.set(id, tracked);
    }
    return tracked;
  }
}

const NO_MARKETS: readonly Market[] = [];

/** Time since the older side of a book was confirmed. */
const ageOf = ({ book: { sides }, freshness }: Quoted, now: number): number =>
  freshness.includes('unknown') ? Number.POSITIVE_INFINITY : now - Math.min(sides[0].coveredAt, sides[1].coveredAt);

const GATES: Readonly<Record<Gate, string>> = {
  unwanted: 'no quote was wanted',
  'one-sided': 'the book has one side',
  spread: 'the spread is too wide',
  pinned: 'pinned',
  'price-age': 'the price is too old',
  takes: 'takes are too rare',
};

function reasonOf(
  { gate, rank, perPermit }: Pick<SelectStatus, 'gate' | 'rank' | 'perPermit'>,
  { most, price, isResting }: { readonly most: number; readonly price: number; readonly isResting: boolean },
): string {
  if (gate !== undefined) return GATES[gate];
  const place = placeOf({ rank, perPermit }, most);
  if (isResting) return `${place}, it left less than ${LEAST_STAY_MS / 1000} s ago`;
  return price > 0 ? `${place}, a permit costs ${moneyText(price)}` : place;
}

/** A selected market has no rank while a gate is closed. */
function placeOf(
  { rank, perPermit }: Pick<SelectStatus, 'rank' | 'perPermit'>,
  most = Number.POSITIVE_INFINITY,
): string {
  const place = rank === undefined ? 'not ranked' : `rank ${rank}${Number.isFinite(most) ? ` of ${most}` : ''}`;
  return `${place}, ${moneyText(perPermit)} a permit`;
}

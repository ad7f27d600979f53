// Folds events into the fills of runs, each with the prices and the result known so far (figures.md, "One
// fill").
import type { CommissionRule, EventOf, MarketId, RunEvent, TxId } from '../domain/index.ts';
import {
  commissionsOf,
  dropOf,
  FLAT,
  isInPlay,
  marketOf,
  MARKOUT_SECONDS,
  NO_COMMISSION,
  ofSide,
  setOf,
  redacted,
} from '../domain/index.ts';
import { closedOutside, openOutside } from './outside-prices.ts';
import type { RunFill } from './run-fill.ts';

type Kept = { -readonly [K in keyof RunFill]: RunFill[K] } & {
  /** Number of the run that booked it: several runs may be replayed one after the other. */
  readonly ofRun: number;
};

export class FillBook {
  /** Fills by txID, oldest first; at most `most`. */
  readonly #fills = new Map<TxId, Kept>();
  readonly #unclosed = new Map<MarketId, Set<Kept>>();
  /** The exchange's commission on winnings. */
  commission: CommissionRule = NO_COMMISSION;
  /** Counted and settled fills by market, and the markets whose commission has to be shared out again. */
  readonly #settledIn = new Map<MarketId, Set<Kept>>();
  readonly #unshared = new Set<MarketId>();
  /** Fills that changed since the last `takeChanged`. */
  readonly #changed = new Set<Kept>();
  readonly #most: number;
  readonly #isCounted: (fill: RunFill) => boolean;
  #run = 0;

  /** @param isCounted true for fills of the current run; others bear no commission */
  constructor(most = Number.POSITIVE_INFINITY, isCounted: (fill: RunFill) => boolean = () => true) {
    this.#most = most;
    this.#isCounted = isCounted;
  }

  /** All fills in the order in which they came. */
  get fills(): Iterable<RunFill> {
    this.shareCommission();
    return this.#fills.values();
  }

  /** The fills that changed since the last call. */
  takeChanged(): readonly RunFill[] {
    if (this.#changed.size === 0) return NONE;
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }

  /** Updates fills from an event; `add` adds new ones. */
  applyEvent(event: RunEvent): void {
    switch (event.type) {
      case 'RunStarted':
        this.#run += 1;
        return;
      case 'FillMoved':
        this.#move(event);
        return;
      case 'Markout':
        this.#mark(event);
        return;
      case 'CloseTaken':
        for (const fill of [...(this.#unclosed.get(event.market) ?? [])])
          if (fill.isInPlay === event.isInPlay) this.#close(fill, event);
        return;
      case 'Settled':
        this.#settle(event.txId, event.profit);
        return;
      case 'Unsettled':
        this.#settle(event.txId, undefined);
        return;
      default:
    }
  }

  /** Adds a fill booked at `t`, Unix ms. False: its market is not known yet, or the fill is there already. */
  addFill(event: EventOf<'Fill'>, t: number): boolean {
    const fill = this.#fills.has(event.txId) ? undefined : fillOf(event, t);
    if (fill === undefined) return false;
    const kept: Kept = { ...fill, ofRun: this.#run };
    this.#fills.set(fill.txId, kept);
    setOf(this.#unclosed, fill.market.id).add(kept);
    this.#changed.add(kept);
    const [oldest] = this.#fills.values();
    if (this.#fills.size > this.#most && oldest !== undefined) {
      this.#fills.delete(oldest.txId);
      for (const sets of [this.#unclosed, this.#settledIn]) dropOf(sets, oldest.market.id, oldest);
    }
    return true;
  }

  #mark({ txId, seconds, fair, mark }: EventOf<'Markout'>): void {
    const fill = this.#fills.get(txId);
    // a later run that finds it on the account counts markouts from then on
    if (fill === undefined || fill.ofRun !== this.#run) return;
    fill.markLater ??= ofSide(fill.side, mark);
    const index = MARKOUT_SECONDS.indexOf(seconds);
    if (fill.later.length > index) return;
    // `concat` allocates no spare room, unlike a spread
    const missed = new Array<undefined>(index - fill.later.length).fill(undefined);
    fill.later = fill.later.concat(missed, [ofSide(fill.side, fair)]);
    this.#changed.add(fill);
  }

  #close(fill: Kept, { prices, own }: EventOf<'CloseTaken'>): void {
    const { side, strategy } = fill;
    fill.fc ??= ofSide(side, prices.consensus);
    fill.outside = closedOutside(fill.outside, (source) => ofSide(side, prices[source]));
    if (fill.own !== undefined && strategy !== undefined) fill.own = { ...fill.own, fc: ofSide(side, own[strategy]) };
    // a market that continues in another run gets its last price later
    if (!fill.isInPlay || fill.fc !== undefined) dropOf(this.#unclosed, fill.market.id, fill);
    this.#changed.add(fill);
  }

  /** Home and away of its game were swapped: the fill stays on the same team, which is the other side now. */
  #move({ txId, market: id, side }: EventOf<'FillMoved'>): void {
    const fill = this.#fills.get(txId);
    if (fill === undefined) return;
    for (const sets of [this.#unclosed, this.#settledIn]) {
      if (sets.get(fill.market.id)?.has(fill) !== true) continue;
      dropOf(sets, fill.market.id, fill);
      setOf(sets, id).add(fill);
    }
    const { first, second } = fill.position;
    Object.assign(fill, { market: marketOf(id), side, position: { first: second, second: first } });
    this.#changed.add(fill);
  }

  #settle(txId: TxId, profit: number | undefined): void {
    const fill = this.#fills.get(txId);
    if (fill === undefined) return;
    fill.profit = profit;
    this.#changed.add(fill);
    if (this.commission.share === 0 || !this.#isCounted(fill)) return;
    const { id } = fill.market;
    if (profit === undefined) dropOf(this.#settledIn, id, fill);
    else setOf(this.#settledIn, id).add(fill);
    fill.commission = 0;
    this.#unshared.add(id);
  }

  /**
   * Shares the commission of each market among its winning fills in proportion to their winnings, in whatever
   * order they settled. It runs on demand, since a market may settle in a thousand steps. Returns the fills
   * whose commission changed.
   */
  shareCommission(): readonly RunFill[] {
    const changed: Kept[] = [];
    for (const id of this.#unshared) {
      const fills = [...(this.#settledIn.get(id) ?? [])];
      const kept = commissionsOf(
        this.commission,
        fills.map(({ profit }) => profit ?? 0),
      );
      for (const [index, fill] of fills.entries()) {
        if (fill.commission === kept[index]) continue;
        fill.commission = kept[index] ?? 0;
        changed.push(fill);
      }
    }
    this.#unshared.clear();
    return changed;
  }
}

const NONE: readonly RunFill[] = [];
const NO_MARKOUTS: readonly never[] = Object.freeze([]);

/**
 * A fill of the event; undefined when its market is not known yet. One flat literal with all fields: there
 * may be very many.
 */
function fillOf(event: EventOf<'Fill'>, t: number): RunFill | undefined {
  const { market: id, side, game, strategy, before, past, risk, win } = event;
  if (id === undefined || side === undefined) return undefined;
  const f0 = ofSide(side, before.own);
  const { first, second } = event.position ?? FLAT;
  return {
    txId: event.txId,
    ref: event.ref,
    gameId: event.gameId,
    market: marketOf(id),
    side,
    odds: event.odds,
    risk,
    payout: risk + win,
    t,
    league: game?.league ?? '',
    period: game?.period,
    start: game?.start ?? t,
    eventName: game?.name ?? event.gameId,
    isInPlay: isInPlay(game, t),
    strategy,
    role: event.isOwn ? (event.role ?? 'maker') : undefined,
    ageMs: event.ageMs,
    queuePlaced: event.ahead,
    queueFilled: event.aheadAtFill,
    // in the form of the journal
    reason: event.reason === undefined ? undefined : redacted(event.reason),
    position: { first, second },
    past: ofSide(side, past.consensus),
    own: f0 === undefined ? undefined : { f0, past: ofSide(side, past.own), fc: undefined },
    outside: openOutside((source) => ofSide(side, before[source])),
    f0: ofSide(side, before.consensus),
    fc: undefined,
    later: NO_MARKOUTS,
    mark: ofSide(side, event.fair),
    markLater: undefined,
    profit: undefined,
    commission: 0,
  };
}

// Fills on the account that wait for their game: by txID, by market (positions), and what settled games
// brought. Invariants: a fill counts once; a fill of unknown player mode hedges nothing (rules.md, 9).
import type {
  CommissionRule,
  GameId,
  Market,
  MarketEnd,
  MarketId,
  Micros,
  OrderPlace,
  Position,
  Side,
  StrategyId,
  TxId,
} from '../domain/index.ts';
import {
  applyFill,
  Commission,
  FLAT,
  forgetOldest,
  minus,
  negative,
  NO_COMMISSION,
  plus,
  profitAt,
  times,
  ZERO,
} from '../domain/index.ts';
import type { AccountOutput } from './account-output.ts';
import { HoldingsByStrategy } from './strategy-holdings.ts';
import type { HeldFill, ModeOfFill } from './records.ts';

/** The number of settled txIDs remembered, for late and repeated reports. */
const REMEMBERED_FILLS = 20_000;

export class Holdings {
  readonly positions = new Map<MarketId, { readonly market: Market; position: Position }>();
  readonly byStrategy = new HoldingsByStrategy();
  /** What settled games brought after commission; below 0 for a loss. */
  realized = ZERO;
  readonly #open = new Map<TxId, HeldFill>();
  readonly #openIn = new Map<GameId, Set<HeldFill>>();
  readonly #unsureIn = new Map<MarketId, Set<HeldFill>>();
  /** Fills whose game or market is not known. */
  readonly #elsewhere = new Map<TxId, HeldFill>();
  #stakedElsewhere = 0;
  /** Stake of fills with a known game and an unknown market, by game. */
  readonly #stakedIn = new Map<GameId, Micros>();
  readonly #settled = new Set<TxId>();
  readonly #news: AccountOutput;

  /** The commission on winnings. It also applies to fills of former runs that are settled elsewhere. */
  readonly commission: Commission;

  constructor(news: AccountOutput, commission: CommissionRule = NO_COMMISSION) {
    this.#news = news;
    this.commission = new Commission(commission);
  }

  /** The open fill with this txID. */
  get(txId: TxId): HeldFill | undefined {
    return this.#open.get(txId);
  }

  /** The fill with this txID, when it counts in its market; else undefined. */
  fillOf(
    txId: TxId,
  ): { readonly market: Market; readonly side: Side; readonly risk: Micros; readonly win: Micros } | undefined {
    const fill = this.#open.get(txId);
    if (fill?.market === undefined || fill.side === undefined || fill.mode === 'other') return undefined;
    const { market, side, risk, win } = fill;
    return { market, side, risk, win };
  }

  isSettled(txId: TxId): boolean {
    return this.#settled.has(txId);
  }

  /** All fills that wait for their game. */
  get open(): Iterable<HeldFill> {
    return this.#open.values();
  }

  /** The fills that wait for this game. */
  openIn(gameId: GameId): Iterable<HeldFill> {
    return this.#openIn.get(gameId) ?? NO_FILLS;
  }

  /** True when a fill waits for this game, known or not. */
  waitsFor(gameId: GameId): boolean {
    return this.#openIn.has(gameId);
  }

  /** Stake of fills in games or markets that are not known. */
  get stakedElsewhere(): Micros {
    return this.#stakedElsewhere as Micros;
  }

  /** Stake of fills whose market is not known, by game. */
  get stakedIn(): ReadonlyMap<GameId, Micros> {
    return this.#stakedIn;
  }

  get elsewhere(): ReadonlyMap<TxId, HeldFill> {
    return this.#elsewhere;
  }

  positionIn(market: MarketId): Position {
    return this.positions.get(market)?.position ?? FLAT;
  }

  /** The position held for certain in the configured player mode: fills of unknown mode hedge nothing. */
  surePositionIn(market: MarketId): Position {
    let position = this.positionIn(market);
    for (const fill of this.unsureIn(market)) position = positionWith(position, fill, -1);
    return position;
  }

  /** Fills of the market whose player mode is not known: each may be lost in full, in either mode. */
  unsureIn(market: MarketId): Iterable<HeldFill> {
    return this.#unsureIn.get(market) ?? NO_FILLS;
  }

  /** True while a fill cannot hedge because its player mode is not known. */
  get awaitsMode(): boolean {
    return this.#unsureIn.size > 0;
  }

  /** All fills whose player mode is not known. */
  *unsure(): Iterable<HeldFill> {
    for (const fills of this.#unsureIn.values()) yield* fills;
  }

  /** Adds a fill that is neither held nor settled. */
  addFill(fill: HeldFill): void {
    this.#open.set(fill.txId, fill);
    const inGame = this.#openIn.get(fill.gameId);
    if (inGame === undefined) this.#openIn.set(fill.gameId, new Set([fill]));
    else inGame.add(fill);
    this.#count(fill, 1);
    this.#report(fill);
  }

  #report(fill: HeldFill): void {
    if (fill.mode !== 'other') this.#news.fills.push({ type: 'held', fill });
  }

  /** Places a fill whose game became known. */
  place(fill: HeldFill, market: Market, side: Side): void {
    this.#count(fill, -1);
    fill.market = market;
    fill.side = side;
    fill.place = undefined;
    this.#count(fill, 1);
    this.#report(fill);
  }

  /** Moves a fill whose game swapped home and away. */
  move(fill: HeldFill, market: Market, side: Side): void {
    this.#count(fill, -1);
    fill.market = market;
    fill.side = side;
    this.#count(fill, 1);
    if (fill.mode !== 'other') this.#news.fills.push({ type: 'FillMoved', txId: fill.txId, market: market.id, side });
  }

  /**
   * Takes a fill off its market when it is not known which team it backs: all of its stake may be lost.
   * `place`: as reported.
   */
  displace(fill: HeldFill, place: OrderPlace): void {
    this.#count(fill, -1);
    fill.market = undefined;
    fill.side = undefined;
    fill.place = place;
    this.#count(fill, 1);
  }

  setMode(fill: HeldFill, mode: ModeOfFill): void {
    if (fill.mode === mode) return;
    this.#count(fill, -1);
    fill.mode = mode;
    this.#count(fill, 1);
  }

  setOwner(fill: HeldFill, owner: StrategyId | undefined): void {
    if (fill.owner === owner) return;
    const { market, mode } = fill;
    const counts = mode !== 'other' && this.#open.has(fill.txId);
    if (counts) this.byStrategy.count(fill, -1);
    fill.owner = owner;
    if (!counts) return;
    this.byStrategy.count(fill, 1);
    if (market !== undefined) this.#news.touch(market);
  }

  /** Adds a fill to the sums, or subtracts it. */
  #count(fill: HeldFill, by: 1 | -1): void {
    const { market, mode } = fill;
    if (mode === 'other') return;
    this.byStrategy.count(fill, by);
    if (market === undefined) {
      this.#stakedElsewhere += by * fill.risk;
      const staked = ((this.#stakedIn.get(fill.gameId) ?? 0) + by * fill.risk) as Micros;
      if (staked > 0) this.#stakedIn.set(fill.gameId, staked);
      else this.#stakedIn.delete(fill.gameId);
      if (by > 0) this.#elsewhere.set(fill.txId, fill);
      else this.#elsewhere.delete(fill.txId);
      return;
    }
    const position = positionWith(this.positionIn(market.id), fill, by);
    if (position.staked > 0) this.positions.set(market.id, { market, position });
    else this.positions.delete(market.id);
    if (mode === 'unsure') {
      const unsure = this.#unsureIn.get(market.id) ?? new Set<HeldFill>();
      if (by > 0) this.#unsureIn.set(market.id, unsure.add(fill));
      else if (unsure.delete(fill) && unsure.size === 0) this.#unsureIn.delete(market.id);
    }
    this.#news.touch(market);
  }

  /**
   * Settles a fill that was graded: it leaves the position. `profit`: undefined when the exchange does not
   * report it; then the worst is booked. Returns the fill the first time, else undefined.
   */
  settle(txId: TxId, profit: Micros | undefined): HeldFill | undefined {
    const fill = this.#open.get(txId);
    if (fill === undefined) return undefined;
    if (fill.mode !== 'other') {
      const brought = profit ?? negative(fill.risk);
      const commission = this.commission.charge(fill.market?.id, brought);
      this.realized = minus(plus(this.realized, brought), commission);
      this.#news.fills.push({ type: 'Settled', txId, profit: brought, commission, isReported: profit !== undefined });
    }
    this.#count(fill, -1);
    this.#open.delete(txId);
    const inGame = this.#openIn.get(fill.gameId);
    inGame?.delete(fill);
    if (inGame?.size === 0) this.#openIn.delete(fill.gameId);
    this.#settled.add(txId);
    forgetOldest(this.#settled, REMEMBERED_FILLS);
    return fill;
  }

  /**
   * Settles the open fills of a game by the result that an operator gave, in the markets that it decides.
   * Fills of unknown market stay open; with `areUnplacedOver` they end and nothing is booked. Returns the
   * fills that ended, with what each brought.
   */
  settleGame(
    gameId: GameId,
    endIn: (market: Market) => MarketEnd | undefined,
    areUnplacedOver: boolean,
  ): readonly { readonly fill: HeldFill; readonly brought: Micros }[] {
    return [...this.openIn(gameId)].flatMap((fill) => {
      const end = fill.market === undefined ? undefined : endIn(fill.market);
      if (end === undefined && (fill.market !== undefined || !areUnplacedOver)) return [];
      const brought = profitOf(fill, end);
      this.settle(fill.txId, brought);
      return [{ fill, brought: fill.mode === 'other' ? ZERO : brought }];
    });
  }

  /** Reverses the settlement of a fill: it is open again. */
  unsettle(fill: HeldFill, brought: Micros): void {
    this.#settled.delete(fill.txId);
    const commission = this.commission.charge(fill.market?.id, brought, -1);
    this.realized = minus(minus(this.realized, brought), commission);
    this.#news.fills.push({ type: 'Unsettled', txId: fill.txId });
    this.addFill(fill);
  }
}

const NO_FILLS: readonly HeldFill[] = Object.freeze([]);

/** What a fill brings when its market ends like this. */
function profitOf({ market, side, risk, win }: HeldFill, end: MarketEnd | undefined): Micros {
  return market === undefined || side === undefined || end === undefined ? ZERO : profitAt({ side, risk, win }, end);
}

/** The position after a fill is added or removed. */
function positionWith(position: Position, { side, risk, win }: HeldFill, by: 1 | -1): Position {
  return side === undefined ? position : applyFill(position, side, times(risk, by), times(win, by));
}

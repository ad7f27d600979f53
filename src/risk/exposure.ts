// Worst-case exposure by game: positions, and every order that rests or may come to rest with all that may
// still fill. An edit in flight counts twice, old remaining and full new size (rules.md, 7). Parts of a game
// (child games, props) have scores of their own: they hedge neither the game nor each other, and their worst
// adds to its worst. What is held on other exchanges counts for the limits alone: where it worsens the worst,
// or in any case with `risk.heldHedges`; the figures of the account (`ownTotalWorst`) leave it out.
import type { Account } from '../account/index.ts';
import type { SportRule, GameId, Market, MarketExposure, Micros, Side } from '../domain/index.ts';
import { sideIndex, worstCaseOfGame, ZERO } from '../domain/index.ts';
import type { GameModel } from '../pricing/index.ts';
import type { HeldElsewhere, HeldPayoffs } from './held.ts';
import { countedHeld } from './held.ts';
import { shortfallOfGame } from './shortfall.ts';

/** Stakes on the first and on the second side of a market, micro-dollars. */
export type SideStakes = [first: number, second: number];

/** The part of the account that exposure reads. */
export type ExposureSource = Pick<Account, 'games' | 'moved' | 'addOpenIn' | 'stakedElsewhere'> & {
  readonly holdings: Pick<Account['holdings'], 'surePositionIn' | 'stakedIn'>;
};

/** An order under consideration that the account does not contain yet. */
export type Proposed = { readonly market: Market; readonly side: Side; readonly risk: Micros };

/** What is held on other exchanges, and whether it may lower the worst case (`risk.heldHedges`). */
export type Elsewhere = { readonly held: HeldElsewhere; readonly hedges: () => boolean };

/** A worst outcome: of the account alone, and as the limits count it. */
type Worst = { readonly own: Micros; readonly counted: Micros };

type Shortfalls = { readonly model: GameModel | undefined; readonly byOrder: Map<string, Micros> };

export type ExposurePorts = {
  /** The sport rule that decides the markets of a game, and which of them hedge each other. */
  readonly ruleOf: (gameId: GameId) => SportRule;
  /** The game that this one is a part of. Undefined: of none. */
  readonly parentOf?: ((gameId: GameId) => GameId | undefined) | undefined;
  /** Absent: nothing is held elsewhere. */
  readonly elsewhere?: Elsewhere | undefined;
  /** The distribution of a game's score. Undefined: nothing is known of it. */
  readonly modelOf?: ((gameId: GameId) => GameModel | undefined) | undefined;
  /** Receives the games of the account that changed, before the set of them is cleared. */
  readonly moved?: ((games: ReadonlySet<GameId>) => void) | undefined;
};

export class Exposure {
  readonly #source: ExposureSource;
  readonly #ruleOf: (gameId: GameId) => SportRule;
  readonly #modelOf: (gameId: GameId) => GameModel | undefined;
  /** The worst outcome of each game, as limits count it, that was computed since the game last changed. */
  readonly #worstByGame = new Map<GameId, Micros>();
  /** The sum of the losses in `#worstByGame`. */
  #lossSum = 0;
  /** The worst outcome of the account alone, where that in `#worstByGame` is another. */
  readonly #ownByGame = new Map<GameId, Micros>();
  /** The expected shortfall of each game by the order that it was asked with, since the game last changed. */
  readonly #shortfalls = new Map<GameId, Shortfalls>();
  readonly #elsewhere: Elsewhere | undefined;
  readonly #moved: ExposurePorts['moved'];
  /** Games whose worst outcome must be computed again. */
  readonly #stale = new Set<GameId>();
  readonly #parentOf: (gameId: GameId) => GameId | undefined;
  /** The parts of each game in which something is open or held. `#wholeOf`: the game of each part. */
  readonly #parts = new Map<GameId, Set<GameId>>();
  readonly #wholeOf = new Map<GameId, GameId>();

  constructor(source: ExposureSource, { ruleOf, parentOf, elsewhere, modelOf, moved }: ExposurePorts) {
    this.#moved = moved;
    this.#elsewhere = elsewhere;
    this.#source = source;
    this.#ruleOf = ruleOf;
    this.#parentOf = parentOf ?? (() => undefined);
    this.#modelOf = modelOf ?? (() => undefined);
    for (const id of source.games.keys()) {
      this.#stale.add(id);
      this.#file(id, this.#rootOf(id));
    }
  }

  /** Marks all games as changed, because their parts were decided again. */
  forgetAll(): void {
    for (const id of this.#source.games.keys()) this.#source.moved.add(id);
    for (const id of this.#elsewhere?.held.games ?? []) this.#source.moved.add(id);
  }

  /** True when something is open or held in a game, here or elsewhere. */
  #counts(id: GameId): boolean {
    return this.#source.games.has(id) || this.hasHeld(id);
  }

  /** True when something is held elsewhere in a game. */
  hasHeld(gameId: GameId): boolean {
    return this.#elsewhere?.held.isIn(gameId) ?? false;
  }

  /** Marks a game as changed, in which something else is held elsewhere than before. */
  applyHeld(gameId: GameId): void {
    this.#source.moved.add(gameId);
  }

  /** Marks a game as changed, because something outside the account changed what it may lose. */
  forget(gameId: GameId): void {
    const { moved } = this.#source;
    if (this.#counts(gameId)) moved.add(gameId);
    // its header may show now that it is a part itself
    for (const part of this.#parts.get(gameId) ?? []) if (this.#counts(part)) moved.add(part);
  }

  /** Drops the results of games that changed; they are computed again on demand. */
  #applyMoved(): void {
    const { moved } = this.#source;
    if (moved.size > 0) this.#moved?.(moved);
    for (const id of moved) {
      this.#lossSum -= lossIn(this.#worstByGame.get(id));
      this.#worstByGame.delete(id);
      this.#ownByGame.delete(id);
      this.#shortfalls.delete(id);
      const isHeld = this.#counts(id);
      if (isHeld) this.#stale.add(id);
      else this.#stale.delete(id);
      this.#file(id, isHeld ? this.#rootOf(id) : id);
    }
    moved.clear();
  }

  /** Files a game under the whole game that it is a part of. A whole game is filed under none. */
  #file(id: GameId, whole: GameId): void {
    const before = this.#wholeOf.get(id);
    if (before === whole || (before === undefined && whole === id)) return;
    if (before !== undefined) {
      const parts = this.#parts.get(before);
      parts?.delete(id);
      if (parts?.size === 0) this.#parts.delete(before);
      this.#wholeOf.delete(id);
    }
    if (whole === id) return;
    this.#wholeOf.set(id, whole);
    const parts = this.#parts.get(whole);
    if (parts === undefined) this.#parts.set(whole, new Set([id]));
    else parts.add(id);
  }

  /** The whole game that this is a part of, or the game itself. */
  #rootOf(id: GameId): GameId {
    let root = id;
    for (let depth = 0; depth < MOST_NESTED; depth++) {
      const parent = this.#parentOf(root);
      if (parent === undefined || parent === id) return root;
      root = parent;
    }
    return root;
  }

  /** What the whole game and its other parts may lose in addition, each at its own worst: 0 or below. */
  worstBeside(gameId: GameId): Micros {
    this.#applyMoved();
    return this.#beside(gameId, (id) => this.#worstOf(id));
  }

  /** The sum of what the whole game and its other parts may lose, each by itself: 0 or below. */
  #beside(gameId: GameId, worstOf: (id: GameId) => Micros): Micros {
    const whole = this.#rootOf(gameId);
    let sum = whole === gameId ? 0 : lossIn(worstOf(whole)) - this.unplacedIn(whole);
    for (const id of this.#parts.get(whole) ?? []) if (id !== gameId) sum += lossIn(worstOf(id));
    // fills in parts whose markets are not known
    for (const [id, staked] of this.#source.holdings.stakedIn)
      if (id !== gameId && id !== whole && this.#rootOf(id) === whole) sum -= staked;
    return (sum + 0) as Micros;
  }

  /** What a game and all its parts may lose together, for the whole game or any part; 0 or below. */
  worstWithParts(gameId: GameId): Micros {
    const own = lossIn(this.worstOf(gameId)) - this.unplacedIn(gameId);
    return (own + this.worstBeside(gameId)) as Micros;
  }

  /** The worst outcome of a game as limits count it, below 0 a loss, micro-dollars. */
  worstOf(gameId: GameId): Micros {
    this.#applyMoved();
    return this.#worstOf(gameId);
  }

  /** The worst outcome of a game for the account alone, whatever is held elsewhere. */
  ownWorstOf(gameId: GameId): Micros {
    const counted = this.worstOf(gameId);
    return this.#ownByGame.get(gameId) ?? counted;
  }

  #worstOf(gameId: GameId): Micros {
    const known = this.#worstByGame.get(gameId);
    if (known !== undefined) return known;
    const { own, counted } = this.#worstIn(gameId, this.#exposuresIn(gameId));
    if (this.#counts(gameId)) {
      this.#worstByGame.set(gameId, counted);
      if (own !== counted) this.#ownByGame.set(gameId, own);
      this.#stale.delete(gameId);
      this.#lossSum += lossIn(counted);
    }
    return counted;
  }

  /** The worst outcome of these exposures together with what is held elsewhere in the game, or in one market. */
  #worstIn(
    gameId: GameId,
    exposures: readonly MarketExposure[],
    { market, worstIn = worstCaseOfGame }: { readonly market?: Market; readonly worstIn?: typeof worstCaseOfGame } = {},
  ): Worst {
    const rule = this.#ruleOf(gameId);
    const own = worstIn(exposures, rule);
    if (this.#elsewhere === undefined || !this.hasHeld(gameId)) return { own, counted: own };
    const { held, hedges } = this.#elsewhere;
    const payoffs = [...held.payoffsOfGame(gameId)].filter(
      (row) => market === undefined || row.market.id === market.id,
    );
    const all = worstIn([...exposures, ...payoffs.map(exposureOfHeld)], rule);
    return { own, counted: hedges() || all < own ? all : own };
  }

  /** The worst outcome of a game with a proposed order, as limits count it. */
  worstWith(gameId: GameId, proposed: Proposed): Micros {
    return this.#worstIn(gameId, this.#exposuresIn(gameId, proposed)).counted;
  }

  /**
   * The expected shortfall of a game and all its parts with a proposed order: the mean of the worst scores, 0 or
   * below. Each open order fills where that hurts, and parts go wrong together.
   */
  shortfallWith(gameId: GameId, proposed: Proposed): Micros {
    this.#applyMoved();
    const own = lossIn(this.#shortfallOf(gameId, proposed)) - this.unplacedIn(gameId);
    return (own + this.#beside(gameId, (id) => this.#shortfallOf(id, undefined))) as Micros;
  }

  /** The expected shortfall of a game without its parts. It is kept until the game or its distribution changes. */
  #shortfallOf(id: GameId, proposed: Proposed | undefined): Micros {
    const model = this.#modelOf(id);
    let kept = this.#shortfalls.get(id);
    if (kept === undefined || kept.model !== model) this.#shortfalls.set(id, (kept = { model, byOrder: new Map() }));
    const order = proposed === undefined ? '' : `${proposed.market.id} ${proposed.side} ${proposed.risk}`;
    const known = kept.byOrder.get(order);
    if (known !== undefined) return known;
    const worstIn: typeof worstCaseOfGame = (exposures, rule) => shortfallOfGame(exposures, rule, model);
    const { counted } = this.#worstIn(id, this.#exposuresIn(id, proposed), { worstIn });
    kept.byOrder.set(order, counted);
    return counted;
  }

  /** The worst outcome of one market alone with a proposed order, as limits count it. */
  worstOfMarketWith(gameId: GameId, proposed: Proposed): Micros {
    const exposures = this.#exposuresIn(gameId, proposed);
    const own = exposures.filter(({ market }) => market.id === proposed.market.id);
    return this.#worstIn(gameId, own, { market: proposed.market }).counted;
  }

  /** The stake of fills of a game whose market is not known: all of it may be lost. */
  unplacedIn(gameId: GameId): Micros {
    return this.#source.holdings.stakedIn.get(gameId) ?? ZERO;
  }

  /** The sum of the losses of the games that fit. A game that can only win counts 0. */
  worstOfGames(fits: (gameId: GameId) => boolean): Micros {
    this.#computeStale();
    let sum = 0;
    for (const [id, worst] of this.#worstByGame) if (fits(id)) sum += lossIn(worst);
    for (const [id, staked] of this.#source.holdings.stakedIn) if (fits(id)) sum -= staked;
    return sum as Micros;
  }

  /** The sum of the losses of all games, unknown ones included, without the game `besides`. */
  totalWorst(besides?: GameId): Micros {
    this.#computeStale();
    const here = besides === undefined ? 0 : lossIn(this.#worstByGame.get(besides));
    return (this.#lossSum - here - this.#source.stakedElsewhere) as Micros;
  }

  /** The sum of the losses of all games for the account alone, whatever is held elsewhere. */
  ownTotalWorst(): Micros {
    let sum: number = this.totalWorst();
    for (const [id, own] of this.#ownByGame) sum += lossIn(own) - lossIn(this.#worstByGame.get(id));
    return sum as Micros;
  }

  /** Computes the games that changed; all others keep their result. */
  #computeStale(): void {
    this.#applyMoved();
    for (const id of this.#stale) this.#worstOf(id);
  }

  /** What is held and open in each market of a game, with a proposed order. */
  #exposuresIn(gameId: GameId, proposed?: Proposed): readonly MarketExposure[] {
    const exposures: MarketExposure[] = [];
    let isAdded = proposed === undefined;
    for (const market of this.#source.games.get(gameId)?.values() ?? []) {
      const isHere = proposed?.market.id === market.id;
      exposures.push(this.#exposureOf(market, isHere ? proposed : undefined));
      isAdded ||= isHere;
    }
    if (proposed !== undefined && !isAdded) exposures.push(this.#exposureOf(proposed.market, proposed));
    return exposures;
  }

  #exposureOf(market: Market, proposed: Proposed | undefined): MarketExposure {
    const stakes: SideStakes = [0, 0];
    this.#source.addOpenIn(market.id, stakes);
    if (proposed !== undefined) stakes[sideIndex(proposed.side)] += proposed.risk;
    return {
      market,
      position: this.#source.holdings.surePositionIn(market.id),
      openFirst: stakes[0] as Micros,
      openSecond: stakes[1] as Micros,
    };
  }
}

/** The deepest nesting of parts: a prop of a half of a game, and one more. */
const MOST_NESTED = 4;

/** The loss of a game: one that can only win does not offset another's loss. */
const lossIn = (worst: Micros | undefined): number => Math.min(0, worst ?? 0);

const exposureOfHeld = (held: HeldPayoffs): MarketExposure => ({
  market: held.market,
  position: countedHeld(held),
  openFirst: ZERO,
  openSecond: ZERO,
});

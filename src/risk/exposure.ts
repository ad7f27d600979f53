// Worst-case exposure by game, as the ledger knows it: positions, and every order that rests or may come to rest with
// all that may still fill. An edit in flight counts twice, old remaining and full new size (rules.md, 7). The parts of a game
// (child games, props) have scores of their own: they hedge neither it nor each other, and their worst adds to its worst.
import type { Account } from '../account/index.ts';
import type { SportRule, GameId, Market, MarketExposure, Micros, Side } from '../domain/index.ts';
import { sideIndex, worstCaseOfGame, ZERO } from '../domain/index.ts';

/** Stakes on the first and on the second side of a market, micro-dollars. */
export type SideStakes = [first: number, second: number];

/** The account as risk sees it. */
export type ExposureSource = Pick<Account, 'games' | 'moved' | 'addOpenIn' | 'stakedElsewhere'> & {
  readonly holdings: Pick<Account['holdings'], 'surePositionIn' | 'stakedIn'>;
};

/** An order under consideration, not in the ledger yet. */
export type Proposed = { readonly market: Market; readonly side: Side; readonly risk: Micros };

export class Exposure {
  readonly #source: ExposureSource;
  readonly #ruleOf: (gameId: GameId) => SportRule;
  /** Of the games that were looked at since something of them changed. */
  readonly #worst = new Map<GameId, Micros>();
  /** What those lose, all together. */
  #losses = 0;
  /** The other games. */
  readonly #stale = new Set<GameId>();
  readonly #parentOf: (gameId: GameId) => GameId | undefined;
  /** By game, those of its parts in which something is open or held; and the game of each of them. */
  readonly #parts = new Map<GameId, Set<GameId>>();
  readonly #wholeOf = new Map<GameId, GameId>();

  /**
   * `ruleOf`: what decides the markets of a game, and which of them hedge each other. `parentOf`: of which game it is a part;
   * undefined: of none that is known.
   */
  constructor(
    source: ExposureSource,
    ruleOf: (gameId: GameId) => SportRule,
    parentOf: (gameId: GameId) => GameId | undefined = () => undefined,
  ) {
    this.#source = source;
    this.#ruleOf = ruleOf;
    this.#parentOf = parentOf;
    for (const id of source.games.keys()) {
      this.#stale.add(id);
      this.#file(id, this.#rootOf(id));
    }
  }

  /** What parts of games are was decided anew. */
  forgetAll(): void {
    for (const id of this.#source.games.keys()) this.#source.moved.add(id);
  }

  /** Something that the ledger does not know of changed what a game may lose. */
  forget(gameId: GameId): void {
    const { games, moved } = this.#source;
    if (games.has(gameId)) moved.add(gameId);
    // its header may say now that it is a part itself
    for (const part of this.#parts.get(gameId) ?? []) if (games.has(part)) moved.add(part);
  }

  /** What changed since the last look is computed again when it is asked for. */
  #applyMoved(): void {
    const { moved, games } = this.#source;
    for (const id of moved) {
      this.#losses -= lossIn(this.#worst.get(id));
      this.#worst.delete(id);
      const isHeld = games.has(id);
      if (isHeld) this.#stale.add(id);
      else this.#stale.delete(id);
      this.#file(id, isHeld ? this.#rootOf(id) : id);
    }
    moved.clear();
  }

  /** Among the parts of `whole`; itself: it is none. */
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

  /** The whole game that this is a part of, or itself. */
  #rootOf(id: GameId): GameId {
    let root = id;
    for (let depth = 0; depth < MOST_NESTED; depth++) {
      const parent = this.#parentOf(root);
      if (parent === undefined || parent === id) return root;
      root = parent;
    }
    return root;
  }

  /** What the game that this is a part of and all its other parts may lose beside it, each at its own worst; 0 or below. */
  worstBeside(gameId: GameId): Micros {
    this.#applyMoved();
    const whole = this.#rootOf(gameId);
    let sum = whole === gameId ? 0 : lossIn(this.#worstOf(whole)) - this.unplacedIn(whole);
    for (const id of this.#parts.get(whole) ?? []) if (id !== gameId) sum += lossIn(this.#worstOf(id));
    // fills in parts whose markets are not known
    for (const [id, staked] of this.#source.holdings.stakedIn)
      if (id !== gameId && id !== whole && this.#rootOf(id) === whole) sum -= staked;
    return (sum + 0) as Micros;
  }

  /** What a game and all its parts may lose together, of whichever of them it is asked; ≤ 0 is a loss. */
  worstWithParts(gameId: GameId): Micros {
    const own = lossIn(this.worstOf(gameId)) - this.unplacedIn(gameId);
    return (own + this.worstBeside(gameId)) as Micros;
  }

  /** Worst outcome of a game: ≤ 0 is a loss. */
  worstOf(gameId: GameId): Micros {
    this.#applyMoved();
    return this.#worstOf(gameId);
  }

  #worstOf(gameId: GameId): Micros {
    const known = this.#worst.get(gameId);
    if (known !== undefined) return known;
    const worst = worstCaseOfGame(this.#exposures(gameId, undefined), this.#ruleOf(gameId));
    if (this.#source.games.has(gameId)) {
      this.#worst.set(gameId, worst);
      this.#stale.delete(gameId);
      this.#losses += lossIn(worst);
    }
    return worst;
  }

  worstWith(gameId: GameId, proposed: Proposed): Micros {
    return worstCaseOfGame(this.#exposures(gameId, proposed), this.#ruleOf(gameId));
  }

  /** The worst outcome of one market alone. */
  worstOfMarketWith(gameId: GameId, proposed: Proposed): Micros {
    const exposures = this.#exposures(gameId, proposed);
    const own = exposures.filter(({ market }) => market.id === proposed.market.id);
    return worstCaseOfGame(own, this.#ruleOf(gameId));
  }

  /** What fills of a game may lose whose market is not known: the whole of it. */
  unplacedIn(gameId: GameId): Micros {
    return this.#source.holdings.stakedIn.get(gameId) ?? ZERO;
  }

  /** The sum of the losses of the games that fit; a game that can only win counts 0. */
  worstOfGames(fits: (gameId: GameId) => boolean): Micros {
    this.#lookAtAll();
    let sum = 0;
    for (const [id, worst] of this.#worst) if (fits(id)) sum += lossIn(worst);
    for (const [id, staked] of this.#source.holdings.stakedIn) if (fits(id)) sum -= staked;
    return sum as Micros;
  }

  /** The sum of all games' losses, those that are not known included; without the game `besides`, if one is named. */
  totalWorst(besides?: GameId): Micros {
    this.#lookAtAll();
    const here = besides === undefined ? 0 : lossIn(this.#worst.get(besides));
    return (this.#losses - here - this.#source.stakedElsewhere) as Micros;
  }

  /** An order is held against the losses of all games: only those that changed are computed again. */
  #lookAtAll(): void {
    this.#applyMoved();
    for (const id of this.#stale) this.#worstOf(id);
  }

  #exposures(gameId: GameId, proposed: Proposed | undefined): MarketExposure[] {
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

/** A prop of a half of a game, and one more. */
const MOST_NESTED = 4;

/** A game that can only win makes up for none that loses. */
const lossIn = (worst: Micros | undefined): number => Math.min(0, worst ?? 0);

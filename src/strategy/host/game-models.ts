// What the prices of a game say of its score, for strategies and for the risk of a game: the model of the odds
// feed where it sends one, else a fit of the exchange's own book. Models are made when they are read, and kept
// until what they stand on changes.
import type { DrawRule, Game, GameId, HeldPosition, Market, MarketId, Position } from '../../domain/index.ts';
import { forgetOldest, hasThirdOutcome, isScore, logit, MODEL_PREFIX, SCORE_PREFIXES } from '../../domain/index.ts';
import type { FairQuote, FittedGame, GameModel, GameScore, ModelSport } from '../../pricing/index.ts';
import { fitGame, gameState, holdingsOf, MODEL_SPORTS, modelFor, PARAMETERS, tilt } from '../../pricing/index.ts';

export type GameModelPorts = {
  readonly gameOf: (id: GameId) => Game | undefined;
  /** The current value of a signal. Undefined when there is none. */
  readonly signal: (name: string) => number | undefined;
  /** The sport by the table of sports. Undefined when it is not known. */
  readonly sportOf: (id: GameId) => string | undefined;
  readonly drawOf: (id: GameId) => DrawRule;
  readonly scoreOf: (id: GameId) => GameScore | undefined;
  /** The consensus of each quoted market that has one. */
  readonly consensusIn: (id: GameId) => Iterable<{ readonly market: Market; readonly p: number }>;
  /** What is held in each market of a game, here and elsewhere. A market may come twice. */
  readonly positionsIn: (id: GameId) => Iterable<HeldPosition>;
  /** Monotonic ms. */
  readonly now: () => number;
};

/** A fit of the exchange's own book. */
type OwnFit = {
  readonly fitted: FittedGame;
  /** The prices that it stands on. */
  readonly prices: ReadonlyMap<MarketId, number>;
  /** Monotonic ms. */
  readonly at: number;
};
/** A model under the weight of what is held. */
type Tilted = {
  readonly model: GameModel;
  readonly gamma: number;
  readonly held: readonly Position[];
  readonly tilted: GameModel;
};

/** Games that are kept. */
const MOST_GAMES = 2000;
/** A book is fitted again when a price of it moved by this much in log-odds. */
const MOVED = 0.02;
/** And not more often than this, before the start and in play: a fit takes as long as ten frames. */
const [PAUSE_MS, LATE_PAUSE_MS] = [5000, 2000];
/** Of a game in play without its score: far from what is usual before the start. */
const LATE_ERRORS = { margin: 20, total: 80, marginDeviation: 12, totalDeviation: 18 };

export class GameModels {
  readonly #ports: GameModelPorts;
  /** The model of the odds feed. Undefined: looked for, and there is none. */
  readonly #outside = new Map<GameId, GameModel | undefined>();
  readonly #own = new Map<GameId, OwnFit>();
  readonly #tilted = new Map<string, Tilted>();

  constructor(ports: GameModelPorts) {
    this.#ports = ports;
  }

  /** Applies changed signals. */
  applySignals(names: readonly string[]): void {
    for (const name of names) {
      const id = gameOf(name);
      if (id !== undefined) this.#outside.delete(id);
    }
  }

  /** Signals that change when the model of the odds feed does: all its parameters come together. */
  signalsOf(game: Game): readonly string[] {
    const { id } = this.baseOf(game);
    const [first = ''] = PARAMETERS[this.#sportOf(id)].required;
    return [`${MODEL_PREFIX}${id}:${first}`, SCORE_PREFIXES.lead + id, SCORE_PREFIXES.clock + id];
  }

  /** The game whose model gives the prices of this one: the game of a part, whether it stands alone or not. */
  baseOf(game: Game): Game {
    return (game.parentGameId === undefined ? undefined : this.#ports.gameOf(game.parentGameId)) ?? game;
  }

  /** The model of a game, or of the period of a child game. Undefined when nothing says anything of it. */
  modelOf(game: Game): GameModel | undefined {
    const base = this.baseOf(game);
    const model = this.#outsideOf(base) ?? this.#ownOf(base);
    return model === undefined ? undefined : partOf(model, game, this.#ports.drawOf(game.id));
  }

  /** Where the model of a game is from, if there is one: the odds feed, or the exchange's own book. */
  sourceOf(game: Game): 'odds' | 'book' {
    return this.#outsideOf(this.baseOf(game)) === undefined ? 'book' : 'odds';
  }

  /** The model of a game for one who holds the account's positions in it. */
  tiltedOf(game: Game, gamma: number): GameModel | undefined {
    const model = this.modelOf(game);
    if (model === undefined) return undefined;
    const held = [...this.#ports.positionsIn(game.id)];
    if (held.length === 0 || gamma === 0) return model;
    const key = `${game.id} ${gamma}`;
    const known = this.#tilted.get(key);
    const positions = held.map(({ position }) => position);
    if (known?.model === model && isSame(known.held, positions)) return known.tilted;
    const tilted = tilt(
      model,
      held.flatMap((market) => holdingsOf(market, model.grid.draw)),
      gamma,
    );
    this.#tilted.set(key, { model, gamma, held: positions, tilted });
    forgetOldest(this.#tilted, MOST_GAMES);
    return tilted;
  }

  /** The model whose parameters the odds feed sends. */
  #outsideOf(game: Game): GameModel | undefined {
    if (this.#outside.has(game.id)) return this.#outside.get(game.id);
    const model = this.#readOutside(game);
    this.#outside.set(game.id, model);
    forgetOldest(this.#outside, MOST_GAMES);
    return model;
  }

  #readOutside({ id, live }: Game): GameModel | undefined {
    const sport = this.#sportOf(id);
    const { required, optional } = PARAMETERS[sport];
    const valueOf = (name: string): number | undefined => this.#ports.signal(`${MODEL_PREFIX}${id}:${name}`);
    if (required.some((name) => valueOf(name) === undefined)) return undefined;
    const known = [...required, ...optional].flatMap((name) => {
      const value = valueOf(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    const score = this.#ports.scoreOf(id);
    // without its score a game in play has no price
    if (live && score === undefined) return undefined;
    return attempted(() =>
      modelFor(sport, Object.fromEntries(known) as never, {
        draw: this.#ports.drawOf(id),
        ...(score === undefined ? {} : gameState(sport, score)),
      }),
    );
  }

  /** The model that fits the exchange's own book. */
  #ownOf({ id, live }: Game): GameModel | undefined {
    const { now } = this.#ports;
    const known = this.#own.get(id);
    if (known !== undefined && now() - known.at < (live ? LATE_PAUSE_MS : PAUSE_MS)) return known.fitted.model;
    const prices = new Map<MarketId, number>();
    const quotes: FairQuote[] = [];
    const draw = this.#ports.drawOf(id);
    for (const { market, p } of this.#ports.consensusIn(id)) {
      // where a draw loses both bets, the two prices are not all that may happen
      if (hasThirdOutcome(market.type, draw)) continue;
      prices.set(market.id, p);
      quotes.push(quoteOf(market, p));
    }
    if (quotes.length === 0) return undefined;
    if (known !== undefined && !isMoved(known.prices, prices)) return known.fitted.model;
    const sport = this.#sportOf(id);
    const score = this.#ports.scoreOf(id);
    const isLate = live && score === undefined;
    // goals that were scored are not in the prices of what is left
    if (sport === 'other' || (isLate && !(sport in LATE))) return undefined;
    const fitted = attempted(() =>
      fitGame(quotes, {
        sport,
        draw,
        ...(score === undefined ? {} : gameState(sport, score)),
        ...(isLate ? { before: LATE[sport as keyof typeof LATE] } : {}),
        ...(known === undefined ? {} : { near: known.fitted.parameters }),
      }),
    );
    if (fitted === undefined) return undefined;
    this.#own.set(id, { fitted, prices, at: now() });
    forgetOldest(this.#own, MOST_GAMES);
    return fitted.model;
  }

  #sportOf(id: GameId): ModelSport {
    const sport = this.#ports.sportOf(id);
    return MODEL_SPORTS.find((known) => known === sport) ?? 'other';
  }
}

/** Of sports whose margins in play are about normal: what is believed without the score. */
const LATE = {
  basketball: { parameters: { margin: 0, total: 220, marginDeviation: 9, totalDeviation: 13 }, errors: LATE_ERRORS },
  football: { parameters: { margin: 0, total: 45, marginDeviation: 9, totalDeviation: 9 }, errors: LATE_ERRORS },
  'college football': {
    parameters: { margin: 0, total: 50, marginDeviation: 9, totalDeviation: 9 },
    errors: LATE_ERRORS,
  },
} as const;

/** The game of a signal that a model stands on. */
function gameOf(name: string): GameId | undefined {
  if (isScore(name)) return name.slice(name.indexOf(':') + 1) as GameId;
  if (!name.startsWith(MODEL_PREFIX) || name.includes('/')) return undefined;
  return name.slice(MODEL_PREFIX.length, name.lastIndexOf(':')) as GameId;
}

function quoteOf({ type, line }: Market, p: number): FairQuote {
  const side = type === 'total' ? 'over' : 'home';
  return { book: 'exchange', type, side, line, probability: p };
}

function isMoved(before: ReadonlyMap<MarketId, number>, now: ReadonlyMap<MarketId, number>): boolean {
  if (before.size !== now.size) return true;
  for (const [id, p] of now) {
    const known = before.get(id);
    if (known === undefined || Math.abs(logit(known) - logit(p)) > MOVED) return true;
  }
  return false;
}

const isSame = (before: readonly Position[], now: readonly Position[]): boolean =>
  before.length === now.length &&
  before.every(({ first, second }, index) => first === now[index]?.first && second === now[index].second);

function partOf(model: GameModel, { kind, period }: Game, draw: DrawRule): GameModel | undefined {
  if (kind === 'game') return model;
  if (kind !== 'child' || period === undefined) return undefined;
  return attempted(() => model.period(period, draw));
}

/** Undefined where the parameters or quotes are none of the sport. */
function attempted<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

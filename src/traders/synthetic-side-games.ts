// The side games of a synthetic game: its halves and last quarter as child games, one player's points as a
// prop game; and a futures game for the season. All but the futures game are views of their parent and have
// no state of their own.
import type { FinalScore, Game, Period, Random } from '../domain/index.ts';
import type { GameDetails } from '../venue/index.ts';
import type { SyntheticGame } from './synthetic-games.ts';
import type { Face, GameOptions, TradedItem } from './synthetic-game-parts.ts';
import { headerOf, streamOfRun, lineBelow } from './synthetic-game-parts.ts';
import { Prices } from './synthetic-prices.ts';
import type { SyntheticMarket } from './synthetic-prices.ts';
import type { PlayState } from './synthetic-play.ts';
import { PER_GAME, PER_HALF, PER_QUARTER } from './synthetic-play.ts';
import { identityOf, playerOf } from './synthetic-teams.ts';

/** The first half as a child game. The lines of side games stay as published. */
export class FirstHalf implements TradedItem {
  readonly header: Game;
  readonly details: GameDetails = { kind: 'child', periodName: '1st Half', marketName: undefined };
  readonly light = true;
  readonly markets: readonly SyntheticMarket[];
  readonly parent: SyntheticGame;

  constructor(parent: SyntheticGame, { seed, league }: GameOptions) {
    this.parent = parent;
    const { margin, pace } = parent.anchor;
    this.markets = [
      { type: 'moneyline', line: undefined },
      { type: 'spread', line: lineBelow(-margin / 2) },
      { type: 'total', line: lineBelow(pace / 2) },
    ];
    const { id } = identityOf(seed, parent.index, 'first half');
    const { home, away } = parent.header;
    this.header = headerOf({ id, home, away }, league, this.face, {
      parentGameId: parent.header.id,
      kind: 'child',
      period: 'h1',
      eventName: `${parent.header.eventName} 1st Half`,
    });
  }

  get face(): Face {
    const { face, play } = this.parent;
    return {
      ...face,
      open: face.open && !play.halfOver,
      ended: play.halfOver,
      mainHomeSpread: this.markets[1]?.line,
      mainTotal: this.markets[2]?.line,
    };
  }

  get finalScore(): FinalScore | undefined {
    const { play } = this.parent;
    return play.halfOver ? { home: play.state.halfHome, away: play.state.halfAway } : undefined;
  }

  fair(market: SyntheticMarket): number {
    const { play, form } = this.parent;
    const { halfHome, halfAway } = play.state;
    const rest = play.rest(form, 'half');
    return new Prices({
      ...rest,
      margin: halfHome - halfAway + rest.margin,
      total: halfHome + halfAway + rest.total,
    }).fair(market);
  }

  heed(): void {}
}

/** A part of a game after its first half: its length, and its score. */
type StretchOptions = {
  readonly name: string;
  readonly period: Period;
  readonly periodName: string;
  /**
   * The number of possessions before it, and at its end. `to` undefined: the end of the game, overtime
   * included.
   */
  readonly from: number;
  readonly to: number | undefined;
  readonly score: (state: PlayState) => FinalScore;
};

/** A child game that ends with its parent. */
class Stretch implements TradedItem {
  readonly header: Game;
  readonly details: GameDetails;
  readonly light = true;
  readonly markets: readonly SyntheticMarket[];
  readonly parent: SyntheticGame;
  readonly #stretch: StretchOptions;

  constructor(parent: SyntheticGame, { seed, league }: GameOptions, stretch: StretchOptions) {
    this.parent = parent;
    this.#stretch = stretch;
    this.details = { kind: 'child', periodName: stretch.periodName, marketName: undefined };
    const { margin, pace } = parent.anchor;
    const share = ((stretch.to ?? PER_GAME) - stretch.from) / PER_GAME;
    this.markets = [
      { type: 'moneyline', line: undefined },
      { type: 'spread', line: lineBelow(-margin * share) },
      { type: 'total', line: lineBelow(pace * share) },
    ];
    const { id } = identityOf(seed, parent.index, stretch.name);
    const { home, away } = parent.header;
    this.header = headerOf({ id, home, away }, league, this.face, {
      parentGameId: parent.header.id,
      kind: 'child',
      period: stretch.period,
      eventName: `${parent.header.eventName} ${stretch.periodName}`,
    });
  }

  get face(): Face {
    return {
      ...this.parent.face,
      mainHomeSpread: this.markets[1]?.line,
      mainTotal: this.markets[2]?.line,
    };
  }

  get finalScore(): FinalScore | undefined {
    const { finalScore, play } = this.parent;
    return finalScore === undefined ? undefined : this.#stretch.score(play.state);
  }

  fair(market: SyntheticMarket): number {
    const { play, form } = this.parent;
    const { from, to, score } = this.#stretch;
    const rest = play.restOf(form, from, to);
    const hasBegun = play.state.possessions > from;
    const { home, away } = hasBegun ? score(play.state) : { home: 0, away: 0 };
    return new Prices({ ...rest, margin: home - away + rest.margin, total: home + away + rest.total }).fair(market);
  }

  heed(): void {}
}

/** The second half as a child game. It includes overtime where the exchange counts it. */
export class SecondHalf extends Stretch {
  constructor(parent: SyntheticGame, options: GameOptions) {
    const { secondHalfOvertime: isWhole = true } = options;
    super(parent, options, {
      name: 'second half',
      period: 'h2',
      periodName: '2nd Half',
      from: PER_HALF,
      to: isWhole ? undefined : PER_GAME,
      score: ({ home, away, endHome, endAway, halfHome, halfAway }) => ({
        home: (isWhole ? home : endHome) - halfHome,
        away: (isWhole ? away : endAway) - halfAway,
      }),
    });
  }
}

/** The fourth quarter as a child game, without overtime. */
export class FourthQuarter extends Stretch {
  constructor(parent: SyntheticGame, options: GameOptions) {
    super(parent, options, {
      name: 'fourth quarter',
      period: 'q4',
      periodName: '4th Quarter',
      from: PER_GAME - PER_QUARTER,
      to: PER_GAME,
      score: ({ endHome, endAway, thirdHome, thirdAway }) => ({
        home: endHome - thirdHome,
        away: endAway - thirdAway,
      }),
    });
  }
}

/** A prop game on the points of one player; at the grade they are the home score. */
export class PlayerPoints implements TradedItem {
  readonly header: Game;
  readonly details: GameDetails = { kind: 'prop', periodName: undefined, marketName: undefined };
  readonly light = true;
  readonly markets: readonly SyntheticMarket[];
  readonly parent: SyntheticGame;

  constructor(parent: SyntheticGame, { seed, league }: GameOptions) {
    this.parent = parent;
    this.markets = [{ type: 'total', line: lineBelow(parent.play.starOf(parent.anchor)) }];
    const { id } = identityOf(seed, parent.index, 'player');
    const { home, away } = parent.header;
    this.header = headerOf({ id, home, away }, league, this.face, {
      parentGameId: parent.header.id,
      kind: 'prop',
      eventName: `${playerOf(seed, parent.index)} (${home.shortName}) points`,
    });
  }

  get face(): Face {
    return { ...this.parent.face, mainHomeSpread: undefined, mainTotal: this.markets[0]?.line };
  }

  get finalScore(): FinalScore | undefined {
    const { finalScore, play } = this.parent;
    return finalScore === undefined ? undefined : { home: play.state.star, away: 0 };
  }

  fair(market: SyntheticMarket): number {
    const { play, form } = this.parent;
    const rest = play.starRest(form);
    return new Prices({ ...rest, total: play.state.star + rest.total }).fair(market);
  }

  heed(): void {}
}

export type FuturesState = {
  readonly season: number;
  readonly startMs: number;
  /** The strength of the home side, in log-odds. */
  readonly strength: number;
};

const SEASON_MS = 90 * 86_400_000;

/** The winner of the season: a moneyline between two conferences, decided at its start. */
export class Champion implements TradedItem {
  readonly header: Game;
  readonly details: GameDetails = { kind: 'futures', periodName: undefined, marketName: 'Champion' };
  readonly light = true;
  readonly markets: readonly SyntheticMarket[] = [{ type: 'moneyline', line: undefined }];
  readonly #season: number;
  readonly #path: Random;
  #startMs: number;
  #strength: number;
  #score: FinalScore | undefined;

  constructor(options: GameOptions, season: number, nowMs: number, former?: FuturesState) {
    const { seed, league, speed, earlierRuns: restarts } = options;
    this.#season = season;
    this.#path = streamOfRun(seed, `champion ${season}`, restarts);
    this.#startMs = former?.startMs ?? Math.round(nowMs + SEASON_MS / speed);
    this.#strength = former?.strength ?? this.#path.between(-0.6, 0.6);
    const { id, home, away } = identityOf(seed, season, 'champion');
    const named = {
      id,
      home: { ...home, name: 'Eastern Conference', shortName: 'EAST' },
      away: { ...away, name: 'Western Conference', shortName: 'WEST' },
    };
    this.header = headerOf(named, league, this.face, {
      futures: true,
      kind: 'future',
      eventName: `${league} Champion`,
    });
  }

  get face(): Face {
    const ended = this.#score !== undefined;
    return {
      start: this.#startMs,
      live: false,
      open: !ended,
      ended,
      mainHomeSpread: undefined,
      mainTotal: undefined,
    };
  }

  get finalScore(): FinalScore | undefined {
    return this.#score;
  }

  get state(): FuturesState {
    return { season: this.#season, startMs: this.#startMs, strength: this.#strength };
  }

  fair(): number {
    return 1 / (1 + Math.exp(-this.#strength));
  }

  heed({ start }: Game): void {
    this.#startMs = start;
  }

  advance(atMs: number, seconds: number): void {
    if (this.#score !== undefined) return;
    const drifted =
      this.#strength * (1 - Math.min(1, seconds / 1e6)) + 0.001 * Math.sqrt(seconds) * this.#path.normal();
    this.#strength = Math.max(-2, Math.min(2, drifted));
    if (atMs < this.#startMs) return;
    const home = this.#path.next() < this.fair();
    this.#score = home ? { home: 1, away: 0 } : { home: 0, away: 1 };
  }
}

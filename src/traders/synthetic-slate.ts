// The slate of synthetic games. The configured number of games is published and not ended at any time; a new
// game replaces one that has ended, two hours or more before its start. A game's number determines the game.
import type { Game, GameId } from '../domain/index.ts';
import { SyntheticGame } from './synthetic-games.ts';
import type { GameOptions, TradedItem } from './synthetic-game-parts.ts';
import { Champion, FirstHalf, FourthQuarter, PlayerPoints, SecondHalf } from './synthetic-side-games.ts';
import type { SlateState } from './synthetic-snapshot.ts';
import { identityOf } from './synthetic-teams.ts';

export type SlateOptions = GameOptions & {
  readonly games: number;
  /** Unix ms of the starts of all games, as in `SyntheticOptions`. */
  readonly starts?: readonly number[] | undefined;
  /**
   * Adds the halves, last quarter and a player's points to one game of the slate, and a champion of the
   * season.
   */
  readonly sideGames: boolean;
  /** The header of a game that the venue has from a former run. */
  readonly known: (id: GameId) => Game | undefined;
};

const MINUTE_MS = 60_000;
const AHEAD_MS = 120 * MINUTE_MS;
/** The time from publication to start where starts are given. */
const GIVEN_AHEAD_MS = 360 * MINUTE_MS;
/** The time from publication to the end. Starts are spread over it, so one game has always not begun. */
const LIFE_MS = 255 * MINUTE_MS;
const SPACING_MS = 20 * MINUTE_MS;
const GRID_MS = 5 * MINUTE_MS;
/** The step for time without traders, in seconds; larger after long pauses. */
const COARSE_S = 30;
const MOST_COARSE_STEPS = 2_000;

export class SyntheticSlate {
  readonly #options: SlateOptions;
  readonly #spacingMs: number;
  #games: SyntheticGame[] = [];
  #sides: TradedItem[] = [];
  #champion: Champion | undefined;
  #next = 0;
  #lastStartMs = Number.NEGATIVE_INFINITY;

  constructor(options: SlateOptions, nowMs: number, former?: SlateState) {
    this.#options = options;
    this.#spacingMs = Math.max(SPACING_MS, Math.ceil(LIFE_MS / options.games / GRID_MS) * GRID_MS) / options.speed;
    if (options.sideGames)
      this.#champion = new Champion(options, former?.champion?.season ?? 0, nowMs, former?.champion);
    if (former !== undefined) {
      this.#next = former.next;
      this.#lastStartMs = former.lastStartMs;
      for (const state of former.games) this.#add(new SyntheticGame(options, state));
    }
  }

  /** Yields all items that are traded or not yet graded. A game comes before its side games. */
  *lives(): Generator<TradedItem> {
    yield* this.#games;
    yield* this.#sides;
    if (this.#champion !== undefined) yield this.#champion;
  }

  /** Advances every game by `seconds` of the games' time. */
  advance(atMs: number, seconds: number): void {
    for (const game of this.#games) game.advance(atMs, seconds);
    this.#champion?.advance(atMs, seconds);
  }

  /** Advances the games over a period without traders. */
  pass(fromMs: number, toMs: number): void {
    for (const game of this.#games) this.#passOne(game, fromMs, toMs);
    if (this.#champion !== undefined) this.#passOne(this.#champion, fromMs, toMs);
  }

  /** Publishes games to replace those that have ended, or those whose publication is due. */
  fill(nowMs: number): void {
    const { starts, speed } = this.#options;
    if (starts !== undefined) {
      const due = nowMs + GIVEN_AHEAD_MS / speed;
      while ((starts[this.#next] ?? Number.POSITIVE_INFINITY) <= due) this.#publish(nowMs);
      return;
    }
    let missing = this.#options.games;
    for (const game of this.#games) if (!game.face.ended) missing--;
    while (missing > 0) if (this.#publish(nowMs)) missing--;
  }

  /** Removes an item that is graded or that the operator has ended. */
  drop(item: TradedItem, nowMs: number): void {
    if (item === this.#champion) this.#champion = new Champion(this.#options, this.#champion.state.season + 1, nowMs);
    else if (item.parent === undefined) this.#games = this.#games.filter((game) => game !== item);
    else this.#sides = this.#sides.filter((side) => side !== item);
  }

  snapshot(atMs: number): SlateState {
    return {
      version: 1,
      atMs,
      next: this.#next,
      lastStartMs: this.#lastStartMs,
      games: this.#games.map(({ state }) => state),
      ...(this.#champion === undefined ? {} : { champion: this.#champion.state }),
    };
  }

  /** Publishes the next game. Returns false when the venue has it and it has ended already. */
  #publish(nowMs: number): boolean {
    const { seed, known } = this.#options;
    const index = this.#next++;
    const former = known(identityOf(seed, index).id);
    if (former?.ended === true) return false;
    const startMs = former?.start ?? this.#options.starts?.[index] ?? this.#nextStart(nowMs);
    this.#lastStartMs = Math.max(this.#lastStartMs, startMs);
    const game = new SyntheticGame(this.#options, { index, startMs });
    this.#add(game);
    // only the header of this game is left of a former run
    if (startMs < nowMs) this.#passOne(game, startMs, nowMs);
    return true;
  }

  #passOne(game: SyntheticGame | Champion, fromMs: number, toMs: number): void {
    const { speed } = this.#options;
    const steps = Math.min(MOST_COARSE_STEPS, Math.ceil((((toMs - fromMs) / 1000) * speed) / COARSE_S));
    const stepMs = (toMs - fromMs) / steps;
    for (let step = 1; step <= steps; step++) game.advance(fromMs + step * stepMs, (stepMs / 1000) * speed);
  }

  #nextStart(nowMs: number): number {
    const grid = MINUTE_MS / this.#options.speed;
    const soonest = Math.ceil((nowMs + AHEAD_MS / this.#options.speed) / grid) * grid;
    return Math.round(Math.max(soonest, this.#lastStartMs + this.#spacingMs));
  }

  #add(game: SyntheticGame): void {
    this.#games.push(game);
    if (this.#options.sideGames && game.index % this.#options.games === 0)
      this.#sides.push(
        new FirstHalf(game, this.#options),
        new PlayerPoints(game, this.#options),
        new SecondHalf(game, this.#options),
        new FourthQuarter(game, this.#options),
      );
  }
}

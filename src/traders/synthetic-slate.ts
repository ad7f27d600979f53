// The slate of made-up games: as many as were asked for are published and not over, at any time; the next one takes the
// place of one that has ended, two hours or more before its start. Games have numbers, and the number makes the game.
import type { Game, GameId } from '../domain/index.ts';
import { SyntheticGame } from './synthetic-games.ts';
import type { GameOptions, TradedItem } from './synthetic-life.ts';
import { Champion, FirstHalf, FourthQuarter, PlayerPoints, SecondHalf } from './synthetic-side-games.ts';
import type { SlateState } from './synthetic-snapshot.ts';
import { identityOf } from './synthetic-teams.ts';

export type SlateOptions = GameOptions & {
  readonly games: number;
  /** As of `SyntheticOptions`. */
  readonly starts?: readonly number[] | undefined;
  /** One game of the slate has its halves, its last quarter and a player's points beside it, and there is a champion to bet on. */
  readonly sideGames: boolean;
  /** The header of a game that the venue has from a former life. */
  readonly known: (id: GameId) => Game | undefined;
};

const MINUTE_MS = 60_000;
const AHEAD_MS = 120 * MINUTE_MS;
/** Of games whose starts are given. */
const GIVEN_AHEAD_MS = 360 * MINUTE_MS;
/** From publication to the end: starts are spread over it, so that there is always a game that has not begun. */
const LIFE_MS = 255 * MINUTE_MS;
const SPACING_MS = 20 * MINUTE_MS;
const GRID_MS = 5 * MINUTE_MS;
/** Where time has passed unseen a game goes on in steps of this size, or larger ones after long pauses. */
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

  /** Everything that is traded or still to be graded; a game comes before what hangs on it. */
  *lives(): Generator<TradedItem> {
    yield* this.#games;
    yield* this.#sides;
    if (this.#champion !== undefined) yield this.#champion;
  }

  /** Lets every game go on; `seconds` are of the games' time. */
  advance(atMs: number, seconds: number): void {
    for (const game of this.#games) game.advance(atMs, seconds);
    this.#champion?.advance(atMs, seconds);
  }

  /** Lets the games go on over a time in which nobody looked. */
  pass(fromMs: number, toMs: number): void {
    for (const game of this.#games) this.#passOne(game, fromMs, toMs);
    if (this.#champion !== undefined) this.#passOne(this.#champion, fromMs, toMs);
  }

  /** Publishes new games in the place of those that have ended, or those whose time has come. */
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

  /** It is graded, or the operator has ended it: nobody needs it any more. */
  drop(life: TradedItem, nowMs: number): void {
    if (life === this.#champion) this.#champion = new Champion(this.#options, this.#champion.state.season + 1, nowMs);
    else if (life.parent === undefined) this.#games = this.#games.filter((game) => game !== life);
    else this.#sides = this.#sides.filter((side) => side !== life);
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

  /** False when the venue knows the next game and it is over already. */
  #publish(nowMs: number): boolean {
    const { seed, known } = this.#options;
    const index = this.#next++;
    const former = known(identityOf(seed, index).id);
    if (former?.ended === true) return false;
    const startMs = former?.start ?? this.#options.starts?.[index] ?? this.#nextStart(nowMs);
    this.#lastStartMs = Math.max(this.#lastStartMs, startMs);
    const game = new SyntheticGame(this.#options, { index, startMs });
    this.#add(game);
    // a game of a former life of which nothing but the header is left
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

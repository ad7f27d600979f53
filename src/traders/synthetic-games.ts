// A synthetic game from its publication to its grade: a hidden form that drifts as a random walk with news
// and bursts, sometimes a moved start, then play. In play the market closes for seconds around time-outs and
// late scores, main lines follow the price, and overtimes are possible. Only time drives it: accounts change
// neither price nor score.
import type { FinalScore, Game, Random } from '../domain/index.ts';
import type { GameDetails } from '../venue/index.ts';
import { createRandom } from '../domain/index.ts';
import { FormPath, POINTS } from './synthetic-form.ts';
import type { Face, GameOptions, TradedItem } from './synthetic-game-parts.ts';
import { headerOf, streamOfRun, lineBelow } from './synthetic-game-parts.ts';
import { BasketballPlay, overtimeOf } from './synthetic-play.ts';
import type { Form, PlayState, Possession } from './synthetic-play.ts';
import { Prices } from './synthetic-prices.ts';
import type { SyntheticMarket } from './synthetic-prices.ts';
import { identityOf } from './synthetic-teams.ts';
import type { Tempo } from './synthetic-tempo.ts';
import { BUSY } from './synthetic-tempo.ts';

/** The state from which a game can continue. `…Ms` are venue times in ms, `…S` seconds of the game's time. */
export type GameState = {
  readonly index: number;
  readonly startMs: number;
  readonly moved: boolean;
  readonly live: boolean;
  readonly margin: number;
  readonly pace: number;
  readonly spread: number;
  readonly total: number;
  readonly closedS: number;
  readonly overS: number;
  readonly play: PlayState;
};

const MOVED_SHARE = 0.12;
const TIME_OUT_CHANCE = 0.07;
const RUN_OF_POINTS = 8;
/** The number of last possessions during which a close game stops at about every other score. */
const LATE = 16;
/**
 * A main line further from even than this is replaced, at most once per `MAIN_EVERY_S`, and not in the last
 * `MAIN_UNTIL` possessions.
 */
const MAIN_WITHIN = 0.15;
const MAIN_EVERY_S = 60;
const MAIN_UNTIL = 20;
const ENDED_AFTER_S = 20;
const OFFICIAL_AFTER_S = 80;
const MINUTE_MS = 60_000;

export class SyntheticGame implements TradedItem {
  readonly index: number;
  readonly header: Game;
  readonly details: GameDetails = { kind: 'game', periodName: undefined, marketName: undefined };
  readonly light = false;
  readonly play: BasketballPlay;
  /** The form at publication. */
  readonly anchor: Form;
  markets: readonly SyntheticMarket[];
  readonly #speed: number;
  readonly #tempo: Tempo;
  readonly #path: FormPath;
  readonly #stopRandom: Random;
  /** A planned move of the start: when, before the start, and by how much. Undefined when the start stays. */
  readonly #move: { readonly aheadMs: number; readonly byMs: number } | undefined;
  #moved: boolean;
  #startMs: number;
  #live: boolean;
  #spread: number;
  #total: number;
  #lineAgeS = 0;
  #closedS: number;
  #overS: number;
  #prices: Prices | undefined;

  constructor(options: GameOptions, state: { readonly index: number; readonly startMs: number } | GameState) {
    const { seed, earlierRuns: restarts, speed, tempo = BUSY } = options;
    const { index } = state;
    const make = createRandom(seed, `game ${index}`);
    this.index = index;
    this.#speed = speed;
    this.#tempo = tempo;
    const sd = POINTS * make.between(0.004, 0.01) * tempo.drift;
    this.anchor = {
      margin: POINTS * Math.max(-1.6, Math.min(1.6, make.normal() * 0.6)),
      pace: make.between(208, 236),
    };
    this.#move = make.next() < MOVED_SHARE ? moveFrom(make, speed) : undefined;
    const former = 'play' in state ? state : undefined;
    this.#startMs = state.startMs;
    this.#moved = former?.moved ?? false;
    this.#live = former?.live ?? false;
    const form = former === undefined ? this.anchor : { margin: former.margin, pace: former.pace };
    this.#path = new FormPath(streamOfRun(seed, `path ${index}`, restarts), this.anchor, form, {
      sd,
      news: tempo.news,
      speed,
    });
    this.#stopRandom = streamOfRun(seed, `stops ${index}`, restarts);
    this.#closedS = former?.closedS ?? 0;
    this.#overS = former?.overS ?? 0;
    const plays = streamOfRun(seed, `play ${index}`, restarts);
    this.play = new BasketballPlay(plays, index % 2 === 0, former?.play);
    this.#spread = former?.spread ?? lineBelow(-form.margin);
    this.#total = former?.total ?? lineBelow(form.pace);
    this.markets = this.#lines();
    this.header = headerOf(identityOf(seed, index), options.league, this.face);
  }

  get face(): Face {
    return {
      start: this.#startMs,
      live: this.#live,
      open: this.#closedS <= 0 && !this.play.over,
      ended: this.#overS >= ENDED_AFTER_S,
      mainHomeSpread: this.#spread,
      mainTotal: this.#total,
    };
  }

  get form(): Form {
    return this.#path.now;
  }

  get finalScore(): FinalScore | undefined {
    return this.#overS >= OFFICIAL_AFTER_S ? this.play.score : undefined;
  }

  get state(): GameState {
    const { margin, pace } = this.form;
    return {
      index: this.index,
      startMs: this.#startMs,
      moved: this.#moved,
      live: this.#live,
      margin,
      pace,
      spread: this.#spread,
      total: this.#total,
      closedS: this.#closedS,
      overS: this.#overS,
      play: this.play.state,
    };
  }

  fair(market: SyntheticMarket): number {
    this.#prices ??= this.#price();
    return this.#prices.fair(market);
  }

  heed({ start, live, ended }: Game): void {
    this.#prices = undefined;
    this.#startMs = start;
    if (live || ended) this.#live = true;
    if (!ended) return;
    this.play.finish(this.form);
    this.#overS = OFFICIAL_AFTER_S;
  }

  /** Advances the game by `seconds` of its own time, up to the venue time `atMs`. */
  advance(atMs: number, seconds: number): void {
    this.#prices = undefined;
    if (this.play.over) {
      this.#overS += seconds;
      return;
    }
    this.#path.advance(seconds, this.#live ? 'live' : 'ahead');
    if (this.#live) this.#playOn(seconds);
    else this.#awaitStart(atMs, seconds);
    this.#lineAgeS += seconds;
    if (this.#lineAgeS >= MAIN_EVERY_S) this.#resetMainLines();
  }

  // ——— before the start

  #awaitStart(atMs: number, seconds: number): void {
    if (this.#move !== undefined && !this.#moved && atMs >= this.#startMs - this.#move.aheadMs) {
      this.#startMs = Math.round(this.#startMs + this.#move.byMs);
      this.#moved = true;
    }
    if (atMs < this.#startMs) return;
    this.#live = true;
    this.#playOn(Math.min(seconds, ((atMs - this.#startMs) / 1000) * this.#speed));
  }

  // ——— in play

  #playOn(seconds: number): void {
    this.#closedS = Math.max(0, this.#closedS - seconds);
    this.play.advance(seconds, this.form, (possession) => this.#maybeStop(possession));
  }

  /**
   * Stops the market for time-outs, some against a run of the other team, and for whistles in the last
   * minutes of a close game.
   */
  #maybeStop({ points }: Possession): void {
    const [chance, length] = [this.#stopRandom.next() / this.#tempo.stops, this.#stopRandom.next()];
    const { home, away, run } = this.play.state;
    const close = this.play.left <= LATE && Math.abs(home - away) <= 8;
    const stopped =
      chance < TIME_OUT_CHANCE ||
      (points > 0 && Math.abs(run) >= RUN_OF_POINTS && chance < 0.5) ||
      (points > 0 && close && chance < 0.6);
    if (stopped) this.#closedS = Math.max(3 + 5 * length, this.#speed);
  }

  // ——— prices

  #price(): Prices {
    const { home, away } = this.play.state;
    const rest = this.play.rest(this.form);
    return new Prices(
      { ...rest, margin: home - away + rest.margin, total: home + away + rest.total },
      overtimeOf(this.form),
    );
  }

  #resetMainLines(): void {
    if (this.play.left <= MAIN_UNTIL) return;
    const { home, away } = this.play.state;
    const off = (market: SyntheticMarket): boolean => Math.abs(this.fair(market) - 0.5) > MAIN_WITHIN;
    const rest = this.play.rest(this.form);
    const spread = off({ type: 'spread', line: this.#spread }) ? lineBelow(away - home - rest.margin) : this.#spread;
    const total = off({ type: 'total', line: this.#total }) ? lineBelow(home + away + rest.total) : this.#total;
    if (spread === this.#spread && total === this.#total) return;
    this.#spread = spread;
    this.#total = total;
    this.#lineAgeS = 0;
    this.markets = this.#lines();
  }

  #lines(): readonly SyntheticMarket[] {
    const markets = [
      { type: 'moneyline', line: undefined },
      { type: 'spread', line: this.#spread },
      { type: 'spread', line: this.#spread + (this.#spread < 0 ? 1 : -1) },
      { type: 'total', line: this.#total },
      { type: 'total', line: this.#total + 2 },
    ] as const;
    const main = [undefined, this.#spread, this.#total];
    return this.#tempo.lines === 'all' ? markets : markets.filter(({ line }) => main.includes(line));
  }
}

/** The planned move of a start. Delays are more frequent than earlier starts. */
function moveFrom(random: Random, speed: number): { readonly aheadMs: number; readonly byMs: number } {
  const aheadMs = (random.between(15, 50) * MINUTE_MS) / speed;
  const fives = Math.round(random.between(-2.5, 6.5));
  return { aheadMs, byMs: ((fives === 0 ? 2 : fives) * 5 * MINUTE_MS) / speed };
}

// A synthetic basketball game in play: alternating possessions worth nothing to three points, four quarters
// with breaks and as many overtimes as needed. The rest of the game is given as expected points and variance,
// so that prices and scores come from the same game.
import type { FinalScore, Random } from '../domain/index.ts';

/** The expectation for a whole game: home's margin, and the points of both teams (`pace`). */
export type Form = { readonly margin: number; readonly pace: number };

/** The state of a game in play. `run`: points scored in a row, positive for home. */
export type PlayState = {
  readonly seconds: number;
  readonly possessions: number;
  readonly home: number;
  readonly away: number;
  /** The score after the first half, after three quarters, and before an overtime. */
  readonly halfHome: number;
  readonly halfAway: number;
  readonly thirdHome: number;
  readonly thirdAway: number;
  readonly endHome: number;
  readonly endAway: number;
  /** Points of the player of the prop game. */
  readonly star: number;
  readonly run: number;
};
export type Possession = { readonly home: boolean; readonly points: number };

/** A part of the game: its expected points and their variance. */
export type Outlook = {
  readonly margin: number;
  readonly total: number;
  readonly variance: number;
};

export const PER_QUARTER = 50;
export const PER_GAME = 4 * PER_QUARTER;
export const PER_HALF = 2 * PER_QUARTER;
export const PER_OVERTIME = 20;
/** Elapsed seconds per possession, time-outs and fouls included. */
const POSSESSION_S = 34.5;
const QUARTER_STARTS_S = [0, 1875, 4500, 6375] as const;
const REGULATION_S = 8100;
const BREAK_S = 150;
const OVERTIME_S = PER_OVERTIME * POSSESSION_S;

/** Chances of an average possession, which is worth 1.11 points. */
const CHANCES = { three: 0.07, two: 0.37, one: 0.16 } as const;
const POINTS = 1.11;
const VARIANCE = 1.04;
const STAR_SHARE = 0.22;
const STAR_VARIANCE = 0.5;

export const TIP_OFF: PlayState = {
  seconds: 0,
  possessions: 0,
  home: 0,
  away: 0,
  halfHome: 0,
  halfAway: 0,
  thirdHome: 0,
  thirdAway: 0,
  endHome: 0,
  endAway: 0,
  star: 0,
  run: 0,
};

export class BasketballPlay {
  #state: PlayState;
  readonly #random: Random;
  /** True when home has the first possession. */
  readonly #homeFirst: boolean;
  #nextAtS: number;

  constructor(random: Random, homeFirst: boolean, state: PlayState = TIP_OFF) {
    this.#random = random;
    this.#homeFirst = homeFirst;
    this.#state = state;
    this.#nextAtS = this.#planNext();
  }

  get state(): PlayState {
    return this.#state;
  }

  get over(): boolean {
    return this.left === 0;
  }

  get halfOver(): boolean {
    return this.#state.possessions >= PER_HALF;
  }

  get score(): FinalScore {
    return { home: this.#state.home, away: this.#state.away };
  }

  /** The number of possessions until the end. A level score adds an overtime. */
  get left(): number {
    const { possessions, home, away } = this.#state;
    if (possessions < PER_GAME) return PER_GAME - possessions;
    const into = (possessions - PER_GAME) % PER_OVERTIME;
    if (into > 0) return PER_OVERTIME - into;
    return home === away ? PER_OVERTIME : 0;
  }

  /** Plays `seconds` on. Calls `onPossession` for every possession. */
  advance(seconds: number, form: Form, onPossession: (possession: Possession) => void): void {
    const until = this.#state.seconds + seconds;
    while (!this.over && this.#nextAtS <= until) {
      onPossession(this.#possession(form));
      this.#nextAtS = this.#planNext();
    }
    this.#state = { ...this.#state, seconds: until };
  }

  /** Plays to the end at once. */
  finish(form: Form): void {
    while (!this.over) this.#possession(form);
  }

  /** The expectation for the rest of the game or of the half. */
  rest(form: Form, span: 'game' | 'half' = 'game'): Outlook {
    return this.#outlook(form, span === 'game' ? this.left : Math.max(0, PER_HALF - this.#state.possessions));
  }

  #outlook(form: Form, left: number): Outlook {
    const [home, away] = this.#shares(left);
    const forHome = (home * (form.pace + form.margin)) / PER_GAME;
    const forAway = (away * (form.pace - form.margin)) / PER_GAME;
    return { margin: forHome - forAway, total: forHome + forAway, variance: left * VARIANCE };
  }

  /**
   * The expectation for the remaining possessions after the first `from`, up to `to`. Default: to the end,
   * overtime included.
   */
  restOf(form: Form, from: number, to: number = this.#state.possessions + this.left): Outlook {
    return this.#outlook(form, Math.max(0, to - Math.max(from, this.#state.possessions)));
  }

  /** The expectation for the points that the prop player still makes. */
  starRest(form: Form): Outlook {
    const [home] = this.#shares(this.left);
    const points = (STAR_SHARE * home * (form.pace + form.margin)) / PER_GAME;
    return { margin: 0, total: points, variance: home * STAR_VARIANCE };
  }

  /** The expected points of the prop player over a whole game. */
  starOf({ margin, pace }: Form): number {
    return (STAR_SHARE * (pace + margin)) / 2;
  }

  /** The number of home's and away's possessions among the next `left`. */
  #shares(left: number): readonly [home: number, away: number] {
    const [first, second] = [Math.ceil(left / 2), Math.floor(left / 2)];
    return this.#homeHasBall() ? [first, second] : [second, first];
  }

  #homeHasBall(): boolean {
    return (this.#state.possessions % 2 === 0) === this.#homeFirst;
  }

  #possession({ margin, pace }: Form): Possession {
    const home = this.#homeHasBall();
    const worth = (home ? pace + margin : pace - margin) / PER_GAME / POINTS;
    const points = pointsAt(this.#random.next() / worth);
    const star = this.#random.next() < STAR_SHARE && home ? points : 0;
    const { state } = this;
    const scored = {
      ...state,
      possessions: state.possessions + 1,
      home: state.home + (home ? points : 0),
      away: state.away + (home ? 0 : points),
      star: state.star + star,
      run: points === 0 ? state.run : home ? Math.max(0, state.run) + points : Math.min(0, state.run) - points,
    };
    const { home: homePoints, away: awayPoints, possessions } = scored;
    this.#state = {
      ...scored,
      ...(possessions <= PER_HALF ? { halfHome: homePoints, halfAway: awayPoints } : {}),
      ...(possessions <= PER_GAME - PER_QUARTER ? { thirdHome: homePoints, thirdAway: awayPoints } : {}),
      ...(possessions <= PER_GAME ? { endHome: homePoints, endAway: awayPoints } : {}),
    };
    return { home, points };
  }

  /**
   * The time of the next possession, in seconds. It comes up to 30 s early; the last of a period comes at the
   * end of the period.
   */
  #planNext(): number {
    const { possessions } = this.#state;
    const early = this.#random.next() * 30;
    if (possessions < PER_GAME) {
      const inQuarter = (possessions % PER_QUARTER) + 1;
      const start = QUARTER_STARTS_S[Math.floor(possessions / PER_QUARTER)] ?? 0;
      return start + inQuarter * POSSESSION_S - (inQuarter === PER_QUARTER ? 0 : early);
    }
    const extra = possessions - PER_GAME;
    const inPeriod = (extra % PER_OVERTIME) + 1;
    const before = Math.floor(extra / PER_OVERTIME) * (OVERTIME_S + BREAK_S) + BREAK_S;
    return REGULATION_S + before + inPeriod * POSSESSION_S - (inPeriod === PER_OVERTIME ? 0 : early);
  }
}

function pointsAt(chance: number): number {
  if (chance < CHANCES.three) return 3;
  if (chance < CHANCES.three + CHANCES.two) return 2;
  return chance < CHANCES.three + CHANCES.two + CHANCES.one ? 1 : 0;
}

/** The expectation for one overtime. */
export const overtimeOf = ({ margin, pace }: Form): Outlook => ({
  margin: (margin * PER_OVERTIME) / PER_GAME,
  total: (pace * PER_OVERTIME) / PER_GAME,
  variance: PER_OVERTIME * VARIANCE,
});

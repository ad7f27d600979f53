// Games with few goals: both scores are Poisson.
import type { DrawRule } from '../domain/index.ts';
import { jointLayer, ScoreGrid } from './score-grid.ts';

/** The scores of both teams so far, and what they are expected to score still. */
export type GoalsGame = {
  /** The mean number of goals still to come, at least 0 and at most 300. */
  readonly home: number;
  readonly away: number;
  readonly scored: { readonly home: number; readonly away: number };
  readonly draw: DrawRule;
  /** False when only the lead is known. `scored` then has the lead alone. */
  readonly hasTotal: boolean;
};

/**
 * Soccer. `rho`: the dependence of low scores, as M. J. Dixon and S. G. Coles have it ("Modelling association
 * football scores and inefficiencies in the football betting market", Applied Statistics 46, 1997): negative
 * where 0-0 and 1-1 occur more often than two independent scores say.
 */
export function soccerGrid(game: GoalsGame, rho: number): ScoreGrid {
  const goals = new Goals(game, poisson(game.home), poisson(game.away));
  if (rho !== 0) goals.adjust(rho, game.home, game.away);
  if (game.draw === 'impossible') goals.breakTies();
  return goals.grid(game);
}

/**
 * Hockey. A level score is followed by one more goal where play goes on. `emptyNet`: the shares of the leads of
 * one and of two that an empty net makes a goal larger. A lead of one may become two, then three.
 */
export function hockeyGrid(game: GoalsGame, emptyNet: EmptyNet): ScoreGrid {
  const goals = new Goals(game, poisson(game.home), poisson(game.away));
  goals.widenLeads(1, emptyNet.one);
  goals.widenLeads(2, emptyNet.two);
  if (game.draw === 'impossible') goals.breakTies();
  return goals.grid(game);
}

export type EmptyNet = { readonly one: number; readonly two: number };

/** Goals beyond the largest scores of the two teams that the end of a game may add. */
const FREE = 6;

/** The joint weights of two independent scores, by margin and total, and what the end of a game changes. */
export class Goals {
  readonly #joint: Float64Array;
  readonly #rows: number;
  readonly #columns: number;
  readonly #marginFrom: number;
  readonly #totalFrom: number;
  /** Home's part of the goals to come; a half when none are. */
  readonly #homePart: number;

  /** `homes`, `aways`: the probabilities of 0, 1, 2 … goals to come. */
  constructor({ home, away, scored }: GoalsGame, homes: Float64Array, aways: Float64Array) {
    this.#homePart = home + away > 0 ? home / (home + away) : 0.5;
    const below = aways.length - 1 + FREE;
    this.#marginFrom = scored.home - scored.away - below;
    this.#totalFrom = scored.home + scored.away;
    this.#rows = below + homes.length + FREE;
    this.#columns = homes.length + aways.length - 1 + FREE;
    this.#joint = new Float64Array(this.#rows * this.#columns);
    for (let h = 0; h < homes.length; h++)
      for (let a = 0; a < aways.length; a++)
        this.#joint[(h - a + below) * this.#columns + h + a] = (homes[h] ?? 0) * (aways[a] ?? 0);
  }

  /** The correction τ of Dixon and Coles at 0-0, 1-0, 0-1 and 1-1. */
  adjust(rho: number, home: number, away: number): void {
    this.#multiply(0, 0, 1 - home * away * rho);
    this.#multiply(1, 1, 1 + away * rho);
    this.#multiply(-1, 1, 1 + home * rho);
    this.#multiply(0, 2, 1 - rho);
  }

  /** One goal more for a share of all leads of this size. */
  widenLeads(lead: number, share: number): void {
    for (const side of [1, -1]) this.#move(side * lead, side, 1, share);
  }

  /** One goal less for a share of home's leads of two and more. */
  shrinkLeads(share: number): void {
    for (let lead = 2; this.#row(lead) < this.#rows; lead++) this.#move(lead, -1, -1, share);
  }

  /**
   * Goals after each level score, home's as often as its part of all goals. `longer`: of the leads of 1, 2, …
   * after it, the share that is one goal larger.
   */
  breakTies(longer = { home: 0, away: 0 }): void {
    const shares = [
      { side: 1, part: this.#homePart, more: longer.home },
      { side: -1, part: 1 - this.#homePart, more: longer.away },
    ];
    for (const { side, part, more } of shares)
      for (let lead = 1; lead <= FREE; lead++)
        this.#copy(0, side * lead, lead, part * (lead < FREE ? 1 - more : 1) * more ** (lead - 1));
    const level = this.#row(0);
    if (level >= 0 && level < this.#rows) this.#joint.fill(0, level * this.#columns, (level + 1) * this.#columns);
  }

  grid({ draw, hasTotal }: GoalsGame): ScoreGrid {
    const size = { marginFrom: this.#marginFrom, totalFrom: this.#totalFrom, totals: this.#columns };
    return new ScoreGrid(draw, [jointLayer('by-margin', this.#joint, size)], { hasTotal });
  }

  #row(margin: number): number {
    return margin - this.#marginFrom;
  }

  /** Changes the margin and the total of a share of the scores with this margin. */
  #move(margin: number, byMargin: number, byTotal: number, share: number): void {
    this.#copy(margin, byMargin, byTotal, share);
    const row = this.#row(margin);
    if (row < 0 || row >= this.#rows) return;
    for (let index = row * this.#columns; index < (row + 1) * this.#columns; index++)
      this.#joint[index] = (this.#joint[index] ?? 0) * (1 - share);
  }

  #copy(margin: number, byMargin: number, byTotal: number, share: number): void {
    const [from, to] = [this.#row(margin), this.#row(margin + byMargin)];
    if (share === 0 || Math.min(from, to) < 0 || Math.max(from, to) >= this.#rows) return;
    for (let column = Math.max(0, -byTotal); column + Math.max(0, byTotal) < this.#columns; column++) {
      const index = to * this.#columns + column + byTotal;
      this.#joint[index] = (this.#joint[index] ?? 0) + (this.#joint[from * this.#columns + column] ?? 0) * share;
    }
  }

  #multiply(margin: number, total: number, factor: number): void {
    const index = this.#row(margin) * this.#columns + total - this.#totalFrom;
    this.#joint[index] = (this.#joint[index] ?? 0) * Math.max(factor, 0);
  }
}

const MOST_GOALS = 300;
/** Probabilities below are left out. */
const RARE = 1e-11;

/** The probabilities of 0, 1, 2 … of a Poisson distribution. @throws RangeError when the mean is out of range */
export function poisson(mean: number): Float64Array {
  if (!(mean >= 0 && mean <= MOST_GOALS)) throw new RangeError(`expected a mean score of 0 to ${MOST_GOALS}: ${mean}`);
  return counts(Math.exp(-mean), (score) => mean / (score + 1), mean);
}

/** Probabilities by recursion, from that of 0 on: `ratio(n)` is P(n + 1) / P(n). */
export function counts(first: number, ratio: (score: number) => number, mean: number): Float64Array {
  const probabilities = [first];
  for (let score = 0, p = first; score < mean || p > RARE; score++) {
    p *= ratio(score);
    probabilities.push(p);
  }
  return Float64Array.from(probabilities);
}

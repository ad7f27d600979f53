// One fair probability for every line of a game, from the score and what is expected of the rest: margin and total are
// logistic around their expected end, the less wide the less is left. A level score is played off, so a spread of less
// than a point is the moneyline, and what would be a tie is shared out as its overtime would end.
import type { MarketType } from '../domain/index.ts';
import type { Outlook } from './synthetic-play.ts';

export type SyntheticMarket = { readonly type: MarketType; readonly line: number | undefined };

/** The slope that brings a logistic nearest to a normal of standard deviation 1. */
const SLOPE = 1.702;
const NO_OVERTIME: Outlook = { margin: 0, total: 0, variance: 0 };

export class Prices {
  readonly #end: Outlook;
  readonly #overtime: Outlook;
  /** The chance that it is level when the time is up. */
  readonly #tie: number;

  /** `end`: margin and total as they are expected to end, overtime left out. */
  constructor(end: Outlook, overtime: Outlook = NO_OVERTIME) {
    this.#end = end;
    this.#overtime = overtime;
    this.#tie = above(-0.5, end.margin, end.variance) - above(0.5, end.margin, end.variance);
  }

  /** The probability of the market's first side (home, over). */
  fair({ type, line = 0 }: SyntheticMarket): number {
    return type === 'total' ? this.#totalAbove(line) : this.#marginAbove(type === 'moneyline' ? 0 : 0 - line);
  }

  #marginAbove(x: number): number {
    const { margin, variance } = this.#end;
    const tied = this.#tie * above(Math.abs(x) <= 0.5 ? 0 : x, this.#overtime.margin, this.#overtime.variance);
    if (Math.abs(x) <= 0.5) return above(0.5, margin, variance) + tied;
    return above(x, margin, variance) - (x < 0 ? this.#tie : 0) + tied;
  }

  #totalAbove(x: number): number {
    const { total, variance } = this.#end;
    const later = this.#overtime;
    return (
      (1 - this.#tie) * above(x, total, variance) + this.#tie * above(x, total + later.total, variance + later.variance)
    );
  }
}

/** The chance that a number around `mean` ends above x. */
function above(x: number, mean: number, variance: number): number {
  if (variance <= 0) return mean > x ? 1 : mean < x ? 0 : 0.5;
  return 1 / (1 + Math.exp((SLOPE / Math.sqrt(variance)) * (x - mean)));
}

// The fair probability of every line of a game, from the score and the expected rest. Margin and total are
// logistic around their expected end, narrower as less is left. A level score goes to overtime, so a spread
// of less than a point equals the moneyline, and the probability of a tie is divided as its overtime would
// end.
import type { MarketType } from '../domain/index.ts';
import type { Outlook } from './synthetic-play.ts';

export type SyntheticMarket = { readonly type: MarketType; readonly line: number | undefined };

/** The slope at which a logistic is nearest to a normal of standard deviation 1. */
const SLOPE = 1.702;
const NO_OVERTIME: Outlook = { margin: 0, total: 0, variance: 0 };

export class Prices {
  readonly #end: Outlook;
  readonly #overtime: Outlook;
  /** The probability of a level score at the end of regulation. */
  readonly #tie: number;

  /** @param end the expected margin and total at the end, without overtime */
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

/** The probability that a number distributed around `mean` ends above x. */
function above(x: number, mean: number, variance: number): number {
  if (variance <= 0) return mean > x ? 1 : mean < x ? 0 : 0.5;
  return 1 / (1 + Math.exp((SLOPE / Math.sqrt(variance)) * (x - mean)));
}

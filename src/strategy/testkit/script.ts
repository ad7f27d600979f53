// Scripted markets: typical events in a market maker's day, one call each. The others' book is built around a
// fair price that the script moves. Informed takers take mispriced quotes before the book shows the move.
import type { z } from 'zod';
import type { Side } from '../../domain/index.ts';
import { oddsOf, oppositeSide, parseDuration, probabilityOf, rungAtMost, toOdds } from '../../domain/index.ts';
import type { MarketTest, Row } from './market-test.ts';
import { ODDS_STEP } from './market-test.ts';
import type { StrategyTest } from './strategy-test.ts';

/** The fair price, and the others' quotes around it. */
export type ScriptSettings = {
  /** Fair probability of the first side (home, over), 0 to 1. */
  readonly fair: number;
  /** Distance between the best offers of the two sides, as probability. Default 0.03. */
  readonly width?: number;
  /** Number of offers on each side, 0.005 of probability apart. Default 3. */
  readonly levels?: number;
  /** Size of each offer, dollars of its owner's stake. Default 200. */
  readonly depth?: number;
};

const LEVEL = 0.005;

/**
 * A market driven by a script: price moves, takes and feed outages, one call each. Each call throws when the
 * strategy fails.
 */
export class MarketScript<Schema extends z.ZodType> {
  readonly #test: StrategyTest<Schema>;
  readonly #market: MarketTest;
  readonly #settings: Required<ScriptSettings>;
  #fair: number;

  /**
   * Shows the market with its first book.
   * @param test the test of the strategy
   * @param market a market of the test
   * @param settings the fair price, and the others' quotes around it
   * @throws Error when the fair price leaves no room for a book of this width
   */
  constructor(test: StrategyTest<Schema>, market: MarketTest, settings: ScriptSettings) {
    this.#test = test;
    this.#market = market;
    this.#settings = { width: 0.03, levels: 3, depth: 200, ...settings };
    this.#fair = this.#checkedFair(settings.fair);
    this.#show();
  }

  /** The current fair probability of the first side. */
  get fair(): number {
    return this.#fair;
  }

  /**
   * Moves the fair price and the others' book at once. Nothing is taken.
   * @param by change of the first side's probability
   */
  lineMove(by: number): this {
    this.#fair = this.#checkedFair(this.#fair + by);
    return this.#show();
  }

  /**
   * Moves the fair price gradually.
   * @param by change of the first side's probability
   * @param over duration, such as `10m`
   * @param steps number of books that are shown, equally spaced. Default 20.
   */
  drift(by: number, over: string, steps = 20): this {
    const ms = msOf(over);
    const [from, to] = [this.#fair, this.#checkedFair(this.#fair + by)];
    for (let step = 1; step <= steps; step++) {
      this.#test.pass(`${ms / steps}ms`);
      this.#fair = from + ((to - from) * step) / steps;
      this.#show();
    }
    return this;
  }

  /**
   * Plays an event that favours a side (a goal, a knock-out). If a quote on the other side is now mispriced,
   * an informed taker takes all of that side. Its book empties, and the others return around the new price
   * after `pause`.
   * @param side the side that the event favours
   * @param by increase of its probability
   * @param pause duration until the others return. Default `3s`.
   */
  goal(side: Side, by: number, pause = '3s'): this {
    const { sides } = this.#market.market;
    const loser = oppositeSide(side);
    this.#fair = this.#checkedFair(this.#fair + (side === sides[0] ? by : -by));
    const worth = loser === sides[0] ? this.#fair : 1 - this.#fair;
    const generous = this.#market.quotes.some(({ side: quoted, odds }) => {
      const known = toOdds(odds);
      return quoted === loser && known !== undefined && probabilityOf(known) > worth;
    });
    const rests = this.#market.resting(loser);
    if (generous && rests > 0) this.#market.fill(loser, rests);
    this.#market.book({ [loser]: [] });
    this.#test.pass(pause);
    return this.#show();
  }

  /**
   * Takes every offer on a side, the strategy's quotes included. The others return at the same prices after
   * `back`.
   * @param side the side that is taken
   * @param back duration until the others return. Default `1s`.
   */
  sweep(side: Side, back = '1s'): this {
    const rests = this.#market.resting(side);
    if (rests > 0) this.#market.fill(side, rests);
    this.#market.book({ [side]: [] });
    this.#test.pass(back);
    return this.#show();
  }

  /**
   * Cuts the feed: both sides are `unknown` for a while, then `fresh` with a new book.
   * @param duration how long the feed is down
   * @param movedBy change of the first side's probability meanwhile. Default 0.
   */
  feedCut(duration: string, movedBy = 0): this {
    const { sides } = this.#market.market;
    for (const side of sides) this.#market.freshness(side, 'unknown');
    this.#test.pass(duration);
    this.#fair = this.#checkedFair(this.#fair + movedBy);
    for (const side of sides) this.#market.freshness(side, 'fresh');
    return this.#show();
  }

  #show(): this {
    const [first, second] = this.#market.market.sides;
    this.#market.book({ [first]: this.#rows(this.#fair), [second]: this.#rows(1 - this.#fair) });
    return this;
  }

  /** The others' offers on a side that wins with this probability, best first. */
  #rows(probability: number): readonly Row[] {
    const { width, levels, depth } = this.#settings;
    return Array.from({ length: levels }, (_none, level) => {
      const rung = rungAtMost(probability - width / 2 - level * LEVEL, ODDS_STEP);
      return rung === undefined ? [] : [[oddsOf(rung), depth] as const];
    }).flat();
  }

  /** Returns the fair price. Throws when it leaves no room for a book. */
  #checkedFair(fair: number): number {
    const { width } = this.#settings;
    if (!(fair > width && fair < 1 - width))
      throw new Error(`a fair price of ${fair} has no room for books ${width} wide: keep it inside`);
    return fair;
  }
}

function msOf(duration: string): number {
  const ms = parseDuration(duration);
  if (ms === undefined) throw new Error(`"${duration}" is not a duration: write 250ms, 5s, 10m or 2h`);
  return ms;
}

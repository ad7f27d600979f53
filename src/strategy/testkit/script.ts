// Scripted markets: what happens to every market maker sooner or later, one call each. The others' book stands around a fair price
// that the script moves; informed takers take what is too generous before the book shows why.
import type { z } from 'zod';
import type { Side } from '../../domain/index.ts';
import { oddsOf, oppositeSide, parseDuration, probabilityOf, rungAtMost, toOdds } from '../../domain/index.ts';
import type { MarketTest, Row } from './market-test.ts';
import { ODDS_STEP } from './market-test.ts';
import type { StrategyTest } from './strategy-test.ts';

/** How the others quote around the fair price. */
export type ScriptSettings = {
  /** Probability of the first side (home, over), 0 … 1. */
  readonly fair: number;
  /** Between their best offers, probability; .03 unless told. */
  readonly width?: number;
  /** Offers on each side, half a point of probability apart; 3 unless told. */
  readonly levels?: number;
  /** Dollars of each; 200 unless told. */
  readonly depth?: number;
};

const LEVEL = 0.005;

/** A market whose story is told step by step: how its price moves, what is taken, when its feed falls silent. */
export class MarketScript<Schema extends z.ZodType> {
  readonly #test: StrategyTest<Schema>;
  readonly #market: MarketTest;
  readonly #settings: Required<ScriptSettings>;
  #fair: number;

  /** Shows the market with its first book. */
  constructor(test: StrategyTest<Schema>, market: MarketTest, settings: ScriptSettings) {
    this.#test = test;
    this.#market = market;
    this.#settings = { width: 0.03, levels: 3, depth: 200, ...settings };
    this.#fair = this.#inside(settings.fair);
    this.#show();
  }

  /** Probability of the first side, as it truly is now. */
  get fair(): number {
    return this.#fair;
  }

  /** The price is another at once, and the others' book with it; nobody was quick enough to take anything. */
  lineMove(by: number): this {
    this.#fair = this.#inside(this.#fair + by);
    return this.#show();
  }

  /** The price goes there little by little, in `steps` (20) books. */
  drift(by: number, over: string, steps = 20): this {
    const ms = msOf(over);
    const [from, to] = [this.#fair, this.#inside(this.#fair + by)];
    for (let step = 1; step <= steps; step++) {
      this.#test.pass(`${ms / steps}ms`);
      this.#fair = from + ((to - from) * step) / steps;
      this.#show();
    }
    return this;
  }

  /**
   * Something happens that is good for a side (a goal, a knock-out): who knows first takes all that is now too generous, the book of
   * that side empties, and the others come back around the new price after `pause` (3s).
   */
  goal(side: Side, by: number, pause = '3s'): this {
    const { sides } = this.#market.market;
    const loser = oppositeSide(side);
    this.#fair = this.#inside(this.#fair + (side === sides[0] ? by : -by));
    const worth = loser === sides[0] ? this.#fair : 1 - this.#fair;
    const generous = this.#market.quotes.some(({ side: of, odds }) => {
      const known = toOdds(odds);
      return of === loser && known !== undefined && probabilityOf(known) > worth;
    });
    const rests = this.#market.resting(loser);
    if (generous && rests > 0) this.#market.fill(loser, rests);
    this.#market.book({ [loser]: [] });
    this.#test.pass(pause);
    return this.#show();
  }

  /** Somebody takes everything on a side, the strategy's own quotes too; the others come back after `back` (1s), where they were. */
  sweep(side: Side, back = '1s'): this {
    const rests = this.#market.resting(side);
    if (rests > 0) this.#market.fill(side, rests);
    this.#market.book({ [side]: [] });
    this.#test.pass(back);
    return this.#show();
  }

  /** The feed is down for so long: both sides are unknown, and then fresh with the book as it is by then. */
  feedCut(duration: string, movedBy = 0): this {
    const { sides } = this.#market.market;
    for (const side of sides) this.#market.freshness(side, 'unknown');
    this.#test.pass(duration);
    this.#fair = this.#inside(this.#fair + movedBy);
    for (const side of sides) this.#market.freshness(side, 'fresh');
    return this.#show();
  }

  #show(): this {
    const [first, second] = this.#market.market.sides;
    this.#market.book({ [first]: this.#rows(this.#fair), [second]: this.#rows(1 - this.#fair) });
    return this;
  }

  /** Of the side that wins with this probability, the best first. */
  #rows(probability: number): readonly Row[] {
    const { width, levels, depth } = this.#settings;
    return Array.from({ length: levels }, (_none, level) => {
      const rung = rungAtMost(probability - width / 2 - level * LEVEL, ODDS_STEP);
      return rung === undefined ? [] : [[oddsOf(rung), depth] as const];
    }).flat();
  }

  #inside(fair: number): number {
    const { width } = this.#settings;
    if (!(fair > width && fair < 1 - width))
      throw new Error(`a fair price of ${fair} has no room for books ${width} wide: keep it inside`);
    return fair;
  }
}

function msOf(duration: string): number {
  const ms = parseDuration(duration);
  if (ms === undefined) throw new Error(`"${duration}" is no duration: write 250ms, 5s, 10m or 2h`);
  return ms;
}

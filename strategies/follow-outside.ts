// Follows an outside book with a lag: where the outside price has stood still for `lag` and the exchange's own price has
// not followed it yet, quotes the side that the outside price favours, at the exchange's best offer or behind it.
import { map, tap } from 'rxjs';
import { z } from 'zod';
import type { MarketView, QuoteIntent } from 'oddsmaker/strategy';
import {
  consensusOf,
  defineStrategy,
  dollarAmount,
  dollars,
  inventoryOf,
  microsOfCents,
  showAgain,
  withoutRepeats,
} from 'oddsmaker/strategy';

const schema = z.object({
  risk: dollars.describe('stake of each quote, dollars'),
  prefix: z.string().default('odds:').describe('name of the outside price, before the id of the market'),
  lag: z.number().min(0).max(600).default(3).describe('how long the outside price must have stood still, seconds'),
  steady: z.number().gt(0).max(0.1).default(0.002).describe('a smaller move is standing still, probability'),
  minGap: z.number().min(0).max(0.5).default(0.008).describe('least distance from the exchange to follow, probability'),
  edge: z.number().min(0).max(0.2).default(0.004).describe('kept from the outside price, probability'),
  inventoryLimit: dollarAmount.prefault(500).describe('payoff difference at which the adding side stops, dollars'),
});
type Params = z.output<typeof schema>;

export default defineStrategy({
  name: 'follow-outside',
  params: schema,
  create:
    ({ params, scheduler }) =>
    (views$) => {
      const outside = new StillPrice(params.steady, params.lag * 1000);
      return views$.pipe(
        tap((view) => outside.see(view.signals.get(`${params.prefix}${view.market.id}`), scheduler.now())),
        showAgain(() => outside.dues(scheduler.now()), scheduler),
        map((view) => intentFor(view, outside.at(scheduler.now()), params)),
        withoutRepeats(views$),
      );
    },
});

/** A price that counts when it has stood still. */
class StillPrice {
  readonly #steady: number;
  readonly #lagMs: number;
  #price: number | undefined;
  #since = 0;

  constructor(steady: number, lagMs: number) {
    this.#steady = steady;
    this.#lagMs = lagMs;
  }

  see(price: number | undefined, now: number): void {
    const isStill = price !== undefined && this.#price !== undefined && Math.abs(price - this.#price) < this.#steady;
    if (!isStill) [this.#price, this.#since] = [price, now];
  }

  dues(now: number): readonly number[] {
    const left = this.#since + this.#lagMs - now;
    return this.#price !== undefined && left > 0 ? [left] : [];
  }

  /** The price. Undefined while it moves, or when there is none. */
  at(now: number): number | undefined {
    return now - this.#since >= this.#lagMs ? this.#price : undefined;
  }
}

function intentFor({ market, sides, position }: MarketView, outside: number | undefined, params: Params): QuoteIntent {
  const none = (reason: string): QuoteIntent => ({ market: market.id, quotes: [], reason });
  const own = consensusOf(sides[0].offers, sides[1].offers)?.p;
  if (outside === undefined) return none('the outside price moves, or there is none');
  if (own === undefined) return { ...none('the exchange has no price'), fair: outside };
  const gap = outside - own;
  if (Math.abs(gap) < params.minGap) return { ...none('the exchange has followed'), fair: outside };
  const [side, price, adds] =
    gap > 0 ? [sides[0].side, outside, inventoryOf(position)] : [sides[1].side, 1 - outside, 0 - inventoryOf(position)];
  if (adds >= microsOfCents(params.inventoryLimit)) return { ...none('enough is held'), fair: outside };
  return {
    market: market.id,
    quotes: [{ side, risk: params.risk, probability: price - params.edge }],
    reason: `outside ${outside.toFixed(4)}, here ${own.toFixed(4)}`,
    fair: outside,
  };
}

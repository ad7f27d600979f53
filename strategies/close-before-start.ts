// Closes a position before the start: from `from` on it offers the side that makes the position smaller, first at an
// edge and later at a loss, so that nothing is left when the game begins. It opens nothing: run it beside a strategy that
// does, behind it in the file.
import { map } from 'rxjs';
import { z } from 'zod';
import { timeToStart } from 'oddsmaker/indicators';
import type { MarketView, QuoteIntent } from 'oddsmaker/strategy';
import {
  centsOfDollars,
  consensusOf,
  defineStrategy,
  dollars,
  dollarsOfCents,
  dollarsOfMicros,
  inventoryOf,
  showAgain,
  withoutRepeats,
} from 'oddsmaker/strategy';

const schema = z.object({
  most: dollars.describe('largest stake of a quote, dollars'),
  from: z.number().gt(0).max(1440).default(30).describe('when it begins, minutes before the start'),
  until: z.number().min(0).max(1440).default(2).describe('when it asks for `last`, minutes before the start'),
  first: z.number().min(-0.2).max(0.2).default(0.01).describe('edge at the beginning, probability'),
  last: z.number().min(-0.2).max(0.2).default(-0.01).describe('edge at the end; below 0 it pays to close'),
  least: dollars.prefault(1).describe('a smaller difference between the outcomes is left, dollars'),
  every: z.number().min(1).max(3600).default(30).describe('how often the price is made anew, seconds'),
});
type Params = z.output<typeof schema>;

export default defineStrategy({
  name: 'close-before-start',
  params: schema,
  create:
    ({ params, scheduler }) =>
    (views$) => {
      // a view shows the time of its input; between two of them the scheduler's clock continues
      const leftAt = new WeakMap<MarketView, number>();
      const leftOf = (view: MarketView): number => {
        const startsAt = leftAt.get(view) ?? scheduler.now() + timeToStart(view);
        leftAt.set(view, startsAt);
        return (startsAt - scheduler.now()) / 60_000;
      };
      return views$.pipe(
        showAgain((view) => duesOf(leftOf(view), params), scheduler),
        map((view) => closingOf(view, leftOf(view), params)),
        withoutRepeats(views$),
      );
    },
});

/** Time until the price is made anew, ms: at the beginning, then every so often until the start. */
function duesOf(left: number, { from, every }: Params): readonly number[] {
  if (left > from) return [(left - from) * 60_000];
  return left > 0 ? [Math.min(every * 1000, left * 60_000)] : [];
}

function closingOf({ market, sides, position }: MarketView, left: number, params: Params): QuoteIntent {
  const none = (reason: string): QuoteIntent => ({ market: market.id, quotes: [], reason });
  const { from, until, first, last, least, most } = params;
  const held = dollarsOfMicros(inventoryOf(position));
  if (Math.abs(held) < dollarsOfCents(least)) return none('nothing is held');
  if (left > from) return none(`begins ${from} minutes before the start`);
  const p = consensusOf(sides[0].offers, sides[1].offers)?.p;
  if (p === undefined) return none('no fair price');
  const done = Math.min(1, Math.max(0, (from - left) / Math.max(1e-9, from - until)));
  const edge = first + (last - first) * done;
  // the side that is short: a payout as large as the difference makes both outcomes pay the same
  const [side, fair] = held > 0 ? [sides[1].side, 1 - p] : [sides[0].side, p];
  const probability = fair - edge;
  const stake = Math.min(Math.abs(held) * probability, dollarsOfCents(most));
  const quote = { side, risk: centsOfDollars(Math.floor(stake * 100) / 100), probability };
  return {
    market: market.id,
    quotes: stake < 0.01 ? [] : [quote],
    reason: `closes $${Math.abs(held).toFixed(2)}`,
    fair: p,
  };
}

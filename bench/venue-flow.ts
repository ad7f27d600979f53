// One seeded flow of places and cancels on one market, in the units of both books. An order book has one size
// per order; at the venue the two stakes of a match differ by the odds. So sizes are payouts, which are the
// same for both sides, and every amount is a whole number of micro-dollars at every price it meets: nothing
// is ever rounded.
import type { Micros, Rung } from '../src/domain/index.ts';
import { createRandom } from '../src/domain/random.ts';
import type { Random } from '../src/domain/random.ts';

export type FlowSide = 'home' | 'away';
export type FlowOp =
  | {
      readonly type: 'place';
      readonly account: number;
      readonly side: FlowSide;
      readonly rung: Rung;
      readonly risk: Micros;
      /** The same order in an order book: home sells, away buys. */
      readonly price: number;
      readonly size: number;
    }
  /** Cancels the order that the operation with this number placed. */
  | { readonly type: 'cancel'; readonly placed: number };

/** A fill: the numbers of the operations that placed the two orders, and the payout. */
export type Fill = { readonly maker: number; readonly taker: number; readonly size: number };
export type Flow = {
  readonly ops: readonly FlowOp[];
  readonly fills: readonly Fill[];
  readonly resting: number;
};

export const ACCOUNTS = 8;
/** The book keeps about this many orders, over some thirty levels a side. */
const RESTING = 300;
const LEVELS = 30;
const CANCELS = 0.3;
const TAKES = 0.14;
/** One point of odds, in rungs. */
const STEP = 10;
const PRICE_OF_EVEN_ODDS = 100_000;

/** `units`: the remaining stake of the side that stakes less, in whole dollars. */
type Resting = { readonly op: number; readonly side: FlowSide; readonly rung: number; units: number };

const stakeOf = (units: number, rung: number): number => (rung >= 0 ? units * 1_000_000 : units * 1000 * (1000 - rung));
const payoutOf = (units: number, rung: number): number => units * 1000 * (2000 + Math.abs(rung));
const opposite = (side: FlowSide): FlowSide => (side === 'home' ? 'away' : 'home');

/**
 * Makes the flow. It keeps a book of its own to know which orders rest, can be cancelled, and will match a
 * take.
 */
export function createFlow(operations: number, seed = 1): Flow {
  const random = createRandom(seed, 'order flow');
  const books: Readonly<Record<FlowSide, Resting[]>> = { home: [], away: [] };
  const ops: FlowOp[] = [];
  const fills: Fill[] = [];

  const place = (side: FlowSide, rung: number, risk: number, size: number): void => {
    ops.push({
      type: 'place',
      account: below(random, ACCOUNTS),
      side,
      rung: rung as Rung,
      risk: risk as Micros,
      price: PRICE_OF_EVEN_ODDS + (side === 'home' ? rung : -rung),
      size,
    });
  };
  const rest = (side: FlowSide, rung: number, units: number): void => {
    const book = books[side];
    const behind = book.findIndex((other) => other.rung > rung);
    book.splice(behind < 0 ? book.length : behind, 0, { op: ops.length, side, rung, units });
  };
  const make = (): void => {
    const side = random.next() < 0.5 ? 'home' : 'away';
    const best = books[opposite(side)][0]?.rung ?? 0;
    // denser near the best price; the price itself wanders slowly around even odds
    const middle = Math.round(Math.sin(ops.length / 3000) * 20) * STEP * (side === 'home' ? 1 : -1);
    const rung = Math.max(middle, STEP - best) + Math.floor(random.next() ** 2 * LEVELS) * STEP;
    const units = 5 + below(random, 200);
    rest(side, rung, units);
    place(side, rung, stakeOf(units, rung), payoutOf(units, rung));
  };
  const take = (): void => {
    const side = random.next() < 0.5 ? 'home' : 'away';
    const makers = books[opposite(side)];
    const whole = makers.length + books[side].length > RESTING ? 1 + below(random, 4) : below(random, 3);
    const mode = random.next();
    let [limit, stake, size] = [0, 0, 0];
    const fill = (maker: Resting, units: number): void => {
      limit = maker.rung;
      stake += stakeOf(units, -maker.rung);
      size += payoutOf(units, maker.rung);
      fills.push({ maker: maker.op, taker: ops.length, size: payoutOf(units, maker.rung) });
      maker.units -= units;
      if (maker.units === 0) makers.shift();
    };
    for (let n = 0; n < whole && makers[0] !== undefined; n++) fill(makers[0], makers[0].units);
    const next = makers[0];
    if (next !== undefined && next.units > 1 && (size === 0 || mode < 0.4))
      fill(next, 1 + below(random, next.units - 1));
    else if (size > 0 && mode < 0.6) {
      // the rest of the taker's order rests, once its level is empty
      while (makers[0]?.rung === limit) fill(makers[0], makers[0].units);
      const units = 5 + below(random, 50);
      rest(side, -limit, units);
      stake += stakeOf(units, -limit);
      size += payoutOf(units, limit);
    }
    if (size > 0) place(side, -limit, stake, size);
  };
  const cancel = (): void => {
    const { home, away } = books;
    const index = below(random, home.length + away.length);
    const [order] = index < home.length ? home.splice(index, 1) : away.splice(index - home.length, 1);
    if (order !== undefined) ops.push({ type: 'cancel', placed: order.op });
  };

  while (ops.length < operations) {
    const draw = random.next();
    if (draw < CANCELS) cancel();
    else if (draw < CANCELS + TAKES) take();
    else make();
  }
  return { ops, fills, resting: books.home.length + books.away.length };
}

const below = (random: Random, bound: number): number => Math.floor(random.next() * bound);

// How often each command is drawn, and with which arguments. Requotes, answers and events make up most of a
// run; commands that end things, such as a cancel-all or the stop, are rare.
import fc from 'fast-check';
import type { Bucket } from '../../../src/domain/index.ts';
import type { Move } from './moves.ts';
import {
  answer,
  calm,
  cancelAll,
  census,
  exchange,
  expire,
  feed,
  fill,
  fillExternal,
  grant,
  intend,
  intrude,
  lose,
  overtake,
  recall,
  repeat,
  requote,
  serve,
  stop,
  takeExternal,
  report,
  wait,
} from './moves.ts';
import { LATE_ARRIVAL_MS, MARKETS, STRATEGIES } from './scene.ts';
import type { Treatment } from './truth.ts';
import { DELIVERIES } from './world.ts';

const index = fc.oneof(fc.constant(0), fc.nat(20));
const side = fc.constantFrom<0 | 1>(0, 1);
const buckets = fc.constantFrom<Bucket>('place', 'cancel');
const dollars = fc.constantFrom(100, 50, 20);

const treatments: fc.Arbitrary<Partial<Treatment>> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.record({ mask: fc.nat(0xffff), half: fc.constantFrom('both', 'cancelled', 'neither') }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      status: fc.constantFrom(400, 401, 403, 404, 409, 423, 429, 500),
      acts: fc.boolean(),
      mask: fc.oneof(fc.constant(0), fc.nat(0xff)),
      half: fc.constantFrom('both', 'cancelled', 'neither'),
    }),
  },
);

/** A key names one slot, and at most one quote a side has none. */
const wishes = fc.uniqueArray(
  fc.record({
    side,
    key: fc.constantFrom('a', 'b', undefined),
    rung: fc.integer({ min: -4, max: 9 }).map((n) => n * 10),
    dollars,
  }),
  { maxLength: 4, selector: (wanted) => `${wanted.side}${wanted.key}` },
);

/** One market is busier than the others. */
const markets = fc.oneof(fc.constant(0), fc.nat(MARKETS.length - 1));

/** Calls `make` with arguments drawn from `arbitraries`. */
const drawn = <Args extends unknown[]>(
  weight: number,
  make: (...args: Args) => Move,
  ...arbitraries: { [K in keyof Args]: fc.Arbitrary<Args[K]> }
): fc.WeightedArbitrary<Move> => ({
  weight,
  arbitrary: fc.tuple<Args>(...arbitraries).map((args) => make(...args)),
});

const count = (max: number): fc.Arbitrary<number> => fc.integer({ min: 1, max });
const rare = fc.oneof(drawn(4, cancelAll), drawn(1, stop, fc.boolean()));

export const moves: fc.Arbitrary<Move> = fc.oneof(
  drawn(8, intend, markets, fc.nat(STRATEGIES.length - 1), wishes),
  drawn(12, requote, index, fc.integer({ min: -4, max: 4 }), dollars),
  drawn(8, grant, buckets, count(8)),
  drawn(1, recall, buckets, count(4)),
  drawn(6, wait, fc.constantFrom(1, 250, 500, 2000, 3500, LATE_ARRIVAL_MS, 20_000, 61_000)),
  drawn(8, serve, index, treatments),
  drawn(6, answer, index, fc.constantFrom('delivered', 'delivered', 'delivered', ...DELIVERIES)),
  drawn(10, exchange, index, treatments),
  drawn(4, overtake, index, count(3), fc.boolean()),
  drawn(10, report, count(3), fc.boolean()),
  drawn(3, repeat, index, fc.boolean()),
  drawn(2, lose),
  drawn(2, feed, fc.boolean()),
  drawn(8, fill, index, count(3), fc.boolean()),
  drawn(2, expire, index),
  drawn(1, intrude, markets, side, fc.boolean()),
  drawn(1, fillExternal, index, count(3), fc.boolean()),
  drawn(1, takeExternal, markets, side, fc.boolean()),
  drawn(1, census),
  drawn(8, calm),
  { weight: 1, arbitrary: rare },
);

// The commands of the model: the actions of the strategies, the exchange, the network and the operator.
// Indices are taken modulo the current number of things, so that a list of commands stays meaningful while it
// is shrunk. A printed counterexample is a call of `play` (model.seeded.test.ts) with these functions.
import type fc from 'fast-check';
import type { Bucket, Rung } from '../../../src/domain/index.ts';
import { centsOfDollars, microsOfDollars } from '../../../src/domain/index.ts';
import type { Bot } from './bot.ts';
import { MARKETS, STRATEGIES } from './scene.ts';
import type { TrueOrder } from './bodies.ts';
import { remaining } from './bodies.ts';
import type { Flight, Treatment } from './truth.ts';
import { GOOD, ordersOf } from './truth.ts';
import type { Delivery, World } from './world.ts';

export type Move = fc.Command<World, Bot>;

const move = (
  name: string,
  args: readonly unknown[],
  run: (world: World) => void,
  isPossible: (world: World) => boolean = () => true,
): Move => ({
  check: (world) => isPossible(world as World),
  run,
  toString: () => `${name}(${args.map((arg) => JSON.stringify(arg)).join(', ')})`,
});

const pick = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(1, list.length)];

// ——— the strategies

export type Wanted = {
  readonly side: 0 | 1;
  /** Undefined when the manager numbers the quote. */
  readonly key?: string | undefined;
  readonly rung: number;
  readonly dollars: number;
};

/** Sets the quotes of one strategy on one market. */
export const intend = (marketIndex: number, strategyIndex: number, wanted: readonly Wanted[]): Move =>
  move('intend', [marketIndex, strategyIndex, wanted], (world) => {
    const market = pick(MARKETS, marketIndex);
    const strategy = pick(STRATEGIES, strategyIndex);
    if (market === undefined || strategy === undefined) return;
    const quotes = wanted.map(({ side, key, rung, dollars }) => ({
      side: market.sides[side],
      rung: rung as Rung,
      risk: centsOfDollars(dollars),
      ...(key === undefined ? {} : { key }),
    }));
    world.intend([{ strategy, market, quotes }]);
  });

/** Moves every quote of one strategy on one market along the ladder, or with `by` 0 gives it another size. */
export const requote = (index: number, by: number, dollars: number): Move =>
  move(
    'requote',
    [index, by, dollars],
    (world) => {
      const wish = pick(world.laws.wanting, index);
      if (wish === undefined) return;
      const quotes = wish.quotes.map((quote) => ({
        ...quote,
        rung: (quote.rung + by * 10) as Rung,
        risk: by === 0 ? centsOfDollars(dollars) : quote.risk,
      }));
      world.intend([{ ...wish, quotes }]);
    },
    ({ laws }) => laws.wanting.length > 0,
  );

// ——— permits and time

export const grant = (bucket: Bucket, count: number): Move =>
  move('grant', [bucket, count], (world) => {
    for (let i = 0; i < count; i++) world.grant(bucket);
  });

export const recall = (bucket: Bucket, count: number): Move =>
  move('recall', [bucket, count], (world) => {
    const expected = Math.min(count, world.truth.permits[bucket].size);
    const commands = world.step((bot) => {
      bot.manager.giveBack(bucket, count);
    });
    const back = commands.flatMap((command) => (command.type === 'return' ? command.permits : []));
    if (back.length !== expected) throw new Error(`a recall: ${back.length} permits came back, not ${expected}`);
  });

export const wait = (ms: number): Move =>
  move('wait', [ms], (world) => {
    world.pass(ms);
  });

// ——— requests

/** Orders first, then reads: the small indices are drawn most. */
const ordersFirst = (flights: readonly Flight[]): readonly Flight[] =>
  flights.toSorted((a, b) => Number(a.command.type === 'read') - Number(b.command.type === 'read'));
const waiting = ({ truth }: World): readonly Flight[] => ordersFirst(truth.flights.filter(({ acted }) => !acted));
const placing = (world: World): readonly Flight[] =>
  waiting(world).filter(({ command }) => ordersOf(command).length > 0);
const answerable = ({ truth }: World): readonly Flight[] =>
  ordersFirst(truth.flights.filter(({ isSilent }) => !isSilent));

/** The exchange acts on a request; its answer is in flight. */
export const serve = (index: number, how: Partial<Treatment> = {}): Move =>
  move(
    'serve',
    [index, how],
    (world) => {
      const flight = pick(waiting(world), index);
      if (flight !== undefined) world.truth.act(flight, { ...GOOD, ...how });
      world.check();
    },
    (world) => waiting(world).length > 0,
  );

export const answer = (index: number, how: Delivery): Move =>
  move(
    'answer',
    [index, how],
    (world) => {
      const flight = pick(answerable(world), index);
      if (flight !== undefined) world.answer(flight, how);
    },
    (world) => answerable(world).length > 0,
  );

/** The exchange acts on a request, and its answer arrives at once. */
export const exchange = (index: number, how: Partial<Treatment> = {}): Move =>
  move(
    'exchange',
    [index, how],
    (world) => {
      const flight = pick(waiting(world), index);
      if (flight === undefined) return;
      world.truth.act(flight, { ...GOOD, ...how });
      world.answer(flight, 'delivered');
    },
    (world) => waiting(world).length > 0,
  );

/** An order that a place or an edit posts is taken, and the events arrive before the answer. */
export const overtake = (index: number, parts: number, bare: boolean): Move =>
  move(
    'overtake',
    [index, parts, bare],
    (world) => {
      const { truth } = world;
      const flight = pick(placing(world), index);
      if (flight === undefined) return;
      truth.act(flight, GOOD);
      const posted = truth.own.at(-1);
      if (posted !== undefined) take(world, posted, parts, false);
      while (truth.feed.length > 0) world.deliver(bare);
      world.answer(flight, 'delivered');
    },
    (world) => placing(world).length > 0,
  );

export const calm = (): Move =>
  move('calm', [], (world) => {
    world.calm();
  });

// ——— the user feed

/** The next events arrive. `bare`: without the optional fields. */
export const report = (count: number, bare: boolean): Move =>
  move(
    'report',
    [count, bare],
    (world) => {
      for (let i = 0; i < count; i++) world.deliver(bare);
    },
    ({ truth }) => truth.feed.length > 0,
  );

/** An earlier event arrives once more. */
export const repeat = (index: number, bare: boolean): Move =>
  move(
    'repeat',
    [index, bare],
    (world) => {
      const event = pick(world.truth.delivered, index);
      if (event === undefined || world.truth.isTooOld(event)) return;
      world.step((bot) => {
        bot.position(event.text(bare));
      });
    },
    ({ truth }) => truth.delivered.length > 0,
  );

export const lose = (): Move =>
  move(
    'lose',
    [],
    ({ truth }) => {
      truth.loseEvents(1);
    },
    ({ truth }) => truth.feed.length > 0,
  );

export const feed = (isUp: boolean): Move =>
  move(
    'feed',
    [isUp],
    (world) => {
      world.feed(isUp);
    },
    ({ truth }) => truth.feedIsUp !== isUp,
  );

// ——— what happens at the exchange by itself

function take(world: World, order: TrueOrder, parts: number, quiet: boolean): void {
  // whole cents, so that nothing is rounded on the wire
  const partRisk = Math.ceil(remaining(order) / parts / 10_000) * 10_000;
  world.truth.fill(order, Math.min(partRisk, remaining(order)), quiet);
  world.check();
}

/**
 * One of `parts` parts of a resting order is taken. `quiet`: the event reports only the total filled amount.
 */
export const fill = (index: number, parts: number, quiet: boolean): Move =>
  move(
    'fill',
    [index, parts, quiet],
    (world) => {
      const order = pick(world.truth.own, index);
      if (order !== undefined) take(world, order, parts, quiet);
    },
    ({ truth }) => truth.own.length > 0,
  );

/** An order expires, or the exchange cancels it to rebalance liability. */
export const expire = (index: number): Move =>
  move(
    'expire',
    [index],
    ({ truth }) => {
      const order = pick(truth.open, index);
      if (order !== undefined) truth.cancel(order);
    },
    ({ truth }) => truth.open.length > 0,
  );

// ——— another client trades on the account, in a size of its own. `named`: with a reference of its own

const EXTERNAL_REFERENCE = 'buffer-7';

/** An external order rests; it ends like other orders (`expire`). */
export const intrude = (marketIndex: number, side: 0 | 1, named = false): Move =>
  move('intrude', [marketIndex, side, named], ({ truth }) => {
    const market = pick(MARKETS, marketIndex);
    if (market === undefined) return;
    const order = { market, side: market.sides[side], rung: 20 as Rung, risk: microsOfDollars(33) };
    truth.post(undefined, order, { reference: named ? EXTERNAL_REFERENCE : undefined });
  });

/** One of `parts` parts of a resting external order is taken. */
export const fillExternal = (index: number, parts: number, quiet: boolean): Move =>
  move(
    'fillExternal',
    [index, parts, quiet],
    (world) => {
      const order = pick(world.truth.external, index);
      if (order !== undefined) take(world, order, parts, quiet);
    },
    ({ truth }) => truth.external.length > 0,
  );

/** Another client takes an offer: a fill, and no order. */
export const takeExternal = (marketIndex: number, side: 0 | 1, named: boolean): Move =>
  move('takeExternal', [marketIndex, side, named], (world) => {
    const market = pick(MARKETS, marketIndex);
    if (market === undefined) return;
    const order = { market, side: market.sides[side], rung: 20 as Rung, risk: microsOfDollars(33) };
    world.truth.takeExternal(order, named ? EXTERNAL_REFERENCE : undefined);
    world.check();
  });

// ——— the operator

export const cancelAll = (): Move =>
  move('cancelAll', [], (world) => {
    world.step((bot) => {
      bot.cancelAll();
    });
  });

/** The lists of the account are read. */
export const census = (): Move =>
  move('census', [], (world) => {
    world.step((bot) => {
      bot.reconciliation.ask();
    });
  });

/** Nothing is placed from now on. `withdraws`: all quotes are withdrawn as well. */
export const stop = (withdraws: boolean): Move =>
  move(
    'stop',
    [withdraws],
    (world) => {
      world.truth.stopped = true;
      world.step((bot) => {
        bot.manager.stopPlacing();
      });
      if (withdraws) world.intend(world.laws.wanting.map((wish) => ({ ...wish, quotes: [] })));
    },
    ({ truth }) => !truth.stopped,
  );

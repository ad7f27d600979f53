// The order manager against a model of the exchange: any order of requests, answers, losses, fills and feeds. What must
// hold is in model/laws.ts, what may happen in model/moves.ts. HUNT=30000 looks for longer.
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { seeds } from '../support/seeds.ts';
import { Bot } from './model/bot.ts';
import { moves } from './model/draw.ts';
import type { Move } from './model/moves.ts';
import {
  answer,
  calm,
  cancelAll,
  census,
  exchange,
  expire,
  feed,
  fill,
  grant,
  intend,
  overtake,
  requote,
  serve,
  tell,
  wait,
} from './model/moves.ts';
import type { Setup } from './model/scene.ts';
import { MARKETS, SETUP, setups } from './model/scene.ts';
import { World } from './model/world.ts';

const RUNS = seeds(200, 800);

function play(setup: Setup, commands: Iterable<Move>): void {
  const real = new Bot(setup);
  const model = new World(setup, real);
  fc.modelRun(() => ({ model, real }), commands);
  model.settle();
}

describe('the order manager', () => {
  it('keeps to its laws whatever exchange, network and operator do', { timeout: 20_000 + 100 * RUNS }, () => {
    fc.assert(fc.property(setups, fc.commands([moves], { maxCommands: 100, size: '+1' }), play), {
      numRuns: RUNS,
      // the same runs every time, but for a hunt
      ...(process.env['HUNT'] === undefined ? { seed: 20_300_101 } : {}),
      // a counterexample is shrunk no longer than this
      interruptAfterTimeLimit: 60 * RUNS,
    });
  });
});

const home = (rung: number, dollars: number) => ({ side: 0, key: 'a', rung, dollars }) as const;

// Shrunk counterexamples of former days.
describe('the order manager does', () => {
  it('keep the larger figure when an older figure comes after it', () => {
    play(SETUP, [
      grant('place', 1),
      grant('cancel', 1),
      intend(0, 0, [home(0, 20)]),
      exchange(0),
      fill(0, 2, true),
      fill(0, 1, false),
      // the cancel is refused, so the order is looked up: it filled 20; only then comes the event that tells of 10
      intend(0, 0, []),
      exchange(0, { status: 400, acts: false }),
      calm(),
    ]);
  });

  it('count what may have filled after a look-up that finds nothing', () => {
    play(SETUP, [
      grant('place', 1),
      grant('cancel', 1),
      intend(0, 0, [home(0, 50)]),
      exchange(0),
      fill(0, 1, false),
      intend(0, 0, []),
      exchange(0, { status: 404, acts: false }),
      exchange(0, { mask: 1 }),
    ]);
  });

  it('place a quote that a tolerance wider than the spread keeps an own one in front of', () => {
    play(SETUP, [
      grant('place', 2),
      intend(0, 0, [home(0, 100)]),
      calm(),
      intend(0, 0, [home(10, 100), { side: 1, key: 'a', rung: 0, dollars: 100 }]),
    ]);
  });

  it('give a play without a reference to the order that turns out to own it', () => {
    play(SETUP, [
      grant('place', 1),
      intend(0, 0, [home(0, 100)]),
      serve(0),
      answer(0, 'lost'),
      fill(0, 1, false),
      // the lists come before the events: nobody knows yet under which id it rested
      census(),
      wait(500),
      exchange(0),
      exchange(0, { mask: 1 }),
    ]);
  });

  it('let an event from before the edit say nothing of what came after it', () => {
    play(SETUP, [
      grant('place', 3),
      intend(0, 0, [home(0, 100)]),
      exchange(0),
      requote(0, 0, 50),
      serve(0),
      wait(20_000),
      calm(),
    ]);
  });

  it('keep a refusal in mind when an answer that comes late accepts the order before', () => {
    play(SETUP, [
      grant('place', 2),
      intend(0, 0, [home(0, 100)]),
      requote(0, 3, 100),
      serve(0),
      tell(1, false),
      exchange(0, { mask: 1, half: 'cancelled' }),
      calm(),
    ]);
  });

  it('keep a refusal in mind when a limit in between denies another price', () => {
    play({ ...SETUP, tight: true }, [
      grant('place', 4),
      intend(0, 0, [home(0, 100)]),
      exchange(0, { status: 400, acts: false }),
      intend(0, 1, [home(0, 50)]),
      calm(),
      intend(0, 0, [home(20, 150)]),
      intend(0, 0, [home(0, 100)]),
      wait(1000),
      intend(0, 1, []),
      wait(1000),
    ]);
  });

  it('send nothing for a slot that two orders seem to have, after a list from before the edit', () => {
    play(SETUP, [
      grant('place', 3),
      intend(0, 0, [home(0, 100)]),
      exchange(0),
      feed(false),
      // the list is read, the edit acts and its answer is lost, and only then does the list come
      census(),
      serve(0),
      requote(0, -3, 100),
      serve(0),
      answer(0, 'lost'),
      wait(500),
      answer(0, 'told'),
      exchange(0),
      wait(3000),
      calm(),
    ]);
  });

  it('take an order for landed by a list that tells its reference, before any answer told one', () => {
    play({ ...SETUP, maxOrdersPerPlace: 1 }, [
      intend(0, 0, [home(0, 100)]),
      census(),
      exchange(0),
      intend(0, 1, [home(0, 100), { side: 0, rung: 0, dollars: 100 }]),
      grant('place', 4),
      serve(0),
      exchange(0, { status: 429, acts: false }),
      wait(20_000),
      exchange(0),
      answer(0, 'garbled'),
      tell(1, true),
      exchange(1, { status: 400, acts: false }),
      answer(10, 'not-sent'),
      calm(),
    ]);
  });

  it('move nothing in a slot that two orders seem to have', () => {
    play(SETUP, [
      grant('place', 3),
      intend(0, 0, [home(0, 100)]),
      calm(),
      grant('cancel', 1),
      requote(0, 3, 100),
      requote(0, 2, 100),
      // the edit acts, and neither its answer nor that of the cancel of its old half comes: the old half counts as open
      serve(0),
      wait(61_000),
      calm(),
    ]);
  });

  it('cancel a whole game once for an order that a lock kept, and then by its id', () => {
    play({ ...SETUP, former: 'rests' }, [
      // nothing tells that the order is gone
      feed(false),
      grant('place', 1),
      intend(0, 0, [{ side: 0, rung: 0, dollars: 100 }]),
      cancelAll(),
      wait(3500),
      exchange(0),
      grant('cancel', 1),
      wait(3500),
    ]);
  });

  it('cancel one game, and not its league, where another game of that is quoted', () => {
    const away = { side: 1, key: 'a', rung: 50, dollars: 100 } as const;
    play({ ...SETUP, pool: 0 }, [
      grant('place', 3),
      // the last market is of another game of the league of the first
      intend(0, 0, [away]),
      intend(MARKETS.length - 1, 0, [away]),
      calm(),
      intend(0, 0, []),
      wait(20_000),
      calm(),
    ]);
  });

  it('know a play without a reference for ours by the trail of its order', () => {
    play(SETUP, [
      grant('place', 1),
      feed(false),
      intend(0, 0, [
        { side: 1, key: 'a', rung: 10, dollars: 100 },
        { side: 0, key: 'a', rung: 0, dollars: 100 },
      ]),
      answer(0, 'lost'),
      calm(),
      fill(0, 1, false),
      fill(0, 1, false),
      cancelAll(),
      exchange(0),
      serve(0),
      answer(0, 'told'),
      // of the list of plays some rows name the order, and others its reference
      exchange(0, { mask: 37 }),
      requote(0, 0, 100),
    ]);
  });

  it('give an order that was found by its looks to the one whose reference a list tells', () => {
    play(SETUP, [
      grant('place', 1),
      intend(0, 0, [home(0, 100), { side: 0, rung: 40, dollars: 20 }, { ...home(40, 20), key: 'b' }]),
      feed(false),
      feed(true),
      // one of the two that look alike is refused, and nobody is told which
      serve(0, { mask: 27_098 }),
      answer(0, 'garbled'),
      exchange(0, { mask: 12_234 }),
    ]);
  });
});

const NAMELESS: Setup = { ...SETUP, tellsReferences: false };

// The same where no reference is told.
describe('without references the order manager does', () => {
  it('offer anew what is reported as filled in sum alone', () => {
    play({ ...NAMELESS, pool: 6 }, [
      intend(0, 0, [home(0, 100)]),
      feed(false),
      overtake(0, 2, false),
      fill(0, 2, false),
      wait(1),
    ]);
  });

  it('settle several orders that never landed, however often the lists are read for them', () => {
    play({ ...NAMELESS, pool: 6 }, [
      intend(0, 0, [home(0, 100)]),
      intend(0, 0, [
        { side: 1, key: 'a', rung: 10, dollars: 100 },
        { ...home(0, 100), key: 'b' },
      ]),
      wait(20_000),
      feed(false),
      grant('place', 1),
    ]);
  });

  it('take no order for its own that was listed before the own one was sent', () => {
    play({ ...NAMELESS, former: 'rests' }, [
      grant('place', 1),
      intend(0, 0, [home(10, 50)]),
      answer(0, 'garbled'),
      intend(0, 0, []),
    ]);
  });

  it('keep a slot whose fate is open, when an order of another slot that looks the same fills before its answer comes', () => {
    play({ ...NAMELESS, maxOrdersPerPlace: 1, pool: 6 }, [
      intend(0, 0, [
        { side: 1, key: 'b', rung: 20, dollars: 50 },
        { side: 1, key: 'a', rung: 50, dollars: 50 },
      ]),
      answer(0, 'lost'),
      requote(0, 2, 100),
      serve(0, { status: 400, acts: false }),
      calm(),
      requote(0, 1, 100),
      overtake(0, 1, false),
    ]);
  });
});

const KEPT: Setup = { ...SETUP, editKeepsId: true };

// The same where an edited order goes on under its id.
describe('where an edit keeps the id the order manager does', () => {
  it('count a fill that names only the id for the order that looks like it, before the edit is answered', () => {
    play({ ...KEPT, pool: 6 }, [
      intend(0, 0, [home(0, 100)]),
      calm(),
      requote(0, 0, 50),
      overtake(0, 1, true),
      intend(0, 0, []),
    ]);
  });

  it('count what was filled unreported before an edit, as soon as the feed shows that the edit worked', () => {
    play({ ...KEPT, tellsReferences: false }, [
      grant('place', 2),
      intend(0, 0, [home(0, 100)]),
      feed(false),
      calm(),
      fill(0, 2, false),
      requote(0, -3, 100),
      feed(true),
      overtake(0, 1, false),
    ]);
  });

  it('take a cancel that worked for one of the edited order, when the answer to the edit came late', () => {
    play({ ...KEPT, maxOrdersPerPlace: 1 }, [
      grant('place', 3),
      intend(0, 0, [home(0, 100), { ...home(0, 100), key: 'b' }]),
      requote(0, 3, 100),
      exchange(0),
      exchange(0, { status: 400, acts: false }),
      serve(0),
      requote(0, 2, 100),
      fill(0, 2, false),
      wait(3500),
      serve(0, { status: 400, acts: false }),
    ]);
  });

  it('go on looking an order up when the one that it replaced is forgotten', () => {
    play(KEPT, [
      intend(0, 1, [home(0, 100)]),
      feed(false),
      grant('place', 3),
      requote(0, -3, 100),
      calm(),
      intend(0, 1, [home(0, 100)]),
      wait(12_000),
      expire(0),
      intend(0, 1, []),
    ]);
  });

  it('know the id of an edited order by a fill that names its reference alone', () => {
    play(KEPT, [
      intend(0, 0, [home(0, 50), { side: 0, rung: 10, dollars: 50 }]),
      grant('place', 2),
      calm(),
      feed(false),
      requote(0, 1, 100),
      expire(0),
      requote(0, 2, 100),
      serve(0),
      wait(61_000),
      fill(0, 1, false),
      intend(0, 0, []),
    ]);
  });

  it('keep an edited order open whose former one was found by its looks, and may have been another', () => {
    play({ ...KEPT, tellsReferences: false }, [
      intend(0, 0, [home(90, 20)]),
      grant('place', 1),
      answer(0, 'garbled'),
      grant('place', 1),
      exchange(0),
      intend(0, 0, [{ ...home(90, 20), key: 'b' }, home(0, 100)]),
      wait(20_000),
      serve(0, { status: 400, acts: false }),
    ]);
  });
});

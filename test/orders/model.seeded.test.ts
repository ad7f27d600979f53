// The order manager against a model of the exchange, with any order of requests, answers, losses, fills and
// feed drops. model/laws.ts has the laws, model/moves.ts the possible events. HUNT=30000 searches longer.
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
  report,
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
  it('keeps its laws whatever exchange, network and operator do', { timeout: 20_000 + 100 * RUNS }, () => {
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

// Shrunk counterexamples of earlier versions.
describe('the order manager', () => {
  it('keeps the larger filled amount when an older amount arrives after it', () => {
    play(SETUP, [
      grant('place', 1),
      grant('cancel', 1),
      intend(0, 0, [home(0, 20)]),
      exchange(0),
      fill(0, 2, true),
      fill(0, 1, false),
      // the cancel is refused, so the order is looked up: it filled 20; only then comes the event that
      // reports 10
      intend(0, 0, []),
      exchange(0, { status: 400, acts: false }),
      calm(),
    ]);
  });

  it('counts a possible fill after a look-up that finds nothing', () => {
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

  it('places a quote that would cross an own order kept by a tolerance wider than the spread', () => {
    play(SETUP, [
      grant('place', 2),
      intend(0, 0, [home(0, 100)]),
      calm(),
      intend(0, 0, [home(10, 100), { side: 1, key: 'a', rung: 0, dollars: 100 }]),
    ]);
  });

  it('assigns a play without a reference to the order that turns out to own it', () => {
    play(SETUP, [
      grant('place', 1),
      intend(0, 0, [home(0, 100)]),
      serve(0),
      answer(0, 'lost'),
      fill(0, 1, false),
      // the lists come before the events: it is not known yet under which id the order rested
      census(),
      wait(500),
      exchange(0),
      exchange(0, { mask: 1 }),
    ]);
  });

  it('draws no conclusion about the time after an edit from an event before it', () => {
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

  it('remembers a refusal when a late answer accepts the order before', () => {
    play(SETUP, [
      grant('place', 2),
      intend(0, 0, [home(0, 100)]),
      requote(0, 3, 100),
      serve(0),
      report(1, false),
      exchange(0, { mask: 1, half: 'cancelled' }),
      calm(),
    ]);
  });

  it('remembers a refusal when a limit in between denies another price', () => {
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

  it('sends nothing for a slot that two orders seem to have, after a list from before the edit', () => {
    play(SETUP, [
      grant('place', 3),
      intend(0, 0, [home(0, 100)]),
      exchange(0),
      feed(false),
      // the list is read, the edit acts and its answer is lost, and only then does the list arrive
      census(),
      serve(0),
      requote(0, -3, 100),
      serve(0),
      answer(0, 'lost'),
      wait(500),
      answer(0, 'delivered'),
      exchange(0),
      wait(3000),
      calm(),
    ]);
  });

  it('accepts from a list with its reference that an order landed, before any answer showed a reference', () => {
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
      report(1, true),
      exchange(1, { status: 400, acts: false }),
      answer(10, 'not-sent'),
      calm(),
    ]);
  });

  it('edits nothing in a slot that two orders seem to have', () => {
    play(SETUP, [
      grant('place', 3),
      intend(0, 0, [home(0, 100)]),
      calm(),
      grant('cancel', 1),
      requote(0, 3, 100),
      requote(0, 2, 100),
      // the edit acts, and neither its answer nor that of the cancel of its old half arrives: the old half
      // counts as open
      serve(0),
      wait(61_000),
      calm(),
    ]);
  });

  it('cancels a whole game once for an order that a lock kept, and then the order by its id', () => {
    play({ ...SETUP, former: 'rests' }, [
      // no event reports that the order is gone
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

  it('cancels one game, and not its league, when another game of that league is quoted', () => {
    const away = { side: 1, key: 'a', rung: 50, dollars: 100 } as const;
    play({ ...SETUP, pool: 0 }, [
      grant('place', 3),
      // the last market is in another game of the first one's league
      intend(0, 0, [away]),
      intend(MARKETS.length - 1, 0, [away]),
      calm(),
      intend(0, 0, []),
      wait(20_000),
      calm(),
    ]);
  });

  it('recognises an own play without a reference by the trail of its order', () => {
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
      answer(0, 'delivered'),
      // some rows of the list of plays name the order, and others its reference
      exchange(0, { mask: 37 }),
      requote(0, 0, 100),
    ]);
  });

  it('assigns an order that was found by odds and size to the order whose reference a list shows', () => {
    play(SETUP, [
      grant('place', 1),
      intend(0, 0, [home(0, 100), { side: 0, rung: 40, dollars: 20 }, { ...home(40, 20), key: 'b' }]),
      feed(false),
      feed(true),
      // one of two equal orders is refused, and no answer says which
      serve(0, { mask: 27_098 }),
      answer(0, 'garbled'),
      exchange(0, { mask: 12_234 }),
    ]);
  });
});

const WITHOUT_REFERENCES: Setup = { ...SETUP, reportsReferences: false };

// The same laws without references.
describe('the order manager without references', () => {
  it('offers the rest again after events that report only the total filled amount', () => {
    play({ ...WITHOUT_REFERENCES, pool: 6 }, [
      intend(0, 0, [home(0, 100)]),
      feed(false),
      overtake(0, 2, false),
      fill(0, 2, false),
      wait(1),
    ]);
  });

  it('settles several orders that never landed, however often the lists are read for them', () => {
    play({ ...WITHOUT_REFERENCES, pool: 6 }, [
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

  it('does not take an order for its own that was listed before its own was sent', () => {
    play({ ...WITHOUT_REFERENCES, former: 'rests' }, [
      grant('place', 1),
      intend(0, 0, [home(10, 50)]),
      answer(0, 'garbled'),
      intend(0, 0, []),
    ]);
  });

  it('keeps a slot of unknown fate when an equal order of another slot fills before its answer arrives', () => {
    play({ ...WITHOUT_REFERENCES, maxOrdersPerPlace: 1, pool: 6 }, [
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

// The same laws when an edited order keeps its id.
describe('the order manager when an edit keeps the id', () => {
  it('counts a fill that names only the id for the order with its odds and size, before the edit is answered', () => {
    play({ ...KEPT, pool: 6 }, [
      intend(0, 0, [home(0, 100)]),
      calm(),
      requote(0, 0, 50),
      overtake(0, 1, true),
      intend(0, 0, []),
    ]);
  });

  it('counts unreported fills from before an edit as soon as the feed shows that the edit worked', () => {
    play({ ...KEPT, reportsReferences: false }, [
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

  it('takes a successful cancel for that of the edited order when the answer to the edit came late', () => {
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

  it('continues to look an order up when the order that it replaced is forgotten', () => {
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

  it('learns the id of an edited order from a fill that names only its reference', () => {
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

  it('keeps an edited order open when its earlier version was found by odds and size and may have been another order', () => {
    play({ ...KEPT, reportsReferences: false }, [
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

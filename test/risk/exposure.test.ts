import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DrawRule, GameId, Micros, Side } from '../../src/domain/index.ts';
import { dollarsOfMicros, market } from '../../src/domain/index.ts';
import type { Exposure } from '../../src/risk/index.ts';
import { Book, exposureOf, G1, G2, moneyline, otherMoneyline, usd } from './fixtures.ts';

const worst = (book: Book, draw: DrawRule = 'impossible'): number =>
  dollarsOfMicros(exposureOf(book.drawn(draw)).worstOf(G1));
const spread = market(G1, 'spread', -3.5);
const total = market(G1, 'total', 210.5);

describe('the exposure of a game', () => {
  it('is nothing when nothing is held and nothing rests', () => {
    expect(worst(new Book())).toBe(0);
  });

  it('counts resting orders as filled and lost, and never as a gain', () => {
    expect(worst(new Book().open(moneyline, 'home', 100))).toBe(-100);
    expect(worst(new Book().open(moneyline, 'home', 100).open(moneyline, 'away', 70))).toBe(-100);
  });

  it('adds up every order of a side: open, in flight and unknown ones, and both halves of an edit', () => {
    const book = new Book().open(moneyline, 'home', 60).open(moneyline, 'home', 100).open(moneyline, 'home', 40);
    expect(worst(book)).toBe(-200);
  });

  it('adds held positions to resting orders', () => {
    const held = new Book().filled(moneyline, 'home', 100, 100);
    expect(worst(held)).toBe(-100);
    expect(worst(held.open(moneyline, 'away', 250))).toBe(-150);
  });

  it('is lowered by a hedge that is held, and not by one that only rests', () => {
    const held = new Book().filled(moneyline, 'home', 100, 100);
    expect(worst(new Book().filled(moneyline, 'home', 100, 100).filled(moneyline, 'away', 100, 100))).toBe(0);
    expect(worst(held.open(moneyline, 'away', 100))).toBe(-100);
  });

  it('adds up markets that lose together', () => {
    const book = new Book().open(moneyline, 'home', 100).open(spread, 'home', 50).open(total, 'over', 30);
    expect(worst(book)).toBe(-180);
  });

  it('does not add up markets that cannot lose together', () => {
    // the moneyline is lost when away wins, the spread only when home wins by four or more
    expect(worst(new Book().open(moneyline, 'home', 100).open(spread, 'away', 50))).toBe(-100);
  });

  it.each<[DrawRule, number]>([
    ['impossible', -100],
    ['push', -100],
    ['both-lose', -170],
  ])('when a draw is %s loses %d when both sides of a moneyline rest', (draw, dollars) => {
    expect(worst(new Book().open(moneyline, 'home', 100).open(moneyline, 'away', 70), draw)).toBe(dollars);
  });

  it('leaves other games out', () => {
    expect(worst(new Book().open(otherMoneyline, 'home', 100))).toBe(0);
  });
});

describe('an order under consideration', () => {
  const proposed = (side: Side, dollars: number) => ({ market: moneyline, side, risk: usd(dollars) });

  it('counts on top of the resting orders, and is not kept', () => {
    const exposure = exposureOf(new Book().open(moneyline, 'home', 100));
    expect(dollarsOfMicros(exposure.worstWith(G1, proposed('home', 50)))).toBe(-150);
    expect(dollarsOfMicros(exposure.worstWith(G1, proposed('away', 50)))).toBe(-100);
    expect(dollarsOfMicros(exposure.worstOf(G1))).toBe(-100);
  });

  it('counts in a market where nothing was before', () => {
    const exposure = exposureOf(new Book());
    expect(dollarsOfMicros(exposure.worstWith(G1, { market: total, side: 'over', risk: usd(30) }))).toBe(-30);
  });

  it('adds exactly what it adds once it rests', () => {
    const orders = fc.record({
      market: fc.constantFrom(moneyline, spread, total),
      index: fc.constantFrom(0, 1),
      dollars: fc.integer({ min: 1, max: 1000 }),
    });
    fc.assert(
      fc.property(fc.array(orders, { maxLength: 6 }), orders, (all, last) => {
        const place = (book: Book, order: typeof last): Book =>
          book.open(order.market, order.market.sides[order.index === 0 ? 0 : 1], order.dollars);
        const before = all.reduce(place, new Book());
        const side = last.market.sides[last.index === 0 ? 0 : 1];
        const asked = exposureOf(before).worstWith(G1, {
          market: last.market,
          side,
          risk: usd(last.dollars),
        });
        expect(asked).toBe(exposureOf(place(before, last)).worstOf(G1));
        expect(asked).toBeLessThanOrEqual(0);
      }),
    );
  });
});

describe('the remembered exposure of a game', () => {
  it('is computed again when something of that game changed, and only then', () => {
    const book = new Book().open(moneyline, 'home', 100);
    let reads = 0;
    const { surePositionIn } = book.holdings;
    book.holdings.surePositionIn = (id) => {
      if (id === moneyline.id) reads += 1;
      return surePositionIn(id);
    };
    const exposure = exposureOf(book);
    expect(dollarsOfMicros(exposure.worstOf(G1))).toBe(-100);
    book.open(otherMoneyline, 'home', 50);
    exposure.forget(G2);
    expect(dollarsOfMicros(exposure.worstOf(G1))).toBe(-100);
    expect(reads).toBe(1);
    book.open(moneyline, 'home', 50);
    expect(dollarsOfMicros(exposure.worstOf(G1))).toBe(-150);
    exposure.forget(G1);
    expect(dollarsOfMicros(exposure.worstOf(G1))).toBe(-150);
    expect(reads).toBe(3);
  });

  it('is not used for an order under consideration', () => {
    const book = new Book().open(moneyline, 'home', 100);
    const exposure = exposureOf(book);
    exposure.worstOf(G1);
    book.open(moneyline, 'home', 50);
    const proposed = { market: moneyline, side: 'home' as const, risk: usd(1) };
    expect(dollarsOfMicros(exposure.worstWith(G1, proposed))).toBe(-151);
  });
});

describe('the exposure of the account', () => {
  it('is the sum of the possible losses of each game', () => {
    const book = new Book().open(moneyline, 'home', 100).open(otherMoneyline, 'away', 70);
    expect(dollarsOfMicros(exposureOf(book).totalWorst())).toBe(-170);
  });

  it('does not let a game that can only win pay for another', () => {
    const book = new Book()
      .filled(moneyline, 'home', 110, 100)
      .filled(moneyline, 'away', 110, 100)
      .open(otherMoneyline, 'away', 70);
    expect(dollarsOfMicros(exposureOf(book).worstOf(G1))).toBe(0);
    expect(dollarsOfMicros(exposureOf(book).totalWorst())).toBe(-70);
  });

  it('takes each game by the rule of its own sport', () => {
    const book = new Book()
      .open(moneyline, 'home', 100)
      .open(moneyline, 'away', 100)
      .open(otherMoneyline, 'home', 100)
      .open(otherMoneyline, 'away', 100);
    const draws = (id: GameId): DrawRule => (id === G1 ? 'impossible' : 'both-lose');
    expect(dollarsOfMicros(exposureOf(book.drawn(draws)).totalWorst())).toBe(-300);
  });

  it('equals a fresh computation, whatever happened between two readings', () => {
    const games = ['g1', 'g2', 'g3', 'g4'].map((id) => market(id as GameId, 'moneyline'));
    const event = fc.record({
      of: fc.constantFrom(...games),
      what: fc.constantFrom('open', 'fill', 'drop', 'look', 'look at one'),
      side: fc.constantFrom<Side>('home', 'away'),
      dollars: fc.integer({ min: 1, max: 1000 }),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        const book = new Book();
        const exposure = exposureOf(book);
        for (const { of: eventMarket, what: action, side, dollars } of events) {
          if (action === 'open') book.open(eventMarket, side, dollars);
          else if (action === 'fill') book.filled(eventMarket, side, 110, dollars);
          else if (action === 'drop') book.drop(eventMarket.gameId);
          if (action === 'look at one') exposure.worstOf(eventMarket.gameId);
          else if (action !== 'look') exposure.forget(eventMarket.gameId);
          const fresh = exposureOf(book);
          expect(exposure.totalWorst(eventMarket.gameId)).toBe(fresh.totalWorst(eventMarket.gameId));
          expect(exposure.totalWorst()).toBe(fresh.totalWorst());
          const isFirst = (id: GameId): boolean => id === G1;
          expect(exposure.worstOfGames(isFirst)).toBe(fresh.worstOfGames(isFirst));
        }
      }),
    );
  });

  it('counts games that appeared or disappeared unnoticed', () => {
    const book = new Book().open(moneyline, 'home', 100);
    const exposure = exposureOf(book);
    exposure.totalWorst();
    book.open(otherMoneyline, 'home', 70);
    expect(dollarsOfMicros(exposure.totalWorst())).toBe(-170);
    book.drop(G1);
    expect(dollarsOfMicros(exposure.totalWorst())).toBe(-70);
    // one appeared while another disappeared
    book.drop(G2).open(moneyline, 'home', 700);
    expect(dollarsOfMicros(exposure.totalWorst())).toBe(-700);
  });

  it('is nothing for an empty account', () => {
    expect(exposureOf(new Book()).totalWorst()).toBe(0 as Micros);
  });
});

describe('the parts of a game', () => {
  const [HALF, PROP] = ['g1-h1', 'g1-prop'] as const as readonly [GameId, GameId];
  const half = market(HALF, 'moneyline');
  const points = market(PROP, 'total', 24.5);
  const parentOf = (id: GameId): GameId | undefined => (id === PROP ? HALF : id === HALF ? G1 : undefined);
  const withParts = (book: Book): Exposure => exposureOf(book, { parentOf });

  it('have a worst case of their own that adds to that of the game, whichever of them is asked', () => {
    const book = new Book()
      .open(moneyline, 'home', 100)
      .open(half, 'home', 50)
      .open(points, 'over', 30)
      .open(otherMoneyline, 'home', 7);
    const exposure = withParts(book);
    for (const id of [G1, HALF, PROP]) expect(dollarsOfMicros(exposure.worstWithParts(id))).toBe(-180);
    expect(dollarsOfMicros(exposure.worstWithParts(G2))).toBe(-7);
    expect([G1, HALF, PROP].map((id) => dollarsOfMicros(exposure.worstBeside(id)))).toEqual([-80, -130, -150]);
    expect(dollarsOfMicros(exposure.totalWorst())).toBe(-187);
  });

  it('hedge neither the game nor each other', () => {
    const book = new Book()
      .filled(moneyline, 'home', 100, 100)
      .filled(half, 'away', 100, 100)
      .filled(points, 'over', 100, 100);
    expect(dollarsOfMicros(withParts(book).worstWithParts(G1))).toBe(-300);
  });

  it('count at their worst when it is unknown how a level period settles', () => {
    const both = new Book().open(moneyline, 'home', 100).open(moneyline, 'away', 100);
    const level = both.open(half, 'home', 40).open(half, 'away', 40);
    const draws = (id: GameId): DrawRule => (id === HALF ? 'both-lose' : 'impossible');
    expect(dollarsOfMicros(withParts(level.drawn(draws)).worstWithParts(G1))).toBe(-180);
  });

  it('count fills in an unknown market with their whole stake', () => {
    const book = new Book().open(moneyline, 'home', 100).open(half, 'home', 10).unplaced(PROP, 25).unplaced(G1, 5);
    const exposure = withParts(book);
    for (const id of [G1, HALF, PROP]) expect(dollarsOfMicros(exposure.worstWithParts(id))).toBe(-140);
  });

  it('count with the game once the game between them is known to be a part', () => {
    const book = new Book().open(moneyline, 'home', 100).open(points, 'over', 30);
    const parents = new Map([[PROP, HALF]]);
    const exposure = exposureOf(book, { parentOf: (id) => parents.get(id) });
    expect(dollarsOfMicros(exposure.worstWithParts(G1))).toBe(-100);
    parents.set(HALF, G1);
    exposure.forget(HALF);
    expect(dollarsOfMicros(exposure.worstWithParts(G1))).toBe(-130);
  });

  it('no longer count with the game once nothing of them is open or held, or when they are parts of another game', () => {
    const book = new Book().open(moneyline, 'home', 100).open(half, 'home', 50);
    let parent: GameId | undefined = G1;
    const exposure = exposureOf(book, { parentOf: (id) => (id === HALF ? parent : undefined) });
    expect(dollarsOfMicros(exposure.worstWithParts(G1))).toBe(-150);
    parent = undefined;
    exposure.forgetAll();
    expect(dollarsOfMicros(exposure.worstWithParts(G1))).toBe(-100);
    parent = G1;
    exposure.forget(HALF);
    expect(dollarsOfMicros(exposure.worstWithParts(G1))).toBe(-150);
    book.drop(HALF);
    expect(dollarsOfMicros(exposure.worstWithParts(G1))).toBe(-100);
  });

  it('end the search when a game names itself as its parent, or two games name each other', () => {
    const book = new Book().open(moneyline, 'home', 100).open(otherMoneyline, 'home', 50);
    const round = exposureOf(book, { parentOf: (id) => (id === G1 ? G2 : G1) });
    expect(round.worstWithParts(G1)).toBeLessThanOrEqual(usd(-100));
    const self = exposureOf(book, { parentOf: (id) => id });
    expect(dollarsOfMicros(self.worstWithParts(G1))).toBe(-100);
  });
});

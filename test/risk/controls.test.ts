import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Consensus, GameId, WantedOrder } from '../../src/domain/index.ts';
import { crosses, market, probabilityOfRung } from '../../src/domain/index.ts';
import type { Freshness } from '../../src/mirror/index.ts';
import type { AccountState, RiskLimits } from '../../src/risk/index.ts';
import { checkOrder, checkQuote, crossesOwn } from '../../src/risk/index.ts';
import { tradedRungs } from '../domain/arbitraries.ts';
import {
  account,
  Book,
  exposureOf,
  G1,
  G2,
  game,
  LIMITS,
  moneyline,
  otherMoneyline,
  rung,
  usd,
  wanted,
} from './fixtures.ts';

const fresh: readonly [Freshness, Freshness] = ['fresh', 'fresh'];
const consensus = (p: number): Consensus => ({ p, spread: 0.02 });
type QuoteState = Parameters<typeof checkQuote>[1];

describe('a wanted quote', () => {
  const check = (order: WantedOrder, state: Partial<QuoteState> = {}, limits: Partial<RiskLimits> = {}) =>
    checkQuote(order, { freshness: fresh, reference: consensus(0.5), ...state }, { ...LIMITS, ...limits })?.control;

  it('is allowed when it is fresh, of a fair size and near the consensus', () => {
    expect(check(wanted(100))).toBeUndefined();
  });

  it.each<[Freshness, Freshness, string | undefined]>([
    ['fresh', 'fresh', undefined],
    ['stale', 'fresh', 'freshness'],
    ['fresh', 'stale', 'freshness'],
    ['unknown', 'fresh', 'freshness'],
    ['fresh', 'unknown', 'freshness'],
    ['stale', 'unknown', 'freshness'],
  ])('with one side %s and the other %s is denied by %s', (a, b, control) => {
    expect(check(wanted(100), { freshness: [a, b] })).toBe(control);
  });

  it.each<[number, string | undefined]>([
    [0, 'order-size'],
    [0.99, 'order-size'],
    [1, undefined],
    [500, undefined],
    [500.01, 'order-size'],
    [-5, 'order-size'],
  ])('of %d dollars is denied by %s', (dollars, control) => {
    expect(check(wanted(dollars))).toBe(control);
  });

  it.each<[number, 'home' | 'away', number, string | undefined]>([
    [100, 'home', 0.5, undefined],
    [-150, 'home', 0.5, undefined],
    [-200, 'home', 0.5, 'price-band'],
    [200, 'home', 0.5, 'price-band'],
    [-300, 'home', 0.75, undefined],
    [-300, 'away', 0.75, 'price-band'],
    [300, 'away', 0.75, undefined],
    [300, 'home', 0.75, 'price-band'],
  ])('at %d on %s with home fair at %d is denied by %s', (odds, side, p, control) => {
    expect(check(wanted(100, { rung: rung(odds), side }), { reference: consensus(p) })).toBe(control);
  });

  it('is compared with the consensus of a total from the view of over', () => {
    const total = market(G1, 'total', 210.5);
    const order = (side: 'over' | 'under') => wanted(100, { market: total, side, rung: rung(-300) });
    expect(check(order('over'), { reference: consensus(0.75) })).toBeUndefined();
    expect(check(order('under'), { reference: consensus(0.75) })).toBe('price-band');
  });

  it.each([
    ['hold', 'price-band'],
    ['own', 'price-band'],
    ['off', undefined],
  ] as const)('without a reference is denied as risk.bandWithout says: %s, %s', (bandWithout, control) => {
    for (const odds of [105, 900, -1328])
      expect(check(wanted(100, { rung: rung(odds) }), { reference: undefined }, { bandWithout })).toBe(control);
  });

  it('is checked in order: freshness, size, price', () => {
    const bad = wanted(9999, { rung: rung(900) });
    expect(check(bad, { freshness: ['stale', 'fresh'] })).toBe('freshness');
    expect(check(bad)).toBe('order-size');
    expect(check(wanted(100, { rung: rung(900) }))).toBe('price-band');
  });

  it('that is allowed is never farther from the fair price than the band', () => {
    fc.assert(
      fc.property(tradedRungs, fc.double({ min: 0.05, max: 0.95, noNaN: true }), fc.boolean(), (price, p, home) => {
        const control = check(wanted(100, { rung: price, side: home ? 'home' : 'away' }), {
          reference: consensus(p),
        });
        const distance = Math.abs(probabilityOfRung(price) - (home ? p : 1 - p));
        expect(control).toBe(distance > LIMITS.priceBand ? 'price-band' : undefined);
      }),
    );
  });

  it('gets a reason in words when it is denied', () => {
    const denial = checkQuote(wanted(9999), { freshness: fresh, reference: undefined }, LIMITS);
    expect(denial).toEqual({ control: 'order-size', reason: 'risk 9999 is not within 1 and 500' });
  });
});

describe('an order about to be sent', () => {
  const check = (
    order: WantedOrder,
    book = new Book(),
    fields: Partial<AccountState> = {},
    limits: Partial<RiskLimits> = {},
  ) => checkOrder(order, game(), account(book, fields), { ...LIMITS, ...limits })?.control;

  it('is sent when no control denies it', () => {
    expect(check(wanted(100))).toBeUndefined();
  });

  it.each<[number, string | undefined]>([
    [0, undefined],
    [199, undefined],
    [200, 'open-orders'],
    [500, 'open-orders'],
  ])('with %d orders open is denied by %s', (openOrders, control) => {
    expect(check(wanted(100), new Book(), { openOrders })).toBe(control);
  });

  it.each<[number, number, string | undefined]>([
    [0, 500, undefined],
    [1500, 500, undefined],
    [1500, 500.01, 'game-loss'],
    [2000, 1, 'game-loss'],
  ])('with %d resting and %d proposed in its game is denied by %s', (resting, proposed, control) => {
    expect(check(wanted(proposed), new Book().open(moneyline, 'home', resting))).toBe(control);
  });

  it('that cannot lose together with the resting orders is sent', () => {
    const book = new Book().open(moneyline, 'home', 2000);
    expect(check(wanted(500, { side: 'away' }), book)).toBeUndefined();
    expect(check(wanted(1), book)).toBe('game-loss');
  });

  it('is denied when the held positions leave too little of the loss limit', () => {
    const book = new Book().filled(moneyline, 'home', 100, 1900);
    expect(check(wanted(101), book)).toBe('game-loss');
    expect(check(wanted(100), book)).toBeUndefined();
  });

  it.each<[number, string | undefined]>([
    [9900, undefined],
    [9901, 'total-loss'],
  ])('with %d resting in other games is denied by %s', (resting, control) => {
    const book = new Book().open(otherMoneyline, 'home', resting);
    expect(check(wanted(100), book)).toBe(control);
  });

  it('counts fills in an unknown market of its game or league with their whole stake', () => {
    const here = (): Book => new Book().unplaced(G1, 1900);
    expect(check(wanted(100), here())).toBeUndefined();
    expect(check(wanted(101), here())).toBe('game-loss');
    // it hedges nothing, whatever rests on the other side
    expect(check(wanted(101), here().open(moneyline, 'away', 100))).toBe('game-loss');
    const league = { leagueOf: () => 'NBA' };
    const limits = { maxLeagueLoss: usd(2500) };
    const there = new Book().unplaced(G2, 2400);
    expect(check(wanted(100), there, league, limits)).toBeUndefined();
    expect(check(wanted(101), there, league, limits)).toBe('league-loss');
  });

  it('counts its own game once in the total', () => {
    const book = new Book().open(otherMoneyline, 'home', 9000).open(moneyline, 'home', 900);
    expect(check(wanted(100), book)).toBeUndefined();
    expect(check(wanted(101), book)).toBe('total-loss');
  });

  it('gets no credit in the total from a game that can only win', () => {
    const book = new Book()
      .filled(moneyline, 'home', 300, 1000)
      .filled(moneyline, 'away', 300, 1000)
      .open(otherMoneyline, 'home', 10_000);
    expect(check(wanted(100), book)).toBeUndefined();
    expect(check(wanted(100), book.open(otherMoneyline, 'home', 1))).toBe('total-loss');
  });

  it.each<[number | undefined, number, number, string | undefined]>([
    [1000, 0, 500, undefined],
    [1000, 800, 100, undefined],
    [1000, 800, 100.01, 'credit'],
    [0, 0, 1, 'credit'],
    [undefined, 1_000_000, 500, undefined],
  ])('with balance %s, %d locked and %d proposed is denied by %s', (balance, locked, proposed, control) => {
    const fields = { balance: balance === undefined ? undefined : usd(balance), creditInUse: usd(locked) };
    expect(check(wanted(proposed), new Book(), fields)).toBe(control);
  });

  it('is checked in order: open orders, game, total, credit', () => {
    const book = new Book().open(moneyline, 'home', 2000).open(otherMoneyline, 'home', 10_000);
    const withoutCredit = { openOrders: 200, balance: usd(0), creditInUse: usd(0) };
    expect(check(wanted(100), book, withoutCredit)).toBe('open-orders');
    expect(check(wanted(100), book, { ...withoutCredit, openOrders: 0 })).toBe('game-loss');
    expect(check(wanted(100, { side: 'away' }), book, { ...withoutCredit, openOrders: 0 })).toBe('total-loss');
    expect(check(wanted(100), new Book(), { ...withoutCredit, openOrders: 0 })).toBe('credit');
  });

  it('counts both sides when a tie loses both in the sport of its game', () => {
    const book = new Book().open(moneyline, 'away', 1900);
    const level = new Book().open(moneyline, 'away', 1900).drawn('both-lose');
    const soccer = (order: WantedOrder) => checkOrder(order, game(G1, 'soccer'), account(level), LIMITS)?.control;
    expect(soccer(wanted(100))).toBeUndefined();
    expect(soccer(wanted(101))).toBe('game-loss');
    expect(check(wanted(101), book)).toBeUndefined();
  });

  it('gets a reason in words when it is denied', () => {
    const book = new Book().open(moneyline, 'home', 2000);
    expect(checkOrder(wanted(500), game(), account(book), LIMITS)).toEqual({
      control: 'game-loss',
      reason: 'the game could lose 2500.00',
    });
  });

  it("counts the possible loss of its game and of the game's other parts beside it", () => {
    const half = market('g1-h1' as GameId, 'moneyline');
    const book = new Book().open(moneyline, 'home', 1500).open(half, 'away', 300);
    const exposure = exposureOf(book, { parentOf: (id) => (id === half.gameId ? G1 : undefined) });
    const state = account(book, { exposure });
    const order = (orderMarket: typeof half, dollars: number) =>
      checkOrder(wanted(dollars, { market: orderMarket }), game(orderMarket.gameId), state, LIMITS);
    expect(order(moneyline, 200)).toBeUndefined();
    expect(order(half, 500)).toBeUndefined();
    expect(order(moneyline, 200.01)).toEqual({
      control: 'game-loss',
      reason: 'the game with all its parts could lose 2000.01',
    });
    // away in the half is no hedge of home in the game
    book.open(half, 'home', 300);
    expect(order(half, 200.01)).toMatchObject({ control: 'game-loss' });
  });

  it('keeps the worst case of its game inside the limit when it is sent', () => {
    const dollars = fc.integer({ min: 1, max: 500 });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), dollars), { maxLength: 40 }), (orders) => {
        const book = new Book();
        for (const [home, risk] of orders) {
          const order = wanted(risk, { side: home ? 'home' : 'away' });
          if (check(order, book) === undefined) book.open(moneyline, order.side, risk);
        }
        expect(account(book).exposure.worstOf(G1)).toBeGreaterThanOrEqual(-LIMITS.maxGameLoss);
      }),
    );
  });
});

describe('an own cross', () => {
  const others = (...odds: readonly number[]) => odds.map((price) => ({ rung: rung(price) }));

  it.each<[number, readonly number[], boolean]>([
    [105, [], false],
    [105, [-104], false],
    [105, [-105], true],
    [105, [-106], true],
    [105, [110, 108], false],
    [100, [100], true],
    [-110, [105], true],
    [-110, [115], false],
    [-110, [115, 110], true],
    [100.5, [100], false],
  ])('of %d against own %j on the other side is found: %j', (odds, own, seen) => {
    expect(crossesOwn(rung(odds), others(...own))).toBe(seen);
  });

  it('is found exactly when the two orders together ask for the whole payout or more', () => {
    fc.assert(
      fc.property(tradedRungs, fc.array(tradedRungs, { maxLength: 5 }), (own, rungs) => {
        const seen = crossesOwn(
          own,
          rungs.map((otherRung) => ({ rung: otherRung })),
        );
        expect(seen).toBe(rungs.some((otherRung) => crosses(own, otherRung)));
        const sums = rungs.map((otherRung) => probabilityOfRung(own) + probabilityOfRung(otherRung));
        expect(seen).toBe(sums.some((sum) => sum >= 1 - 1e-12));
      }),
    );
  });
});

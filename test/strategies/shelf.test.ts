// The strategies of the shelf: what each quotes, and when it quotes nothing.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StrategyTest } from '../../src/strategy/testkit.ts';
import closeBeforeStart from '../../strategies/close-before-start.ts';
import fadeJump from '../../strategies/fade-jump.ts';
import followOutside from '../../strategies/follow-outside.ts';
import { ROOT } from '../support/children.ts';

const EVEN = { home: [[105, 500]], away: [[105, 500]] } as const;
const NAME = 'odds:game/moneyline';
/** A book in which home is worth about .56. */
const UP = { home: [[-120, 500]], away: [[135, 500]] } as const;

it('each strategy that ships has at most 150 lines', () => {
  const folder = join(ROOT, 'strategies');
  for (const name of readdirSync(folder))
    expect(readFileSync(join(folder, name), 'utf8').trimEnd().split('\n').length, name).toBeLessThanOrEqual(150);
});

describe('follow-outside', () => {
  const test = () => new StrategyTest(followOutside, { risk: 20, lag: 3 });

  it('quotes the side that an outside price favours, once it has stood still, and stops when the exchange follows', () => {
    const game = test();
    const market = game.market().book(EVEN);
    game.signal({ [NAME]: 0.53 }, '10m');
    expect(market.quotes).toEqual([]);
    game.pass('3s');
    expect(market.quotes.map(({ side }) => side)).toEqual(['home']);
    expect(market.intents.at(-1)?.fair).toBe(0.53);
    market.book(UP);
    expect(market.quotes.map(({ side }) => side)).toEqual(['away']);
    game.signal({ [NAME]: 0.557 }, '10m');
    game.pass('4s');
    expect(market.quotes).toEqual([]);
  });

  it('waits while the outside price moves, and quotes nothing without one', () => {
    const game = test();
    const market = game.market().book(EVEN);
    for (const p of [0.53, 0.54, 0.55]) {
      game.signal({ [NAME]: p }, '10m');
      game.pass('2s');
    }
    expect(market.quotes).toEqual([]);
    game.pass('1s');
    expect(market.quotes).toHaveLength(1);
    game.signal({ [NAME]: null });
    expect(market.quotes).toEqual([]);
    expect(market.reason).toBe('the outside price moves, or there is none');
  });

  it('stops at its inventory limit', () => {
    const game = test();
    const market = game.market().book(EVEN).hold(600, -600);
    game.signal({ [NAME]: 0.55 }, '10m');
    game.pass('4s');
    expect(market.quotes).toEqual([]);
  });
});

describe('fade-jump', () => {
  it('quotes against a jump for a while, after a wait, and nothing at any other time', () => {
    const game = new StrategyTest(fadeJump, { risk: 20, wait: 2, hold: 30 });
    const market = game.market().book(EVEN);
    game.pass('60s');
    market.book(UP);
    expect(market.quotes).toEqual([]);
    game.pass('2s');
    expect(market.quotes.map(({ side }) => side)).toEqual(['away']);
    expect(market.reason).toMatch(/^fades a jump of \d+\.\d points$/);
    game.pass('30s');
    expect(market.quotes).toEqual([]);
    // a jump down is faded on the other side
    market.book(EVEN);
    game.pass('3s');
    expect(market.quotes.map(({ side }) => side)).toEqual(['home']);
  });

  it('stops at its inventory limit', () => {
    const game = new StrategyTest(fadeJump, { risk: 20 });
    const market = game.market().book(EVEN).hold(-400, 400);
    game.pass('60s');
    market.book(UP);
    game.pass('3s');
    expect(market.quotes).toEqual([]);
  });
});

describe('close-before-start', () => {
  // the game of a test starts two hours after its beginning
  const test = () => new StrategyTest(closeBeforeStart, { most: 500, from: 30, until: 2 });

  it('quotes the side that makes the position smaller, first at an edge, later at a loss', () => {
    const game = test();
    const market = game.market().book(EVEN).hold(100, -100);
    expect(market.quotes).toEqual([]);
    game.pass('89m');
    expect(market.quotes).toEqual([]);
    game.pass('61s');
    const probabilities = () =>
      market.intents.at(-1)?.quotes.map((quote) => ('probability' in quote ? quote.probability : 0));
    expect(market.quotes.map(({ side }) => side)).toEqual(['away']);
    expect(probabilities()?.[0]).toBeCloseTo(0.49, 2);
    // a payout of the difference: 200 at about .49
    expect(market.quotes[0]?.risk).toBeCloseTo(98, 0);
    game.pass('28m');
    expect(probabilities()?.[0]).toBeCloseTo(0.51, 2);
    market.hold(0, 0);
    expect(market.quotes).toEqual([]);
  });

  it('opens nothing, and leaves small change', () => {
    const game = test();
    const market = game.market().book(EVEN).hold(0.4, -0.4);
    game.pass('100m');
    expect(market.quotes).toEqual([]);
    expect(market.reason).toBe('nothing is held');
  });
});

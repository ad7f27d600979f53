// The strategies of examples/strategies, on synthetic books, with the testkit.
import { describe, expect, it } from 'vitest';
import { StrategyTest } from '../../src/strategy/testkit.ts';
import ladder from '../../examples/strategies/ladder.ts';
import waitAfterJump from '../../examples/strategies/wait-after-jump.ts';

const EVEN = { home: [[105, 200]], away: [[105, 200]] } as const;

describe('the ladder strategy', () => {
  it('offers more risk farther from the fair price, each level under its own key', () => {
    const market = new StrategyTest(ladder, { edge: 0.02, risk: 10 }).market('moneyline');
    market.book(EVEN);
    expect(market.quotes.filter(({ side }) => side === 'home')).toEqual([
      { side: 'home', odds: 109, risk: 10, key: 'level-1' },
      { side: 'home', odds: 113, risk: 20, key: 'level-2' },
      { side: 'home', odds: 118, risk: 30, key: 'level-3' },
    ]);
    expect(market.quotes).toHaveLength(6);
  });

  it('offers no level beyond the possible odds', () => {
    const market = new StrategyTest(ladder, { edge: 0.02, risk: 10, levels: 5 }).market('moneyline');
    market.book({ home: [[2100, 2000]], away: [[-1900, 20_000]] });
    const home = market.quotes.filter(({ side }) => side === 'home');
    expect(home.length).toBeGreaterThan(0);
    expect(home.length).toBeLessThan(5);
  });
});

describe('the wait-after-jump strategy', () => {
  const game = () => new StrategyTest(waitAfterJump, { edge: 0.02, risk: 10, jump: 0.02, wait: 3 });

  it('offers nothing for three seconds after a jump, then at the new price', () => {
    const test = game();
    const market = test.market('moneyline');
    market.book(EVEN);
    expect(market.quotes).toHaveLength(2);
    market.book({ home: [[130, 200]], away: [[-115, 200]] });
    expect(market.quotes).toEqual([]);
    expect(market.reason).toBe('the price jumped');
    test.pass('2900ms');
    expect(market.quotes).toEqual([]);
    test.pass('200ms');
    expect(market.quotes.map(({ side }) => side)).toEqual(['home', 'away']);
  });

  it('continues to offer through small moves, and waits again after another jump', () => {
    const test = game();
    const market = test.market('moneyline');
    market.book(EVEN);
    market.book({ home: [[107, 200]], away: [[103, 200]] });
    expect(market.quotes).toHaveLength(2);
    market.book({ home: [[130, 200]], away: [[-115, 200]] });
    test.pass('2s');
    market.book({ home: [[160, 200]], away: [[-145, 200]] });
    test.pass('2s');
    expect(market.quotes).toEqual([]);
    test.pass('1100ms');
    expect(market.quotes).toHaveLength(2);
  });
});

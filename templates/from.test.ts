import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StrategyTest } from 'oddsmaker/testkit';
import strategy from '../strategies/two-sided.ts';

const params = { edge: 0.02, risk: 50 };

test('quotes nothing where one side has no offers', () => {
  const market = new StrategyTest(strategy, params).market('moneyline');
  market.book({ home: [[105, 200]], away: [] });
  assert.deepEqual(market.quotes, []);
});

test('never stakes more than it may, whatever the book does', () => {
  const game = new StrategyTest(strategy, params);
  const market = game.market('moneyline');
  const books = [
    [105, 105],
    [130, -120],
    [-115, 120],
    [160, -150],
  ] as const;
  for (const [home, away] of books) {
    market.book({ home: [[home, 200]], away: [[away, 200]] });
    for (const { risk } of market.quotes) assert.ok(risk <= 50);
    game.pass('3s');
  }
});

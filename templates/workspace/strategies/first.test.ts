import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StrategyTest } from 'oddsmaker/testkit';
import first from './first.ts';

test('quotes both sides at an edge from an even book', () => {
  const market = new StrategyTest(first, { edge: 0.02, risk: 50 }).market('moneyline');
  market.book({ home: [[105, 200]], away: [[105, 200]] });
  assert.deepEqual(market.quotes, [
    { side: 'home', odds: 109, risk: 50 },
    { side: 'away', odds: 109, risk: 50 },
  ]);
});

test('quotes nothing where one side has no offers', () => {
  const market = new StrategyTest(first, { edge: 0.02, risk: 50 }).market('moneyline');
  market.book({ home: [[105, 200]], away: [] });
  assert.deepEqual(market.quotes, []);
});

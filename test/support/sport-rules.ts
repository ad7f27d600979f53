// Rows of the table of sports, for tests that need one by its draw rule.
import type { DrawRule, KnownSport, SportRule } from '../../src/domain/index.ts';
import { sportRule } from '../../src/domain/index.ts';

/** A sport where one score decides everything and a game is void whole. */
export const ruleOf = (draw: DrawRule): SportRule =>
  sportRule({
    moneyline: 'score',
    spread: 'score',
    total: 'score',
    draw,
    voidApart: 'none',
    fewerWins: false,
    shootOut: false,
  });

export const sportOf = (draw: DrawRule): KnownSport => ({
  rule: ruleOf(draw),
  sport: undefined,
  origin: 'configured',
  key: undefined,
  set: ['draw'],
});

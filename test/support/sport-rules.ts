// Sport rules for tests, by their draw rule.
import type { DrawRule, KnownSport, SportRule } from '../../src/domain/index.ts';
import { sportRule } from '../../src/domain/index.ts';

/** The rule of a sport where one score decides all markets and a game is void as a whole. */
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

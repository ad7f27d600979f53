// The worst case of a game against brute force over final scores, which settles each bet by itself.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Market, MarketExposure, Micros, DrawRule } from '../../src/domain/index.ts';
import { applyFill, FLAT, market, microsOfDollars, oddsOf, winOf, worstCaseOfGame } from '../../src/domain/index.ts';
import { ruleOf } from '../support/sport-rules.ts';
import { GAME, markets, sideOf, tradedRungs } from './arbitraries.ts';

const MAX_SCORE = 60;
const TIES: readonly DrawRule[] = ['impossible', 'push', 'both-lose'];
type Bet = {
  readonly market: Market;
  readonly index: number;
  readonly risk: Micros;
  readonly win: Micros;
  readonly open: boolean;
};

const bets: fc.Arbitrary<Bet> = fc
  .record({
    market: markets,
    index: fc.constantFrom(0, 1),
    dollars: fc.integer({ min: 1, max: 1000 }),
    rung: tradedRungs,
    open: fc.boolean(),
  })
  .map(({ dollars, rung, ...bet }) => {
    const risk = microsOfDollars(dollars);
    return { ...bet, risk, win: winOf(risk, oddsOf(rung)) };
  });
const books = fc.array(bets, { minLength: 1, maxLength: 10 });

function exposuresOf(all: readonly Bet[]): MarketExposure[] {
  const byId = new Map<string, MarketExposure>();
  for (const bet of all) {
    const known = byId.get(bet.market.id) ?? {
      market: bet.market,
      position: FLAT,
      openFirst: 0 as Micros,
      openSecond: 0 as Micros,
    };
    const grown = (from: Micros, index: number): Micros =>
      (from + (bet.open && bet.index === index ? bet.risk : 0)) as Micros;
    byId.set(bet.market.id, {
      market: bet.market,
      position: bet.open ? known.position : applyFill(known.position, sideOf(bet.market, bet.index), bet.risk, bet.win),
      openFirst: grown(known.openFirst, 0),
      openSecond: grown(known.openSecond, 1),
    });
  }
  return [...byId.values()];
}

/**
 * The share of the stake: 1 for a win, 0.5 for a half win, 0 for a return, −0.5 for a half loss, −1 for a
 * loss.
 */
function resultOf({ market: betMarket, index }: Bet, home: number, away: number, tie: DrawRule): number {
  if (betMarket.type === 'moneyline' && home === away) return tie === 'both-lose' ? -1 : 0;
  const line = betMarket.line ?? 0;
  const score = (handicap: number): number =>
    Math.sign(betMarket.type === 'total' ? home + away - handicap : home - away + handicap);
  // a quarter line puts half of the stake on each neighbouring line
  const isQuarter = Math.abs((line * 4) % 2) === 1;
  const first = isQuarter ? (score(line - 0.25) + score(line + 0.25)) / 2 : score(line);
  return index === 0 ? first : -first;
}

function payoff(bet: Bet, home: number, away: number, tie: DrawRule): number {
  const result = resultOf(bet, home, away, tie);
  const paid = result > 0 ? result * bet.win : result * bet.risk;
  return bet.open ? Math.min(0, paid) : paid;
}

function bruteForce(all: readonly Bet[], tie: DrawRule, canTie: boolean): number {
  let worst = Number.POSITIVE_INFINITY;
  for (let home = 0; home <= MAX_SCORE; home++) {
    for (let away = 0; away <= MAX_SCORE; away++) {
      if (home === away && !canTie) continue;
      let sum = 0;
      for (const bet of all) sum += payoff(bet, home, away, tie);
      if (sum < worst) worst = sum;
    }
  }
  // a void game returns all stakes
  return Math.min(0, Math.floor(worst));
}

const byType = (all: readonly Bet[], type: string): boolean => all.some((bet) => bet.market.type === type);

describe.each(TIES)('worstCaseOfGame when the rule for a tie is %s', (tie) => {
  it('is never better than the worst final score', () => {
    fc.assert(
      fc.property(books, (all) => {
        const worst = worstCaseOfGame(exposuresOf(all), ruleOf(tie));
        expect(worst).toBeLessThanOrEqual(bruteForce(all, tie, tie !== 'impossible'));
      }),
      { numRuns: 150 },
    );
  });

  // With totals of 20 … 80 and spreads within ±10, t ≥ |d| never binds, and the grid of scores has each
  // relevant pair.
  it('equals the worst final score exactly', () => {
    fc.assert(
      fc.property(books, (all) => {
        // without a moneyline a level score counts even where the sport excludes it, which is the safe side
        const canTie = tie !== 'impossible' || !byType(all, 'moneyline');
        expect(worstCaseOfGame(exposuresOf(all), ruleOf(tie))).toBe(bruteForce(all, tie, canTie));
      }),
      { numRuns: 150 },
    );
  });

  it('never improves with another open order', () => {
    fc.assert(
      fc.property(books, bets, (all, added) => {
        // a level score counts until a moneyline excludes it
        const isFirstWinner = !all.some(({ market }) => market.type === 'moneyline');
        fc.pre(tie !== 'impossible' || added.market.type !== 'moneyline' || !isFirstWinner);
        const before = worstCaseOfGame(exposuresOf(all), ruleOf(tie));
        expect(worstCaseOfGame(exposuresOf([...all, { ...added, open: true }]), ruleOf(tie))).toBeLessThanOrEqual(
          before,
        );
      }),
    );
  });

  it('never loses more than the sum of the stakes', () => {
    fc.assert(
      fc.property(books, (all) => {
        const staked = all.reduce((sum, bet) => sum + bet.risk, 0);
        expect(worstCaseOfGame(exposuresOf(all), ruleOf(tie))).toBeGreaterThanOrEqual(-staked);
      }),
    );
  });

  it('does not depend on the order of the markets', () => {
    fc.assert(
      fc.property(books, (all) => {
        const exposures = exposuresOf(all);
        expect(worstCaseOfGame([...exposures].reverse(), ruleOf(tie))).toBe(worstCaseOfGame(exposures, ruleOf(tie)));
      }),
    );
  });
});

describe('worstCaseOfGame', () => {
  const bet = (betMarket: Market, index: number, risk: number, win: number, open = false): Bet => ({
    market: betMarket,
    index,
    risk: microsOfDollars(risk),
    win: microsOfDollars(win),
    open,
  });
  const worst = (all: readonly Bet[], tie: DrawRule): number => worstCaseOfGame(exposuresOf(all), ruleOf(tie)) / 1e6;
  const moneyline = market(GAME, 'moneyline');
  const spread = (line: number): Market => market(GAME, 'spread', line);
  const total = (line: number): Market => market(GAME, 'total', line);

  it('is 0 without positions and open orders', () => {
    expect(worstCaseOfGame([], ruleOf('both-lose'))).toBe(0);
    expect(worst([bet(moneyline, 0, 0, 0)], 'both-lose')).toBe(0);
  });

  it.each<[string, DrawRule, readonly Bet[], number]>([
    [
      'a flat moneyline where a tie loses both',
      'both-lose',
      [bet(moneyline, 0, 48, 52), bet(moneyline, 1, 48, 52)],
      -96,
    ],
    ['a flat moneyline where a tie returns both', 'push', [bet(moneyline, 0, 48, 52), bet(moneyline, 1, 48, 52)], 0],
    [
      'a flat moneyline without a tie, which wins unless it is void',
      'impossible',
      [bet(moneyline, 0, 48, 52), bet(moneyline, 1, 48, 52)],
      0,
    ],
    [
      'two open quotes where only one side fills and loses',
      'impossible',
      [bet(moneyline, 0, 100, 1, true), bet(moneyline, 1, 70, 1, true)],
      -100,
    ],
    [
      'two open quotes where a tie loses both',
      'both-lose',
      [bet(moneyline, 0, 100, 1, true), bet(moneyline, 1, 70, 1, true)],
      -170,
    ],
    [
      'a middle: home −2.5 and away +3.5, one by three',
      'impossible',
      [bet(spread(-2.5), 0, 110, 100), bet(spread(-3.5), 1, 110, 100)],
      -10,
    ],
    [
      'the wrong side of a middle, hit by three',
      'impossible',
      [bet(spread(-3.5), 0, 110, 100), bet(spread(-2.5), 1, 110, 100)],
      -220,
    ],
    [
      'a push: home −3 and away +3.5, lost half way by three',
      'impossible',
      [bet(spread(-3), 1, 110, 100), bet(spread(-3.5), 0, 110, 100)],
      -110,
    ],
    [
      'a half loss: away +2.75 lost and home −3.25 half lost by three',
      'impossible',
      [bet(spread(-2.75), 1, 100, 100), bet(spread(-3.25), 0, 100, 100)],
      -100,
    ],
    [
      'over 40.5 and under 44.5 at a total between',
      'impossible',
      [bet(total(44.5), 0, 110, 100), bet(total(40.5), 1, 110, 100)],
      -220,
    ],
    [
      'moneyline and total that lose together',
      'impossible',
      [bet(moneyline, 0, 100, 80), bet(total(44.5), 0, 110, 100)],
      -210,
    ],
  ])('is right for %s (%s)', (_name, tie, all, expected) => {
    expect(worst(all, tie)).toBe(expected);
    expect(bruteForce(all, tie, tie !== 'impossible') / 1e6).toBe(expected);
  });

  it('uses that the difference and the total of a score have the same parity', () => {
    // home by exactly three loses both spreads, and an even total loses both totals: both at once are
    // impossible
    const all = [
      bet(spread(-3.5), 0, 100, 100),
      bet(spread(-2.5), 1, 100, 100),
      bet(total(44.5), 0, 100, 100),
      bet(total(43.5), 1, 100, 100),
    ];
    expect(worst(all, 'impossible')).toBe(-200);
    expect(bruteForce(all, 'impossible', false) / 1e6).toBe(-200);
  });

  it('rounds a fraction of a micro-dollar against the owner', () => {
    const odd: Bet = { market: spread(-2.75), index: 1, risk: 1 as Micros, win: 1 as Micros, open: false };
    const other: Bet = { market: spread(-3.25), index: 0, risk: 2 as Micros, win: 1 as Micros, open: false };
    // by three: half of 1 lost and half of 2 lost
    expect(worstCaseOfGame(exposuresOf([odd, other]), ruleOf('impossible'))).toBeLessThanOrEqual(-1.5);
    expect(Number.isInteger(worstCaseOfGame(exposuresOf([odd, other]), ruleOf('impossible')))).toBe(true);
  });
});

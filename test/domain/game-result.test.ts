// Settlement of each market by a game result, in all sports, against results worked out by hand; and the
// worst case of a game against each of its possible ends.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type {
  FinalScore,
  GameId,
  GameResult,
  Market,
  MarketEnd,
  MarketExposure,
  Micros,
  PartResult,
  Winner,
} from '../../src/domain/index.ts';
import {
  applyFill,
  completedResult,
  endOf,
  FLAT,
  isVoid,
  KNOWN_SPORTS,
  market,
  MARKET_TYPES,
  microsOfDollars,
  openTypes,
  profitAt,
  readResult,
  resultProblem,
  resultText,
  settledBy,
  shareOfSide,
  Sports,
  withoutTypes,
  worstCaseOfGame,
} from '../../src/domain/index.ts';

const GAME = 'g' as GameId;
const sportNamed = (sport: string) => new Sports().sportOf({ league: '', sport, parentGameId: undefined });
const moneyline = market(GAME, 'moneyline');
const spread = (line: number): Market => market(GAME, 'spread', line);
const total = (line: number): Market => market(GAME, 'total', line);
const end = (sport: string, betMarket: Market, result: GameResult): MarketEnd | undefined =>
  endOf(betMarket, result, sportNamed(sport).rule);
const problem = (sport: string, result: GameResult): string | undefined =>
  resultProblem(result, sportNamed(sport), { id: GAME, league: '', sport });

const BY_SCORE = KNOWN_SPORTS.filter((sport) => sportNamed(sport).rule.moneyline === 'score');
const BY_WINNER = KNOWN_SPORTS.filter((sport) => sportNamed(sport).rule.moneyline === 'winner');
const LEVEL: Readonly<Record<string, MarketEnd | 'refused'>> = {
  basketball: 'refused',
  'college football': 'refused',
  hockey: 'refused',
  baseball: 'refused',
  snooker: 'refused',
  football: 0,
  rugby: 0,
  'australian rules': 0,
  soccer: 'both-lose',
  tennis: 'refused',
  'table tennis': 'refused',
  badminton: 'refused',
  volleyball: 'refused',
  darts: 'both-lose',
  esports: 'both-lose',
  mma: 0,
  boxing: 0,
  golf: 0,
  cricket: 0,
};

describe.each(BY_SCORE)('a result of %s, where the score decides', (sport) => {
  it('settles moneyline, spread and total by the two scores', () => {
    const result = { home: 3, away: 1 };
    expect(end(sport, moneyline, result)).toBe(1);
    expect(end(sport, moneyline, { home: 1, away: 3 })).toBe(-1);
    expect([-1.5, -2, -2.25, -2.5].map((line) => end(sport, spread(line), result))).toEqual([1, 0, -0.5, -1]);
    expect([3.5, 4, 4.25, 4.5].map((line) => end(sport, total(line), result))).toEqual([1, 0, -0.5, -1]);
    expect(openTypes(result, sportNamed(sport).rule)).toEqual([]);
  });

  it('settles only the moneyline by a winner without a score', () => {
    expect(end(sport, moneyline, { winner: 'away' })).toBe(-1);
    expect(openTypes({ winner: 'away' }, sportNamed(sport).rule)).toEqual(['spread', 'total']);
  });

  it('refuses a winner that the score contradicts', () => {
    expect(problem(sport, { home: 3, away: 1, winner: 'home' })).toBeUndefined();
    expect(problem(sport, { home: 3, away: 1, winner: 'away' })).toContain('contradicts itself');
  });
});

describe.each(BY_WINNER)('a result of %s, where the winner is reported apart from the score', (sport) => {
  it('leaves the moneyline open when only a score is known, and settles spread and total by it', () => {
    const result = { home: 14, away: 18 };
    const lead = sport === 'golf' ? 4 : -4;
    expect(end(sport, moneyline, result)).toBeUndefined();
    expect(openTypes(result, sportNamed(sport).rule)).toEqual(['moneyline']);
    expect([-lead + 0.5, -lead, -lead - 0.5].map((line) => end(sport, spread(line), result))).toEqual([1, 0, -1]);
    expect([31.5, 32, 32.5].map((line) => end(sport, total(line), result))).toEqual([1, 0, -1]);
  });

  it('accepts a winner with fewer points, and a level score', () => {
    expect(problem(sport, { home: 14, away: 18, winner: 'home' })).toBeUndefined();
    expect(problem(sport, { home: 13, away: 13 })).toBeUndefined();
    expect(end(sport, moneyline, { home: 14, away: 18, winner: 'home' })).toBe(1);
    expect(end(sport, spread(0), { home: 13, away: 13, winner: 'home' })).toBe(0);
  });
});

describe.each(KNOWN_SPORTS)('in %s', (sport) => {
  it('a level end settles the moneyline by the draw rule of the sport', () => {
    const expected = LEVEL[sport];
    const level: GameResult = BY_SCORE.includes(sport) ? { home: 2, away: 2 } : { winner: 'draw' };
    if (expected === 'refused') expect(problem(sport, level)).toContain('does not end level');
    else {
      expect(problem(sport, level)).toBeUndefined();
      expect(end(sport, moneyline, level)).toBe(expected);
    }
  });

  it('a void game, market type or market returns only its own stakes', () => {
    for (const betMarket of [moneyline, spread(-2.5), total(4)]) {
      expect(end(sport, betMarket, { void: true })).toBe(0);
      const partly: GameResult = { home: 3, away: 1, winner: 'home', by: { total: { void: true } } };
      expect(end(sport, betMarket, partly)).toBe(
        betMarket.type === 'total' ? 0 : betMarket.type === 'spread' ? end(sport, betMarket, { home: 3, away: 1 }) : 1,
      );
      expect(isVoid(betMarket, partly)).toBe(betMarket.type === 'total');
    }
    // an abandoned game: over 2.5 is settled at 2-1, over 5.5 is void
    const abandoned: GameResult = {
      by: { 'g/total/2.5': { home: 2, away: 1 }, total: { void: true } },
    };
    expect([2.5, 5.5].map((line) => end(sport, total(line), abandoned))).toEqual([1, 0]);
    expect(end(sport, moneyline, abandoned)).toBeUndefined();
  });

  it('a share is the part of the stakes that wins for the first side', () => {
    const dead: GameResult = { by: { moneyline: { share: 0.5 }, 'g/spread/-2.5': { share: -1 } } };
    expect(end(sport, moneyline, dead)).toBe(0.5);
    const fill = { risk: microsOfDollars(100), win: microsOfDollars(80) };
    expect(profitAt({ ...fill, side: 'home' }, 0.5)).toBe(microsOfDollars(40));
    expect(profitAt({ ...fill, side: 'away' }, 0.5)).toBe(microsOfDollars(-50));
    expect(end(sport, spread(-2.5), dead)).toBe(-1);
  });
});

describe('a shoot-out', () => {
  it('adds one to the score of its winner in hockey, and a level score without a winner is refused', () => {
    const result = { home: 3, away: 3, winner: 'away' } as const;
    expect(problem('hockey', result)).toBeUndefined();
    expect(end('hockey', moneyline, result)).toBe(-1);
    expect(end('hockey', spread(1.5), result)).toBe(1);
    expect(end('hockey', total(6.5), result)).toBe(1);
    expect(problem('hockey', { home: 3, away: 3 })).toContain('3-3 of game g cannot be the final score');
  });

  it('is refused in sports whose final score includes overtime', () => {
    expect(problem('basketball', { home: 4, away: 4 })).toContain('4-4 of game g cannot be the final score');
    expect(problem('basketball', { home: 4, away: 4, winner: 'home' })).toContain('contradicts itself');
    expect(problem('soccer', { home: 1, away: 1, winner: 'home' })).toContain('contradicts itself');
  });
});

describe('a later result', () => {
  const game = { id: GAME, league: '', sport: 'tennis' };
  const then = (sport: string, before: GameResult | undefined, after: GameResult) =>
    completedResult(before, after, sportNamed(sport), { ...game, sport });

  it('adds the missing parts of the earlier result', () => {
    expect(then('tennis', { winner: 'home' }, { home: 14, away: 18 })).toEqual({ winner: 'home', home: 14, away: 18 });
    expect(then('baseball', { winner: 'home' }, { by: { spread: { void: true }, total: { void: true } } })).toEqual({
      winner: 'home',
      by: { spread: { void: true }, total: { void: true } },
    });
    expect(then('basketball', { winner: 'home' }, { home: 99, away: 90 })).toMatchObject({
      home: 99,
      away: 90,
    });
    expect(then('basketball', { home: 99, away: 90 }, { home: 99, away: 90 })).toEqual({
      home: 99,
      away: 90,
    });
  });

  it.each<[string, GameResult, GameResult]>([
    ['basketball', { home: 99, away: 90 }, { home: 98, away: 90 }],
    ['basketball', { winner: 'away' }, { home: 99, away: 90 }],
    ['basketball', { home: 99, away: 90 }, { by: { total: { void: true } } }],
    ['basketball', { home: 99, away: 90 }, { by: { 'g/total/180.5': { void: true } } }],
    ['basketball', { home: 99, away: 90 }, { void: true }],
    ['tennis', { void: true }, { winner: 'home' }],
    ['tennis', { winner: 'home' }, { winner: 'away' }],
    ['soccer', { by: { total: { void: true } } }, { by: { total: { home: 2, away: 1 } } }],
  ])('of %s after %j is refused when it is the contradicting %j', (sport, before, after) => {
    expect(then(sport, before, after)).toHaveProperty('problem');
  });

  it('of the whole game keeps an earlier result of a market type', () => {
    const rained = { by: { spread: { void: true }, total: { void: true } } } as const;
    expect(then('baseball', rained, { home: 3, away: 1 })).toEqual({ home: 3, away: 1, ...rained });
  });

  it('settles again only the market types that were taken back', () => {
    const open = withoutTypes({ home: 99, away: 90 }, ['total']);
    expect(openTypes(open, sportNamed('basketball').rule)).toEqual(['total']);
    const again = then('basketball', open, { home: 99, away: 90 });
    expect(again).toEqual({ home: 99, away: 90 });
    expect(then('basketball', open, { by: { total: { void: true } } })).toEqual({
      home: 99,
      away: 90,
      by: { total: { void: true } },
    });
    expect(then('basketball', open, { home: 100, away: 90 })).toHaveProperty('problem');
  });
});

describe('the reading and checking of a result', () => {
  it.each<[unknown, string]>([
    [[], 'expected {"home"'],
    [{}, 'an empty object'],
    [{ home: 1 }, 'away: expected a whole number'],
    [{ home: 1.5, away: 2 }, 'home: expected a whole number'],
    [{ home: -1, away: 2 }, 'home: expected a whole number'],
    [{ winner: 'A Ace' }, 'winner: expected home, away, draw'],
    [{ void: false }, 'void: expected true'],
    [{ share: 0.5 }, 'unknown key "share"'],
    [{ score: '1-0' }, 'unknown key "score"'],
    [{ by: { totals: { void: true } } }, 'by: expected moneyline, spread, total or a market id'],
    [{ by: { 'other/total/5.5': { void: true } } }, 'by: expected moneyline'],
    [{ by: { total: { share: 2 } } }, 'by.total: share: expected a number −1 … 1'],
    [{ by: 1 }, 'by: expected an object'],
  ])('refuses %j with the reason: %s', (given, message) => {
    expect(readResult(given, 'g')).toContain(message);
  });

  it('accepts each form of the contract', () => {
    const forms = [
      { home: 3, away: 1 },
      { winner: 'draw' },
      { void: true },
      { home: 14, away: 18, winner: 'home', by: { total: { void: true }, 'g/spread/-1.5': { share: 0.5 } } },
    ];
    for (const form of forms) expect(readResult(form, 'g')).toEqual(form);
    expect(resultText(forms[3] as GameResult)).toBe('14-18, winner home, total: void, g/spread/-1.5: share 0.5');
  });

  it('refuses void beside a result as ambiguous', () => {
    expect(problem('tennis', { void: true, winner: 'home' })).toContain('has both void and a result');
    expect(problem('soccer', { void: true, home: 2, away: 1 })).toContain('has both void and a result');
  });
});

describe.each([...KNOWN_SPORTS, 'quidditch'])('the worst case of a game of %s', (sport) => {
  const known = sportNamed(sport);
  const { rule } = known;
  const held = fc.record({
    market: fc.constantFrom(...[moneyline, spread(-1.5), spread(-2), spread(0.75), total(3.5), total(4), total(5.25)]),
    first: fc.boolean(),
    risk: fc.integer({ min: 1, max: 500 }),
    win: fc.integer({ min: 1, max: 500 }),
    isOpen: fc.boolean(),
  });
  type Bet = {
    readonly market: Market;
    readonly first: boolean;
    readonly risk: number;
    readonly win: number;
    readonly isOpen: boolean;
  };
  const sideOf = ({ market: betMarket, first }: Bet) => betMarket.sides[first ? 0 : 1];
  const brought = (bet: Bet, ended: MarketEnd): number => {
    const share = shareOfSide(sideOf(bet), ended);
    const paid = share >= 0 ? share * bet.win : share * bet.risk;
    return bet.isOpen ? Math.min(0, paid) : paid;
  };
  const exposuresOf = (bets: readonly Bet[]): readonly MarketExposure[] =>
    [...Map.groupBy(bets, (bet) => bet.market)].map(([betMarket, all]) => {
      const open = (first: boolean): Micros =>
        all.reduce((sum, bet) => sum + (bet.isOpen && bet.first === first ? bet.risk : 0), 0) as Micros;
      const position = all
        .filter(({ isOpen }) => !isOpen)
        .reduce((sum, bet) => applyFill(sum, sideOf(bet), bet.risk as Micros, bet.win as Micros), FLAT);
      return { market: betMarket, position, openFirst: open(true), openSecond: open(false) };
    });
  const winners: readonly Winner[] = ['home', 'away', 'draw'];
  const scores: readonly FinalScore[] = [0, 1, 2, 3, 4, 5].flatMap((home) =>
    [0, 1, 2, 3, 4, 5].map((away) => ({ home, away })),
  );
  /**
   * All possible ends: market types share a score where one score decides them; none, all or some types are
   * void.
   */
  const ends = (): readonly GameResult[] => {
    const wholes: GameResult[] = scores.flatMap((score) =>
      rule.moneyline === rule.total ? [score] : winners.map((winner) => ({ ...score, winner })),
    );
    const possible = wholes.filter((whole) => resultProblem(whole, known, { id: GAME }) === undefined);
    const voided: Record<string, PartResult>[] =
      rule.voidApart === 'none'
        ? []
        : rule.voidApart === 'lines'
          ? [{ spread: { void: true }, total: { void: true } }, { moneyline: { void: true } }]
          : [1, 2, 3, 4, 5, 6].map((set) =>
              Object.fromEntries(
                MARKET_TYPES.flatMap((type, bit) => ((set >> bit) & 1 ? [[type, { void: true as const }]] : [])),
              ),
            );
    return [{ void: true }, ...possible, ...possible.flatMap((whole) => voided.map((by) => ({ ...whole, by })))];
  };

  it('is at or below the profit of each possible end', () => {
    const all = ends();
    expect(all.length).toBeGreaterThan(20);
    fc.assert(
      fc.property(fc.array(held, { minLength: 1, maxLength: 8 }), (bets) => {
        const worst = worstCaseOfGame(exposuresOf(bets), rule);
        for (const result of all) {
          let sum = 0;
          for (const bet of bets) {
            const ended = endOf(bet.market, result, rule);
            if (ended === undefined) throw new Error(`open: ${resultText(result)}`);
            sum += brought(bet, ended);
          }
          expect(worst).toBeLessThanOrEqual(sum);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('settles a position to the same profit as its fills', () => {
    fc.assert(
      fc.property(fc.array(held, { minLength: 1, maxLength: 6 }), fc.constantFrom(...ends()), (bets, result) => {
        for (const { market: betMarket, position } of exposuresOf(bets.map((bet) => ({ ...bet, isOpen: false })))) {
          const ended = endOf(betMarket, result, rule) ?? 0;
          const sum = bets
            .filter((bet) => bet.market === betMarket)
            .reduce((all, bet) => all + brought({ ...bet, isOpen: false }, ended), 0);
          expect(settledBy(position, ended)).toBeCloseTo(sum, 6);
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('the worst case of a tennis match', () => {
  it('adds the worst of the moneyline and of the games spread, since a real result loses both', () => {
    const exposures: MarketExposure[] = [
      { market: moneyline, position: FLAT, openFirst: 600 as Micros, openSecond: 0 as Micros },
      { market: spread(-3.5), position: FLAT, openFirst: 0 as Micros, openSecond: 600 as Micros },
    ];
    expect(worstCaseOfGame(exposures, sportNamed('tennis').rule)).toBe(-1200);
    // home loses the match and wins by four games
    const result: GameResult = { home: 18, away: 14, winner: 'away' };
    expect(end('tennis', moneyline, result)).toBe(-1);
    expect(shareOfSide('away', end('tennis', spread(-3.5), result) ?? 0)).toBe(-1);
    expect(worstCaseOfGame(exposures, sportNamed('basketball').rule)).toBe(-600);
  });
});

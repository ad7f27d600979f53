// The table of sports: which row a game has, and what each row hedges. What each row settles: game-result.test.ts.
import { describe, expect, it } from 'vitest';
import type { GameId, SportColumns } from '../../src/domain/index.ts';
import { isAmbiguousLeague, KNOWN_SPORTS, Sports } from '../../src/domain/index.ts';

const game = (league: string, sport: string, parentGameId?: string) => ({
  league,
  sport,
  parentGameId: parentGameId as GameId | undefined,
});
const APART = [['moneyline'], ['spread'], ['total']];
const WHOLE = [['moneyline', 'spread', 'total']];

/** docs/reference/results.md, row by row. */
const ROWS: readonly (readonly [
  sport: string,
  deciders: Pick<SportColumns, 'moneyline' | 'spread' | 'total' | 'draw'>,
  hedging: readonly (readonly string[])[],
])[] = [
  ['basketball', by('score', 'score', 'impossible'), WHOLE],
  ['football', by('score', 'score', 'push'), WHOLE],
  ['college football', by('score', 'score', 'impossible'), WHOLE],
  ['hockey', by('score', 'score', 'impossible'), WHOLE],
  ['soccer', by('score', 'score', 'both-lose'), WHOLE],
  ['baseball', by('score', 'score', 'impossible'), [['moneyline'], ['spread', 'total']]],
  ['tennis', by('winner', 'games', 'impossible'), APART],
  ['table tennis', by('winner', 'points', 'impossible'), APART],
  ['badminton', by('winner', 'points', 'impossible'), APART],
  ['volleyball', by('winner', 'points', 'impossible'), APART],
  ['darts', by('winner', 'legs', 'both-lose'), APART],
  ['esports', by('winner', 'maps', 'both-lose'), APART],
  ['snooker', by('score', 'score', 'impossible'), WHOLE],
  ['mma', by('winner', 'rounds', 'push'), APART],
  ['boxing', by('winner', 'rounds', 'push'), APART],
  ['golf', by('winner', 'strokes', 'push'), APART],
  ['cricket', by('winner', 'runs', 'push'), APART],
  ['rugby', by('score', 'score', 'push'), WHOLE],
  ['australian rules', by('score', 'score', 'push'), WHOLE],
];

function by(moneyline: string, points: string, draw: SportColumns['draw']) {
  return { moneyline, spread: points, total: points, draw };
}

describe('the row of a sport', () => {
  it.each(ROWS)('of %s is as docs/reference/results.md has it', (sport, deciders, hedging) => {
    const known = new Sports().sportOf(game('SOME LEAGUE', sport));
    expect(known).toMatchObject({ sport, origin: 'built in', set: [], rule: deciders });
    expect(known.rule.hedging).toEqual(hedging);
  });

  it('is pinned for every sport that has one', () => {
    expect(KNOWN_SPORTS).toEqual(ROWS.map(([sport]) => sport));
  });

  it('counts fewer strokes as more in golf alone, and a shoot-out in hockey alone', () => {
    const rule = (sport: string) => new Sports().sportOf(game('', sport)).rule;
    expect(KNOWN_SPORTS.filter((sport) => rule(sport).fewerWins)).toEqual(['golf']);
    expect(KNOWN_SPORTS.filter((sport) => rule(sport).shootOut)).toEqual(['hockey']);
  });

  it('of an unknown sport has each type apart, a winner for the moneyline, and a draw that loses both', () => {
    for (const one of [game('HOGWARTS', 'quidditch'), game('constructor', '__proto__'), undefined]) {
      const known = new Sports().sportOf(one);
      expect(known).toMatchObject({ sport: undefined, origin: 'unknown', key: undefined });
      expect(known.rule).toMatchObject({ moneyline: 'winner', draw: 'both-lose', hedging: APART });
    }
  });
});

describe('the sport of a game', () => {
  it.each([
    ['NBA', 'basketball', 'basketball', 'impossible'],
    ['GB', 'Basketball', 'basketball', 'impossible'],
    ['NHL', 'Ice Hockey', 'hockey', 'impossible'],
    ['NFL', 'football', 'football', 'push'],
    ['NCAAF', 'football', 'college football', 'impossible'],
    // these leagues do otherwise than their sport
    ['KBO', 'baseball', 'baseball', 'push'],
    ['NPB', '', 'baseball', 'push'],
    // a league that is known goes before a sport that means two
    ['EPL', 'football', 'soccer', 'both-lose'],
    ['La Liga', 'Football', 'soccer', 'both-lose'],
    ['Ligue 1', 'football', 'soccer', 'both-lose'],
    // no known league: the sport, as the exchange has it
    ['ES', 'soccer', 'soccer', 'both-lose'],
    ['ES', 'football', 'football', 'push'],
    // the exchange does not name the sport
    ['NBA', '', 'basketball', 'impossible'],
    ['EPL', 'unknown', 'soccer', 'both-lose'],
    [' nba ', '', 'basketball', 'impossible'],
    // a league with a namesake in another sport: the game says which
    ['Championship', 'rugby', 'rugby', 'push'],
    ['Premier League', 'darts', 'darts', 'both-lose'],
    ['Premier League', 'football', 'soccer', 'both-lose'],
    ['Serie A', 'basketball', 'basketball', 'impossible'],
    ['Serie A', '', 'soccer', 'both-lose'],
  ])('of %j that is said to be %j is %s: a level end is %s', (league, said, sport, draw) => {
    const known = new Sports().sportOf(game(league, said));
    expect([known.sport, known.rule.draw]).toEqual([sport, draw]);
  });

  it('is known to be in doubt where a league has namesakes', () => {
    expect(['Serie A', 'premier league', 'NBA', 'EPL'].filter(isAmbiguousLeague)).toEqual([
      'Serie A',
      'premier league',
    ]);
  });
});

describe('what is configured of a sport', () => {
  it('goes before what is built in, a league before its sport, whatever its case and accents', () => {
    const sports = new Sports({
      Soccer: { draw: 'push' },
      ' es ': { draw: 'impossible' },
      hockey: { draw: 'push' },
      'LIGA MÁGICA': { draw: 'push' },
    });
    expect(sports.sportOf(game('IT', 'soccer'))).toMatchObject({ origin: 'configured', rule: { draw: 'push' } });
    expect(sports.sportOf(game('ES', 'SOCCER'))).toMatchObject({
      origin: 'configured',
      key: 'es',
      rule: { draw: 'impossible' },
    });
    // what is built in for a league gives way to what is configured for its sport
    expect(sports.sportOf(game('NHL', ''))).toMatchObject({ key: 'hockey', rule: { draw: 'push' } });
    expect(sports.sportOf(game('Liga Magica', 'quidditch'))).toMatchObject({ rule: { draw: 'push' } });
    expect(sports.sportOf(game('NBA', 'basketball'))).toMatchObject({ origin: 'built in' });
  });

  it('sets single columns, and names them', () => {
    const tennis = new Sports({ tennis: { draw: 'push', spread: 'sets' } }).sportOf(game('ATP', ''));
    expect(tennis).toMatchObject({ origin: 'configured', set: ['draw', 'spread'] });
    expect(tennis.rule).toMatchObject({ spread: 'sets', total: 'games', draw: 'push', voidApart: 'each' });
    const whole = new Sports({ ATP: { moneyline: 'games', voidApart: 'none' } }).sportOf(game('ATP', 'tennis'));
    expect(whole.rule.hedging).toEqual(WHOLE);
    // types of two scores are apart also where a game is void whole
    const two = new Sports({ ATP: { voidApart: 'none' } }).sportOf(game('ATP', 'tennis'));
    expect(two.rule.hedging).toEqual([['moneyline'], ['spread', 'total']]);
  });

  it('of a part of a game is not known by its sport: it may end level in any', () => {
    const half = game('NBA', 'basketball', 'whole');
    expect(new Sports().sportOf(half)).toMatchObject({ origin: 'unknown', rule: { draw: 'both-lose' } });
    expect(new Sports({ NBA: { draw: 'push' } }).sportOf(half)).toMatchObject({ rule: { draw: 'push' } });
    expect(new Sports({ NBA: { draw: 'impossible' } }).sportOf(half)).toMatchObject({ origin: 'unknown' });
  });
});

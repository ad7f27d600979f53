// The table of sports: the row of a game, and which market types hedge each other in it. game-result.test.ts
// tests settlement.
import { describe, expect, it } from 'vitest';
import type { GameId, SportColumns } from '../../src/domain/index.ts';
import { isAmbiguousLeague, KNOWN_SPORTS, otherSport, Sports } from '../../src/domain/index.ts';

const game = (league: string, sport: string, parentGameId?: string) => ({
  league,
  sport,
  parentGameId: parentGameId as GameId | undefined,
});
const APART = [['moneyline'], ['spread'], ['total']];
const WHOLE = [['moneyline', 'spread', 'total']];

/** The rows of docs/reference/results.md. */
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

describe('the rule of a sport', () => {
  it.each(ROWS)('for %s is the one in docs/reference/results.md', (sport, deciders, hedging) => {
    const known = new Sports().sportOf(game('SOME LEAGUE', sport));
    expect(known).toMatchObject({ sport, origin: 'built in', set: [], rule: deciders });
    expect(known.rule.hedging).toEqual(hedging);
  });

  it('is tested for each known sport', () => {
    expect(KNOWN_SPORTS).toEqual(ROWS.map(([sport]) => sport));
  });

  it('lets fewer points win only in golf, and has a shoot-out only in hockey', () => {
    const rule = (sport: string) => new Sports().sportOf(game('', sport)).rule;
    expect(KNOWN_SPORTS.filter((sport) => rule(sport).fewerWins)).toEqual(['golf']);
    expect(KNOWN_SPORTS.filter((sport) => rule(sport).shootOut)).toEqual(['hockey']);
  });

  it('for an unknown sport hedges no type with another, and a draw loses both moneyline bets', () => {
    for (const unknown of [game('HOGWARTS', 'quidditch'), game('constructor', '__proto__'), undefined]) {
      const known = new Sports().sportOf(unknown);
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
    // these leagues differ from their sport
    ['KBO', 'baseball', 'baseball', 'push'],
    ['NPB', '', 'baseball', 'push'],
    // a known league takes precedence over an ambiguous sport name
    ['EPL', 'football', 'soccer', 'both-lose'],
    ['La Liga', 'Football', 'soccer', 'both-lose'],
    ['Ligue 1', 'football', 'soccer', 'both-lose'],
    // without a known league, the sport of the exchange counts
    ['ES', 'soccer', 'soccer', 'both-lose'],
    ['ES', 'football', 'football', 'push'],
    // the exchange does not name the sport
    ['NBA', '', 'basketball', 'impossible'],
    ['EPL', 'unknown', 'soccer', 'both-lose'],
    [' nba ', '', 'basketball', 'impossible'],
    // several sports have a league of this name: the sport of the game decides
    ['Championship', 'rugby', 'rugby', 'push'],
    ['Premier League', 'darts', 'darts', 'both-lose'],
    ['Premier League', 'football', 'soccer', 'both-lose'],
    ['Serie A', 'basketball', 'basketball', 'impossible'],
    ['Serie A', '', 'soccer', 'both-lose'],
  ])('in league %j with sport name %j is %s, where a level end is %s', (league, named, sport, draw) => {
    const known = new Sports().sportOf(game(league, named));
    expect([known.sport, known.rule.draw]).toEqual([sport, draw]);
  });

  it('is ambiguous for leagues whose name several sports use', () => {
    expect(['Serie A', 'premier league', 'NBA', 'EPL'].filter(isAmbiguousLeague)).toEqual([
      'Serie A',
      'premier league',
    ]);
  });
});

describe('a configured sport rule', () => {
  it('replaces the built-in rule, and a league’s rule replaces its sport’s, ignoring case and accents', () => {
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
    // the configured rule of a sport replaces the built-in rule of a league
    expect(sports.sportOf(game('NHL', ''))).toMatchObject({ key: 'hockey', rule: { draw: 'push' } });
    expect(sports.sportOf(game('Liga Magica', 'quidditch'))).toMatchObject({ rule: { draw: 'push' } });
    expect(sports.sportOf(game('NBA', 'basketball'))).toMatchObject({ origin: 'built in' });
  });

  it('sets single columns and names them', () => {
    const tennis = new Sports({ tennis: { draw: 'push', spread: 'sets' } }).sportOf(game('ATP', ''));
    expect(tennis).toMatchObject({ origin: 'configured', set: ['draw', 'spread'] });
    expect(tennis.rule).toMatchObject({ spread: 'sets', total: 'games', draw: 'push', voidApart: 'each' });
    const whole = new Sports({ ATP: { moneyline: 'games', voidApart: 'none' } }).sportOf(game('ATP', 'tennis'));
    expect(whole.rule.hedging).toEqual(WHOLE);
    // types decided by different scores do not hedge each other, also where a game is void as a whole
    const two = new Sports({ ATP: { voidApart: 'none' } }).sportOf(game('ATP', 'tennis'));
    expect(two.rule.hedging).toEqual([['moneyline'], ['spread', 'total']]);
  });

  it('does not apply to a part of a game when it excludes a level end, which a part may have in any sport', () => {
    const half = game('NBA', 'basketball', 'whole');
    expect(new Sports().sportOf(half)).toMatchObject({ origin: 'unknown', rule: { draw: 'both-lose' } });
    expect(new Sports({ NBA: { draw: 'push' } }).sportOf(half)).toMatchObject({ rule: { draw: 'push' } });
    expect(new Sports({ NBA: { draw: 'impossible' } }).sportOf(half)).toMatchObject({ origin: 'unknown' });
  });
});

describe('otherSport', () => {
  it('names the sport of a league that has no games of another', () => {
    expect(otherSport('NBA', 'soccer')).toBe('basketball');
    expect(otherSport('MLS', 'football')).toBe('soccer');
    expect(otherSport('nfl', 'betfair-7')).toBe('football');
  });

  it.each([
    ['NBA', 'basketball'],
    ['NHL', 'ice hockey'],
    ['NCAAF', 'football'],
    ['AFL', 'aussie rules'],
    ['my league', 'soccer'],
  ])('is undefined for %s and %s', (league, sport) => {
    expect(otherSport(league, sport)).toBeUndefined();
  });
});

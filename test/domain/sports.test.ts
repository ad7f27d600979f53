import { describe, expect, it } from 'vitest';
import type { GameId, Micros } from '../../src/domain/index.ts';
import { applyFill, DrawRules, FLAT, market, resultFor, settledBy } from '../../src/domain/index.ts';

const game = (league: string, sport: string, parentGameId?: string) => ({
  league,
  sport,
  parentGameId: parentGameId as GameId | undefined,
});

describe('a level score', () => {
  it.each([
    ['NBA', 'basketball', 'impossible', 'built in', 'basketball'],
    ['GB', 'Basketball', 'impossible', 'built in', 'basketball'],
    ['NHL', 'hockey', 'impossible', 'built in', 'hockey'],
    ['MLB', 'baseball', 'impossible', 'built in', 'baseball'],
    ['NFL', 'football', 'push', 'built in', 'football'],
    // a league does otherwise than its sport
    ['NCAAF', 'football', 'impossible', 'built in', 'ncaaf'],
    ['KBO', 'baseball', 'push', 'built in', 'kbo'],
    ['UFC', 'mma', 'push', 'built in', 'mma'],
    ['ES', 'soccer', 'both-lose', 'built in', 'soccer'],
    // the exchange does not tell the sport
    ['NBA', '', 'impossible', 'built in', 'basketball'],
    ['EPL', 'unknown', 'both-lose', 'built in', 'soccer'],
    // nobody knows
    ['ES', '', 'both-lose', 'unknown', undefined],
    ['HOGWARTS', 'quidditch', 'both-lose', 'unknown', undefined],
    ['constructor', '__proto__', 'both-lose', 'unknown', undefined],
  ])('of %s (%s) is %s, %s by %s', (league, sport, draw, origin, key) => {
    expect(new DrawRules().of(game(league, sport))).toEqual({ draw, origin, key });
  });

  it('goes by the configuration first, by its league before its sport, in any case', () => {
    const rules = new DrawRules({
      Soccer: { draw: 'push' },
      ' es ': { draw: 'impossible' },
      hockey: { draw: 'push' },
      HOGWARTS: { draw: 'push' },
    });
    expect(rules.of(game('IT', 'soccer'))).toMatchObject({ draw: 'push', origin: 'configured' });
    expect(rules.of(game('ES', 'SOCCER'))).toMatchObject({
      draw: 'impossible',
      origin: 'configured',
      key: 'es',
    });
    // what is built in for a league gives way to what is configured for its sport
    expect(rules.of(game('NHL', ''))).toMatchObject({ draw: 'push', key: 'hockey' });
    expect(rules.of(game('Hogwarts', 'quidditch'))).toMatchObject({ draw: 'push' });
    expect(rules.of(game('NBA', 'basketball'))).toMatchObject({ draw: 'impossible', origin: 'built in' });
  });

  it('of a part of a game is not known by its sport, and may be in any', () => {
    const half = game('NBA', 'basketball', 'whole');
    expect(new DrawRules().of(half)).toMatchObject({ draw: 'both-lose', origin: 'unknown' });
    expect(new DrawRules({ NBA: { draw: 'push' } }).of(half)).toMatchObject({ draw: 'push' });
    expect(new DrawRules({ NBA: { draw: 'impossible' } }).of(half)).toMatchObject({ origin: 'unknown' });
    expect(new DrawRules().of(undefined)).toMatchObject({ draw: 'both-lose', origin: 'unknown' });
  });

  it('settles a moneyline by its rule, and nothing else by it', () => {
    const usd = (dollars: number): Micros => (dollars * 1e6) as Micros;
    const [moneyline, spread] = [market('g' as GameId, 'moneyline'), market('g' as GameId, 'spread', -0.5)];
    const held = applyFill(applyFill(FLAT, 'home', usd(100), usd(120)), 'away', usd(50), usd(45));
    const level = { home: 1, away: 1 };
    expect(settledBy(held, moneyline, level, 'push')).toBe(0);
    expect(settledBy(held, moneyline, level, 'both-lose')).toBe(usd(-150));
    expect(settledBy(held, moneyline, { home: 2, away: 1 }, 'both-lose')).toBe(usd(70));
    expect(settledBy(held, moneyline, { home: 0, away: 1 }, 'both-lose')).toBe(usd(-55));
    expect(settledBy(held, spread, level, 'both-lose')).toBe(usd(-55));
    expect((['home', 'away'] as const).map((side) => resultFor(moneyline, side, level, 'both-lose'))).toEqual(
      [-1, -1],
    );
  });
});

// The parts of a generated game are scored by the game itself: a second half counts overtime when the
// exchange does, a fourth quarter never.
import { describe, expect, it } from 'vitest';
import { SyntheticGame } from '../../src/traders/synthetic-games.ts';
import { FirstHalf, FourthQuarter, SecondHalf } from '../../src/traders/synthetic-side-games.ts';

const START = Date.parse('2030-01-01T20:00:00Z');

/** Plays a game to its end at once. Returns its score and the scores of its parts. */
function played(seed: number, secondHalfOvertime?: boolean) {
  const options = { seed, league: 'NBA', speed: 1, earlierRuns: 0, secondHalfOvertime };
  const game = new SyntheticGame(options, { index: 0, startMs: START });
  const parts = [FirstHalf, SecondHalf, FourthQuarter].map((Part) => new Part(game, options));
  expect(parts.map(({ finalScore }) => finalScore)).toEqual([undefined, undefined, undefined]);
  game.heed({ ...game.header, ended: true });
  const [first, second, quarter] = parts.map(({ finalScore }) => finalScore ?? { home: -1, away: -1 });
  if (first === undefined || second === undefined || quarter === undefined) throw new Error('no score');
  return { whole: game.play.score, state: game.play.state, first, second, quarter };
}

const SEEDS = Array.from({ length: 150 }, (_, index) => index + 1);
const goesToOvertime = ({ state }: ReturnType<typeof played>): boolean => state.endHome === state.endAway;

describe('the parts of a generated game', () => {
  it('add up to its score, with the overtime in the second half', () => {
    for (const seed of SEEDS) {
      const { whole, first, second } = played(seed);
      expect(first.home + second.home).toBe(whole.home);
      expect(first.away + second.away).toBe(whole.away);
    }
  });

  it('add up to its score without overtime when the exchange counts none', () => {
    const games = SEEDS.map((seed) => played(seed, false));
    for (const { first, second, state } of games) {
      expect(first.home + second.home).toBe(state.endHome);
      expect(first.away + second.away).toBe(state.endAway);
    }
    const overtimes = games.filter(goesToOvertime);
    expect(overtimes.length).toBeGreaterThan(1);
    for (const { whole, state } of overtimes)
      expect(whole.home + whole.away).toBeGreaterThan(state.endHome + state.endAway);
  });

  it('leave overtime out of the fourth quarter in either case', () => {
    for (const seed of SEEDS)
      for (const counts of [true, false]) {
        const { quarter, state } = played(seed, counts);
        expect(quarter).toEqual({
          home: state.endHome - state.thirdHome,
          away: state.endAway - state.thirdAway,
        });
        expect(quarter.home).toBeGreaterThan(0);
      }
  });
});

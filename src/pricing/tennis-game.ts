// Tennis: points are independent, each server wins a point with a probability of his own. Games, sets and the
// match follow exactly. Margin and total are games; the winner of the match may have fewer of them.
import type { Layer } from './score-grid.ts';
import { jointLayer, ScoreGrid } from './score-grid.ts';

/** Points won by home: on its own serve, and on the other's. */
export type TennisGame = { readonly serve: number; readonly return: number; readonly bestOf: 3 | 5 };

/** The probability that the server wins a game, with probability p of each point. */
export function holdOf(p: number): number {
  const q = 1 - p;
  return p ** 4 * (1 + 4 * q + 10 * q * q) + (20 * p ** 5 * q ** 3) / (p * p + q * q);
}

/**
 * The probability that home wins a tie-break to seven points, two ahead. `first`: home serves the first
 * point; then each serves two in turn.
 */
export function tieBreakOf(serve: number, returns: number): number {
  const homeServes = (point: number): boolean => Math.floor((point + 1) / 2) % 2 === 0;
  const level = (serve * returns) / (serve * returns + (1 - serve) * (1 - returns));
  const known = new Map<number, number>();
  const from = (home: number, away: number): number => {
    if (home === 7) return 1;
    if (away === 7) return 0;
    // from 6-6 on, the side that wins both points of a pair wins
    if (home === 6 && away === 6) return level;
    const key = home * 8 + away;
    const found = known.get(key);
    if (found !== undefined) return found;
    const p = homeServes(home + away) ? serve : returns;
    const value = p * from(home + 1, away) + (1 - p) * from(home, away + 1);
    known.set(key, value);
    return value;
  };
  return from(0, 0);
}

/** A way to end a set: games of both, and its probability. */
type SetEnd = { readonly home: number; readonly away: number; readonly p: number };

/** All ways to end a set in which home serves first or second. */
function setEnds(serve: number, returns: number, homeFirst: boolean): readonly SetEnd[] {
  const hold = holdOf(serve);
  const breaks = 1 - holdOf(1 - returns);
  const tieBreak = homeFirst ? tieBreakOf(serve, returns) : 1 - tieBreakOf(1 - returns, 1 - serve);
  const ends: SetEnd[] = [];
  let states = new Map<string, SetEnd>([['0-0', { home: 0, away: 0, p: 1 }]]);
  for (let game = 0; states.size > 0; game++) {
    const next = new Map<string, SetEnd>();
    const p = (game % 2 === 0) === homeFirst ? hold : breaks;
    for (const { home, away, p: reached } of states.values()) {
      const won = home === 6 && away === 6 ? tieBreak : p;
      for (const end of [
        { home: home + 1, away, p: reached * won },
        { home, away: away + 1, p: reached * (1 - won) },
      ]) {
        const [most, least] = [Math.max(end.home, end.away), Math.min(end.home, end.away)];
        if (most === 7 || (most === 6 && least <= 4)) ends.push(end);
        else {
          const key = `${end.home}-${end.away}`;
          next.set(key, { ...end, p: (next.get(key)?.p ?? 0) + end.p });
        }
      }
    }
    states = next;
  }
  return ends;
}

/** The probability that home wins a set; who serves first does not matter. */
export const setOf = (serve: number, returns: number): number =>
  setEnds(serve, returns, true).reduce((sum, { home, away, p }) => (home > away ? sum + p : sum), 0);

type MatchState = { readonly won: number; readonly lost: number; readonly homeFirst: boolean };

/** @throws RangeError when a probability or the number of sets is impossible */
export function tennisGrid({ serve, return: returns, bestOf }: TennisGame): ScoreGrid {
  for (const p of [serve, returns])
    if (!(p > 0 && p < 1)) throw new RangeError(`expected the share of points won, 0 to 1: ${p}`);
  if (bestOf !== 3 && bestOf !== 5) throw new RangeError(`expected a best of 3 or 5 sets: ${String(bestOf)}`);
  const needed = (bestOf + 1) / 2;
  const most = 13 * bestOf;
  const totals = most + 1;
  const size = { marginFrom: -most, totalFrom: 0, totals };
  const ends = { true: setEnds(serve, returns, true), false: setEnds(serve, returns, false) };
  const matrix = (): Float64Array => new Float64Array((2 * most + 1) * totals);
  const won = { home: matrix(), away: matrix() };
  // states of the match, each with the weights of games so far
  let states = new Map<string, { readonly state: MatchState; readonly games: Map<number, number> }>();
  const start = new Map([[most * totals, 1]]);
  for (const homeFirst of [true, false])
    states.set(String(homeFirst), { state: { won: 0, lost: 0, homeFirst }, games: halved(start) });
  while (states.size > 0) {
    const next: typeof states = new Map();
    for (const { state, games } of states.values())
      for (const end of ends[`${state.homeFirst}`]) {
        const isHomes = end.home > end.away;
        const after: MatchState = {
          won: state.won + (isHomes ? 1 : 0),
          lost: state.lost + (isHomes ? 0 : 1),
          // serve goes on in turn
          homeFirst: (end.home + end.away) % 2 === 0 ? state.homeFirst : !state.homeFirst,
        };
        const step = (end.home - end.away) * totals + end.home + end.away;
        const ended = after.won === needed ? won.home : after.lost === needed ? won.away : undefined;
        if (ended !== undefined)
          for (const [index, p] of games) ended[index + step] = (ended[index + step] ?? 0) + p * end.p;
        else {
          const key = `${after.won}-${after.lost} ${after.homeFirst}`;
          const known = next.get(key) ?? { state: after, games: new Map<number, number>() };
          next.set(key, known);
          for (const [index, p] of games)
            known.games.set(index + step, (known.games.get(index + step) ?? 0) + p * end.p);
        }
      }
    states = next;
  }
  const layer = (winner: 'home' | 'away'): Layer => jointLayer(winner, won[winner], size);
  return new ScoreGrid('impossible', [layer('home'), layer('away')]);
}

/** Either serves first with probability ½. */
const halved = (games: ReadonlyMap<number, number>): Map<number, number> =>
  new Map([...games].map(([index, p]) => [index, p / 2]));

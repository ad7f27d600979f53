// How tapes are split into jobs.
import { describe, expect, it } from 'vitest';
import { jobsOf } from '../../src/backtest/jobs/jobs.ts';
import type { GameId } from '../../src/domain/index.ts';
import type { TapeSpan } from '../../src/tape/index.ts';

const HOUR_MS = 3_600_000;
const hourOf = (text: string): number => Date.parse(`2030-11-${text}:00Z`);
const game = (id: string, from: string, to: string) => ({
  id: id as GameId,
  fromMs: hourOf(from),
  toMs: hourOf(to),
  frames: 10,
});
const tape = (...games: readonly ReturnType<typeof game>[]): TapeSpan => ({
  fromMs: Math.min(...games.map(({ fromMs }) => fromMs)),
  toMs: Math.max(...games.map(({ toMs }) => toMs)),
  games,
});
const split = (spans: readonly TapeSpan[], isIndependent = false) =>
  jobsOf(spans, { startsAtMs: 8 * HOUR_MS, isIndependent }).map(({ name, games, tapes }) => [name, games, tapes]);

describe('jobs', () => {
  it('are days, in the order of time, whatever the order of the tapes', () => {
    expect(
      split([
        tape(game('c', '18T18:00', '18T20:00')),
        tape(game('a', '16T18:00', '16T20:00'), game('b', '16T19:00', '16T21:00')),
      ]),
    ).toEqual([
      ['2030-11-16', ['a', 'b'], [1]],
      ['2030-11-18', ['c'], [0]],
    ]);
  });

  it('have all games of a trading day, which begins at risk.dayStartsAt', () => {
    expect(
      split([
        tape(game('noon', '16T12:00', '16T14:00')),
        tape(game('night', '17T01:00', '17T03:00')),
        tape(game('next', '17T09:00', '17T11:00')),
      ]),
    ).toEqual([
      ['2030-11-16', ['noon', 'night'], [0, 1]],
      ['2030-11-17', ['next'], [2]],
    ]);
  });

  it('join days over which a game is traded, and all between', () => {
    expect(
      split([
        tape(game('early', '16T18:00', '16T20:00')),
        tape(game('between', '17T18:00', '17T20:00')),
        tape(game('early', '18T18:00', '18T20:00')),
        tape(game('later', '20T18:00', '20T20:00')),
      ]),
    ).toEqual([
      ['2030-11-16 to 2030-11-18', ['early', 'between'], [0, 1, 2]],
      ['2030-11-20', ['later'], [3]],
    ]);
  });

  it('do not cut a tape of several days', () => {
    expect(split([tape(game('a', '16T18:00', '16T20:00'), game('b', '19T18:00', '19T20:00'))])).toEqual([
      ['2030-11-16 to 2030-11-19', ['a', 'b'], [0]],
    ]);
  });

  it('share a tape of signals, and have none without a game', () => {
    const signals: TapeSpan = { fromMs: hourOf('16T17:00'), toMs: hourOf('19T00:00'), games: [] };
    expect(split([tape(game('a', '16T18:00', '16T20:00')), signals, tape(game('b', '17T18:00', '17T20:00'))])).toEqual([
      ['2030-11-16', ['a'], [0, 1]],
      ['2030-11-17', ['b'], [1, 2]],
    ]);
    expect(split([signals])).toEqual([]);
  });

  it('are single games when these are independent', () => {
    expect(
      split(
        [
          tape(game('a', '16T18:00', '16T20:00'), game('b', '16T17:00', '16T21:00')),
          tape(game('c', '17T18:00', '17T20:00')),
        ],
        true,
      ),
    ).toEqual([
      ['a', ['a'], [0]],
      ['b', ['b'], [0]],
      ['c', ['c'], [1]],
    ]);
  });
});

// Whether a game is a part of another game: by the name of its period, the list that contains it, and earlier
// reports.
import { describe, expect, it } from 'vitest';
import type { GameId, Period } from '../../src/domain/index.ts';
import { gameTitle, partOf, partText, periodOf, PERIODS } from '../../src/domain/index.ts';

describe('periodOf', () => {
  it.each<[Period, ...string[]]>([
    ['full', 'Full Time', 'FT', 'Game', 'full game'],
    ['reg', 'Regulation', '60 Minutes'],
    ['h1', '1H', '1st Half', 'First Half', 'H1', '1 half', ' 1st  half '],
    ['h2', '2H', '2nd Half', 'Second Half', 'H2'],
    ['q1', 'Q1', '1Q', '1st Quarter', 'First Quarter', '1st Qtr.'],
    ['q4', '4th Quarter', 'Q4', 'Fourth quarter'],
    ['p3', '3rd Period', 'P3', 'Third Period'],
    ['f5', '1st 5 Innings', 'F5', 'First Five Innings'],
    ['i9', '9th Inning', 'Ninth Inning'],
    ['s2', '2nd Set', 'Set 2'],
    ['m1', 'Map 1', '1st Map'],
  ])('reads period %s from names such as %s', (period, ...names) => {
    expect(names.map(periodOf)).toEqual(names.map(() => period));
  });

  it.each(['', '3rd Half', '5th Quarter', '4th Period', 'Q', '1', 'Overtime', '0th Half', 'constructor', '6th Set'])(
    'reads no period from %j',
    (name) => {
      expect(periodOf(name)).toBeUndefined();
    },
  );

  it('reads each period from its own short name', () => {
    expect(PERIODS.map(periodOf)).toEqual(PERIODS);
    expect(new Set(PERIODS).size).toBe(PERIODS.length);
  });
});

const CHILD = { gameId: 'c' as GameId, parentGameId: 'g' as GameId, futures: false };

describe('the part of a game', () => {
  it('is the whole game without a parent or with itself as parent, whatever the name of its period', () => {
    for (const parentGameId of [undefined, CHILD.gameId])
      expect(partOf({ ...CHILD, parentGameId, periodName: '1st Half' }, undefined)).toEqual({
        kind: 'game',
        period: 'full',
      });
  });

  it('is a child game of the named period, or of an unknown period without a known name', () => {
    expect(partOf({ ...CHILD, periodName: '1st Half' }, undefined)).toEqual({ kind: 'child', period: 'h1' });
    for (const periodName of [undefined, 'Overtime', 'Full Time'])
      expect(partOf({ ...CHILD, periodName, part: 'child' }, undefined)).toEqual({
        kind: 'child',
        period: undefined,
      });
  });

  it('is a prop when the parent lists it as a prop, and stays one', () => {
    const prop = partOf({ ...CHILD, part: 'prop' }, undefined);
    expect(prop).toEqual({ kind: 'prop', period: 'full' });
    expect(partOf(CHILD, prop)).toEqual(prop);
    expect(partOf({ ...CHILD, periodName: 'Full Time' }, prop)).toEqual(prop);
    expect(partOf({ ...CHILD, periodName: '1H' }, prop)).toEqual({ kind: 'prop', period: 'h1' });
  });

  it('keeps the period of an earlier report', () => {
    const half = partOf({ ...CHILD, periodName: '1H' }, undefined);
    expect(partOf(CHILD, half)).toEqual(half);
    expect(partOf({ ...CHILD, part: 'child' }, half)).toEqual(half);
  });

  it('is a future when the game says so', () => {
    expect(partOf({ ...CHILD, futures: true }, undefined)).toEqual({ kind: 'future', period: 'full' });
  });

  it('is named in the title of a child game', () => {
    const eventName = 'Ravens @ Otters';
    expect(gameTitle({ eventName, kind: 'game', period: 'full' })).toBe(eventName);
    expect(gameTitle({ eventName, kind: 'child', period: 'h1' })).toBe('Ravens @ Otters (h1)');
  });

  it('has a short text, and none for a whole game', () => {
    expect(
      (
        [
          { kind: 'game', period: 'full' },
          { kind: 'child', period: 'h1' },
          { kind: 'child', period: undefined },
          { kind: 'prop', period: 'full' },
          { kind: 'prop', period: 'q1' },
          { kind: 'future', period: 'full' },
        ] as const
      ).map(partText),
    ).toEqual([undefined, 'h1', 'part', 'prop', 'prop q1', 'future']);
  });
});

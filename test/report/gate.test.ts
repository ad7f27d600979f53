// What a gate says of figures.
import { describe, expect, it } from 'vitest';
import { figureAt, judged, pathsIn, verdictOf } from '../../src/report/index.ts';

const figures = {
  identity: { pnl: -3, fills: 12 },
  clv: { points: null },
  run: { http: { 429: 2 } },
  name: 'x',
};

describe('a figure', () => {
  it('is found by its path, known or not, and nothing else is one', () => {
    expect(figureAt(figures, 'identity.pnl')).toBe(-3);
    expect(figureAt(figures, 'run.http.429')).toBe(2);
    expect(figureAt(figures, 'clv.points')).toBeNull();
    for (const path of ['identity', 'identity.luck', 'clv.points.more', 'name', '', 'identity.toString'])
      expect(figureAt(figures, path), path).toBeUndefined();
    expect(pathsIn(figures)).toEqual(['identity.pnl', 'identity.fills', 'clv.points', 'run.http.429']);
  });

  it.each([
    ['>=', 3, [false, true, true]],
    ['>', 3, [false, false, true]],
    ['<=', 3, [true, true, false]],
    ['<', 3, [true, false, false]],
    ['==', 3, [false, true, false]],
    ['!=', 3, [true, false, true]],
  ] as const)('is %s %d or not', (operator, than, wanted) => {
    expect([2, 3, 4].map((value) => judged({ path: 'p', operator, than }, value).holds)).toEqual(wanted);
    expect(judged({ path: 'p', operator, than }, null).holds).toBeNull();
  });
});

describe('a verdict', () => {
  const one = (holds: boolean | null) => ({ path: 'p', operator: '>', than: 0, value: 1, holds }) as const;
  it('is KILL as soon as one threshold of those holds, PASS where all others do, else FAIL', () => {
    expect(verdictOf([one(true), one(true)], [one(false)])).toBe('PASS');
    expect(verdictOf([one(true), one(false)], [])).toBe('FAIL');
    expect(verdictOf([one(true)], [one(false), one(true)])).toBe('KILL');
    expect(verdictOf([one(false)], [one(true)])).toBe('KILL');
    // what nobody knows compares with nothing: no verdict; what kills, kills all the same
    expect(verdictOf([one(null)], [])).toBe('void');
    expect(verdictOf([one(true)], [one(null)])).toBe('void');
    expect(verdictOf([one(null)], [one(true), one(null)])).toBe('KILL');
  });
});

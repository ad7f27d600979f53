// How a gate judges figures.
import { describe, expect, it } from 'vitest';
import { figureAt, judged, pathsIn, verdictOf } from '../../src/report/index.ts';

const figures = {
  identity: { pnl: -3, fills: 12 },
  clv: { points: null },
  run: { http: { 429: 2 } },
  name: 'x',
};

describe('a figure of a gate', () => {
  it('is found by its path, also when its value is null, and other paths name no figure', () => {
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
  ] as const)('is compared by %s %d', (operator, than, wanted) => {
    expect([2, 3, 4].map((value) => judged({ path: 'p', operator, than }, value).holds)).toEqual(wanted);
    expect(judged({ path: 'p', operator, than }, null).holds).toBeNull();
  });
});

describe('the verdict of a gate', () => {
  const threshold = (holds: boolean | null) => ({ path: 'p', operator: '>', than: 0, value: 1, holds }) as const;
  it('is KILL when a kill threshold holds, else PASS when all pass thresholds hold, else FAIL', () => {
    expect(verdictOf([threshold(true), threshold(true)], [threshold(false)])).toBe('PASS');
    expect(verdictOf([threshold(true), threshold(false)], [])).toBe('FAIL');
    expect(verdictOf([threshold(true)], [threshold(false), threshold(true)])).toBe('KILL');
    expect(verdictOf([threshold(false)], [threshold(true)])).toBe('KILL');
    // an unknown figure makes the verdict void, unless a kill threshold holds
    expect(verdictOf([threshold(null)], [])).toBe('void');
    expect(verdictOf([threshold(true)], [threshold(null)])).toBe('void');
    expect(verdictOf([threshold(null)], [threshold(true), threshold(null)])).toBe('KILL');
  });
});

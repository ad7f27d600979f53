// Scales of parameters: logarithms, whole numbers, ordered lists and choices.
import { describe, expect, it } from 'vitest';
import { gridOf, placesOf, sampleOf } from '../../src/sweep/dimensions.ts';
import { heatmapSvg } from '../../src/sweep/heatmap.ts';
import { param } from '../../src/sweep/params.ts';
import type { Dimension } from '../../src/sweep/scale.ts';
import { cellOf, isOrdered, levelsOf, scaledOf, valueAt, valueOf } from '../../src/sweep/scale.ts';

const edge: Dimension = { kind: 'range', name: 'main.edge', from: 0.001, to: 0.1, isWhole: false, isLog: true };
const size: Dimension = { kind: 'range', name: 'main.size', from: 1, to: 1000, isWhole: true, isLog: true };
const few: Dimension = { kind: 'range', name: 'main.levels', from: 1, to: 4, isWhole: true };
const list = (...values: readonly unknown[]): Dimension => ({
  kind: 'list',
  name: 'main.kind',
  values: values.map((value) => ({ text: String(value), value })),
});
const valuesOf = (dimension: Dimension): readonly unknown[] => levelsOf(dimension).map(({ value }) => value);

describe('a log scale', () => {
  it('has levels with equal ratios in a grid, and keeps its ends', () => {
    expect(valuesOf(edge)).toEqual([0.001, 0.00316228, 0.01, 0.0316228, 0.1]);
    expect(valuesOf(size)).toEqual([1, 6, 32, 178, 1000]);
    // whole numbers that round to the same one are there once
    expect(valuesOf({ ...size, to: 4 })).toEqual([1, 2, 3, 4]);
  });

  it('gives each factor of ten the same number of points', () => {
    const values = sampleOf([edge], 64, 3).map(({ settings }) => Number(settings[0]?.value));
    expect(values.filter((value) => value < 0.01)).toHaveLength(32);
    expect(Math.min(...values)).toBeGreaterThanOrEqual(0.001);
    expect(Math.max(...values)).toBeLessThanOrEqual(0.1);
  });

  it('places values by their logarithms, also in the heat map', () => {
    const [, , middle] = gridOf([edge]);
    expect(middle && placesOf([edge], middle, false)[0]).toBeCloseTo(0.5, 12);
    expect(scaledOf(edge, valueOf(0.01))).toBeCloseTo(0.5, 12);
    const svg = heatmapSvg(
      [edge],
      gridOf([edge]).map((point) => ({ point, figure: point.number })),
      'x',
    );
    // eight fields from 0.001 to 0.1, each named by its middle: 0.001 × 100 ^ (1 / 16)
    expect(svg).toContain('>0.00133<');
    // 0.01 lies in the fifth, alone
    expect(svg).toMatch(/>3\.00</);
  });
});

describe('whole numbers', () => {
  it('have cells of equal size that cover the scale', () => {
    expect([1, 2, 3, 4].map((value) => cellOf(few, valueOf(value)))).toEqual([
      [0, 0.25],
      [0.25, 0.5],
      [0.5, 0.75],
      [0.75, 1],
    ]);
    expect([0, 0.24, 0.25, 0.99, 1].map((place) => valueAt(few, place).value)).toEqual([1, 1, 2, 4, 4]);
  });

  it('on a log scale have cells from half below to half above', () => {
    const span = Math.log(1000.5 / 0.5);
    expect(cellOf(size, valueOf(1))).toEqual([0, expect.closeTo(Math.log(3) / span, 12)]);
    for (const value of [1, 2, 17, 999, 1000])
      expect(valueAt(size, scaledOf(size, valueOf(value))).value, String(value)).toBe(value);
  });
});

describe('a list', () => {
  it('has an order when it is of numbers that rise or fall; others are choices', () => {
    expect([list(1, 2, 5), list(5, 2, 1)].map(isOrdered)).toEqual([true, true]);
    expect([list(1, 5, 2), list('a', 'b'), list(true, false), list(1)].map(isOrdered)).toEqual([
      ...[false, false, false, false],
    ]);
  });
});

describe('the flag --param', () => {
  it('reads log and int after the ends of a range, in any order', () => {
    expect(param('main.edge=0.001:0.1:log')).toEqual([
      { name: 'main.edge', text: 'main.edge=0.001:0.1:log', kind: 'range', from: 0.001, to: 0.1, isLog: true },
    ]);
    for (const text of ['main.n=1:100:int:log', 'main.n= 1 : 100 : log : int'])
      expect(param(text)[0]).toMatchObject({ kind: 'range', from: 1, to: 100, isLog: true, isWhole: true });
    // a list of times stays a list
    expect(param('risk.dayStartsAt=08:00Z,09:00Z')[0]).toMatchObject({ kind: 'list' });
  });

  it.each([
    ['main.edge=0:0.1:log', 'main.edge: a log scale needs ends above 0, and it begins at 0'],
    ['main.edge=-1:1:log', 'main.edge: a log scale needs ends above 0, and it begins at -1'],
    ['main.n=1.5:3:int', 'main.n: with int both ends are whole numbers, and 1.5:3 has another'],
    ['main.n=1:3:int:int', 'main.n: int is given twice'],
    ['main.n=1:3:lgo', 'main.n: lgo is unknown; expected a step, log, int, or int:log after 1:3'],
    ['main.n=1:3:1:log', 'main.n: a range has a step, or the words log and int: for single values give a list'],
    ['main.n=3:1:log', 'main.n: 1 is not above 3'],
  ])('refuses %s', (text, problem) => {
    expect(() => param(text)).toThrow(problem);
  });
});

// A heat map of the objective: a field for each pair of parameters, in which each cell is the mean of its
// points.
import type { Dimension } from './scale.ts';
import { atPartOfRange, levelsOf, partOfRange } from './scale.ts';
import type { Point } from './point.ts';
import { escaped } from '../backtest/index.ts';

export type Cell = { readonly point: Point; readonly figure: number | undefined };

const CELL = 46;
const LEFT = 110;
const TOP = 46;
const BINS = 8;
/** Most parameters that are drawn. Of more, those that change the objective most. */
const MOST_AXES = 4;
const DIGITS = 3;

type Axis = {
  readonly name: string;
  readonly labels: readonly string[];
  readonly binOf: (point: Point) => number;
};

export function heatmapSvg(dimensions: readonly Dimension[], cells: readonly Cell[], objective: string): string {
  const axes = axesOf(dimensions, cells);
  const [only] = axes;
  const pairs: readonly (readonly [Axis, Axis | undefined])[] =
    axes.length === 1 && only !== undefined
      ? [[only, undefined]]
      : axes.flatMap((y, index) => axes.slice(index + 1).map((x) => [x, y] as const));
  const fields = pairs.map(([x, y]) => fieldOf(x, y, cells));
  const values = fields.flatMap(({ means }) => means.flat().filter((value) => value !== undefined));
  const low = Math.min(...values);
  const high = Math.max(...values);
  let top = TOP;
  const drawn = fields.map((field) => {
    const part = drawField(field, top, low, high);
    top += field.means.length * CELL + 2 * TOP;
    return part;
  });
  const width = LEFT + CELL * Math.max(1, ...fields.map(({ x }) => x.labels.length)) + 60;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" font-family="sans-serif" font-size="11">`,
    `<rect width="${width}" height="${top}" fill="#fff"/>`,
    `<text x="12" y="20" font-size="14">${escaped(objective)}, mean of the points in each cell</text>`,
    ...drawn,
    '</svg>',
    '',
  ].join('\n');
}

type Field = {
  readonly x: Axis;
  readonly y: Axis | undefined;
  readonly means: readonly (readonly (number | undefined)[])[];
};

function fieldOf(x: Axis, y: Axis | undefined, cells: readonly Cell[]): Field {
  const rows = y?.labels.length ?? 1;
  const sums = Array.from({ length: rows }, () => x.labels.map(() => ({ sum: 0, count: 0 })));
  for (const { point, figure } of cells) {
    const cell = sums[y?.binOf(point) ?? 0]?.[x.binOf(point)];
    if (cell === undefined || figure === undefined) continue;
    cell.sum += figure;
    cell.count += 1;
  }
  return {
    x,
    y,
    means: sums.map((row) => row.map(({ sum, count }) => (count === 0 ? undefined : sum / count))),
  };
}

function drawField({ x, y, means }: Field, top: number, low: number, high: number): string {
  const text = (x: number, y: number, label: string, anchor = 'middle'): string =>
    `<text x="${x}" y="${y}" text-anchor="${anchor}">${escaped(label)}</text>`;
  const bottom = top + means.length * CELL;
  return [
    ...means.flatMap((row, index) => [
      text(LEFT - 6, top + (index + 0.5) * CELL + 4, y?.labels[index] ?? '', 'end'),
      ...row.map((value, column) => {
        const share = value === undefined ? undefined : high === low ? 0.5 : (value - low) / (high - low);
        const [left, cellTop] = [LEFT + column * CELL, top + index * CELL];
        return (
          `<rect x="${left}" y="${cellTop}" width="${CELL - 1}" height="${CELL - 1}" fill="${share === undefined ? '#eee' : colourOf(share)}"/>` +
          (value === undefined ? '' : text(left + CELL / 2, cellTop + CELL / 2 + 4, value.toPrecision(DIGITS)))
        );
      }),
    ]),
    ...x.labels.map((label, column) => text(LEFT + (column + 0.5) * CELL, bottom + 14, label)),
    text(LEFT + (x.labels.length * CELL) / 2, bottom + 30, x.name),
    ...(y === undefined ? [] : [text(12, top - 6, y.name, 'start')]),
  ].join('\n');
}

/** A colour from light to dark, which also differs in brightness for readers who do not see colours. */
function colourOf(share: number): string {
  const mix = (from: number, to: number): number => Math.round(from + (to - from) * share);
  return `rgb(${mix(247, 90)},${mix(251, 160)},${mix(255, 214)})`;
}

function axesOf(dimensions: readonly Dimension[], cells: readonly Cell[]): readonly Axis[] {
  const axes = dimensions.map((dimension, index) => axisOf(dimension, index));
  if (axes.length <= MOST_AXES) return axes;
  return axes
    .map((axis, index) => ({ axis, index, moves: moveOf(axis, cells) }))
    .sort((a, b) => b.moves - a.moves || a.index - b.index)
    .slice(0, MOST_AXES)
    .sort((a, b) => a.index - b.index)
    .map(({ axis }) => axis);
}

/** The difference between the largest and the smallest mean along an axis. */
function moveOf(axis: Axis, cells: readonly Cell[]): number {
  const means = fieldOf(axis, undefined, cells)
    .means.flat()
    .filter((value) => value !== undefined);
  return means.length === 0 ? 0 : Math.max(...means) - Math.min(...means);
}

function axisOf(dimension: Dimension, index: number): Axis {
  const { name } = dimension;
  const valueOf = (point: Point) => point.settings[index];
  if (dimension.kind === 'list') {
    const labels = levelsOf(dimension).map(({ text }) => text);
    return { name, labels, binOf: (point) => labels.indexOf(valueOf(point)?.text ?? '') };
  }
  const middles = Array.from({ length: BINS }, (_, bin) => atPartOfRange(dimension, (bin + 0.5) / BINS));
  const binOf = (point: Point): number =>
    Math.min(BINS - 1, Math.floor(partOfRange(dimension, Number(valueOf(point)?.value)) * BINS));
  return { name, labels: middles.map((value) => String(Number(value.toPrecision(DIGITS)))), binOf };
}

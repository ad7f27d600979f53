// The plot of a front: every judged point by two objectives, one field for each pair of them. Points of the
// front are filled and carry their numbers.
import { escaped } from '../backtest/index.ts';

export type FrontPoint = {
  readonly number: number;
  /** The figure of each objective. */
  readonly figures: readonly number[];
  readonly isFront: boolean;
};

const SIZE = 420;
const LEFT = 90;
const TOP = 50;
const BOTTOM = 50;
const DIGITS = 4;
/** Room between the outer points and the frame. */
const PAD = 14;

/** `names`: the objectives, as they were given. */
export function frontSvg(names: readonly string[], points: readonly FrontPoint[]): string {
  const pairs = names.flatMap((_, x) => names.slice(x + 1).map((_name, offset) => [x, x + 1 + offset] as const));
  const height = pairs.length * (SIZE + TOP + BOTTOM);
  const width = LEFT + SIZE + 40;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...pairs.map(([x, y], index) => fieldOf(names, points, [x, y], index * (SIZE + TOP + BOTTOM) + TOP)),
    '</svg>',
    '',
  ].join('\n');
}

function fieldOf(
  names: readonly string[],
  points: readonly FrontPoint[],
  [x, y]: readonly [number, number],
  top: number,
): string {
  const [across, up] = [x, y].map((index) => axisOf(points.map(({ figures }) => figures[index] ?? 0)));
  const text = (left: number, down: number, label: string, anchor: string): string =>
    `<text x="${left}" y="${down}" text-anchor="${anchor}">${escaped(label)}</text>`;
  const bottom = top + SIZE;
  const placed = points.map(({ number, figures, isFront }) => ({
    number,
    isFront,
    left: round(LEFT + (across?.placeOf(figures[x] ?? 0) ?? 0)),
    down: round(bottom - (up?.placeOf(figures[y] ?? 0) ?? 0)),
  }));
  return [
    text(LEFT, top - 30, 'filled: points that no other point beats in every objective', 'start'),
    `<rect x="${LEFT}" y="${top}" width="${SIZE}" height="${SIZE}" fill="none" stroke="#999"/>`,
    text(LEFT, bottom + 16, across?.low ?? '', 'start'),
    text(LEFT + SIZE, bottom + 16, across?.high ?? '', 'end'),
    text(LEFT + SIZE / 2, bottom + 34, names[x] ?? '', 'middle'),
    text(LEFT - 6, bottom, up?.low ?? '', 'end'),
    text(LEFT - 6, top + 10, up?.high ?? '', 'end'),
    text(LEFT, top - 10, names[y] ?? '', 'start'),
    // the front lies on top
    ...[...placed]
      .sort((a, b) => Number(a.isFront) - Number(b.isFront) || a.number - b.number)
      .map(({ number, isFront, left, down }) =>
        isFront
          ? `<circle cx="${left}" cy="${down}" r="5" fill="#0b5"/>${text(left + 7, down - 5, String(number), 'start')}`
          : `<circle cx="${left}" cy="${down}" r="3" fill="none" stroke="#888"/>`,
      ),
  ].join('\n');
}

const round = (pixels: number): number => Math.round(pixels * 10) / 10;

function axisOf(values: readonly number[]) {
  const low = values.reduce((a, b) => Math.min(a, b), values[0] ?? 0);
  const high = values.reduce((a, b) => Math.max(a, b), values[0] ?? 0);
  const label = (value: number): string => String(Number(value.toPrecision(DIGITS)));
  return {
    low: label(low),
    high: label(high),
    placeOf: (value: number): number =>
      high === low ? SIZE / 2 : PAD + ((value - low) / (high - low)) * (SIZE - 2 * PAD),
  };
}

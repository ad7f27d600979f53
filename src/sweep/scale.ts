// The scale of a parameter: where each of its values lies between 0 and 1, and the value at each place. On a
// log scale equal steps are equal ratios. Whole numbers and ordered lists have a cell for each value, so that
// every value is as likely as the others. A list without an order has no scale: its values are choices.
import { partOfWay } from './decimal.ts';
import type { Value } from './point.ts';

/** Values between two numbers, both ends included. */
export type RangeDimension = {
  readonly kind: 'range';
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly isWhole: boolean;
  /** True on a log scale; both ends are then above 0. */
  readonly isLog?: true;
};

export type Dimension =
  /** Values in this order; adjacent numbers are neighbours of each other. */
  { readonly kind: 'list'; readonly name: string; readonly values: readonly Value[] } | RangeDimension;

/** Digits of a drawn number: it is rounded to about a millionth of its range, or of itself on a log scale. */
const DIGITS = 6;
const MOST_PLACES = 100;
/** Number of values of a range in a grid when no step is given. */
const LEVELS = 5;

export const valueOf = (value: number): Value => ({ text: String(value), value });

const within = (value: number, { from, to }: RangeDimension): number => Math.min(to, Math.max(from, value));

function tidied(value: number, range: RangeDimension): number {
  if (range.isLog === true) return within(Number(value.toPrecision(DIGITS)), range);
  const places = DIGITS - Math.floor(Math.log10(range.to - range.from));
  return within(Number(value.toFixed(Math.min(MOST_PLACES, Math.max(0, places)))) + 0, range);
}

/** Both ends of the scale: the logarithms on a log scale. A whole number covers half a unit on each side. */
function endsOf({ from, to, isWhole, isLog }: RangeDimension): readonly [number, number] {
  const half = isWhole ? 0.5 : 0;
  return isLog === true ? [Math.log(from - half), Math.log(to + half)] : [from - half, to + half];
}

/** The place of a number on the scale of a range. */
function placeOf(value: number, range: RangeDimension): number {
  const [low, high] = endsOf(range);
  return high === low ? 0 : ((range.isLog === true ? Math.log(value) : value) - low) / (high - low);
}

/** How far a number lies between the ends of its range, 0 … 1; by logarithms on a log scale. */
export function partOfRange({ from, to, isLog }: RangeDimension, value: number): number {
  if (to === from) return 0;
  return isLog === true ? Math.log(value / from) / Math.log(to / from) : (value - from) / (to - from);
}

/** The number at this part of the way between the ends of a range. */
export const atPartOfRange = ({ from, to, isLog }: RangeDimension, part: number): number =>
  isLog === true ? from * (to / from) ** part : from + (to - from) * part;

/** The value at a place, 0 … 1, of the scale. Choices have equal parts of it. */
export function valueAt(dimension: Dimension, place: number): Value {
  if (dimension.kind === 'list') {
    const index = Math.min(dimension.values.length - 1, Math.floor(place * dimension.values.length));
    return dimension.values[index] ?? { text: '', value: undefined };
  }
  const [low, high] = endsOf(dimension);
  const on = low + place * (high - low);
  const value = dimension.isLog === true ? Math.exp(on) : on;
  return valueOf(dimension.isWhole ? within(Math.round(value), dimension) + 0 : tidied(value, dimension));
}

/** Where a value lies on its scale, 0 … 1: the middle of its cell when it has one. */
export function scaledOf(dimension: Dimension, { text, value }: Value): number {
  if (dimension.kind === 'range') return placeOf(Number(value), dimension);
  const index = dimension.values.findIndex((other) => other.text === text);
  return (index + 0.5) / dimension.values.length;
}

/** The cell of a value on its scale; undefined for a range of any numbers, in which each value is a point. */
export function cellOf(dimension: Dimension, value: Value): readonly [number, number] | undefined {
  if (dimension.kind === 'list') {
    const index = dimension.values.findIndex(({ text }) => text === value.text);
    return [index / dimension.values.length, (index + 1) / dimension.values.length];
  }
  if (!dimension.isWhole) return undefined;
  const number = Number(value.value);
  return [Math.max(0, placeOf(number - 0.5, dimension)), Math.min(1, placeOf(number + 0.5, dimension))];
}

/** True when the values of a parameter have an order: a range, or a list of numbers that rises or falls. */
export function isOrdered(dimension: Dimension): boolean {
  if (dimension.kind === 'range') return true;
  const numbers = dimension.values.map(({ value }) => (typeof value === 'number' ? value : Number.NaN));
  const rises = numbers.slice(1).map((number, index) => Math.sign(number - (numbers[index] ?? number)));
  return numbers.length > 1 && (rises.every((sign) => sign === 1) || rises.every((sign) => sign === -1));
}

/** The values of a dimension in a grid. */
export function levelsOf(dimension: Dimension): readonly Value[] {
  if (dimension.kind === 'list') return dimension.values;
  const { from, to, isWhole, isLog } = dimension;
  const count = isWhole ? Math.min(LEVELS, to - from + 1) : LEVELS;
  const parts = Math.max(1, count - 1);
  const levels = Array.from({ length: count }, (_, index) => {
    if (isLog !== true || index === 0 || index === parts) return partOfWay(from, to, index, parts);
    return tidied(from * (to / from) ** (index / parts), dimension);
  });
  const values = levels.map((value) => (isWhole ? Math.round(value) : value));
  // on a log scale small whole numbers round to the same one
  return (isWhole && isLog === true ? [...new Set(values)] : values).map(valueOf);
}

/** How many values a parameter has; infinite for a range of any numbers. */
export const countOf = (dimension: Dimension): number =>
  dimension.kind === 'list'
    ? dimension.values.length
    : dimension.isWhole
      ? dimension.to - dimension.from + 1
      : Number.POSITIVE_INFINITY;

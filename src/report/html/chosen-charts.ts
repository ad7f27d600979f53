// Charts that the page draws when they are chosen: of each quoted market, and of the series of strategies. They are
// stored in the page itself, as short rows of whole numbers, packed.
import { deflateSync } from 'node:zlib';
import type { FillPoint } from '../report-data.ts';
import type { Chart, ChartPlan, Dot, Line } from './charts.ts';
import { planOf } from './charts.ts';

/** A chart and what its data is called. */
export type NamedChart = {
  readonly chart: Chart;
  /** The times of the points of every line, Unix ms. */
  readonly times: readonly number[];
  /** Name of the CSV file, and of its columns after `time`: one for each line. */
  readonly csv: string;
  readonly columns: readonly string[];
  /** The fills behind the dots of the chart, and the sides of their market. */
  readonly fills?: { readonly sides: readonly [first: string, second: string]; readonly points: readonly FillPoint[] };
  /** Text above and below the chart. */
  readonly title?: string;
  readonly note?: string;
};

/** What can be chosen in a list. */
export type Choice = { readonly name: string; readonly heading: string; readonly charts: readonly NamedChart[] };

/** Numbers as differences of whole numbers, null for none. Divided by `by` they are the values. */
type Packed = { readonly by: number; readonly steps: readonly (number | null)[] };

function packed(values: readonly (number | null)[], by: number): Packed {
  let before = 0;
  const steps = values.map((value) => {
    if (value === null) return null;
    const whole = Math.round(value * by);
    const step = whole - before;
    before = whole;
    return step;
  });
  return { by, steps };
}

type PackedLine = Pick<Line, 'name' | 'tone' | 'isStep'> & { readonly y: Packed };
/** The form of a chart in the page: script.ts reads it. */
type PackedChart = Omit<ChartPlan, 'lines' | 'dots'> & {
  readonly lines: readonly PackedLine[];
  readonly x: Packed;
  readonly t: Packed;
  readonly fills?: {
    readonly sides: readonly [string, string];
    readonly x: Packed;
    readonly t: Packed;
    readonly price: Packed;
    readonly risk: Packed;
    readonly first: Packed;
  };
} & Omit<NamedChart, 'chart' | 'times' | 'fills'>;

/** Steps of a line on the chart: a hundredth of a pixel is enough. */
const X_STEPS = 10_000;

function packedChart({ chart, times, fills, ...rest }: NamedChart): PackedChart {
  const { lines, dots, ...plan } = planOf(chart);
  const xs = lines[0]?.points.map(([x]) => x) ?? [];
  const by = 10 ** Math.max(0, Math.ceil(4 - Math.log10(Math.max(1e-9, plan.high - plan.low))));
  return {
    ...plan,
    lines: lines.map(({ name, tone, isStep = false, points }) => ({
      ...{ name, tone, isStep },
      y: packed(
        points.map(([, y]) => y),
        by,
      ),
    })),
    x: packed(xs, X_STEPS),
    t: packed(times, 1),
    ...(fills === undefined ? {} : { fills: packedFills(fills, dots) }),
    ...rest,
  };
}

const packedFills = (
  { sides, points }: NonNullable<NamedChart['fills']>,
  dots: readonly Dot[],
): NonNullable<PackedChart['fills']> => ({
  sides,
  x: packed(
    dots.map(({ x }) => x),
    X_STEPS,
  ),
  t: packed(
    points.map(({ t }) => t),
    1,
  ),
  price: packed(
    points.map(({ price }) => price),
    1e6,
  ),
  risk: packed(
    points.map(({ risk }) => risk),
    100,
  ),
  first: packed(
    points.map(({ isFirst }) => Number(isFirst)),
    1,
  ),
});

/** Text that is unpacked in the page by `DecompressionStream`. */
export const packedText = (text: string): string => deflateSync(Buffer.from(text), { level: 9 }).toString('base64');

/** Choices in the form of the page. */
export const packedChoices = (choices: readonly Choice[]): string =>
  packedText(
    JSON.stringify(
      choices.map(({ charts, ...choice }) => ({ ...choice, charts: charts.map((chart) => packedChart(chart)) })),
    ),
  );

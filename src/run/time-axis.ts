// The time axis of a chart: the periods with data side by side. A long silence between games takes a small
// gap, so that five games over five years are five wide stretches.

export type TimeAxis = {
  /** Position of a time, 0 … 1 from left to right. */
  readonly x: (t: number) => number;
  /** The stretches: position 0 … 1 and time, Unix ms. */
  readonly stretches: readonly {
    readonly from: number;
    readonly to: number;
    readonly fromMs: number;
    readonly toMs: number;
  }[];
  /** Labels below the axis, as many as fit. */
  readonly marks: readonly { readonly x: number; readonly text: string }[];
};

/** A longer silence separates two stretches, ms. */
export const SILENCE_MS = 2 * 3_600_000;
/** Part of the width for one gap (GAP), and for all gaps together at most (GAPS). */
const GAP = 0.015;
const GAPS = 0.3;
const MARKS = 6;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** @param times the times of all points of the chart, Unix ms, ascending */
export function timeAxis(times: readonly number[]): TimeAxis {
  const spans: { fromMs: number; toMs: number }[] = [];
  for (const t of times) {
    const last = spans.at(-1);
    if (last !== undefined && t - last.toMs <= SILENCE_MS) last.toMs = Math.max(last.toMs, t);
    else spans.push({ fromMs: t, toMs: t });
  }
  const coveredMs = spans.reduce((sum, { fromMs, toMs }) => sum + Math.max(MINUTE_MS, toMs - fromMs), 0);
  const gap = spans.length < 2 ? 0 : Math.min(GAP, GAPS / (spans.length - 1));
  const room = 1 - gap * Math.max(0, spans.length - 1);
  let position = 0;
  const stretches = spans.map(({ fromMs, toMs }) => {
    const width = (room * Math.max(MINUTE_MS, toMs - fromMs)) / Math.max(1, coveredMs);
    const stretch = { from: position, to: position + width, fromMs, toMs };
    position += width + gap;
    return stretch;
  });
  const x = (t: number): number => {
    const stretch = stretches.findLast(({ fromMs }) => fromMs <= t) ?? stretches[0];
    if (stretch === undefined) return 0;
    const share = (t - stretch.fromMs) / Math.max(MINUTE_MS, stretch.toMs - stretch.fromMs);
    return stretch.from + Math.min(1, Math.max(0, share)) * (stretch.to - stretch.from);
  };
  return { x, stretches, marks: marksOf(stretches) };
}

/** Labels at even distances. Where several stretches begin close together, a label shows the later one. */
function marksOf(stretches: TimeAxis['stretches']): TimeAxis['marks'] {
  const [first] = stretches;
  if (first === undefined) return [];
  const span = (stretches.at(-1)?.toMs ?? 0) - first.fromMs;
  const [begin, end] = span < 30 * MINUTE_MS ? [11, 19] : span < 90 * DAY_MS ? [5, 16] : [0, 10];
  return Array.from({ length: MARKS }, (_, index) => {
    const x = index / (MARKS - 1);
    const stretch = stretches.findLast(({ from }) => from <= x) ?? first;
    const share = Math.min(1, (x - stretch.from) / Math.max(1e-9, stretch.to - stretch.from));
    const t = stretch.fromMs + share * (stretch.toMs - stretch.fromMs);
    return { x, text: new Date(t).toISOString().slice(begin, end).replace('T', ' ') };
  });
}

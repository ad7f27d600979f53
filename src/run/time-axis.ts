// Time as a picture has it: what the run lived through, side by side. Long silences between games take a gap and no room, so that
// five games over five years are five stretches and not five strokes.

export type TimeAxis = {
  /** 0 … 1, from left to right. */
  readonly x: (t: number) => number;
  /** Where stretches begin, with the day they begin on. */
  readonly stretches: readonly {
    readonly from: number;
    readonly to: number;
    readonly fromMs: number;
    readonly toMs: number;
  }[];
  /** Marks to be written below, at most so many as fit. */
  readonly marks: readonly { readonly x: number; readonly text: string }[];
};

/** A longer silence parts two stretches. */
export const SILENCE_MS = 2 * 3_600_000;
/** Part of the width that a gap takes, all of them together at most. */
const GAP = 0.015;
const GAPS = 0.3;
const MARKS = 6;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** `times`: of all points of the picture, Unix ms, ascending. */
export function timeAxis(times: readonly number[]): TimeAxis {
  const spans: { fromMs: number; toMs: number }[] = [];
  for (const t of times) {
    const last = spans.at(-1);
    if (last !== undefined && t - last.toMs <= SILENCE_MS) last.toMs = Math.max(last.toMs, t);
    else spans.push({ fromMs: t, toMs: t });
  }
  const lived = spans.reduce((sum, { fromMs, toMs }) => sum + Math.max(MINUTE_MS, toMs - fromMs), 0);
  const gap = spans.length < 2 ? 0 : Math.min(GAP, GAPS / (spans.length - 1));
  const room = 1 - gap * Math.max(0, spans.length - 1);
  let at = 0;
  const stretches = spans.map(({ fromMs, toMs }) => {
    const width = (room * Math.max(MINUTE_MS, toMs - fromMs)) / Math.max(1, lived);
    const stretch = { from: at, to: at + width, fromMs, toMs };
    at += width + gap;
    return stretch;
  });
  const x = (t: number): number => {
    const of = stretches.findLast(({ fromMs }) => fromMs <= t) ?? stretches[0];
    if (of === undefined) return 0;
    const share = (t - of.fromMs) / Math.max(MINUTE_MS, of.toMs - of.fromMs);
    return of.from + Math.min(1, Math.max(0, share)) * (of.to - of.from);
  };
  return { x, stretches, marks: marksOf(stretches) };
}

/** Evenly over what was lived through; where several stretches begin close together, a mark is of the later one. */
function marksOf(stretches: TimeAxis['stretches']): TimeAxis['marks'] {
  const [first] = stretches;
  if (first === undefined) return [];
  const span = (stretches.at(-1)?.toMs ?? 0) - first.fromMs;
  const [begin, end] = span < 30 * MINUTE_MS ? [11, 19] : span < 90 * DAY_MS ? [5, 16] : [0, 10];
  return Array.from({ length: MARKS }, (_, index) => {
    const x = index / (MARKS - 1);
    const of = stretches.findLast(({ from }) => from <= x) ?? first;
    const share = Math.min(1, (x - of.from) / Math.max(1e-9, of.to - of.from));
    const t = of.fromMs + share * (of.toMs - of.fromMs);
    return { x, text: new Date(t).toISOString().slice(begin, end).replace('T', ' ') };
  });
}

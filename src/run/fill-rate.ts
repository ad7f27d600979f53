// λ(δ): fills an hour of one quote by its distance δ from the fair price, log-linear. Far quotes exist before the start and in the
// seconds of a move in play, so it is fitted for each phase and league alone; a fit of several of them together says nothing.
import { DISTANCES } from '../domain/index.ts';
import type { TakeCounts } from '../domain/index.ts';
import { fine } from './rounding.ts';

const HOUR_MS = 3_600_000;
/** With fewer fills, or takes, the slope is noise. */
export const LEAST_FILLS = 30;
/** Part of k: a larger error leaves no number to use. */
const MOST_ERROR = 0.5;

/**
 * λ(δ) = a · exp(−k δ), δ in points of probability; `error`: one deviation of k. Numbers only where it is usable: k above 0, and
 * its error at most half of it. `apart`: it is of several phases or leagues, each of which has its own.
 */
export type FillRateFit = {
  readonly reads: 'usable' | 'unusable' | 'too few' | 'apart';
  /** Own fills; where these are too few, what others took on the tape. */
  readonly from: 'fills' | 'takes' | null;
  /** How many of them. */
  readonly counted: number;
  readonly a: number | null;
  readonly k: number | null;
  readonly error: number | null;
};

export type FillRate = {
  /** Distance from fair, as probability: from (null: below 0) to (null: any further). */
  readonly from: number | null;
  readonly to: number | null;
  readonly quoteHours: number;
  readonly fills: number;
  /** Fills per hour of one quote; null where none rested. */
  readonly rate: number | null;
};

const NO_NUMBERS = { a: null, k: null, error: null };
export const FITS_APART: FillRateFit = { reads: 'apart', from: null, counted: 0, ...NO_NUMBERS };

/** `takes`: of the same phase and league; own fills go first. */
export function fillRateFit(rates: readonly FillRate[], takes: TakeCounts): FillRateFit {
  const own = rates.flatMap(({ from, to, fills, quoteHours }) =>
    from === null || to === null || quoteHours === 0 ? [] : [{ from, to, n: fills, hours: quoteHours }],
  );
  const fills = own.reduce((sum, { n }) => sum + n, 0);
  if (fills >= LEAST_FILLS)
    return readFit(fitOf(own.map(({ from, to, n, hours }) => ({ x: 50 * (from + to), n, hours }))), 'fills', fills);
  const reached = takesByReach(takes);
  const counted = reached.reduce((sum, { n }) => sum + n, 0);
  if (counted < LEAST_FILLS)
    return {
      reads: 'too few',
      from: fills >= counted ? 'fills' : 'takes',
      counted: Math.max(fills, counted),
      ...NO_NUMBERS,
    };
  // takes that reach δ and no further fall as k · a · exp(−k δ): what reaches it, falls as the quote there fills
  const density = fitOf(reached);
  return readFit(
    density === undefined || density.k <= 0 ? density : { ...density, a: density.a / density.k },
    'takes',
    counted,
  );
}

const takesByReach = ({ ms, byReach }: TakeCounts) =>
  ms === 0
    ? []
    : DISTANCES.slice(0, -1).map((from, index) => {
        const to = DISTANCES[index + 1] ?? from;
        return { x: 50 * (from + to), n: byReach[index + 1] ?? 0, hours: (ms / HOUR_MS) * 100 * (to - from) };
      });

type Fit = { readonly a: number; readonly k: number; readonly error: number };

function readFit(fit: Fit | undefined, from: 'fills' | 'takes', counted: number): FillRateFit {
  if (fit === undefined || !(fit.k > 0) || !(fit.error <= MOST_ERROR * fit.k))
    return { reads: 'unusable', from, counted, ...NO_NUMBERS };
  return { reads: 'usable', from, counted, a: fine(fit.a), k: fine(fit.k), error: fine(fit.error) };
}

/** Counts at a distance `x`, points, and the hours that they come from. */
type Counted = { readonly x: number; readonly n: number; readonly hours: number };

const MOST_TURNS = 100;

/**
 * Poisson regression of counts on the distance, with time as exposure (Newton's method): where time was quoted and nothing
 * filled says as much as where something did. Counts that scatter more than Poisson's make the error larger in proportion.
 * Undefined: no more than two distances have any.
 */
function fitOf(points: readonly Counted[]): Fit | undefined {
  const all = points.reduce((sum, { n }) => sum + n, 0);
  if (points.length < 3 || points.filter(({ n }) => n > 0).length < 3) return undefined;
  let level = Math.log(all / points.reduce((sum, { hours }) => sum + hours, 0));
  let slope = 0;
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const expected = points.map(({ x, n, hours }) => ({ x, n, mean: hours * Math.exp(level + slope * x) }));
    const sum = (of: (one: (typeof expected)[number]) => number): number =>
      expected.reduce((so, one) => so + of(one), 0);
    const [w, wx, wxx] = [sum(({ mean }) => mean), sum(({ mean, x }) => mean * x), sum(({ mean, x }) => mean * x * x)];
    const [off, offX] = [sum(({ n, mean }) => n - mean), sum(({ n, mean, x }) => (n - mean) * x)];
    const determinant = w * wxx - wx * wx;
    const by = (w * offX - wx * off) / determinant;
    const up = (wxx * off - wx * offX) / determinant;
    if (!Number.isFinite(by) || !Number.isFinite(up)) return undefined;
    // a step that leaps goes half as far, or the exponentials run away
    const far = Math.max(1, Math.abs(up) / 2, Math.abs(by) / 2);
    level += up / far;
    slope += by / far;
    if (Math.abs(by) > 1e-10 || Math.abs(up) > 1e-10) continue;
    const scatter = sum(({ n, mean }) => (n - mean) ** 2 / mean) / (points.length - 2);
    const error = Math.sqrt((w / determinant) * Math.max(1, scatter));
    return { a: Math.exp(level), k: 0 - slope, error };
  }
  return undefined;
}

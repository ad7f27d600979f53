// Fits λ(δ), the fills per hour of one quote by its distance δ from the fair price, log-linear. Far quotes
// exist before the start and in the seconds of a move in play, so each phase and league has its own fit: a
// common fit means nothing.
import { DISTANCES } from '../domain/index.ts';
import type { TakeCounts } from '../domain/index.ts';
import { fine } from './rounding.ts';

const HOUR_MS = 3_600_000;
/** Least number of fills or takes: with fewer the slope is noise. */
export const LEAST_FILLS = 30;
/** Largest usable error of k, as a part of k. */
const MOST_ERROR = 0.5;

/**
 * λ(δ) = a · exp(−k δ), δ in points of probability; `error`: one deviation of k. The numbers are null unless
 * usable: k above 0, and its error at most half of k. `apart`: there are several phases or leagues, and each
 * has its own fit.
 */
export type FillRateFit = {
  readonly reads: 'usable' | 'unusable' | 'too few' | 'apart';
  /** Base of the fit: own fills, or others' takes on the tape when own fills are too few. */
  readonly from: 'fills' | 'takes' | null;
  /** Number of fills or takes counted. */
  readonly counted: number;
  readonly a: number | null;
  readonly k: number | null;
  readonly error: number | null;
};

export type FillRate = {
  /** Range of the distance from the fair price, as probability. `from` null: below 0. `to` null: open end. */
  readonly from: number | null;
  readonly to: number | null;
  readonly quoteHours: number;
  readonly fills: number;
  /** Fills per hour of one quote. Null: no quote rested there. */
  readonly rate: number | null;
};

const NO_NUMBERS = { a: null, k: null, error: null };
export const FITS_APART: FillRateFit = { reads: 'apart', from: null, counted: 0, ...NO_NUMBERS };

/** @param takes takes of the same phase and league, used when own fills are too few */
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
  // the density of takes by reach falls as k · a · exp(−k δ), so the takes that reach δ or further fall as a
  // quote there fills
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

/** Counts at a distance `x`, points, and their hours of exposure. */
type Counted = { readonly x: number; readonly n: number; readonly hours: number };

const MOST_TURNS = 100;

/**
 * Poisson regression of counts on the distance, with time as exposure (Newton's method): quoted time without
 * fills counts as evidence, too. Counts that scatter more than Poisson counts enlarge the error in
 * proportion. Undefined: fewer than three distances have counts, or the iteration fails.
 */
function fitOf(points: readonly Counted[]): Fit | undefined {
  const all = points.reduce((sum, { n }) => sum + n, 0);
  if (points.length < 3 || points.filter(({ n }) => n > 0).length < 3) return undefined;
  let level = Math.log(all / points.reduce((sum, { hours }) => sum + hours, 0));
  let slope = 0;
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const expected = points.map(({ x, n, hours }) => ({ x, n, mean: hours * Math.exp(level + slope * x) }));
    const sum = (valueOf: (point: (typeof expected)[number]) => number): number =>
      expected.reduce((total, point) => total + valueOf(point), 0);
    const [w, wx, wxx] = [sum(({ mean }) => mean), sum(({ mean, x }) => mean * x), sum(({ mean, x }) => mean * x * x)];
    const [off, offX] = [sum(({ n, mean }) => n - mean), sum(({ n, mean, x }) => (n - mean) * x)];
    const determinant = w * wxx - wx * wx;
    const by = (w * offX - wx * off) / determinant;
    const up = (wxx * off - wx * offX) / determinant;
    if (!Number.isFinite(by) || !Number.isFinite(up)) return undefined;
    // a large step is shortened, or the exponentials overflow
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

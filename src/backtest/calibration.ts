// Finds the lean of a fill model (docs/backtest-fills.md) at which a backtest fills as much as a real run
// did, on tapes that recorded that run.
import type { RunEvent, TxId } from '../domain/index.ts';
import { runOf } from '../account/index.ts';

/** The fills of a real run and its times, from its journal. */
export type RealRun = {
  /** The times of the first and last record, Unix ms. */
  readonly fromMs: number;
  readonly toMs: number;
  /** The time of each fill's report, Unix ms, and its stake, micro-dollars. */
  readonly fills: readonly { readonly t: number; readonly risk: number }[];
};

export class RealFills {
  readonly #fills = new Map<TxId, RealRun['fills'][number]>();
  #run: string | undefined;
  #fromMs: number | undefined;
  #toMs = 0;

  applyEvents({ t }: { readonly t: number }, events: readonly RunEvent[]): void {
    this.#fromMs ??= t;
    this.#toMs = t;
    for (const event of events)
      if (event.type === 'RunStarted') this.#run = event.run;
      else if (event.type === 'Fill' && event.ref !== undefined && runOf(event.ref) === this.#run)
        if (!this.#fills.has(event.txId)) this.#fills.set(event.txId, { t, risk: event.risk });
  }

  /** The run. Undefined when the journal has no records. */
  get run(): RealRun | undefined {
    if (this.#fromMs === undefined) return undefined;
    return { fromMs: this.#fromMs, toMs: this.#toMs, fills: [...this.#fills.values()] };
  }
}

/** The number of fills between two times, Unix ms, and their stakes, dollars. */
export function filledBetween(
  { fills }: RealRun,
  fromMs: number,
  toMs: number,
): { readonly fills: number; readonly riskFilled: number } {
  const within = fills.filter(({ t }) => t >= fromMs && t <= toMs);
  return { fills: within.length, riskFilled: within.reduce((sum, { risk }) => sum + risk, 0) / 1e6 };
}

/** The most runs of a backtest, those at lean 0 and 1 included. */
const MOST_RUNS = 8;
/** The difference from the target at which the search ends, as a share of the target. */
const NEAR = 0.02;
const DIGITS = 1000;

export type Calibration = {
  /** The lean, 0 … 1, as in a fill model. */
  readonly lean: number;
  /** The risk that the backtest fills at this lean, dollars. */
  readonly riskFilled: number;
};

/**
 * Finds the lean at which `fillAt` comes nearest to the target, dollars. The more of what vanishes counts as
 * taken, the more fills. When the target is beyond every lean, it is the nearest end.
 */
export async function calibrate(target: number, fillAt: (lean: number) => Promise<number>): Promise<Calibration> {
  let low: Calibration = { lean: 0, riskFilled: await fillAt(0) };
  if (target <= low.riskFilled) return low;
  let high: Calibration = { lean: 1, riskFilled: await fillAt(1) };
  if (target >= high.riskFilled) return high;
  let best = nearer(low, high, target);
  for (let run = 2; run < MOST_RUNS && Math.abs(best.riskFilled - target) > target * NEAR; run++) {
    const lean = between(low, high, target);
    if (lean <= low.lean || lean >= high.lean) break;
    const tried = { lean, riskFilled: await fillAt(lean) };
    // a try may miss by more than the one before, because inventory feeds back into quotes
    best = nearer(best, tried, target);
    if (tried.riskFilled <= target) low = tried;
    else high = tried;
  }
  return best;
}

const nearer = (a: Calibration, b: Calibration, target: number): Calibration =>
  Math.abs(a.riskFilled - target) <= Math.abs(b.riskFilled - target) ? a : b;

/**
 * The lean where a straight line through both points meets the target, kept well inside so that each run
 * narrows the range.
 */
function between(low: Calibration, high: Calibration, target: number): number {
  const width = high.lean - low.lean;
  const part = (target - low.riskFilled) / Math.max(1e-9, high.riskFilled - low.riskFilled);
  const lean = low.lean + width * Math.min(0.85, Math.max(0.15, part));
  return Math.round(lean * DIGITS) / DIGITS;
}

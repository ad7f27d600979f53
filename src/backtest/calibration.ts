// How far a fill model is to lean (docs/backtest-fills.md): as far as makes a backtest fill as much as a real run did, on tapes that recorded
// that very run.
import type { RunEvent, TxId } from '../domain/index.ts';
import { runOf } from '../account/index.ts';

/** What a run filled and when it ran, as its journal tells. */
export type RealRun = {
  /** Unix ms of its first and last record. */
  readonly fromMs: number;
  readonly toMs: number;
  /** When each fill was told, Unix ms, and the stake in it, micro-dollars. */
  readonly fills: readonly { readonly t: number; readonly risk: number }[];
};

export class RealFills {
  readonly #fills = new Map<TxId, RealRun['fills'][number]>();
  #run: string | undefined;
  #fromMs: number | undefined;
  #toMs = 0;

  apply({ t }: { readonly t: number }, events: readonly RunEvent[]): void {
    this.#fromMs ??= t;
    this.#toMs = t;
    for (const event of events)
      if (event.type === 'RunStarted') this.#run = event.run;
      else if (event.type === 'Fill' && event.ref !== undefined && runOf(event.ref) === this.#run)
        if (!this.#fills.has(event.txId)) this.#fills.set(event.txId, { t, risk: event.risk });
  }

  /** Undefined: the journal tells of nothing. */
  get run(): RealRun | undefined {
    if (this.#fromMs === undefined) return undefined;
    return { fromMs: this.#fromMs, toMs: this.#toMs, fills: [...this.#fills.values()] };
  }
}

/** What a run filled between two times, Unix ms; stakes in dollars. */
export function filledBetween(
  { fills }: RealRun,
  fromMs: number,
  toMs: number,
): { readonly fills: number; readonly riskFilled: number } {
  const within = fills.filter(({ t }) => t >= fromMs && t <= toMs);
  return { fills: within.length, riskFilled: within.reduce((sum, { risk }) => sum + risk, 0) / 1e6 };
}

/** Runs of a backtest at most, the two ends included. */
const MOST_RUNS = 8;
/** As near as this is near enough: part of what was filled. */
const NEAR = 0.02;
const DIGITS = 1000;

export type Calibration = {
  /** 0 … 1, as a fill model has it. */
  readonly lean: number;
  /** What the backtest fills at it, dollars. */
  readonly riskFilled: number;
};

/**
 * The lean at which `fillAt` comes nearest to the target, dollars: the more of what vanishes counts as taken, the more
 * fills. Where the target lies beyond what any lean gives, the nearest end.
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
    // inventory feeds back, so a try may miss by more than the one before
    best = nearer(best, tried, target);
    if (tried.riskFilled <= target) low = tried;
    else high = tried;
  }
  return best;
}

const nearer = (a: Calibration, b: Calibration, target: number): Calibration =>
  Math.abs(a.riskFilled - target) <= Math.abs(b.riskFilled - target) ? a : b;

/** Where a straight line through both meets the target, and well inside, so that each run narrows the range. */
function between(low: Calibration, high: Calibration, target: number): number {
  const width = high.lean - low.lean;
  const part = (target - low.riskFilled) / Math.max(1e-9, high.riskFilled - low.riskFilled);
  const lean = low.lean + width * Math.min(0.85, Math.max(0.15, part));
  return Math.round(lean * DIGITS) / DIGITS;
}

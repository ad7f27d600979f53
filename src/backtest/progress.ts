// The progress line of a backtest on a terminal.
import { LiveLine } from '../terminal/index.ts';
import type { ScenarioProgress } from './scenario-run.ts';

/** The least share of a run from which the remaining time is estimated. */
const LEAST_SHARE = 0.01;

/** A running scenario. `beganAt`: performance.now() ms. */
type RunningScenario = {
  readonly name: string;
  readonly beganAt: number;
  readonly shares: number[];
  frames: number;
  atMs: number;
};

/**
 * Shows the progress of all running scenarios in one line: share played, remaining time, frames per second.
 */
export class BacktestProgress {
  readonly #line: LiveLine;
  /** The share of each tape in all bytes. */
  readonly #weights: readonly number[];
  readonly #runs = new Set<RunningScenario>();
  readonly #all: number | undefined;
  readonly #beganAt = performance.now();
  #ended = 0;

  /** `runs`: the number of runs that the backtest will have. Undefined when unknown. */
  constructor(out: NodeJS.WriteStream, tapes: readonly { readonly bytes: number }[], runs: number | undefined) {
    this.#line = new LiveLine(out);
    this.#all = runs;
    const total = tapes.reduce((sum, { bytes }) => sum + bytes, 0);
    this.#weights = tapes.map(({ bytes }) => bytes / Math.max(1, total));
  }

  beginScenario(name: string): ScenarioProgress & { readonly end: () => void } {
    const beganAt = performance.now();
    const run: RunningScenario = { name, beganAt, shares: this.#weights.map(() => 0), frames: 0, atMs: Number.NaN };
    this.#runs.add(run);
    const draw = (): void => this.#line.draw((now) => this.#textAt(now));
    return {
      read: (tape, share) => {
        run.shares[tape] = share;
        draw();
      },
      show: ({ frames, atMs }) => {
        run.frames = frames;
        run.atMs = atMs;
        draw();
      },
      end: () => {
        this.#runs.delete(run);
        this.#ended += 1;
        if (this.#runs.size === 0) this.#line.clearLine();
      },
    };
  }

  #textAt(now: number): string {
    let perSecond = 0;
    let longest = 0;
    let played = this.#ended;
    const parts: string[] = [];
    for (const { name, beganAt, shares, frames } of this.#runs) {
      const seconds = (now - beganAt) / 1000;
      const share = shares.reduce((sum, readShare, tape) => sum + readShare * (this.#weights[tape] ?? 0), 0);
      parts.push(`${name} ${(share * 100).toFixed(0)} %`);
      perSecond += frames / seconds;
      played += share;
      longest = Math.max(longest, leftAfter(seconds, share));
    }
    const all = this.#all ?? 1;
    // with several runs, the estimate includes those that have not started
    const left = all > 1 ? leftAfter((now - this.#beganAt) / 1000, played / all) : longest;
    if (all > 1) parts.unshift(`${this.#ended} of ${all} runs`);
    if (Number.isFinite(left)) parts.push(`${left.toFixed(0)} s left`);
    const [only] = this.#runs.size === 1 ? this.#runs : [];
    if (only !== undefined && !Number.isNaN(only.atMs))
      parts.push(`${new Date(only.atMs).toISOString().slice(0, 19)}Z`);
    if (perSecond > 0) parts.push(`${Math.round(perSecond).toLocaleString('en')} frames/s`);
    return parts.join(' · ');
  }
}

/** The remaining seconds at the speed so far. */
const leftAfter = (seconds: number, share: number): number =>
  share < LEAST_SHARE ? Number.POSITIVE_INFINITY : (seconds / share) * Math.max(0, 1 - share);

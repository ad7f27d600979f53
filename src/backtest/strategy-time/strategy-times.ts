// How long the strategies took for one input, in virtual time: given, measured by a clock of the shell, or as
// an earlier run measured it.
import type { StrategyId } from '../../domain/index.ts';
import { OddsmakerError } from '../../domain/index.ts';

/** The time of each strategy for one input, ms. `ms`: of those that `byStrategy` does not name. */
export type GivenTimes = {
  readonly kind: 'given';
  readonly ms: number;
  readonly byStrategy: Readonly<Record<string, number>>;
};
/** Measured times of one run. */
export type RecordedTimes = {
  /** The name of the day or game that the run played. Empty: it played all tapes. */
  readonly part: string;
  readonly strategies: readonly string[];
  /** Three numbers for each strategy of a step: the step's number, the index of the strategy, microseconds. */
  readonly rows: readonly number[];
};

export type TimeSource =
  | GivenTimes
  | { readonly kind: 'measured'; readonly part: string }
  | { readonly kind: 'recorded'; readonly file: string; readonly times: RecordedTimes };

/** The port by which a run learns the time of its strategies. Calls are not nested. */
export interface StrategyTimes {
  enter(strategy: StrategyId): void;
  leave(): void;
  /** Ends a step. Returns the time that its strategies took together, ms; 0 when none ran. */
  endStep(seq: number): number;
  /** Ends the run. Returns what was measured; undefined when nothing was. */
  endRun(): RecordedTimes | undefined;
}

/** `clock`: a monotonic clock of the machine, ms. */
export function timesOf(source: TimeSource, clock: () => number): StrategyTimes {
  switch (source.kind) {
    case 'given':
      return new Given(source);
    case 'measured':
      return new Measured(source.part, clock);
    case 'recorded':
      return new Recorded(source);
  }
}

/** Whether a source delays nothing at all. */
export const isWithoutTime = (source: TimeSource): boolean =>
  source.kind === 'given' && source.ms === 0 && Object.values(source.byStrategy).every((ms) => ms === 0);

class Given implements StrategyTimes {
  readonly #times: GivenTimes;
  readonly #ran = new Set<StrategyId>();

  constructor(times: GivenTimes) {
    this.#times = times;
  }

  enter(strategy: StrategyId): void {
    this.#ran.add(strategy);
  }

  leave(): void {
    // the time of a call is given
  }

  endStep(): number {
    const { ms, byStrategy } = this.#times;
    let sum = 0;
    for (const strategy of this.#ran) sum += byStrategy[strategy] ?? ms;
    this.#ran.clear();
    return sum;
  }

  endRun(): undefined {
    return undefined;
  }
}

class Measured implements StrategyTimes {
  readonly #part: string;
  readonly #clock: () => number;
  readonly #strategies: string[] = [];
  readonly #rows: number[] = [];
  /** Times of this step, ms. */
  readonly #step = new Map<StrategyId, number>();
  #running: StrategyId | undefined;
  #since = 0;

  constructor(part: string, clock: () => number) {
    this.#part = part;
    this.#clock = clock;
  }

  enter(strategy: StrategyId): void {
    this.#running = strategy;
    this.#since = this.#clock();
  }

  leave(): void {
    if (this.#running === undefined) return;
    const ms = this.#clock() - this.#since;
    this.#step.set(this.#running, (this.#step.get(this.#running) ?? 0) + ms);
    this.#running = undefined;
  }

  endStep(seq: number): number {
    let sum = 0;
    for (const [strategy, ms] of this.#step) {
      const microseconds = Math.round(ms * 1000);
      this.#rows.push(seq, indexIn(this.#strategies, strategy), microseconds);
      sum += microseconds;
    }
    this.#step.clear();
    return sum / 1000;
  }

  endRun(): RecordedTimes {
    return { part: this.#part, strategies: this.#strategies, rows: this.#rows };
  }
}

function indexIn(names: string[], name: string): number {
  const known = names.indexOf(name);
  return known < 0 ? names.push(name) - 1 : known;
}

class Recorded implements StrategyTimes {
  readonly #file: string;
  readonly #times: RecordedTimes;
  readonly #ran = new Set<StrategyId>();
  #next = 0;

  constructor({ file, times }: Extract<TimeSource, { kind: 'recorded' }>) {
    this.#file = file;
    this.#times = times;
  }

  enter(strategy: StrategyId): void {
    this.#ran.add(strategy);
  }

  leave(): void {
    // the time of a call is recorded
  }

  /** @throws OddsmakerError TABLE_INVALID when the table has no time of a strategy that ran */
  endStep(seq: number): number {
    const { strategies, rows } = this.#times;
    let sum = 0;
    for (const strategy of this.#ran) {
      const [row, index = -1, microseconds = 0] = rows.slice(this.#next, this.#next + 3);
      if (row !== seq || strategies[index] !== strategy)
        throw this.#invalid(`it has no time of strategy ${strategy} in step ${seq}`);
      this.#next += 3;
      sum += microseconds;
    }
    this.#ran.clear();
    return sum / 1000;
  }

  /** @throws OddsmakerError TABLE_INVALID when the table has more than the run */
  endRun(): RecordedTimes {
    const { rows } = this.#times;
    if (this.#next < rows.length) throw this.#invalid(`no strategy ran in its step ${rows[this.#next]}`);
    return this.#times;
  }

  #invalid(problem: string): OddsmakerError {
    const part = this.#times.part === '' ? '' : ` on ${this.#times.part}`;
    return new OddsmakerError(
      'TABLE_INVALID',
      `${this.#file} is not of this run: ${problem}${part}; it repeats a run with the same configuration, strategies, tapes and flags`,
    );
  }
}

// Plays one job in all its scenarios and stores each result, in any thread. What passes between threads is
// small: results stay in their files.
import type { LoadedConfig, TransferredConfig } from '../../config/index.ts';
import type { Scenario } from '../../report/index.ts';
import type { Tape, TapeSpan } from '../../tape/index.ts';
import type { ScenarioJob, ScenarioProgress } from '../scenario-run.ts';
import { runJob } from '../scenario-run.ts';
import { splitRun } from './job-files.ts';
import { storeResult } from './job-store.ts';

/** A scenario of a job: the balance at its start, dollars, and the file of its result. */
export type ScenarioPart = {
  readonly scenario: Scenario;
  readonly balance: number;
  readonly file: string;
  readonly strategyTime: ScenarioJob['strategyTime'];
};

export type JobTask = {
  readonly job: Omit<ScenarioJob, 'fills' | 'balance' | 'strategyTime'>;
  readonly parts: readonly ScenarioPart[];
  readonly loaded: TransferredConfig;
};
export type SpanTask = { readonly tape: Tape; readonly lenient: boolean; readonly cache: 'make' | 'none' };
export type ThreadTask = JobTask | SpanTask;
/** `span`: of the tape that was read. */
export type ThreadDone = { readonly span?: TapeSpan };
/** The share of a task that was done, 0 … 1. */
export type ThreadMessage = number;

/**
 * Plays the scenarios one after the other, so that compiled code is used again. `progress`: receives the share
 * that was played, 0 … 1.
 * @throws OddsmakerError TAPE_INVALID, OUT_UNWRITABLE, STRATEGY_*
 */
export async function playJob(
  { job, parts }: Omit<JobTask, 'loaded'>,
  loaded: LoadedConfig,
  progress: (share: number) => void,
): Promise<void> {
  for (const [index, { scenario, balance, file, strategyTime }] of parts.entries()) {
    const beganAt = performance.now();
    const shares = sharesOf(job.tapes, (share) => progress((index + share) / parts.length));
    const done = await runJob({ ...job, fills: scenario, balance, strategyTime }, loaded, shares);
    const { run, ...files } = splitRun(scenario, done.run);
    storeResult(file, { balance, ms: Math.round(performance.now() - beganAt), done: { ...done, run }, ...files });
  }
}

/** Turns the shares of the tapes into one share, by their bytes. */
export function sharesOf(tapes: readonly Tape[], progress: (share: number) => void): ScenarioProgress {
  const bytes = tapes.reduce((sum, tape) => sum + tape.bytes, 0);
  const shares = tapes.map(() => 0);
  return {
    read: (tape, share) => {
      shares[tape] = share;
      progress(
        tapes.reduce((sum, { bytes: own }, index) => sum + (own * (shares[index] ?? 0)) / Math.max(1, bytes), 0),
      );
    },
    show: () => undefined,
  };
}

// The inputs of one job, from those of all.
import type { Results } from '../results-file.ts';
import type { ScenarioJob } from '../scenario-run.ts';
import type { Job } from './jobs.ts';

type Inputs = Pick<ScenarioJob, 'tapes' | 'reading' | 'fromMs' | 'results'>;

/** What a job reads: its tapes, its hours, the start of trading if it lies in them, the results of its games. */
export function inputsOf<All extends Inputs>(job: Job, { tapes, reading, fromMs, results, ...shared }: All) {
  return {
    ...shared,
    tapes: job.tapes.flatMap((tape) => tapes[tape] ?? []),
    reading: {
      ...reading,
      games: job.only === undefined ? reading.games : [job.only],
      // signals may be on tapes of more days
      hours: { fromMs: job.fromMs, toMs: job.toMs },
    },
    fromMs: fromMs !== undefined && fromMs > job.firstMs ? fromMs : undefined,
    results: resultsOf(job, results),
  };
}

/** The results of the games of a job. Undefined when nothing is settled. */
export const resultsOf = ({ games }: Job, results: Results | undefined): Results | undefined =>
  results === undefined
    ? undefined
    : new Map(
        games.flatMap((id) => {
          const result = results.get(id);
          return result === undefined ? [] : [[id, result]];
        }),
      );

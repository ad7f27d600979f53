// Plays the jobs of one scenario in turn, in this thread and with all fills in memory: the run of a point of a
// sweep.
import type { LoadedConfig } from '../../config/index.ts';
import { cents } from '../../run/index.ts';
import { BALANCE } from '../replay.ts';
import type { ScenarioJob, ScenarioProgress } from '../scenario-run.ts';
import { runJob } from '../scenario-run.ts';
import type { ScenarioRun } from '../scenario-types.ts';
import { summedOf } from './job-files.ts';
import { inputsOf } from './job-inputs.ts';
import { sharesOf } from './job-run.ts';
import type { Job } from './jobs.ts';
import { ScenarioSum } from './scenario-sum.ts';

/**
 * Plays the jobs one after the other; each begins with the balance that those before left. Without jobs, one run
 * plays all tapes. Games that `job.reading` leaves out are not played.
 * @throws OddsmakerError as `runJob` does
 */
export async function playInTurn(
  job: Omit<ScenarioJob, 'balance'>,
  jobs: readonly Job[] | undefined,
  loaded: LoadedConfig,
  { progress, observe }: { readonly progress: (share: number) => void } & Pick<ScenarioProgress, 'observe'>,
): Promise<ScenarioRun> {
  if (jobs === undefined) {
    const { run } = await runJob(job, loaded, { ...sharesOf(job.tapes, progress), observe });
    return run;
  }
  const wanted = job.reading.games === undefined ? undefined : new Set(job.reading.games);
  const played = jobs.filter(({ games }) => wanted === undefined || games.some((id) => wanted.has(id)));
  const frames = played.reduce((sum, own) => sum + own.frames, 0);
  const sum = new ScenarioSum(played, job.tapes.length);
  const fills: ScenarioRun['fills'][number][] = [];
  const markets: ScenarioRun['markets'][number][] = [];
  let done = 0;
  for (const own of played) {
    const before = done;
    done += own.frames;
    const inputs = inputsOf(own, job);
    const shares = sharesOf(inputs.tapes, (share) => progress((before + share * own.frames) / Math.max(1, frames)));
    const balance = cents(BALANCE + sum.brought);
    const ended = await runJob({ ...inputs, balance }, loaded, { ...shares, observe });
    sum.add(own, { done: ended, ms: 0, ...summedOf(ended.run) });
    fills.push(...ended.run.fills);
    markets.push(...ended.run.markets);
  }
  const { run } = sum.end([]).done;
  return { ...run, fills, markets, facts: { ...run.facts, fills } };
}

// Plays a backtest in jobs, several at once, and sums their results in the order of time. A job begins with the
// balance that every job is assumed to begin with. Afterwards, in order, a job whose behaviour depended on the
// balance is played again with the one that the jobs before it really left. So the result does not depend on
// the number of threads, and almost no job is played twice.
import { join } from 'node:path';
import { packConfig } from '../../config/index.ts';
import type { GameId } from '../../domain/index.ts';
import { isoTime } from '../../domain/index.ts';
import { makeFolder, ownModule } from '../../files/index.ts';
import type { Scenario } from '../../report/index.ts';
import { cents } from '../../run/index.ts';
import { sweepVersion } from '../../setup/index.ts';
import { BALANCE } from '../replay.ts';
import type { Candidate, Outcome, Played } from '../play.ts';
import { failureOf } from '../play.ts';
import type { ScenarioJob } from '../scenario-run.ts';
import type { TapeContents } from '../scenario-types.ts';
import { keyOfLatency, timeSourceOf } from '../strategy-time/latency-flag.ts';
import { inTurns, ThreadPool } from '../thread-pool.ts';
import { JobFiles } from './job-files.ts';
import type { JobTask, ScenarioPart, ThreadDone, ThreadMessage, ThreadTask } from './job-run.ts';
import { playJob } from './job-run.ts';
import type { StoredResult } from './job-files.ts';
import { JobStore } from './job-store.ts';
import type { Job } from './jobs.ts';
import { inputsOf, resultsOf } from './job-inputs.ts';
import { unitOf } from './jobs.ts';
import { JobsProgress } from './progress.ts';
import { ScenarioSum } from './scenario-sum.ts';

/** A season in two threads needs no new ones. Each job loads the strategy files once for each scenario. */
const MOST_JOBS = 100;

type Threads = ThreadPool<ThreadTask, ThreadDone, ThreadMessage>;
type On = {
  readonly ended: (candidate: Candidate, outcome: Outcome) => void;
  readonly untraded: (seen: TapeContents) => never;
};

/**
 * Plays all candidates, one after the other. `ended` is called for each; `untraded` when no event of the tapes
 * lies in the requested time. Rejects with the first failure; results of jobs that ended are kept.
 */
export async function playAllJobs(
  candidates: readonly Candidate[],
  played: Played,
  jobs: readonly Job[],
  { atOnce, inThreads }: { readonly atOnce: number; readonly inThreads: boolean },
  on: On,
): Promise<void> {
  const threads: Threads = new ThreadPool(ownModule('backtest/jobs/job-thread'), atOnce, MOST_JOBS);
  const progress = new JobsProgress(
    process.stderr,
    candidates.flatMap(() => jobs.map((job) => ({ ...job }))),
  );
  try {
    for (const candidate of candidates) {
      const player = new JobPlayer(candidate, played, jobs, inThreads ? threads : undefined, progress);
      const outcome = await player.play(atOnce, on.untraded);
      progress.clear();
      on.ended(candidate, outcome);
      player.close();
    }
  } finally {
    progress.clear();
    await threads.stop();
  }
}

class JobPlayer {
  readonly #candidate: Candidate;
  readonly #played: Played;
  readonly #jobs: readonly Job[];
  readonly #threads: Threads | undefined;
  readonly #progress: JobsProgress;
  readonly #store: JobStore;
  readonly #shared: string;

  constructor(
    candidate: Candidate,
    played: Played,
    jobs: readonly Job[],
    threads: Threads | undefined,
    progress: JobsProgress,
  ) {
    this.#candidate = candidate;
    this.#played = played;
    this.#jobs = jobs;
    this.#threads = threads;
    this.#progress = progress;
    const { reading, latency, signalLatency, seed, calibrated, keepsQuotes, keepsOrders, withJournal } = played;
    const { strategyLatency, withProfile } = played;
    const { lenient, depth, onlyMarket } = reading;
    const { loaded, code } = candidate;
    this.#shared = JSON.stringify([
      ...[sweepVersion(), loaded.config, loaded.file, code, lenient, depth, onlyMarket, latency, signalLatency],
      ...[seed, calibrated, keepsQuotes, keepsOrders, withJournal],
      ...(strategyLatency === undefined ? [] : [keyOfLatency(strategyLatency)]),
      ...(withProfile === true ? ['profile'] : []),
    ]);
    const keys = jobs.flatMap((job) => played.scenarios.map((scenario) => this.#keyOf(job, scenario)));
    // what an impure strategy did once says nothing about now
    const isPure = loaded.config.strategies.every(({ impure }) => !impure);
    this.#store = new JobStore(candidate.out, isPure ? keys : []);
  }

  async play(atOnce: number, untraded: On['untraded']): Promise<Outcome> {
    const beganAt = performance.now();
    const { scenarios } = this.#played;
    const missing = this.#jobs.map((job) => ({
      job,
      parts: scenarios.flatMap((scenario) => (this.#has(job, scenario) ? [] : [this.#partOf(job, scenario, BALANCE)])),
    }));
    const left = missing.filter(({ parts }) => parts.length > 0);
    for (const { job, parts } of missing) if (parts.length === 0) this.#progress.keep(job);
    if (left.length < this.#jobs.length)
      process.stderr.write(
        `oddsmaker: ${this.#jobs.length - left.length} of ${this.#jobs.length} ${unitOf(this.#jobs)} were played before, and are not played again\n`,
      );
    // the last days are split into their scenarios, so that no thread waits long for another
    const whole = left.slice(0, -atOnce);
    const split = left.slice(-atOnce).flatMap(({ job, parts }) => parts.map((part) => ({ job, parts: [part] })));
    const waiting = new Map(left.map(({ job, parts }) => [job, parts.length]));
    await inTurns(
      [...whole, ...split].map(({ job, parts }) => async () => {
        await this.#playParts(job, parts, (share) => this.#progress.share(job, share));
        const more = (waiting.get(job) ?? 0) - parts.length;
        waiting.set(job, more);
        if (more === 0) this.#progress.end(job);
      }),
      atOnce,
    );
    return this.#outcome(beganAt, untraded);
  }

  /** Removes the results of the jobs. */
  close(): void {
    this.#store.remove();
  }

  /** Sums the results in the order of time, and plays again what the balance would have changed. */
  async #outcome(beganAt: number, untraded: On['untraded']): Promise<Outcome> {
    const { scenarios, tapes, calibrated } = this.#played;
    const files = new JobFiles(this.#store.folder);
    const ended: Outcome['ended'][number][] = [];
    const clv = new Map<Scenario, number | null>();
    for (const scenario of scenarios) {
      const sum = new ScenarioSum(this.#jobs, tapes.length);
      for (const job of this.#jobs) {
        const result = await this.#resultOf(job, scenario, cents(BALANCE + sum.brought));
        sum.add(job, result);
        files.add(result);
      }
      const { done, ms, clv: ownClv } = sum.end(this.#gamesNotOnTapes());
      if (done.run.traded === undefined) untraded(done.run.seen);
      clv.set(scenario, ownClv);
      ended.push({ scenario, ...done, ms });
    }
    const jobs = {
      independent: this.#jobs.some(({ only }) => only !== undefined),
      played: this.#jobs.map(({ name, games, toMs }) => ({ name, games: games.length, to: isoTime(toMs) })),
    };
    return { ended, calibrated, calibration: undefined, beganAt, inJobs: { jobs, drafts: files.drafts, clv } };
  }

  /** The result of a job that began with this balance, dollars. */
  async #resultOf(job: Job, scenario: Scenario, balance: number): Promise<StoredResult> {
    const stored = this.#store.read(this.#keyOf(job, scenario));
    if (!this.#isOtherWith(stored, balance)) return stored;
    await this.#playParts(job, [this.#partOf(job, scenario, balance)], () => undefined);
    return this.#store.read(this.#keyOf(job, scenario));
  }

  /** Whether the run would have gone differently with this balance. */
  #isOtherWith({ balance: assumed, done }: StoredResult, balance: number): boolean {
    const { maxCreditUse } = this.#candidate.loaded.config.risk;
    return balance !== assumed && done.run.merge.spareCredit + (balance - assumed) * maxCreditUse < 0;
  }

  async #playParts(job: Job, parts: readonly ScenarioPart[], progress: (share: number) => void): Promise<void> {
    const { loaded } = this.#candidate;
    const task: Omit<JobTask, 'loaded'> = { job: this.#scenarioJob(job), parts };
    try {
      if (this.#threads === undefined) await playJob(task, loaded, progress);
      else await this.#threads.run({ ...task, loaded: packConfig(loaded) }, { onMessage: progress });
    } catch (error) {
      throw failureOf(this.#candidate, error);
    }
  }

  #scenarioJob(job: Job): JobTask['job'] {
    const {
      scenarios: _scenarios,
      real: _real,
      strategyLatency: _latency,
      withJournal,
      withProfile,
      ...shared
    } = this.#played;
    const own = join(this.#candidate.out, folderOf(job));
    if (withJournal) makeFolder(own);
    const folders = {
      journalIn: withJournal ? own : undefined,
      profileIn: withProfile === true ? own : undefined,
    };
    return { ...inputsOf(job, shared), code: this.#candidate.code, ...folders } satisfies Omit<
      ScenarioJob,
      'fills' | 'balance' | 'strategyTime'
    >;
  }

  #partOf(job: Job, scenario: Scenario, balance: number): ScenarioPart {
    const strategyTime = timeSourceOf(this.#played.strategyLatency, scenario, job.name);
    return { scenario, balance, file: this.#store.fileOf(this.#keyOf(job, scenario)), strategyTime };
  }

  #has(job: Job, scenario: Scenario): boolean {
    return this.#store.has(this.#keyOf(job, scenario));
  }

  /** All that decides the result of a job, except the balance. */
  #keyOf(job: Job, scenario: Scenario): string {
    const { tapes, fromMs, toMs, results } = this.#played;
    return JSON.stringify([
      this.#shared,
      scenario,
      job.tapes.map((tape) => tapes[tape]?.sha256),
      ...[job.name, job.only, job.fromMs, job.toMs, fromMs, toMs],
      [...(resultsOf(job, results) ?? [])],
    ]);
  }

  #gamesNotOnTapes(): readonly GameId[] {
    const games = new Set(this.#jobs.flatMap((job) => job.games));
    return [...(this.#played.results?.keys() ?? [])].filter((id) => !games.has(id));
  }
}

/** The folder of the journals and profiles of a job, within --out. An id may have any letters. */
const folderOf = ({ name }: Pick<Job, 'name'>): string => encodeURIComponent(name).replaceAll('.', '%2E');

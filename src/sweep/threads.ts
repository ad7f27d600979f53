// Plays the points of a sweep in threads of this process, and plays the best points again for their reports.
import type { Judgement } from './judge.ts';
import { problemOf } from './outcome.ts';
import { objectiveText } from './objective.ts';
import type { Task } from './point.ts';
import { settingsText, taskOf } from './point.ts';
import type { ResultsLog } from './results-log.ts';
import { limitations, reportHtml } from '../report/index.ts';
import { isoTime } from '../domain/index.ts';
import type { OpenBundle, PointDone, PointReport } from './point-run.ts';
import { PointThreads } from './point-threads.ts';
import { unpackStrategies } from '../setup/index.ts';
import type { Plan } from './plan.ts';
import { BEST } from './report-json.ts';
import type { SweepProgress } from './progress.ts';
import type { Players } from './queue-points.ts';
import { inTurns, latencyTextOf } from '../backtest/index.ts';

export type ThreadOptions = {
  /** The folder from which packages that strategies import are resolved. */
  readonly home: string;
  readonly threads: number;
  readonly budgetMs: number;
};

/** Threads of this process, started with the first points that they play and kept until `close`. */
export class PlanThreads {
  readonly #plan: Plan;
  readonly #options: ThreadOptions;
  readonly #progress: SweepProgress;
  #opened: { readonly threads: PointThreads; readonly open: OpenBundle; readonly unpack: () => void } | undefined;

  constructor(plan: Plan, options: ThreadOptions, progress: SweepProgress) {
    this.#plan = plan;
    this.#options = options;
    this.#progress = progress;
  }

  /** Plays tasks, as many at once as there are threads. */
  async play(tasks: readonly Task[], ended: (task: Task, done: PointDone) => void, withReport?: true): Promise<void> {
    if (tasks.length === 0) return;
    this.#opened ??= this.#start();
    const { threads, open } = this.#opened;
    const { budgetMs, threads: atOnce } = this.#options;
    const jobs = tasks.map((task) => async () => {
      const { point, games, key } = task;
      const job = { open, settings: point.settings, games, ...(withReport === true ? { withReport } : {}) };
      ended(task, await threads.play(job, budgetMs, (share) => this.#progress.share(key, share)));
    });
    await inTurns(jobs, Math.min(atOnce, tasks.length));
  }

  #start() {
    const { bundle, tapes } = this.#plan;
    const { home, threads } = this.#options;
    const unpacked = unpackStrategies('the sweep', bundle.strategies, home);
    const open: OpenBundle = { bundle, tapes, home, files: unpacked.files, folder: unpacked.folder };
    return { threads: new PointThreads(threads), open, unpack: unpacked.close };
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await opened?.threads.stop();
    opened?.unpack();
  }
}

export const localPlayers = (threads: PlanThreads, progress: SweepProgress): Players => ({
  play: (tasks, ended) =>
    threads.play(tasks, (task, { outcome }) => {
      ended(task, outcome);
      progress.ended(task.key, problemOf(outcome) !== '');
    }),
  end: () => Promise.resolve(),
  close: () => undefined,
});

/**
 * Writes `best-1.html` … for the best points. They are played again here, wherever they were played before;
 * the log compares the new result with the first. `trials`: the number of points that were started.
 */
export async function bestReports(
  plan: Plan,
  judgement: Judgement | undefined,
  log: ResultsLog,
  threads: PlanThreads,
  progress: SweepProgress,
  trials: number,
): Promise<Readonly<Record<string, string>>> {
  const known = judgement?.ranked.filter(({ figure }) => figure !== undefined) ?? [];
  const best = known.slice(0, BEST).map(({ point }) => taskOf(plan.inputs, point, plan.search.judgedGames));
  const files: Record<string, string> = {};
  progress.beginSweep('reports of the best: ', best.length, best.length);
  await threads.play(
    best,
    (task, { outcome, report }) => {
      log.addResult(task, outcome);
      const place = best.indexOf(task) + 1;
      const name = `best-${place}.html`;
      if (report !== undefined) files[name] = pageOf(plan, task, report, { place, trials });
      else progress.note(`${name} is not written: ${problemOf(outcome)}`);
    },
    true,
  );
  progress.endSweep();
  return Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const strategyInput = ({ strategyLatency }: Plan['bundle']): readonly (readonly [string, string])[] =>
  strategyLatency === undefined ? [] : [['latency of strategies', latencyTextOf(strategyLatency)]];

function pageOf(
  plan: Plan,
  { point }: Task,
  { scenario, traded }: PointReport,
  { place, trials }: { readonly place: number; readonly trials: number },
): string {
  const { bundle, search, objective, settings } = plan;
  const scenarios = { [bundle.scenario]: scenario };
  return reportHtml({
    report: 2,
    title: `${place} of ${trials}: ${settingsText(point)}`,
    from: traded === undefined ? null : isoTime(traded.fromMs),
    to: traded === undefined ? null : isoTime(traded.toMs),
    inputs: [
      ['configuration', bundle.configFile],
      ...point.settings.map(({ name, text }) => [name, text] as const),
      ['point', `${point.number} of a ${search.kind} sweep of ${trials}, by ${objectiveText(objective)}`],
      ['tapes', bundle.tapes.map(({ name }) => name).join(', ')],
      ['latency, one way', String(settings['latency'])],
      ['latency of signals', String(settings['signalLatency'])],
      ...strategyInput(bundle),
      ['version', bundle.version],
    ],
    scenarios,
    limitations: [
      `This is number ${place} of ${trials} settings that were tried on these tapes: it looks better than it is. sweep.json says by how much.`,
      ...limitations(scenarios, true),
    ],
  });
}

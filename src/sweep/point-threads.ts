// Plays points in threads of this process. When a thread ends unexpectedly, that is the outcome of its point.
import { OddsmakerError, messageOf } from '../domain/index.ts';
import type { PointDone, PointJob } from './point-run.ts';
import { ThreadPool } from '../backtest/index.ts';
import { ownModule } from '../files/index.ts';

export class PointThreads {
  readonly #pool: ThreadPool<PointJob, PointDone, number>;
  #isStopped = false;

  constructor(atOnce: number) {
    this.#pool = new ThreadPool(ownModule('sweep/point-thread'), atOnce);
  }

  /** Plays a point. Rejects after `stop`. */
  async play(job: PointJob, budgetMs: number, progress?: (share: number) => void): Promise<PointDone> {
    try {
      return await this.#pool.run(job, { budgetMs, ...(progress === undefined ? {} : { onMessage: progress }) });
    } catch (error) {
      if (this.#isStopped) throw error;
      if (error instanceof OddsmakerError)
        return { outcome: { status: 'failed', code: error.code, problem: error.message } };
      // an error in a callback, an unhandled rejection, or out of memory
      const problem = `its thread ended: ${messageOf(error).split('\n')[0] ?? ''}`;
      return {
        outcome: {
          status: 'failed',
          code: 'STRATEGY_INVALID',
          problem: problem.replaceAll(`${job.open.folder}/`, ''),
        },
      };
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#pool.stop();
  }
}

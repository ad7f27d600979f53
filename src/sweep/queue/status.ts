// Sweeps with their points, and workers, as Redis shows them. Nothing here is acted on, so no key is needed.
import { Queue } from 'bullmq';
import { printable } from '../../domain/index.ts';
import type { SweepNotice, WorkerNotice } from './board.ts';
import { Board, noticeIn, PREFIX, queueOf } from './board.ts';
import type { RedisLink } from './redis-link.ts';

export type SweepStatus = Pick<SweepNotice, 'id' | 'name' | 'version' | 'points' | 'since'> & {
  readonly waiting: number;
  readonly running: number;
  /** Results that the sweep has not collected yet: it is slow, or it is not running. */
  readonly untaken: number;
  readonly refusals: Readonly<Record<string, string>>;
};

export type QueueStatus = {
  readonly sweeps: readonly SweepStatus[];
  readonly workers: readonly WorkerNotice[];
};

/** @throws OddsmakerError QUEUE_* */
export async function queueStatus(link: RedisLink): Promise<QueueStatus> {
  const board = new Board(link);
  const sweeps: SweepStatus[] = [];
  for (const [id, sealed] of await board.sweeps()) {
    const notice = noticeIn(sealed.slice(sealed.indexOf(' ') + 1));
    if (notice === undefined) continue;
    const queue = new Queue(queueOf(id), { connection: link.client, prefix: PREFIX });
    queue.on('error', () => undefined);
    const counts = await link.ask(
      queue.getJobCounts('wait', 'active', 'completed', 'failed', 'delayed', 'prioritized'),
    );
    await queue.close();
    const countOf = (name: string): number => counts[name] ?? 0;
    sweeps.push({
      id: printable(id),
      name: printable(notice.name),
      version: printable(notice.version),
      points: notice.points,
      since: notice.since,
      waiting: countOf('wait') + countOf('delayed') + countOf('prioritized'),
      running: countOf('active'),
      untaken: countOf('completed') + countOf('failed'),
      refusals: await board.refusals(id),
    });
  }
  return { sweeps: sweeps.sort((a, b) => a.since - b.since), workers: await board.workers(Date.now()) };
}

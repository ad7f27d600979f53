// When each tape and each of its games have events, by the compact forms of the tapes. Tapes without one are read,
// several at once, which makes it: the jobs do not decode them again.
import { ownModule } from '../../files/index.ts';
import type { Tape, TapeSpan } from '../../tape/index.ts';
import { NO_EVENTS, readSpan, storedSpanOf } from '../../tape/index.ts';
import { BacktestProgress } from '../progress.ts';
import { inTurns, ThreadPool } from '../thread-pool.ts';
import type { Job, Splitting } from './jobs.ts';
import { jobsOf } from './jobs.ts';
import type { SpanTask, ThreadDone, ThreadMessage, ThreadTask } from './job-run.ts';

/**
 * Splits tapes into jobs. Undefined when one run plays all of them: a single file, or files whose games all
 * belong together. `threads`: tapes read at once.
 * @throws OddsmakerError TAPE_INVALID
 */
export async function readJobs(
  tapes: readonly Tape[],
  { startsAtMs, isIndependent, ...reading }: Omit<SpanTask, 'tape'> & Splitting & { readonly threads: number },
): Promise<readonly Job[] | undefined> {
  if (tapes.length < 2 && !isIndependent) return undefined;
  const spans = await readSpans(tapes, reading);
  const jobs = jobsOf(spans, { startsAtMs, isIndependent });
  return jobs.length > (isIndependent ? 0 : 1) ? jobs : undefined;
}

async function readSpans(
  tapes: readonly Tape[],
  { threads: atOnce, ...reading }: Omit<SpanTask, 'tape'> & { readonly threads: number },
): Promise<readonly TapeSpan[]> {
  const shown = new BacktestProgress(process.stderr, tapes, undefined).beginScenario('reading the tapes');
  const threads = new ThreadPool<ThreadTask, ThreadDone, ThreadMessage>(ownModule('backtest/jobs/job-thread'), atOnce);
  const spans = tapes.map((tape) => storedSpanOf(tape, reading));
  const read = async (tape: Tape, index: number): Promise<void> => {
    const progress = (share: number): void => shown.read(index, share);
    if (atOnce === 1) spans[index] = await readSpan(tape, { ...reading, progress });
    else ({ span: spans[index] } = await threads.run({ tape, ...reading }, { onMessage: progress }));
    progress(1);
  };
  try {
    const unread = tapes.flatMap((tape, index) => (spans[index] === undefined ? [{ tape, index }] : []));
    await inTurns(
      unread.map(
        ({ tape, index }) =>
          () =>
            read(tape, index),
      ),
      atOnce,
    );
    return spans.map((span) => span ?? NO_EVENTS);
  } finally {
    shown.end();
    await threads.stop();
  }
}

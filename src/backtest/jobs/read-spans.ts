// Reads when each tape and each of its games have events, several tapes at once. This also makes the compact
// forms of the tapes, so the jobs do not decode them again.
import { ownModule } from '../../files/index.ts';
import type { Tape, TapeSpan } from '../../tape/index.ts';
import { BacktestProgress } from '../progress.ts';
import { inTurns, ThreadPool } from '../thread-pool.ts';
import type { SpanTask, ThreadDone, ThreadMessage, ThreadTask } from './job-run.ts';
import { readSpan } from './job-run.ts';

/** @throws OddsmakerError TAPE_INVALID */
export async function readSpans(
  tapes: readonly Tape[],
  { threads: atOnce, ...reading }: Omit<SpanTask, 'tape'> & { readonly threads: number },
): Promise<readonly TapeSpan[]> {
  const shown = new BacktestProgress(process.stderr, tapes, undefined).beginScenario('reading the tapes');
  const threads = new ThreadPool<ThreadTask, ThreadDone, ThreadMessage>(ownModule('backtest/jobs/job-thread'), atOnce);
  const spans: TapeSpan[] = [];
  const read = async (tape: Tape, index: number): Promise<void> => {
    const progress = (share: number): void => shown.read(index, share);
    const { span } =
      atOnce > 1
        ? await threads.run({ tape, ...reading }, { onMessage: progress })
        : { span: await readSpan({ tape, ...reading }, progress) };
    if (span !== undefined) spans[index] = span;
    progress(1);
  };
  try {
    await inTurns(
      tapes.map((tape, index) => () => read(tape, index)),
      atOnce,
    );
    return spans;
  } finally {
    shown.end();
    await threads.stop();
  }
}

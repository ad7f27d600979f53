// A thread for the tests of the thread pool: its jobs answer, fail, hang or exit.
import { threadId } from 'node:worker_threads';
import { inThread } from '../../src/backtest/thread-side.ts';
import { OddsmakerError } from '../../src/domain/index.ts';

export type PoolJob = 'which thread' | 'send' | 'loop' | 'refuse' | 'throw' | 'reject' | 'exit' | 'throw later';

const jobs: Readonly<Record<PoolJob, (send: (text: string) => void) => Promise<unknown> | undefined>> = {
  'which thread': () => undefined,
  send: async (send) => {
    send('one');
    send('two');
    await new Promise((resolve) => setTimeout(resolve, 20));
  },
  loop: () => {
    for (;;);
  },
  refuse: () => {
    throw new OddsmakerError('TAPE_INVALID', 'no such tape');
  },
  throw: () => {
    throw new TypeError('a bug');
  },
  reject: () => {
    void Promise.reject(new Error('not caught'));
    return new Promise(() => undefined);
  },
  exit: () => process.exit(3),
  'throw later': () => {
    setTimeout(() => {
      throw new Error('too late');
      // after the answer of the job has arrived, also on a busy machine
    }, 100);
    return undefined;
  },
};

/** Runs a job and answers with its thread. */
export const handle = inThread<PoolJob, number, string>(async (job, send) => {
  await jobs[job](send);
  return threadId;
});

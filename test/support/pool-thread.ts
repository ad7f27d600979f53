// A thread for the tests of the thread pool: its jobs answer, fail, hang or exit.
import { threadId } from 'node:worker_threads';
import { inThread } from '../../src/backtest/thread-side.ts';
import { OddsmakerError } from '../../src/domain/index.ts';

export type PoolJob = 'which thread' | 'tell' | 'loop' | 'refuse' | 'throw' | 'reject' | 'exit' | 'leave a bomb';

const jobs: Readonly<Record<PoolJob, (send: (text: string) => void) => Promise<unknown> | undefined>> = {
  'which thread': () => undefined,
  tell: async (send) => {
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
    void Promise.reject(new Error('nobody caught it'));
    return new Promise(() => undefined);
  },
  exit: () => process.exit(3),
  'leave a bomb': () => {
    setTimeout(() => {
      throw new Error('too late');
    }, 1);
    return undefined;
  },
};

/** Runs a job and answers with its thread. */
export const handle = inThread<PoolJob, number, string>(async (job, send) => {
  await jobs[job](send);
  return threadId;
});

// A thread of the pool's own tests: it does what it is asked, good and bad.
import { threadId } from 'node:worker_threads';
import { inThread } from '../../src/backtest/thread-side.ts';
import { OddsmakerError } from '../../src/domain/index.ts';

export type PoolJob = 'which thread' | 'tell' | 'loop' | 'refuse' | 'throw' | 'reject' | 'exit' | 'leave a bomb';

const deeds: Readonly<Record<PoolJob, (tell: (told: string) => void) => Promise<unknown> | undefined>> = {
  'which thread': () => undefined,
  tell: async (tell) => {
    tell('one');
    tell('two');
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

/** Answers with the thread that did it. */
export const handle = inThread<PoolJob, number, string>(async (job, tell) => {
  await deeds[job](tell);
  return threadId;
});

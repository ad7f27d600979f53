// Ctrl-C and its like while something is written: what is not whole is taken away, and what is left is said.
import { leave } from '../strategy/host/index.ts';
import { STOPPED_BY } from '../ops/index.ts';

/** As shells tell of a Ctrl-C. */
const INTERRUPTED = 130;

/** Runs `work`; a signal meanwhile ends the process. `left`: what there is then, in words. */
export async function unlessInterrupted<T>(left: () => string, work: () => Promise<T>): Promise<T> {
  const stop = (): never => {
    process.stderr.write(`\noddsmaker: interrupted; ${left()}\n`);
    return leave(INTERRUPTED);
  };
  for (const signal of STOPPED_BY) process.on(signal, stop);
  try {
    return await work();
  } finally {
    for (const signal of STOPPED_BY) process.off(signal, stop);
  }
}

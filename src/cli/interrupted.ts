// Interruption while a command writes: the exit handlers remove half-written files, and the message says what
// is left.
import { leave } from '../strategy/host/index.ts';
import { STOPPED_BY } from '../ops/index.ts';

/** Exit code of a shell after Ctrl-C. */
const INTERRUPTED = 130;

/** Runs `work`. A signal meanwhile ends the process. @param left describes what is left on disk then */
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

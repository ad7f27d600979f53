// Yields to the event loop in a long computation, so that process signals are handled soon, however slow a
// strategy is. Turns are taken by wall time, because a turn costs as much as a step. Promises of strategies
// continue at each yield, with or without a turn; so yields are placed by the tape, and the clock decides
// only on the turns.
import { setImmediate } from 'node:timers/promises';

const EVERY_MS = 5;

/** Resolves when every promise that can continue without a turn has continued. */
const settled = (): Promise<void> =>
  new Promise((resolve) => {
    process.nextTick(resolve);
  });

export class LoopYield {
  #dueAt = performance.now() + EVERY_MS;

  async yieldIfDue(): Promise<void> {
    if (performance.now() < this.#dueAt) {
      await settled();
      return;
    }
    await setImmediate();
    this.#dueAt = performance.now() + EVERY_MS;
  }
}

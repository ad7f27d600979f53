// Turns of the event loop in a long computation: a signal is heard soon, however slow a strategy is. By wall time, since a
// turn costs as much as a step. What a strategy left in a promise runs at the next breath, whether it is a turn or not: so
// breaths are taken where the tape says, and the clock decides on the turns alone.
import { setImmediate } from 'node:timers/promises';

const EVERY_MS = 5;

/** Every promise that can go on without a turn has gone on. */
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

// Node handles signals between two turns of the event loop, so a strategy that never returns would block
// Ctrl-C. A second thread watches the loop. When the loop stands still, the thread prints the running line
// and removes the signal handlers, so that signals end the process by default.
import { Worker } from 'node:worker_threads';
import { ownModule } from '../files/index.ts';

/** Index of the loop counter in the array that both threads share. */
export const TURNS = 0;

export type WatchedLoop = {
  readonly turns: Int32Array<SharedArrayBuffer>;
  /** Signals with handlers. They end the process once the loop stands still. */
  readonly signals: readonly NodeJS.Signals[];
};

const ENTRY = ownModule('live/stuck-loop-thread');
const TICK_MS = 250;

/**
 * Watches the event loop of the process and handles these signals. A signal that arrives while the loop
 * stands still, before the thread has noticed, is lost: the printed message asks to send it again.
 *
 * @returns a function that ends the watch
 */
export function watchLoop(signals: readonly NodeJS.Signals[], onSignal: () => void): () => void {
  const watched: WatchedLoop = { turns: new Int32Array(new SharedArrayBuffer(4)), signals };
  // called again on each tick, because the thread removes the handlers when the loop stands still
  const listen = (): void => {
    for (const signal of signals) if (!process.listeners(signal).includes(onSignal)) process.on(signal, onSignal);
  };
  listen();
  const timer = setInterval(() => {
    Atomics.add(watched.turns, TURNS, 1);
    listen();
  }, TICK_MS).unref();
  const thread = new Worker(ENTRY, { workerData: watched });
  thread.unref();
  return () => {
    clearInterval(timer);
    for (const signal of signals) process.off(signal, onSignal);
    void thread.terminate();
  };
}

// Signals are heard between two turns of the event loop: a strategy that never returns would keep Ctrl-C waiting for
// ever. A thread looks on. When the loop stands still it tells which line runs, and leaves signals to do what they do to
// a process that does not listen to them.
import { Worker } from 'node:worker_threads';

/** In the order of the array that both threads share. */
export const TURNS = 0;

export type WatchedLoop = {
  readonly turns: Int32Array<SharedArrayBuffer>;
  /** Listened to here; they end the process once the loop stands still. */
  readonly signals: readonly NodeJS.Signals[];
};

const ENTRY = new URL(import.meta.url.replace(/stuck-loop(\.[jt]s)$/, 'stuck-loop-thread$1'));
const TURN_MS = 250;

/**
 * Watches the event loop of the process, and listens to these signals, until what it returns is called. A signal that came while
 * the loop stood still, and before the thread saw that, is lost: whoever sent it is told to send it again.
 */
export function watchLoop(signals: readonly NodeJS.Signals[], heard: () => void): () => void {
  const watched: WatchedLoop = { turns: new Int32Array(new SharedArrayBuffer(4)), signals };
  // also when the loop turns again after it stood still
  const listen = (): void => {
    for (const signal of signals) if (!process.listeners(signal).includes(heard)) process.on(signal, heard);
  };
  listen();
  const timer = setInterval(() => {
    Atomics.add(watched.turns, TURNS, 1);
    listen();
  }, TURN_MS).unref();
  const thread = new Worker(ENTRY, { workerData: watched });
  thread.unref();
  return () => {
    clearInterval(timer);
    for (const signal of signals) process.off(signal, heard);
    void thread.terminate();
  };
}

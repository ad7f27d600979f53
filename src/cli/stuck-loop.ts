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

/** Watches the event loop of the process until what it returns is called. */
export function watchLoop(signals: readonly NodeJS.Signals[]): () => void {
  const watched: WatchedLoop = { turns: new Int32Array(new SharedArrayBuffer(4)), signals };
  const timer = setInterval(() => Atomics.add(watched.turns, TURNS, 1), TURN_MS).unref();
  const thread = new Worker(ENTRY, { workerData: watched });
  thread.unref();
  return () => {
    clearInterval(timer);
    void thread.terminate();
  };
}

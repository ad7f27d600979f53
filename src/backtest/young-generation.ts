// Keeps the young generation of the heap small in a long computation. V8 doubles it whenever enough objects
// survived since the last time, up to 128 MB. In a backtest each event of the tape survives once, because of
// the look-ahead, so it would get there without any gain.
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { isMainThread } from 'node:worker_threads';

/** With less, much survives that is garbage soon after. Both halves of the space count. */
const MOST_BYTES = 8 * 1024 * 1024;
/** The same as a limit of a thread, which counts three halves. */
export const THREAD_LIMITS = { maxYoungGenerationSizeMb: 12 };

/** Whether V8 may double it now. A flag of the process, not of one run. */
let mayGrow = true;

/**
 * Lets the young generation grow only while it is small. To be called some times a second, in the main thread:
 * other threads have THREAD_LIMITS.
 */
export function limitYoungGeneration(): void {
  if (!isMainThread) return;
  const isSmall = (getHeapSpaceStatistics().find(isYoung)?.space_size ?? 0) < MOST_BYTES;
  if (isSmall === mayGrow) return;
  mayGrow = isSmall;
  setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
}

const isYoung = ({ space_name: name }: { readonly space_name: string }): boolean => name === 'new_space';

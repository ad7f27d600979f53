// The profilers of V8, for the thread that plays a run: where its time goes, and what allocates. They take
// samples and change nothing that the run computes.
import type { HeapProfiler, Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import { setFlagsFromString } from 'node:v8';

/** Microseconds between two samples of the time. */
export const SAMPLE_MICROSECONDS = 250;
/** Bytes between two samples of what is allocated, on average. */
export const SAMPLE_BYTES = 128 * 1024;

export type RawProfile = {
  readonly cpu: Profiler.Profile;
  readonly heap: HeapProfiler.SamplingHeapProfile;
};

export type Profilers = {
  readonly stop: () => Promise<RawProfile>;
  /** Stops them without a result. */
  readonly cancel: () => void;
};

/**
 * Compiled functions that are merged with their callers have no samples of their own, and their lines would
 * count to the caller's file. Without merging, a backtest takes as long.
 */
const WITHOUT_MERGING = ['--no-maglev-inlining', '--no-turbo-inlining'] as const;

/** Starts both profilers. */
export async function startProfilers(): Promise<Profilers> {
  for (const flag of WITHOUT_MERGING) setFlagsFromString(flag);
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROSECONDS });
  await session.post('HeapProfiler.startSampling', {
    samplingInterval: SAMPLE_BYTES,
    // all that was allocated, not only what is left at the end
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  await session.post('Profiler.start');
  return {
    stop: async () => {
      const { profile: cpu } = await session.post('Profiler.stop');
      const { profile: heap } = await session.post('HeapProfiler.stopSampling');
      session.disconnect();
      return { cpu, heap };
    },
    cancel: () => session.disconnect(),
  };
}

// The profilers of V8, for the thread that plays a run: where its time goes, and what allocates. They take
// samples and change nothing that the run computes.
import type { HeapProfiler, Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';

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

/** Starts both profilers. */
export async function startProfilers(): Promise<Profilers> {
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

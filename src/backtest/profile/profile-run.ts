// Profiles one run in its thread, and writes what the profilers of V8 recorded into a folder. Chrome DevTools
// opens both files.
import type { CoreSettings } from '../../engine/index.ts';
import type { Scenario } from '../../report/index.ts';
import { profilesOf } from '../../report/index.ts';
import type { ModuleGeneration, StrategyModule } from '../../strategy/host/index.ts';
import { writeInto } from '../out.ts';
import { attributed } from './attribute.ts';
import { markedStrategies } from './marked-strategies.ts';
import type { RunProfile } from './run-profile.ts';

export type ProfiledRun = {
  /** The settings with strategies that the profile can distinguish. They decide the same. */
  readonly marked: (settings: CoreSettings) => CoreSettings;
  /** @throws OddsmakerError OUT_UNWRITABLE */
  readonly end: () => Promise<RunProfile>;
  /** Ends without a profile: the run failed. */
  readonly cancel: () => void;
};

/** Starts to profile this thread. `out`: the folder for the files. */
export async function startProfile(
  out: string,
  scenario: Scenario,
  modules: readonly StrategyModule[],
  generation: ModuleGeneration,
): Promise<ProfiledRun> {
  // most backtests need no inspector
  const { startProfilers } = await import('./profiler.ts');
  const calls = new Map<string, number>();
  const profilers = await startProfilers();
  return {
    marked: (settings) => markedStrategies(settings, calls),
    end: async () => {
      const raw = await profilers.stop();
      const [times, allocations] = profilesOf(scenario);
      writeInto(out, times, JSON.stringify(raw.cpu));
      writeInto(out, allocations, JSON.stringify({ head: raw.heap.head, samples: [] }));
      return attributed(raw, modules, generation, calls);
    },
    cancel: () => profilers.cancel(),
  };
}

// Decides whether a run after a crash continues by itself (rules.md, 14), as far as that is known before the
// account is read.
import type { AfterCrash } from '../domain/index.ts';
import type { Fence } from './fence.ts';
import type { Crash, KeptState } from './standing-file.ts';

const MOST_CRASHES = 3;
const WITHIN_MS = 10 * 60_000;

export type CrashFacts = {
  readonly onCrash: 'resume' | 'wait';
  /** The bot that ended without an orderly end. */
  readonly dead: { readonly pid: number; readonly id: string };
  readonly now: number;
  readonly fence: Fence | undefined;
  readonly kept: Pick<KeptState, 'crashes'>;
  readonly runs: readonly string[];
};

/** Decides whether to wait. `crashes`: the list to keep. */
export function afterCrash(facts: CrashFacts): {
  readonly after: AfterCrash;
  readonly crashes: readonly Crash[];
} {
  const { onCrash, dead, now, fence, kept, runs } = facts;
  const { pid, id } = dead;
  // a start that sent nothing leaves the former crash in place, to be found again; `abs`: a clock that
  // stepped back hides none
  const recent = kept.crashes.filter((crash) => Math.abs(now - crash.at) < WITHIN_MS && crash.id !== id);
  const known = kept.crashes.find((crash) => crash.id === id && Math.abs(now - crash.at) < WITHIN_MS);
  const crashes = [...recent, known ?? { id, at: now }];
  const wait =
    fence !== undefined && fence.hung
      ? `the guard fenced a bot that hung: ${fence.why}`
      : onCrash === 'wait'
        ? 'a run was gone without an orderly end (onCrash: wait)'
        : crashes.length >= MOST_CRASHES
          ? `${crashes.length} runs in ten minutes were gone without an orderly end`
          : undefined;
  return {
    after: { pid, crashes: crashes.length, ...(wait === undefined ? {} : { wait }), runs },
    crashes,
  };
}

// Flattens sums by phase and league into the rows of a `Sample`.
import type { Phase } from '../domain/index.ts';
import { PHASES } from '../domain/index.ts';

/** Returns one row for each phase and league. @param sumsIn the sums of a phase, by league */
export const leagueRows = <Sums extends object>(
  sumsIn: (phase: Phase) => Readonly<Record<string, Sums>>,
): readonly (Sums & { readonly phase: Phase; readonly league: string })[] =>
  PHASES.flatMap((phase) => Object.entries(sumsIn(phase)).map(([league, sums]) => ({ phase, league, ...sums })));

// With what a run ends that the core called done (docs/reference/exit-codes.md): of several reasons the first counts.
import type { ExitCode } from '../domain/index.ts';
import { EXIT } from '../domain/index.ts';
import type { Kept } from './bot-records.ts';

export type End = { readonly code: ExitCode; readonly reason: string };

export type Ending = {
  /** Thrown outside of a step, by no strategy that is known. */
  readonly loose: Error | undefined;
  /** What the safety nets found. */
  readonly fault: End | undefined;
  /** What took strategies off for good. */
  readonly strategies: string | undefined;
  readonly journal: Kept['journal'];
};

/** What a run that stopped in order does not end well with; undefined: it ends well. */
export function badEndOf(end: End, { loose, fault, strategies, journal }: Ending): End | undefined {
  if (loose !== undefined)
    return { code: EXIT.bug, reason: `something was thrown outside of a step: ${loose.message}` };
  if (fault?.code === EXIT.refused) return fault;
  if (strategies !== undefined) return { code: EXIT.badConfig, reason: `${end.reason}; ${strategies}` };
  return journal?.isTorn === true
    ? { code: EXIT.gaveUp, reason: `the journal ${journal.file} ended before its run` }
    : fault;
}

/** The ledger has not all of a run that ended well, or gave up: that weighs more. */
export const withLedger = (end: End, unwritten: string | undefined): End =>
  unwritten === undefined || (end.code !== EXIT.done && end.code !== EXIT.gaveUp)
    ? end
    : { code: EXIT.ledgerUnwritten, reason: `${end.reason}; the ledger is not written: ${unwritten}` };

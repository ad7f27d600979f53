// Exit code of a run that the core ended with 0 (docs/reference/exit-codes.md): the first of several reasons
// counts.
import type { ExitCode } from '../domain/index.ts';
import { EXIT } from '../domain/index.ts';
import type { RecordedFiles } from './bot-records.ts';

export type End = { readonly code: ExitCode; readonly reason: string };

export type Ending = {
  /** An error thrown outside of a step that no strategy accounts for. */
  readonly unattributedError: Error | undefined;
  /** The fault that the safety nets found. */
  readonly fault: End | undefined;
  /** Why strategies were disabled permanently. */
  readonly strategies: string | undefined;
  readonly journal: RecordedFiles['journal'];
};

/** The bad end of a run that stopped in order. Undefined when it ended well. */
export function badEndOf(end: End, { unattributedError, fault, strategies, journal }: Ending): End | undefined {
  if (unattributedError !== undefined)
    return { code: EXIT.bug, reason: `something was thrown outside of a step: ${unattributedError.message}` };
  if (fault?.code === EXIT.refused) return fault;
  if (strategies !== undefined) return { code: EXIT.badConfig, reason: `${end.reason}; ${strategies}` };
  return journal?.isTorn === true
    ? { code: EXIT.gaveUp, reason: `the journal ${journal.file} ended before its run` }
    : fault;
}

/** Replaces the end of a run that ended well or gave up, when rows of it are missing in the ledger. */
export const withLedger = (end: End, unwritten: string | undefined): End =>
  unwritten === undefined || (end.code !== EXIT.done && end.code !== EXIT.gaveUp)
    ? end
    : { code: EXIT.ledgerUnwritten, reason: `${end.reason}; the ledger is not written: ${unwritten}` };

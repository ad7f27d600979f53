// After a crash (rules.md, 14). Once the account was read, the next run continues by itself if account and
// journals agree: every open order with a reference of this instance was sent by a run that has a journal.
// Otherwise, or if the shell demands it, nothing is quoted until an operator sends `resume`. One alert
// reports what was found.
import type { AfterCrash, OrderRef } from '../domain/index.ts';
import { runOf } from '../account/index.ts';
import type { CommandBuffer } from './command-buffer.ts';

/** Highest number of orders named in the alert. */
const NAMED = 5;

export type Found = {
  /** References of orders that former runs left open. */
  readonly open: readonly OrderRef[];
  /** Number of orders of former runs with unknown fate. */
  readonly unanswered: number;
  /** Number of fills that no former run knew of. */
  readonly fills: number;
};

export class Restart {
  readonly #buffer: CommandBuffer;
  /** The crash of the previous run. Undefined when it ended in order, or after the alert was raised. */
  #after: AfterCrash | undefined;

  constructor(buffer: CommandBuffer) {
    this.#buffer = buffer;
  }

  applyBoot(after: AfterCrash): void {
    this.#after = after;
  }

  /** Why nothing may be quoted before the account was read. */
  get wait(): string | undefined {
    return this.#after?.wait;
  }

  /**
   * Reports the crash once the account was read. Returns why nothing may be quoted until an operator resumes;
   * undefined when the run continues.
   */
  reportCrash(found: () => Found): string | undefined {
    const after = this.#after;
    if (after === undefined) return undefined;
    this.#after = undefined;
    const { open, unanswered, fills } = found();
    const { pid, crashes, runs } = after;
    const unexplained = open.filter((ref) => !runs.includes(runOf(ref)));
    const wait =
      after.wait ??
      (unexplained.length === 0
        ? undefined
        : `${unexplained.length} open orders bear our reference, and no journal is there of the runs that sent them`);
    this.#buffer.alert(
      'warn',
      'AFTER_CRASH',
      wait === undefined
        ? 'the last run ended without an orderly stop: the bot continues'
        : 'the bot before was gone without an orderly end: waiting for `ctl resume`',
      {
        pid,
        crashes,
        open: open.length,
        unanswered,
        fills,
        ...(wait === undefined ? {} : { wait }),
        ...(unexplained.length === 0 ? {} : { unexplained: unexplained.slice(0, NAMED) }),
      },
    );
    return wait;
  }
}

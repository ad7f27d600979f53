// After a crash (rules.md, 14): the next run goes on by itself where account and journals agree, which is known once the
// account was read: everything open there under our reference was sent by a run of which there is a journal. Otherwise, and
// where the shell says so, it quotes nothing until an operator says `resume`. What it found is told once, in an alert.
import type { AfterCrash, OrderRef } from '../domain/index.ts';
import { runOf } from '../account/index.ts';
import type { CommandBuffer } from './command-buffer.ts';

/** Orders named in the alert. */
const NAMED = 5;

export type Found = {
  /** References of orders that former runs left open. */
  readonly open: readonly OrderRef[];
  /** Orders of former runs of which nobody knows yet whether they rest. */
  readonly unanswered: number;
  /** Fills that no former run knew of. */
  readonly fills: number;
};

export class Restart {
  readonly #buffer: CommandBuffer;
  /** Undefined: the run before ended in order, or what was found is told. */
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

  /** The account was read. Why nothing may be quoted until an operator says so; undefined: nothing keeps it. */
  tell(found: () => Found): string | undefined {
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
        ? 'the bot before was gone without an orderly end: going on'
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

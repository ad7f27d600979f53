// What of a bot is told from its core alone: the same of a live one and of one whose journal is replayed.
import type { Command } from '../domain/index.ts';
import type { CoreStatus } from '../engine/index.ts';
import type { BotState } from '../ops/index.ts';

/** One word, but for what safety nets and readiness know. */
export function stateOf({
  stopping,
  closed,
  trading,
}: Pick<CoreStatus, 'stopping' | 'closed' | 'trading'>): BotState {
  if (stopping) return 'stopping';
  if (trading !== 'active') return trading;
  return closed === undefined ? 'quoting' : 'not quoting';
}

/** Orders that the exchange refused, by what it called the reason. */
export class Refusals {
  readonly #counts = new Map<string, number>();

  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  applyAlert({ code, fields }: Pick<Extract<Command, { type: 'alert' }>, 'code' | 'fields'>): void {
    if (code !== 'ORDER_REFUSED') return;
    const reason = String(fields['errorType'] ?? fields['status']);
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
  }
}

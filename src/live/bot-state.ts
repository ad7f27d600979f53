// The state of a bot as derived from its core alone, identical for a live bot and a replayed journal.
import type { CoreStatus } from '../engine/index.ts';
import type { BotState } from '../ops/index.ts';

/** State of the core, without the states of safety nets and readiness. */
export function stateOf({ stopping, closed, trading }: Pick<CoreStatus, 'stopping' | 'closed' | 'trading'>): BotState {
  if (stopping) return 'stopping';
  if (trading !== 'active') return trading;
  return closed === undefined ? 'quoting' : 'not quoting';
}

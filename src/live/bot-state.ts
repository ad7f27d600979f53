// What of a bot is told from its core alone: the same of a live one and of one whose journal is replayed.
import type { CoreStatus } from '../engine/index.ts';
import type { BotState } from '../ops/index.ts';

/** One word, but for what safety nets and readiness know. */
export function stateOf({ stopping, closed, trading }: Pick<CoreStatus, 'stopping' | 'closed' | 'trading'>): BotState {
  if (stopping) return 'stopping';
  if (trading !== 'active') return trading;
  return closed === undefined ? 'quoting' : 'not quoting';
}

// The result of a run as one JSON object for programs.
import type { CoreStatus } from '../engine/index.ts';
import type { BotResult } from './bot-result.ts';

/** The part of a run's status that is reported at its end. */
export type RunStatus = Pick<
  CoreStatus,
  | 'frames'
  | 'intents'
  | 'placed'
  | 'edited'
  | 'cancelled'
  | 'undetermined'
  | 'fills'
  | 'riskFilled'
  | 'refused'
  | 'unknown'
  | 'pnl'
  | 'quotedShare'
  | 'mode'
  | 'openAtExit'
>;

/** The object of `run --json`; money in dollars. */
export function jsonOf({
  status,
  requests,
  http,
  durationMs,
  faults,
}: Pick<BotResult, 'requests' | 'http' | 'durationMs' | 'faults'> & { readonly status: RunStatus }) {
  const {
    frames,
    intents,
    placed,
    edited,
    cancelled,
    undetermined,
    fills,
    riskFilled,
    refused,
    unknown,
    pnl,
    quotedShare,
    mode,
  } = status;
  return {
    schema: 1,
    frames,
    intents,
    placed,
    edited,
    cancelled,
    undetermined,
    requests,
    fills,
    riskFilled,
    refused,
    unknown: { ever: unknown.ever, atExit: unknown.now },
    http,
    openAtExit: status.openAtExit ?? null,
    pnl,
    quotedShare,
    mode: mode ?? null,
    durationMs,
    faults,
  };
}

/**
 * The object for a run that ended before there was a bot: it did nothing and knows nothing of the account.
 */
export const jsonOfNothing = (durationMs: number): ReturnType<typeof jsonOf> => ({
  schema: 1,
  frames: 0,
  intents: 0,
  placed: 0,
  edited: 0,
  cancelled: 0,
  undetermined: 0,
  requests: { place: 0, edit: 0, cancel: 0, other: 0 },
  fills: 0,
  riskFilled: 0,
  refused: 0,
  unknown: { ever: 0, atExit: 0 },
  http: {},
  openAtExit: null,
  pnl: { marked: 0, worst: 0 },
  quotedShare: 0,
  mode: null,
  durationMs,
  faults: [],
});

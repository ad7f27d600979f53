// What former lives of the bot left behind, as their journals tell: requests that the windows still hold, and orders that
// were never answered. Of an exchange that starts with us there is nothing; what the journals do not tell counts as used
// (rules.md, 1 and 2).
import type { LoadedConfig } from '../config/index.ts';
import type { FromFormerRuns } from '../account/index.ts';
import type { Bucket, UnansweredOrder, WindowRule } from '../domain/index.ts';
import { allUsed, messageOf } from '../domain/index.ts';
import type { Log } from '../ops/index.ts';
import { readResting } from '../ops/index.ts';
import { readLastRequests } from '../journal/index.ts';

export type FormerRuns = FromFormerRuns & {
  /** When permits that are in use are free, on the monotonic clock. */
  readonly windows: Readonly<Record<Bucket, readonly number[]>>;
};

export const NO_FORMER_RUNS: FormerRuns = {
  windows: { place: [], cancel: [] },
  unanswered: [],
  resting: [],
};

export function ruleOf(loaded: LoadedConfig, lane: Bucket | 'reads'): WindowRule {
  const { limits } = loaded.config.exchange;
  const { requests, window } = limits[lane];
  return { requests, windowMs: window, marginMs: limits.margin };
}

/** `restingFile`: where the run before kept its resting orders. */
export async function readFormerRuns(
  loaded: LoadedConfig,
  username: string,
  restingFile: string,
  log: Log,
): Promise<FormerRuns> {
  const { exchange, journal } = loaded.config;
  const rules = { place: ruleOf(loaded, 'place'), cancel: ruleOf(loaded, 'cancel') };
  const now = performance.now();
  const nowMs = Date.now();
  const longest = Math.max(...[rules.place, rules.cancel].map((rule) => rule.windowMs + rule.marginMs));
  const kept = restingIn(restingFile, log);
  const last =
    journal.dir === null
      ? undefined
      : await readLastRequests(loaded.resolve(journal.dir), username, {
          lateArrivalMs: exchange.lateArrival,
          sinceMs: nowMs - longest,
          nowMs,
          savedMs: kept?.savedMs,
        });
  const freeAt = (bucket: Bucket): readonly number[] => {
    const rule = rules[bucket];
    const told = (last?.ends[bucket] ?? [])
      .map((endMs) => now + (endMs - nowMs) + rule.windowMs + rule.marginMs)
      .filter((at) => at > now);
    return last?.complete === true ? told : [...told, ...allUsed(rule, now)];
  };
  const windows = { place: freeAt('place'), cancel: freeAt('cancel') };
  const unanswered = withoutTwins([...(last?.unanswered ?? []), ...(kept?.unanswered ?? [])]);
  if (last?.complete !== true) log.info('the windows count as used at the start', { firstQuotesInMs: longest });
  else if (windows.place.length > 0) log.info('requests of the last run still count', { place: windows.place.length });
  if (unanswered.length > 0)
    log.warn('orders of the last run were never answered: they are looked for', {
      orders: unanswered.length,
    });
  const resting = kept?.orders ?? [];
  if (resting.length > 0)
    log.info('orders of the last run may rest: they are taken over by their ids', { orders: resting.length });
  return { windows, unanswered, resting };
}

/** The journal and the list may both have an order. */
const withoutTwins = (orders: readonly UnansweredOrder[]): readonly UnansweredOrder[] => [
  ...new Map(orders.map((sent) => [sent.order.ref, sent])).values(),
];

/** What cannot be read explains no order: those that a list shows count as external. */
function restingIn(file: string, log: Log): ReturnType<typeof readResting> {
  try {
    return readResting(file);
  } catch (error) {
    log.warn('the list of resting orders cannot be read: orders of the last run count as external', {
      file,
      problem: messageOf(error),
    });
    return undefined;
  }
}

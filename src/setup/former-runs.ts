// State that former runs of the bot left, read from their journals: requests that still count in the request
// windows, and orders that were never answered. What the journals do not show counts as used (rules.md, 1 and
// 2). Not used for an exchange that this run starts.
import type { LoadedConfig } from '../config/index.ts';
import type { FromFormerRuns } from '../account/index.ts';
import type { Bucket, MarketPast, UnansweredOrder, WindowRule } from '../domain/index.ts';
import { allUsed, messageOf } from '../domain/index.ts';
import type { Log } from '../ops/index.ts';
import { readResting } from '../ops/index.ts';
import { readLastRequests, readRecentPrices } from '../journal/index.ts';

export type FormerRuns = FromFormerRuns & {
  /** Times when permits in use become free again, ms on the monotonic clock. */
  readonly windows: Readonly<Record<Bucket, readonly number[]>>;
  /** Fair prices of markets, where a strategy has `warmUp`. */
  readonly prices: readonly MarketPast[];
};

export const NO_FORMER_RUNS: FormerRuns = {
  windows: { place: [], cancel: [] },
  unanswered: [],
  resting: [],
  prices: [],
};

/** The window rule of a request lane. */
export function ruleOf(loaded: LoadedConfig, lane: Bucket | 'reads'): WindowRule {
  const { limits } = loaded.config.exchange;
  const { requests, window } = limits[lane];
  return { requests, windowMs: window, marginMs: limits.margin };
}

/** Reads the state of former runs. `restingFile` is the list of resting orders that the last run saved. */
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
    const used = (last?.ends[bucket] ?? [])
      .map((endMs) => now + (endMs - nowMs) + rule.windowMs + rule.marginMs)
      .filter((freeMs) => freeMs > now);
    return last?.complete === true ? used : [...used, ...allUsed(rule, now)];
  };
  const windows = { place: freeAt('place'), cancel: freeAt('cancel') };
  const unanswered = withoutTwins([...(last?.unanswered ?? []), ...(kept?.unanswered ?? [])]);
  if (last?.complete !== true) log.info('the windows count as used at the start', { firstQuotesInMs: longest });
  else if (windows.place.length > 0) log.info('requests of the last run still count', { place: windows.place.length });
  if (unanswered.length > 0)
    log.warn('orders of the last run were never answered: they are looked up', {
      orders: unanswered.length,
    });
  const resting = kept?.orders ?? [];
  if (resting.length > 0)
    log.info('orders of the last run may rest: they are adopted by their ids', { orders: resting.length });
  return { windows, unanswered, resting, prices: await recentPrices(loaded, username, nowMs, log) };
}

/** The fair prices of the longest `warmUp`. Without them strategies warm up in the run. */
async function recentPrices(
  loaded: LoadedConfig,
  username: string,
  nowMs: number,
  log: Log,
): Promise<readonly MarketPast[]> {
  const { journal, strategies } = loaded.config;
  const longest = Math.max(0, ...strategies.map(({ warmUp }) => warmUp));
  if (longest === 0 || journal.dir === null) return [];
  try {
    return await readRecentPrices(loaded.resolve(journal.dir), username, nowMs - longest);
  } catch (error) {
    log.warn('prices of the last run cannot be read: strategies warm up in this run', { problem: messageOf(error) });
    return [];
  }
}

/** Removes duplicates: the journal and the list may both have an order. */
const withoutTwins = (orders: readonly UnansweredOrder[]): readonly UnansweredOrder[] => [
  ...new Map(orders.map((sent) => [sent.order.ref, sent])).values(),
];

/** Reads the list of resting orders. Undefined when it cannot be read: its orders then count as external. */
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

// What of a configuration may become another while a bot runs, and what must wait for its next start.
import type { Config } from '../config/index.ts';
import { redacted } from '../config/index.ts';
import { jsonDifferences } from '../files/index.ts';

/** Keys that change live; all others are named, and wait. */
const LIVE = [
  /^risk\.(?!state$|staleAfter$|resumeAfter$|dayStartsAt$|maxDailyLoss$)/,
  /^markets\./,
  /^strategies\.\d+\.(use|params)(\.|$)/,
  /^orders\.(tolerance|reserve)$/,
  /^log\.level$/,
  /^alerts(\.|$)/,
];

export type LivePart = {
  /** As it would run: what changes live is of `next`, all else as it was. */
  readonly config: Config;
  /** Keys of either kind. */
  readonly live: readonly string[];
  readonly later: readonly string[];
  /** What both are, secrets hidden. */
  readonly changes: readonly ConfigChange[];
};

/** Durations are in ms, as `check` shows them; undefined: there is none. */
export type ConfigChange = { readonly key: string; readonly before: unknown; readonly after: unknown };

export function livePartOf(current: Config, next: Config): LivePart {
  const keys = jsonDifferences(current, next).map(({ path, before, after }) => ({
    path,
    // a limit of a day that begins or ends would need what the day has brought
    isLive:
      path === 'risk.maxDailyLoss'
        ? before !== null && after !== null && before !== undefined && after !== undefined
        : LIVE.some((key) => key.test(path)) && (!path.startsWith('strategies.') || haveSameIds(current, next)),
  }));
  const isLive = (path: string): boolean => keys.some((key) => key.path === path && key.isLive);
  const { risk, orders, log } = current;
  return {
    config: {
      ...current,
      risk: {
        ...next.risk,
        state: risk.state,
        staleAfter: risk.staleAfter,
        resumeAfter: risk.resumeAfter,
        dayStartsAt: risk.dayStartsAt,
        maxDailyLoss: isLive('risk.maxDailyLoss') ? next.risk.maxDailyLoss : risk.maxDailyLoss,
      },
      markets: next.markets,
      strategies: haveSameIds(current, next) ? next.strategies : current.strategies,
      orders: { ...orders, tolerance: next.orders.tolerance, reserve: next.orders.reserve },
      log: { ...log, level: next.log.level },
      alerts: next.alerts,
    },
    live: keys.filter((key) => key.isLive).map(({ path }) => path),
    later: keys.filter((key) => !key.isLive).map(({ path }) => path),
    changes: changesOf(
      keys.map(({ path }) => path),
      current,
      next,
    ),
  };
}

/** Of two secrets that are hidden alike, it is known that they differ, and no more. */
function changesOf(keys: readonly string[], current: Config, next: Config): readonly ConfigChange[] {
  const shown = new Map(jsonDifferences(redacted(current), redacted(next)).map((one) => [one.path, one]));
  return keys.map((key) => {
    const { before, after } = shown.get(key) ?? { before: HIDDEN, after: HIDDEN };
    return { key, before, after };
  });
}

const HIDDEN = '[hidden]';

export const haveSameIds = (a: Config, b: Config): boolean =>
  JSON.stringify(a.strategies.map(({ id }) => id)) === JSON.stringify(b.strategies.map(({ id }) => id));

// Splits a configuration change into keys that take effect while a bot runs and keys that need a restart.
import type { Config } from '../config/index.ts';
import { redactedConfig } from '../config/index.ts';
import { jsonDifferences } from '../files/index.ts';

/** Keys that may change while the bot runs. All others wait for the next start. */
const LIVE = [
  /^risk\.(?!state$|staleAfter$|resumeAfter$|dayStartsAt$|maxDailyLoss$)/,
  /^markets\./,
  /^strategies\.\d+\.(use|params|budget|warmUp|markets|risk|by)(\.|$)/,
  /^orders\.(tolerance|reserve)$/,
  /^log\.level$/,
  /^alerts(\.|$)/,
];

export type LivePart = {
  /** The configuration to run with: live keys from `next`, all others from `current`. */
  readonly config: Config;
  /** Changed keys that take effect now. */
  readonly live: readonly string[];
  /** Changed keys that wait for the next start. */
  readonly later: readonly string[];
  /** All changes with both values, secrets hidden. */
  readonly changes: readonly ConfigChange[];
};

/** A changed key. Durations are in ms, as `check` shows them. Undefined when the key is absent. */
export type ConfigChange = { readonly key: string; readonly before: unknown; readonly after: unknown };

export function livePartOf(current: Config, next: Config): LivePart {
  const keys = jsonDifferences(current, next).map(({ path, before, after }) => ({
    path,
    // turning the daily limit on or off would need the result of the day so far
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

/** Changes by key. Two different secrets have the same mask, so only the change itself is shown. */
function changesOf(keys: readonly string[], current: Config, next: Config): readonly ConfigChange[] {
  const shown = new Map(
    jsonDifferences(redactedConfig(current), redactedConfig(next)).map((difference) => [difference.path, difference]),
  );
  return keys.map((key) => {
    const { before, after } = shown.get(key) ?? { before: HIDDEN, after: HIDDEN };
    return { key, before, after };
  });
}

const HIDDEN = '[hidden]';

/** Whether both list the same strategy ids in the same order. */
export const haveSameIds = (a: Config, b: Config): boolean =>
  JSON.stringify(a.strategies.map(({ id }) => id)) === JSON.stringify(b.strategies.map(({ id }) => id));

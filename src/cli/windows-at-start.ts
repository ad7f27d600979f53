// The request windows when a run starts: empty for an exchange that starts with us, as the journals tell for the others,
// and used up as far as they do not tell (DESIGN rule 1).
import type { LoadedConfig } from '../config/index.ts';
import type { Bucket, WindowRule } from '../domain/index.ts';
import { allUsed } from '../domain/index.ts';
import type { Log } from '../ops/index.ts';
import { readWindowUse } from '../record/window-use.ts';

/** When permits that are in use are free, on the monotonic clock. */
export type WindowsAtStart = Readonly<Record<Bucket, readonly number[]>>;

export const EMPTY_WINDOWS: WindowsAtStart = { place: [], cancel: [] };

export function ruleOf(loaded: LoadedConfig, lane: Bucket | 'reads'): WindowRule {
  const { limits } = loaded.config.exchange;
  const { requests, window } = limits[lane];
  return { requests, windowMs: window, marginMs: limits.margin };
}

export async function windowsAtStart(
  loaded: LoadedConfig,
  username: string,
  log: Log,
): Promise<WindowsAtStart> {
  const { exchange, journal } = loaded.config;
  const rules = { place: ruleOf(loaded, 'place'), cancel: ruleOf(loaded, 'cancel') };
  const now = performance.now();
  const nowMs = Date.now();
  const longest = Math.max(...[rules.place, rules.cancel].map((rule) => rule.windowMs + rule.marginMs));
  const use =
    journal.dir === null
      ? undefined
      : await readWindowUse(loaded.resolve(journal.dir), username, {
          lateArrivalMs: exchange.lateArrival,
          sinceMs: nowMs - longest,
          nowMs,
        });
  const freeAt = (bucket: Bucket): readonly number[] => {
    const rule = rules[bucket];
    const told = (use?.ends[bucket] ?? [])
      .map((endMs) => now + (endMs - nowMs) + rule.windowMs + rule.marginMs)
      .filter((at) => at > now);
    return use?.complete === true ? told : [...told, ...allUsed(rule, now)];
  };
  const windows = { place: freeAt('place'), cancel: freeAt('cancel') };
  if (use?.complete !== true)
    log.info('the windows count as used at the start', { firstQuotesInMs: longest });
  else if (windows.place.length > 0)
    log.info('requests of the last run still count', { place: windows.place.length });
  return windows;
}

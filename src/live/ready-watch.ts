// Checks every second whether a quoting bot meets the readiness criteria, and logs each change once.
import type { LoadedConfig } from '../config/index.ts';
import type { BotState, Log } from '../ops/index.ts';
import { Readiness } from '../ops/index.ts';
import type { Bot } from './bot.ts';

const CHECK_EVERY_MS = 1000;

export type Problems = () => readonly string[];

/**
 * Watches readiness. `state` is the bot's state, or `degraded` while `problems` is not empty. The caller must
 * clear `timer`.
 */
export function watchReadiness({ config }: LoadedConfig, bot: Bot, log: Log) {
  const { place, cancel } = config.exchange.limits;
  const readiness = new Readiness({
    leastShare: config.ops.readyShare,
    answersWithinMs: config.exchange.requestTimeout,
    windowMs: { place: place.window, cancel: cancel.window },
  });
  let isReported = false;
  const timer = setInterval(() => {
    readiness.update(bot.view);
    const { problems } = readiness;
    const isDegraded = bot.state === 'quoting' && problems.length > 0;
    if (isDegraded && !isReported)
      log.warn('the bot is degraded: it is not ready', { alert: 'DEGRADED', code: 'DEGRADED', problems });
    if (!isDegraded && isReported) log.info('the bot is no longer degraded', {});
    isReported = isDegraded;
  }, CHECK_EVERY_MS);
  const problems: Problems = () => (bot.state === 'quoting' ? readiness.problems : []);
  return {
    timer,
    problems,
    state: (): BotState => (problems().length > 0 ? 'degraded' : bot.state),
  };
}

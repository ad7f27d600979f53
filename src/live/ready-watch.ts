// Looks again and again whether a bot that may quote does it well enough, and says so once.
import type { LoadedConfig } from '../config/index.ts';
import type { BotState, Log } from '../ops/index.ts';
import { Readiness } from '../ops/index.ts';
import type { Bot } from './bot.ts';

const LOOK_EVERY_MS = 1000;

export type Problems = () => readonly string[];

/** `state` and `problems` are those of the bot as it is ready or not; the timer is the caller’s to end. */
export function watchReadiness({ config }: LoadedConfig, bot: Bot, log: Log) {
  const { place, cancel } = config.exchange.limits;
  const readiness = new Readiness({
    leastShare: config.ops.readyShare,
    answersWithinMs: config.exchange.requestTimeout,
    windowMs: { place: place.window, cancel: cancel.window },
  });
  let isTold = false;
  const timer = setInterval(() => {
    readiness.look(bot.view);
    const { problems } = readiness;
    const isDegraded = bot.state === 'quoting' && problems.length > 0;
    if (isDegraded && !isTold)
      log.warn('the bot is degraded: it is not ready', { alert: 'DEGRADED', code: 'DEGRADED', problems });
    if (!isDegraded && isTold) log.info('the bot is degraded no longer', {});
    isTold = isDegraded;
  }, LOOK_EVERY_MS);
  const problems: Problems = () => (bot.state === 'quoting' ? readiness.problems : []);
  return {
    timer,
    problems,
    state: (): BotState => (problems().length > 0 ? 'degraded' : bot.state),
  };
}

// What a supervisor that waits for it is told (sd_notify(3), `Type=notify`): that the bot has begun, and what it does. Which process
// is the main one it knows best: an older Node hands over to another one, whose end only its parent sees.
// Node has no datagram sockets of the file system, so systemd's own command says it.
import { execFile } from 'node:child_process';
import { messageOf } from '../domain/index.ts';
import type { Log } from '../ops/index.ts';
import type { Bot } from './bot.ts';

const LOOK_EVERY_MS = 250;
const STATUS_EVERY_MS = 30_000;

/** Until what it returns is called. Without a supervisor that waits it does nothing. */
export function tellSupervisor(bot: Bot, log: Log): () => void {
  if (process.env['NOTIFY_SOCKET'] === undefined) return () => undefined;
  let isBegun = false;
  let isFailing = false;
  const tell = (...words: readonly string[]): void => {
    execFile('systemd-notify', words, (error) => {
      if (error !== null && !isFailing)
        log.warn('the supervisor cannot be told', { problem: messageOf(error) });
      isFailing = error !== null;
    });
  };
  const status = (): string => {
    const { resting, wanted, markets, fills } = bot.status;
    return `--status=${bot.state}: ${resting} of ${wanted} quotes rest in ${markets} markets, ${fills} fills`;
  };
  const begin = setInterval(() => {
    if (!bot.status.accountRead) return;
    clearInterval(begin);
    isBegun = true;
    tell('--ready', status());
  }, LOOK_EVERY_MS);
  const goOn = setInterval(() => {
    if (isBegun) tell(status());
  }, STATUS_EVERY_MS);
  return () => {
    clearInterval(begin);
    clearInterval(goOn);
  };
}

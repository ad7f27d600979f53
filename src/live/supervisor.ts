// Reports to a supervisor (sd_notify(3), `Type=notify`): that the bot has begun, its status, and that its
// loop turns (`WatchdogSec`). No MAINPID is sent, because the supervisor knows the main process best: an
// older Node starts another process whose end only its parent sees. Node has no Unix datagram sockets, so
// `systemd-notify` sends the messages. A small shell that stays open starts it: forking a process of the
// bot's size would block the loop for milliseconds each time.
import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Log, SafetyNet } from '../ops/index.ts';
import type { Bot } from './bot.ts';

const CHECK_EVERY_MS = 250;
const STATUS_EVERY_MS = 30_000;
/** Watchdog messages per watchdog time-out, so that one late message does not end the bot. */
const PINGS_PER_WAIT = 3;
/** Sends each line of its input as one message. Failures appear on stderr. */
const SHELL = 'while IFS= read -r line; do systemd-notify "$line"; done';

/**
 * Reports to the supervisor. Does nothing without `NOTIFY_SOCKET`.
 * @param net counts the turns of the loop
 * @returns a function that ends the reports
 */
export function notifySupervisor(bot: Bot, net: Pick<SafetyNet, 'loops'>, log: Log): () => void {
  if (process.env['NOTIFY_SOCKET'] === undefined) return () => undefined;
  const notifier = new Notifier(log);
  let isBegun = false;
  const status = (): string => {
    const { resting, wanted, markets, fills } = bot.status;
    return `STATUS=${bot.state}: ${resting} of ${wanted} quotes rest in ${markets} markets, ${fills} fills`;
  };
  const begin = setInterval(() => {
    if (!bot.status.accountRead) return;
    clearInterval(begin);
    isBegun = true;
    notifier.send('READY=1');
    notifier.send(status());
  }, CHECK_EVERY_MS);
  const report = setInterval(() => {
    if (isBegun) notifier.send(status());
  }, STATUS_EVERY_MS);
  const waitMs = Number(process.env['WATCHDOG_USEC'] ?? 0) / 1000;
  let loops = -1;
  // a blocked event loop stops this timer, and a core that takes no inputs stops the count
  const feed =
    waitMs > 0
      ? setInterval(() => {
          if (net.loops !== loops) notifier.send('WATCHDOG=1');
          loops = net.loops;
        }, waitMs / PINGS_PER_WAIT)
      : undefined;
  return () => {
    for (const timer of [begin, report, feed]) clearInterval(timer);
    notifier.close();
  };
}

class Notifier {
  readonly #log: Log;
  readonly #shell: ChildProcessByStdio<Writable, null, Readable>;
  #isFailing = false;

  constructor(log: Log) {
    this.#log = log;
    this.#shell = spawn('sh', ['-c', SHELL], { stdio: ['pipe', 'ignore', 'pipe'] });
    this.#shell.on('error', ({ message }) => this.#warnOnce(message));
    this.#shell.stdin.on('error', ({ message }) => this.#warnOnce(message));
    this.#shell.stderr.setEncoding('utf8').on('data', (text: string) => this.#warnOnce(text.trim()));
    this.#shell.unref();
  }

  send(message: string): void {
    if (this.#shell.stdin.writable) this.#shell.stdin.write(`${message}\n`);
  }

  /** Logs the first failure only: it does not go away. */
  #warnOnce(problem: string): void {
    if (!this.#isFailing) this.#log.warn('the supervisor cannot be notified', { problem });
    this.#isFailing = true;
  }

  close(): void {
    this.#shell.stdin.end();
  }
}

// What a supervisor that waits for it is told (sd_notify(3), `Type=notify`): that the bot has begun, what it does, and that its loop
// turns (`WatchdogSec`). Which process is the main one it knows best: an older Node hands over to another one, whose end only its
// parent sees. Node has no datagram sockets of the file system, so systemd's own command says it, started by a small shell that stays:
// forking a process of the bot's size would cost the loop milliseconds each time.
import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Log, SafetyNet } from '../ops/index.ts';
import type { Bot } from './bot.ts';

const LOOK_EVERY_MS = 250;
const STATUS_EVERY_MS = 30_000;
/** Of what the supervisor waits for, so that one that comes late is no end. */
const FEEDS_A_WAIT = 3;
/** A line is one message. What goes wrong is on stderr. */
const SHELL = 'while IFS= read -r line; do systemd-notify "$line"; done';

/** Until what it returns is called. Without a supervisor that waits it does nothing. `net`: whose loops are counted. */
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
  }, LOOK_EVERY_MS);
  const goOn = setInterval(() => {
    if (isBegun) notifier.send(status());
  }, STATUS_EVERY_MS);
  const waitMs = Number(process.env['WATCHDOG_USEC'] ?? 0) / 1000;
  let loops = -1;
  // an input that never returns keeps this timer from ringing; a core that takes none any more turns no loop
  const feed =
    waitMs > 0
      ? setInterval(() => {
          if (net.loops !== loops) notifier.send('WATCHDOG=1');
          loops = net.loops;
        }, waitMs / FEEDS_A_WAIT)
      : undefined;
  return () => {
    for (const timer of [begin, goOn, feed]) clearInterval(timer);
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
    this.#shell.on('error', ({ message }) => this.#failed(message));
    this.#shell.stdin.on('error', ({ message }) => this.#failed(message));
    this.#shell.stderr.setEncoding('utf8').on('data', (text: string) => this.#failed(text.trim()));
    this.#shell.unref();
  }

  send(message: string): void {
    if (this.#shell.stdin.writable) this.#shell.stdin.write(`${message}\n`);
  }

  /** Said once: what is wrong with it stays so. */
  #failed(problem: string): void {
    if (!this.#isFailing) this.#log.warn('the supervisor cannot be told', { problem });
    this.#isFailing = true;
  }

  close(): void {
    this.#shell.stdin.end();
  }
}

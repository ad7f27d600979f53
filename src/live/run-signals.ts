// What ends a bot from outside: signals of its process, the end of npm above it, and what strategies throw outside of a step.
import { STOPPED_BY } from '../ops/index.ts';
import { THROWN } from '../setup/index.ts';
import type { Bot } from './bot.ts';
import type { HotReload } from './hot-reload.ts';

const LOOK_EVERY_MS = 500;

export class RunSignals {
  readonly #bot: Bot;
  readonly #hot: Pick<HotReload, 'reload'>;
  /** How often the bot was asked to stop. */
  #stops = 0;

  /** Hears signals from now on. Nothing that is thrown ends the process while quotes rest, however often it is. */
  constructor(bot: Bot, hot: Pick<HotReload, 'reload'>) {
    this.#bot = bot;
    this.#hot = hot;
    for (const signal of STOPPED_BY) process.on(signal, () => this.#apply(signal));
    for (const event of THROWN) process.on(event, (thrown: unknown) => bot.applyLoose(thrown));
  }

  #apply(signal: NodeJS.Signals): void {
    // nobody sits before a service: there it means what it means to all services
    if (signal === 'SIGHUP' && !process.stdin.isTTY) void this.#hot.reload('SIGHUP');
    // who closes a terminal is gone: a shell may pass that on once more
    else if (signal !== 'SIGHUP' || this.#stops === 0) this.#stop();
  }

  /** The first time in order, then at once. */
  #stop(): void {
    this.#stops += 1;
    this.#bot.stop(this.#stops === 1 ? 'stop' : 'abort');
  }

  /**
   * Under npm a signal may end npm and its shell and never reach us: when the parent is gone, that was the signal.
   * Started directly, a bot may well outlive its shell.
   *
   * @returns what ends the watch
   */
  watchParent(): () => void {
    if (process.env['npm_lifecycle_event'] === undefined) return () => undefined;
    const parent = process.ppid;
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      // a signal may have come as well
      if (this.#stops === 0) this.#stop();
    }, LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }
}

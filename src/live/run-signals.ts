// Ends a bot on events from outside: process signals, the end of npm as its parent, and errors that
// strategies throw outside of a step.
import { STOPPED_BY } from '../ops/index.ts';
import { THROWN } from '../setup/index.ts';
import type { Bot } from './bot.ts';
import type { HotReload } from './hot-reload.ts';

const CHECK_EVERY_MS = 500;

export class RunSignals {
  readonly #bot: Bot;
  readonly #hot: Pick<HotReload, 'reload'>;
  /** How often the bot was asked to stop. */
  #stops = 0;

  /**
   * Handles signals from now on. Errors thrown outside of a step do not end the process while quotes rest.
   */
  constructor(bot: Bot, hot: Pick<HotReload, 'reload'>) {
    this.#bot = bot;
    this.#hot = hot;
    for (const signal of STOPPED_BY) process.on(signal, () => this.#apply(signal));
    for (const event of THROWN) process.on(event, (thrown: unknown) => bot.applyLoose(thrown));
  }

  #apply(signal: NodeJS.Signals): void {
    // without a terminal SIGHUP means reload, as for other services
    if (signal === 'SIGHUP' && !process.stdin.isTTY) void this.#hot.reload('SIGHUP');
    // a closed terminal may send SIGHUP twice, directly and by its shell: it must not abort the orderly stop
    else if (signal !== 'SIGHUP' || this.#stops === 0) this.#stop();
  }

  /** The first call stops in order, later calls abort. */
  #stop(): void {
    this.#stops += 1;
    this.#bot.stop(this.#stops === 1 ? 'stop' : 'abort');
  }

  /**
   * Under npm a signal may end npm and its shell without reaching the bot: the end of the parent counts as
   * the signal.
   * A bot started directly may outlive its shell.
   *
   * @returns a function that ends the watch
   */
  watchParent(): () => void {
    if (process.env['npm_lifecycle_event'] === undefined) return () => undefined;
    const parent = process.ppid;
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      // a signal may have come as well
      if (this.#stops === 0) this.#stop();
    }, CHECK_EVERY_MS);
    return () => clearInterval(timer);
  }
}

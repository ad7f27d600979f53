// A start that ends before there is a bot to stop: by a signal, or by what strategy files left to throw. Nothing was sent, and
// the lease is given back.
import type { ExitCode } from '../domain/index.ts';
import { EXIT, OddsmakerError } from '../domain/index.ts';
import type { Log, SafetyNet } from '../ops/index.ts';
import { leave } from '../strategy/host/index.ts';
import type { StrategyModule } from '../strategy/host/index.ts';
import { attributeFault, THROWN } from '../setup/index.ts';
import { STOPPED_BY } from '../ops/index.ts';

export class EarlyEnd {
  /** Once there is one. */
  net: SafetyNet | undefined;
  /** Of the strategy files that are loaded. */
  modules: readonly StrategyModule[] = [];
  readonly #log: Log;
  readonly #ending: () => void;

  /** `ending`: called before the process ends. */
  constructor(log: Log, ending: () => void) {
    this.#log = log;
    this.#ending = ending;
    for (const event of THROWN) process.on(event, this.#threw);
  }

  /** Files are loaded: before, nobody hears a signal, and it ends the process whatever a file does. */
  hearSignals(): void {
    for (const signal of STOPPED_BY) process.on(signal, this.#stopped);
  }

  /** Whoever listens instead must listen already: a signal that came since the last turn of the loop goes to nobody else. */
  end(): void {
    for (const signal of STOPPED_BY) process.off(signal, this.#stopped);
    for (const event of THROWN) process.off(event, this.#threw);
  }

  readonly #stopped = (): never => this.#leave(EXIT.notConfirmed, 'stopped');

  readonly #threw = (thrown: unknown): never => {
    const told = attributeFault(this.modules, thrown);
    return told instanceof OddsmakerError
      ? this.#leave(told.exit, told.message)
      : this.#leave(EXIT.bug, `something was thrown outside of a step: ${told.stack || told.message}`);
  };

  #leave(exit: ExitCode, why: string): never {
    this.#log.error('ended before the bot began: what is open on the account is not known', { why, exit });
    this.net?.close();
    this.#ending();
    return leave(exit);
  }
}

// Ends a start before there is a bot to stop: on a signal, or on an error that code of strategy files threw.
// No order was sent, and the lease is released.
import type { ExitCode } from '../domain/index.ts';
import { EXIT, OddsmakerError } from '../domain/index.ts';
import { stackText } from '../files/index.ts';
import type { Log, SafetyNet } from '../ops/index.ts';
import { leave } from '../strategy/host/index.ts';
import type { StrategyModule } from '../strategy/host/index.ts';
import { attributeFault, THROWN } from '../setup/index.ts';
import { STOPPED_BY } from '../ops/index.ts';

export class EarlyEnd {
  /** The safety net. Undefined until it is open. */
  net: SafetyNet | undefined;
  /** Modules of the loaded strategy files. */
  modules: readonly StrategyModule[] = [];
  readonly #log: Log;
  readonly #ending: () => void;

  /** `ending`: called before the process ends. */
  constructor(log: Log, ending: () => void) {
    this.#log = log;
    this.#ending = ending;
    for (const event of THROWN) process.on(event, this.#endByError);
  }

  /**
   * Handles signals from now on. Call it after the strategy files are loaded: until then a signal ends the
   * process by default, also when a file never finishes loading.
   */
  handleSignals(): void {
    for (const signal of STOPPED_BY) process.on(signal, this.#endBySignal);
  }

  /**
   * Removes the handlers. The handlers that replace them must be installed before, because a signal that
   * arrived since the last turn of the loop would otherwise be lost.
   */
  removeHandlers(): void {
    for (const signal of STOPPED_BY) process.off(signal, this.#endBySignal);
    for (const event of THROWN) process.off(event, this.#endByError);
  }

  readonly #endBySignal = (): never => this.#leave(EXIT.notConfirmed, 'stopped');

  readonly #endByError = (thrown: unknown): never => {
    const fault = attributeFault(this.modules, thrown);
    return fault instanceof OddsmakerError
      ? this.#leave(fault.exit, fault.message)
      : this.#leave(EXIT.bug, `something was thrown outside of a step: ${stackText(fault)}`);
  };

  #leave(exit: ExitCode, why: string): never {
    this.#log.error('ended before the bot began: what is open on the account is not known', { why, exit });
    this.net?.close();
    this.#ending();
    return leave(exit);
  }
}

// Logs and counts the core's alerts, with file and line when a strategy caused one.
import type { Command } from '../domain/index.ts';
import { ERROR_CODES } from '../domain/index.ts';
import type { Log } from '../ops/index.ts';
import type { Fault } from '../setup/index.ts';
import { faultOf, isOfStrategy, StrategyFaults, takesStrategyOff } from '../setup/index.ts';
import type { StrategyModule } from '../strategy/host/index.ts';

/** Codes that end a start and are also raised as alerts while the core runs. */
const ENDS_AND_ALERTS = new Set(['ACCOUNT_REFUSED', 'FOREIGN_ORDER', 'MODE_CHANGED', 'PERSPECTIVE_MISMATCH']);

export class AlertLog {
  /** Strategies, or instances of strategies, that were disabled permanently. */
  readonly faults = new StrategyFaults();
  /** Number of alerts by code. A code starts at 0, so that its first alert shows as an increase. */
  readonly #counts = new Map<string, number>(
    Object.entries(ERROR_CODES).flatMap(([code, entry]) =>
      'exit' in entry && !ENDS_AND_ALERTS.has(code) ? [] : [[code, 0]],
    ),
  );
  readonly #log: Log;
  readonly #modules: () => readonly StrategyModule[];

  constructor(log: Log, modules: () => readonly StrategyModule[]) {
    this.#log = log;
    this.#modules = modules;
  }

  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  /** Logs an alert. A warning or an error gets the key `alert` and is counted. */
  applyAlert({ level, code, message, fields }: Extract<Command, { type: 'alert' }>): void {
    if (level === 'info') {
      this.#log.info(message, { code, ...fields });
      return;
    }
    this.#counts.set(code, (this.#counts.get(code) ?? 0) + 1);
    const fault = isOfStrategy(code) ? faultOf(this.#modules(), code, fields) : undefined;
    if (fault !== undefined && takesStrategyOff(code)) this.faults.addFault(fault);
    const { file, line }: Partial<Fault> = fault ?? {};
    this.#log[level](message, {
      alert: code,
      code,
      ...fields,
      ...(file === undefined ? {} : { file }),
      ...(line === undefined ? {} : { line }),
    });
  }
}

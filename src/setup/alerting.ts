// Alerts of a process: log lines with the key `alert`, and standing conditions that are checked every second.
// Every command that alerts writes its log through the `log` of this class.
import { resolve, dirname } from 'node:path';
import type { Config } from '../config/index.ts';
import type { AlertSettings, AlertTarget, Log, AlertCause } from '../ops/index.ts';
import { AlertDelivery, Alerts } from '../ops/index.ts';

const CHECK_EVERY_MS = 1000;
/** Time allowed to deliver the last alerts at the end, ms. */
const LAST_MS = 3000;

/** Alerts of standing conditions (alert-rules.ts). Their log lines do not alert. */
const STANDING = new Set(['DEGRADED', 'BLIND', 'FENCED', 'KILL_SWITCH', 'HELD_EXPIRED']);
/** Alerts that one log line begins and another ends. The second has the alert's code under `resolves`. */
const UNTIL_RESOLVED = new Set(['GUARD_ACTED', 'PORT_UNOPENED']);

export class Alerting {
  /** The log to write to. Lines with the key `alert` also alert. */
  readonly log: Log;
  readonly #alerts: Alerts;
  #deliveries: readonly AlertDelivery[];
  readonly #listeners: readonly AlertTarget[];
  readonly #base: Log;
  readonly #timer: NodeJS.Timeout | undefined;
  #standing: () => readonly AlertCause[] = () => [];

  /** `listeners` are targets in this process, in addition to the configured ones. */
  constructor(account: string, targets: readonly AlertSettings[], log: Log, listeners: readonly AlertTarget[] = []) {
    this.#base = log;
    this.#listeners = listeners;
    this.#deliveries = targets.map((target) => new AlertDelivery(target, log));
    const all = [...this.#deliveries, ...listeners];
    this.#alerts = new Alerts(account, all);
    this.log = all.length === 0 ? log : this.#withAlerts(log);
    if (all.length > 0) this.#timer = setInterval(() => this.#check(), CHECK_EVERY_MS).unref();
  }

  /** Replaces the configured targets. */
  retarget(targets: readonly AlertSettings[]): void {
    const former = this.#deliveries;
    this.#deliveries = targets.map((target) => new AlertDelivery(target, this.#base));
    this.#alerts.retarget([...this.#deliveries, ...this.#listeners]);
    // alerts already handed to the former targets are still delivered
    for (const delivery of former) void delivery.close(LAST_MS);
  }

  /** Calls `standing` about once a second for the conditions that hold. */
  watch(standing: () => readonly AlertCause[]): void {
    this.#standing = standing;
  }

  /** Sends a single alert that needs no end. */
  note(trouble: AlertCause): void {
    this.#alerts.note(trouble, Date.now());
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#deliveries.map((delivery) => delivery.close(LAST_MS)));
  }

  #check(): void {
    this.#alerts.update(this.#standing(), performance.now(), Date.now());
  }

  #withAlerts(log: Log): Log {
    const logAndAlert =
      (level: 'warn' | 'error') =>
      (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
        log[level](message, fields);
        const { alert, code: _code, quietMs, ...rest } = fields;
        if (typeof alert !== 'string' || STANDING.has(alert)) return;
        const trouble = { alert, level, text: message, fields: rest, quietMs: durationOf(quietMs) };
        const [now, wallMs] = [performance.now(), Date.now()];
        if (UNTIL_RESOLVED.has(alert)) this.#alerts.beginCondition(trouble, now, wallMs);
        else this.#alerts.noteOccurrence(trouble, now, wallMs);
      };
    return {
      debug: log.debug,
      info: (message, fields = {}) => {
        log.info(message, fields);
        if (typeof fields['resolves'] === 'string') this.#alerts.resolve(fields['resolves'], Date.now());
      },
      warn: logAndAlert('warn'),
      error: logAndAlert('error'),
    };
  }
}

const durationOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** Alert targets of a configuration. Paths of commands are resolved against the configuration file. */
export const alertTargetsOf = (targets: Config['alerts'], file: string): readonly AlertSettings[] =>
  targets.map(({ webhook, command, env, ...target }) =>
    webhook === undefined
      ? { ...target, env, command: resolve(dirname(resolve(file)), command ?? '') }
      : { ...target, webhook },
  );

// Alerts of a process: what its log says that somebody should look at (the key `alert`), and what stands, as long as somebody
// looks at it. Every command that alerts writes its log through here.
import { resolve, dirname } from 'node:path';
import type { Config } from '../config/index.ts';
import type { AlertSettings, AlertTarget, Log, Trouble } from '../ops/index.ts';
import { AlertDelivery, Alerts } from '../ops/index.ts';

const LOOK_EVERY_MS = 1000;
/** What is to be told at the end has this long to leave. */
const LAST_MS = 3000;

/** Told as long as they stand (alert-rules.ts), whatever the log says when they begin. */
const STANDING = new Set(['DEGRADED', 'BLIND', 'FENCED', 'KILL_SWITCH']);
/** It begins with one line of the log and ends with another, which has its name under `resolves`. */
const UNTIL_RESOLVED = new Set(['GUARD_ACTED', 'PORT_UNOPENED']);

export class Alerting {
  readonly log: Log;
  readonly #alerts: Alerts;
  #deliveries: readonly AlertDelivery[];
  readonly #listeners: readonly AlertTarget[];
  readonly #base: Log;
  readonly #timer: NodeJS.Timeout | undefined;
  #standing: () => readonly Trouble[] = () => [];

  /** `listeners`: in this process, beside those of the configuration. */
  constructor(account: string, targets: readonly AlertSettings[], log: Log, listeners: readonly AlertTarget[] = []) {
    this.#base = log;
    this.#listeners = listeners;
    this.#deliveries = targets.map((target) => new AlertDelivery(target, log));
    const all = [...this.#deliveries, ...listeners];
    this.#alerts = new Alerts(account, all);
    this.log = all.length === 0 ? log : this.#heard(log);
    if (all.length > 0) this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  /** Others are told from now on. */
  retarget(targets: readonly AlertSettings[]): void {
    const former = this.#deliveries;
    this.#deliveries = targets.map((target) => new AlertDelivery(target, this.#base));
    this.#alerts.retarget([...this.#deliveries, ...this.#listeners]);
    // what was told them is on its way
    for (const one of former) void one.close(LAST_MS);
  }

  /** What stands now is asked for about once a second. */
  watch(standing: () => readonly Trouble[]): void {
    this.#standing = standing;
  }

  /** Told whoever listens, and over. */
  note(trouble: Trouble): void {
    this.#alerts.note(trouble, Date.now());
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#deliveries.map((one) => one.close(LAST_MS)));
  }

  #look(): void {
    this.#alerts.look(this.#standing(), performance.now(), Date.now());
  }

  #heard(log: Log): Log {
    const hear =
      (level: 'warn' | 'error') =>
      (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
        log[level](message, fields);
        const { alert, code: _code, quietMs, ...more } = fields;
        if (typeof alert !== 'string' || STANDING.has(alert)) return;
        const trouble = { alert, level, text: message, fields: more, quietMs: durationOf(quietMs) };
        const [now, at] = [performance.now(), Date.now()];
        if (UNTIL_RESOLVED.has(alert)) this.#alerts.begin(trouble, now, at);
        else this.#alerts.happened(trouble, now, at);
      };
    return {
      debug: log.debug,
      info: (message, fields = {}) => {
        log.info(message, fields);
        if (typeof fields['resolves'] === 'string') this.#alerts.resolve(fields['resolves'], Date.now());
      },
      warn: hear('warn'),
      error: hear('error'),
    };
  }
}

const durationOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** As the file has them; paths of commands are relative to it. */
export const alertTargetsOf = (targets: Config['alerts'], file: string): readonly AlertSettings[] =>
  targets.map(({ webhook, command, env, ...target }) =>
    webhook === undefined
      ? { ...target, env, command: resolve(dirname(resolve(file)), command ?? '') }
      : { ...target, webhook },
  );

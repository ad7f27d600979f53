// Sends an alert once when it begins and once when it ends to the targets of the configuration (`alerts:`,
// docs/run/alerts.md). An alert is a standing condition (halted, a feed is down) or an occurrence (an order
// was cancelled by others), which ends when it has not occurred again for a while. Reads no clock: the caller
// passes the time.
import type { AlertLevel } from '../domain/index.ts';
import { withoutSecrets, redacted } from '../domain/index.ts';
import type { Fields } from './log.ts';

/** The message as sent in the body `json`. */
export type AlertMessage = {
  readonly alert: string;
  readonly level: AlertLevel;
  readonly state: 'firing' | 'resolved';
  readonly account: string;
  /** ISO. */
  readonly at: string;
  readonly text: string;
  readonly fields: Fields;
};

/** A condition or occurrence to report. `key`: distinguishes troubles of one kind, for example by feed. */
export type AlertCause = {
  readonly alert: string;
  readonly key?: string;
  readonly level: AlertLevel;
  readonly text: string;
  readonly fields?: Fields;
  /** An occurrence ends when it has not occurred again for this long, ms. Absent: a minute. */
  readonly quietMs?: number | undefined;
};

/** Accepts messages without blocking the caller. */
export type AlertTarget = {
  readonly level: AlertLevel;
  readonly repeatMs: number;
  readonly send: (message: AlertMessage) => void;
};

/** Default of `quietMs`. */
const QUIET_MS = 60_000;
const LEVELS: readonly AlertLevel[] = ['info', 'warn', 'error'];

type Firing = {
  trouble: AlertCause;
  /** When it ends, monotonic ms. Undefined: it stands until it is resolved. */
  overAt: number | undefined;
  readonly sentAt: Map<AlertTarget, number>;
};

export class Alerts {
  readonly #account: string;
  #targets: readonly AlertTarget[];
  readonly #firing = new Map<string, Firing>();
  /** Keys of the conditions that stood at the last `look`. */
  #standing: ReadonlySet<string> = new Set();

  constructor(account: string, targets: readonly AlertTarget[]) {
    this.#account = account;
    this.#targets = targets;
  }

  /** Replaces the targets. New ones also get the alerts that still fire; targets that stay have had them. */
  retarget(targets: readonly AlertTarget[]): void {
    this.#targets = targets;
  }

  /**
   * Takes all conditions that stand now: new ones are sent, missing ones are resolved.
   * @param now monotonic ms
   * @param atMs Unix ms
   */
  update(standing: readonly AlertCause[], now: number, atMs: number): void {
    const keys = new Set(standing.map(keyOf));
    for (const key of this.#standing) if (!keys.has(key)) this.#resolve(key, atMs);
    this.#standing = keys;
    for (const trouble of standing) this.#fire(trouble, undefined, now, atMs);
    for (const [key, { overAt }] of this.#firing) if (overAt !== undefined && overAt <= now) this.#resolve(key, atMs);
    for (const firing of this.#firing.values()) this.#send(firing, now, atMs);
  }

  /** Reports an occurrence. */
  noteOccurrence(trouble: AlertCause, now: number, atMs: number): void {
    this.#fire(trouble, now + (trouble.quietMs ?? QUIET_MS), now, atMs);
  }

  /** Begins a condition that stands until `resolve`. */
  beginCondition(trouble: AlertCause, now: number, atMs: number): void {
    this.#fire(trouble, undefined, now, atMs);
  }

  /** Ends a condition, or an occurrence before its quiet time has passed. */
  resolve(alert: string, atMs: number): void {
    this.#resolve(keyOf({ alert }), atMs);
  }

  /** Sends a message to all targets, whatever its level. It has no end. */
  note(trouble: AlertCause, atMs: number): void {
    for (const target of this.#targets) target.send(this.#message(trouble, 'firing', atMs));
  }

  #fire(trouble: AlertCause, overAt: number | undefined, now: number, atMs: number): void {
    const key = keyOf(trouble);
    const known = this.#firing.get(key);
    const firing = known ?? { trouble, overAt, sentAt: new Map<AlertTarget, number>() };
    firing.trouble = trouble;
    firing.overAt = overAt;
    this.#firing.set(key, firing);
    if (known === undefined) this.#send(firing, now, atMs);
  }

  /** Sends it once to each target, and again every `repeatMs` while it fires. */
  #send({ trouble, sentAt }: Firing, now: number, atMs: number): void {
    for (const target of this.#targets) {
      if (LEVELS.indexOf(trouble.level) < LEVELS.indexOf(target.level)) continue;
      const sent = sentAt.get(target);
      if (sent !== undefined && now - sent < target.repeatMs) continue;
      sentAt.set(target, now);
      target.send(this.#message(trouble, 'firing', atMs));
    }
  }

  #resolve(key: string, atMs: number): void {
    const firing = this.#firing.get(key);
    this.#firing.delete(key);
    for (const target of firing?.sentAt.keys() ?? [])
      if (firing !== undefined) target.send(this.#message(firing.trouble, 'resolved', atMs));
  }

  #message({ alert, level, text, fields = {} }: AlertCause, state: AlertMessage['state'], atMs: number): AlertMessage {
    return {
      alert,
      level,
      state,
      account: this.#account,
      at: new Date(atMs).toISOString(),
      text: redacted(text),
      fields: withoutSecrets(fields) as Fields,
    };
  }
}

const keyOf = ({ alert, key = '' }: Pick<AlertCause, 'alert' | 'key'>): string => `${alert} ${key}`;

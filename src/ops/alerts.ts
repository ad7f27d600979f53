// What somebody should know of now, told once when it begins and once when it is over, to whoever the configuration names
// (`alerts:`, docs/run/alerts.md). It stands (halted, a feed is down) or it happens (an order was cancelled by others): what happens is over
// when it has not happened again for a while. Reads no clock: whoever calls tells the time.
import type { AlertLevel } from '../domain/index.ts';
import { withoutSecrets, withoutTaken } from '../domain/index.ts';
import type { Fields } from './log.ts';

/** What goes out, as the body `json` has it. */
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

/** `key`: of one kind, what tells it from others of its kind, such as the feed. */
export type Trouble = {
  readonly alert: string;
  readonly key?: string;
  readonly level: AlertLevel;
  readonly text: string;
  readonly fields?: Fields;
  /** What happened is over when it has not happened again for this long; absent: a minute. */
  readonly quietMs?: number | undefined;
};

/** Takes messages and lets nobody wait. */
export type AlertTarget = {
  readonly level: AlertLevel;
  readonly repeatMs: number;
  readonly send: (message: AlertMessage) => void;
};

/** What happened is over when it has not happened again for this long. */
const QUIET_MS = 60_000;
const LEVELS: readonly AlertLevel[] = ['info', 'warn', 'error'];

type Firing = {
  trouble: Trouble;
  /** Undefined: it stands until somebody says that it is over. */
  overAt: number | undefined;
  readonly sentAt: Map<AlertTarget, number>;
};

export class Alerts {
  readonly #account: string;
  #targets: readonly AlertTarget[];
  readonly #firing = new Map<string, Firing>();
  /** Those that the last look found to stand. */
  #standing: ReadonlySet<string> = new Set();

  constructor(account: string, targets: readonly AlertTarget[]) {
    this.#account = account;
    this.#targets = targets;
  }

  /** Others are told from now on, of what goes on as well; those that stay have been told. */
  retarget(targets: readonly AlertTarget[]): void {
    this.#targets = targets;
  }

  /** All that stands now: what is new is told, and what is missing is over. `now`: monotonic ms; `at`: Unix ms. */
  look(standing: readonly Trouble[], now: number, at: number): void {
    const keys = new Set(standing.map(keyOf));
    for (const key of this.#standing) if (!keys.has(key)) this.#resolve(key, at);
    this.#standing = keys;
    for (const trouble of standing) this.#fire(trouble, undefined, now, at);
    for (const [key, { overAt }] of this.#firing) if (overAt !== undefined && overAt <= now) this.#resolve(key, at);
    for (const firing of this.#firing.values()) this.#tell(firing, now, at);
  }

  /** Something happened. */
  happened(trouble: Trouble, now: number, at: number): void {
    this.#fire(trouble, now + (trouble.quietMs ?? QUIET_MS), now, at);
  }

  /** It stands until it is resolved. */
  begin(trouble: Trouble, now: number, at: number): void {
    this.#fire(trouble, undefined, now, at);
  }

  /** What began is over, and what happened before its time. */
  resolve(alert: string, at: number): void {
    this.#resolve(keyOf({ alert }), at);
  }

  /** Told whoever listens, whatever its level, and over as it is told. */
  note(trouble: Trouble, at: number): void {
    for (const target of this.#targets) target.send(this.#message(trouble, 'firing', at));
  }

  #fire(trouble: Trouble, overAt: number | undefined, now: number, at: number): void {
    const key = keyOf(trouble);
    const known = this.#firing.get(key);
    const firing = known ?? { trouble, overAt, sentAt: new Map<AlertTarget, number>() };
    firing.trouble = trouble;
    firing.overAt = overAt;
    this.#firing.set(key, firing);
    if (known === undefined) this.#tell(firing, now, at);
  }

  /** Once, and again as long as it lasts. */
  #tell({ trouble, sentAt }: Firing, now: number, at: number): void {
    for (const target of this.#targets) {
      if (LEVELS.indexOf(trouble.level) < LEVELS.indexOf(target.level)) continue;
      const sent = sentAt.get(target);
      if (sent !== undefined && now - sent < target.repeatMs) continue;
      sentAt.set(target, now);
      target.send(this.#message(trouble, 'firing', at));
    }
  }

  #resolve(key: string, at: number): void {
    const firing = this.#firing.get(key);
    this.#firing.delete(key);
    for (const target of firing?.sentAt.keys() ?? [])
      if (firing !== undefined) target.send(this.#message(firing.trouble, 'resolved', at));
  }

  #message({ alert, level, text, fields = {} }: Trouble, state: AlertMessage['state'], at: number): AlertMessage {
    return {
      alert,
      level,
      state,
      account: this.#account,
      at: new Date(at).toISOString(),
      text: withoutTaken(text),
      fields: withoutSecrets(fields) as Fields,
    };
  }
}

const keyOf = ({ alert, key = '' }: Pick<Trouble, 'alert' | 'key'>): string => `${alert} ${key}`;

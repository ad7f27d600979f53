// The last lines of the log, and the last alerts, for whoever looks.
import { parseTime, withoutSecrets } from '../../domain/index.ts';
import type { AlertMessage } from '../alerts.ts';
import type { Fields, Log } from '../log.ts';
import type { AlertRow, LogRow } from './state.ts';

const MOST_LINES = 200;
const MOST_ALERTS = 100;
const MOST_DEPTH = 6;

export class LogTail {
  #number = 0;
  readonly #rows = new Map<number, LogRow>();
  readonly #alerts = new Map<number, AlertRow>();
  readonly #wall: () => number;

  constructor(wall: () => number = Date.now) {
    this.#wall = wall;
  }

  /** By number, oldest first. */
  get rows(): Readonly<Record<string, LogRow>> {
    return Object.fromEntries(this.#rows);
  }

  get alerts(): Readonly<Record<string, AlertRow>> {
    return Object.fromEntries(this.#alerts);
  }

  /** A log that writes there, and here. */
  around(log: Log): Log {
    const both =
      (level: LogRow['level']): Log['info'] =>
      (text, fields = {}) => {
        log[level](text, fields);
        if (level !== 'debug') this.add(level, text, fields);
      };
    return { debug: both('debug'), info: both('info'), warn: both('warn'), error: both('error') };
  }

  add(level: LogRow['level'], text: string, fields: Fields, t = this.#wall()): void {
    this.#number += 1;
    // whoever may look must not find there what commands
    const told =
      typeof fields['page'] === 'string' ? { ...fields, page: fields['page'].replace(/#.*/, '') } : fields;
    const shown = withoutSecrets(told, MOST_DEPTH) as Fields;
    this.#rows.set(this.#number, { t, level, text, fields: shown });
    forgetFirst(this.#rows, MOST_LINES);
  }

  /** What begins stands until it is resolved. */
  alert({ alert, level, state, text, at }: AlertMessage): void {
    const t = parseTime(at) ?? Number.NaN;
    for (const [number, row] of this.#alerts)
      if (row.alert === alert && row.over === null && (state === 'resolved' ? row.text === text : false))
        this.#alerts.set(number, { ...row, over: t });
    if (state === 'resolved') return;
    this.#number += 1;
    this.#alerts.set(this.#number, { alert, level, text, since: t, over: null });
    forgetFirst(this.#alerts, MOST_ALERTS);
  }
}

function forgetFirst(rows: Map<number, unknown>, most: number): void {
  if (rows.size <= most) return;
  const [first] = rows.keys();
  if (first !== undefined) rows.delete(first);
}

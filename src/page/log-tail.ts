// Keeps the last log lines and the last alerts for the page.
import { parseTime, withoutSecrets, redacted } from '../domain/index.ts';
import type { AlertMessage, Fields, Log } from '../ops/index.ts';
import type { AlertRow, LogRow } from './state.ts';

const MOST_LINES = 200;
/** A line repeated within this time is counted, so that it does not push out other lines, ms. */
const REPEATED_WITHIN_MS = 600_000;
/** How many different fields of repeated lines are kept. */
const MOST_FORMER = 5;
const MOST_ALERTS = 100;
const MOST_DEPTH = 6;

/** A log line. Lines with the same `key` are repetitions of each other. */
type Line = { readonly key: string; readonly row: LogRow };

export class LogTail {
  #number = 0;
  readonly #rows = new Map<number, Line>();
  /** The number of the newest line, by key. */
  readonly #newest = new Map<string, number>();
  readonly #alerts = new Map<number, AlertRow>();
  readonly #wall: () => number;

  constructor(wall: () => number = Date.now) {
    this.#wall = wall;
  }

  /** The lines by number. */
  get rows(): Readonly<Record<string, LogRow>> {
    return Object.fromEntries([...this.#rows].map(([number, { row }]) => [number, row]));
  }

  get alerts(): Readonly<Record<string, AlertRow>> {
    return Object.fromEntries(this.#alerts);
  }

  /** Returns a log that writes to `log` and keeps each line here. */
  around(log: Log): Log {
    const both =
      (level: LogRow['level']): Log['info'] =>
      (text, fields = {}) => {
        log[level](text, fields);
        if (level !== 'debug') this.addLine(level, text, fields);
      };
    return { debug: both('debug'), info: both('info'), warn: both('warn'), error: both('error') };
  }

  addLine(level: LogRow['level'], message: string, fields: Fields, t = this.#wall()): void {
    const text = redacted(message);
    // a client with view rights must not find the control token
    const safe = typeof fields['page'] === 'string' ? { ...fields, page: fields['page'].replace(/#.*/, '') } : fields;
    const shown = withoutSecrets(safe, MOST_DEPTH) as Fields;
    const key = keyOf(level, text, shown);
    const before = this.#newest.get(key);
    const former = before === undefined ? undefined : this.#rows.get(before)?.row;
    const isRepeated = former !== undefined && Math.abs(t - former.t) <= REPEATED_WITHIN_MS;
    const number = isRepeated && before !== undefined ? before : (this.#number += 1);
    const row: LogRow = { t, level, text, fields: shown, count: 1, since: t, former: [] };
    // a repeated line moves to the end
    this.#rows.delete(number);
    this.#rows.set(number, { key, row: isRepeated ? repeated(former, row) : row });
    this.#newest.set(key, number);
    this.#forgetFirst();
  }

  #forgetFirst(): void {
    if (this.#rows.size <= MOST_LINES) return;
    const [first] = this.#rows;
    if (first === undefined) return;
    const [number, { key }] = first;
    this.#rows.delete(number);
    if (this.#newest.get(key) === number) this.#newest.delete(key);
  }

  /** Adds an alert, or marks it as over when it is resolved. */
  alert({ alert, level, state, text, at: time }: AlertMessage): void {
    const t = parseTime(time) ?? Number.NaN;
    for (const [number, row] of this.#alerts)
      if (row.alert === alert && row.over === null && (state === 'resolved' ? row.text === text : false))
        this.#alerts.set(number, { ...row, over: t });
    if (state === 'resolved') return;
    this.#number += 1;
    this.#alerts.set(this.#number, { alert, level, text, since: t, over: null });
    forgetFirst(this.#alerts, MOST_ALERTS);
  }
}

/** Counts a repeated line, and keeps the fields of the former one if they differ. */
function repeated({ t, fields, count, since, former }: LogRow, row: LogRow): LogRow {
  const isSame = JSON.stringify(fields, plainly) === JSON.stringify(row.fields, plainly);
  return {
    ...row,
    count: count + 1,
    since,
    former: (isSame ? former : [{ t, fields }, ...former]).slice(0, MOST_FORMER),
  };
}

/**
 * Returns the key of a line: level, text, and code, alert and strategy, or all fields for a line without a
 * code.
 */
function keyOf(level: string, text: string, fields: Fields): string {
  const { code, alert, strategy } = fields;
  const distinct = code === undefined ? fields : { code, alert, strategy };
  return [level, text, JSON.stringify(distinct, plainly)].join(' ');
}

/** Replaces numbers, such as the length of a stall, so that they do not distinguish lines. */
const plainly = (_key: string, value: unknown): unknown =>
  typeof value === 'number' || typeof value === 'bigint' ? 0 : value;

function forgetFirst(rows: Map<number, unknown>, most: number): void {
  if (rows.size <= most) return;
  const [first] = rows.keys();
  if (first !== undefined) rows.delete(first);
}

// The last lines of the log, and the last alerts, for whoever looks.
import { parseTime, withoutSecrets, withoutTaken } from '../domain/index.ts';
import type { AlertMessage, Fields, Log } from '../ops/index.ts';
import type { AlertRow, LogRow } from './state.ts';

const MOST_LINES = 200;
/** A line that comes again so soon is counted, so that it pushes no other out. */
const REPEATED_WITHIN_MS = 600_000;
/** Of those that were counted, the newest that differed keep their fields. */
const MOST_FORMER = 5;
const MOST_ALERTS = 100;
const MOST_DEPTH = 6;

/** `says`: what two lines have in common that are one. */
type Line = { readonly says: string; readonly row: LogRow };

export class LogTail {
  #number = 0;
  readonly #rows = new Map<number, Line>();
  /** The newest of each, by what it says. */
  readonly #newest = new Map<string, number>();
  readonly #alerts = new Map<number, AlertRow>();
  readonly #wall: () => number;

  constructor(wall: () => number = Date.now) {
    this.#wall = wall;
  }

  /** By number. */
  get rows(): Readonly<Record<string, LogRow>> {
    return Object.fromEntries([...this.#rows].map(([number, { row }]) => [number, row]));
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

  add(level: LogRow['level'], said: string, fields: Fields, t = this.#wall()): void {
    const text = withoutTaken(said);
    // whoever may look must not find there what commands
    const told = typeof fields['page'] === 'string' ? { ...fields, page: fields['page'].replace(/#.*/, '') } : fields;
    const shown = withoutSecrets(told, MOST_DEPTH) as Fields;
    const says = saysOf(level, text, shown);
    const before = this.#newest.get(says);
    const former = before === undefined ? undefined : this.#rows.get(before)?.row;
    const isRepeated = former !== undefined && Math.abs(t - former.t) <= REPEATED_WITHIN_MS;
    const number = isRepeated && before !== undefined ? before : (this.#number += 1);
    const row: LogRow = { t, level, text, fields: shown, count: 1, since: t, former: [] };
    // it is the newest again, and goes last
    this.#rows.delete(number);
    this.#rows.set(number, { says, row: isRepeated ? again(former, row) : row });
    this.#newest.set(says, number);
    this.#forgetFirst();
  }

  #forgetFirst(): void {
    if (this.#rows.size <= MOST_LINES) return;
    const [first] = this.#rows;
    if (first === undefined) return;
    const [number, { says }] = first;
    this.#rows.delete(number);
    if (this.#newest.get(says) === number) this.#newest.delete(says);
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

function again({ t, fields, count, since, former }: LogRow, row: LogRow): LogRow {
  const isSame = JSON.stringify(fields, plainly) === JSON.stringify(row.fields, plainly);
  return {
    ...row,
    count: count + 1,
    since,
    former: (isSame ? former : [{ t, fields }, ...former]).slice(0, MOST_FORMER),
  };
}

/** What two lines have in common that are one: what has a code is told by it and by whose fault it is, all else by its fields. */
function saysOf(level: string, text: string, fields: Fields): string {
  const { code, alert, strategy } = fields;
  const of = code === undefined ? fields : { code, alert, strategy };
  return [level, text, JSON.stringify(of, plainly)].join(' ');
}

/** How long a stall was does not make another line of it. */
const plainly = (_key: string, value: unknown): unknown =>
  typeof value === 'number' || typeof value === 'bigint' ? 0 : value;

function forgetFirst(rows: Map<number, unknown>, most: number): void {
  if (rows.size <= most) return;
  const [first] = rows.keys();
  if (first !== undefined) rows.delete(first);
}

// What points came to, a line each, written as they end: a kill -9 loses the points that ran. It is read when a sweep goes on;
// a line that was torn off is none. When all is done the lines stand in the order of the points, the same bytes every time.
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, OddsmakerError } from '../domain/index.ts';
import type { Outcome } from './outcome.ts';
import { isOutcome, isWorthAnother } from './outcome.ts';
import type { Task } from './point.ts';

export const POINTS = 'points.ndjson';
const RUNNING = '.points.running.ndjson';

type Line = {
  readonly key: string;
  readonly point: number;
  /** How many games it played; null: all. */
  readonly games: number | null;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly outcome: Outcome;
};

/** One that ran twice, with different results. */
export type Difference = { readonly task: Task; readonly outcomes: readonly [Outcome, Outcome] };

export class ResultsLog {
  /** By key. */
  readonly #outcomes = new Map<string, Outcome>();
  readonly #file: string;
  readonly #out: string;
  readonly differences: Difference[] = [];
  /** Points that ran twice, to the same bytes. */
  ranTwice = 0;

  /** Reads what there is. @throws OddsmakerError OUT_UNWRITABLE when that cannot be read */
  constructor(out: string) {
    this.#out = out;
    this.#file = join(out, RUNNING);
    for (const file of [join(out, POINTS), this.#file])
      try {
        this.#read(file);
      } catch (error) {
        throw new OddsmakerError('OUT_UNWRITABLE', `--out ${out}: ${file} cannot be read (${messageOf(error)})`);
      }
  }

  get size(): number {
    return this.#outcomes.size;
  }

  outcomeOf(key: string): Outcome | undefined {
    return this.#outcomes.get(key);
  }

  /** @throws OddsmakerError OUT_UNWRITABLE */
  add(task: Task, outcome: Outcome): void {
    const other = this.#outcomes.get(task.key);
    if (other !== undefined && JSON.stringify(other) === JSON.stringify(outcome)) {
      this.ranTwice += 1;
      return;
    }
    if (other !== undefined && !isWorthAnother(other)) {
      if (isWorthAnother(outcome)) return;
      this.differences.push({ task, outcomes: [other, outcome] });
      return;
    }
    this.#write(() => appendFileSync(this.#file, `${lineOf(task, outcome)}\n`));
    this.#outcomes.set(task.key, outcome);
  }

  /** Of these alone, in this order; nothing else of the folder tells of single points any more. @throws OddsmakerError OUT_UNWRITABLE */
  finish(tasks: readonly Task[]): void {
    const lines = tasks.flatMap((task) => {
      const outcome = this.#outcomes.get(task.key);
      return outcome === undefined ? [] : [lineOf(task, outcome)];
    });
    const draft = join(this.#out, `.${POINTS}.draft`);
    this.#write(() => {
      writeFileSync(draft, lines.map((line) => `${line}\n`).join(''));
      renameSync(draft, join(this.#out, POINTS));
      rmSync(this.#file, { force: true });
    });
  }

  #write(action: () => void): void {
    try {
      action();
    } catch (error) {
      throw new OddsmakerError(
        'OUT_UNWRITABLE',
        `--out ${this.#out}: ${messageOf(error)}; what was played before is kept, and --resume goes on`,
        { cause: error },
      );
    }
  }

  #read(file: string): void {
    if (!existsSync(file)) return;
    const text = readFileSync(file, 'utf8');
    const end = text.lastIndexOf('\n') + 1;
    // what comes next begins a line of its own
    if (end < text.length) truncateSync(file, Buffer.byteLength(text.slice(0, end)));
    for (const line of text.slice(0, end).split('\n')) {
      const told = parsed(line);
      if (told === undefined) continue;
      this.#outcomes.set(told.key, told.outcome);
    }
  }
}

function lineOf({ key, point, games }: Task, outcome: Outcome): string {
  const line: Line = {
    key,
    point: point.number,
    games: games?.length ?? null,
    settings: Object.fromEntries(point.settings.map(({ name, value }) => [name, value])),
    outcome,
  };
  return JSON.stringify(line);
}

function parsed(line: string): Pick<Line, 'key' | 'outcome'> | undefined {
  try {
    const told = JSON.parse(line) as Partial<Line> | null;
    const { key, outcome } = told ?? {};
    return typeof key === 'string' && isOutcome(outcome) ? { key, outcome } : undefined;
  } catch {
    return undefined;
  }
}

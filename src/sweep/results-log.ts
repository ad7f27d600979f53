// The log of results: one line per point, appended when it ends, so that a kill -9 loses only running points.
// A resumed sweep reads it and ignores a line that was cut off. In the end the lines are sorted by point, and
// the file has the same bytes every time.
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, OddsmakerError } from '../domain/index.ts';
import type { Outcome } from './outcome.ts';
import { isOutcome, mayRetry } from './outcome.ts';
import type { Task } from './point.ts';

export const POINTS = 'points.ndjson';
const RUNNING = '.points.running.ndjson';

type Line = {
  readonly key: string;
  readonly point: number;
  /** Number of games that the point played; null: all games. */
  readonly games: number | null;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly outcome: Outcome;
};

/** A task that ran twice with different results. */
export type Difference = { readonly task: Task; readonly outcomes: readonly [Outcome, Outcome] };

export class ResultsLog {
  /** Outcomes by the keys of their tasks. */
  readonly #outcomes = new Map<string, Outcome>();
  readonly #file: string;
  readonly #out: string;
  readonly differences: Difference[] = [];
  /** Number of points that ran twice with the same result. */
  ranTwice = 0;

  /** Reads the results in the folder. @throws OddsmakerError OUT_UNWRITABLE when they cannot be read */
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

  /** Adds the result of a task, or compares it with the first one. @throws OddsmakerError OUT_UNWRITABLE */
  addResult(task: Task, outcome: Outcome): void {
    const other = this.#outcomes.get(task.key);
    if (other !== undefined && JSON.stringify(other) === JSON.stringify(outcome)) {
      this.ranTwice += 1;
      return;
    }
    if (other !== undefined && !mayRetry(other)) {
      if (mayRetry(outcome)) return;
      this.differences.push({ task, outcomes: [other, outcome] });
      return;
    }
    this.#write(() => appendFileSync(this.#file, `${lineOf(task, outcome)}\n`));
    this.#outcomes.set(task.key, outcome);
  }

  /**
   * Writes the results of these tasks in this order, and removes the running log. @throws OddsmakerError
   * OUT_UNWRITABLE
   */
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
        `--out ${this.#out}: ${messageOf(error)}; results so far are kept, and --resume continues`,
        { cause: error },
      );
    }
  }

  #read(file: string): void {
    if (!existsSync(file)) return;
    const text = readFileSync(file, 'utf8');
    const end = text.lastIndexOf('\n') + 1;
    // the next line must begin at the start of a line
    if (end < text.length) truncateSync(file, Buffer.byteLength(text.slice(0, end)));
    for (const line of text.slice(0, end).split('\n')) {
      const parsedLine = parsed(line);
      if (parsedLine === undefined) continue;
      this.#outcomes.set(parsedLine.key, parsedLine.outcome);
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
    const value = JSON.parse(line) as Partial<Line> | null;
    const { key, outcome } = value ?? {};
    return typeof key === 'string' && isOutcome(outcome) ? { key, outcome } : undefined;
  } catch {
    return undefined;
  }
}

// Strategy files that change while their bot runs (`oddsmaker dev`): a saved file is loaded, tried on the
// books of that moment, and replaces the version that runs; or the problem is reported, and the former
// version continues. Types are checked beside that: a checker takes seconds on a busy machine.
import { statSync } from 'node:fs';
import type { LoadedConfig } from '../config/index.ts';
import { messageOf } from '../domain/index.ts';
import type { RecordedStrategy } from '../journal/index.ts';
import type { Trial } from '../strategy/host/index.ts';
import { shownPath } from '../terminal/index.ts';
import type { Reload, TryingBot } from './strategy-attempt.ts';
import { attemptStrategy, withExcerpt } from './strategy-attempt.ts';
import type { Habit, TypeChecks } from '../setup/index.ts';
import { habitsOf } from '../setup/index.ts';

/** Interval of file checks, ms. A file is taken when two checks agree: editors may write in several steps. */
const CHECK_EVERY_MS = 80;

export type ReloadingBot = TryingBot & {
  readonly reload: (index: number, reload: Reload) => void;
};

export type StrategyReports = {
  readonly took: (strategy: string, file: string, trial: Trial, ms: number) => void;
  /** `problems` are `file:line:column: text`, as far as known, with the surrounding lines. */
  readonly refused: (strategy: string, file: string, problems: readonly string[]) => void;
  /** The saved file has type errors. */
  readonly typed: (strategy: string, file: string, problems: readonly string[]) => void;
  /** The new version has code that is valid but probably unintended; `file` as the configuration names it. */
  readonly warned: (strategy: string, habits: readonly Habit[]) => void;
  /** Types cannot be checked. Called once. */
  readonly untyped: (why: string) => void;
};

export class StrategyWatch {
  /** The configuration in force. */
  readonly #loaded: () => LoadedConfig;
  readonly #bot: ReloadingBot;
  readonly #types: TypeChecks;
  readonly #reports: StrategyReports;
  /** State of each file at the last check, by path. Links are followed. */
  readonly #fingerprints = new Map<string, string>();
  /** Indexes of the strategies that load a file, as their own or as an import. By path. */
  readonly #readers = new Map<string, Set<number>>();
  /** Records of the running versions as JSON, by index of the strategy. */
  readonly #running: string[] = [];
  readonly #due = new Set<number>();
  readonly #timer: NodeJS.Timeout;
  #turn: Promise<void> = Promise.resolve();
  #isUntyped = false;

  constructor(
    loaded: () => LoadedConfig,
    files: readonly RecordedStrategy[],
    {
      bot,
      types,
      reports,
    }: { readonly bot: ReloadingBot; readonly types: TypeChecks; readonly reports: StrategyReports },
  ) {
    this.#loaded = loaded;
    this.#bot = bot;
    this.#types = types;
    this.#reports = reports;
    files.forEach((file, index) => {
      this.#running[index] = JSON.stringify(file);
      const names = [file, ...(file.imports ?? [])].map((part) => loaded().resolve(part.file));
      this.#follow(index, names);
    });
    // polling instead of file events, because it also works for replaced folders, links and network drives
    this.#timer = setInterval(() => this.#check(), CHECK_EVERY_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #follow(index: number, paths: readonly string[]): void {
    for (const path of paths) {
      this.#readers.set(path, (this.#readers.get(path) ?? new Set()).add(index));
      if (!this.#fingerprints.has(path)) this.#fingerprints.set(path, fingerprintOf(path));
    }
  }

  #check(): void {
    let isSettled = true;
    for (const [path, before] of this.#fingerprints) {
      const now = fingerprintOf(path);
      if (now === before) continue;
      isSettled = false;
      this.#fingerprints.set(path, now);
      for (const index of this.#readers.get(path) ?? []) this.#due.add(index);
    }
    if (!isSettled) return;
    for (const index of this.#due) {
      this.#turn = this.#turn
        .then(() => this.#attempt(index))
        // for example a file deleted while it was read: the bot continues after any error
        .catch((error: unknown) => {
          const { id = '', use = '' } = this.#loaded().config.strategies[index] ?? {};
          this.#reports.refused(id, shownPath(this.#loaded().resolve(use)), [messageOf(error)]);
        });
    }
    this.#due.clear();
  }

  async #attempt(index: number): Promise<void> {
    const began = performance.now();
    const { use = '', id = '' } = this.#loaded().config.strategies[index] ?? {};
    const path = shownPath(this.#loaded().resolve(use));
    const attempt = await attemptStrategy(this.#loaded(), index, {
      bot: this.#bot,
      running: this.#running[index],
      read: (parts) => this.#follow(index, parts),
    });
    // tried again at the next check
    if ('torn' in attempt) this.#due.add(index);
    else if ('problems' in attempt) this.#reports.refused(id, path, attempt.problems);
    // also for a refused version: a type error may explain why
    if ('took' in attempt || 'problems' in attempt) void this.#checkTypes(id, path, this.#loaded().resolve(use));
    if (!('took' in attempt)) return;
    const { took, trial } = attempt;
    this.#bot.reload(index, took);
    this.#running[index] = JSON.stringify(took.file);
    this.#reports.took(id, path, trial, performance.now() - began);
    const habits = habitsOf([took.file]);
    if (habits.length > 0) this.#reports.warned(id, habits);
  }

  async #checkTypes(id: string, path: string, file: string): Promise<void> {
    const typed = await this.#types.check([file]);
    if (typed.problems === undefined) {
      if (!this.#isUntyped) this.#reports.untyped(typed.why);
      this.#isUntyped = true;
    } else if (typed.problems.length > 0) this.#reports.typed(id, path, typed.problems.map(withExcerpt));
  }
}

/** Text that changes when a file is written or replaced. '' when there is no file. */
function fingerprintOf(path: string): string {
  try {
    const { mtimeMs, size, ino, dev } = statSync(path);
    return [mtimeMs, size, ino, dev].join(' ');
  } catch {
    return '';
  }
}

// Strategy files that change while their bot runs (`oddsmaker dev`): a saved file is loaded, tried on the books of that moment,
// and replaces the version that runs; or the problem is reported, and the former version continues. Types are checked beside
// that: a checker takes seconds on a busy machine.
import { statSync } from 'node:fs';
import type { LoadedConfig } from '../config/index.ts';
import { messageOf } from '../domain/index.ts';
import type { RecordedStrategy } from '../journal/index.ts';
import type { Trial } from '../strategy/host/index.ts';
import { shownPath } from '../terminal/index.ts';
import type { Reload, TryingBot } from './strategy-attempt.ts';
import { attemptStrategy, withExcerpt } from './strategy-attempt.ts';
import type { TypeChecks } from '../setup/index.ts';

/** An editor may write a file in several steps: it is taken as it stands at two looks. */
const LOOK_EVERY_MS = 80;

export type ReloadingBot = TryingBot & {
  readonly reload: (index: number, reload: Reload) => void;
};

export type Tells = {
  readonly took: (strategy: string, file: string, trial: Trial, ms: number) => void;
  /** `problems`: `file:line:column: text`, as far as that is known, with the lines around. */
  readonly refused: (strategy: string, file: string, problems: readonly string[]) => void;
  /** What was saved has errors of types. */
  readonly typed: (strategy: string, file: string, problems: readonly string[]) => void;
  readonly untyped: (why: string) => void;
};

export class StrategyWatch {
  /** The configuration as it runs. */
  readonly #loaded: () => LoadedConfig;
  readonly #bot: ReloadingBot;
  readonly #types: TypeChecks;
  readonly #tells: Tells;
  /** As they were at the last look: by path, wherever it leads to. */
  readonly #looks = new Map<string, string>();
  /** Which strategies come from a file, their own or one that they import. */
  readonly #readers = new Map<string, Set<number>>();
  /** As they run, by what they were loaded from. */
  readonly #running: string[] = [];
  readonly #due = new Set<number>();
  readonly #timer: NodeJS.Timeout;
  #turn: Promise<void> = Promise.resolve();
  #isUntyped = false;

  constructor(
    loaded: () => LoadedConfig,
    files: readonly RecordedStrategy[],
    { bot, types, tells }: { readonly bot: ReloadingBot; readonly types: TypeChecks; readonly tells: Tells },
  ) {
    this.#loaded = loaded;
    this.#bot = bot;
    this.#types = types;
    this.#tells = tells;
    files.forEach((file, index) => {
      this.#running[index] = JSON.stringify(file);
      const names = [file, ...(file.imports ?? [])].map((one) => loaded().resolve(one.file));
      this.#follow(index, names);
    });
    // a look costs less than it saves: folders that are replaced, links and drives of the network are all the same to it
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #follow(index: number, paths: readonly string[]): void {
    for (const path of paths) {
      this.#readers.set(path, (this.#readers.get(path) ?? new Set()).add(index));
      if (!this.#looks.has(path)) this.#looks.set(path, lookOf(path));
    }
  }

  #look(): void {
    let isSettled = true;
    for (const [path, before] of this.#looks) {
      const now = lookOf(path);
      if (now === before) continue;
      isSettled = false;
      this.#looks.set(path, now);
      for (const index of this.#readers.get(path) ?? []) this.#due.add(index);
    }
    if (!isSettled) return;
    for (const index of this.#due) {
      this.#turn = this.#turn
        .then(() => this.#attempt(index))
        // a file that went while it was read: the bot goes on, whatever it was
        .catch((error: unknown) => {
          const { id = '', use = '' } = this.#loaded().config.strategies[index] ?? {};
          this.#tells.refused(id, shownPath(this.#loaded().resolve(use)), [messageOf(error)]);
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
    // the next look sees it
    if ('torn' in attempt) this.#due.add(index);
    else if ('problems' in attempt) this.#tells.refused(id, path, attempt.problems);
    // also of one that is refused: an error of types may say why
    if ('took' in attempt || 'problems' in attempt) void this.#check(id, path, this.#loaded().resolve(use));
    if (!('took' in attempt)) return;
    const { took, trial } = attempt;
    this.#bot.reload(index, took);
    this.#running[index] = JSON.stringify(took.file);
    this.#tells.took(id, path, trial, performance.now() - began);
  }

  async #check(id: string, path: string, file: string): Promise<void> {
    const typed = await this.#types.check([file]);
    if (typed.problems === undefined) {
      if (!this.#isUntyped) this.#tells.untyped(typed.why);
      this.#isUntyped = true;
    } else if (typed.problems.length > 0) this.#tells.typed(id, path, typed.problems.map(withExcerpt));
  }
}

/** What differs when a file was written, or another one is in its place. */
function lookOf(path: string): string {
  try {
    const { mtimeMs, size, ino, dev } = statSync(path);
    return [mtimeMs, size, ino, dev].join(' ');
  } catch {
    return '';
  }
}

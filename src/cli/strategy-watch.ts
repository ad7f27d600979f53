// Strategy files that change while their bot runs (`oddsmaker dev`): what is saved is loaded, its types are checked, it is tried
// on the books of that moment, and takes over; or it is told what is wrong, and the former version goes on.
import type { FSWatcher } from 'node:fs';
import { readFileSync, watch } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { LoadedConfig } from '../config/index.ts';
import type { RecordedStrategy } from '../record/journal.ts';
import type { StrategyId } from '../domain/index.ts';
import { messageOf } from '../domain/index.ts';
import type { StrategyEntry } from '../strategy/host.ts';
import { beginLife, loadStrategy } from '../strategy/loader.ts';
import { checkParams } from '../strategy/params.ts';
import type { Trial } from '../strategy/trial.ts';
import { recordedStrategy } from './recorded-strategies.ts';
import { shownPath } from './shown-path.ts';
import type { TypeChecks } from './type-checks.ts';

/** Editors write a file in several steps. */
const SETTLED_MS = 60;

export type ReloadingBot = {
  readonly tryOut: (entry: StrategyEntry) => Trial;
  readonly reload: (index: number, entry: StrategyEntry, file: RecordedStrategy) => void;
};

export type Tells = {
  readonly took: (strategy: string, file: string, trial: Trial, ms: number) => void;
  /** `problems`: `file:line:column: text`, as far as that is known, with the lines around. */
  readonly refused: (strategy: string, file: string, problems: readonly string[]) => void;
};

export class StrategyWatch {
  readonly #loaded: LoadedConfig;
  readonly #bot: ReloadingBot;
  readonly #types: TypeChecks;
  readonly #tells: Tells;
  readonly #watchers = new Map<string, FSWatcher>();
  /** Which strategies come from a file, their own or one that they import. */
  readonly #readers = new Map<string, Set<number>>();
  /** As they run, by what they were loaded from. */
  readonly #running: string[] = [];
  readonly #due = new Set<number>();
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();

  constructor(
    loaded: LoadedConfig,
    files: readonly RecordedStrategy[],
    { bot, types, tells }: { readonly bot: ReloadingBot; readonly types: TypeChecks; readonly tells: Tells },
  ) {
    this.#loaded = loaded;
    this.#bot = bot;
    this.#types = types;
    this.#tells = tells;
    files.forEach((file, index) => this.#follow(index, file));
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #follow(index: number, file: RecordedStrategy): void {
    this.#running[index] = JSON.stringify(file);
    for (const { file: name } of [file, ...(file.imports ?? [])]) {
      const path = this.#loaded.resolve(name);
      this.#readers.set(path, (this.#readers.get(path) ?? new Set()).add(index));
      const folder = dirname(path);
      if (this.#watchers.has(folder)) continue;
      // an editor may put a new file in the place of the old one, so the folder is watched
      const watcher = watch(folder, { persistent: false }, (_event, changed) => {
        if (changed !== null) this.#changed(join(folder, changed));
      });
      watcher.on('error', () => undefined);
      this.#watchers.set(folder, watcher);
    }
  }

  #changed(path: string): void {
    const readers = this.#readers.get(path);
    if (readers === undefined) return;
    for (const index of readers) this.#due.add(index);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const due = [...this.#due];
      this.#due.clear();
      for (const index of due)
        this.#turn = this.#turn
          .then(() => this.#attempt(index))
          // a file that went while it was read: the bot goes on, whatever it was
          .catch((error: unknown) => {
            const { id = '', use = '' } = this.#loaded.config.strategies[index] ?? {};
            this.#tells.refused(id, shownPath(this.#loaded.resolve(use)), [messageOf(error)]);
          });
    }, SETTLED_MS);
  }

  async #attempt(index: number): Promise<void> {
    const began = performance.now();
    const { use = '', id = '', params } = this.#loaded.config.strategies[index] ?? {};
    const path = this.#loaded.resolve(use);
    const refuse = (problems: readonly string[]): void =>
      this.#tells.refused(id, shownPath(path), problems.map(withExcerpt));
    let found: Awaited<ReturnType<typeof loadStrategy>>;
    try {
      found = await loadStrategy(path, beginLife());
    } catch (error) {
      refuse([messageOf(error)]);
      return;
    }
    const file = recordedStrategy(use, found, dirname(resolve(this.#loaded.file)));
    // it was saved as it was
    if (JSON.stringify(file) === this.#running[index]) return;
    const entry = checkParams(id as StrategyId, found.strategy, params);
    if (!('strategy' in entry)) {
      refuse(entry.map(({ path: at, message }) => `${path}: params.${at.join('.')}: ${message}`));
      return;
    }
    const typed = await this.#types.check([path]);
    if (typed.problems !== undefined && typed.problems.length > 0) {
      refuse(typed.problems);
      return;
    }
    const trial = this.#bot.tryOut(entry);
    if (trial.faults.length > 0) {
      refuse(faultsIn(trial, path));
      return;
    }
    this.#bot.reload(index, entry, file);
    this.#follow(index, file);
    this.#tells.took(id, shownPath(path), trial, performance.now() - began);
  }
}

/** Most markets tell the same: each fault once, with the first of them. */
function faultsIn({ faults }: Trial, path: string): readonly string[] {
  const byText = new Map<string, { readonly first: string; markets: number }>();
  for (const { code, detail } of faults) {
    const known = byText.get(detail.replace(/^\S+: /, ''));
    if (known === undefined)
      byText.set(detail.replace(/^\S+: /, ''), { first: `${code}: ${placed(detail, path)}`, markets: 1 });
    else known.markets += 1;
  }
  return [...byText.values()].map(({ first, markets }) =>
    markets === 1 ? first : `${first}, and in ${markets - 1} more`,
  );
}

/** Faults name files without folders: the one that was saved is meant. */
const placed = (detail: string, path: string): string =>
  detail.replace(/ \(([^()/\\]+):(\d+)\)$/, (whole, name: string, line: string) =>
    path.endsWith(`/${name}`) ? ` (${path}:${line})` : whole,
  );

const PLACE = /((?:\/|[A-Za-z]:\\)[^\s():]*\.[cm]?[jt]s):(\d+)/;

/** With the lines around the place that it names, if it names one. */
function withExcerpt(problem: string): string {
  const [, file = '', at = ''] = PLACE.exec(problem) ?? [];
  if (file === '') return problem;
  try {
    const lines = readFileSync(file, 'utf8').split('\n');
    const line = Number(at);
    const shown = [line - 1, line, line + 1].flatMap((number) => {
      const text = lines[number - 1];
      return text === undefined
        ? []
        : [`${number === line ? '>' : ' '} ${String(number).padStart(4)} | ${text}`];
    });
    return [problem, ...shown].join('\n');
  } catch {
    return problem;
  }
}

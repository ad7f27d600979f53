// Strategy files that change while their bot runs (`oddsmaker dev`): what is saved is loaded, its types are checked, it is tried
// on the books of that moment, and takes over; or it is told what is wrong, and the former version goes on.
import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { LoadedConfig } from '../config/index.ts';
import type { RecordedStrategy } from '../record/journal.ts';
import type { StrategyId } from '../domain/index.ts';
import { messageOf } from '../domain/index.ts';
import type { StrategyEntry } from '../strategy/host.ts';
import { beginLife, filesOf, isCommonJs, loadStrategy, placeOf } from '../strategy/loader.ts';
import { checkParams } from '../strategy/params.ts';
import type { StrategyModule } from '../strategy/thrown.ts';
import type { Trial } from '../strategy/trial.ts';
import { recordedStrategy } from './recorded-strategies.ts';
import { shownPath } from './shown-path.ts';
import { placeIn } from './strategy-faults.ts';
import type { TypeChecks } from './type-checks.ts';

/** An editor may write a file in several steps: it is taken as it stands at two looks. */
const LOOK_EVERY_MS = 80;

/** Another version of a strategy, and what the bot must know of its file. */
export type Reload = {
  readonly entry: StrategyEntry;
  readonly file: RecordedStrategy;
  readonly module: StrategyModule;
};

export type ReloadingBot = {
  /** Code of this strategy runs, outside a step; undefined: no more. */
  readonly loading: (strategy: StrategyId | undefined) => void;
  /** What a version threw meanwhile, in a timer or a promise. */
  readonly thrownIn: (url: string) => Error | undefined;
  readonly tryOut: (entry: StrategyEntry) => Trial;
  readonly reload: (index: number, reload: Reload) => void;
};

export type Tells = {
  readonly took: (strategy: string, file: string, trial: Trial, ms: number) => void;
  /** `problems`: `file:line:column: text`, as far as that is known, with the lines around. */
  readonly refused: (strategy: string, file: string, problems: readonly string[]) => void;
  readonly untyped: (why: string) => void;
};

export class StrategyWatch {
  readonly #loaded: LoadedConfig;
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
    loaded: LoadedConfig,
    files: readonly RecordedStrategy[],
    { bot, types, tells }: { readonly bot: ReloadingBot; readonly types: TypeChecks; readonly tells: Tells },
  ) {
    this.#loaded = loaded;
    this.#bot = bot;
    this.#types = types;
    this.#tells = tells;
    files.forEach((file, index) => {
      this.#running[index] = JSON.stringify(file);
      const names = [file, ...(file.imports ?? [])].map((one) => loaded.resolve(one.file));
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
          const { id = '', use = '' } = this.#loaded.config.strategies[index] ?? {};
          this.#tells.refused(id, shownPath(this.#loaded.resolve(use)), [messageOf(error)]);
        });
    }
    this.#due.clear();
  }

  async #attempt(index: number): Promise<void> {
    const began = performance.now();
    const beganAt = Date.now();
    const { use = '', id = '', params } = this.#loaded.config.strategies[index] ?? {};
    const path = this.#loaded.resolve(use);
    const refuse = (problems: readonly string[]): void =>
      this.#tells.refused(id, shownPath(path), problems.map(withExcerpt));
    const life = beginLife();
    this.#bot.loading(id as StrategyId);
    const found = await loadStrategy(path, life).catch((error: unknown) => messageOf(error));
    this.#bot.loading(undefined);
    const parts = filesOf(life);
    // what it imports may be what is wrong with it
    this.#follow(index, parts);
    if (typeof found === 'string') {
      refuse([found]);
      return;
    }
    // what was read is not what was loaded: the next look sees it
    if (parts.some((part) => writtenAt(part) >= beganAt)) {
      this.#due.add(index);
      return;
    }
    const common = parts.find(isCommonJs);
    if (common !== undefined) {
      refuse([`${common} is CommonJS, which lives once in a process: start anew, or write it as a module`]);
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
    if (typed.problems === undefined) {
      if (!this.#isUntyped) this.#tells.untyped(typed.why);
      this.#isUntyped = true;
    } else if (typed.problems.length > 0) {
      refuse(typed.problems);
      return;
    }
    const thrown = this.#bot.thrownIn(found.url);
    if (thrown !== undefined) {
      refuse([`it threw outside a dispatch: ${thrown.message}${placeOf(thrown)}`]);
      return;
    }
    const trial = this.#bot.tryOut(entry);
    if (trial.faults.length > 0) {
      refuse(faultsIn(trial, path));
      return;
    }
    this.#bot.reload(index, { entry, file, module: { id: entry.id, file: use, url: found.url } });
    this.#running[index] = JSON.stringify(file);
    this.#tells.took(id, shownPath(path), trial, performance.now() - began);
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

const writtenAt = (path: string): number => statSync(path).mtimeMs;

/** Most markets tell the same: each fault once, with the first of them. */
function faultsIn({ faults }: Trial, path: string): readonly string[] {
  const byText = new Map<string, { readonly first: string; markets: number }>();
  for (const { code, detail } of faults) {
    const text = detail.replace(/^\S+: /, '');
    const known = byText.get(text);
    if (known === undefined) byText.set(text, { first: `${code}: ${placed(detail, path)}`, markets: 1 });
    else known.markets += 1;
  }
  return [...byText.values()].map(({ first, markets }) =>
    markets === 1 ? first : `${first}, and in ${markets - 1} more`,
  );
}

/** Faults name files without folders: the one that was saved is meant. */
function placed(detail: string, path: string): string {
  const { place, line, before } = placeIn(detail, path);
  return place === path ? `${before} (${path}:${line})` : detail;
}

/** At the start, or in brackets at the end. */
const PLACES = [
  /^(?<file>(?:\/|[A-Za-z]:\\).*?\.[cm]?[jt]s):(?<line>\d+)(?::\d+)?: /,
  /\((?<file>(?:\/|[A-Za-z]:\\)[^()]*\.[cm]?[jt]s):(?<line>\d+)\)/,
];

/** With the lines around the place that it names, if it names one. */
function withExcerpt(problem: string): string {
  const found = PLACES.map((place) => place.exec(problem)?.groups).find((groups) => groups !== undefined);
  if (found === undefined) return problem;
  try {
    const lines = readFileSync(found['file'] ?? '', 'utf8').split('\n');
    const line = Number(found['line']);
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

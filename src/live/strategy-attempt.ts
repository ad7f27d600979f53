// Loads another version of a strategy while its bot runs. The file is loaded as a new generation, its
// parameters and types are checked, and it is tried on the current books. A problem is reported and changes
// nothing.
import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { LoadedConfig } from '../config/index.ts';
import type { StrategyId } from '../domain/index.ts';
import { messageOf } from '../domain/index.ts';
import type { RecordedStrategy } from '../journal/index.ts';
import type { StrategyEntry, StrategyModule, Trial } from '../strategy/host/index.ts';
import {
  beginGeneration,
  commonJsFiles,
  filesOf,
  forgetCommonJs,
  isCommonJs,
  loadStrategy,
  placeOf,
} from '../strategy/host/index.ts';
import { recordedStrategy, placeIn, strategyEntry } from '../setup/index.ts';
import type { Typed } from '../setup/index.ts';

/** Another version of a strategy, with the record and the module of its file. */
export type Reload = {
  readonly entry: StrategyEntry;
  readonly file: RecordedStrategy;
  readonly module: StrategyModule;
  /** Why the types were not checked. Undefined when they were. */
  readonly untyped?: string | undefined;
};

export type TryingBot = {
  /** Marks that code of this strategy runs outside a step. Undefined ends it. */
  readonly loading: (strategy: StrategyId | undefined) => void;
  /** The error that a version threw since it was loaded, in a timer or a promise. */
  readonly thrownIn: (url: string) => Error | undefined;
  readonly tryOut: (entry: StrategyEntry) => Trial;
};

export type Attempt =
  | { readonly took: Reload; readonly trial: Trial }
  /** Problems as `file:line:column: text`, as far as known, with the surrounding lines. */
  | { readonly problems: readonly string[] }
  /** The files are the running ones: nothing changed. */
  | { readonly same: true }
  /** A file was written while it was being read. */
  | { readonly torn: true };

/** A version that throws within this time after it was loaded is refused, ms. */
const SETTLE_MS = 30;

export async function attemptStrategy(
  loaded: LoadedConfig,
  index: number,
  {
    bot,
    types,
    running,
    read,
  }: {
    readonly bot: TryingBot;
    /** Checks types before the version runs. Absent when the caller checks types itself. */
    readonly types?: (files: readonly string[]) => Promise<Typed>;
    /** The record of the running version as JSON. A version with the same record is not tried. */
    readonly running: string | undefined;
    /** Called with the files that were loaded, also when the version is refused. */
    readonly read?: (parts: readonly string[]) => void;
  },
): Promise<Attempt> {
  const beganAt = Date.now();
  const configured = loaded.config.strategies[index];
  if (configured === undefined) throw new Error(`there is no strategy ${index}`);
  const { use, id } = configured;
  const path = loaded.resolve(use);
  const refuse = (problems: readonly string[]): Attempt => ({ problems: problems.map(withExcerpt) });
  const generation = beginGeneration();
  const commonBefore = commonJsFiles();
  bot.loading(id as StrategyId);
  const found = await loadStrategy(path, generation).catch((error: unknown) => messageOf(error));
  bot.loading(undefined);
  const parts = filesOf(generation);
  const common = parts.find(isCommonJs);
  forgetCommonJs(parts.filter((part) => !commonBefore.has(part)));
  // also for a refused version: the fault may be in a file that it imports
  read?.(parts);
  if (typeof found === 'string') return refuse([found]);
  // a file changed since, so its recorded source might not be the one loaded
  if (parts.some((part) => writtenAt(part) >= beganAt)) return { torn: true };
  if (common !== undefined)
    return refuse([
      `${common} is CommonJS, which lives once in a process: restart the bot, or write it as an ES module`,
    ]);
  const file = recordedStrategy(use, found, dirname(resolve(loaded.file)));
  if (JSON.stringify(file) === running) return { same: true };
  const entry = strategyEntry(configured, found.strategy);
  if (!('strategy' in entry))
    return refuse(entry.map(({ path: key, message }) => `${path}: ${key.join('.')}: ${message}`));
  if (types === undefined) await delay(SETTLE_MS);
  const typed = await types?.([path]);
  if (typed?.problems !== undefined && typed.problems.length > 0) return refuse(typed.problems);
  const thrown = bot.thrownIn(found.url);
  if (thrown !== undefined) return refuse([`it threw outside a dispatch: ${thrown.message}${placeOf(thrown)}`]);
  const trial = bot.tryOut(entry);
  if (trial.faults.length > 0) return refuse(faultsIn(trial, path));
  const untyped = typed?.problems === undefined ? typed?.why : undefined;
  return { took: { entry, file, module: { id: entry.id, file: use, url: found.url }, untyped }, trial };
}

const writtenAt = (path: string): number => statSync(path).mtimeMs;

/** Lists each fault once, with its first market: most markets report the same. */
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

/** Replaces the bare file name in a fault by the full path, when it is the saved file. */
function placed(detail: string, path: string): string {
  const { place, line, before } = placeIn(detail, path);
  return place === path ? `${before} (${path}:${line})` : detail;
}

/** Places in a problem: at its start, or in brackets at its end. */
const PLACES = [
  /^(?<file>(?:\/|[A-Za-z]:\\).*?\.[cm]?[jt]s):(?<line>\d+)(?::\d+)?: /,
  /\((?<file>(?:\/|[A-Za-z]:\\)[^()]*\.[cm]?[jt]s):(?<line>\d+)\)/,
];

/** Adds the source lines around the place that the problem names. Unchanged when it names none. */
export function withExcerpt(problem: string): string {
  const found = PLACES.map((place) => place.exec(problem)?.groups).find((groups) => groups !== undefined);
  if (found === undefined) return problem;
  try {
    const lines = readFileSync(found['file'] ?? '', 'utf8').split('\n');
    const line = Number(found['line']);
    const shown = [line - 1, line, line + 1].flatMap((number) => {
      const text = lines[number - 1];
      return text === undefined ? [] : [`${number === line ? '>' : ' '} ${String(number).padStart(4)} | ${text}`];
    });
    return [problem, ...shown].join('\n');
  } catch {
    return problem;
  }
}

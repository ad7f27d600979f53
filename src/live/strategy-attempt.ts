// Another version of a strategy while its bot runs: its file is loaded in a life of its own, its parameters and types are
// checked, and it is tried on the books of that moment. Whatever is wrong with it is told, and changes nothing.
import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { LoadedConfig } from '../config/index.ts';
import type { StrategyId } from '../domain/index.ts';
import { messageOf } from '../domain/index.ts';
import type { RecordedStrategy } from '../journal/index.ts';
import type { StrategyEntry, StrategyModule, Trial } from '../strategy/host/index.ts';
import { beginGeneration, filesOf, isCommonJs, loadStrategy, placeOf, checkParams } from '../strategy/host/index.ts';
import { recordedStrategy, placeIn } from '../setup/index.ts';
import type { Typed } from '../setup/index.ts';

/** Another version of a strategy, and what the bot must know of its file. */
export type Reload = {
  readonly entry: StrategyEntry;
  readonly file: RecordedStrategy;
  readonly module: StrategyModule;
  /** Why its types were not checked; undefined: they were. */
  readonly untyped?: string | undefined;
};

export type TryingBot = {
  /** Code of this strategy runs, outside a step; undefined: no more. */
  readonly loading: (strategy: StrategyId | undefined) => void;
  /** What a version threw meanwhile, in a timer or a promise. */
  readonly thrownIn: (url: string) => Error | undefined;
  readonly tryOut: (entry: StrategyEntry) => Trial;
};

export type Attempt =
  | { readonly took: Reload; readonly trial: Trial }
  /** `file:line:column: text`, as far as that is known, with the lines around. */
  | { readonly problems: readonly string[] }
  /** Its files are those that run. */
  | { readonly same: true }
  /** A file was written while it was read. */
  | { readonly torn: true };

/** What a version throws this soon after it is loaded refuses it. */
const YOUNG_MS = 30;

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
    /** Asked before the version runs; absent: its types are checked elsewhere. */
    readonly types?: (files: readonly string[]) => Promise<Typed>;
    /** As it runs, as JSON: what is the same is not tried. */
    readonly running: string | undefined;
    /** Told what it was loaded from, whatever came of it. */
    readonly read?: (parts: readonly string[]) => void;
  },
): Promise<Attempt> {
  const beganAt = Date.now();
  const { use = '', id = '', params } = loaded.config.strategies[index] ?? {};
  const path = loaded.resolve(use);
  const refuse = (problems: readonly string[]): Attempt => ({ problems: problems.map(withExcerpt) });
  const life = beginGeneration();
  bot.loading(id as StrategyId);
  const found = await loadStrategy(path, life).catch((error: unknown) => messageOf(error));
  bot.loading(undefined);
  const parts = filesOf(life);
  // what it imports may be what is wrong with it
  read?.(parts);
  if (typeof found === 'string') return refuse([found]);
  // what was read is not what was loaded
  if (parts.some((part) => writtenAt(part) >= beganAt)) return { torn: true };
  const common = parts.find(isCommonJs);
  if (common !== undefined)
    return refuse([`${common} is CommonJS, which lives once in a process: start anew, or write it as a module`]);
  const file = recordedStrategy(use, found, dirname(resolve(loaded.file)));
  if (JSON.stringify(file) === running) return { same: true };
  const entry = checkParams(id as StrategyId, found.strategy, params);
  if (!('strategy' in entry))
    return refuse(entry.map(({ path: at, message }) => `${path}: params.${at.join('.')}: ${message}`));
  if (types === undefined) await delay(YOUNG_MS);
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

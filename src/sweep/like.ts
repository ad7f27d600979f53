// `--like FILE`: repeats a sweep from its results. `sweep.json` has what was searched, and `timing.json` beside
// it where the files were on this machine. Flags of the command line come before what the file says.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseLatency, strategyLatency } from '../backtest/index.ts';
import { messageOf, OddsmakerError, parseTapeStart } from '../domain/index.ts';
import type { Scenario } from '../report/index.ts';
import { SCENARIOS } from '../report/index.ts';
import { constraint } from './constraints.ts';
import type { Settings } from './out.ts';
import { changesOf, SWEEP } from './out.ts';
import type { Param } from './params.ts';
import { param } from './params.ts';
import type { PlanFlags } from './plan.ts';
import { SEARCHES } from './searched.ts';

export const TIMING = 'timing.json';

/** The files of a sweep on this machine, as `timing.json` records them; null: none was given. */
export type SweepFiles = {
  readonly config: string;
  readonly tape: readonly string[];
  readonly results: string | null;
  readonly fillModel: string | null;
  readonly latency: string | null;
  readonly signalLatency: string | null;
};

/** A former sweep. */
export type Former = {
  readonly file: string;
  readonly settings: Settings;
  /** The configuration; undefined when no file says where it is. */
  readonly config: string | undefined;
  /** Its command line. */
  readonly flags: Partial<PlanFlags>;
};

/**
 * Reads a former sweep. `path`: its folder, or its `sweep.json`.
 * @throws OddsmakerError SWEEP_INVALID when this is no sweep of this version
 */
export function readFormer(path: string): Former {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const file = isFolder ? join(path, SWEEP) : path;
  const settings = new Fields(file, fieldsIn(file).object('settings'));
  const beside = join(dirname(file), TIMING);
  const files = existsSync(beside) ? fieldsIn(beside).objectOr('inputs') : undefined;
  const places = files === undefined ? undefined : new Fields(beside, files);
  return {
    file,
    settings: settings.all,
    config: places?.text('config'),
    flags: flagsOf(settings, places),
  };
}

function flagsOf(settings: Fields, places: Fields | undefined): Partial<PlanFlags> {
  const search = settings.choice('search', SEARCHES);
  const share = settings.object('calibrated')['share'];
  const parameters = settings.texts('param');
  const limits = settings.texts('suchThat');
  const latency = latencyOf(settings, places, 'latency');
  const signalLatency = latencyOf(settings, places, 'signalLatency');
  const flags: { readonly [Name in keyof PlanFlags]: PlanFlags[Name] | undefined } = {
    tape: places?.texts('tape'),
    param: settings.parsed('param', () =>
      parameters.reduce<readonly Param[]>((before, text) => param(text, before), []),
    ),
    search,
    points: search === 'grid' ? undefined : settings.whole('points', 1),
    batch: settings.wholeOr('batch', 1),
    stopEarly: settings.isTrue('stopEarly') ? true : undefined,
    objective: settings.texts('objectives'),
    suchThat: settings.parsed('suchThat', () =>
      limits.reduce<ReturnType<typeof constraint>>((before, text) => constraint(text, before), []),
    ),
    holdout: settings.shareOr('holdout'),
    walkForward: settings.wholeOr('walkForward', 1),
    gap: settings.whole('gap', 0),
    seed: settings.whole('seed', 0, 0xffffffff),
    from: settings.start('from'),
    to: settings.start('to'),
    fills: settings.choice<Scenario>('fills', SCENARIOS),
    latency,
    // one that is the same follows a new --latency, as it does by default
    signalLatency: signalLatency === latency ? undefined : signalLatency,
    strategyLatency: strategyLatencyIn(settings),
    results: places?.textOr('results'),
    calibratedShare: typeof share === 'number' ? share : undefined,
    fillModel: places?.textOr('fillModel'),
    depth: settings.wholeOr('depth', 1),
    lenient: settings.isTrue('lenient') ? true : undefined,
  };
  return defined(flags);
}

/** The flags that have a value. */
const defined = (flags: Readonly<Record<string, unknown>>): Partial<PlanFlags> =>
  Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));

/** A latency as it was given: a text, or the journal that it was measured from. */
function latencyOf(
  settings: Fields,
  places: Fields | undefined,
  name: 'latency' | 'signalLatency',
): string | undefined {
  const text = settings.text(name);
  return parseLatency(text) === undefined ? places?.textOr(name) : text;
}

/** The time of strategies: `2ms, main=5ms`. */
const strategyLatencyIn = (settings: Fields): PlanFlags['strategyLatency'] =>
  settings.parsed('strategyLatency', () =>
    settings
      .textOr('strategyLatency')
      ?.split(', ')
      .reduce<PlanFlags['strategyLatency']>((before, text) => strategyLatency(text, before), undefined),
  );

/** Flags that exclude each other: the one of the command line replaces the former one. */
const EXCLUDING: readonly (readonly (keyof PlanFlags)[])[] = [
  ['holdout', 'walkForward'],
  ['calibratedShare', 'fillModel'],
];

/** The flags of a former sweep, replaced by those that were given. */
export function repeated({ flags }: Former, given: Partial<PlanFlags>): Partial<PlanFlags> {
  const replaced = EXCLUDING.filter((group) => group.some((name) => given[name] !== undefined)).flat();
  const former = Object.fromEntries(
    Object.entries(flags).filter(([name]) => !replaced.includes(name as keyof PlanFlags)),
  );
  const all = { ...former, ...given } as Partial<PlanFlags>;
  const { points, batch, ...rest } = all;
  const isStepwise = all.search === 'tpe' || all.stopEarly === true;
  return {
    ...rest,
    // what another search has no use for was not given for it
    ...(points === undefined || (all.search === 'grid' && given.points === undefined) ? {} : { points }),
    ...(batch === undefined || (!isStepwise && given.batch === undefined) ? {} : { batch }),
  };
}

/** Settings that come from files, and the flags that name the files. */
const FROM_FILES: Readonly<Record<string, readonly string[]>> = {
  config: ['config'],
  strategies: ['config'],
  dayStartsAt: ['config'],
  tapes: ['tape'],
  results: ['results'],
  calibrated: ['fillModel', 'calibratedShare', 'fills'],
  latency: ['latency'],
  signalLatency: ['signalLatency', 'latency'],
  params: ['param', 'config'],
  points: ['points', 'param', 'search', 'config'],
};

/**
 * Compares a sweep with the former one that it repeats. Returns notes about files that were named on the
 * command line and differ, and about another version.
 * @throws OddsmakerError SWEEP_CHANGED when a file that the former sweep names has changed
 */
export function checkLike({ file, settings }: Former, now: Settings, given: ReadonlySet<string>): readonly string[] {
  const notes: string[] = [];
  const changed: string[] = [];
  for (const [name, text] of changesOf(settings, now)) {
    const flags = FROM_FILES[name];
    if (name === 'version') notes.push(`--like ${file}: ${text}: results may differ`);
    else if (flags === undefined) continue;
    else if (!flags.some((flag) => given.has(flag))) changed.push(text);
    else if (FILES.has(name)) notes.push(`--like ${file}: ${text}`);
  }
  if (changed.length === 0) return notes;
  throw new OddsmakerError(
    'SWEEP_CHANGED',
    `--like ${file}: this would be another sweep: ${changed.join('; ')}. To sweep the files as they are now, name them on the command line`,
  );
}

const FILES = new Set(['config', 'strategies', 'tapes', 'results']);

function fieldsIn(file: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw invalid(file, messageOf(error));
  }
  if (!isObject(value)) throw invalid(file, 'it is no object');
  return new Fields(file, value);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const invalid = (file: string, problem: string): OddsmakerError =>
  new OddsmakerError(
    'SWEEP_INVALID',
    `--like ${file}: this is no result of a sweep of this version (${problem}): name the folder of a sweep, or its ${SWEEP}`,
  );

/** Reads fields of a JSON object; each getter throws when the field is of another type. */
class Fields {
  readonly #file: string;
  readonly all: Readonly<Record<string, unknown>>;

  constructor(file: string, all: Readonly<Record<string, unknown>>) {
    this.#file = file;
    this.all = all;
  }

  object(name: string): Readonly<Record<string, unknown>> {
    const value = this.all[name];
    return isObject(value) ? value : this.#fail(name);
  }

  objectOr(name: string): Readonly<Record<string, unknown>> | undefined {
    return this.all[name] === undefined ? undefined : this.object(name);
  }

  text(name: string): string {
    const value = this.all[name];
    return typeof value === 'string' ? value : this.#fail(name);
  }

  textOr(name: string): string | undefined {
    return (this.all[name] ?? null) === null ? undefined : this.text(name);
  }

  texts(name: string): readonly string[] {
    const value = this.all[name];
    if (!Array.isArray(value)) return this.#fail(name);
    return value.map((text: unknown) => (typeof text === 'string' ? text : this.#fail(name)));
  }

  whole(name: string, least: number, most = Number.MAX_SAFE_INTEGER): number {
    const value = this.all[name];
    const isWhole = typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
    return isWhole ? value : this.#fail(name);
  }

  wholeOr(name: string, least: number): number | undefined {
    return this.all[name] === null ? undefined : this.whole(name, least);
  }

  /** A share of the days, above 0 and below 1. */
  shareOr(name: string): number | undefined {
    const value = this.all[name];
    if (value === null) return undefined;
    return typeof value === 'number' && value > 0 && value < 1 ? value : this.#fail(name);
  }

  isTrue(name: string): boolean {
    const value = this.all[name];
    return typeof value === 'boolean' ? value : this.#fail(name);
  }

  choice<T extends string>(name: string, choices: readonly T[]): T {
    const value = this.all[name];
    return choices.find((choice) => choice === value) ?? this.#fail(name);
  }

  start(name: string): PlanFlags['from'] {
    const text = this.textOr(name);
    return text === undefined ? undefined : (parseTapeStart(text) ?? this.#fail(name));
  }

  /** Parses texts as the command line does. */
  parsed<T>(name: string, parse: () => T): T {
    try {
      return parse();
    } catch (error) {
      throw invalid(this.#file, `${name}: ${messageOf(error)}`);
    }
  }

  #fail(name: string): never {
    throw invalid(this.#file, `${name} is ${this.all[name] === undefined ? 'missing' : 'not as a sweep writes it'}`);
  }
}

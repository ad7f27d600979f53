// Parses `--param main.edge=0.01:0.03:0.005` and resolves the parameters of a sweep; ranges come from the
// schema of the strategy when the command line gives none.
import { isDeepStrictEqual } from 'node:util';
import type { Config, Overrides } from '../config/index.ts';
import { loadOffline } from '../config/index.ts';
import { didYouMean, isUnsafeKey, OddsmakerError } from '../domain/index.ts';
import type { Strategy } from '../strategy/index.ts';
import type { ParamLeaf } from '../strategy/host/index.ts';
import { paramLeaves } from '../strategy/host/index.ts';
import type { Dimension } from './dimensions.ts';
import { stepsBetween } from './decimal.ts';
import { levelsOf, MOST_POINTS, steps } from './dimensions.ts';
import type { Value } from './point.ts';
import { pathOf, valuesOf } from '../backtest/index.ts';

export type Param = {
  readonly name: string;
  /** As it was given, without `--param`. */
  readonly text: string;
} & ({ readonly kind: 'schema' } | { readonly kind: 'list'; readonly values: readonly Value[] } | Range);
type Range = {
  readonly kind: 'range';
  readonly from: number;
  readonly to: number;
  readonly step: number | undefined;
  /** True on a log scale. */
  readonly isLog?: true;
  /** True for whole numbers only; else the schema of the strategy says so. */
  readonly isWhole?: true;
};

const NUMBER = String.raw`\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*`;
const RANGE = new RegExp(`^${NUMBER}:${NUMBER}(?::${NUMBER})?$`, 'i');
/** A range with words after its ends, such as `1:100:int:log`. */
const WORDED = new RegExp(`^${NUMBER}:${NUMBER}((?:\\s*:\\s*[^:,\\[\\]{}"']+)+)$`, 'i');

/** `ID.KEY`, `ID.KEY=LIST` or `ID.KEY=FROM:TO[:STEP|:log|:int|:int:log]`. @throws RangeError */
export function param(text: string, before: readonly Param[] = []): readonly Param[] {
  const [, name = '', values] = /^([^=]*)(?:=(.*))?$/s.exec(text) ?? [];
  const keys = name.split('.');
  if (keys.length < 2 || keys.includes('') || keys.some(isUnsafeKey))
    throw new RangeError(
      'expected <strategy>.<parameter>=<value>,<value>,… or =<from>:<to>[:<step>|:log|:int], such as main.edge=0.01:0.03',
    );
  if (before.some((other) => other.name === name))
    throw new RangeError(`${name} is given twice: give all its values at once`);
  return [...before, { name, text, ...(values === undefined ? { kind: 'schema' as const } : valuesIn(name, values)) }];
}

/** The values of a parameter. */
type Values = Pick<Extract<Param, { kind: 'list' }>, 'kind' | 'values'> | Range;

function valuesIn(name: string, text: string): Values {
  const range = RANGE.exec(text);
  if (range === null) {
    const worded = WORDED.exec(text);
    return worded === null ? { kind: 'list', values: valuesOf(name, text) } : wordedRange(name, worded);
  }
  const [from = 0, to = 0, step] = range.slice(1).map((part) => (part === undefined ? undefined : Number(part)));
  return checkedRange(name, from, to, step);
}

const WORDS = ['log', 'int'];

/** A range with `log`, `int` or both. @throws RangeError */
function wordedRange(name: string, [, from = '', to = '', rest = '']: readonly string[]): Range {
  const words = rest
    .split(':')
    .slice(1)
    .map((word) => word.trim());
  const unknown = words.find((word, index) => !WORDS.includes(word) || words.indexOf(word) !== index);
  if (unknown !== undefined) {
    const problem = WORDS.includes(unknown)
      ? `${unknown} is given twice`
      : Number.isNaN(Number(unknown))
        ? `${unknown} is unknown; expected a step, log, int, or int:log after ${from}:${to}`
        : `a range has a step, or the words log and int: for single values give a list, such as ${name}=1,3,10`;
    throw new RangeError(`${name}: ${problem}`);
  }
  const range = checkedRange(name, Number(from), Number(to), undefined);
  if (words.includes('int') && !(Number.isInteger(range.from) && Number.isInteger(range.to)))
    throw new RangeError(`${name}: with int both ends are whole numbers, and ${from}:${to} has another`);
  return {
    ...range,
    ...(words.includes('log') ? { isLog: checkedLog(name, range) } : {}),
    ...(words.includes('int') ? { isWhole: true } : {}),
  };
}

/** @throws RangeError when a log scale is not possible */
function checkedLog(name: string, { from }: Range): true {
  if (from > 0) return true;
  throw new RangeError(`${name}: a log scale needs ends above 0, and it begins at ${from}`);
}

/** @throws RangeError */
function checkedRange(name: string, from: number, to: number, step: number | undefined): Range {
  for (const value of [from, to, step])
    if (value !== undefined && !Number.isFinite(value))
      throw new RangeError(`${name}: a number of the range is too large`);
  if (!Number.isFinite(to - from)) throw new RangeError(`${name}: the range from ${from} to ${to} is too wide`);
  if (!(to > from)) throw new RangeError(`${name}: ${to} is not above ${from}`);
  if (step !== undefined && !(step > 0)) throw new RangeError(`${name}: the step ${step} is not above 0`);
  if (step !== undefined && stepsBetween(from, to, step) >= BigInt(MOST_POINTS))
    throw new RangeError(
      `${name}: from ${from} to ${to} by ${step} are more than ${MOST_POINTS.toLocaleString('en')} values: take a larger step`,
    );
  return { kind: 'range', from, to, step };
}

export type SweptStrategy = { readonly id: string; readonly strategy: Strategy };

/** Parameters of a sweep, and the path of each in the configuration. */
export type Swept = {
  readonly dimensions: readonly Dimension[];
  readonly paths: Readonly<Record<string, Overrides[number]['path']>>;
};

/**
 * Resolves parameters. @throws OddsmakerError SWEEP_INVALID, CONFIG_INVALID when a path does not exist, or
 * there is no range
 */
export function sweptOf(
  params: readonly Param[],
  config: Config,
  file: string,
  strategies: readonly SweptStrategy[],
): Swept {
  const all = params.length > 0 ? params : byMeta(strategies);
  if (all.length === 0)
    throw refused(
      `there are no parameters to sweep: give --param, such as --param ${exampleOf(strategies)}, or add .meta({ sweep: [from, to] }) to a strategy's schema`,
    );
  const paths: Record<string, Overrides[number]['path']> = {};
  const dimensionOf = (parameter: Param): Dimension => {
    const path = pathOf(parameter.name, config, file, '--param');
    const clash = Object.entries(paths).find(([, other]) => isPrefix(path, other) || isPrefix(other, path));
    if (clash !== undefined) throw refused(`--param ${parameter.name}: --param ${clash[0]} sets it as well`);
    paths[parameter.name] = path;
    const found = path[0] === 'strategies' ? leafAt(parameter.name, path, strategies) : undefined;
    if (parameter.kind === 'list') {
      const values = inConfig(parameter, path, file).map(({ text, value }) => ({
        text,
        // JSON writes -0 as 0
        value: Object.is(value, -0) ? 0 : value,
      }));
      return { kind: 'list', name: parameter.name, values };
    }
    const range = parameter.kind === 'range' ? parameter : rangeOf(parameter.name, found);
    if (path[0] !== 'strategies' || path[2] !== 'params') checkNumeric(parameter.name, range, path, file);
    const { from, to, isLog } = range;
    const isWhole = range.isWhole ?? (found?.isWhole === true && Number.isInteger(from) && Number.isInteger(to));
    return range.step === undefined
      ? { kind: 'range', name: parameter.name, from, to, isWhole, ...(isLog === undefined ? {} : { isLog }) }
      : { kind: 'list', name: parameter.name, values: steps(range.from, range.to, range.step) };
  };
  const dimensions = all.map((parameter) => {
    const dimension = dimensionOf(parameter);
    checkApart(dimension);
    return dimension;
  });
  return { dimensions, paths };
}

/** Checks that all values differ once they are written as JSON: a point is identified by its values. */
function checkApart(dimension: Dimension): void {
  const before = new Map<string, string>();
  for (const { text, value } of levelsOf(dimension)) {
    if (!isFinite(value)) throw refused(`--param ${dimension.name}: ${text} is not a finite number`);
    const written = JSON.stringify(value);
    const other = before.get(written);
    if (other !== undefined)
      throw refused(
        `--param ${dimension.name}: ${other === text ? `${text} is given twice` : `${other} and ${text} are the same value`}`,
      );
    before.set(written, text);
  }
}

function isFinite(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isFinite);
}

const refused = (message: string): OddsmakerError => new OddsmakerError('SWEEP_INVALID', message);

const isPrefix = (a: readonly unknown[], b: readonly unknown[]): boolean => isDeepStrictEqual(a, b.slice(0, a.length));

const nameOf = (id: string, { path }: ParamLeaf): string => [id, ...path].join('.');

/** Every parameter whose schema has a range. */
const byMeta = (strategies: readonly SweptStrategy[]): readonly Param[] =>
  strategies.flatMap(({ id, strategy }) =>
    paramLeaves(strategy).flatMap((leaf) =>
      leaf.sweep === undefined ? [] : [{ name: nameOf(id, leaf), text: nameOf(id, leaf), kind: 'schema' as const }],
    ),
  );

function exampleOf([first]: readonly SweptStrategy[]): string {
  const leaf = first === undefined ? undefined : paramLeaves(first.strategy)[0];
  return first === undefined || leaf === undefined ? 'main.edge=0.01:0.03' : `${nameOf(first.id, leaf)}=FROM:TO`;
}

/** The schema of a parameter. Undefined when the schema leaves its keys open. */
function leafAt(
  name: string,
  [, index, , ...keys]: Overrides[number]['path'],
  strategies: readonly SweptStrategy[],
): ParamLeaf | undefined {
  const strategy = strategies[Number(index)];
  if (strategy === undefined || keys.length === 0) return undefined;
  const leaves = paramLeaves(strategy.strategy);
  const exact = leaves.find(({ path }) => isDeepStrictEqual(path, keys));
  if (exact !== undefined) return exact;
  if (leaves.some(({ path, isOpen }) => (isOpen && isPrefix(path, keys)) || isPrefix(keys, path))) return undefined;
  const known = leaves.map((leaf) => nameOf(strategy.id, leaf));
  throw refused(
    `--param ${name}: strategy ${strategy.id} has no such parameter${didYouMean(name, known)}; it has ${known.join(', ')}`,
  );
}

function rangeOf(name: string, leaf: ParamLeaf | undefined): Range {
  const sweep = leaf?.sweep;
  if (sweep === undefined)
    throw refused(
      `--param ${name}: the schema has no range: give one, such as --param ${name}=FROM:TO, or add .meta({ sweep: [from, to] }) to the schema`,
    );
  const [from, to, step] = Array.isArray(sweep) ? (sweep as readonly unknown[]) : [];
  const isLog = step === 'log';
  if (typeof from !== 'number' || typeof to !== 'number' || !(step === undefined || isLog || typeof step === 'number'))
    throw refused(
      `--param ${name}: .meta({ sweep: … }) of the schema is ${JSON.stringify(sweep)}; expected [from, to], [from, to, step] or [from, to, 'log']`,
    );
  try {
    const range = checkedRange(name, from, to, isLog ? undefined : step);
    return isLog ? { ...range, isLog: checkedLog(name, range) } : range;
  } catch (error) {
    if (error instanceof RangeError) throw refused(`--param ${error.message} (.meta of the schema)`);
    throw error;
  }
}

/**
 * Values as the configuration reads them: `30s` becomes a number. Parameters of strategies are checked by
 * their own schema.
 */
function inConfig(
  { name, values }: Extract<Param, { kind: 'list' }>,
  path: Overrides[number]['path'],
  file: string,
): readonly Value[] {
  if (path[0] === 'strategies' && path[2] === 'params') return values;
  if (path[0] === 'strategies')
    throw refused(`--param ${name}: a sweep cannot vary strategies, their files or names: use backtest --vary`);
  return values.map(({ text, value }) => ({ text, value: effective(path, value, file) }));
}

function checkNumeric(name: string, { from, to }: Range, path: Overrides[number]['path'], file: string): void {
  for (const value of [from, to])
    if (effective(path, value, file) !== value)
      throw refused(`--param ${name}: this is not a plain number: give a list, such as --param ${name}=A,B`);
}

/** @throws OddsmakerError CONFIG_INVALID, with the place in the file */
function effective(path: Overrides[number]['path'], value: unknown, file: string): unknown {
  let current: unknown = loadOffline(file, process.env, [{ path, value }]).config;
  for (const key of path) current = (current as Readonly<Record<string | number, unknown>> | undefined)?.[key];
  return current;
}

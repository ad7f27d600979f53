// `--vary half.edge=0.01,0.02`: the settings that a backtest plays, in every combination of their values.
import { isDeepStrictEqual } from 'node:util';
import type { BacktestResult } from './result.ts';
import type { Config, Overrides } from '../config/index.ts';
import { configSchema, listOf } from '../config/index.ts';
import { isSecretName, isUnsafeKey, messageOf, OddsmakerError, withoutSecrets } from '../domain/index.ts';

/** A value with its text as given. */
type Value = ReturnType<typeof listOf>[number];
export type Varied = { readonly name: string; readonly values: readonly Value[] };
export type Setting = { readonly name: string } & Value;
/** One value for each varied setting. Empty when nothing is varied. */
export type Variation = readonly Setting[];

/** One variation and its results. `run`: its number, which names its folder. */
export type VariedRun = {
  readonly run: string;
  readonly variation: Variation;
  readonly result: BacktestResult;
};

/** Quoted values in a list. */
const QUOTED = /"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'/g;

/** The most combinations of one backtest. */
const MOST = 1000;

/**
 * Parses `<strategy>.<parameter>=<value>,<value>…`, or the same with a key of the file on the left.
 * @throws RangeError
 */
export function varied(text: string, before: readonly Varied[] = []): readonly Varied[] {
  const [, name, list] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  const keys = name?.split('.') ?? [];
  if (name === undefined || list === undefined || keys.includes('') || keys.some(isUnsafeKey))
    throw new RangeError('expected <strategy>.<parameter>=<value>,<value>,… such as half.edge=0.01,0.02');
  if (before.some((other) => other.name === name))
    throw new RangeError(`${name} is varied twice: give all its values at once`);
  const values = valuesOf(name, list);
  const all = [...before, { name, values }];
  const count = all.reduce((product, setting) => product * setting.values.length, 1);
  if (count > MOST) throw new RangeError(`these are ${count.toLocaleString('en')} combinations; at most ${MOST}`);
  return all;
}

/**
 * Parses the list of a setting's values from the command line.
 * @throws RangeError
 */
export function valuesOf(name: string, list: string): readonly Value[] {
  const keys = name.split('.');
  if (/(^|,)\s*(,|$)/.test(list.replace(QUOTED, '""'))) throw new RangeError(`${name} lacks a value`);
  const values = valuesIn(list);
  if (isSecretOfFile(keys) || values.some(({ value }) => hasSecret(keys, value)))
    throw new RangeError(`${name} is or has a secret, which would stand in the results`);
  const twice = values.find(
    ({ value }, index) => values.findIndex((other) => isDeepStrictEqual(other.value, value)) !== index,
  );
  if (twice !== undefined) throw new RangeError(`${name} has the value ${twice.text} twice`);
  return values;
}

/** Whether a key of the file names a secret, whatever its value: a password may be digits. */
const isSecretOfFile = ([section = '', ...keys]: readonly string[]): boolean =>
  Object.hasOwn(configSchema.shape, section) && keys.length > 0 && isSecretName(keys.at(-1) ?? '');

function hasSecret(keys: readonly string[], value: unknown): boolean {
  const set = keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  return !isDeepStrictEqual(withoutSecrets(set), set);
}

function valuesIn(list: string): readonly Value[] {
  try {
    return listOf(list);
  } catch (error) {
    throw new RangeError(messageOf(error));
  }
}

/** Every combination of values. The setting that was named last varies fastest. */
export const variationsOf = (all: readonly Varied[]): readonly Variation[] =>
  all.reduce<readonly Variation[]>(
    (before, { name, values }) =>
      before.flatMap((settings) => values.map((value) => [...settings, { name, ...value }])),
    [[]],
  );

export const settingText = ({ name, text }: Setting): string => `${name}=${text}`;

/** An error of one variation, with its settings in the message. */
export const withSettings = (error: OddsmakerError, variation: Variation): OddsmakerError =>
  variation.length === 0
    ? error
    : new OddsmakerError(error.code, `with ${variation.map(settingText).join(' ')}: ${error.message}`, {
        cause: error,
      });

/**
 * The configuration overrides of a variation.
 * @throws OddsmakerError CONFIG_INVALID when neither a strategy nor a section has that name, or two settings
 * are about the same key
 */
export function overridesFor(variation: Variation, config: Config, file: string): Overrides {
  const overrides = variation.map(({ name, value }) => ({ path: pathOf(name, config, file), value }));
  const keys = overrides.map(({ path }) => `${path.join('.')}.`);
  for (const [index, key] of keys.entries()) {
    const other = keys.findIndex((candidate, position) => position !== index && key.startsWith(candidate));
    if (other >= 0)
      throw new OddsmakerError(
        'CONFIG_INVALID',
        `--vary ${variation[index]?.name ?? ''}: --vary ${variation[other]?.name ?? ''} sets it as well`,
      );
  }
  return overrides;
}

/**
 * The configuration path of a setting. `flag`: the flag that named it, for messages.
 * @throws OddsmakerError CONFIG_INVALID
 */
export function pathOf(name: string, config: Config, file: string, flag = '--vary'): Overrides[number]['path'] {
  const [first = '', ...rest] = name.split('.');
  const index = config.strategies.findIndex(({ id }) => id === first);
  if (index >= 0 && rest.length > 0) return ['strategies', index, 'params', ...rest];
  if (Object.hasOwn(config, first)) return [first, ...rest];
  const ids = config.strategies.map(({ id }) => id).join(', ');
  throw new OddsmakerError(
    'CONFIG_INVALID',
    index >= 0
      ? `${flag} ${name}: expected a parameter of the strategy, such as ${first}.edge`
      : `${flag} ${name}: ${file} has no strategy and no section ${first}; its strategies are ${ids}`,
  );
}

// `--vary half.edge=0.01,0.02`: the settings that a backtest goes through, every combination of their values.
import { isDeepStrictEqual } from 'node:util';
import type { BacktestResult } from './result.ts';
import type { Config, Overrides } from '../config/index.ts';
import { configSchema, listOf } from '../config/index.ts';
import { isSecretName, isUnsafeKey, messageOf, OddsmakerError, withoutSecrets } from '../domain/index.ts';

/** With its text, as it was told. */
type Value = ReturnType<typeof listOf>[number];
export type Varied = { readonly name: string; readonly values: readonly Value[] };
export type Setting = { readonly name: string } & Value;
/** One of each; none where nothing is varied. */
export type Variation = readonly Setting[];

/** One of several configurations, and what it came to; `run`: its number, as its folder is named. */
export type VariedRun = {
  readonly run: string;
  readonly variation: Variation;
  readonly result: BacktestResult;
};

/** In a list, what stands in quotes. */
const QUOTED = /"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'/g;

/** More would hardly be looked at. */
const MOST = 1000;

/** `<strategy>.<parameter>=<value>,<value>…`, or a key of the file. @throws RangeError */
export function varied(text: string, before: readonly Varied[] = []): readonly Varied[] {
  const [, name, list] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  const keys = name?.split('.') ?? [];
  if (name === undefined || list === undefined || keys.includes('') || keys.some(isUnsafeKey))
    throw new RangeError('expected <strategy>.<parameter>=<value>,<value>,… such as half.edge=0.01,0.02');
  if (before.some((other) => other.name === name))
    throw new RangeError(`${name} is varied twice: give all its values at once`);
  const values = valuesOf(name, list);
  const all = [...before, { name, values }];
  const count = all.reduce((product, one) => product * one.values.length, 1);
  if (count > MOST) throw new RangeError(`these are ${count.toLocaleString('en')} combinations; at most ${MOST}`);
  return all;
}

/** The values of a setting in a list of the command line. @throws RangeError */
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

/** Whatever is told: a password may be digits. */
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

/** Every combination; what was named last varies fastest. */
export const variationsOf = (all: readonly Varied[]): readonly Variation[] =>
  all.reduce<readonly Variation[]>(
    (before, { name, values }) =>
      before.flatMap((settings) => values.map((value) => [...settings, { name, ...value }])),
    [[]],
  );

export const settingText = ({ name, text }: Setting): string => `${name}=${text}`;

/** An error of one variation, with its settings. */
export const withSettings = (error: OddsmakerError, variation: Variation): OddsmakerError =>
  variation.length === 0
    ? error
    : new OddsmakerError(error.code, `with ${variation.map(settingText).join(' ')}: ${error.message}`, {
        cause: error,
      });

/** @throws OddsmakerError CONFIG_INVALID when neither a strategy nor a section has that name, or two are of one setting */
export function overridesFor(variation: Variation, config: Config, file: string): Overrides {
  const overrides = variation.map(({ name, value }) => ({ path: pathOf(name, config, file), value }));
  const keys = overrides.map(({ path }) => `${path.join('.')}.`);
  for (const [index, key] of keys.entries()) {
    const other = keys.findIndex((one, at) => at !== index && key.startsWith(one));
    if (other >= 0)
      throw new OddsmakerError(
        'CONFIG_INVALID',
        `--vary ${variation[index]?.name ?? ''}: --vary ${variation[other]?.name ?? ''} sets it as well`,
      );
  }
  return overrides;
}

/** `flag`: by which it was named. @throws OddsmakerError CONFIG_INVALID */
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

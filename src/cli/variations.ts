// `--vary half.edge=0.01,0.02`: the settings that a backtest goes through, every combination of their values.
import { InvalidArgumentError } from 'commander';
import type { BacktestResult } from '../backtest/result.ts';
import type { Config, Overrides } from '../config/index.ts';
import { scalarOf } from '../config/index.ts';
import { OddsmakerError } from '../domain/index.ts';

type Value = ReturnType<typeof scalarOf>;
export type Varied = { readonly name: string; readonly values: readonly Value[] };
export type Setting = { readonly name: string; readonly value: Value };
/** One of each; none where nothing is varied. */
export type Variation = readonly Setting[];

/** One of several configurations, and what it came to; `run`: its number, as its folder is named. */
export type VariedRun = {
  readonly run: string;
  readonly variation: Variation;
  readonly result: BacktestResult;
};

/** More would hardly be looked at. */
const MOST = 1000;

/** `<strategy>.<parameter>=<value>,<value>…`, or a key of the file. @throws InvalidArgumentError */
export function varied(text: string, before: readonly Varied[] = []): readonly Varied[] {
  const [, name, list] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || list === undefined || !name.includes('.'))
    throw new InvalidArgumentError(
      'expected <strategy>.<parameter>=<value>,<value>,… such as half.edge=0.01,0.02',
    );
  if (before.some((other) => other.name === name))
    throw new InvalidArgumentError(`${name} is varied twice: give all its values at once`);
  const texts = list.split(',').map((one) => one.trim());
  if (texts.includes('')) throw new InvalidArgumentError(`${name} lacks a value between two commas`);
  const values = texts.map(scalarOf);
  const twice = values.find((value, index) => values.indexOf(value) !== index);
  if (twice !== undefined) throw new InvalidArgumentError(`${name} has the value ${String(twice)} twice`);
  const all = [...before, { name, values }];
  const count = all.reduce((product, one) => product * one.values.length, 1);
  if (count > MOST)
    throw new InvalidArgumentError(`these are ${count.toLocaleString('en')} combinations; at most ${MOST}`);
  return all;
}

/** Every combination; what was named last varies fastest. */
export const variationsOf = (all: readonly Varied[]): readonly Variation[] =>
  all.reduce<readonly Variation[]>(
    (before, { name, values }) =>
      before.flatMap((settings) => values.map((value) => [...settings, { name, value }])),
    [[]],
  );

export const settingText = ({ name, value }: Setting): string => `${name}=${String(value)}`;

/** @throws OddsmakerError CONFIG_INVALID when neither a strategy nor a section has that name */
export function overridesFor(variation: Variation, config: Config, file: string): Overrides {
  return variation.map(({ name, value }) => {
    const [first = '', ...rest] = name.split('.');
    const index = config.strategies.findIndex(({ id }) => id === first);
    if (index >= 0) return { path: ['strategies', index, 'params', ...rest], value };
    if (Object.hasOwn(config, first)) return { path: [first, ...rest], value };
    const ids = config.strategies.map(({ id }) => id).join(', ');
    throw new OddsmakerError(
      'CONFIG_INVALID',
      `--vary ${name}: ${file} has no strategy and no section ${first}; its strategies are ${ids}`,
    );
  });
}

// Parameters that a journal or a sweep shows as `${NAME}`, with the values that these names have here.
import { filledWith, takeValues } from '../domain/index.ts';
import type { Environment } from './environment.ts';
import type { Config } from './schema.ts';

/** What is not set here stays as it is written. */
export const withEnvironment = (config: Config, env: Environment): Config => ({
  ...config,
  strategies: config.strategies.map((strategy, index) => ({
    ...strategy,
    params: Object.fromEntries(
      Object.entries(strategy.params).map(([name, value]) => [
        name,
        filled(value, `strategies.${index}.params.${name}`, env),
      ]),
    ),
  })),
});

function filled(value: unknown, path: string, env: Environment): unknown {
  if (typeof value === 'string') {
    const found = filledWith(value, env);
    if (found === undefined) return value;
    takeValues([{ path, written: value, ...found }]);
    return found.text;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one, index) => filled(one, `${path}.${index}`, env));
  return Object.fromEntries(
    Object.entries(value).map(([key, one]: [string, unknown]) => [key, filled(one, `${path}.${key}`, env)]),
  );
}

// Fills in strategy parameters that a journal or a parameter sweep shows as `${NAME}`.
import { filledWith, noteSecrets } from '../domain/index.ts';
import type { Environment } from './environment.ts';
import type { Config } from './schema.ts';

/**
 * Returns the configuration with `${NAME}` in parameters replaced. A name that is not set stays as written.
 */
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
    noteSecrets([{ path, written: value, ...found }]);
    return found.text;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item, index) => filled(item, `${path}.${index}`, env));
  return Object.fromEntries(
    Object.entries(value).map(([key, field]: [string, unknown]) => [key, filled(field, `${path}.${key}`, env)]),
  );
}

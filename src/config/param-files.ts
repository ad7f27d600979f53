// Strategy parameters that are files: `{ file: NAME.json }` stands for the content of the file, so that the
// effective configuration, and with it the journal, has what the strategy got.
import { readFileSync } from 'node:fs';
import { messageOf, userText } from '../domain/index.ts';
import type { Config } from './schema.ts';

type Params = Config['strategies'][number]['params'];

type Loaded = {
  readonly config: Config;
  /** Makes a path of the configuration absolute. */
  readonly resolve: (path: string) => string;
  /** An error that names the place in the file. */
  readonly problem: (path: readonly (string | number)[], message: string) => Error;
};

/** @throws OddsmakerError CONFIG_INVALID when a file cannot be read, or is no JSON */
export function withParamFiles({ config, resolve, problem }: Loaded): Config {
  const contentOf = (path: readonly (string | number)[], value: unknown): unknown => {
    const file = fileOf(value);
    if (file === undefined) return value;
    try {
      return JSON.parse(userText(readFileSync(resolve(file)))) as unknown;
    } catch (error) {
      throw problem([...path, 'file'], `${resolve(file)}: ${messageOf(error)}`);
    }
  };
  const contents = (path: readonly (string | number)[], params: Params): Params =>
    Object.fromEntries(Object.entries(params).map(([name, value]) => [name, contentOf([...path, name], value)]));
  return {
    ...config,
    strategies: config.strategies.map((strategy, index) => ({
      ...strategy,
      params: contents(['strategies', index, 'params'], strategy.params),
      by: {
        ...strategy.by,
        league: Object.fromEntries(
          Object.entries(strategy.by.league).map(([league, params]) => [
            league,
            contents(['strategies', index, 'by', 'league', league], params),
          ]),
        ),
      },
    })),
  };
}

/** The file that a parameter names. Undefined for any other value. */
function fileOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 1 || !('file' in value))
    return undefined;
  return typeof value.file === 'string' && value.file.endsWith('.json') ? value.file : undefined;
}

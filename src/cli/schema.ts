// `oddsmaker schema`: the configuration as a JSON schema, so that editors complete and check YAML.
import type { Command } from 'commander';
import { configJsonSchema, loadOffline } from '../config/index.ts';
import { EXIT } from '../domain/index.ts';
import { loadStrategy } from '../strategy/host/index.ts';
import { withEnvFile } from './env-file.ts';

const HELP = `
Prints a JSON schema (draft 7) of the YAML file; with CONFIG, the parameters of its strategies are in it. An editor with a
YAML language server reads it by the first line of the file:

  # yaml-language-server: $schema=./config.schema.json

Exit:  0 done; 2 a wrong command line; 78 CONFIG or a strategy of it is not good.

Examples:
  oddsmaker schema > config.schema.json
  oddsmaker schema config/paper.yaml > config/paper.schema.json
`;

export function registerSchema(command: Command, finish: (code: number) => void): void {
  withEnvFile(command)
    .description('Prints a JSON schema of the YAML file, for editors.')
    .argument('[config]', 'YAML file whose strategies are to be in it')
    .addHelpText('after', HELP)
    .action(async (file: string | undefined) => {
      const strategies = file === undefined ? [] : await strategiesOf(file);
      process.stdout.write(`${JSON.stringify(configJsonSchema(strategies), null, 2)}\n`);
      finish(EXIT.done);
    });
}

/** The strategies of a configuration, each file once. Their parameters are not validated. */
async function strategiesOf(file: string) {
  const { config, resolve } = loadOffline(file, process.env);
  const uses = [...new Set(config.strategies.map(({ use }) => use))];
  return Promise.all(uses.map(async (use) => ({ use, params: (await loadStrategy(resolve(use))).strategy.params })));
}

// `--env-file`: what a configuration takes from the environment, from a file instead. Node itself looks for a flag of this name
// in every command line: it has read the file before we do, to the same effect, and ends with 9 and words of its own where there
// is none.
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Command } from 'commander';
import { messageOf, OddsmakerError, userText } from '../domain/index.ts';
import { entriesOf } from '../setup/index.ts';

/** A command that reads a configuration. What the environment has already is not changed. @throws OddsmakerError ENV_FILE_UNREADABLE */
export const withEnvFile = (command: Command): Command =>
  command
    .option('--env-file <file>', 'variables of the configuration, a line NAME=value each')
    .hook('preAction', (_this, action) => {
      const { envFile } = action.opts<{ readonly envFile?: string }>();
      if (envFile === undefined) return;
      for (const [name, value] of Object.entries(variablesIn(envFile))) process.env[name] ??= value;
    });

function variablesIn(file: string): NodeJS.Dict<string> {
  let text: string;
  try {
    text = userText(readFileSync(file));
  } catch (error) {
    throw new OddsmakerError('ENV_FILE_UNREADABLE', `${file} cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
  // neither name nor value: of a secret over several lines, a part may look like a name
  for (const { line, problem } of entriesOf(text))
    if (problem !== undefined) process.stderr.write(`oddsmaker: warning: ${file}:${line}: ${problem}\n`);
  return parseEnv(text);
}

// `--env-file`: reads the environment variables of a configuration from a file. Node.js interprets a flag of
// this name itself: it has read the file before this code runs, with the same effect, and exits with code 9
// and its own message when there is no such file.
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Command } from 'commander';
import { messageOf, OddsmakerError, userText } from '../domain/index.ts';
import { entriesOf } from './env-entries.ts';

/**
 * Adds `--env-file` to a command. Variables that the environment already has are not changed. @throws
 * OddsmakerError ENV_FILE_UNREADABLE
 */
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
  // shows neither name nor value: a part of a secret over several lines may look like a name
  for (const { line, problem } of entriesOf(text))
    if (problem !== undefined) process.stderr.write(`oddsmaker: warning: ${file}:${line}: ${problem}\n`);
  return parseEnv(text);
}

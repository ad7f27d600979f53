// The command line: registers the commands and turns failures into exit codes.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Command, CommanderError } from 'commander';
import { EXIT, forgetSecrets, OddsmakerError, systemCodeOf } from '../domain/index.ts';
import { commandOf, COMMANDS } from './commands.ts';
import { guardOutput } from '../terminal/index.ts';
import { stackText, VERSION } from '../files/index.ts';

const HELP = `
Start here:
  oddsmaker run config/paper.yaml       make markets on a paper exchange, without money
  oddsmaker check config/paper.yaml     what a configuration means
  oddsmaker <command> --help            flags, exit codes and examples of a command
`;

/**
 * Runs one command.
 * @param argv the arguments after the program's name, such as `['run', 'bot.yaml']`
 * @param later called with another exit code when one is set after the end
 * @returns the exit code of the process
 */
export async function main(argv: readonly string[], later: (code: number) => void = () => undefined): Promise<number> {
  forgetSecrets();
  for (const stream of [process.stdout, process.stderr]) guardOutput(stream);
  addErrorListener(process.stdout, noteWriteError);
  addErrorListener(process.stderr, ignoreError);
  let code: number = EXIT.done;
  let isOver = false;
  const finish = (to: number): void => {
    code = to;
    if (isOver) later(to);
  };
  const program = new Command('oddsmaker')
    .description('A market-making bot framework for a sports-betting exchange.')
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError('(add --help for flags and examples)')
    .configureHelp({ subcommandTerm: termOf })
    .addHelpText('after', HELP);
  const entry = commandOf(argv);
  for (const { name, summary } of COMMANDS) program.command(name).summary(summary);
  // commands inherit exitOverride only when it is set before they are made: set it on each
  for (const command of program.commands) command.exitOverride();
  try {
    for (const command of program.commands) if (command.name() === entry?.name) (await entry.load())(command, finish);
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    code = exitCodeOf(error);
  }
  const problem = await outputError();
  isOver = true;
  if (problem === undefined || code !== EXIT.done) return code;
  return exitCodeOf(new OddsmakerError('OUT_UNWRITABLE', `standard output: ${problem.message}`));
}

const termOf = (command: Command): string => {
  const known = COMMANDS.find(({ name }) => name === command.name());
  return known === undefined ? 'help [command]' : `${known.name} ${known.usage}`;
};

const addErrorListener = (stream: NodeJS.WriteStream, listener: (error: Error) => void): void => {
  if (!stream.listeners('error').includes(listener)) stream.on('error', listener);
};

/** A log that cannot be written does not end the process and does not change its exit code. */
const ignoreError = (): void => {};

let writeError: Error | undefined;
const noteWriteError = (error: Error): void => {
  // EPIPE: the reader closed the pipe, such as `head`; that is no failure
  if (systemCodeOf(error) !== 'EPIPE') writeError ??= error;
};

/** The error that kept the output from being written. For a file it is known one event-loop turn later. */
async function outputError(): Promise<Error | undefined> {
  await nextTurn();
  return writeError;
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (error instanceof OddsmakerError) {
    process.stderr.write(`oddsmaker: ${error.message}\n`);
    return error.exit;
  }
  process.stderr.write(`oddsmaker: a bug: ${stackText(error)}\n`);
  return EXIT.bug;
}

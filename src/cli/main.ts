// The command line: which commands there are, and how failures become exit codes.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Command, CommanderError } from 'commander';
import { EXIT, forgetTakenValues, OddsmakerError, systemCodeOf } from '../domain/index.ts';
import { commandOf, COMMANDS } from './commands.ts';
import { guardOutput } from '../terminal/index.ts';
import { VERSION } from '../setup/index.ts';

const HELP = `
Start here:
  oddsmaker run config/paper.yaml       make markets on a paper exchange, without money
  oddsmaker check config/paper.yaml     what a configuration means
  oddsmaker <command> --help            flags, exit codes and examples of a command
`;

/** Runs one command; resolves with the exit code of the process. `later`: another one, where something came out after the end. */
export async function main(argv: readonly string[], later: (code: number) => void = () => undefined): Promise<number> {
  forgetTakenValues();
  for (const stream of [process.stdout, process.stderr]) guardOutput(stream);
  hear(process.stdout, noteUnwritten);
  hear(process.stderr, leaveUntold);
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
  const asked = commandOf(argv);
  for (const { name, summary } of COMMANDS) program.command(name).summary(summary);
  // commands inherit exitOverride only when it is set before they are made: set it on each
  for (const command of program.commands) command.exitOverride();
  try {
    for (const command of program.commands) if (command.name() === asked?.name) (await asked.load())(command, finish);
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    code = exitCodeOf(error);
  }
  const problem = await printed();
  isOver = true;
  if (problem === undefined || code !== EXIT.done) return code;
  return exitCodeOf(new OddsmakerError('OUT_UNWRITABLE', `standard output: ${problem.message}`));
}

const termOf = (command: Command): string => {
  const known = COMMANDS.find(({ name }) => name === command.name());
  return known === undefined ? 'help [command]' : `${known.name} ${known.usage}`;
};

const hear = (stream: NodeJS.WriteStream, listener: (error: Error) => void): void => {
  if (!stream.listeners('error').includes(listener)) stream.on('error', listener);
};

/** A log that nobody can read ends nothing, and changes no exit code. */
const leaveUntold = (): void => {};

let unwritten: Error | undefined;
const noteUnwritten = (error: Error): void => {
  // whoever reads only the first lines of what a command prints has read enough
  if (systemCodeOf(error) !== 'EPIPE') unwritten ??= error;
};

/** What kept from being written what was printed; of a file that is known a moment later. */
async function printed(): Promise<Error | undefined> {
  await nextTurn();
  return unwritten;
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (error instanceof OddsmakerError) {
    process.stderr.write(`oddsmaker: ${error.message}\n`);
    return error.exit;
  }
  process.stderr.write(
    `oddsmaker: a bug: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return EXIT.bug;
}

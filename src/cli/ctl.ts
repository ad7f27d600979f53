// `oddsmaker ctl`: an operator's word to a running bot, over its control socket. It finds the bot by the same file the bot
// was started with; of that file, only exchange.username and journal are read, and no secret is needed.
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { Option } from 'commander';
import { EXIT, isUnsafeKey, MARKET_TYPES, WINNERS } from '../domain/index.ts';
import type { ControlReply } from '../ops/index.ts';
import { isControlCommand, parseControl } from '../ops/index.ts';
import { signalsIn, streamSignals } from './ctl-signals.ts';
import { withEnvFile } from './env-file.ts';
import { marketsLike, marketTable } from './market-table.ts';
import type { Message } from '../guard/index.ts';
import { ask, filesOf, reloadText } from '../guard/index.ts';
import { statusTable } from './status-table.ts';

const HELP = `
Commands:
  status                       what the bot does, has open and has earned; --json prints it as one object
  markets [text]               market by market: fair price, own quotes, what is held, what keeps quotes back; only those with
                               the text in their id or game
  pause [strategy]             quote nothing, cancel what rests; or only what one strategy wants
  resume [strategy]            quote again: ends pause, reduce-only and halt, and lifts the guard's fence; of one strategy
                               only its own pause ends
  reduce-only                  only quotes that make a position smaller
  halt                         kill switch: quote nothing, cancel everything on the account
  cancel-all                   cancel everything on the account now, and pause; with --keep-quoting quoting goes on
  settle <game> <home>-<away>  the final score of a game that the exchange does not grade; the bot must hold fills in it.
                               --winner names who won where the score does not decide that (tennis, a shoot-out)
  settle <game> winner <side>  home, away or draw: it settles the moneyline
  settle <game> void           stakes return; with --type only those of these market types
                               What a result does not decide stays open; a later one completes it
  unsettle <game>              that was wrong: what it settled waits for the game again; with --type only these types
  signal <name>=<number> …     numbers for the strategies, all at once; without a number one is withdrawn. They hold for
                               --ttl (60s), unless they are told again
  reload                       read the file again: limits, markets, parameters, strategy files, log level and alerts
                               change live, and what must wait for the next start is named; so does SIGHUP. What is
                               wrong changes nothing. \`check --diff\` shows before what it would do
  params <strategy> <name>=<value> …  parameters of a strategy, until the next reload; they hold over restarts
  signal -                     the same from standard input, a line at a time, for as long as there are lines

The bot is found by the file alone: no secret of it has to be set. A command is answered when the bot has taken it; \`status\` shows what came of it.

Exit:  0 the bot took it; 2 a wrong command line, or the bot refused the command; 75 no bot answers; 78 the file cannot
       be read. A bot that hangs cannot answer: \`oddsmaker panic <config>\` clears the account without it.

Examples:
  oddsmaker ctl config/paper.yaml status
  oddsmaker ctl config/paper.yaml halt
  oddsmaker ctl config/paper.yaml settle 60b8d0f1c2 101-99 --yes
  oddsmaker ctl config/paper.yaml settle 60b8d0f1c2 14-18 --winner home --yes
  oddsmaker ctl config/paper.yaml settle 60b8d0f1c2 void --type total --yes
  oddsmaker ctl config/paper.yaml signal fair:60b8d0f1c2/moneyline=0.531 --ttl 10s
  my-model | oddsmaker ctl config/paper.yaml signal - --ttl 10s
`;

export function registerCtl(command: Command, finish: (code: number) => void): void {
  withEnvFile(command)
    .description('Sends one command to the running bot of a configuration.')
    .argument('<config>', 'YAML file')
    .argument(
      '<command>',
      'status, markets, pause, resume, reduce-only, halt, cancel-all, settle, unsettle, reload, params or signal',
    )
    .argument(
      '[args...]',
      'markets: [text]; pause, resume: [strategy]; settle: <game> <home>-<away>, winner <side> or void; unsettle: <game>; params: <strategy> <name>=<value> …; signal: <name>=<number> …, or -',
    )
    .option('--ttl <duration>', 'signal: how long it holds, unless it is told again (default: 60s)')
    .option('--keep-quoting', 'cancel-all: do not pause; what is cancelled is quoted again')
    .addOption(new Option('--winner <side>', 'settle: who won, beside a score').choices([...WINNERS]))
    .addOption(
      new Option('--type <type...>', 'settle … void, unsettle: of these market types alone').choices([...MARKET_TYPES]),
    )
    .option('--yes', 'settle: the result is final, and is booked')
    .option('--dry', 'of a dry run (run --dry)')
    .option('--json', "print the bot's answer as one JSON object")
    .addHelpText('after', HELP)
    .action(
      async (
        file: string,
        command: string,
        args: readonly string[],
        flags: {
          readonly json?: true;
          readonly ttl?: string;
          readonly yes?: true;
          readonly winner?: string;
          readonly type?: readonly string[];
          readonly keepQuoting?: true;
          readonly dry?: true;
        },
        self: Command,
      ) => {
        const refuse = (problem: string): never => self.error(`error: ${problem}`, { exitCode: EXIT.usage });
        if (flags.ttl !== undefined && command !== 'signal') refuse(`${command} does not take --ttl`);
        if (flags.keepQuoting !== undefined && command !== 'cancel-all')
          refuse(`${command} does not take --keep-quoting`);
        if (flags.yes !== undefined && command !== 'settle') refuse(`${command} does not take --yes`);
        if (flags.winner !== undefined && command !== 'settle') refuse(`${command} does not take --winner`);
        if (flags.type !== undefined && command !== 'unsettle' && !(command === 'settle' && args[1] === 'void'))
          refuse('--type goes with settle … void and unsettle');
        if (command === 'signal' && args.length === 1 && args[0] === '-') {
          // what a wrong --ttl does to each line is told before the first
          const problem = signalsIn(['any=0'], flags.ttl);
          if (typeof problem === 'string') refuse(`signal: ${problem}`);
          finish(await streamed(file, flags.dry === true, flags.ttl));
          return;
        }
        const told = toldBy(command, args, flags, refuse);
        const message = flags.keepQuoting === true ? { ...told, keepQuoting: true } : told;
        if (command === 'settle' && flags.yes !== true)
          refuse(`settle books the result of ${args.join(' ')}: say it again with --yes`);
        finish(await ctl(file, flags.dry === true, message, { json: flags.json === true, like: args[0] }));
      },
    );
}

/** The bot checks what it is sent; here it is checked first, so that a slip is told without a bot. */
function toldBy(
  command: string,
  args: readonly string[],
  { ttl, winner, type }: { readonly ttl?: string; readonly winner?: string; readonly type?: readonly string[] },
  refuse: (problem: string) => never,
): Message {
  if (command === 'signal') {
    const told = signalsIn(args, ttl);
    return typeof told === 'string' ? refuse(`signal: ${told}`) : told;
  }
  const [first] = args;
  if (command === 'params') {
    const params = paramsIn(args.slice(1));
    return typeof params === 'string' ? refuse(`params: ${params}`) : { command, strategy: first, params };
  }
  const isForOne = (command === 'pause' || command === 'resume') && first !== undefined;
  const message =
    command === 'settle'
      ? { command, gameId: first, ...endIn(args.slice(1), winner, type) }
      : command === 'unsettle'
        ? { command, gameId: first, ...(type === undefined ? {} : { types: type }) }
        : isForOne
          ? { command, strategy: first }
          : { command };
  if (!isControlCommand(command)) refuse(`there is no command "${command}"`);
  const problem = parseControl(message);
  if (typeof problem === 'string') refuse(problem);
  const wordsOfResult = args[1] === 'winner' ? 2 : 1;
  const isOfOne = command === 'settle' || command === 'markets' || command === 'unsettle' || isForOne;
  const taken = Number(isOfOne) + (command === 'settle' ? wordsOfResult : 0);
  const extra = args.slice(taken);
  if (extra.length > 0) refuse(`${command} does not take "${extra.join(' ')}"`);
  return message;
}

/** How a game ended, in the words of the command line. */
function endIn(
  [kind, side]: readonly string[],
  winner: string | undefined,
  types: readonly string[] | undefined,
): { score?: string; winner?: string; void?: true; types?: readonly string[] } {
  if (kind === 'winner') return { winner: side ?? '' };
  if (kind === 'void') return { void: true, ...(types === undefined ? {} : { types }) };
  return {
    ...(kind === undefined ? {} : { score: kind }),
    ...(winner === undefined ? {} : { winner }),
  };
}

/** Values are written as in the YAML file. */
function paramsIn(args: readonly string[]): Readonly<Record<string, unknown>> | string {
  const params: Record<string, unknown> = {};
  for (const one of args) {
    const at = one.indexOf('=');
    if (at < 1) return `expected <name>=<value>, received ${JSON.stringify(one)}`;
    const name = one.slice(0, at);
    if (isUnsafeKey(name)) return `expected another name than ${name}`;
    params[name] = valueOf(one.slice(at + 1));
  }
  return args.length === 0 ? 'expected at least one <name>=<value>' : params;
}

/** JSON where it is some, else text. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function streamed(file: string, isDry: boolean, ttl: string | undefined): Promise<number> {
  const files = filesOf(file, isDry);
  return streamSignals(
    createInterface({ input: process.stdin }),
    ttl,
    (message) => ask(file, files, message),
    (text) => process.stderr.write(`oddsmaker: ${text}\n`),
  );
}

type Shown = {
  readonly json: boolean;
  /** Of markets: those that have this in their id or game. */
  readonly like: string | undefined;
};

async function ctl(file: string, isDry: boolean, message: Message, shown: Shown): Promise<number> {
  const reply = await ask(file, filesOf(file, isDry), message);
  if (!reply.ok) {
    process.stderr.write(`oddsmaker: the bot refused: ${reply.error}\n`);
    return EXIT.usage;
  }
  process.stdout.write(answerText(message.command, reply, shown));
  return EXIT.done;
}

function answerText(command: string, reply: Extract<ControlReply, { ok: true }>, { json, like }: Shown): string {
  const { done, status, markets } = reply;
  if (command === 'markets') {
    const listed = marketsLike(markets, like);
    return json ? `${JSON.stringify(listed)}\n` : marketTable(listed);
  }
  if (json) return `${JSON.stringify(status ?? { done })}\n`;
  if (command === 'reload') return `${reloadText(reply, false)}\n`;
  const table = status === undefined ? [] : [statusTable(status as Readonly<Record<string, unknown>>)];
  return command === 'status' ? table.join('') : [`the bot took it: ${command}\n`, ...table].join('\n');
}

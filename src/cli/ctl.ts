// `oddsmaker ctl`: sends one command of the operator to a running bot, over its control socket. It finds the
// bot by the configuration file that the bot was started with. It reads only exchange.username and journal
// from that file and needs no secret.
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { Option } from 'commander';
import { EXIT, isUnsafeKey, MARKET_TYPES, printable, WINNERS } from '../domain/index.ts';
import type { ControlReply } from '../ops/index.ts';
import { isControlCommand, parseControl } from '../ops/index.ts';
import { signalsIn, streamSignals } from './ctl-signals.ts';
import { withEnvFile } from './env-file.ts';
import { marketsLike, marketTable } from './market-table.ts';
import { gamesLike, riskText } from './risk-text.ts';
import type { Message } from '../guard/index.ts';
import { ask, filesOf, reloadText } from '../guard/index.ts';
import { statusTable } from './status-table.ts';

const HELP = `
Commands:
  status                       state, open orders and result of the bot; --json prints one object
  markets [text]               each market: fair price, own quotes, position, what holds quotes back; with [text] only
                               markets that have it in their id or game
  risk [text]                  each game with fills: what it may bring by the distribution of its score, and the scores
                               at which it loses most; with [text] only games that have it in their id or name. One
                               game alone is drawn over margin and total
  pause [strategy]             stop quoting and cancel resting orders; with [strategy] only those of this strategy
  resume [strategy]            quote again: ends pause, reduce-only and halt, and lifts the guard's fence; with
                               [strategy] only the pause of this strategy ends
  reduce-only                  allow only quotes that reduce a position
  halt                         kill switch: quote nothing, cancel everything on the account
  cancel-all                   cancel everything on the account now, and pause; with --keep-quoting quoting continues
  settle <game> <home>-<away>  the final score of a game that the exchange does not grade; the bot must hold fills in it.
                               --winner names the winner where the score does not decide it (tennis, a shoot-out)
  settle <game> winner <side>  home, away or draw: settles the moneyline
  settle <game> void           stakes return; with --type only for these market types.
                               What a result does not decide stays open; a later result completes it
  unsettle <game>              withdraws a wrong result: its fills are open again; with --type only these types
  signal <name>=<number> …     numbers for the strategies, set together; a name without a number is withdrawn. They hold
                               for --ttl (60s), unless they are sent again
  reload                       read the file again: limits, markets, parameters, strategy files, log level and alerts
                               change live, and what must wait for the next start is named. SIGHUP does the same. A
                               file with a mistake changes nothing. \`check --diff\` shows in advance what would change
  params <strategy> <name>=<value> …  parameters of a strategy, until the next reload; they survive restarts
  signal -                     the same from standard input, line by line until it ends

The file is enough to find the bot: its secrets need not be set. The answer means that the bot accepted the command;
\`status\` shows the effect.

Exit:  0 the bot accepted it; 2 a wrong command line, or the bot refused the command; 75 no bot answers; 78 the file
       cannot be read. A bot that hangs cannot answer: \`oddsmaker panic <config>\` clears the account without it.

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
      'status, markets, risk, pause, resume, reduce-only, halt, cancel-all, settle, unsettle, reload, params or signal',
    )
    .argument(
      '[args...]',
      'markets, risk: [text]; pause, resume: [strategy]; settle: <game> <home>-<away>, winner <side> or void; unsettle: <game>; params: <strategy> <name>=<value> …; signal: <name>=<number> …, or -',
    )
    .option('--ttl <duration>', 'signal: how long it holds, unless it is sent again (default: 60s)')
    .option('--keep-quoting', 'cancel-all: do not pause; cancelled quotes are placed again')
    .addOption(new Option('--winner <side>', 'settle: the winner, in addition to a score').choices([...WINNERS]))
    .addOption(
      new Option('--type <type...>', 'settle … void, unsettle: only these market types').choices([...MARKET_TYPES]),
    )
    .option('--yes', 'settle: confirm that the result is final; it is booked')
    .option('--dry', 'address the dry run of this file (run --dry)')
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
          // a wrong --ttl is refused before the first line is read
          const problem = signalsIn(['any=0'], flags.ttl);
          if (typeof problem === 'string') refuse(`signal: ${problem}`);
          finish(await streamInput(file, flags.dry === true, flags.ttl));
          return;
        }
        const commandMessage = messageFor(command, args, flags, refuse);
        const message = flags.keepQuoting === true ? { ...commandMessage, keepQuoting: true } : commandMessage;
        if (command === 'settle' && flags.yes !== true)
          refuse(`settle books the result of ${args.join(' ')}: say it again with --yes`);
        finish(await ctl(file, flags.dry === true, message, { json: flags.json === true, like: args[0] }));
      },
    );
}

/**
 * The message for a command line. The bot checks each message too; this check reports a mistake without a
 * bot.
 */
function messageFor(
  command: string,
  args: readonly string[],
  { ttl, winner, type }: { readonly ttl?: string; readonly winner?: string; readonly type?: readonly string[] },
  refuse: (problem: string) => never,
): Message {
  if (command === 'signal') {
    const signal = signalsIn(args, ttl);
    return typeof signal === 'string' ? refuse(`signal: ${signal}`) : signal;
  }
  const [first] = args;
  if (command === 'params') {
    const params = paramsIn(args.slice(1));
    return typeof params === 'string' ? refuse(`params: ${params}`) : { command, strategy: first, params };
  }
  const isForOne = (command === 'pause' || command === 'resume') && first !== undefined;
  const message =
    command === 'settle'
      ? { command, gameId: first, ...resultFields(args.slice(1), winner, type) }
      : command === 'unsettle'
        ? { command, gameId: first, ...(type === undefined ? {} : { types: type }) }
        : isForOne
          ? { command, strategy: first }
          : { command };
  if (!isControlCommand(command)) refuse(`there is no command "${command}"`);
  const problem = parseControl(message);
  if (typeof problem === 'string') refuse(problem);
  const resultWords = args[1] === 'winner' ? 2 : 1;
  const takesTarget = command === 'settle' || LISTS.has(command) || command === 'unsettle' || isForOne;
  const used = Number(takesTarget) + (command === 'settle' ? resultWords : 0);
  const extra = args.slice(used);
  if (extra.length > 0) refuse(`${command} does not take "${extra.join(' ')}"`);
  return message;
}

/** The result of a game, as fields of the `settle` message. */
function resultFields(
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

/**
 * Parameters from `<name>=<value>` words, with values written as in the YAML file. A string says what is
 * wrong.
 */
function paramsIn(args: readonly string[]): Readonly<Record<string, unknown>> | string {
  const params: Record<string, unknown> = {};
  for (const word of args) {
    const index = word.indexOf('=');
    if (index < 1) return `expected <name>=<value>, received ${JSON.stringify(word)}`;
    const name = word.slice(0, index);
    if (isUnsafeKey(name)) return `expected another name than ${name}`;
    params[name] = valueOf(word.slice(index + 1));
  }
  return args.length === 0 ? 'expected at least one <name>=<value>' : params;
}

/** The value as JSON where the text is valid JSON, else the text itself. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function streamInput(file: string, isDry: boolean, ttl: string | undefined): Promise<number> {
  const files = filesOf(file, isDry);
  return streamSignals(
    createInterface({ input: process.stdin }),
    ttl,
    (message) => ask(file, files, message),
    (text) => process.stderr.write(`oddsmaker: ${text}\n`),
  );
}

/** Commands that list what has a text in its id or game. */
const LISTS: ReadonlySet<string> = new Set(['markets', 'risk']);

type OutputOptions = {
  readonly json: boolean;
  /** Lists only markets or games that have this text in their id or game. Undefined lists all. */
  readonly like: string | undefined;
};

async function ctl(file: string, isDry: boolean, message: Message, shown: OutputOptions): Promise<number> {
  const reply = await ask(file, filesOf(file, isDry), message);
  if (!reply.ok) {
    process.stderr.write(`oddsmaker: the bot refused: ${reply.error}\n`);
    return EXIT.usage;
  }
  process.stdout.write(answerText(message.command, reply, shown));
  return EXIT.done;
}

function answerText(
  command: string,
  reply: Extract<ControlReply, { ok: true }>,
  { json, like }: OutputOptions,
): string {
  const { done, status, markets, risk, warnings = [] } = reply;
  if (command === 'markets') {
    const listed = marketsLike(markets, like);
    return json ? `${JSON.stringify(listed)}\n` : marketTable(listed);
  }
  if (command === 'risk') {
    const listed = gamesLike(risk, like);
    return json ? `${JSON.stringify(listed)}\n` : riskText(listed);
  }
  if (json) return `${JSON.stringify(status ?? { done })}\n`;
  if (command === 'reload') return `${reloadText(reply, false)}\n`;
  const table = status === undefined ? [] : [statusTable(status as Readonly<Record<string, unknown>>)];
  const warned = warnings.map((warning) => `warning: ${printable(warning)}\n`).join('');
  return command === 'status' ? table.join('') : [`the bot accepted: ${command}\n${warned}`, ...table].join('\n');
}

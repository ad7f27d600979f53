// `oddsmaker exchange`: the paper exchange as a server (docs/paper-exchange.md). It prints one JSON line on
// stdout when it is ready and serves until a signal. With an IPC channel it also sends that line to the
// parent and ends when the channel closes.
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import type { BookPerspective, SportsSettings, TapeStart } from '../domain/index.ts';
import { DRAW_RULES, EXIT, OddsmakerError, SPORT_COLUMNS, systemCodeOf, VOID_APART } from '../domain/index.ts';
import type { AccountOptions } from '../venue/index.ts';
import type { RecordedFeed } from '../traders/index.ts';
import { faultPlanSchema } from '../paper/index.ts';
import type { PaperExchange, PaperExchangeOptions } from '../paper/server/index.ts';
import { MarketSource } from '../backtest/index.ts';
import { decodeTape, readTape, distinctTapes, tapeFilesOf } from '../tape/index.ts';
import { loadYaml } from '../config/index.ts';
import { ACCOUNT_VARIABLE } from '../live/index.ts';
import { stopRequested } from '../ops/index.ts';
import type { WireProfile } from '../wire/index.ts';
import { bookPerspectiveOf, profileOf, wireProfileSchema } from '../wire/index.ts';
import { readAccount, readAccountFile } from './accounts.ts';
import { collected, positive, tapeStart, wholeNumber } from './flags.ts';
import type { TapeName } from '../tape/index.ts';

type Flags = {
  readonly port: number;
  readonly adminPort: number;
  readonly league: string;
  readonly games: number;
  readonly traders?: 'none' | 'synthetic' | 'tape';
  readonly tape: readonly string[];
  readonly from?: TapeStart;
  readonly speed: number;
  readonly sideGames?: true;
  readonly asLeague?: string;
  readonly seed: number;
  readonly account: readonly AccountOptions[];
  readonly accountFile?: string;
  readonly windows: 'wall' | 'venue';
  readonly minOrderSize?: number;
  readonly profile: readonly Setting[];
  readonly draw?: SportsSettings;
  readonly sport?: SportsSettings;
  readonly faults?: string;
  readonly state?: string;
};
type Setting = { readonly key: string; readonly value: unknown };

const HELP = `
Accounts:  without --account and --account-file there is one, demo:demo, with 10000 cash and 10000 coins, in coins mode.
           A file holds one user:pass[:cash[:coins]] a line; lines that begin with # are comments. Passwords in it show in
           no list of processes.
Traders:   synthetic (default) generates games and trades them, one market per seed: they open, go live, end and are
           graded, and new ones follow; tape (default with --tape) plays recordings, and accounts' orders match among
           the recorded ones; none leaves the books empty.
Ready:     one JSON line on stdout: {"restUrl","socketUrl","adminUrl","games":[{"id","league","participants"}]}.
           adminUrl is the operator's port: the venue's record of an account, changes of accounts and games,
           grading, faults (docs/paper-exchange-faults.md lists its routes).
Presets:   --profile preset=spec (default) follows the specification exactly, --profile preset=family what real clients
           meet: the taker's view of the book, orders that end at the start of their game, lists of results. Any
           other --profile wins over the preset.
Windows:   request windows, the queue of cancels and the drain of cancelAllOrders run in the time of the clock; with
           --windows venue they run --speed times as fast, so that a fast tape is not limited more than the recording was. Set the
           bot's exchange.limits to match: at --speed 10, place: { requests: 25, window: 500ms }.
Cancels:   cancelAllOrders answers at once and cancels 15 a second; individual cancels answer 423 meanwhile.
Faults:    a YAML plan of faults: late, lost and doubled requests and frames, error answers, broken and
           half-open connections, cancels without a cause. The same plan gives the same faults: docs/paper-exchange-faults.md
State:     with --state nothing that was answered is lost, not even by kill -9; start it again with the same flags.
Exit:      0 after Ctrl-C or SIGTERM; 2 wrong flags; 65 a tape or state file that cannot be read (the message names
           the line); 75 a port in use, or a state file that cannot be written; 77 a state file in use; 78 a bad
           fault plan or account file (file, line and what was expected are named).

Examples:
  oddsmaker exchange --port 4000
  oddsmaker exchange --account alice:secret:500:2000 --account bob:secret --seed 7 --games 2
  oddsmaker exchange --tape game.ndjson.gz --from 20h --speed 10
  oddsmaker exchange --tape game.ndjson.gz --from 2019-12-29T01:30:00Z --as-league DEMO
  oddsmaker exchange --faults plan.yaml --state exchange.state
  oddsmaker exchange --profile preset=family --account-file accounts.txt
  oddsmaker exchange --profile bookPerspective=taker --profile maxOrdersPerPlace=1
`;

export function registerExchange(command: Command): void {
  command
    .description('Runs a whole exchange on loopback: REST, Socket.IO and other traders, without money.')
    .option('--port <n>', 'port of REST and sockets; 0 takes any free one', wholeNumber(0, 65_535), 0)
    .option('--admin-port <n>', "the operator's port; 0 takes any free one", wholeNumber(0, 65_535), 0)
    .option('--league <name>', 'league of the synthetic games', 'NBA')
    .option('--games <n>', 'number of synthetic games', wholeNumber(1, 2000), 6)
    .addOption(
      new Option('--traders <kind>', 'who else trades (default: tape with --tape, otherwise synthetic)').choices([
        'none',
        'synthetic',
        'tape',
      ]),
    )
    .addOption(
      new Option(
        '--tape <file>',
        'recording to play: NDJSON, .gz, .zst, or the folder of a recorder; repeat to play several side by side',
      )
        .argParser(collected)
        .default([], 'none'),
    )
    .option(
      '--from <time>',
      'where the tapes start: ISO time, or offset from the first line such as 20h (default: first line)',
      tapeStart,
    )
    .option('--speed <x>', 'how much faster tapes and synthetic games play', positive, 1)
    .option('--side-games', 'synthetic games also have halves, a last quarter, a player market and a futures game')
    .option('--as-league <name>', 'serve recorded games under this league')
    .option(
      '--seed <n>',
      'seed of ids and synthetic traders: the same seed makes the same market',
      wholeNumber(0, 0xffffffff),
      1,
    )
    .addOption(
      new Option('--account <user:pass[:cash[:coins]]>', 'an account and its balances in dollars; repeat for more')
        .argParser(account)
        .default([], 'demo:demo'),
    )
    .option('--account-file <file>', 'accounts, one user:pass[:cash[:coins]] a line')
    .option('--min-order-size <x>', 'smallest order in dollars (default: 1)', positive)
    .addOption(
      new Option(
        '--profile <k=v>',
        'a setting of the wire profile, such as preset=family or bookPerspective=taker; repeat for more',
      )
        .argParser(setting)
        .default([], 'none'),
    )
    .addOption(
      new Option(
        '--draw <name=rule>',
        'how a level score settles a moneyline of a league or sport, such as soccer=push: push, both-lose or impossible; repeat for more',
      ).argParser((text: string, before: SportsSettings | undefined) => sportColumn(text, 'draw', before)),
    )
    .addOption(
      new Option(
        '--sport <name.column=value>',
        'what decides bets of a league or sport, column by column as in `sports:`, such as tennis.spread=sets; repeat for more',
      ).argParser((text: string, before: SportsSettings | undefined) => sportColumn(text, undefined, before)),
    )
    .addOption(
      new Option('--windows <time>', 'whose time request windows and cancel-alls run in')
        .choices(['wall', 'venue'])
        .default('wall'),
    )
    .option('--faults <file>', 'a fault plan (YAML): which faults, when, and for which account')
    .option('--state <file>', 'keep accounts, orders and positions in this file, and continue from it')
    .addHelpText('after', HELP)
    .action(async (flags: Flags, command: Command) => {
      const options = optionsOf(flags, (message) => command.error(`error: ${message}`, { exitCode: EXIT.usage }));
      for (const tape of distinctTapes(flags.tape).flatMap(tapeFilesOf)) await readThrough(tape);
      await serve(options);
    });
}

function optionsOf(flags: Flags, refuse: (message: string) => never): PaperExchangeOptions {
  if (flags.traders === 'tape' && flags.tape.length === 0) refuse('--traders tape needs at least one --tape');
  if (flags.traders !== undefined && flags.traders !== 'tape' && flags.tape.length > 0)
    refuse(`--tape does not go with --traders ${flags.traders}`);
  if (flags.tape.length === 0 && (flags.from !== undefined || flags.asLeague !== undefined))
    refuse('--from and --as-league need a --tape');
  if (flags.tape.length === 0 && flags.speed !== 1 && flags.traders === 'none')
    refuse('--speed needs a --tape or synthetic traders');
  const fromFile = flags.accountFile === undefined ? [] : readAccountFile(flags.accountFile);
  const accounts = [...flags.account, ...fromFile];
  const names = accounts.map(({ username }) => username);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) refuse(`the account ${twice} is given twice`);
  return {
    port: flags.port,
    adminPort: flags.adminPort,
    league: flags.league,
    games: flags.games,
    seed: flags.seed,
    speed: flags.speed,
    sideGames: flags.sideGames === true,
    from: flags.from,
    asLeague: flags.asLeague,
    accounts: [...accounts, ...accountOfParent()],
    windows: flags.windows,
    profile: givenProfile(flags, refuse),
    sports: sportsOf(flags),
    faults: flags.faults === undefined ? undefined : loadYaml(flags.faults, process.env, faultPlanSchema),
    state: flags.state,
    feeds: distinctTapes(flags.tape).map((name) => ({ name, events: eventsOf(tapeFilesOf(name)) })),
    ...(flags.traders === undefined ? {} : { traders: flags.traders }),
  };
}

function givenProfile(flags: Flags, refuse: (message: string) => never): WireProfile {
  const given: Record<string, unknown> = {};
  for (const { key, value } of flags.profile) {
    const [name = key, part] = key.split('.');
    const former = given[name];
    given[name] =
      part === undefined
        ? value
        : { ...(typeof former === 'object' ? former : perspectiveOf(flags.profile)), [part]: value };
  }
  if (flags.minOrderSize !== undefined) given['minOrderSize'] = flags.minOrderSize;
  const read = wireProfileSchema.safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  return refuse(`--profile: ${[...(issue?.path ?? []), issue?.message ?? 'wrong'].join(' ')}`);
}

/**
 * The book perspective of the preset among these settings: it supplies the parts that the settings do not
 * name.
 */
function perspectiveOf(settings: readonly Setting[]): BookPerspective {
  const preset = settings.findLast(({ key }) => key === 'preset')?.value;
  return bookPerspectiveOf(profileOf(preset === 'family' ? 'family' : 'spec'));
}

function accountOfParent(): readonly AccountOptions[] {
  const text = process.env[ACCOUNT_VARIABLE];
  if (text === undefined) return [];
  const { username, password } = JSON.parse(text) as { readonly username: string; readonly password: string };
  return [{ username, password }];
}

/** Left-out payloads of one tape that are named on stderr. */
const MAX_REPORTED = 5;

/**
 * Reads a tape to its end before anything starts, so that a tear is reported now and not in the middle of a
 * run.
 */
async function readThrough({ file, isSegment }: TapeName): Promise<void> {
  const torn = (problem: string): void => {
    process.stderr.write(`oddsmaker: ${problem}; played up to there\n`);
  };
  const frames = readTape(file, { torn: isSegment ? torn : undefined });
  while ((await frames.next()).done !== true);
}

/**
 * The events of one tape, or of the segments of a recording in order of time. Payloads that a bot would skip
 * live are left out.
 */
function eventsOf(files: readonly TapeName[]): RecordedFeed['events'] {
  let reported = 0;
  const unreadable = (problem: string): void => {
    reported += 1;
    const suffix = reported === MAX_REPORTED ? '; further ones are not shown' : '';
    if (reported <= MAX_REPORTED) process.stderr.write(`oddsmaker: ${problem}; it is left out${suffix}\n`);
  };
  const streams = files.map(({ file, isSegment }) => ({
    name: file,
    batches: decodeTape(file, { torn: isSegment ? () => undefined : undefined, unreadable }),
  }));
  const [first, ...others] = streams;
  return first !== undefined && others.length === 0 ? first.batches : new MarketSource(streams).batches();
}

/** The port that could not be opened, from the error. */
const portIn = (error: unknown): number | undefined =>
  error instanceof Error && 'port' in error && typeof error.port === 'number' ? error.port : undefined;

async function serve(options: PaperExchangeOptions): Promise<void> {
  // the server modules are loaded only when a server starts
  const { startPaperExchange } = await import('../paper/server/index.ts');
  const exchange = await startPaperExchange(options).catch((error: unknown) => {
    const port = systemCodeOf(error) === 'EADDRINUSE' ? portIn(error) : undefined;
    throw port === undefined
      ? error
      : new OddsmakerError('EXCHANGE_UNREACHABLE', `port ${port} is in use`, { cause: error });
  });
  const stop = stopRequested();
  announce(exchange);
  try {
    // the last book stays up when a tape ends
    await Promise.race([stop, exchange.failed, exchange.played.then(() => stop)]);
  } finally {
    await exchange.close();
    if (process.channel !== undefined && process.connected) process.disconnect();
  }
}

function announce({ restUrl, socketUrl, adminUrl, games }: PaperExchange): void {
  const ready = { restUrl, socketUrl, adminUrl, games };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
  // the parent may be gone already: the end of the channel then stops the server
  process.send?.(ready, () => {});
}

// ——— flags

function account(text: string, former: readonly AccountOptions[]): readonly AccountOptions[] {
  const read = readAccount(text);
  if (typeof read === 'string') throw new InvalidArgumentError(read);
  return [...former, read];
}

const SPORT_COLUMN = new RegExp(String.raw`^(?<name>.+)\.(?<column>${SPORT_COLUMNS.join('|')})=(?<value>.{1,40})$`);

/**
 * Parses one column of a sport: `name=value` where the flag fixes the column. @param before the settings from
 * earlier uses of the flag
 */
function sportColumn(text: string, column: 'draw' | undefined, before: SportsSettings = {}): SportsSettings {
  const index = text.lastIndexOf('=');
  const parts =
    column === undefined
      ? SPORT_COLUMN.exec(text)?.groups
      : { name: text.slice(0, index), column, value: text.slice(index + 1) };
  const { name = '', value = '' } = parts ?? {};
  if (parts === undefined || name === '')
    throw new InvalidArgumentError(
      column === undefined
        ? `It must be name.column=value, with a column of ${SPORT_COLUMNS.join(', ')}.`
        : `It must be name=rule, with one of ${DRAW_RULES.join(', ')}.`,
    );
  const allowed: readonly string[] | undefined =
    parts['column'] === 'draw' ? DRAW_RULES : parts['column'] === 'voidApart' ? VOID_APART : undefined;
  if (allowed !== undefined && !allowed.includes(value))
    throw new InvalidArgumentError(`It must be one of ${allowed.join(', ')}.`);
  return { ...before, [name]: { ...before[name], [parts['column'] ?? '']: value } };
}

function sportsOf({ draw = {}, sport = {} }: Flags): SportsSettings {
  const names = [...Object.keys(draw), ...Object.keys(sport)];
  return Object.fromEntries(names.map((name) => [name, { ...draw[name], ...sport[name] }]));
}

function setting(text: string, former: readonly Setting[]): readonly Setting[] {
  const index = text.indexOf('=');
  if (index < 1) throw new InvalidArgumentError('It must be name=value.');
  const raw = text.slice(index + 1);
  let value: unknown = raw;
  try {
    value = JSON.parse(raw);
  } catch {
    // a bare word is text
  }
  return [...former, { key: text.slice(0, index), value }];
}

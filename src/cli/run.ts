// `oddsmaker run`: the bot, against the exchange of the configuration or an embedded paper exchange.
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { GateMark, LoadedConfig, Overrides } from '../config/index.ts';
import { loadConfig, loadGate } from '../config/index.ts';
import { EXIT } from '../domain/index.ts';
import type { EditedParams, RunOptions } from '../live/index.ts';
import { dryOf, runBot, withEdited } from '../live/index.ts';
import { StandingFile } from '../ops/index.ts';
import { missingForRun, runFilesOf } from '../setup/index.ts';
import { withEnvFile } from './env-file.ts';
import { amount, duration, positive, tapeStart } from './flags.ts';
import { demandPaths } from './gate-paths.ts';
import { screenOf } from './run-screen.ts';

type Flags = {
  readonly tape: readonly string[];
  readonly from?: string;
  readonly speed?: number;
  readonly for?: number;
  readonly json?: true;
  readonly dayLoss?: number;
  readonly gate?: string;
  readonly dry?: true;
  readonly envFile?: string;
};

const HELP = `
On a terminal one line shows the state; elsewhere the log is JSON lines on stderr. The summary goes to stdout.
Ctrl-C (or SIGTERM, or --for) stops in order: no new quotes, everything cancelled, open orders listed until there
are none, a summary. A second Ctrl-C cancels everything on the account and leaves at once with exit 74.

--dry logs in and subscribes to the exchange of the file, and feeds its books to a paper exchange in this process. The
bot trades there with all its windows, limits and records (journals in <journal.dir>/dry, the ledger in *.dry.db; ctl
--dry controls it). No place, edit or cancel leaves the machine. Fills are only those that the books prove: takes before
or through own offers; offers that vanished count as cancelled. It can run beside a bot that trades with money. When the
real feed disconnects, the feed of the dry run does, too.

Exit:  0 stopped and confirmed; 2 a wrong command line; 65 a bad tape, or the ledger was lost; 70 a bug, or an error
       outside a step that cannot be attributed to a strategy; 74 it could not be confirmed that nothing is open; 75 the
       exchange did not answer within exchange.startTimeout, ops.port stays in use, the disk has no room, the ledger is
       locked by another program, or journal, lease or their folder were gone at the end; 76 stopped and confirmed, but
       the ledger was not written (the next start, or pnl --rebuild, adds the missing rows from the journal); 77 login
       refused, account banned or closed, wrong player mode, or another bot of the account is running; 78 a bad
       configuration, or a strategy was disabled for good (--json: faults).

Examples:
  oddsmaker run config/paper.yaml
  oddsmaker run config/paper.yaml --for 30s --json
  oddsmaker run config/live.yaml --env-file .env --dry --for 2h
  oddsmaker run config/paper-nba.yaml --tape game.ndjson.gz --from 2019-12-28T23:30:00Z --speed 60 --for 60s --json
`;

export function registerRun(command: Command, finish: (code: number) => void): void {
  withEnvFile(command)
    .description('Makes markets as the configuration says, until it is stopped.')
    .argument('<config>', 'YAML file')
    .option(
      '--tape <file>',
      'recorded feed for the embedded exchange, or the folder of a recorder; repeat for several',
      (file: string, before: readonly string[]) => [...before, file],
      [],
    )
    .option('--from <time>', 'where the tape starts: ISO time, or offset such as 20h', tapeStartText)
    .option('--speed <x>', 'how much faster tapes and synthetic games play', positive)
    .option('--for <duration>', 'stop in order after this long, such as 60s', duration)
    .option(
      '--day-loss <dollars>',
      'loss of the account since risk.dayStartsAt, when the ledger that would know it was lost',
      amount,
    )
    .option(
      '--dry',
      'watch the real exchange and trade on a paper exchange with its books: no place, edit or cancel leaves the machine',
    )
    .option('--gate <file>', 'the gate that judges the run later (oddsmaker gate): its hash goes into the journal')
    .option('--json', 'print one JSON object on stdout at the end')
    .addHelpText('after', HELP)
    .action(async (file: string, flags: Flags, self: Command) => {
      finish(await run(file, flags, (problem) => self.error(`error: ${problem}`, { exitCode: EXIT.usage })));
    });
}

/**
 * @param beside started with the bot; the function that it returns is called at the end. Only an embedded
 * exchange is allowed then.
 */
export async function run(
  file: string,
  flags: Flags,
  misused: (problem: string) => never,
  beside?: RunOptions['beside'],
): Promise<number> {
  const real = loadFor(file, flags, misused);
  const isDry = flags.dry === true;
  const written = isDry ? dryOf(real) : real;
  // changes by the operator apply before the first request
  const edited = keptParams(written);
  const loaded = edited === undefined ? written : { ...written, config: withEdited(written.config, edited) };
  if (beside !== undefined) demandEmbedded(loaded);
  if (isDry && overridesOf(flags).length > 0)
    misused('--dry has the books of the real exchange: --tape, --from and --speed are for an embedded one');
  if (flags.from !== undefined && loaded.config.exchange.embedded?.tapes.length === 0)
    misused('--from needs a tape, from --tape or exchange.embedded.tapes');
  if (flags.dayLoss !== undefined && loaded.config.exchange.embedded !== undefined)
    misused('--day-loss is for an exchange that is not embedded');
  demandDayLimit(loaded);
  const watched = isDry ? real : undefined;
  return runBot({
    file,
    loaded,
    edited,
    watched,
    beside,
    read: () => {
      const next = loadConfig(file, process.env, overridesOf(flags));
      return isDry ? dryOf(next) : next;
    },
    gate: flags.gate === undefined ? undefined : gateFor(loaded, flags.gate),
    forMs: flags.for,
    dayLoss: flags.dayLoss,
    envFile: flags.envFile,
    screen: screenOf(loaded, watched, flags.json === true),
  });
}

/** Parameters that an operator changed during a former run. Undefined when there are none. */
function keptParams(loaded: LoadedConfig): EditedParams | undefined {
  const ids = new Set(loaded.config.strategies.map(({ id }) => id));
  const { params } = new StandingFile(runFilesOf(loaded).standing).state;
  const kept = Object.entries(params ?? {}).filter(([id]) => ids.has(id));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** Loads the configuration. --tape, --from and --speed are refused when the exchange is not embedded. */
function loadFor(file: string, flags: Flags, misused: (problem: string) => never): LoadedConfig {
  const overrides = overridesOf(flags);
  try {
    return loadConfig(file, process.env, overrides);
  } catch (error) {
    if (overrides.length > 0 && namesExchange(file))
      misused(
        `--tape, --from and --speed are for an embedded exchange: ${file} connects to another one (exchange.restUrl)`,
      );
    throw error;
  }
}

function namesExchange(file: string): boolean {
  try {
    return loadConfig(file, process.env).config.exchange.restUrl !== undefined;
  } catch {
    return false;
  }
}

function overridesOf(flags: Flags): Overrides {
  const set = (key: string, value: unknown): Overrides =>
    value === undefined ? [] : [{ path: ['exchange', 'embedded', key], value }];
  return [
    ...set('tapes', flags.tape.length === 0 ? undefined : flags.tape.map((tape) => resolve(tape))),
    ...set('traders', flags.tape.length === 0 ? undefined : 'tape'),
    ...set('from', flags.from),
    ...set('speed', flags.speed),
  ];
}

/** Refuses `dev` with an account that has money. */
function demandEmbedded({ config, problem }: LoadedConfig): void {
  if (config.exchange.embedded === undefined)
    throw problem(
      ['exchange'],
      'dev works on the paper exchange: it needs exchange.embedded, and never touches another one',
    );
}

/** rules.md, 14: a daily loss limit is required when money is at stake. */
function demandDayLimit(loaded: LoadedConfig): void {
  const missing = missingForRun(loaded);
  if (missing !== undefined) throw missing;
}

/** @throws OddsmakerError CONFIG_INVALID */
function gateFor(loaded: LoadedConfig, file: string): GateMark {
  if (loaded.config.journal.dir === null)
    throw loaded.problem(['journal', 'dir'], 'a gate is judged by the journals of its runs: keep one');
  const { gate, mark } = loadGate(file);
  demandPaths(file, gate);
  return mark;
}

/** Validates the flag; the text is parsed again where the tape is played. */
function tapeStartText(text: string): string {
  tapeStart(text);
  return text;
}

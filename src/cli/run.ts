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
On a terminal one line shows the state; elsewhere the log is JSON lines on stderr. What the run came to goes to stdout.
Ctrl-C (or SIGTERM, or --for) stops in order: no new quotes, everything cancelled, the exchange asked until nothing is
open, a summary. A second Ctrl-C cancels everything on the account and leaves at once with exit 74.

--dry logs in and listens to the exchange of the file, and gives its books to a paper exchange in this process, where the bot
trades with all its windows, limits and records (journals in <journal.dir>/dry, the ledger in *.dry.db; ctl --dry talks to it).
Nothing that places, edits or cancels leaves the machine. Fills are those that the books prove: takes before or through its own
offers; what vanished counts as cancelled. It goes on beside a bot that trades with money. When the real feed falls, so does its.

Exit:  0 stopped and confirmed; 2 a wrong command line; 65 a bad tape, or the ledger was lost; 70 a bug, or a strategy that nobody could name
       threw outside a step; 74 it could not be confirmed that nothing is open; 75 the exchange did not answer within
       exchange.startTimeout, ops.port stays taken, the disk has no room, the ledger is locked by another program, or
       journal, lease or their folder were gone at the end; 76 stopped and confirmed, but the ledger was not written (the next
       start takes in what is missing from the journal, or pnl --rebuild); 77 login refused, account banned or closed, wrong
       player mode, or another bot of the account is running; 78 a bad
       configuration, or a strategy was taken off for good (--json: faults).

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
    .option('--speed <x>', 'how much faster tapes play, and the lives of made-up games', positive)
    .option('--for <duration>', 'stop in order after this long, such as 60s', duration)
    .option(
      '--day-loss <dollars>',
      'what the account has lost since risk.dayStartsAt, where the ledger was lost and cannot tell',
      amount,
    )
    .option(
      '--dry',
      'watch the real exchange and trade on a paper exchange with its books: nothing that places, edits or cancels leaves',
    )
    .option('--gate <file>', 'what the run is judged by later (oddsmaker gate): its hash goes into the journal')
    .option('--json', 'print one JSON object on stdout at the end')
    .addHelpText('after', HELP)
    .action(async (file: string, flags: Flags, self: Command) => {
      finish(await run(file, flags, (problem) => self.error(`error: ${problem}`, { exitCode: EXIT.usage })));
    });
}

/** `beside`: goes on beside the bot, until what it returns is called; only an embedded exchange is taken then. */
export async function run(
  file: string,
  flags: Flags,
  misused: (problem: string) => never,
  beside?: RunOptions['beside'],
): Promise<number> {
  const real = loadFor(file, flags, misused);
  const isDry = flags.dry === true;
  const written = isDry ? dryOf(real) : real;
  // what an operator changed is in force before the first send
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

/** What an operator set over the file while a former run went on; undefined: nothing. */
function keptParams(loaded: LoadedConfig): EditedParams | undefined {
  const ids = new Set(loaded.config.strategies.map(({ id }) => id));
  const { params } = new StandingFile(runFilesOf(loaded).standing).state;
  const kept = Object.entries(params ?? {}).filter(([id]) => ids.has(id));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** `--tape` and its kin only mean something to an embedded exchange. */
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

/** Files that are tried out are no business of an account with money. */
function demandEmbedded({ config, problem }: LoadedConfig): void {
  if (config.exchange.embedded === undefined)
    throw problem(
      ['exchange'],
      'dev works on the paper exchange: it needs exchange.embedded, and never touches another one',
    );
}

/** rules.md, 14: with money at stake somebody must have said what a day may cost. */
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

/** Checked here, and read where the tape is played. */
function tapeStartText(text: string): string {
  tapeStart(text);
  return text;
}

// `oddsmaker run`: the bot, against the exchange of the configuration or an embedded paper exchange.
import type { Command } from 'commander';
import { EXIT } from '../domain/index.ts';
import { withEnvFile } from './env-file.ts';
import { amount, duration, positive, tapeStart } from './flags.ts';
import type { RunFlags } from './run-bot.ts';

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
    .action(async (file: string, flags: RunFlags, self: Command) => {
      // the engine is loaded when it is needed, and not for --help
      const { run } = await import('./run-bot.ts');
      finish(await run(file, flags, (problem) => self.error(`error: ${problem}`, { exitCode: EXIT.usage })));
    });
}

/** Validates the flag; the text is parsed again where the tape is played. */
function tapeStartText(text: string): string {
  tapeStart(text);
  return text;
}

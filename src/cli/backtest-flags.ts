// The flags and the help of `oddsmaker backtest`.
import type { Command } from 'commander';
import { Option } from 'commander';
import { latencyText, strategyLatency, varied } from '../backtest/index.ts';
import { REPORTS, SCENARIOS } from '../report/index.ts';
import { withEnvFile } from './env-file.ts';
import { parsedBy, shareOfAll, tapeStart, wholeNumber } from './flags.ts';

const HELP = `
Runs the same engine and strategy files as live, on a virtual clock; the venue in this process applies windows, locks
and rejections when requests arrive. A tape names every resting order, so the queue ahead of an own offer is known: the
offer fills when takes reach offers behind it. A tape does not say whether an offer that vanishes was taken or cancelled:
  calibrated    decided by a model that looks at the moment: what vanished with it, what stayed, and the other side's
                price right before and shortly after (docs/fill-model.md)
  pessimistic   always cancelled
  optimistic    taken, unless something else explains it (depth, expiry, start, close, the id comes back): played with
                --fills all or --fills optimistic
Read calibrated; the spread shows how much the result depends on this unknown. The model that ships was fitted on a game
whose trades are known; fit-fills fits one on your recordings (--fill-model FILE). Or record a real run (record.dir, or
oddsmaker record beside it) and give its journal: --calibrate adjusts the model until the backtest of those tapes fills
as much as the run did, between the journal's first and last record, and writes it as fill-model.json.
--calibrated-share uses a fixed share of what vanishes at the top of a book instead of a model.

--latency is one way, for requests, answers and prices: 80ms, 80ms±30ms (or 80ms+-30ms), or a journal; then half of a
recorded round trip is drawn each time. --results is a JSON file of scores, winners and void games
(docs/reference/results.md). --tape takes files (.ndjson, .gz, .zst) and folders of them, merged by time; --from and
--to are ISO times or offsets such as 20h from the first frame. --depth says at how many rows the recorder cut ladders:
a row that drops off is no offer that vanished.

A strategy takes no virtual time, unless --strategy-latency says how much it takes for one input: 2ms for each, slow=5ms
for one of them. As live, the bot reads and sends nothing meanwhile, and of each side it then reads only the newest frame.
measured takes what each really takes here. No run measures the same twice, so the figures are written as
strategy-latency.csv: with that file instead of measured, a backtest gives the same bytes again.

--profile takes samples of the time and of allocations with the profilers of V8, in each thread, and adds them up. All
that a strategy calls counts to it; the rest to the engine, the venue and the other parts. It prints the parts, and the
lines and functions of each strategy that take most, and writes profile.json, and <scenario>.cpuprofile and .heapprofile,
which Chrome DevTools opens. The results are the same as without it (docs/profile.md).

Several tapes with games of several days are played day by day, each day by a new bot: games of one evening share request
windows, credit and limits, and days share only the balance. A tape is never cut, so a file of several days is one day
here. Days run at once (--threads), their results are kept in --out as they end, and after Ctrl-C or a kill the same
command plays only the rest. --independent plays each game alone: faster guesses, without what games share.

Writes into --out and overwrites its files: result.json (schema: docs/reference/backtest-result.schema.json; the same
inputs give the same bytes), timing.json (how long it took, here), fills.csv (each with the fair price then and a minute
later), markets.csv, pnl.csv and pnl.svg (the result over time), series.csv (what strategies logged with log.series), and
report-facts.bin, from which oddsmaker report computes every other figure. --report json writes these figures as
report.json instead, --report html also a page of them. A tape is decoded once: its compact form is kept in the cache folder of the user ($XDG_CACHE_HOME/oddsmaker, or
~/.cache/oddsmaker), never beside the tape, and made again when the tape's hash changes. --vary plays every combination
of the values of settings: <strategy>.<parameter>=<value>,<value>… or any key of the file (risk.maxGameLoss=100,200, or
strategies.0.use=old.ts,new.ts of the same parameters). Each has its results in a folder of its own in --out (1, 2, …);
variations.csv and variations.svg have them side by side. Earlier results in folders with these numbers, 1 to 1000, are
removed when the first new one is written. A setting that was chosen because it did best on some tapes does worse on
others: choose on some tapes, judge on the rest. --journal adds <scenario>.ndjson, a journal like that of a run: why
shows the story of an order that fills.csv names. It holds every frame: half of a tape's size, or more.

Exit:  0 done; 1 --look-ahead-check found a difference, or nothing to compare, or --strict a result that settles
       nothing; 2 a wrong command line; 65 a bad tape, journal or results file; 78 a bad configuration, a folder that
       cannot be written, or a strategy that failed (the results are still written, unless it left a promise rejected or
       its file was edited meanwhile); the code of the bot where it ended early (74, 77: the results say why); 130 after
       Ctrl-C or SIGTERM. Without threads, signals wait for a strategy that does not return: after 5 s its line is
       shown, and the next signal ends the process.

Examples:
  oddsmaker backtest config/paper-nba.yaml --tape game.ndjson.gz --out data/backtest
  oddsmaker backtest config/paper.yaml --tape data/tapes --out out --fills pessimistic --latency 40ms±10ms --seed 7
  oddsmaker backtest config/live.yaml --tape data/tapes --out out --latency data/journal/<run>.ndjson
  oddsmaker backtest config/live.yaml --tape data/tapes --out out --calibrate data/journal/<run>.ndjson
  oddsmaker backtest config/live.yaml --tape data/tapes --out out --vary half.edge=0.01,0.02 --vary half.risk=20,50
  oddsmaker backtest config/live.yaml --tape data/tapes --out out --fills pessimistic --journal && \\
    oddsmaker why out/pessimistic.ndjson a.main.home-1.backtest-1
`;

/** Adds the argument, the options and the help. */
export function withBacktestFlags(command: Command): Command {
  return withModelOptions(
    withEnvFile(command)
      .description('Replays recorded markets against the strategies of a configuration.')
      .argument('<config>', 'YAML file')
      .requiredOption(
        '--tape <file|dir...>',
        'recorded feed, or a folder of them; repeat for several',
        (file: string, before: readonly string[] | undefined) => [...(before ?? []), file],
      )
      .requiredOption('--out <dir>', 'where the results go')
      .option('--from <time>', 'where trading starts: ISO time, or offset such as 20h', tapeStart)
      .option('--to <time>', 'where it ends', tapeStart),
  )
    .option(
      '--vary <setting=values>',
      'play every combination, such as half.edge=0.01,0.02; repeat for several',
      parsedBy(varied),
    )
    .option(
      '--look-ahead-check',
      'afterwards cut the tapes at 20 random moments: intents before the cut must be the same, else exit 1',
    )
    .addOption(
      new Option(
        '--report <kind>',
        'write report.json or report.html, or nothing for a report (default: what oddsmaker report reads)',
      ).choices(REPORTS),
    )
    .option('--orders', 'write orders.csv: each order that rested, and how it ended')
    .option('--quotes', 'write quotes.csv: how each market that was quoted looked over time')
    .option('--journal', 'write the journal of each scenario into --out, for why, replay and conform')
    .option('--profile', 'show where the time went, and what was allocated, by strategy, line and part of the bot')
    .option(
      '--depth <rows>',
      'rows that a ladder has at most, in tapes whose header does not say',
      wholeNumber(1, 100_000),
    )
    .option('--lenient', 'leave out lines that cannot be read, and count them')
    .option('--no-cache', 'decode the lines of the tapes, and keep no compact form of them')
    .option(
      '--threads <n>',
      'scenarios, or days, at once (default: as many as there are cores; small tapes one by one)',
      wholeNumber(1, 64),
    )
    .option('--independent', 'play each game alone: request windows, credit and limits are not shared')
    .option('--only-market <text>', 'play only markets whose id, or whose game, contains this text')
    .option('--watch', 'stay, and play again when a strategy, the configuration or the tapes change; Ctrl-C ends it')
    .addHelpText('after', HELP);
}

/** Adds the options that say how the exchange and the bot behave. */
function withModelOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--fills <scenario>', 'how vanished offers are treated')
        .choices([...SCENARIOS, 'default', 'all'])
        .default('default', 'pessimistic and calibrated'),
    )
    .option(
      '--latency <time|journal>',
      'one way: 80ms, 80ms±30ms, or a journal (default: 80ms±30ms)',
      parsedBy(latencyText),
    )
    .option(
      '--signal-latency <time|journal>',
      'one-way latency of signals to the bot (default: as prices)',
      parsedBy(latencyText),
    )
    .option(
      '--strategy-latency <time|measured|table>',
      'virtual time of a strategy for an input: 2ms, <strategy>=2ms (repeat for several), measured, or its table',
      parsedBy(strategyLatency),
    )
    .option('--seed <n>', 'seed of all random numbers', wholeNumber(0, 0xffffffff), 1)
    .option('--results <file>', 'how games ended, for settlement')
    .option('--strict', 'exit 1 when a result is impossible, or its game is not on the tapes')
    .option('--calibrate <journal>', 'adjust the fill model until it fills as much as the recorded run did')
    .option(
      '--calibrated-share <share>',
      'no model: the share of vanished offers at the top of a book that counts as taken, 0 to 1',
      shareOfAll,
    )
    .option(
      '--fill-model <file>',
      'model of the calibrated scenario, written by fit-fills (default: the one that ships)',
    );
}

// `oddsmaker import`: recordings of another exchange, or odds documents, to tapes.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { Argument, InvalidArgumentError, Option } from 'commander';
import type { GameResult } from '../domain/index.ts';
import {
  EXIT,
  isoTime,
  messageOf,
  moneyText,
  OddsmakerError,
  resultText,
  userText,
  printable,
} from '../domain/index.ts';
import type { Imported, ImportedTape, ImportProgress, BadFile } from '../import/index.ts';
import { importBetfair } from '../import/index.ts';
import { aligned, LiveLine } from '../terminal/index.ts';
import { prepareOut, writeOut } from '../backtest/index.ts';
import { DEVIG_METHODS } from '../pricing/index.ts';
import { withEnvFile } from './env-file.ts';
import { collected, duration, mapped, weighed } from './flags.ts';
import type { OddsFlags } from './import-odds.ts';
import { unlessInterrupted } from './interrupted.ts';
import { say } from './say.ts';

const DEPTH = 20;
const RESULTS_FILE = 'results.json';

const HELP = `
betfair reads Betfair's historical stream files (ADVANCED and PRO) and writes tapes of this exchange, one for each event, into
--out: <day>-<teams>-<event>.ndjson.zst. FILE may be bz2, gz, zst, plain, or a tar of these, also within another; DIR is
read with all folders in it. The first bytes of a file decide its type. Files of one event are read together, everything
else file by file, so archives may be of any size.

Markets with two ways to end become games, moneylines, spreads and totals; every other one is left out and listed with the
reason. A truncated file is used up to its end; a damaged or BASIC file (no offers in it) is named, and the import
continues. How prices, sizes and trades become offers: docs/import-betfair.md.

--taken shown    an offer that was fully taken is shown once more with nothing left, because the traded volume shows it; a
                 backtest then knows what was taken. hidden: it disappears, as on the feed of the exchange.
--league         Betfair does not name leagues: without it, a game has the country that Betfair names. A market of a sport
                 that is not played in a known league is left out: soccer in the NBA.

odds reads odds documents of the past, {"ts": Unix ms, "data": [events]} or {"timestamp": ISO time, "data": [events]},
one a file or a line, and CSV tables of odds, and writes signal tapes, one for each day: odds-<day>.ndjson.zst, which
backtest --tape reads beside the tapes of the games. They have the prices of odds:<market> and model:<market> that a bot
would have received, each from the time at which its document was fetched. --games takes tapes or folders of them, or the
configuration of an exchange: events are matched with these games; without it a game is named <home>|<away>|<start>.
docs/import-odds.md.

The winner, and the score where settled markets leave only one, go into --out/results.json, which backtest --results
reads. Two imports of the same files give the same bytes.

Exit:  0 done; 2 a wrong command line; 65 a file could not be read, or nothing was there to import; 78 --out cannot be
       written.

Examples:
  oddsmaker import betfair ~/Downloads/data.tar --out tapes --league NBA
  oddsmaker import betfair BASIC.tar 2019/Dec --out tapes --json | jq '.bad'
  oddsmaker import odds odds-history/ --out signals --games tapes
  oddsmaker backtest my.yaml --tape tapes --results tapes/results.json --out results
`;

type Flags = OddsFlags & {
  readonly league?: string;
  readonly depth: number;
  readonly taken: 'shown' | 'hidden';
  readonly json?: true;
};

export function registerImport(command: Command, finish: (code: number) => void): void {
  withEnvFile(command)
    .description('Makes tapes of what another exchange recorded, or of odds of the past.')
    .addArgument(new Argument('<from>', 'what the files are').choices(['betfair', 'odds']))
    .argument('<paths...>', 'files and folders')
    .requiredOption('--out <dir>', 'folder for the tapes, made where there is none')
    .option('--league <name>', 'the league of all games, as the exchange writes it')
    .option('--depth <rows>', `rows of a ladder at most, or all (default: ${DEPTH})`, depth, DEPTH)
    .addOption(
      new Option('--taken <how>', 'what is shown of an offer that was taken to its end')
        .choices(['shown', 'hidden'])
        .default('shown'),
    )
    .addOption(
      new Option('--games <tape|config>', 'odds: the games to match events with; repeat for several')
        .argParser(collected)
        .default([]),
    )
    .option(
      '--assume-delay <d>',
      'odds: documents without a time were fetched so long after their newest price',
      duration,
    )
    .option(
      '--ttl <d>',
      'odds: how long a price is valid (default: three times the usual time between documents)',
      duration,
    )
    .addOption(
      new Option('--devig <method>', 'odds: removes the margin of the books').choices(DEVIG_METHODS).default('shin'),
    )
    .addOption(
      new Option('--model <which>', 'odds: fit one model a game, or price by lines')
        .choices(['fit', 'line'])
        .default('fit'),
    )
    .addOption(
      new Option('--book <name=weight>', 'odds: only these books, by weight; repeat for several')
        .argParser(weighed)
        .default({}),
    )
    .option('--teams <file>', "odds: the exchange's names of teams by the vendor's, as signals.odds.teams")
    .option('--sport <key>', "odds: the vendor's key of the sport of a table without one, such as basketball_nba")
    .addOption(
      new Option('--map <field=column>', 'odds: the column of a field of a table; repeat for several')
        .argParser(mapped)
        .default({}),
    )
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(async (from: 'betfair' | 'odds', paths: readonly string[], flags: Flags) => {
      if (from === 'odds') {
        const { importOddsFrom } = await import('./import-odds.ts');
        finish(
          await unlessInterrupted(
            () => `whole tapes in ${flags.out} stay`,
            () => importOddsFrom(paths, flags),
          ),
        );
        return;
      }
      const made = { tapes: 0 };
      const left = (): string => `${counted(made.tapes, 'whole tape')} in ${flags.out}`;
      finish(await unlessInterrupted(left, () => importFrom(paths, flags, made)));
    });
}

function depth(text: string): number {
  if (text === 'all') return Number.POSITIVE_INFINITY;
  const rows = Number(text);
  if (!Number.isInteger(rows) || rows < 1 || rows > 10_000)
    throw new InvalidArgumentError('expected a whole number from 1 to 10000, or all');
  return rows;
}

async function importFrom(paths: readonly string[], flags: Flags, made: { tapes: number }): Promise<number> {
  const { out, league, json } = flags;
  prepareOut(out, [RESULTS_FILE]);
  const former = formerResults(out);
  const line = new LiveLine(process.stderr);
  const startedAt = performance.now();
  const note = (text: string): void => {
    line.clearLine();
    say(text);
  };
  const imported = await importBetfair(paths, {
    out,
    league,
    depth: flags.depth,
    showsTaken: flags.taken === 'shown',
    bad: ({ name, problem }) => note(`${name}: ${problem}`),
    made: () => {
      made.tapes += 1;
    },
    progress: (progress) => line.draw((now) => progressText(progress, now - startedAt)),
  });
  line.clearLine();
  const results = Object.fromEntries(imported.results);
  if (imported.results.size > 0)
    writeOut(out, { [RESULTS_FILE]: `${JSON.stringify({ ...former, ...results }, null, 1)}\n` });
  process.stdout.write(json === true ? `${JSON.stringify(jsonOf(imported))}\n` : textOf(imported, out));
  return imported.bad.length > 0 || imported.tapes.length === 0 ? EXIT.badData : EXIT.done;
}

/**
 * The results that former imports wrote into this folder. @throws OddsmakerError RESULTS_INVALID: a file that
 * cannot be read is not overwritten
 */
function formerResults(out: string): object {
  const file = join(out, RESULTS_FILE);
  if (!existsSync(file)) return {};
  const refusal = 'cannot be read, and is not written over: repair it, move it, or give another --out';
  let json: unknown;
  try {
    json = JSON.parse(userText(readFileSync(file)));
  } catch (error) {
    throw new OddsmakerError('RESULTS_INVALID', `${file}: ${messageOf(error)}: it ${refusal}`);
  }
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json;
  throw new OddsmakerError('RESULTS_INVALID', `${file}: it is no object of results: it ${refusal}`);
}

function progressText({ read, all, files, messages }: ImportProgress, ms: number): string {
  const share = all === 0 ? 0 : Math.min(1, read / all);
  const left = share > 0.01 ? `, ${Math.ceil((ms * (1 - share)) / share / 1000)} s left` : '';
  const perSecond = Math.round((messages * 1000) / Math.max(1, ms));
  return `import: ${Math.floor(share * 100)} %, ${files} files, ${messages.toLocaleString('en-US')} messages, ${perSecond.toLocaleString('en-US')}/s${left}`;
}

const round = (dollars: number): number => Math.round(dollars * 100) / 100;

const jsonOf = ({ files, tapes, leftOut, bad, results }: Imported): object => ({
  schema: 1,
  files,
  tapes: tapes.map(({ file, bytes, games }) => ({
    file,
    bytes,
    games: games.map(({ start, trades, winners, ...game }) => ({
      ...game,
      start: isoTime(start),
      traded: round(trades.traded),
      tradedInOffers: round(trades.found),
      result: results.get(game.gameId) ?? null,
      score: scoreIn(results.get(game.gameId)),
      winners: winners.map(({ market, marketType, names }) => ({ market, marketType, names })),
    })),
  })),
  leftOut,
  bad,
});

/** The score alone, as versions before 0.3 wrote it. */
const scoreIn = (result: GameResult | undefined): object | null =>
  result?.home === undefined ? null : { home: result.home, away: result.away };

function textOf(imported: Imported, out: string): string {
  const { tapes, leftOut, bad, results, files } = imported;
  const lines: string[] = [];
  if (tapes.length > 0)
    lines.push(
      ...aligned([
        ['game', 'sport', 'league', 'start', 'markets', 'frames', 'traded', 'in offers', 'result'],
        ...tapes.flatMap(({ games }) =>
          games.map(({ eventName, sport, league, start, markets, frames, trades, gameId }) => {
            const result = results.get(gameId);
            return [
              ...[printable(eventName), sport, printable(league), isoTime(start).slice(0, 16), String(markets)],
              ...[frames.toLocaleString('en-US'), moneyText(trades.traded, 0), percentOf(trades)],
              result === undefined ? '-' : resultText(result),
            ];
          }),
        ),
      ]),
      '',
    );
  lines.push(...reasonsOf(leftOut).map(printable));
  const made = tapes.length === 0 ? 'no tape' : `${counted(tapes.length, 'tape')} (${sizeOf(tapes)}) in ${out}`;
  const refused = bad.length === 0 ? '' : `; ${bad.length} could not be read, or not to their end:`;
  lines.push(`${counted(files, 'file')}: ${made}; ${counted(leftOut.length, 'market')} left out${refused}`);
  lines.push(...bad.map(({ name, problem }: BadFile) => printable(`  ${name}: ${problem}`)));
  if (results.size > 0) lines.push(`results of ${counted(results.size, 'game')}: ${join(out, RESULTS_FILE)}`);
  return `${lines.join('\n')}\n`;
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const percentOf = ({ traded, found }: { readonly traded: number; readonly found: number }): string =>
  traded === 0 ? '-' : `${Math.floor((found / traded) * 100)} %`;

const sizeOf = (tapes: readonly ImportedTape[]): string =>
  `${(tapes.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6).toFixed(1)} MB`;

const SHOWN = 3;

/** The left-out markets, grouped by reason. */
function reasonsOf(leftOut: Imported['leftOut']): readonly string[] {
  const byReason = Map.groupBy(leftOut, ({ reason }) => reason);
  return [...byReason].map(([reason, markets]) => {
    const named = markets.slice(0, SHOWN).map(({ market, id }) => `${market} (${id})`);
    const suffix = markets.length > SHOWN ? `, and ${markets.length - SHOWN} more` : '';
    return `left out: ${reason}: ${named.join('; ')}${suffix}`;
  });
}

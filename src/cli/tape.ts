// `oddsmaker tape`: shows what is on tapes, cuts a part out of them, and merges several into one.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { TapeStart } from '../domain/index.ts';
import { EXIT, isoTime, OddsmakerError, tapeStartMs, printable } from '../domain/index.ts';
import { cutTape, mergeTapes, readTape, distinctTapes, tapeFilesOf } from '../tape/index.ts';
import { tapeStart } from './flags.ts';
import { unlessInterrupted } from './interrupted.ts';
import { LiveLine } from '../terminal/index.ts';
import { readFacts, textOfFacts } from './tape-info.ts';
import type { TapeName } from '../tape/index.ts';

const HELP = `
A tape is a file that \`oddsmaker record\` or \`import\` wrote, a journal, or a folder of tapes: .ndjson, .gz or .zst.

Examples:
  oddsmaker tape info tapes                                       what is on them
  oddsmaker tape cut day.ndjson.zst --from 8h --to 12h --out evening.ndjson.zst
  oddsmaker tape merge nba.ndjson.zst nhl.ndjson.zst --out both.ndjson.zst
`;

const INFO_HELP = `
Shows for each tape: times, frames, games with their markets, takes that the tape proves (more of an offer taken than
before, or a row with nothing left; an offer that only vanishes does not count), lost connections and silences, the
depth of the ladders, the view of the books that its header states, and whether its tail is torn off. --json prints
{tapes: [...]}.

Exit:  0 done, also where a tail is torn off; 2 a wrong command line; 65 a tape cannot be read: it is named, and the
       others are shown.

Examples:
  oddsmaker tape info examples/sample.ndjson.zst
  oddsmaker tape info tapes --json | jq '.tapes[].games[].eventName'
`;

const CUT_HELP = `
The cut is a complete tape: it begins with the books as they stood at --from, so that its backtest equals the backtest of
the whole tape with --from. --to is the first moment that is not in it. --league and --game keep only the named games.
What happened after --to is lost to every scenario: the cut does not show that a vanished offer came back later.

TAPE may be several files or a folder, in order of time.

Exit:  0 done; 2 a wrong command line; 65 a tape cannot be read, or has nothing in that range; 78 --out cannot be written.

Examples:
  oddsmaker tape cut nba.ndjson.zst --from 2026-11-01T18:00Z --to 2026-11-01T22:00Z --out evening.ndjson.zst
  oddsmaker tape cut data/tapes --from 20h --league NBA --out nba.ndjson.zst
  oddsmaker tape cut all.ndjson.zst --game 2f6fd77e00eaed23a2b4f464 --out one.ndjson.zst
`;

const MERGE_HELP = `
Lines are in order of time; lines of the same time are in the order of the command line. Tapes with a different view of
the book (perspective or profile of their headers) are refused. Tapes are also refused when one lost its connection
while another continued: give those to backtest --tape, which reads them separately.

Exit:  0 done; 2 a wrong command line; 65 a tape cannot be read, or they cannot be merged; 78 --out cannot be written.

Examples:
  oddsmaker tape merge data/tapes --out day.ndjson.zst
  oddsmaker tape merge nba.ndjson.zst nhl.ndjson.zst --out both.ndjson.gz
`;

type CutFlags = {
  readonly from?: TapeStart;
  readonly to?: TapeStart;
  readonly league: readonly string[];
  readonly game: readonly string[];
  readonly out: string;
};

const noTape = (): string => 'no tape was written';
const appended = (value: string, before: readonly string[]): readonly string[] => [...before, value];

export function registerTape(command: Command, finish: (code: number) => void): void {
  command
    .description('Shows, cuts and merges tapes.')
    .usage('<what> [options] <tapes...>')
    .argument('<what>', 'info, cut or merge')
    .argument('<tapes...>', 'files and folders')
    .configureHelp({ subcommandTerm: (sub) => `${sub.name()} ${sub.usage()}` })
    .addHelpText('after', HELP);
  command
    .command('info <tapes...>')
    .summary('what is on tapes')
    .description('Shows what is on tapes: games, times, takes, gaps, depth.')
    .option('--json', 'print one JSON object')
    .addHelpText('after', INFO_HELP)
    .exitOverride()
    .action(async (names: readonly string[], { json }: { readonly json?: true }) => {
      finish(await info(names, json === true));
    });
  command
    .command('cut <tapes...>')
    .summary('a part of a tape')
    .description('Writes a part of a tape, which begins with the books as they stood.')
    .option('--from <time>', 'ISO time, or an offset such as 20h', tapeStart)
    .option('--to <time>', 'the same, from the first frame of the tape', tapeStart)
    .option('--league <name>', 'only games of this league; may be repeated', appended, [])
    .option('--game <id>', 'only this game; may be repeated', appended, [])
    .requiredOption('--out <file>', 'the tape to write: .ndjson, .ndjson.gz or .ndjson.zst', tapeName)
    .addHelpText('after', CUT_HELP)
    .exitOverride()
    .action(async (names: readonly string[], flags: CutFlags, self: Command) => {
      finish(await unlessInterrupted(noTape, () => cut(names, flags, self)));
    });
  command
    .command('merge <tapes...>')
    .summary('several tapes as one')
    .description('Writes several tapes as one, by time.')
    .requiredOption('--out <file>', 'the tape to write: .ndjson, .ndjson.gz or .ndjson.zst', tapeName)
    .addHelpText('after', MERGE_HELP)
    .exitOverride()
    .action(async (names: readonly string[], flags: { readonly out: string }, self: Command) => {
      finish(await unlessInterrupted(noTape, () => merge(names, flags.out, self)));
    });
}

function tapeName(text: string): string {
  if (/\.ndjson(\.gz|\.zst)?$/.test(text)) return text;
  throw new OddsmakerError('OUT_UNWRITABLE', `--out ${text}: a tape is named .ndjson, .ndjson.gz or .ndjson.zst`);
}

async function info(names: readonly string[], json: boolean): Promise<number> {
  const allFacts: object[] = [];
  let isBad = false;
  for (const name of distinctTapes(names)) {
    let files: readonly TapeName[] = [];
    try {
      files = tapeFilesOf(name);
    } catch (error) {
      isBad = true;
      note(error);
    }
    for (const { file } of files) {
      const line = new LiveLine(process.stderr);
      try {
        const facts = await readFacts(file, (text) => line.draw(() => text));
        line.clearLine();
        if (json) allFacts.push(facts);
        else process.stdout.write(textOfFacts(facts));
      } catch (error) {
        line.clearLine();
        isBad = true;
        note(error);
      }
    }
  }
  if (json) process.stdout.write(`${JSON.stringify({ schema: 1, tapes: allFacts })}\n`);
  return isBad ? EXIT.badData : EXIT.done;
}

function note(error: unknown): void {
  if (!(error instanceof OddsmakerError)) throw error;
  process.stderr.write(`oddsmaker: ${printable(error.message)}\n`);
}

const torn = (problem: string): void => {
  process.stderr.write(`oddsmaker: ${problem}; read up to there\n`);
};

/** @throws OddsmakerError TAPE_INVALID */
function filesOf(names: readonly string[], out: string, self: Command): readonly string[] {
  const files = distinctTapes(names)
    .flatMap(tapeFilesOf)
    .map(({ file }) => file);
  if (files.some((file) => resolve(file) === resolve(out)))
    self.error(`error: --out ${out} is one of the tapes that are read`, { exitCode: EXIT.usage });
  return files;
}

const sizesOf = (files: readonly string[]): readonly number[] => files.map((file) => statSync(file).size);

/** Draws the progress of reading the files. */
function progressOver(files: readonly string[], label: string) {
  const line = new LiveLine(process.stderr);
  const sizes = sizesOf(files);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const readBytes = sizes.map(() => 0);
  const beganAt = performance.now();
  return {
    read: (tape: number, bytes: number): void => {
      readBytes[tape] = bytes;
      line.draw((now) => {
        const share = readBytes.reduce((sum, bytesRead) => sum + bytesRead, 0) / Math.max(1, all);
        const left = share > 0.01 ? Math.ceil(((now - beganAt) * (1 - share)) / share / 1000) : undefined;
        return `${label}: ${Math.floor(share * 100)} %${left === undefined ? '' : `, ${left} s left`}`;
      });
    },
    end: (): void => line.clearLine(),
  };
}

async function cut(names: readonly string[], flags: CutFlags, self: Command): Promise<number> {
  const { league, game, out } = flags;
  const files = filesOf(names, out, self);
  const firstMs = await firstFrameOf(files);
  const fromMs = flags.from === undefined ? undefined : tapeStartMs(flags.from, firstMs);
  const toMs = flags.to === undefined ? undefined : tapeStartMs(flags.to, firstMs);
  if (fromMs !== undefined && toMs !== undefined && toMs <= fromMs)
    self.error('error: --to must be after --from', { exitCode: EXIT.usage });
  const progress = progressOver(files, 'cut');
  const made = await cutTape(files, out, {
    fromMs,
    toMs,
    leagues: league,
    games: game,
    torn,
    progress: progress.read,
  }).finally(progress.end);
  const { lines, state, from, to } = made;
  if (lines + state === 0)
    throw new OddsmakerError('TAPE_INVALID', `${files[0] ?? ''}:1: it has nothing in that range: no tape was written`);
  const times = from === undefined || to === undefined ? '' : `, ${isoTime(from)} to ${isoTime(to)}`;
  process.stdout.write(`${lines} lines${times}, after ${state} that hold the earlier books: ${out}\n`);
  return EXIT.done;
}

/** Unix ms of the first frame of a price feed. @throws OddsmakerError TAPE_INVALID when there is none */
async function firstFrameOf(files: readonly string[]): Promise<number> {
  for (const file of files)
    for await (const { ts, event, ns } of readTape(file, { torn: () => undefined }))
      if (event === 'orderUpdate' || event === 'gameUpdate' || ns === 'rest') return ts;
  throw new OddsmakerError('TAPE_INVALID', `${files[0] ?? ''}:1: no frame of a price feed in this file`);
}

async function merge(names: readonly string[], out: string, self: Command): Promise<number> {
  const files = filesOf(names, out, self);
  const progress = progressOver(files, 'merge');
  const { lines, doubled, from, to } = await mergeTapes(files, out, {
    torn,
    progress: progress.read,
  }).finally(progress.end);
  if (from === undefined || to === undefined)
    throw new OddsmakerError('TAPE_INVALID', `${files[0] ?? ''}:1: there is nothing on these tapes`);
  if (doubled > 0)
    process.stderr.write(
      `oddsmaker: ${doubled} lines are on more than one of these tapes and are on the merged tape twice\n`,
    );
  process.stdout.write(`${lines} lines of ${files.length} tapes, ${isoTime(from)} to ${isoTime(to)}: ${out}\n`);
  return EXIT.done;
}

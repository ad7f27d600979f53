// What is odd about the tapes of a backtest and what was given with them, a line each: its results are right all the same,
// for what they are.
import type { Scenario } from '../report/index.ts';
import type { TapeContents } from './scenario-types.ts';
import type { Longest } from './market-source.ts';
import type { Tape } from '../tape/index.ts';
import { isoTime, printable } from '../domain/index.ts';
import type { ScenarioDone } from './scenario-run.ts';

/** So many rows, in so large a part of the frames, are hardly chance. */
const MANY_ROWS = 10;
const OFTEN = 0.1;
/** Names that are told in one line. */
const MOST_NAMED = 5;

type Given = {
  readonly tapes: readonly Tape[];
  readonly fills: Scenario | 'all';
  /** The file of the results. */
  readonly results: string | undefined;
  /** Where the ladders are said to be cut. */
  readonly depth: number | undefined;
  /** Games in play are quoted. */
  readonly live: boolean;
};

/** `done`: any of the scenarios, since all read the same. */
export function notesOf(
  done: ScenarioDone | undefined,
  { tapes, fills, results, depth, live }: Given,
): readonly string[] {
  if (done === undefined) return [];
  const { run, frames, counts, longest } = done;
  const leftOut = counts.flatMap(({ problems }) => problems.map((problem) => `left out: ${problem}`));
  // who takes nothing that vanishes for a take asks not why it did
  const cut =
    fills === 'pessimistic'
      ? []
      : tapes.flatMap(({ file }, index) => {
          const told = longest[index] ?? { rows: 0, ladders: 0 };
          return (depth === undefined ? cutNote(file, frames[index] ?? 0, told) : depthNote(file, depth, told)) ?? [];
        });
  return [...leftOut, ...resultNotes(results ?? '', run), ...cut, ...(live ? [] : inPlayNotes(run.inPlay, run.frames))];
}

/** Most of the tapes: hardly meant. */
const MOSTLY = 0.5;

function inPlayNotes(inPlay: number, frames: number): readonly string[] {
  if (inPlay < MOSTLY * frames) return [];
  return [
    `oddsmaker: ${Math.round((100 * inPlay) / frames)} % of the frames are of games in play, where nothing is quoted: markets.live is false, as it is where nobody says otherwise`,
  ];
}

/** Games that are told in one message. */
const MOST_GAMES = 12;

/** What tapes have, for whoever asked for something else: leagues, games, times. */
export function seenText({ games, fromMs, toMs }: TapeContents): string {
  const leagues = Map.groupBy(games, ({ league }) => league);
  const lines = [...leagues].map(([league, of]) => {
    const names = of.slice(0, MOST_GAMES).map(({ name, start }) => `${printable(name)} (${isoTime(start)})`);
    return `  ${printable(league)}: ${names.join(', ')}${of.length > MOST_GAMES ? `, and ${of.length - MOST_GAMES} more` : ''}`;
  });
  return [
    `the tapes tell from ${isoTime(fromMs)} to ${isoTime(toMs)} of`,
    ...(lines.length > 0 ? lines : ['  no game']),
  ].join('\n');
}

/** Results that settled nothing: of games that are not on the tapes, and those that a game cannot have. */
export function resultNotes(
  file: string,
  { unheardOf, resultProblems }: Pick<ScenarioDone['run'], 'unheardOf' | 'resultProblems'>,
): readonly string[] {
  const unknown = unheardOf.length === 1 ? 'the game' : `${unheardOf.length} of its games:`;
  return [
    ...resultProblems.map((problem) => `oddsmaker: ${file}: ${problem}; the game stays open`),
    ...(unheardOf.length === 0
      ? []
      : [`oddsmaker: ${file}: the tapes, as far as they were played, do not have ${unknown} ${someOf(unheardOf)}`]),
  ];
}

/** Of signals of the tapes that no strategy of any run asked for. */
export function unaskedNotes(signals: readonly string[]): readonly string[] {
  if (signals.length === 0) return [];
  return [`oddsmaker: no strategy asked for these signals of the tapes: ${someOf(signals)}`];
}

export const someOf = (names: readonly string[]): string =>
  `${names.slice(0, MOST_NAMED).join(', ')}${names.length > MOST_NAMED ? ', …' : ''}`;

/** Ladders that were cut where the recording does not say so: what falls off them looks taken. */
function cutNote(tape: string, frames: number, { rows, ladders }: Longest): string | undefined {
  if (rows < MANY_ROWS || ladders < frames * OFTEN) return undefined;
  return (
    `oddsmaker: ${tape}: no ladder has more than ${rows} rows and ${ladders.toLocaleString('en-US')} have just as many, ` +
    'as if they were cut there, but the tape does not tell so: offers that fall off the end may count as taken; ' +
    `say --depth ${rows} if they were cut`
  );
}

function depthNote(tape: string, depth: number, { rows }: Longest): string | undefined {
  return rows > depth
    ? `oddsmaker: ${tape}: ladders have up to ${rows} rows, more than the --depth ${depth} that they are said to be cut at`
    : undefined;
}

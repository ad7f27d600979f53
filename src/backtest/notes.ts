// Notes on oddities of a backtest's tapes and flags, one line each. The results are valid all the same, for
// the given inputs.
import type { TapeContents } from './scenario-types.ts';
import type { Longest } from './market-source.ts';
import type { Tape } from '../tape/index.ts';
import { isoTime, printable } from '../domain/index.ts';
import type { ScenarioDone } from './scenario-run.ts';
import type { FillsFlag } from './scenarios.ts';

/** From this many rows in this share of the frames, a common longest length is hardly chance. */
const MANY_ROWS = 10;
const OFTEN = 0.1;
/** The most names in one line. */
const MOST_NAMED = 5;

type Given = {
  readonly tapes: readonly Tape[];
  readonly fills: FillsFlag;
  /** The file of the games' results. Undefined when none was given. */
  readonly results: string | undefined;
  /** The depth at which ladders are cut (`--depth`). Undefined when not given. */
  readonly depth: number | undefined;
  /** Whether games in play are quoted. */
  readonly live: boolean;
};

/** The notes on a backtest. `done`: any of the scenarios, since all read the same tapes. */
export function notesOf(
  done: ScenarioDone | undefined,
  { tapes, fills, results, depth, live }: Given,
): readonly string[] {
  if (done === undefined) return [];
  const { run, frames, counts, longest } = done;
  const leftOut = counts.flatMap(({ problems }) => problems.map((problem) => `left out: ${problem}`));
  // the pessimistic scenario counts no vanished offer as taken, so cut ladders do not matter
  const cut =
    fills === 'pessimistic'
      ? []
      : tapes.flatMap(({ file }, index) => {
          const peak = longest[index] ?? { rows: 0, ladders: 0 };
          return (depth === undefined ? cutNote(file, frames[index] ?? 0, peak) : depthNote(file, depth, peak)) ?? [];
        });
  return [...leftOut, ...resultNotes(results ?? '', run), ...cut, ...(live ? [] : inPlayNotes(run.inPlay, run.frames))];
}

/** The share of frames in play from which a note is given: the user hardly meant it. */
const MOSTLY = 0.5;

function inPlayNotes(inPlay: number, frames: number): readonly string[] {
  if (inPlay < MOSTLY * frames) return [];
  return [
    `oddsmaker: ${Math.round((100 * inPlay) / frames)} % of the frames are of games in play, which are not quoted: markets.live is false, its default`,
  ];
}

/** The most games per league in one message. */
const MOST_GAMES = 12;

/**
 * The contents of the tapes (leagues, games, times), for a user who requested a time that they do not cover.
 */
export function seenText({ games, fromMs, toMs }: TapeContents): string {
  const leagues = Map.groupBy(games, ({ league }) => league);
  const lines = [...leagues].map(([league, inLeague]) => {
    const names = inLeague.slice(0, MOST_GAMES).map(({ name, start }) => `${printable(name)} (${isoTime(start)})`);
    return `  ${printable(league)}: ${names.join(', ')}${inLeague.length > MOST_GAMES ? `, and ${inLeague.length - MOST_GAMES} more` : ''}`;
  });
  return [
    `the tapes contain, from ${isoTime(fromMs)} to ${isoTime(toMs)}:`,
    ...(lines.length > 0 ? lines : ['  no game']),
  ].join('\n');
}

/** Notes on results that settled nothing: their games are not on the tapes, or cannot end that way. */
export function resultNotes(
  file: string,
  { gamesNotOnTapes, resultProblems }: Pick<ScenarioDone['run'], 'gamesNotOnTapes' | 'resultProblems'>,
): readonly string[] {
  const unknown = gamesNotOnTapes.length === 1 ? 'the game' : `${gamesNotOnTapes.length} of its games:`;
  return [
    ...resultProblems.map((problem) => `oddsmaker: ${file}: ${problem}; the game stays open`),
    ...(gamesNotOnTapes.length === 0
      ? []
      : [
          `oddsmaker: ${file}: the tapes, as far as they were played, do not have ${unknown} ${firstOf(gamesNotOnTapes)}`,
        ]),
  ];
}

/** A note on signals of the tapes to which no strategy of any run subscribed. */
export function unsubscribedNotes(signals: readonly string[]): readonly string[] {
  if (signals.length === 0) return [];
  return [`oddsmaker: no strategy subscribed to these signals of the tapes: ${firstOf(signals)}`];
}

export const firstOf = (names: readonly string[]): string =>
  `${names.slice(0, MOST_NAMED).join(', ')}${names.length > MOST_NAMED ? ', …' : ''}`;

/**
 * A note on ladders that look cut although the tape does not say so: offers that fall off the end look taken.
 */
function cutNote(tape: string, frames: number, { rows, ladders }: Longest): string | undefined {
  if (rows < MANY_ROWS || ladders < frames * OFTEN) return undefined;
  return (
    `oddsmaker: ${tape}: no ladder has more than ${rows} rows and ${ladders.toLocaleString('en-US')} have just as many, ` +
    'as if they were cut there, but the tape does not say so: offers that fall off the end may count as taken; ' +
    `give --depth ${rows} if they were cut`
  );
}

function depthNote(tape: string, depth: number, { rows }: Longest): string | undefined {
  return rows > depth
    ? `oddsmaker: ${tape}: ladders have up to ${rows} rows, more than the given --depth ${depth}`
    : undefined;
}

// Splits tapes into jobs, which a backtest plays one by one and several at once. A job is a group of games
// whose trading hours overlap with those of no other job, and that shares no trading day with another. So
// whatever games share (request windows, credit, limits, a strategy's memory), they share it within a job. A
// tape is never cut: a file that holds several days makes one job of them.
import type { GameId } from '../../domain/index.ts';
import { dayStartOf, isoTime } from '../../domain/index.ts';
import type { TapeSpan } from '../../tape/index.ts';

export type Job = {
  /** Its trading day such as 2030-11-16, the first and the last of several, or the id of its only game. */
  readonly name: string;
  /** Indexes of its tapes in the list of all tapes. */
  readonly tapes: readonly number[];
  readonly games: readonly GameId[];
  /** The game that is played alone; undefined when all games of the tapes are played. */
  readonly only: GameId | undefined;
  /** The time to read, Unix ms: from the start of its first trading day to its last event. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Its first frame, Unix ms. */
  readonly firstMs: number;
  /** Frames of its games, by which its share of all work is estimated. */
  readonly frames: number;
};

/** What jobs are, in messages. */
export const unitOf = (jobs: readonly Job[]): 'days' | 'games' =>
  jobs.some(({ only }) => only !== undefined) ? 'games' : 'days';

/** How tapes are split. `startsAtMs`: when a trading day begins, ms after midnight UTC. */
export type Splitting = { readonly startsAtMs: number; readonly isIndependent: boolean };

/** The jobs in the order of time. Tapes without a game, such as signals, belong to every job of their time. */
export function jobsOf(spans: readonly TapeSpan[], { startsAtMs, isIndependent }: Splitting): readonly Job[] {
  const games = gamesIn(spans);
  const groups = isIndependent ? games.map((game): Group => [[game], game.id]) : groupsOf(spans, games, startsAtMs);
  return groups
    .map(([members, only]) => jobOf(spans, members, only, startsAtMs))
    .sort((a, b) => a.fromMs - b.fromMs || a.toMs - b.toMs || (a.name < b.name ? -1 : 1));
}

type SpannedGame = { readonly id: GameId; fromMs: number; toMs: number; frames: number; readonly tapes: number[] };
/** The games of a job, and the only one when games are independent. */
type Group = readonly [members: readonly SpannedGame[], only: GameId | undefined];

function gamesIn(spans: readonly TapeSpan[]): readonly SpannedGame[] {
  const games = new Map<GameId, SpannedGame>();
  for (const [tape, span] of spans.entries())
    for (const { id, fromMs, toMs, frames } of span.games) {
      const known = games.get(id);
      if (known === undefined) games.set(id, { id, fromMs, toMs, frames, tapes: [tape] });
      else {
        known.fromMs = Math.min(known.fromMs, fromMs);
        known.toMs = Math.max(known.toMs, toMs);
        known.frames += frames;
        known.tapes.push(tape);
      }
    }
  return [...games.values()];
}

/** Groups that share no tape, no game and no trading day. */
function groupsOf(spans: readonly TapeSpan[], games: readonly SpannedGame[], startsAtMs: number): readonly Group[] {
  const dayOf = (ms: number): number => dayStartOf(ms, startsAtMs);
  // a game on several tapes holds these together, with all between them
  const reach = spans.map(({ fromMs, toMs }) => ({ fromMs, toMs }));
  for (const { fromMs, toMs, tapes } of games)
    for (const tape of tapes) {
      const range = reach[tape];
      if (range === undefined) continue;
      range.fromMs = Math.min(range.fromMs, fromMs);
      range.toMs = Math.max(range.toMs, toMs);
    }
  const ranges = reach
    .filter((_, tape) => (spans[tape]?.games.length ?? 0) > 0)
    .map(({ fromMs, toMs }) => ({ fromMs: dayOf(fromMs), toMs: dayOf(toMs) }))
    .sort((a, b) => a.fromMs - b.fromMs);
  const merged: { fromMs: number; toMs: number }[] = [];
  for (const range of ranges) {
    const last = merged.at(-1);
    if (last === undefined || range.fromMs > last.toMs) merged.push({ ...range });
    else last.toMs = Math.max(last.toMs, range.toMs);
  }
  return merged.map(({ fromMs, toMs }): Group => {
    const members = games.filter((game) => dayOf(game.fromMs) >= fromMs && dayOf(game.fromMs) <= toMs);
    return [members, undefined];
  });
}

function jobOf(
  spans: readonly TapeSpan[],
  members: readonly SpannedGame[],
  only: GameId | undefined,
  startsAtMs: number,
): Job {
  const own = new Set(members.flatMap(({ tapes }) => tapes));
  const hours = only === undefined ? [...own].flatMap((tape) => spans[tape] ?? []) : members;
  const fromMs = dayStartOf(Math.min(...hours.map((span) => span.fromMs)), startsAtMs);
  const toMs = Math.max(...hours.map((span) => span.toMs));
  const tapes = spans.flatMap((span, tape) =>
    own.has(tape) || (span.games.length === 0 && span.fromMs <= toMs && span.toMs >= fromMs) ? [tape] : [],
  );
  const [first, last] = [fromMs, dayStartOf(toMs, startsAtMs)].map((ms) => isoTime(ms).slice(0, 10));
  return {
    name: only ?? (first === last ? `${first}` : `${first} to ${last}`),
    tapes,
    games: members.map(({ id }) => id),
    only,
    fromMs,
    toMs,
    firstMs: Math.min(...members.map((game) => game.fromMs)),
    frames: members.reduce((sum, { frames }) => sum + frames, 0),
  };
}

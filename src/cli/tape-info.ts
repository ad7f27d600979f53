// The facts that `oddsmaker tape info` shows of one tape, as an object for programs and as text.
import { statSync } from 'node:fs';
import type { GameFacts, TapeFacts } from '../tape/index.ts';
import { TapeCounter, decodeTape } from '../tape/index.ts';
import { isoTime, moneyText, printable } from '../domain/index.ts';
import { aligned } from '../terminal/index.ts';

export type ShownFacts = {
  readonly file: string;
  readonly bytes: number;
  readonly from: string | null;
  readonly to: string | null;
  readonly lines: Readonly<Record<'frames' | 'gameUpdates' | 'reads' | 'signals' | 'ownEvents', number>>;
  readonly leagues: Readonly<Record<string, number>>;
  /** The games of `TapeFacts`, with null for what the tape does not say. */
  readonly games: readonly (Pick<GameFacts, 'gameId' | 'live' | 'ended' | 'types' | 'frames' | 'takes' | 'taken'> &
    Readonly<Record<'league' | 'sport' | 'eventName' | 'start', string | null>>)[];
  /**
   * `stated`: the rows at which ladders are cut, from the header; null when it does not say. `deepest`: the
   * rows of the longest ladder. `told` repeats `stated` for readers of version 0.2.
   */
  readonly depth: { readonly stated: number | null; readonly told: number | null; readonly deepest: number };
  readonly perspective: unknown;
  readonly profile: unknown;
  readonly disconnects: readonly { readonly from: string; readonly to: string }[];
  readonly silences: readonly { readonly from: string; readonly to: string; readonly ms: number }[];
  readonly silentMs: number;
  /** `count`: lines that cannot be read. `first`: the problems of the first few. */
  readonly unreadable: { readonly count: number; readonly first: readonly string[] };
  readonly torn: string | null;
};

const MAX_PROBLEMS = 5;

/** @throws OddsmakerError TAPE_INVALID when it is no tape at all */
export async function readFacts(file: string, show: (progress: string) => void): Promise<ShownFacts> {
  const counter = new TapeCounter();
  const { size } = statSync(file);
  const unreadable = { count: 0, first: [] as string[] };
  let torn: string | null = null;
  let header: Readonly<Record<string, unknown>> = {};
  let refused: Error | undefined;
  const batches = decodeTape(file, {
    onHeader: (parsed) => {
      header = parsed;
    },
    progress: (bytes) => show(`${file}: ${Math.floor((bytes / Math.max(1, size)) * 100)} %`),
    torn: (problem) => {
      torn = problem;
    },
    unreadable: (problem) => {
      unreadable.count += 1;
      if (unreadable.first.length < MAX_PROBLEMS) unreadable.first.push(problem);
    },
  });
  try {
    for await (const events of batches) for (const event of events) counter.applyEvent(event);
  } catch (error) {
    refused = error as Error;
  }
  const { facts } = counter;
  if (refused !== undefined) throw refused;
  return shownFacts(file, size, facts, header, unreadable, torn);
}

const time = (ms: number | undefined): string | null =>
  ms === undefined || Math.abs(ms) > 8.64e15 ? null : isoTime(ms);

function shownFacts(
  file: string,
  bytes: number,
  facts: TapeFacts,
  header: Readonly<Record<string, unknown>>,
  unreadable: ShownFacts['unreadable'],
  torn: string | null,
): ShownFacts {
  const { from, to, frames, gameUpdates, reads, signals, ownEvents, games, deepest } = facts;
  const leagues: Record<string, number> = {};
  for (const { league = 'unknown' } of games) leagues[league] = (leagues[league] ?? 0) + 1;
  const stated = typeof header['depth'] === 'number' ? header['depth'] : null;
  return {
    file,
    bytes,
    from: time(from),
    to: time(to),
    leagues,
    lines: { frames, gameUpdates, reads, signals, ownEvents },
    games: games.map((game) => ({
      ...game,
      league: game.league ?? null,
      sport: game.sport ?? null,
      eventName: game.eventName ?? null,
      start: time(game.start),
      taken: Math.round(game.taken * 100) / 100,
    })),
    depth: { stated, told: stated, deepest },
    perspective: header['perspective'] ?? 'offerer',
    profile: header['profile'] ?? null,
    disconnects: facts.disconnects.map((gap) => ({ from: isoTime(gap.from), to: isoTime(gap.to) })),
    silences: facts.silences.map((gap) => ({ from: isoTime(gap.from), to: isoTime(gap.to), ms: gap.to - gap.from })),
    silentMs: facts.silentMs,
    unreadable,
    torn,
  };
}

const count = (number: number): string => number.toLocaleString('en-US');
const SHOWN_GAMES = 40;

export function textOfFacts(facts: ShownFacts): string {
  const { lines, games, depth, perspective, disconnects, silences, unreadable, torn } = facts;
  const view = typeof perspective === 'string' ? `the ${perspective}'s view` : 'a view of its own';
  const cutAt = depth.stated === null ? 'no depth in the header' : `cut at ${depth.stated} rows`;
  const others = [
    [lines.reads, 'reads of books'],
    [lines.signals, 'signals'],
    [lines.ownEvents, 'takes of own offers'],
  ] as const;
  const rows = [
    `${facts.file}: ${(facts.bytes / 1e6).toFixed(1)} MB`,
    `  time      ${facts.from ?? 'nothing'} to ${facts.to ?? 'nothing'}`,
    `  lines     ${count(lines.frames)} books of sides, ${count(lines.gameUpdates)} of games${others
      .filter(([number]) => number > 0)
      .map(([number, label]) => `, ${count(number)} ${label}`)
      .join('')}`,
    `  ladders   ${view}, ${depth.deepest} rows at most, ${cutAt}`,
    `  leagues   ${
      Object.entries(facts.leagues)
        .map(([league, gameCount]) => `${printable(league)} (${gameCount})`)
        .join(', ') || 'none'
    }`,
    `  gaps      ${disconnects.length} lost connections, ${hours(facts.silentMs)} in silences of 10 s or more${longest(silences)}`,
    ...(torn === null ? [] : [`  torn      ${torn}`]),
    ...(unreadable.count === 0
      ? []
      : [`  unread    ${count(unreadable.count)} lines, the first: ${unreadable.first[0] ?? ''}`]),
  ];
  const table = games
    .slice(0, SHOWN_GAMES)
    .map(({ gameId, eventName, league, start, types, frames, takes, taken, ended, live }) => [
      `  ${printable(eventName ?? '?')}`,
      printable(gameId),
      ...[printable(league ?? '?'), start?.slice(0, 16) ?? '?', ended ? 'ended' : live ? 'live' : 'before'],
      Object.entries(types)
        .map(([type, lineCount]) => (type === 'moneyline' ? type : `${lineCount} ${type}`))
        .join(', '),
      ...[count(frames), count(takes), moneyText(taken)],
    ]);
  const head = ['  game', 'id', 'league', 'start', 'in the end', 'markets', 'frames', 'takes', 'taken'];
  const hidden = games.length - table.length;
  return `${[
    ...rows,
    ...(table.length === 0 ? [] : aligned([head, ...table], '  ')),
    ...(hidden > 0 ? [`  … and ${hidden} more: --json has all`] : []),
    '',
  ].join('\n')}\n`;
}

const hours = (ms: number): string =>
  ms < 3_600_000 ? `${Math.round(ms / 60_000)} min` : `${(ms / 3_600_000).toFixed(1)} h`;

function longest([first]: ShownFacts['silences']): string {
  return first === undefined ? '' : `, the longest ${hours(first.ms)} from ${first.from}`;
}

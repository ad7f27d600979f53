// Cuts a piece out of a tape. The result is a tape: first the state of the market at the cut, then the lines
// of the piece.
import { LeagueNames, OddsmakerError, SIGNAL_LINE } from '../domain/index.ts';
import type { Json } from '../wire/index.ts';
import { isRecord, readText } from '../wire/index.ts';
import type { TapeRecord } from './journal-tape.ts';
import { headerText, TapeDraft } from './tape-draft.ts';
import type { TapeFrame } from './tape-reader.ts';
import { readTapeInBatches } from './tape-reader.ts';
import type { GameFilter } from './tape-state.ts';
import { gamesRead, isGameRead, TapeState } from './tape-state.ts';

export type CutOptions = {
  /** The piece contains `fromMs` ≤ time < `toMs`, Unix ms. Undefined: from the beginning, to the end. */
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
  /** Names of leagues and ids of games to keep. Both empty: all. */
  readonly leagues: readonly string[];
  readonly games: readonly string[];
  /** Receives the problem of a tail torn off. Any other bad line throws. */
  readonly torn: (problem: string) => void;
  readonly progress?: (tape: number, bytes: number) => void;
};

export type Cut = {
  /** The number of lines that hold the state at the cut, and of lines of the tape. */
  readonly state: number;
  readonly lines: number;
  /** Unix ms of the first and last line of the tape that were kept. */
  readonly from: number | undefined;
  readonly to: number | undefined;
};

/**
 * @param tapes the pieces of one tape, in the order of time
 * @throws OddsmakerError TAPE_INVALID, OUT_UNWRITABLE
 */
export async function cutTape(tapes: readonly string[], out: string, options: CutOptions): Promise<Cut> {
  const { fromMs, toMs, leagues, games } = options;
  const isAll = leagues.length === 0 && games.length === 0;
  let isFound = isAll;
  const names = new LeagueNames();
  const isWanted: GameFilter = (id, league) => {
    if (league !== undefined && names.see(league)) {
      const [rival] = leagues.filter((name) => names.areAlike(name, league) && names.isSpeltOtherwise(league));
      if (rival !== undefined)
        throw new OddsmakerError(
          'TAPE_INVALID',
          `${tapes[0] ?? ''}:1: --league ${rival}: the tape has several leagues that differ only in case or accents, ${JSON.stringify(league)} among them: choose games by --game; no tape was written`,
        );
    }
    const isIncluded = isAll || games.includes(id) || (league !== undefined && names.isAmong(leagues, league));
    isFound ||= isIncluded;
    return isIncluded;
  };
  const headers: Json[] = [];
  let state: TapeState | undefined;
  let draft: TapeDraft | undefined;
  const cut = {
    state: 0,
    lines: 0,
    from: undefined as number | undefined,
    to: undefined as number | undefined,
  };
  try {
    for await (const frames of piecesOf(tapes, options, headers)) {
      const [header = {}] = headers;
      for (const { line: _line, ...record } of frames) {
        state ??= new TapeState(header['profile']);
        if (toMs !== undefined && record.ts >= toMs) continue;
        const isBefore = fromMs !== undefined && record.ts < fromMs;
        if (!isBefore && draft === undefined) {
          const cutAt = fromMs ?? record.ts;
          draft = new TapeDraft(out);
          await draft.write(headerText({ ...shownHeader(header), from: cutAt }));
          for (const stateRecord of state.lines(cutAt, isWanted)) {
            cut.state += 1;
            await draft.write(JSON.stringify(stateRecord));
          }
        }
        // leagues of games come from earlier messages, also those within the piece
        if (isBefore || !isAll) state.applyRecord(record);
        if (isBefore || draft === undefined) continue;
        const shown = isAll ? record : onlyOf(record, isWanted, state);
        if (shown === undefined) continue;
        cut.lines += 1;
        cut.from ??= shown.ts;
        cut.to = shown.ts;
        const wait = draft.write(JSON.stringify(shown));
        if (wait !== undefined) await wait;
      }
    }
    if (!isFound)
      throw new OddsmakerError(
        'TAPE_INVALID',
        `${tapes[0] ?? ''}:1: no such game: ${[...leagues, ...games].join(', ')}: oddsmaker tape info names leagues and games; no tape was written`,
      );
    if (cut.lines + cut.state > 0) await draft?.keep();
    return cut;
  } finally {
    await draft?.drop();
  }
}

/**
 * Yields the pieces one after the other. @throws OddsmakerError TAPE_INVALID, also where a piece begins
 * before the one before it ends
 */
async function* piecesOf(
  tapes: readonly string[],
  { torn, progress }: CutOptions,
  headers: Json[],
): AsyncGenerator<readonly TapeFrame[], void, void> {
  let latest = Number.NEGATIVE_INFINITY;
  for (const [index, tape] of tapes.entries()) {
    const batches = readTapeInBatches(tape, {
      torn,
      progress: (bytes) => progress?.(index, bytes),
      onHeader: (header) => headers.push(header),
    });
    for await (const frames of batches) {
      const [first] = frames;
      if (first !== undefined && first.ts < latest - BACK_MS)
        throw new OddsmakerError(
          'TAPE_INVALID',
          `${tape}:${first.line}: this tape begins before the previous one ends: merge the two first, with tape merge`,
        );
      latest = frames.reduce((last, { ts }) => Math.max(last, ts), latest);
      yield frames;
    }
  }
}

const LEAGUE_READ = 'POST /exchange/getOrderbook';

/** Clocks are set back by less than this. */
const BACK_MS = 10_000;

const shownHeader = ({ depth, perspective, profile }: Json) => ({
  depth: typeof depth === 'number' ? depth : null,
  perspective: perspective ?? 'offerer',
  ...(profile === undefined ? {} : { profile }),
});

/**
 * The part of a record about the wanted games, or undefined. Records without a game are kept: connections,
 * signals.
 */
function onlyOf(record: TapeRecord, isWanted: GameFilter, state: TapeState): TapeRecord | undefined {
  const { ns, event, data } = record;
  if (event === 'connect' || event === 'disconnect' || ns === SIGNAL_LINE.ns) return record;
  let json: unknown;
  try {
    json = JSON.parse(data);
  } catch {
    return record;
  }
  if (!isRecord(json)) return record;
  if (ns === 'rest') {
    const all = gamesRead(event, json);
    const wanted = all.filter(({ id, league }) => isWanted(readText(id) ?? '', readText(league)));
    if (wanted.length === all.length) return all.length === 0 ? undefined : record;
    if (wanted.length === 0 || !isRecord(json['data'])) return undefined;
    // a part of one game's read is written as a league read, which may list any games
    if (isGameRead(event)) return { ...record, event: LEAGUE_READ, data: JSON.stringify({ data: { games: wanted } }) };
    return { ...record, data: JSON.stringify({ ...json, data: { ...json['data'], games: wanted } }) };
  }
  const id = readText(json[event === 'gameUpdate' ? 'id' : 'gameID']) ?? '';
  return isWanted(id, readText(json['league']) ?? state.leagueOf(id)) ? record : undefined;
}

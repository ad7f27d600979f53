// Finds the tapes that a backtest is given, as files and folders, and opens them once for each run.
import { statSync } from 'node:fs';
import { MarketSource } from './market-source.ts';
import type { OpenOptions, Tape, TapeCount } from '../tape/index.ts';
import { openTape, sha256Of, ofGames, ofMarkets, within, distinctTapes, tapeFilesOf } from '../tape/index.ts';
import type { GameId } from '../domain/index.ts';
import { messageOf, OddsmakerError } from '../domain/index.ts';
import { present } from '../journal/index.ts';

export type TapeFlags = Pick<OpenOptions, 'lenient' | 'cache'> & {
  /** The most rows of a ladder, for tapes that do not state it. */
  readonly depth?: number | undefined;
  /** The only games to play. Undefined to play all. */
  readonly games?: readonly GameId[] | undefined;
  /** The only time to play, Unix ms, both included. Undefined to play all. */
  readonly hours?: { readonly fromMs: number; readonly toMs: number } | undefined;
  /** A text in the ids or games of the only markets to play. Undefined to play all. */
  readonly onlyMarket?: string | undefined;
};

/**
 * Finds the tapes of files and folders.
 * @throws OddsmakerError TAPE_INVALID when there is no such file, or a folder has no tape
 */
export async function findTapes(names: readonly string[]): Promise<readonly Tape[]> {
  const tapes: Tape[] = [];
  for (const { file: named, isSegment } of distinctTapes(names).flatMap(tapeFilesOf)) {
    // a journal that is still being written may have packed the file meanwhile
    const file = present(named);
    try {
      tapes.push({ file, isSegment, bytes: statSync(file).size, sha256: await sha256Of(file) });
    } catch (error) {
      const problem = messageOf(error);
      throw new OddsmakerError('TAPE_INVALID', `${file}:1: it cannot be read: ${problem}`, { cause: error });
    }
  }
  return tapes;
}

/** The files of tapes as they are now. Names that are none yet, or no longer, are left out. */
export function tapeFilesNow(names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    try {
      return distinctTapes([name])
        .flatMap(tapeFilesOf)
        .map(({ file }) => file);
    } catch (error) {
      if (!(error instanceof OddsmakerError)) throw error;
      return [];
    }
  });
}

/** Opens tapes. `onRead`: called with the share of one tape that has been read, 0 … 1. */
export function openTapes(
  tapes: readonly Tape[],
  reading: TapeFlags,
  onRead: (tape: number, share: number) => void = () => undefined,
): { readonly market: MarketSource; readonly counts: readonly TapeCount[] } {
  const opened = tapes.map((tape, index) => openTape(tape, { ...reading, progress: (share) => onRead(index, share) }));
  const games = reading.games === undefined ? undefined : new Set(reading.games);
  const { hours, onlyMarket } = reading;
  const streams = opened.map(({ events }, index) => {
    const inHours = hours === undefined ? events : within(events, hours);
    const played = games === undefined ? inHours : ofGames(inHours, games);
    return {
      name: tapes[index]?.file ?? '',
      batches: onlyMarket === undefined ? played : ofMarkets(played, onlyMarket),
    };
  });
  return { market: new MarketSource(streams, reading.depth), counts: opened.map(({ count }) => count) };
}

/**
 * The time of the first frame, Unix ms.
 * @throws OddsmakerError TAPE_INVALID when no tape has a frame
 */
export async function firstFrameOf(tapes: readonly Tape[], lenient: boolean): Promise<number> {
  // only the beginning is read, so nothing is cached
  const { market } = openTapes(tapes, { lenient, cache: 'none' });
  await market.fill();
  let event = market.next();
  // connections and signals are no frames
  while (event !== undefined && event.what !== 'side' && event.what !== 'game') event = market.next();
  await market.close();
  if (event !== undefined) return event.ts;
  throw new OddsmakerError('TAPE_INVALID', `${tapes[0]?.file ?? '--tape'}:1: no frame of a price feed in this file`);
}

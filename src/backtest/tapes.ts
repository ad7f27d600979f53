// The tapes that a backtest is told to read: files and folders of them, opened as often as there are runs.
import { statSync } from 'node:fs';
import { MarketSource } from './market-source.ts';
import type { OpenOptions, Tape, TapeCount } from '../tape/index.ts';
import { openTape, sha256Of, ofGames, distinctTapes, tapeFilesOf } from '../tape/index.ts';
import type { GameId } from '../domain/index.ts';
import { messageOf, OddsmakerError } from '../domain/index.ts';
import { present } from '../journal/index.ts';

export type TapeFlags = Pick<OpenOptions, 'lenient' | 'cache'> & {
  /** Rows of a ladder at most, in tapes that do not tell. */
  readonly depth?: number | undefined;
  /** What is told of other games is left out; undefined: none is. */
  readonly games?: readonly GameId[] | undefined;
};

/** @throws OddsmakerError TAPE_INVALID when there is no such file, or a folder has no tape */
export async function findTapes(names: readonly string[]): Promise<readonly Tape[]> {
  const tapes: Tape[] = [];
  for (const { file: told, isSegment } of distinctTapes(names).flatMap(tapeFilesOf)) {
    // a journal that goes on may have packed it meanwhile
    const file = present(told);
    try {
      tapes.push({ file, isSegment, bytes: statSync(file).size, sha256: await sha256Of(file) });
    } catch (error) {
      const problem = messageOf(error);
      throw new OddsmakerError('TAPE_INVALID', `${file}:1: it cannot be read: ${problem}`, { cause: error });
    }
  }
  return tapes;
}

/** `onRead`: so much of one tape was read, 0 … 1. */
export function openTapes(
  tapes: readonly Tape[],
  reading: TapeFlags,
  onRead: (tape: number, share: number) => void = () => undefined,
): { readonly market: MarketSource; readonly counts: readonly TapeCount[] } {
  const opened = tapes.map((tape, index) => openTape(tape, { ...reading, progress: (share) => onRead(index, share) }));
  const games = reading.games === undefined ? undefined : new Set(reading.games);
  const streams = opened.map(({ events }, index) => ({
    name: tapes[index]?.file ?? '',
    batches: games === undefined ? events : ofGames(events, games),
  }));
  return { market: new MarketSource(streams, reading.depth), counts: opened.map(({ count }) => count) };
}

/** Unix ms. @throws OddsmakerError TAPE_INVALID when no tape has a frame */
export async function firstFrameOf(tapes: readonly Tape[], lenient: boolean): Promise<number> {
  // what it reads is the beginning only: nothing to keep
  const { market } = openTapes(tapes, { lenient, cache: 'none' });
  await market.fill();
  let event = market.next();
  // that a recorder connected is no frame yet, nor is what a strategy was told
  while (event !== undefined && event.what !== 'side' && event.what !== 'game') event = market.next();
  await market.close();
  if (event !== undefined) return event.ts;
  throw new OddsmakerError('TAPE_INVALID', `${tapes[0]?.file ?? '--tape'}:1: no frame of a price feed in this file`);
}

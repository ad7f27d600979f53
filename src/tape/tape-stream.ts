// A tape as the market events in it, straight from its lines.
import { OddsmakerError, WrongUnit } from '../domain/index.ts';
import type { BookPerspective } from '../domain/index.ts';
import type { MarketEvent } from './tape-decoder.ts';
import { OFFERER_VIEW, TapeDecoder } from './tape-decoder.ts';
import type { ReadTapeOptions } from './tape-reader.ts';
import { namespacesOf } from './tape-namespaces.ts';
import { readTapeInBatches } from './tape-reader.ts';
import { bookPerspectiveOf, perspectiveSchema } from '../wire/index.ts';

export type DecodeOptions = ReadTapeOptions & {
  /** Told of each payload that says nothing readable in a line that is one: a recording keeps what came. Default: `skipped`. */
  readonly unreadable?: ((problem: string) => void) | undefined;
};

/** @throws OddsmakerError TAPE_INVALID, with file and line */
export async function* decodeTape(
  file: string,
  options: DecodeOptions,
): AsyncGenerator<readonly MarketEvent[], void, void> {
  const { skipped, unreadable = skipped } = options;
  let header: Readonly<Record<string, unknown>> = {};
  let decoder: TapeDecoder | undefined;
  const batches = readTapeInBatches(
    file,
    {
      ...options,
      onHeader: (told) => {
        header = told;
        options.onHeader?.(told);
      },
    },
    (line) => decoder?.readSide(line),
  );
  try {
    for await (const frames of batches) {
      decoder ??= new TapeDecoder(file, {
        view: viewOf(file, header['perspective']),
        ...namespacesOf(header['profile']),
      });
      const { depth } = header;
      const events: MarketEvent[] = [];
      let broken: OddsmakerError | undefined;
      for (const frame of frames) {
        try {
          for (const event of 'what' in frame ? [frame] : decoder.read(frame)) {
            if (event.what === 'side' && typeof depth === 'number') event.depth = depth;
            events.push(event);
          }
        } catch (error) {
          if (!(error instanceof OddsmakerError)) throw error;
          if (unreadable === undefined || error instanceof WrongUnit) {
            broken = error;
            break;
          }
          unreadable(error.message);
        }
      }
      // what came before the line has been delivered
      if (events.length > 0) yield events;
      if (broken !== undefined) throw broken;
    }
  } finally {
    // whoever holds on to what was read to its end holds no books
    decoder = undefined;
  }
}

/** Whose odds, sides and lines a tape shows: as its header says, else the offerer's. */
function viewOf(file: string, told: unknown): BookPerspective {
  if (told === undefined || told === null) return OFFERER_VIEW;
  const read = perspectiveSchema.safeParse(told);
  if (!read.success)
    throw new OddsmakerError(
      'TAPE_INVALID',
      `${file}:1: the header's perspective is not known: ${JSON.stringify(told)}`,
    );
  return bookPerspectiveOf({ bookPerspective: read.data });
}

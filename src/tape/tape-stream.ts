// Decodes a tape directly from its lines into market events.
import { OddsmakerError, WrongUnit } from '../domain/index.ts';
import type { BookPerspective } from '../domain/index.ts';
import type { MarketEvent } from './tape-decoder.ts';
import { OFFERER_VIEW, TapeDecoder } from './tape-decoder.ts';
import type { ReadTapeOptions } from './tape-reader.ts';
import { namespacesOf } from './tape-namespaces.ts';
import { readTapeInBatches } from './tape-reader.ts';
import { bookPerspectiveOf, perspectiveSchema } from '../wire/index.ts';

export type DecodeOptions = ReadTapeOptions & {
  /**
   * Receives the problem of each unreadable payload in a valid line: recordings keep what came. Default:
   * `skipped`.
   */
  readonly unreadable?: ((problem: string) => void) | undefined;
};

/** Yields the market events of a tape. @throws OddsmakerError TAPE_INVALID, with file and line */
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
      onHeader: (tapeHeader) => {
        header = tapeHeader;
        options.onHeader?.(tapeHeader);
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
      let failure: OddsmakerError | undefined;
      for (const frame of frames) {
        try {
          for (const event of 'what' in frame ? [frame] : decoder.read(frame)) {
            if (event.what === 'side' && typeof depth === 'number') event.depth = depth;
            events.push(event);
          }
        } catch (error) {
          if (!(error instanceof OddsmakerError)) throw error;
          if (unreadable === undefined || error instanceof WrongUnit) {
            failure = error;
            break;
          }
          unreadable(error.message);
        }
      }
      // events before the bad line are delivered first
      if (events.length > 0) yield events;
      if (failure !== undefined) throw failure;
    }
  } finally {
    // a reference to the finished generator must not keep the books in memory
    decoder = undefined;
  }
}

/** The perspective of odds, sides and lines in the tape's header. Default: the offerer's. */
function viewOf(file: string, perspective: unknown): BookPerspective {
  if (perspective === undefined || perspective === null) return OFFERER_VIEW;
  const read = perspectiveSchema.safeParse(perspective);
  if (!read.success)
    throw new OddsmakerError(
      'TAPE_INVALID',
      `${file}:1: the header's perspective is not known: ${JSON.stringify(perspective)}`,
    );
  return bookPerspectiveOf({ bookPerspective: read.data });
}

// A tape as the market events in it, straight from its lines.
import { OddsmakerError } from '../domain/index.ts';
import type { BookPerspective } from '../domain/index.ts';
import type { MarketEvent } from '../paper/index.ts';
import { OFFERER_VIEW, TapeDecoder } from '../paper/index.ts';
import type { TapeFrame } from '../record/tape-reader.ts';
import { readTapeInBatches } from '../record/tape-reader.ts';
import { bookPerspectiveOf, DEFAULT_PROFILE, wireProfileSchema } from '../wire/index.ts';

export type DecodeOptions = {
  /** Told of each line that is left out; without it the first one ends the reading. */
  readonly skipped?: ((problem: string) => void) | undefined;
  readonly progress?: ((bytes: number) => void) | undefined;
};

/** @throws OddsmakerError TAPE_INVALID, with file and line */
export async function* decodeTape(
  file: string,
  { skipped, progress }: DecodeOptions,
): AsyncGenerator<readonly MarketEvent[], void, void> {
  let header: Readonly<Record<string, unknown>> = {};
  const batches = readTapeInBatches(file, {
    onHeader: (told) => {
      header = told;
    },
    ...(skipped === undefined ? {} : { skipped }),
    ...(progress === undefined ? {} : { progress }),
  });
  let decode: ((frame: TapeFrame) => readonly MarketEvent[]) | undefined;
  for await (const frames of batches) {
    decode ??= decoderOf(file, header);
    const events: MarketEvent[] = [];
    let broken: OddsmakerError | undefined;
    for (const frame of frames) {
      try {
        for (const event of decode(frame)) events.push(event);
      } catch (error) {
        if (!(error instanceof OddsmakerError)) throw error;
        if (skipped === undefined) {
          broken = error;
          break;
        }
        skipped(error.message);
      }
    }
    // what came before the line has been delivered
    if (events.length > 0) yield events;
    if (broken !== undefined) throw broken;
  }
}

function decoderOf(
  file: string,
  header: Readonly<Record<string, unknown>>,
): (frame: TapeFrame) => readonly MarketEvent[] {
  const decoder = new TapeDecoder(file, viewOf(file, header['perspective']));
  const { depth } = header;
  if (typeof depth !== 'number') return (frame) => decoder.read(frame);
  return (frame) => {
    const events = decoder.read(frame);
    for (const event of events) if (event.what === 'side') event.depth = depth;
    return events;
  };
}

/** Whose odds, sides and lines a tape shows: as its header says, else the offerer's. */
function viewOf(file: string, told: unknown): BookPerspective {
  if (told === undefined || told === null) return OFFERER_VIEW;
  const read = wireProfileSchema.shape.bookPerspective.safeParse(told);
  if (!read.success)
    throw new OddsmakerError(
      'TAPE_INVALID',
      `${file}:1: the header's perspective is not known: ${JSON.stringify(told)}`,
    );
  return bookPerspectiveOf({ ...DEFAULT_PROFILE, bookPerspective: read.data });
}

// Tapes by way of their compact form: made at the first reading, in the cache folder of the user (never beside the tape: that
// is somebody's data), and used for as long as the hash of the tape is the one it was made from.
import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { threadId } from 'node:worker_threads';
import { OddsmakerError } from '../domain/index.ts';
import type { MarketEvent } from './tape-decoder.ts';
import { cacheFolder, dropAtExit, makeFolder } from '../files/index.ts';
import { readTails } from '../journal/index.ts';
import type { LeftOut } from './compact-format.ts';
import { describeCompact, readCompact } from './compact-reader.ts';
import { CompactWriter } from './compact-writer.ts';
import { decodeTape } from './tape-stream.ts';

export type TapeFile = { readonly file: string; readonly sha256: string };

export type Tape = TapeFile & {
  readonly bytes: number;
  /** One of a recording, whose run may have been killed: a tail torn off is its end. */
  readonly isSegment: boolean;
};

/** What became of the lines of a tape; complete once all of it was read. */
export type TapeCount = { skipped: number; torn: boolean; readonly problems: string[] };

export type OpenOptions = {
  /** Lines that cannot be read are left out. */
  readonly lenient: boolean;
  /** Whether a compact form is made where there is none, used where there is one, or left alone. */
  readonly cache: 'make' | 'use' | 'none';
  /** Told of the share of the tape that was read, 0 … 1. */
  readonly progress?: (share: number) => void;
};

const PROBLEMS_TOLD = 5;

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  // of a journal whose run was killed
  const tails = readTails(file);
  await pipeline(createReadStream(file), hash, { end: false });
  for (const { bytes } of tails) hash.update(bytes);
  return hash.digest('hex');
}

/** The events of a tape. @throws OddsmakerError TAPE_INVALID, while it is read */
export function openTape(
  tape: Tape,
  options: OpenOptions,
): { readonly events: AsyncGenerator<readonly MarketEvent[], void, void>; readonly count: TapeCount } {
  const count: TapeCount = { skipped: 0, torn: false, problems: [] };
  return { events: eventsOf(tape, options, count), count };
}

/** Makes its compact form, if it has none. What is wrong with it is told to whoever plays it. */
export async function compactTape(tape: Tape, options: Omit<OpenOptions, 'cache'>): Promise<void> {
  if (wholeIn(tape) !== undefined) return;
  try {
    const { events } = openTape(tape, { ...options, cache: 'make' });
    while ((await events.next()).done !== true);
  } catch (error) {
    if (!(error instanceof OddsmakerError)) throw error;
  }
}

async function* eventsOf(
  tape: Tape,
  { lenient, cache, progress }: OpenOptions,
  count: TapeCount,
): AsyncGenerator<readonly MarketEvent[], void, void> {
  const made = cache === 'none' ? undefined : wholeIn(tape);
  // what was left out once is an error for whoever wants none left out
  const allowed = made?.torn === true && tape.isSegment ? 1 : 0;
  if (made !== undefined && (made.skipped <= allowed || lenient)) {
    count.skipped = made.skipped;
    count.torn = made.torn;
    count.problems.push(...made.problems);
    for (const events of readCompact(made.file, progress)) {
      yield events;
    }
    return;
  }
  const writer = cache === 'make' ? begin(tape) : undefined;
  const skipped = (problem: string): void => {
    count.skipped += 1;
    if (count.problems.length < PROBLEMS_TOLD) count.problems.push(problem);
  };
  const torn = (problem: string): void => {
    count.torn = true;
    skipped(problem);
  };
  try {
    const batches = decodeTape(tape.file, {
      skipped: lenient ? skipped : undefined,
      torn: lenient || tape.isSegment ? torn : undefined,
      progress: (bytes) => progress?.(bytes / Math.max(1, tape.bytes)),
    });
    for await (const events of batches) {
      writer?.add(events);
      yield events;
    }
    writer?.keep(count);
  } finally {
    writer?.drop();
  }
}

/** The forms themselves, and halves of some that were being written. */
const OURS = /\.compact(?:\.[\d-]+)?$/;
/** Many folders share it, and their tapes may have one name. */
const placeOf = ({ file, sha256 }: TapeFile): string =>
  join(cacheFolder(), `${basename(file)}.${sha256.slice(0, 16)}.compact`);

function wholeIn(tape: TapeFile): ({ readonly file: string } & LeftOut) | undefined {
  const file = placeOf(tape);
  const told = describeCompact(file);
  if (told?.head.sha256 !== tape.sha256) return undefined;
  noteUse(file);
  return { file, ...told.end };
}

/** What nobody used for so long is made again by whoever needs it. */
const UNUSED_MS = 30 * 24 * 3_600_000;

function noteUse(file: string): void {
  try {
    const now = new Date();
    utimesSync(file, now, now);
  } catch {
    // a cache that only others write
  }
}

function removeUnused(folder: string): void {
  try {
    for (const name of readdirSync(folder)) {
      if (!OURS.test(name)) continue;
      const file = join(folder, name);
      if (statSync(file).mtimeMs < Date.now() - UNUSED_MS) rmSync(file, { force: true });
    }
  } catch {
    // somebody else removes it as well
  }
}

let drafted = 0;

/** Writes under another name until it is whole, so that two runs at once do no harm. Undefined: nowhere to write. */
function begin(tape: TapeFile):
  | {
      readonly add: (events: readonly MarketEvent[]) => void;
      readonly keep: (count: TapeCount) => void;
      readonly drop: () => void;
    }
  | undefined {
  const place = placeOf(tape);
  drafted += 1;
  const draft = `${place}.${process.pid}-${threadId}-${drafted}`;
  try {
    makeFolder(dirname(place));
    const compact = new CompactWriter(draft, tape.sha256);
    let isOpen = true;
    const drop = (): void => {
      forget();
      if (!isOpen) return;
      isOpen = false;
      compact.abandon();
      rmSync(draft, { force: true });
    };
    const forget = dropAtExit(drop);
    // a full disk costs the cache, not the backtest
    const attempt = (action: () => void): void => {
      if (!isOpen) return;
      try {
        action();
      } catch {
        drop();
      }
    };
    return {
      add: (events) => attempt(() => events.forEach((event) => compact.add(event))),
      keep: (count) =>
        attempt(() => {
          compact.end(count);
          isOpen = false;
          renameSync(draft, place);
          drop();
          removeUnused(dirname(place));
        }),
      drop,
    };
  } catch {
    // nowhere to keep it: the lines are read each time
    return undefined;
  }
}

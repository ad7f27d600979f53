// Opens tapes by their compact form. The first reading makes it in the user's cache folder (never beside the
// tape, which is the user's data). It is used while the hash of the tape is the one it was made from.
import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { threadId } from 'node:worker_threads';
import { OddsmakerError } from '../domain/index.ts';
import type { MarketEvent } from './tape-decoder.ts';
import { cacheFolder, dropAtExit, makeFolder } from '../files/index.ts';
import { readTails } from '../journal/index.ts';
import type { CompactEnd } from './compact-format.ts';
import { describeCompact, readCompact } from './compact-reader.ts';
import { CompactWriter } from './compact-writer.ts';
import type { TapeSpan } from './tape-span.ts';
import { SpanCounter } from './tape-span.ts';
import { decodeTape } from './tape-stream.ts';

export type TapeFile = { readonly file: string; readonly sha256: string };

export type Tape = TapeFile & {
  readonly bytes: number;
  /** True for a segment of a recording, whose run may have been killed: a tail torn off is its end. */
  readonly isSegment: boolean;
};

/** Counts of lines that were left out. Complete only after the whole tape was read. */
export type TapeCount = { skipped: number; torn: boolean; readonly problems: string[] };

export type OpenOptions = {
  /** Whether lines that cannot be read are left out instead of an error. */
  readonly lenient: boolean;
  /** `make` uses the compact form and makes a missing one; `use` only uses it; `none` ignores it. */
  readonly cache: 'make' | 'use' | 'none';
  /** Receives the share of the tape that was read, 0 … 1. */
  readonly progress?: (share: number) => void;
};

const PROBLEMS_KEPT = 5;

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  // a journal whose run was killed has its last lines in these tails
  const tails = readTails(file);
  await pipeline(createReadStream(file), hash, { end: false });
  for (const { bytes } of tails) hash.update(bytes);
  return hash.digest('hex');
}

/** Opens a tape as its events. The generator throws OddsmakerError TAPE_INVALID while it is read. */
export function openTape(
  tape: Tape,
  options: OpenOptions,
): { readonly events: AsyncGenerator<readonly MarketEvent[], void, void>; readonly count: TapeCount } {
  const count: TapeCount = { skipped: 0, torn: false, problems: [] };
  return { events: eventsOf(tape, options, count), count };
}

/**
 * Makes the compact form of a tape that has none. An invalid tape is not reported here, but when it is
 * played.
 */
export async function compactTape(tape: Tape, options: Omit<OpenOptions, 'cache'>): Promise<void> {
  if (compactFormOf(tape) !== undefined) return;
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
  const compact = readableForm(tape, { lenient, cache });
  if (compact !== undefined) {
    count.skipped = compact.skipped;
    count.torn = compact.torn;
    count.problems.push(...compact.problems);
    for (const events of readCompact(compact.file, progress)) {
      yield events;
    }
    return;
  }
  const writer = cache === 'make' ? begin(tape) : undefined;
  const skipped = (problem: string): void => {
    count.skipped += 1;
    if (count.problems.length < PROBLEMS_KEPT) count.problems.push(problem);
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

/** When a tape and its games have events, by its compact form. Undefined: it has none that can be read so. */
export const storedSpanOf = (tape: Tape, options: OpenOptions): TapeSpan | undefined =>
  readableForm(tape, options)?.span;

/** The same by reading the tape, which also makes its compact form. @throws OddsmakerError TAPE_INVALID */
export async function readSpan(tape: Tape, options: OpenOptions): Promise<TapeSpan> {
  const spans = new SpanCounter();
  for await (const events of openTape(tape, options).events) for (const event of events) spans.addEvent(event);
  return spans.span;
}

/** The compact form. A form with lines left out is no use to a reader that forbids such lines. */
function readableForm(
  tape: Tape,
  { lenient, cache }: Pick<OpenOptions, 'lenient' | 'cache'>,
): ReturnType<typeof compactFormOf> {
  const compact = cache === 'none' ? undefined : compactFormOf(tape);
  const allowed = compact?.torn === true && tape.isSegment ? 1 : 0;
  return compact !== undefined && (compact.skipped <= allowed || lenient) ? compact : undefined;
}

/** Names of compact forms and of their unfinished drafts. */
const CACHE_FILE = /\.compact(?:\.[\d-]+)?$/;
/** The path of a compact form. Tapes of different folders may have one name, so the hash is part of it. */
const placeOf = ({ file, sha256 }: TapeFile): string =>
  join(cacheFolder(), `${basename(file)}.${sha256.slice(0, 16)}.compact`);

function compactFormOf(tape: TapeFile): ({ readonly file: string } & CompactEnd) | undefined {
  const file = placeOf(tape);
  const found = describeCompact(file);
  if (found?.head.sha256 !== tape.sha256) return undefined;
  noteUse(file);
  return { file, ...found.end };
}

/** A compact form unused for this long is removed; the next reading makes it again. */
const UNUSED_MS = 30 * 24 * 3_600_000;

function noteUse(file: string): void {
  try {
    const now = new Date();
    utimesSync(file, now, now);
  } catch {
    // this user may read the cache but not write it
  }
}

function removeUnused(folder: string): void {
  try {
    for (const name of readdirSync(folder)) {
      if (!CACHE_FILE.test(name)) continue;
      const file = join(folder, name);
      if (statSync(file).mtimeMs < Date.now() - UNUSED_MS) rmSync(file, { force: true });
    }
  } catch {
    // another process removes it at the same time
  }
}

let drafted = 0;

/**
 * Begins a compact form under a draft name until it is complete, so two runs at once do no harm. Undefined
 * when it cannot be written.
 */
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
    // a full disk loses the cache, not the backtest
    const attempt = (action: () => void): void => {
      if (!isOpen) return;
      try {
        action();
      } catch {
        drop();
      }
    };
    return {
      add: (events) => attempt(() => events.forEach((event) => compact.addEvent(event))),
      keep: (count) =>
        attempt(() => {
          compact.finishFile(count);
          isOpen = false;
          renameSync(draft, place);
          drop();
          removeUnused(dirname(place));
        }),
      drop,
    };
  } catch {
    // it cannot be stored: the lines are parsed each time
    return undefined;
  }
}

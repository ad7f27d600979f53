// Reads a compact tape, a block at a time. An unchanged offer is the same object from frame to frame, as in
// the decoder of the lines, so both readers lead to the same results.
import { crc32 } from 'node:zlib';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Ladder, Micros, Offer, OrderId, Rung, SideFrame } from '../domain/index.ts';
import { NO_OFFERS, elementAt } from '../domain/index.ts';
import type { MarketEvent, SideEvent } from './tape-decoder.ts';
import { NONE_EXHAUSTED } from './tape-decoder.ts';
import type { Columns, CompactEnd, CompactHead, Meta } from './compact-format.ts';
import { COLUMNS, KINDS, LONGEST_RUN, padding, RUN_BITS, TRAILER, VERSION } from './compact-format.ts';

type Block = { readonly meta: Meta; readonly body: ArrayBuffer };

/** The first and last block of a compact tape. Undefined when the file is not a complete compact tape. */
export function describeCompact(file: string): { readonly head: CompactHead; readonly end: CompactEnd } | undefined {
  try {
    const fd = openSync(file, 'r');
    try {
      const { size } = fstatSync(fd);
      const trailer = bytesAt(fd, size - TRAILER, TRAILER);
      if (trailer?.readUInt32LE(4) !== checksumOf(fd, size - TRAILER)) return undefined;
      const head = blockAt(fd, 0)?.meta.head;
      const end = trailer === undefined ? undefined : blockAt(fd, size - TRAILER - trailer.readUInt32LE(0))?.meta.end;
      return head?.compact === VERSION && end !== undefined ? { head, end } : undefined;
    } finally {
      closeSync(fd);
    }
  } catch {
    // missing, torn or damaged: the caller makes a new one
    return undefined;
  }
}

const CHUNK = 1 << 20;

function checksumOf(fd: number, length: number): number {
  let checksum = 0;
  for (let offset = 0; offset < length; offset += CHUNK)
    checksum = crc32(bytesAt(fd, offset, Math.min(CHUNK, length - offset)) ?? '', checksum);
  return checksum;
}

/** Yields the events, a block at a time. @param progress receives the share that was read, 0 … 1 */
export function* readCompact(
  file: string,
  progress?: (share: number) => void,
): Generator<readonly MarketEvent[], void, void> {
  const reader = new CompactReader();
  for (const { meta, body, share } of blocksOf(file)) {
    progress?.(share);
    if (meta.counts !== undefined) yield reader.read(meta, body);
  }
}

function* blocksOf(file: string): Generator<Block & { readonly share: number }, void, void> {
  const fd = openSync(file, 'r');
  try {
    const { size } = fstatSync(fd);
    for (let offset = 0, block = blockAt(fd, 0); block !== undefined; block = blockAt(fd, offset)) {
      offset += block.length;
      yield { ...block, share: offset / size };
      if (block.meta.end !== undefined) return;
    }
  } finally {
    closeSync(fd);
  }
}

function blockAt(fd: number, offset: number): (Block & { readonly length: number }) | undefined {
  const lengths = bytesAt(fd, offset, 8);
  if (lengths === undefined) return undefined;
  const textLength = lengths.readUInt32LE(0);
  const textRoom = textLength + padding(textLength);
  const bodyLength = lengths.readUInt32LE(4);
  const text = bytesAt(fd, offset + 8, textRoom);
  const body = bytesAt(fd, offset + 8 + textRoom, bodyLength);
  if (text === undefined || body === undefined) return undefined;
  const meta = JSON.parse(text.subarray(0, textLength).toString()) as Meta;
  return { meta, body: body.buffer as ArrayBuffer, length: 8 + textRoom + bodyLength };
}

/** Bytes at a position, in a buffer of their own. Undefined when the file is too short. */
function bytesAt(fd: number, offset: number, length: number): Buffer | undefined {
  if (offset < 0) return undefined;
  const bytes = Buffer.from(new ArrayBuffer(length));
  let readSoFar = 0;
  while (readSoFar < length) {
    const count = readSync(fd, bytes, readSoFar, length - readSoFar, offset + readSoFar);
    if (count === 0) return undefined;
    readSoFar += count;
  }
  return bytes;
}

class CompactReader {
  readonly #frames: Omit<SideFrame, 'offers'>[] = [];
  readonly #ladders: Ladder[] = [];

  read(meta: Meta, body: ArrayBuffer): readonly MarketEvent[] {
    const columns = columnsOf(body, meta.counts ?? []);
    const { texts = [], games = [], own = [], signals = [], depth, facing } = meta;
    for (const frame of meta.frames ?? []) this.#frames.push(frame);
    const exhausted = new Map(meta.exhausted);
    const since = new Map(meta.since);
    const events: MarketEvent[] = [];
    const { ts, kind, of: refIndexes, opCount } = columns;
    let op = 0;
    for (let place = 0; place < ts.length; place++) {
      const time = ts[place] as number;
      const index = refIndexes[place] as number;
      switch (KINDS[kind[place] as number]) {
        case 'side': {
          const frame = elementAt(this.#frames, index);
          const until = op + (opCount[place] as number);
          const offers = ladderOf(this.#ladders[index] ?? NO_OFFERS, columns, op, until, texts);
          op = until;
          this.#ladders[index] = offers;
          const event: SideEvent = {
            ts: time,
            what: 'side',
            frame: { ...frame, offers },
            exhausted: exhausted.get(place) ?? NONE_EXHAUSTED,
          };
          if (typeof depth === 'number') event.depth = depth;
          if (facing === true && frame.side === undefined) event.facing = true;
          events.push(event);
          break;
        }
        case 'game': {
          const sent = since.get(place);
          events.push({
            ts: time,
            what: 'game',
            game: games[index] as (typeof games)[number],
            exhausted: exhausted.get(place) ?? NONE_EXHAUSTED,
            ...(sent === undefined ? {} : { since: sent }),
          });
          break;
        }
        case 'own':
          events.push({ ts: time, what: 'own', ...(own[index] as (typeof own)[number]) });
          break;
        case 'signal':
          events.push({ ts: time, what: 'signal', update: elementAt(signals, index) });
          break;
        case 'up':
          events.push({ ts: time, what: 'up' });
          break;
        case 'down':
          events.push({ ts: time, what: 'down' });
          break;
        case undefined:
          throw new Error('a compact tape has an event of an unknown kind');
      }
    }
    return events;
  }
}

function ladderOf(before: Ladder, columns: Columns, from: number, until: number, texts: readonly string[]): Ladder {
  const { ops } = columns;
  if (from === until) return NO_OFFERS;
  const first = ops[from] as number;
  // the whole ladder is unchanged
  if (until - from === 1 && first === before.length) return before;
  let length = 0;
  for (let opIndex = from; opIndex < until; opIndex++) {
    const op = ops[opIndex] as number;
    length += op < 0 ? 1 : op & LONGEST_RUN;
  }
  // mostly as long as before: a copy has its exact length, a list that grows has room for 17 rows more
  const offers = before.slice(0, length);
  let next = 0;
  for (let opIndex = from; opIndex < until; opIndex++) {
    const op = ops[opIndex] as number;
    if (op < 0) offers[next++] = offerAt(columns, -1 - op, texts);
    else {
      const start = op >> RUN_BITS;
      const end = start + (op & LONGEST_RUN);
      for (let row = start; row < end; row++) offers[next++] = elementAt(before, row);
    }
  }
  return offers;
}

function offerAt(columns: Columns, index: number, texts: readonly string[]): Offer {
  const expiry = columns.expiry[index] as number;
  const offer: Offer = {
    id: texts[columns.id[index] as number] as OrderId,
    rung: columns.rung[index] as Rung,
    risk: columns.risk[index] as Micros,
    untaken: columns.untaken[index] as Micros,
    createdAt: texts[columns.createdAt[index] as number] as string,
    own: columns.own[index] === 1,
  };
  return Object.freeze(expiry < 0 ? offer : { ...offer, expiry: texts[expiry] as string });
}

function columnsOf(body: ArrayBuffer, counts: readonly number[]): Columns {
  let byteOffset = 0;
  const columns: Record<string, NodeJS.TypedArray> = {};
  COLUMNS.forEach(([name, Column], index) => {
    const length = counts[index] ?? 0;
    columns[name] = new Column(body, byteOffset, length);
    byteOffset += length * Column.BYTES_PER_ELEMENT;
    byteOffset += padding(byteOffset);
  });
  return columns as unknown as Columns;
}

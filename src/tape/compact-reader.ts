// Reads a compact tape, a block at a time. An offer that did not change is the same object from frame to frame, as in the
// decoder of the lines: what follows gives the same results from both.
import { crc32 } from 'node:zlib';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Ladder, Micros, Offer, OrderId, Rung, SideFrame } from '../domain/index.ts';
import { NO_OFFERS, elementAt } from '../domain/index.ts';
import type { MarketEvent, SideEvent } from './tape-decoder.ts';
import { NONE_EXHAUSTED } from './tape-decoder.ts';
import type { Columns, CompactEnd, CompactHead, Meta } from './compact-format.ts';
import { COLUMNS, KINDS, LONGEST_RUN, padding, RUN_BITS, TRAILER, VERSION } from './compact-format.ts';

type Block = { readonly meta: Meta; readonly body: ArrayBuffer };

/** What the first and the last block say; undefined when this is no whole compact tape. */
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
    // none, torn or damaged: it is made anew
    return undefined;
  }
}

const CHUNK = 1 << 20;

function checksumOf(fd: number, length: number): number {
  let checksum = 0;
  for (let at = 0; at < length; at += CHUNK)
    checksum = crc32(bytesAt(fd, at, Math.min(CHUNK, length - at)) ?? '', checksum);
  return checksum;
}

/** The events, a block at a time. @param progress told of the share that was read, 0 … 1 */
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
    for (let at = 0, block = blockAt(fd, 0); block !== undefined; block = blockAt(fd, at)) {
      at += block.length;
      yield { ...block, share: at / size };
      if (block.meta.end !== undefined) return;
    }
  } finally {
    closeSync(fd);
  }
}

function blockAt(fd: number, at: number): (Block & { readonly length: number }) | undefined {
  const lengths = bytesAt(fd, at, 8);
  if (lengths === undefined) return undefined;
  const textLength = lengths.readUInt32LE(0);
  const textRoom = textLength + padding(textLength);
  const bodyLength = lengths.readUInt32LE(4);
  const text = bytesAt(fd, at + 8, textRoom);
  const body = bytesAt(fd, at + 8 + textRoom, bodyLength);
  if (text === undefined || body === undefined) return undefined;
  const meta = JSON.parse(text.subarray(0, textLength).toString()) as Meta;
  return { meta, body: body.buffer as ArrayBuffer, length: 8 + textRoom + bodyLength };
}

/** In a buffer of its own; undefined when the file has not as many there. */
function bytesAt(fd: number, at: number, length: number): Buffer | undefined {
  if (at < 0) return undefined;
  const bytes = Buffer.from(new ArrayBuffer(length));
  let got = 0;
  while (got < length) {
    const more = readSync(fd, bytes, got, length - got, at + got);
    if (more === 0) return undefined;
    got += more;
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
    const { ts, kind, of, opCount } = columns;
    let op = 0;
    for (let place = 0; place < ts.length; place++) {
      const at = ts[place] as number;
      const which = of[place] as number;
      switch (KINDS[kind[place] as number]) {
        case 'side': {
          const frame = elementAt(this.#frames, which);
          const until = op + (opCount[place] as number);
          const offers = ladderOf(this.#ladders[which] ?? NO_OFFERS, columns, op, until, texts);
          op = until;
          this.#ladders[which] = offers;
          const event: SideEvent = {
            ts: at,
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
            ts: at,
            what: 'game',
            game: games[which] as (typeof games)[number],
            exhausted: exhausted.get(place) ?? NONE_EXHAUSTED,
            ...(sent === undefined ? {} : { since: sent }),
          });
          break;
        }
        case 'own':
          events.push({ ts: at, what: 'own', ...(own[which] as (typeof own)[number]) });
          break;
        case 'signal':
          events.push({ ts: at, what: 'signal', update: elementAt(signals, which) });
          break;
        case 'up':
          events.push({ ts: at, what: 'up' });
          break;
        case 'down':
          events.push({ ts: at, what: 'down' });
          break;
        case undefined:
          throw new Error('a compact tape with an event that is not known');
      }
    }
    return events;
  }
}

function ladderOf(before: Ladder, columns: Columns, from: number, until: number, texts: readonly string[]): Ladder {
  const { ops } = columns;
  if (from === until) return NO_OFFERS;
  const first = ops[from] as number;
  // all of it stays
  if (until - from === 1 && first === before.length) return before;
  const offers: Offer[] = [];
  for (let at = from; at < until; at++) {
    const op = ops[at] as number;
    if (op < 0) offers.push(offerAt(columns, -1 - op, texts));
    else {
      const start = op >> RUN_BITS;
      const end = start + (op & LONGEST_RUN);
      for (let row = start; row < end; row++) offers.push(elementAt(before, row));
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
  let at = 0;
  const columns: Record<string, NodeJS.TypedArray> = {};
  COLUMNS.forEach(([name, Column], index) => {
    const length = counts[index] ?? 0;
    columns[name] = new Column(body, at, length);
    at += length * Column.BYTES_PER_ELEMENT;
    at += padding(at);
  });
  return columns as unknown as Columns;
}

// A tape decoded once: columns of numbers and tables of text in blocks, ladders as what changed of them. Read block after
// block, so its length does not matter; an offer that did not change is the same object from frame to frame, as in the
// decoder of the lines. The first block names the tape by hash, the last one says that all of it is there.
import { crc32 } from 'node:zlib';
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import type { Ladder, Micros, Offer, OrderId, Rung, SideFrame, SignalUpdate } from '../domain/index.ts';
import { NO_OFFERS } from '../domain/index.ts';
import type { Exhausted, MarketEvent, OwnEvent, SideEvent } from '../paper/index.ts';
import { NONE_EXHAUSTED } from '../paper/index.ts';

/** Another layout, or another meaning of what is in it, has another number. */
const VERSION = 7;
const EVENTS_IN_BLOCK = 4096;
const KINDS = ['side', 'game', 'up', 'down', 'own', 'signal'] as const;
/** A run of offers that stay: where it began in the ladder before, and how many. */
const RUN_BITS = 14;
const LONGEST_RUN = 2 ** RUN_BITS - 1;

export type CompactHead = { readonly compact: number; readonly sha256: string };
/** What was left out of the tape. */
export type LeftOut = {
  /** Lines that could not be read. */
  readonly skipped: number;
  /** The last one of them is a tail torn off. */
  readonly torn: boolean;
  readonly problems: readonly string[];
};
export type CompactEnd = LeftOut & { readonly events: number };

type Meta = {
  readonly head?: CompactHead;
  readonly end?: CompactEnd;
  readonly counts?: readonly number[];
  readonly texts?: readonly string[];
  readonly frames?: readonly Omit<SideFrame, 'offers'>[];
  readonly games?: readonly Extract<MarketEvent, { what: 'game' }>['game'][];
  /** By place in the block. */
  readonly exhausted?: readonly (readonly [number, readonly Exhausted[]])[];
  readonly since?: readonly (readonly [number, number])[];
  readonly own?: readonly Pick<OwnEvent, 'orderId' | 'taken'>[];
  readonly signals?: readonly SignalUpdate[];
  readonly depth?: number | null;
  /** Sides named by a participant name the one across. */
  readonly facing?: boolean;
};

/** Numbers of one block; in the file one after the other, in this order. */
type Columns = {
  readonly ts: Float64Array;
  /** Stake and rest of new offers, micro-dollars. */
  readonly risk: Float64Array;
  readonly untaken: Float64Array;
  /** What changed in ladders: ≥ 0 a run of the ladder before, < 0 a new offer. */
  readonly ops: Int32Array;
  /** New offers: id, time of placement, expiry (-1: none) as texts, and rung. */
  readonly id: Int32Array;
  readonly createdAt: Int32Array;
  readonly expiry: Int32Array;
  readonly rung: Int32Array;
  /** Of a side event its side and how many ops, of a game event, an own take or a signal which. */
  readonly of: Int32Array;
  readonly opCount: Int32Array;
  readonly own: Uint8Array;
  readonly kind: Uint8Array;
};
const COLUMNS = [
  ['ts', Float64Array],
  ['risk', Float64Array],
  ['untaken', Float64Array],
  ['ops', Int32Array],
  ['id', Int32Array],
  ['createdAt', Int32Array],
  ['expiry', Int32Array],
  ['rung', Int32Array],
  ['of', Int32Array],
  ['opCount', Int32Array],
  ['own', Uint8Array],
  ['kind', Uint8Array],
] as const;

type Side = { readonly index: number; ladder: Ladder };

export class CompactWriter {
  readonly #fd: number;
  readonly #sides = new Map<string, Side>();
  #lists = emptyLists();
  #texts = new Map<string, number>();
  #frames: Omit<SideFrame, 'offers'>[] = [];
  #games: NonNullable<Meta['games']>[number][] = [];
  #exhausted: [number, readonly Exhausted[]][] = [];
  #since: [number, number][] = [];
  #own: Pick<OwnEvent, 'orderId' | 'taken'>[] = [];
  #signals: SignalUpdate[] = [];
  #depth: number | null = null;
  #facing = false;
  #events = 0;
  #checksum = 0;

  constructor(file: string, sha256: string) {
    this.#fd = openSync(file, 'w');
    this.#write({ head: { compact: VERSION, sha256 } }, []);
  }

  add(event: MarketEvent): void {
    const lists = this.#lists;
    const place = lists.ts.length;
    lists.ts.push(event.ts);
    lists.kind.push(KINDS.indexOf(event.what));
    let of = 0;
    let opCount = 0;
    if (event.what === 'game') {
      of = this.#games.push(event.game) - 1;
      if (event.since !== undefined) this.#since.push([place, event.since]);
    }
    if (event.what === 'own') of = this.#own.push({ orderId: event.orderId, taken: event.taken }) - 1;
    if (event.what === 'signal') of = this.#signals.push(event.update) - 1;
    if (event.what === 'side') {
      const side = this.#sideOf(event.frame);
      of = side.index;
      opCount = this.#ladder(side.ladder, event.frame.offers);
      side.ladder = event.frame.offers;
      this.#depth = event.depth ?? null;
      this.#facing ||= event.facing === true;
    }
    if ('exhausted' in event && event.exhausted.length > 0) this.#exhausted.push([place, event.exhausted]);
    lists.of.push(of);
    lists.opCount.push(opCount);
    this.#events += 1;
    if (lists.ts.length >= EVENTS_IN_BLOCK) this.#flush();
  }

  end({ skipped, torn, problems }: LeftOut): void {
    this.#flush();
    const length = this.#write({ end: { events: this.#events, skipped, torn, problems } }, []);
    const trailer = Buffer.alloc(TRAILER);
    trailer.writeUInt32LE(length, 0);
    trailer.writeUInt32LE(this.#checksum, 4);
    writeSync(this.#fd, trailer);
    closeSync(this.#fd);
  }

  /** The file is not complete and never will be. */
  abandon(): void {
    closeSync(this.#fd);
  }

  #sideOf({ offers: _offers, ...frame }: SideFrame): Side {
    const key = JSON.stringify(frame);
    let side = this.#sides.get(key);
    if (side === undefined) {
      side = { index: this.#sides.size, ladder: NO_OFFERS };
      this.#sides.set(key, side);
      this.#frames.push(frame);
    }
    return side;
  }

  /** Writes how the ladder comes from the one before; returns in how many steps. */
  #ladder(before: Ladder, after: Ladder): number {
    const { ops } = this.#lists;
    const from = ops.length;
    let next = 0;
    for (let at = 0; at < after.length;) {
      const start = before.indexOf(after[at] as Offer, next);
      if (start < 0) {
        ops.push(-1 - this.#offer(after[at] as Offer));
        at += 1;
        continue;
      }
      let length = 1;
      while (
        length < LONGEST_RUN &&
        at + length < after.length &&
        before[start + length] === after[at + length]
      )
        length += 1;
      ops.push((start << RUN_BITS) | length);
      at += length;
      next = start + length;
    }
    return ops.length - from;
  }

  #offer({ id, rung, risk, untaken, createdAt, own, expiry }: Offer): number {
    const lists = this.#lists;
    lists.risk.push(risk);
    lists.untaken.push(untaken);
    lists.id.push(this.#text(id));
    lists.createdAt.push(this.#text(createdAt));
    lists.expiry.push(expiry === undefined ? -1 : this.#text(expiry));
    lists.rung.push(rung);
    return lists.own.push(own ? 1 : 0) - 1;
  }

  #text(text: string): number {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    this.#texts.set(text, this.#texts.size);
    return this.#texts.size - 1;
  }

  #flush(): void {
    if (this.#lists.ts.length === 0) return;
    const columns = COLUMNS.map(([name, Column]) => Column.from(this.#lists[name]));
    const meta: Meta = {
      counts: columns.map(({ length }) => length),
      texts: [...this.#texts.keys()],
      frames: this.#frames,
      games: this.#games,
      exhausted: this.#exhausted,
      since: this.#since,
      own: this.#own,
      signals: this.#signals,
      depth: this.#depth,
      facing: this.#facing,
    };
    this.#write(meta, columns);
    this.#lists = emptyLists();
    this.#texts = new Map();
    this.#frames = [];
    this.#games = [];
    this.#exhausted = [];
    this.#since = [];
    this.#own = [];
    this.#signals = [];
  }

  /** Two lengths, the text, padding to 8, the columns. Returns how many bytes that is. */
  #write(meta: Meta, columns: readonly NodeJS.ArrayBufferView[]): number {
    const text = Buffer.from(JSON.stringify(meta));
    const pieces = columns.map(({ buffer, byteOffset, byteLength }) =>
      Buffer.from(buffer, byteOffset, byteLength),
    );
    const body = Buffer.concat(pieces.flatMap((piece) => [piece, Buffer.alloc(padding(piece.length))]));
    const lengths = Buffer.alloc(8);
    lengths.writeUInt32LE(text.length, 0);
    lengths.writeUInt32LE(body.length, 4);
    const all = Buffer.concat([lengths, text, Buffer.alloc(padding(text.length)), body]);
    for (let at = 0; at < all.length;) at += writeSync(this.#fd, all, at);
    this.#checksum = crc32(all, this.#checksum);
    return all.length;
  }
}

/** At the end of the file: how long the last block is, and the CRC-32 of all blocks. */
const TRAILER = 8;
const padding = (length: number): number => (8 - (length % 8)) % 8;

type Lists = Readonly<Record<keyof Columns, number[]>>;
const emptyLists = (): Lists => Object.fromEntries(COLUMNS.map(([name]) => [name, []])) as unknown as Lists;

type Block = { readonly meta: Meta; readonly body: ArrayBuffer };

/** What the first and the last block say; undefined when this is no whole compact tape. */
export function describeCompact(
  file: string,
): { readonly head: CompactHead; readonly end: CompactEnd } | undefined {
  try {
    const fd = openSync(file, 'r');
    try {
      const { size } = fstatSync(fd);
      const trailer = bytesAt(fd, size - TRAILER, TRAILER);
      if (trailer?.readUInt32LE(4) !== checksumOf(fd, size - TRAILER)) return undefined;
      const head = blockAt(fd, 0)?.meta.head;
      const end =
        trailer === undefined ? undefined : blockAt(fd, size - TRAILER - trailer.readUInt32LE(0))?.meta.end;
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
          const frame = this.#frames[which] as SideFrame;
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
          events.push({ ts: at, what: 'signal', update: signals[which] as SignalUpdate });
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

function ladderOf(
  before: Ladder,
  columns: Columns,
  from: number,
  until: number,
  texts: readonly string[],
): Ladder {
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
      for (let row = start; row < end; row++) offers.push(before[row] as Offer);
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

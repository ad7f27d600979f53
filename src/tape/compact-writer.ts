// Writes a compact tape: the decoded events of a tape, so that the next backtest need not decode it. A full
// block leaves memory, so the length of the tape does not matter.
import { crc32 } from 'node:zlib';
import { closeSync, openSync, writeSync } from 'node:fs';
import type { Ladder, Offer, SideFrame, SignalUpdate } from '../domain/index.ts';
import { NO_OFFERS, elementAt } from '../domain/index.ts';
import type { Exhausted, MarketEvent, OwnEvent } from './tape-decoder.ts';
import type { Columns, LeftOut, Meta } from './compact-format.ts';
import { COLUMNS, KINDS, LONGEST_RUN, padding, RUN_BITS, TRAILER, VERSION } from './compact-format.ts';
import { SpanCounter } from './tape-span.ts';

const EVENTS_IN_BLOCK = 4096;

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
  readonly #spans = new SpanCounter();
  #checksum = 0;

  constructor(file: string, sha256: string) {
    this.#fd = openSync(file, 'w');
    this.#write({ head: { compact: VERSION, sha256 } }, []);
  }

  addEvent(event: MarketEvent): void {
    const lists = this.#lists;
    const place = lists.ts.length;
    lists.ts.push(event.ts);
    lists.kind.push(KINDS.indexOf(event.what));
    let refIndex = 0;
    let opCount = 0;
    if (event.what === 'game') {
      refIndex = this.#games.push(event.game) - 1;
      if (event.since !== undefined) this.#since.push([place, event.since]);
    }
    if (event.what === 'own') refIndex = this.#own.push({ orderId: event.orderId, taken: event.taken }) - 1;
    if (event.what === 'signal') refIndex = this.#signals.push(event.update) - 1;
    if (event.what === 'side') {
      const side = this.#sideOf(event.frame);
      refIndex = side.index;
      opCount = this.#ladder(side.ladder, event.frame.offers);
      side.ladder = event.frame.offers;
      this.#depth = event.depth ?? null;
      this.#facing ||= event.facing === true;
    }
    if ('exhausted' in event && event.exhausted.length > 0) this.#exhausted.push([place, event.exhausted]);
    lists.of.push(refIndex);
    lists.opCount.push(opCount);
    this.#events += 1;
    this.#spans.addEvent(event);
    if (lists.ts.length >= EVENTS_IN_BLOCK) this.#flush();
  }

  finishFile({ skipped, torn, problems }: LeftOut): void {
    this.#flush();
    const length = this.#write({ end: { events: this.#events, skipped, torn, problems, span: this.#spans.span } }, []);
    const trailer = Buffer.alloc(TRAILER);
    trailer.writeUInt32LE(length, 0);
    trailer.writeUInt32LE(this.#checksum, 4);
    writeSync(this.#fd, trailer);
    closeSync(this.#fd);
  }

  /** Closes a file that stays incomplete. */
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

  /** Appends the ops that turn the ladder before into the ladder after. Returns how many. */
  #ladder(before: Ladder, after: Ladder): number {
    const { ops } = this.#lists;
    const from = ops.length;
    let next = 0;
    for (let row = 0; row < after.length;) {
      const start = before.indexOf(elementAt(after, row), next);
      if (start < 0) {
        ops.push(-1 - this.#offer(elementAt(after, row)));
        row += 1;
        continue;
      }
      let length = 1;
      while (length < LONGEST_RUN && row + length < after.length && before[start + length] === after[row + length])
        length += 1;
      ops.push((start << RUN_BITS) | length);
      row += length;
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

  /** Writes one block: two lengths, the text, padding to 8, the columns. Returns its length in bytes. */
  #write(meta: Meta, columns: readonly NodeJS.ArrayBufferView[]): number {
    const text = Buffer.from(JSON.stringify(meta));
    const pieces = columns.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength));
    const body = Buffer.concat(pieces.flatMap((piece) => [piece, Buffer.alloc(padding(piece.length))]));
    const lengths = Buffer.alloc(8);
    lengths.writeUInt32LE(text.length, 0);
    lengths.writeUInt32LE(body.length, 4);
    const all = Buffer.concat([lengths, text, Buffer.alloc(padding(text.length)), body]);
    for (let written = 0; written < all.length;) written += writeSync(this.#fd, all, written);
    this.#checksum = crc32(all, this.#checksum);
    return all.length;
  }
}

type Lists = Readonly<Record<keyof Columns, number[]>>;
const emptyLists = (): Lists => Object.fromEntries(COLUMNS.map(([name]) => [name, []])) as unknown as Lists;

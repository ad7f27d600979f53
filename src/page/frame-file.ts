// Stores the frames of the page over a past run in a file: blocks of frames, the first of each block whole,
// the others as changes; then the path of each market; then a table of contents. Any moment is found by
// reading one block. The file name has the version that wrote it.
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { RowChanges } from './changes.ts';
import { changedRows, withChanges } from './changes.ts';
import type { MarketView, PageState } from './state.ts';
import type { StateChange } from './state-change.ts';
import { changed, changeOf } from './state-change.ts';

type Ladder = NonNullable<MarketView['ladder']>;

export type Frame = {
  readonly state: PageState;
  /** The ladders by market. */
  readonly ladders: Readonly<Record<string, Ladder>>;
};

/** The summary of a past run, without its frames. */
export type Past = {
  readonly from: number;
  readonly to: number;
  readonly frames: number;
  /** Fills and alerts, with their times, Unix ms. */
  readonly marks: readonly (readonly [t: number, kind: 'fill' | 'alert'])[];
  /** The curve of the whole run: time, marked result, worst case. */
  readonly curve: readonly (readonly [number, number, number])[];
  /** Why the frames end before the run. Null when they do not. */
  readonly ends: string | null;
};

type Place = readonly [offset: number, length: number];
type Contents = {
  readonly past: Past;
  /** The blocks, each with the times of its frames. */
  readonly blocks: readonly (readonly [place: Place, times: readonly number[]])[];
  readonly paths: Readonly<Record<string, Place>>;
};

const FRAMES_IN_BLOCK = 48;
const MAGIC = 'oddsmaker frames';
const TAIL_BYTES = MAGIC.length + 4;
const MOST_BLOCKS_KEPT = 4;

type Change = StateChange & Pick<PageState, 'seq' | 't'> & { readonly ladders?: RowChanges };

export class FrameWriter {
  readonly #fd: number;
  #offset = 0;
  #lines: string[] = [];
  #times: number[] = [];
  #before: Frame | undefined;
  readonly #blocks: [Place, readonly number[]][] = [];

  /** @throws the error of the file system */
  constructor(file: string) {
    this.#fd = openSync(file, 'wx', 0o600);
  }

  addFrame(frame: Frame): void {
    const { state } = frame;
    if (this.#before === undefined) this.#lines.push(JSON.stringify(frame));
    else {
      const ladders = changedRows(this.#before.ladders, frame.ladders);
      const change: Change = {
        seq: state.seq,
        t: state.t,
        ...changeOf(this.#before.state, state),
        ...(ladders === undefined ? {} : { ladders }),
      };
      this.#lines.push(JSON.stringify(change));
    }
    this.#before = frame;
    this.#times.push(state.t);
    if (this.#lines.length >= FRAMES_IN_BLOCK) this.#endBlock();
  }

  #endBlock(): void {
    if (this.#lines.length === 0) return;
    this.#blocks.push([this.#write(this.#lines.join('\n')), this.#times]);
    this.#lines = [];
    this.#times = [];
    this.#before = undefined;
  }

  #write(text: string): Place {
    const packed = zstdCompressSync(text);
    writeAll(this.#fd, packed);
    const place = [this.#offset, packed.length] as const;
    this.#offset += packed.length;
    return place;
  }

  /** Writes the table of contents and closes the file. */
  finishFile(past: Omit<Past, 'frames'>, paths: Iterable<readonly [string, MarketView['path']]>): void {
    this.#endBlock();
    const places = Object.fromEntries([...paths].map(([id, path]) => [id, this.#write(JSON.stringify(path))]));
    const frames = this.#blocks.reduce((sum, [, times]) => sum + times.length, 0);
    const contents: Contents = { past: { ...past, frames }, blocks: this.#blocks, paths: places };
    const [, length] = this.#write(JSON.stringify(contents));
    const tail = Buffer.alloc(TAIL_BYTES);
    tail.writeUInt32LE(length);
    tail.write(MAGIC, 4, 'latin1');
    writeAll(this.#fd, tail);
    closeSync(this.#fd);
  }

  abandon(): void {
    closeSync(this.#fd);
  }
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let offset = 0; offset < bytes.length;) offset += writeSync(fd, bytes, offset);
}

export class FrameReader {
  readonly past: Past;
  readonly #fd: number;
  readonly #contents: Contents;
  /** The times of all frames. */
  readonly #times: readonly number[];
  /** Blocks read lately, the newest last. */
  readonly #kept = new Map<number, readonly Frame[]>();

  private constructor(fd: number, contents: Contents) {
    this.#fd = fd;
    this.#contents = contents;
    this.past = contents.past;
    this.#times = contents.blocks.flatMap(([, times]) => times);
  }

  /** Opens a file. Returns undefined when it does not exist or is incomplete. */
  static open(file: string): FrameReader | undefined {
    let fd: number;
    try {
      fd = openSync(file, 'r');
    } catch {
      return undefined;
    }
    try {
      return new FrameReader(fd, contentsOf(fd));
    } catch {
      closeSync(fd);
      return undefined;
    }
  }

  /**
   * Returns what the page showed at a time.
   * @param t Unix ms: the newest frame until then is returned
   * @param step a number of frames to go back or forward from there
   * @throws the error of the file system, or an error when the file was changed
   */
  at(t: number, step = 0): { readonly frame: Frame; readonly before: number | null; readonly after: number | null } {
    const times = this.#times;
    const newest = Math.max(
      0,
      times.findLastIndex((time) => time <= t),
    );
    const index = Math.min(times.length - 1, Math.max(0, newest + step));
    let first = 0;
    let number = 0;
    for (const [, { length }] of this.#contents.blocks) {
      if (index < first + length) break;
      first += length;
      number += 1;
    }
    const frame = this.#block(number)[index - first];
    if (frame === undefined) throw new Error('the frames end before their contents do');
    return { frame, before: times[index - 1] ?? null, after: times[index + 1] ?? null };
  }

  #block(number: number): readonly Frame[] {
    const known = this.#kept.get(number);
    this.#kept.delete(number);
    const frames = known ?? this.#read(number);
    this.#kept.set(number, frames);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_BLOCKS_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return frames;
  }

  #read(number: number): readonly Frame[] {
    const [place] = this.#contents.blocks[number] ?? [];
    if (place === undefined) throw new Error('there are no frames');
    const [first = '', ...more] = textAt(this.#fd, place).split('\n');
    let last = JSON.parse(first) as Frame;
    const frames = [last];
    for (const line of more) {
      const { ladders = {}, ...change } = JSON.parse(line) as Change;
      last = { state: changed(last.state, change), ladders: withChanges(last.ladders, ladders) };
      frames.push(last);
    }
    return frames;
  }

  /** Returns the path of a market over the whole run. */
  pathOf(market: string): MarketView['path'] {
    const { paths } = this.#contents;
    const place = Object.hasOwn(paths, market) ? paths[market] : undefined;
    return place === undefined ? [] : (JSON.parse(textAt(this.#fd, place)) as MarketView['path']);
  }

  close(): void {
    closeSync(this.#fd);
  }
}

function contentsOf(fd: number): Contents {
  const { size } = fstatSync(fd);
  const tail = bytesAt(fd, [size - TAIL_BYTES, TAIL_BYTES]);
  if (tail.toString('latin1', 4) !== MAGIC) throw new Error('it is not whole');
  const length = tail.readUInt32LE();
  return JSON.parse(textAt(fd, [size - TAIL_BYTES - length, length])) as Contents;
}

const textAt = (fd: number, place: Place): string => zstdDecompressSync(bytesAt(fd, place)).toString();

function bytesAt(fd: number, [offset, length]: Place): Buffer {
  if (offset < 0) throw new Error('it is not whole');
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length;) {
    const read = readSync(fd, bytes, done, length - done, offset + done);
    if (read === 0) throw new Error('it is cut off');
    done += read;
  }
  return bytes;
}

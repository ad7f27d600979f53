// The tail of a packed journal file: plain text that the packed file may lack after a kill. A step that sends
// a request must be in the kernel before the request leaves (rules.md, 15), but zstd packs on another thread.
// So such a step, and all unpacked text before it, is written to a tail at once. Two tail files alternate:
// one is emptied when the packed file has all of its text. The first line of a tail is its offset in the text
// of the part, so that a reader can skip what the packed file has.
import { closeSync, ftruncateSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { PRIVATE_FILE } from './journal-file.ts';

const NUMBERS = [1, 2] as const;
const PACKED = /\.zst$/;
const TAIL = /\.tail[12]$/;
const HEAD = /^\{"tail":1,"at":(\d{1,15})\}$/;
const NEWLINE = 10;

/** Paths of the tails: `run.ndjson.zst` has `run.ndjson.tail1` and `run.ndjson.tail2`. */
export const tailFilesOf = (packed: string): readonly string[] =>
  PACKED.test(packed) ? NUMBERS.map((number) => packed.replace(PACKED, `.tail${number}`)) : [];

/** The packed file of a tail. Any other path is returned unchanged. */
export const packedFileOf = (file: string): string => file.replace(TAIL, '.zst');

export type Tail = {
  /** Start and end of the tail, in bytes of the text of its part. */
  readonly at: number;
  readonly to: number;
  readonly bytes: Buffer;
};

/** The tails of a packed file, in order. Read them before the file itself, which only grows. */
export const readTails = (packed: string): readonly Tail[] =>
  tailFilesOf(packed)
    .flatMap((file) => readTail(file) ?? [])
    .sort((first, second) => first.at - second.at);

function readTail(file: string): Tail | undefined {
  let all: Buffer;
  try {
    all = readFileSync(file);
  } catch {
    // most files have no tails
    return undefined;
  }
  const end = all.indexOf(NEWLINE);
  const [, start] = HEAD.exec(all.toString('utf8', 0, Math.max(0, end))) ?? [];
  if (start === undefined) return undefined;
  const bytes = all.subarray(end + 1);
  return { at: Number(start), to: Number(start) + bytes.length, bytes };
}

type Slot = {
  readonly file: string;
  readonly fd: number;
  /** End of its content in the text of the part. 0 when it was never used. */
  to: number;
  /** Valid bytes in the file. */
  size: number;
};

export class TailWriter {
  readonly #slots: readonly [Slot, Slot];
  #current: 0 | 1 = 0;
  /** The packed file has all text before this offset. */
  #packedTo = 0;

  /** Creates both tail files. @throws the error of the file system */
  constructor(packed: string) {
    const [first, second] = tailFilesOf(packed).map((file): Slot => ({
      file,
      fd: openSync(file, 'w', PRIVATE_FILE),
      to: 0,
      size: 0,
    }));
    this.#slots = [first as Slot, second as Slot];
  }

  /** Writes `bytes`, which begin at the offset `start` of the text. @throws the error of the file system */
  write(start: number, bytes: Buffer): void {
    const slot = this.#slots[this.#current];
    if (slot.to <= this.#packedTo) {
      // the packed file has all of its content
      ftruncateSync(slot.fd, 0);
      slot.size = 0;
    }
    const text = slot.size === 0 ? Buffer.concat([Buffer.from(`{"tail":1,"at":${start}}\n`), bytes]) : bytes;
    for (let written = 0; written < text.length;)
      written += writeSync(slot.fd, text, written, text.length - written, slot.size + written);
    slot.size += text.length;
    slot.to = start + bytes.length;
  }

  /** Continues in the other tail, once its content is packed, so that this one can be emptied when packed. */
  turn(): void {
    const { to } = this.#slots[this.#current];
    const other = this.#current === 0 ? 1 : 0;
    if (to > this.#packedTo && this.#slots[other].to <= this.#packedTo) this.#current = other;
  }

  /** Notes that the packed file has all text before `to`. */
  applyPacked(to: number): void {
    this.#packedTo = to;
  }

  /** Closes both files, and removes them when the packed file has everything. */
  close(remove: boolean): void {
    for (const { fd, file } of this.#slots) {
      closeSync(fd);
      if (remove) rmSync(file, { force: true });
    }
  }
}

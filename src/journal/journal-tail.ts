// The tail of a packed journal file: what it may lack after a kill, as plain text. A step that sends a request must be in
// the kernel before the request is (rules.md, 15), and zstd packs on another thread: so such a step, and all before it that
// is not packed yet, is written here at once. Two files take turns: one is begun anew when the packed file has all of the other.
// Its first line tells where it begins in the text of the part, so that a reader knows how much of it the packed file has.
import { closeSync, ftruncateSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { PRIVATE_FILE } from './journal-file.ts';

const NUMBERS = [1, 2] as const;
const PACKED = /\.zst$/;
const TAIL = /\.tail[12]$/;
const HEAD = /^\{"tail":1,"at":(\d{1,15})\}$/;
const NEWLINE = 10;

/** `run.ndjson.zst` has `run.ndjson.tail1` and `run.ndjson.tail2`. */
export const tailFilesOf = (packed: string): readonly string[] =>
  PACKED.test(packed) ? NUMBERS.map((number) => packed.replace(PACKED, `.tail${number}`)) : [];

/** The packed file whose tail this is; any other file itself. */
export const packedFileOf = (file: string): string => file.replace(TAIL, '.zst');

export type Tail = {
  /** Where it begins, and where it ends, in the bytes of the text of its part. */
  readonly at: number;
  readonly to: number;
  readonly bytes: Buffer;
};

/** What the tails of a packed file have, in order. To be read before the file itself: of a run that goes on, it only grows. */
export const readTails = (packed: string): readonly Tail[] =>
  tailFilesOf(packed)
    .flatMap((file) => readTail(file) ?? [])
    .sort((one, two) => one.at - two.at);

function readTail(file: string): Tail | undefined {
  let all: Buffer;
  try {
    all = readFileSync(file);
  } catch {
    // most files have none
    return undefined;
  }
  const end = all.indexOf(NEWLINE);
  const [, told] = HEAD.exec(all.toString('utf8', 0, Math.max(0, end))) ?? [];
  if (told === undefined) return undefined;
  const bytes = all.subarray(end + 1);
  return { at: Number(told), to: Number(told) + bytes.length, bytes };
}

type Slot = {
  readonly file: string;
  readonly fd: number;
  /** Where it ends in the text; 0: it was never used. */
  to: number;
  /** Bytes of the file that are right. */
  size: number;
};

export class TailWriter {
  readonly #slots: readonly [Slot, Slot];
  #turn: 0 | 1 = 0;
  /** Text before this is in the packed file. */
  #packedTo = 0;

  /** @throws the error of the file system */
  constructor(packed: string) {
    const [one, two] = tailFilesOf(packed).map((file): Slot => ({
      file,
      fd: openSync(file, 'w', PRIVATE_FILE),
      to: 0,
      size: 0,
    }));
    this.#slots = [one as Slot, two as Slot];
  }

  /** `bytes` begin at this place, where the packed file or what was written here before ends. @throws the error of the file system */
  write(at: number, bytes: Buffer): void {
    const slot = this.#slots[this.#turn];
    if (slot.to <= this.#packedTo) {
      // nobody needs what it has
      ftruncateSync(slot.fd, 0);
      slot.size = 0;
    }
    const text = slot.size === 0 ? Buffer.concat([Buffer.from(`{"tail":1,"at":${at}}\n`), bytes]) : bytes;
    for (let written = 0; written < text.length;)
      written += writeSync(slot.fd, text, written, text.length - written, slot.size + written);
    slot.size += text.length;
    slot.to = at + bytes.length;
  }

  /** What comes from now on goes to the other file, once that is free: this one can be begun anew when all of it is packed. */
  turn(): void {
    const { to } = this.#slots[this.#turn];
    const other = this.#turn === 0 ? 1 : 0;
    if (to > this.#packedTo && this.#slots[other].to <= this.#packedTo) this.#turn = other;
  }

  applyPacked(to: number): void {
    this.#packedTo = to;
  }

  /** `remove`: the packed file has everything. */
  close(remove: boolean): void {
    for (const { fd, file } of this.#slots) {
      closeSync(fd);
      if (remove) rmSync(file, { force: true });
    }
  }
}

// Unpacks bzip2, a block at a time: neither the packed nor the unpacked data is ever completely in memory.
import { closeSync, openSync } from 'node:fs';
import Bunzip from 'seek-bzip';
import type { FilePart } from './file-part.ts';
import { bytesAt } from './file-part.ts';

const CHUNK = 64 * 1024;
const BLOCK = 900_000;

/** The part ends before its packed data does. */
export class CutShort extends Error {}

class PartInput extends Bunzip.Stream {
  readonly #fd: number;
  readonly #part: FilePart;
  #chunk: Buffer = Buffer.alloc(0);
  #next = 0;
  #read = 0;

  constructor(fd: number, part: FilePart) {
    super();
    this.#fd = fd;
    this.#part = part;
  }

  /** The number of bytes used so far. */
  get used(): number {
    return this.#read - this.#chunk.length + this.#next;
  }

  readByte(): number {
    if (this.#next >= this.#chunk.length) this.#fill();
    const byte = this.#chunk[this.#next];
    if (byte === undefined) throw new CutShort('the packed file is cut short');
    this.#next += 1;
    return byte;
  }

  eof(): boolean {
    return this.used >= this.#part.length;
  }

  #fill(): void {
    const { at: start, length } = this.#part;
    this.#chunk = bytesAt(this.#fd, start + this.#read, Math.min(CHUNK, length - this.#read));
    this.#read += this.#chunk.length;
    this.#next = 0;
  }
}

/** A growing buffer. `take` returns its content and empties it. */
class BlockOutput {
  #bytes = Buffer.allocUnsafe(BLOCK);
  #length = 0;

  writeByte(byte: number): void {
    if (this.#length === this.#bytes.length)
      this.#bytes = Buffer.concat([this.#bytes, Buffer.allocUnsafe(this.#bytes.length)]);
    this.#bytes[this.#length] = byte;
    this.#length += 1;
  }

  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    return taken;
  }
}

/**
 * Yields the unpacked blocks. @throws CutShort, or Error where the data is damaged, after the blocks before
 * that
 */
export function* bunzipped(part: FilePart, progress?: (bytes: number) => void): Generator<Buffer> {
  const fd = openSync(part.file, 'r');
  try {
    const input = new PartInput(fd, part);
    const output = new BlockOutput();
    const decoder = new Bunzip(input, output);
    for (;;) {
      if (decoder._init_block()) {
        decoder._read_bunzip();
        progress?.(input.used);
        yield output.take();
        continue;
      }
      if (decoder.reader.read(32) >>> 0 !== decoder.streamCRC) throw new Error('the packed file is damaged');
      // several concatenated streams count as one
      if (input.eof()) return;
      decoder._start_bunzip(input, output);
    }
  } finally {
    closeSync(fd);
  }
}

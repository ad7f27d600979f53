// Finds whether a zstd file ends between two frames or inside one, as after a kill. Node's decompressor
// reports that only by an error that discards its last output. This class follows the frame headers instead
// (RFC 8878), so nothing of a torn file is lost.

const MAGIC = 0xfd2fb528;
const SKIPPABLE = { first: 0x184d2a50, last: 0x184d2a5f };
const MAGIC_BYTES = 4;
const BLOCK_HEADER_BYTES = 3;
const RLE = 1;
const CHECKSUM_BYTES = 4;
const DICTIONARY_ID_BYTES = [0, 1, 2, 4];

export class FrameFollower {
  /** The number of complete frames so far. */
  frames = 0;
  /** The next bytes: `#skip` bytes to ignore, then a header of `#wanted` bytes. */
  #skip = 0;
  #wanted = MAGIC_BYTES;
  #read: (header: Buffer) => void = (header) => this.#begin(header);
  #header: Buffer = Buffer.alloc(0);
  #hasChecksum = false;
  #isLost = false;

  /** Reads the next bytes of the file. */
  follow(bytes: Buffer): void {
    let offset = 0;
    while (offset < bytes.length && !this.#isLost) {
      const skipped = Math.min(this.#skip, bytes.length - offset);
      offset += skipped;
      this.#skip -= skipped;
      const taken = bytes.subarray(offset, offset + this.#wanted - this.#header.length);
      offset += taken.length;
      this.#header = Buffer.concat([this.#header, taken]);
      if (this.#skip > 0 || this.#header.length < this.#wanted) continue;
      const header = this.#header;
      this.#header = Buffer.alloc(0);
      this.#read(header);
    }
  }

  #expect(skip: number, wanted: number, read: (header: Buffer) => void): void {
    this.#skip = skip;
    this.#wanted = wanted;
    this.#read = read;
  }

  #begin(header: Buffer): void {
    const magic = header.readUInt32LE();
    if (magic === MAGIC) this.#expect(0, 1, (descriptor) => this.#describe(descriptor));
    else if (magic >= SKIPPABLE.first && magic <= SKIPPABLE.last)
      this.#expect(0, 4, (length) => this.#endAfter(length.readUInt32LE()));
    // the decompressor reports the problem
    else this.#isLost = true;
  }

  #describe(descriptor: Buffer): void {
    const flags = descriptor.readUInt8();
    const isSingleSegment = (flags & 0x20) !== 0;
    this.#hasChecksum = (flags & 0x04) !== 0;
    const sizeFlag = flags >> 6;
    const contentSizeBytes = sizeFlag === 0 ? Number(isSingleSegment) : 2 ** sizeFlag;
    const windowBytes = isSingleSegment ? 0 : 1;
    const dictionaryBytes = DICTIONARY_ID_BYTES[flags & 0x03] ?? 0;
    this.#expectBlock(windowBytes + dictionaryBytes + contentSizeBytes);
  }

  #expectBlock(skip: number): void {
    this.#expect(skip, BLOCK_HEADER_BYTES, (header) => {
      const block = header.readUIntLE(0, BLOCK_HEADER_BYTES);
      const isLast = (block & 1) !== 0;
      const length = ((block >> 1) & 3) === RLE ? 1 : block >> 3;
      if (!isLast) this.#expectBlock(length);
      else this.#endAfter(length + (this.#hasChecksum ? CHECKSUM_BYTES : 0));
    });
  }

  /** Expects the frame to end after `left` bytes. */
  #endAfter(left: number): void {
    const begin = (): void => this.#expect(0, MAGIC_BYTES, (header) => this.#begin(header));
    if (left > 0)
      this.#expect(left - 1, 1, () => {
        this.frames += 1;
        begin();
      });
    else {
      this.frames += 1;
      begin();
    }
  }
}

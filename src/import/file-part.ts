// A part of a file: the whole file, or an entry of an archive that is not compressed as a whole. It is read
// in place.
import { closeSync, createReadStream, openSync, readSync } from 'node:fs';

export type FilePart = {
  readonly file: string;
  /** The offset and the length of the part, bytes. */
  readonly at: number;
  readonly length: number;
};

/** The first bytes of a part, at most `most`. */
export function firstBytes({ file, at: offset, length }: FilePart, most: number): Buffer {
  return withFile(file, (fd) => bytesAt(fd, offset, Math.min(most, length)));
}

/** The bytes of a file from an offset on, up to `length`; fewer at the end of the file. */
export function bytesAt(fd: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let readSoFar = 0;
  while (readSoFar < length) {
    const count = readSync(fd, bytes, readSoFar, length - readSoFar, offset + readSoFar);
    if (count === 0) break;
    readSoFar += count;
  }
  return bytes.subarray(0, readSoFar);
}

export function withFile<T>(file: string, use: (fd: number) => T): T {
  const fd = openSync(file, 'r');
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

export const streamOf = ({ file, at: offset, length }: FilePart) =>
  createReadStream(file, { start: offset, end: Math.max(offset, offset + length - 1), highWaterMark: 256 * 1024 });

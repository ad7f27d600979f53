// A part of a file: a file, or an entry of an archive that is not packed as a whole. Read from the disk where it lies.
import { closeSync, createReadStream, openSync, readSync } from 'node:fs';

export type FilePart = {
  readonly file: string;
  /** Bytes: where it begins, and how many it has. */
  readonly at: number;
  readonly length: number;
};

/** Its first bytes, `most` of them at most. */
export function firstBytes({ file, at, length }: FilePart, most: number): Buffer {
  return withFile(file, (fd) => bytesAt(fd, at, Math.min(most, length)));
}

/** As many bytes as there are from `at` on, up to `length`. */
export function bytesAt(fd: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let got = 0;
  while (got < length) {
    const more = readSync(fd, bytes, got, length - got, at + got);
    if (more === 0) break;
    got += more;
  }
  return bytes.subarray(0, got);
}

export function withFile<T>(file: string, use: (fd: number) => T): T {
  const fd = openSync(file, 'r');
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

export const streamOf = ({ file, at, length }: FilePart) =>
  createReadStream(file, { start: at, end: Math.max(at, at + length - 1), highWaterMark: 256 * 1024 });

// Reads files that may be packed, by file ending: .gz, .zst, or as they are.
import { createReadStream, statSync } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { systemCodeOf } from '../domain/index.ts';
import { present } from './journal-parts.ts';

const CHUNK = 256 * 1024;
const NEWLINE = 10;

/**
 * The file, unpacked. It may be packed in several pieces, one behind the other. `progress`: told how many bytes of the file
 * were read so far.
 */
export async function* unpackedChunks(
  told: string,
  progress?: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const file = present(told);
  const unpacker = file.endsWith('.gz')
    ? createGunzip
    : file.endsWith('.zst')
      ? createZstdDecompress
      : undefined;
  for (let start = 0; ;) {
    const raw = createReadStream(file, { start, highWaterMark: CHUNK });
    const before = start;
    if (progress !== undefined) raw.on('data', () => progress(before + raw.bytesRead));
    if (unpacker === undefined) {
      yield* raw as AsyncIterable<Buffer>;
      return;
    }
    const unpack = unpacker({ chunkSize: CHUNK });
    // the reader sees the error of either stream on the last one
    yield* pipeline(raw, unpack, () => {}) as AsyncIterable<Buffer>;
    // zstd ends with the first piece, and says nothing of what follows
    start += unpack.bytesWritten;
    if (unpack.bytesWritten === 0 || start >= statSync(file).size) return;
  }
}

/** Its lines as bytes: split at the newline alone, since payloads may hold every other separator. */
export async function* unpackedLines(file: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of unpackedChunks(file)) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const piece = chunk.subarray(from, at);
      yield rest.length === 0 ? piece : Buffer.concat([rest, piece]);
      rest = Buffer.alloc(0);
      from = at + 1;
    }
    rest = Buffer.concat([rest, chunk.subarray(from)]);
  }
  if (rest.length > 0) yield rest;
}

/** A packed file that ends before what it packs does. */
export const isCutOff = (error: unknown): boolean =>
  error instanceof Error &&
  (systemCodeOf(error) === 'Z_BUF_ERROR' || error.message.includes('unexpected end'));

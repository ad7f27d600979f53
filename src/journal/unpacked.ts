// Reads files that may be packed, by file ending: .gz, .zst, or as they are. Of a packed journal the tail belongs to it.
import { createReadStream, statSync } from 'node:fs';
import { pipeline } from 'node:stream';
import { constants, createGunzip, createZstdDecompress } from 'node:zlib';
import { MOST_MARK, systemCodeOf, withoutMark } from '../domain/index.ts';
import { present } from './journal-parts.ts';
import { packedFileOf, readTails } from './journal-tail.ts';
import { FrameFollower } from '../files/index.ts';

const CHUNK = 256 * 1024;
const NEWLINE = 10;
const CUT_OFF = 'Z_BUF_ERROR';

/**
 * The file, unpacked. It may be packed in several pieces, one behind the other. `progress`: told how many bytes of the file
 * were read so far. One that is cut off throws behind what can be read of it (`isCutOff`).
 */
export async function* unpackedChunks(told: string, progress?: (bytes: number) => void): AsyncGenerator<Buffer> {
  const file = present(packedFileOf(told));
  const tails = readTails(file);
  let length = 0;
  let cut: Error | undefined;
  try {
    for await (const chunk of packedChunks(file, progress)) {
      length += chunk.length;
      yield chunk;
    }
  } catch (error) {
    if (!(error instanceof Error) || !isCutOff(error)) throw error;
    cut = error;
  }
  for (const { at, to, bytes } of tails) {
    if (at > length || to < length) continue;
    // it goes on where the file was cut off
    cut = undefined;
    if (to > length) yield bytes.subarray(length - at);
    length = to;
  }
  if (cut !== undefined) throw cut;
}

async function* packedChunks(file: string, progress: ((bytes: number) => void) | undefined): AsyncGenerator<Buffer> {
  for (let start = 0; ;) {
    const raw = createReadStream(file, { start, highWaterMark: CHUNK });
    const before = start;
    if (progress !== undefined) raw.on('data', () => progress(before + raw.bytesRead));
    if (!/\.(?:gz|zst)$/.test(file)) {
      yield* raw as AsyncIterable<Buffer>;
      return;
    }
    const follower = new FrameFollower();
    const isZstd = file.endsWith('.zst');
    if (isZstd) raw.on('data', (chunk) => follower.follow(chunk as Buffer));
    const unpack = isZstd
      ? createZstdDecompress({ chunkSize: CHUNK, finishFlush: constants.ZSTD_e_flush })
      : createGunzip({ chunkSize: CHUNK });
    // the reader sees the error of either stream on the last one
    yield* pipeline(raw, unpack, () => {}) as AsyncIterable<Buffer>;
    if (isZstd && follower.frames === 0 && unpack.bytesWritten > 0)
      throw Object.assign(new Error('unexpected end of file'), { code: CUT_OFF });
    // zstd ends with the first piece, and says nothing of what follows
    start += unpack.bytesWritten;
    if (unpack.bytesWritten === 0 || start >= statSync(file).size) return;
  }
}

/** The same of a file that a user may have saved: without a byte order mark. @throws Error also of UTF-16 */
export async function* userChunks(file: string, progress?: (bytes: number) => void): AsyncGenerator<Buffer> {
  let first: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of unpackedChunks(file, progress)) {
    if (first === undefined) yield chunk;
    else {
      first = Buffer.concat([first, chunk]);
      if (first.length <= MOST_MARK) continue;
      yield withoutMark(first);
      first = undefined;
    }
  }
  if (first !== undefined && first.length > 0) yield withoutMark(first);
}

/** Its lines as bytes: split at the newline alone, since payloads may hold every other separator. */
export async function* unpackedLines(file: string, progress?: (bytes: number) => void): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of unpackedChunks(file, progress)) {
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
  error instanceof Error && (systemCodeOf(error) === CUT_OFF || error.message.includes('unexpected end'));

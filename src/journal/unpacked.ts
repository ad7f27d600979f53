// Reads files that may be packed, by extension: .gz, .zst, or plain. The tails of a packed journal are read
// as its end.
import { createReadStream, statSync } from 'node:fs';
import { pipeline } from 'node:stream';
import { constants, createGunzip, createZstdDecompress } from 'node:zlib';
import { MOST_MARK, systemCodeOf, userText, withoutMark } from '../domain/index.ts';
import { present } from './journal-parts.ts';
import { packedFileOf, readTails } from './journal-tail.ts';
import { FrameFollower } from '../files/index.ts';

const CHUNK = 256 * 1024;
const NEWLINE = 10;
const CUT_OFF = 'Z_BUF_ERROR';

/**
 * The unpacked content of a file, which may consist of several packed pieces. `progress` is called with the
 * bytes of the file read so far. For a file that is cut off, it throws after the readable content
 * (`isCutOff`).
 */
export async function* unpackedChunks(path: string, progress?: (bytes: number) => void): AsyncGenerator<Buffer> {
  const file = present(packedFileOf(path));
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
  for (const { at: start, to: end, bytes } of tails) {
    if (start > length || end < length) continue;
    // the tail continues where the file was cut off
    cut = undefined;
    if (end > length) yield bytes.subarray(length - start);
    length = end;
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
    // pipeline passes errors of both streams to the last one, which is read here
    yield* pipeline(raw, unpack, () => {}) as AsyncIterable<Buffer>;
    if (isZstd && follower.frames === 0 && unpack.bytesWritten > 0)
      throw Object.assign(new Error('unexpected end of file'), { code: CUT_OFF });
    // the decompressor stops after one piece, so the next one is read from here
    start += unpack.bytesWritten;
    if (unpack.bytesWritten === 0 || start >= statSync(file).size) return;
  }
}

/** Content of a file that a user may have saved, without a byte order mark. @throws Error also for UTF-16 */
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

/** The whole text of a file that a user may have saved. @throws Error also for text that is not UTF-8 */
export async function userFileText(file: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of unpackedChunks(file)) chunks.push(chunk);
  return userText(Buffer.concat(chunks));
}

/** Lines of a file as bytes, split only at newlines, because payloads may contain every other separator. */
export async function* unpackedLines(file: string, progress?: (bytes: number) => void): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of unpackedChunks(file, progress)) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const piece = chunk.subarray(from, end);
      yield rest.length === 0 ? piece : Buffer.concat([rest, piece]);
      rest = Buffer.alloc(0);
      from = end + 1;
    }
    rest = Buffer.concat([rest, chunk.subarray(from)]);
  }
  if (rest.length > 0) yield rest;
}

/** Whether an error means that a packed file is cut off. */
export const isCutOff = (error: unknown): boolean =>
  error instanceof Error && (systemCodeOf(error) === CUT_OFF || error.message.includes('unexpected end'));

// Finds the stream files behind names on the command line: files, folders, archives in archives. The first
// bytes decide what a file is, not its name. Archives that are compressed as a whole are unpacked into a
// folder; all others are read in place.
import { createWriteStream, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pipeline as joined, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { extract } from 'tar-stream';
import { messageOf, systemCodeOf } from '../domain/index.ts';
import { makeFolder } from '../files/index.ts';
import { isCutOff } from '../journal/index.ts';
import { bunzipped, CutShort } from './bunzip.ts';
import type { FilePart } from './file-part.ts';
import { firstBytes, streamOf } from './file-part.ts';
import { isTar, tarEntries } from './tar-entries.ts';

/** A stream file. `name`: the file, and the path through the archives in it, for messages. */
export type RawFile = FilePart & { readonly name: string };
export type BadFile = { readonly name: string; readonly problem: string };

const HEAD = 512;
/** The most levels of nested archives. Deeper nesting is refused as an attack. */
const DEEPEST = 8;

type Packing = 'bzip2' | 'gzip' | 'zstd' | 'plain';

function packingOf(head: Buffer): Packing {
  if (head.toString('latin1', 0, 3) === 'BZh') return 'bzip2';
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  return head.length >= 4 && head.readUInt32LE() === 0xfd2fb528 ? 'zstd' : 'plain';
}

/**
 * Yields the unpacked bytes of a part. @throws Error with a message for people, after the bytes that could be
 * read
 */
export async function* rawChunks(part: FilePart, progress?: (bytes: number) => void): AsyncGenerator<Buffer> {
  const packing = packingOf(firstBytes(part, HEAD));
  try {
    if (packing === 'bzip2') {
      for (const block of bunzipped(part, progress)) {
        yield block;
        // a block may take a second: signals such as Ctrl-C are handled between blocks
        await setImmediate();
      }
      return;
    }
    const raw = streamOf(part);
    raw.on('data', () => progress?.(raw.bytesRead));
    if (part.length === 0) return;
    if (packing === 'plain') yield* raw as AsyncIterable<Buffer>;
    else {
      const unpack = packing === 'gzip' ? createGunzip() : createZstdDecompress();
      // the last stream passes the error of either to the reader
      yield* joined(raw, unpack, () => {}) as AsyncIterable<Buffer>;
    }
  } catch (error) {
    if (error instanceof CutShort || isCutOff(error)) throw new Error('the packed file is cut short');
    throw new Error(`the packed file is damaged (${messageOf(error)})`, { cause: error });
  }
}

/**
 * Finds all files: folders in the order of their names, archives in their own order. `unpackInto`: a folder
 * for unpacked files, made when needed. `bad`: receives files that cannot be read; the others are still read.
 */
export async function rawFilesOf(
  names: readonly string[],
  unpackInto: string,
  bad: (file: BadFile) => void,
): Promise<readonly RawFile[]> {
  const found: RawFile[] = [];
  let unpacked = 0;
  const addPart = async (raw: RawFile, depth: number): Promise<void> => {
    const refusal =
      raw.length === 0 ? 'the file is empty' : depth > DEEPEST ? 'archives in archives, too deep' : undefined;
    if (refusal !== undefined) {
      bad({ name: raw.name, problem: refusal });
      return;
    }
    const head = firstBytes(raw, HEAD);
    if (isTar(head)) {
      const { entries, problem } = tarEntries(raw);
      for (const entry of entries) {
        if (isHidden(entry.name)) continue;
        await addPart({ ...entry, name: `${raw.name}/${entry.name.replace(/^\.\//, '')}` }, depth + 1);
      }
      if (problem !== undefined) bad({ name: raw.name, problem });
      return;
    }
    if (packingOf(head) === 'plain' || !(await packsTar(raw))) {
      found.push(raw);
      return;
    }
    unpacked += 1;
    const folder = join(unpackInto, String(unpacked));
    makeFolder(folder);
    const problem = await unpackTar(raw, folder, (file, name) =>
      addPart({ file, at: 0, length: statSync(file).size, name: `${raw.name}/${name}` }, depth + 1),
    );
    if (problem !== undefined) bad({ name: raw.name, problem });
  };
  const addPath = async (path: string): Promise<void> => {
    try {
      const stat = statSync(path);
      if (stat.isDirectory()) {
        for (const entry of readdirSync(path).sort()) if (!isHidden(entry)) await addPath(join(path, entry));
      } else await addPart({ file: path, at: 0, length: stat.size, name: path }, 0);
    } catch (error) {
      const isMissing = systemCodeOf(error) === 'ENOENT';
      bad({ name: path, problem: isMissing ? 'there is no such file or folder' : messageOf(error) });
    }
  };
  for (const name of names) await addPath(name);
  return found;
}

/** Whether a file is hidden, as those that file managers create. */
const isHidden = (name: string): boolean => basename(name).startsWith('.');

async function packsTar(part: FilePart): Promise<boolean> {
  try {
    for await (const chunk of rawChunks(part)) return isTar(chunk);
  } catch {
    // the error is reported when the file is read
  }
  return false;
}

/** Unpacks an archive entry by entry. Returns a problem, or undefined. */
async function unpackTar(
  part: FilePart,
  folder: string,
  add: (file: string, name: string) => Promise<void>,
): Promise<string | undefined> {
  const entries = extract();
  const source = Readable.from(rawChunks(part));
  source.on('error', (error) => entries.destroy(error));
  source.pipe(entries);
  let number = 0;
  try {
    for await (const entry of entries) {
      const { name, type } = entry.header;
      if (type !== 'file' || isHidden(name)) {
        entry.resume();
        continue;
      }
      number += 1;
      // the entry's own name could lead to any path
      const file = join(folder, String(number));
      await pipeline(entry, createWriteStream(file));
      await add(file, name.replace(/^\.\//, ''));
    }
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

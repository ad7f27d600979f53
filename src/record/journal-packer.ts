// Packs the parts of journals that nobody writes to any more, one after the other. A part is there all the time, packed or
// not, and is as old as it was: what starts next looks for the newest (last-requests.ts).
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat, utimes } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import { messageOf } from '../domain/index.ts';

const CHUNK = 256 * 1024;

export class Packer {
  readonly #problem: (message: string) => void;
  readonly #stop = new AbortController();
  readonly #files: string[] = [];
  /** What the disk refused. */
  #later: string[] = [];
  #packing: Promise<void> | undefined;

  /** `problem`: what could not be packed stays as it is, and is tried again with the next one. */
  constructor(problem: (message: string) => void) {
    this.#problem = problem;
  }

  add(file: string): void {
    this.#files.push(...this.#later, file);
    this.#later = [];
    this.#packing ??= this.#pack().finally(() => {
      this.#packing = undefined;
    });
  }

  /** Waits for nothing: what is being packed stays as it was. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#packing;
  }

  async #pack(): Promise<void> {
    for (let file = this.#files.shift(); file !== undefined; file = this.#files.shift()) {
      try {
        await packFile(file, this.#stop.signal);
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        this.#later.push(file);
        this.#problem(`${file} stays unpacked: ${messageOf(error)}`);
      }
    }
  }
}

/** Puts `file.zst` in the place of a file. */
async function packFile(file: string, signal: AbortSignal): Promise<void> {
  const draft = `${file}.zst.draft`;
  try {
    const source = createReadStream(file, { highWaterMark: CHUNK });
    // on the disk before the file itself goes
    const sink = createWriteStream(draft, { flush: true });
    await pipeline(source, createZstdCompress(), sink, { signal });
    const { atime, mtime } = await stat(file);
    await utimes(draft, atime, mtime);
    await rename(draft, `${file}.zst`);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await rm(file);
}

// One packed file of a tape. Lines are packed and written behind the caller's back; `flush` pushes them to the disk, and
// what it pushed counts as kept once the disk took it. A disk that refuses ends the segment.
import { createWriteStream } from 'node:fs';
import type { Transform } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createGzip, createZstdCompress } from 'node:zlib';

/** How far something reaches: records, those that came from somewhere among them, and the Unix ms of the last one. */
type Reach = { readonly frames: number; readonly lines: number; readonly to: number };

/** Both kinds have `flush`; the declaration of Transform does not tell. */
type Packer = Transform & { flush: (done: () => void) => void };

export class TapeSegment {
  /** Monotonic ms. */
  readonly openedAt = performance.now();
  /** Unix ms of its first record. */
  readonly from: number;
  /** Of what was handed to it. */
  frames = 0;
  lines = 0;
  to: number;
  readonly #pack: Packer;
  readonly #file: ReturnType<typeof createWriteStream>;
  readonly #done: Promise<void>;
  #packedBytes = 0;
  /** What was pushed out, and where it ends in the file; the oldest first. */
  readonly #pushed: (Reach & { readonly bytes: number })[] = [];
  #kept: Reach;
  #failed = false;

  /** `failed`: called once, when the disk refuses; nothing is written after that. */
  constructor(path: string, kind: 'zst' | 'gz', from: number, failed: (error: Error) => void) {
    this.from = from;
    this.to = from;
    this.#kept = { frames: 0, lines: 0, to: from };
    this.#pack = kind === 'zst' ? createZstdCompress() : createGzip();
    this.#file = createWriteStream(path, { flags: 'wx' });
    const fail = (error: Error): void => {
      if (this.#failed) return;
      this.#failed = true;
      this.#pack.destroy();
      this.#file.destroy();
      failed(error);
    };
    this.#pack.on('error', fail);
    this.#file.on('error', fail);
    this.#pack.on('data', ({ length }: Buffer) => (this.#packedBytes += length));
    this.#pack.pipe(this.#file);
    // a failure is told by `failed`
    this.#done = finished(this.#file).catch(() => undefined);
  }

  /** Bytes of lines that are still to be packed. */
  get waiting(): number {
    return this.#pack.writableLength;
  }

  /** Bytes in the file. */
  get bytes(): number {
    return this.#file.bytesWritten;
  }

  /** What is in the file, whatever happens to the process. */
  get kept(): Reach {
    for (let [next] = this.#pushed; next !== undefined && next.bytes <= this.bytes; [next] = this.#pushed) {
      const { frames, lines, to } = next;
      this.#kept = { frames, lines, to };
      this.#pushed.shift();
    }
    return this.#kept;
  }

  get hasFailed(): boolean {
    return this.#failed;
  }

  header(line: string): void {
    this.#pack.write(line);
  }

  /** One record of Unix ms `ts`; never waits. `isMark`: it tells of the recording, and came from nowhere. */
  write(ts: number, line: string, isMark = false): void {
    this.#pack.write(line);
    this.frames += 1;
    if (!isMark) this.lines += 1;
    this.to = ts;
  }

  flush(): void {
    const { frames, lines, to } = this;
    this.#pack.flush(() => {
      // behind a slow disk the count of bytes is not complete: the next second tries again
      if (this.#pack.readableLength === 0) this.#pushed.push({ frames, lines, to, bytes: this.#packedBytes });
    });
  }

  /** All of it is in the file when this resolves, unless it failed. */
  async end(): Promise<void> {
    this.#pack.end();
    await this.#done;
    const { frames, lines, to, bytes } = this;
    if (!this.#failed) this.#pushed.push({ frames, lines, to, bytes });
  }
}

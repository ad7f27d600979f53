// One packed file of a tape. Lines are packed and written in the background. `flush` pushes them to the disk,
// and they count as kept once the disk accepted them. A disk error ends the segment.
import { createWriteStream } from 'node:fs';
import type { Transform } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createGzip, createZstdCompress } from 'node:zlib';

/** A position in the segment: records, those of them that are no marks, and the Unix ms of the last one. */
type Position = { readonly frames: number; readonly lines: number; readonly to: number };

/** Both packers have `flush`, which the declaration of Transform omits. */
type Packer = Transform & { flush: (done: () => void) => void };

export class TapeSegment {
  /** Monotonic ms of its start. */
  readonly openedAt = performance.now();
  /** Unix ms of its first record. */
  readonly from: number;
  /** The records handed over, those of them that are no marks, and the Unix ms of the last one. */
  frames = 0;
  lines = 0;
  to: number;
  readonly #pack: Packer;
  readonly #file: ReturnType<typeof createWriteStream>;
  readonly #done: Promise<void>;
  #packedBytes = 0;
  /** Flushed positions, each with its end in the file; oldest first. */
  readonly #pushed: (Position & { readonly bytes: number })[] = [];
  #kept: Position;
  #failed = false;

  /** @param failed called once, when the disk refuses; nothing is written after that */
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
    // `failed` reports a failure
    this.#done = finished(this.#file).catch(() => undefined);
  }

  /** The number of bytes of lines that are not packed yet. */
  get waiting(): number {
    return this.#pack.writableLength;
  }

  /** The number of bytes in the file. */
  get bytes(): number {
    return this.#file.bytesWritten;
  }

  /** The position up to which the file is complete, even if the process is killed. */
  get kept(): Position {
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

  /**
   * Writes one record of Unix ms `ts` without waiting. @param isMark the record is about the recording itself
   * and was not received
   */
  write(ts: number, line: string, isMark = false): void {
    this.#pack.write(line);
    this.frames += 1;
    if (!isMark) this.lines += 1;
    this.to = ts;
  }

  flush(): void {
    const { frames, lines, to } = this;
    this.#pack.flush(() => {
      // with a slow disk the byte count is incomplete: the next flush tries again
      if (this.#pack.readableLength === 0) this.#pushed.push({ frames, lines, to, bytes: this.#packedBytes });
    });
  }

  /** Ends the segment. It is completely in the file when this resolves, unless it failed. */
  async finishSegment(): Promise<void> {
    this.#pack.end();
    await this.#done;
    const { frames, lines, to, bytes } = this;
    if (!this.#failed) this.#pushed.push({ frames, lines, to, bytes });
  }
}

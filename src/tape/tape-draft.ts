// A tape that is written as a draft under another name until it is complete. The file ending decides the
// packing (.zst, .gz or plain).
import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { constants, createGzip, createZstdCompress } from 'node:zlib';
import { messageOf, OddsmakerError } from '../domain/index.ts';
import { dropAtExit, makeFolder } from '../files/index.ts';

const CHUNK = 256 * 1024;
/** Compression level 6 halves the size of the default, 3, where each line repeats most of the line before. */
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 6, [constants.ZSTD_c_windowLog]: 23 } };

export type TapeHeader = {
  /** Unix ms of its first frame. */
  readonly from: number;
  readonly depth: number | null;
  readonly perspective: unknown;
  readonly profile?: unknown;
};

export const headerText = ({ from, ...fields }: TapeHeader): string =>
  JSON.stringify({ tape: 1, from: new Date(from).toISOString(), ...fields });

export class TapeDraft {
  readonly file: string;
  readonly #draft: string;
  readonly #out: Writable;
  readonly #done: Promise<void>;
  readonly #target: Writable;
  readonly #cancelExitDrop: () => void;
  #lines: string[] = [];
  #length = 0;
  #problem: unknown;
  #hasEnded = false;

  /** @throws OddsmakerError OUT_UNWRITABLE */
  constructor(file: string) {
    this.file = file;
    this.#draft = `${file}.${process.pid}.draft`;
    try {
      makeFolder(dirname(file));
    } catch (error) {
      throw this.#unwritable(error);
    }
    const target = createWriteStream(this.#draft);
    this.#cancelExitDrop = dropAtExit(() => rmSync(this.#draft, { force: true }));
    const pack = file.endsWith('.zst') ? createZstdCompress(ZSTD) : file.endsWith('.gz') ? createGzip() : undefined;
    this.#target = target;
    this.#out = pack ?? target;
    pack?.pipe(target);
    const note = (error: unknown): void => {
      this.#problem ??= error;
      target.destroy();
      pack?.destroy();
    };
    target.on('error', note);
    pack?.on('error', note);
    this.#done = finished(target).catch(note);
  }

  /**
   * Writes one line. Returns a promise to wait for where the disk is slower. @throws OddsmakerError
   * OUT_UNWRITABLE
   */
  write(line: string): Promise<void> | undefined {
    this.#lines.push(line);
    this.#length += line.length + 1;
    return this.#length < CHUNK ? undefined : this.#flush();
  }

  async #flush(): Promise<void> {
    const text = this.#lines.length === 0 ? '' : `${this.#lines.join('\n')}\n`;
    this.#lines = [];
    this.#length = 0;
    this.#check();
    if (text === '' || this.#out.write(text)) return;
    await Promise.race([once(this.#out, 'drain').catch(() => undefined), this.#done]);
    this.#check();
  }

  /** Completes the tape and replaces the file of that name. @throws OddsmakerError OUT_UNWRITABLE */
  async keep(): Promise<void> {
    await this.#flush();
    this.#out.end();
    await this.#done;
    this.#hasEnded = true;
    this.#cancelExitDrop();
    try {
      this.#check();
      renameSync(this.#draft, this.file);
    } catch (error) {
      rmSync(this.#draft, { force: true });
      throw error instanceof OddsmakerError ? error : this.#unwritable(error);
    }
  }

  /** Removes an incomplete draft. Does nothing after `keep`. */
  async drop(): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#out.destroy();
    this.#target.destroy();
    await this.#done;
    this.#cancelExitDrop();
    rmSync(this.#draft, { force: true });
  }

  #check(): void {
    if (this.#problem !== undefined) throw this.#unwritable(this.#problem);
  }

  #unwritable(error: unknown): OddsmakerError {
    return new OddsmakerError('OUT_UNWRITABLE', `${this.file}: it cannot be written: ${messageOf(error)}`);
  }
}

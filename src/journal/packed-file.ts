// A packed part of a journal: one zstd stream, flushed by every `pack`, so that flushed text survives a kill.
// zstd runs on another thread; text that must not wait for it is written to the tail (journal-tail.ts).
import { closeSync, openSync, writeSync } from 'node:fs';
import type { ZstdCompress } from 'node:zlib';
import { constants, createZstdCompress } from 'node:zlib';
import { asSystemError } from '../files/index.ts';
import type { FileReport, JournalFile } from './journal-file.ts';
import { PRIVATE_FILE } from './journal-file.ts';
import { TailWriter } from './journal-tail.ts';

/** Compression level: a fifth smaller files than at the default of 3, and still far faster than any feed. */
const LEVEL = 6;

export class PackedFile implements JournalFile {
  readonly file: string;
  isDone = false;
  readonly #report: FileReport;
  readonly #fd: number;
  readonly #tail: TailWriter;
  readonly #zstd: ZstdCompress;
  /** Bytes of text: in total, given to zstd, in the file, and in the file or its tail. */
  #length = 0;
  #given = 0;
  #packed = 0;
  #secured = 0;
  /** Text not yet given to zstd, and text not yet secured. */
  #fresh: Buffer[] = [];
  #unsecured: Buffer[] = [];
  /** Packed data that is not in the file yet. */
  #packs: Buffer[] = [];
  #size = 0;
  /** Pending while zstd packs. */
  #packing: Promise<void> | undefined;
  #isFinished = false;
  #hasEnded = false;

  /** Creates the file and its tails. @throws the error of the file system */
  constructor(file: string, report: FileReport) {
    this.file = file;
    this.#report = report;
    this.#fd = openSync(file, 'wx', PRIVATE_FILE);
    this.#tail = new TailWriter(file);
    this.#zstd = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: LEVEL } });
    this.#zstd.on('data', (pack: Buffer) => this.#packs.push(pack));
    this.#zstd.on('error', report.failed);
  }

  get waiting(): number {
    return this.#length - this.#secured;
  }

  get held(): number {
    return this.#length - this.#packed;
  }

  appendLine(line: Buffer): void {
    this.#length += line.length;
    this.#fresh.push(line);
    this.#unsecured.push(line);
  }

  secure(): void {
    if (this.isDone || this.waiting === 0) return;
    try {
      this.#tail.write(this.#secured, Buffer.concat(this.#unsecured));
    } catch (error) {
      this.#report.refused(asSystemError(error));
      return;
    }
    this.#unsecured = [];
    this.#secured = this.#length;
    this.#report.taken();
  }

  pack(): void {
    if (this.isDone || this.#packing !== undefined || !this.#write()) return;
    if (this.#hasEnded) {
      this.#close(true);
      return;
    }
    if (this.#given === this.#length && !this.#isFinished) return;
    const text = Buffer.concat(this.#fresh);
    this.#fresh = [];
    this.#given = this.#length;
    this.#tail.turn();
    this.#packing = (this.#isFinished ? this.#end(text) : this.#flush(text)).then(() => {
      this.#packing = undefined;
      if (this.isDone) return;
      this.#write();
      if (this.#hasEnded) this.pack();
    });
  }

  #flush(text: Buffer): Promise<void> {
    return new Promise((resolve) => {
      this.#zstd.once('close', resolve);
      this.#zstd.write(text);
      this.#zstd.flush(constants.ZSTD_e_flush, () => {
        this.#zstd.off('close', resolve);
        resolve();
      });
    });
  }

  #end(text: Buffer): Promise<void> {
    return new Promise((resolve) => {
      this.#zstd.once('close', resolve);
      this.#zstd.once('end', () => {
        this.#hasEnded = true;
        resolve();
      });
      this.#zstd.end(text);
    });
  }

  /** Writes all packed data to the file. False when the disk refuses. */
  #write(): boolean {
    try {
      while (this.#packs.length > 0) {
        const [pack] = this.#packs as [Buffer];
        // at an explicit position, so that a partial write is overwritten on the next try
        for (let written = 0; written < pack.length;)
          written += writeSync(this.#fd, pack, written, pack.length - written, this.#size + written);
        this.#size += pack.length;
        this.#packs.shift();
      }
    } catch (error) {
      this.#report.refused(asSystemError(error));
      return false;
    }
    this.#applyPacked(this.#given);
    return true;
  }

  #applyPacked(to: number): void {
    if (to === this.#packed) return;
    this.#packed = to;
    this.#tail.applyPacked(to);
    while (this.#secured < to) this.#secured += this.#unsecured.shift()?.length ?? to;
    this.#report.taken();
  }

  finish(): void {
    this.#isFinished = true;
  }

  idle(): Promise<void> {
    return this.#packing ?? Promise.resolve();
  }

  abandon(): void {
    if (!this.isDone) this.#close(false);
  }

  #close(isWhole: boolean): void {
    this.isDone = true;
    this.#fresh = [];
    this.#unsecured = [];
    this.#packs = [];
    this.#zstd.destroy();
    try {
      closeSync(this.#fd);
      this.#tail.close(isWhole);
    } catch (error) {
      this.#report.failed(asSystemError(error));
    }
  }
}

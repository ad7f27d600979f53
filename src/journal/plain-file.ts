// An unpacked part of a journal, for backtests, which need no protection against a kill.
import { closeSync, openSync, writeSync } from 'node:fs';
import { asSystemError } from '../files/index.ts';
import type { FileReport, JournalFile } from './journal-file.ts';
import { PRIVATE_FILE } from './journal-file.ts';

export class PlainFile implements JournalFile {
  readonly file: string;
  waiting = 0;
  isDone = false;
  readonly #report: FileReport;
  readonly #fd: number;
  #lines: Buffer[] = [];
  #isFinished = false;

  /** Creates the file. @throws the error of the file system */
  constructor(file: string, report: FileReport) {
    this.file = file;
    this.#report = report;
    this.#fd = openSync(file, 'wx', PRIVATE_FILE);
  }

  get held(): number {
    return this.waiting;
  }

  appendLine(line: Buffer): void {
    this.#lines.push(line);
    this.waiting += line.length;
  }

  secure(): void {
    // nothing to do: a backtest sends no request out of the process
  }

  pack(): void {
    if (this.isDone || !this.#write() || !this.#isFinished) return;
    this.abandon();
  }

  #write(): boolean {
    if (this.#lines.length === 0) return true;
    const bytes = Buffer.concat(this.#lines);
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(this.#fd, bytes, written);
    } catch (error) {
      this.#report.refused(asSystemError(error));
      return false;
    } finally {
      this.#lines = written < bytes.length ? [bytes.subarray(written)] : [];
      this.waiting -= written;
    }
    this.#report.taken();
    return true;
  }

  finish(): void {
    this.#isFinished = true;
  }

  idle(): Promise<void> {
    return Promise.resolve();
  }

  abandon(): void {
    if (this.isDone) return;
    this.isDone = true;
    this.#lines = [];
    this.waiting = 0;
    try {
      closeSync(this.#fd);
    } catch (error) {
      this.#report.failed(asSystemError(error));
    }
  }
}

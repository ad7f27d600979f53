// Shows the progress of a command that reads a long journal, as one line on a terminal.
import { statSync } from 'node:fs';
import { partsOf } from './journal-parts.ts';
import { LiveLine } from '../terminal/index.ts';

/** Records between two updates of the line. */
const RECORDS_PER_DRAW = 512;

export class JournalProgress {
  readonly #line: LiveLine;
  readonly #startedAt = performance.now();
  readonly #activity: string;
  readonly #bytes: number;
  #records = 0;
  #read = 0;

  /** `journal` is the path of the journal. `activity` is shown at the start of the line. */
  constructor(out: NodeJS.WriteStream, journal: string, activity: string) {
    this.#line = new LiveLine(out);
    this.#activity = activity;
    this.#bytes = partsOf(journal).reduce((sum, { file }) => sum + sizeOf(file), 0);
  }

  /** Notes the bytes of its files read so far. */
  read(bytes: number): void {
    this.#read = bytes;
  }

  /** Counts a record. */
  advance(): void {
    this.#records += 1;
    if (this.#records % RECORDS_PER_DRAW === 0) this.#line.draw((now) => this.#textAt(now));
  }

  clearLine(): void {
    this.#line.clearLine();
  }

  #textAt(now: number): string {
    const perSecond = Math.round((this.#records * 1000) / (now - this.#startedAt));
    const share = this.#bytes === 0 ? 0 : Math.min(1, this.#read / this.#bytes);
    const left = share > 0 ? ((now - this.#startedAt) * (1 - share)) / share : undefined;
    return [
      `${this.#activity}: ${Math.floor(share * 100)} %`,
      `${this.#records.toLocaleString('en-US')} records`,
      `${perSecond.toLocaleString('en-US')}/s`,
      ...(left === undefined ? [] : [`${Math.ceil(left / 1000)} s left`]),
    ].join(', ');
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

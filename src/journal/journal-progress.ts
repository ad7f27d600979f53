// How far a command is that reads a long journal: one line on a terminal.
import { statSync } from 'node:fs';
import { partsOf } from './journal-parts.ts';
import { LiveLine } from '../terminal/index.ts';

/** Records between two looks at the clock. */
const LOOK_EVERY = 512;

export class JournalProgress {
  readonly #line: LiveLine;
  readonly #startedAt = performance.now();
  readonly #what: string;
  readonly #bytes: number;
  #records = 0;
  #read = 0;

  /** `journal`: what is read; `what`: is done with it. */
  constructor(out: NodeJS.WriteStream, journal: string, what: string) {
    this.#line = new LiveLine(out);
    this.#what = what;
    this.#bytes = partsOf(journal).reduce((sum, { file }) => sum + sizeOf(file), 0);
  }

  /** So many bytes of its files were read. */
  read(bytes: number): void {
    this.#read = bytes;
  }

  /** One more record was read. */
  advance(): void {
    this.#records += 1;
    if (this.#records % LOOK_EVERY === 0) this.#line.draw((now) => this.#textAt(now));
  }

  end(): void {
    this.#line.end();
  }

  #textAt(now: number): string {
    const perSecond = Math.round((this.#records * 1000) / (now - this.#startedAt));
    const share = this.#bytes === 0 ? 0 : Math.min(1, this.#read / this.#bytes);
    const left = share > 0 ? ((now - this.#startedAt) * (1 - share)) / share : undefined;
    return [
      `${this.#what}: ${Math.floor(share * 100)} %`,
      `${this.#records.toLocaleString('en-US')} records`,
      `${perSecond.toLocaleString('en-US')}/s`,
      ...(left === undefined ? [] : [`${Math.ceil(left / 1000)} s left`]),
    ].join(', ');
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

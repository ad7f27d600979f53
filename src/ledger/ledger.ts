// The bot's side of the ledger: it passes rows in batches to a writing thread. Nothing waits for it and
// nothing here throws. Rows that the disk refuses are tried again, also at the end of the run. A ledger that
// is gone or replaced is lost; one that refuses too many rows or for too long lacks rows, which the journal
// has. Either way the run continues, reports it once, and the next start knows (rules.md, 14 and 15).
import { Worker } from 'node:worker_threads';
import { ownModule } from '../files/index.ts';
import type { LedgerKey } from './file.ts';
import type { LedgerRow, StatementName, Value } from './schema.ts';
import type { FromThread, ThreadData, ToThread } from './thread.ts';

const ENTRY = ownModule('ledger/thread');
const FLUSH_MS = 250;
const AGAIN_MS = 2000;
/** Retry time at the end of a run, ms. */
const AGAIN_AT_END_MS = 250;
/** Most rows that may wait for the disk. */
const MOST_WAITING = 20_000;
/** How long the end of a run waits for the last rows, ms: another program may hold the ledger. */
const CLOSE_MS = 10_000;
/** Rows that document money: they do not wait for the next batch. */
const AT_ONCE: ReadonlySet<StatementName> = new Set([
  'fill',
  'settlement',
  'unsettlement',
  'action',
  'day',
  'halt',
  'run',
  'ended',
]);

/**
 * Why a ledger is not complete. `gone`: its former rows are lost. Otherwise it lacks only rows of this run,
 * which can be added from the journal.
 */
export type Incomplete = { readonly problem: string; readonly gone: boolean };

export type LedgerPorts = {
  /** Called when writing fails for now; with undefined when it works again. */
  readonly problem: (text: string | undefined) => void;
  /** Called when the ledger cannot become complete by itself. */
  readonly lost: (why: Incomplete) => void;
};

export class Ledger {
  readonly #thread: Worker;
  readonly #ports: LedgerPorts;
  #waiting: LedgerRow[] = [];
  #sent: readonly LedgerRow[] | undefined;
  #batch = 0;
  #timer: NodeJS.Timeout | undefined;
  #problem: string | undefined;
  #lost: Incomplete | undefined;
  #closing: (() => void) | undefined;

  constructor(
    options: { readonly file: string; readonly id: string; readonly key: LedgerKey; readonly run: string },
    ports: LedgerPorts,
  ) {
    this.#ports = ports;
    const workerData: ThreadData = options;
    this.#thread = new Worker(ENTRY, { workerData });
    this.#thread.unref();
    this.#thread.on('message', (message: FromThread) => this.#applyAnswer(message));
    this.#thread.on('error', (error) =>
      this.#lose(`its thread ended: ${error instanceof Error ? error.message : String(error)}`, false),
    );
  }

  /** Why the ledger is no longer complete. Undefined: it is, or will be. */
  get lost(): Incomplete | undefined {
    return this.#lost;
  }

  /** Number of rows that wait for the disk. */
  get waiting(): number {
    return this.#waiting.length + (this.#sent?.length ?? 0);
  }

  write(name: StatementName, values: Readonly<Record<string, Value>>): void {
    if (this.#lost !== undefined) return;
    this.#waiting.push({ name, values });
    if (this.waiting > MOST_WAITING) {
      this.#lose(`${this.waiting} rows wait for the disk: ${this.#problem ?? 'it is too slow'}`, false);
      return;
    }
    if (AT_ONCE.has(name) && this.#problem === undefined) this.#flush();
    else this.#flushLater(FLUSH_MS);
  }

  #flushLater(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#flush();
    }, ms);
  }

  #flush(): void {
    if (this.#sent !== undefined || this.#waiting.length === 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sent = this.#waiting;
    this.#waiting = [];
    this.#batch += 1;
    this.#post({ batch: this.#batch, rows: this.#sent });
  }

  #post(message: ToThread): void {
    this.#thread.postMessage(message);
  }

  #applyAnswer(message: FromThread): void {
    if (message === 'closed') {
      this.#closing?.();
      return;
    }
    if (this.#lost !== undefined) return;
    if ('done' in message) {
      this.#sent = undefined;
      if (this.#problem !== undefined) this.#ports.problem((this.#problem = undefined));
      if (this.#closing !== undefined) this.#end();
      else if (this.#waiting.some(({ name }) => AT_ONCE.has(name))) this.#flush();
      else if (this.#waiting.length > 0) this.#flushLater(FLUSH_MS);
      return;
    }
    if (message.isLost) {
      this.#lose(message.problem, true);
      return;
    }
    if (this.#problem === undefined) this.#ports.problem(message.problem);
    this.#problem = message.problem;
    this.#waiting = [...(this.#sent ?? []), ...this.#waiting];
    this.#sent = undefined;
    this.#flushLater(this.#closing === undefined ? AGAIN_MS : AGAIN_AT_END_MS);
  }

  #lose(problem: string, gone: boolean): void {
    if (this.#lost !== undefined) return;
    this.#lost = { problem, gone };
    this.#waiting = [];
    this.#sent = undefined;
    clearTimeout(this.#timer);
    this.#ports.lost(this.#lost);
    if (this.#closing !== undefined) this.#end();
  }

  /** Writes the waiting rows, and tries refused ones again. It waits for at most CLOSE_MS. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#closing = resolve;
      timer = setTimeout(() => {
        const rows = `${this.waiting} rows were not taken within ${CLOSE_MS / 1000} s`;
        this.#lose(`${rows}: ${this.#problem ?? 'the disk is too slow'}`, false);
        resolve();
      }, CLOSE_MS);
      if (this.#sent === undefined) this.#end();
    });
    clearTimeout(timer);
    void this.#thread.terminate();
  }

  #end(): void {
    if (this.#lost === undefined && this.#waiting.length > 0) this.#flush();
    else this.#post('close');
  }
}

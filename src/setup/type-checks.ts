// Asks the thread of the type checker.
import { Worker } from 'node:worker_threads';
import { messageOf } from '../domain/index.ts';
import type { Typed } from './type-check.ts';

const ENTRY = new URL(import.meta.url.replace(/type-checks(\.[jt]s)$/, 'type-check-thread$1'));

export class TypeChecks {
  readonly #thread: Worker;
  /** Who waits for an answer: the first one asked first. */
  readonly #asked: ((typed: Typed) => void)[] = [];
  /** It answers nothing any more. */
  #gone: Typed | undefined;

  /** @param beside a file in whose folder, or above, typescript may be installed */
  constructor(beside: string) {
    this.#thread = new Worker(ENTRY, { workerData: { beside } });
    this.#thread.unref();
    this.#thread.on('message', (typed: Typed) => this.#asked.shift()?.(typed));
    this.#thread.on('error', (error) => this.#end(`the type checker failed: ${messageOf(error)}`));
    this.#thread.on('exit', () => this.#end('the type checker ended'));
  }

  check(files: readonly string[]): Promise<Typed> {
    if (this.#gone !== undefined) return Promise.resolve(this.#gone);
    return new Promise((resolve) => {
      this.#asked.push(resolve);
      this.#thread.postMessage(files);
    });
  }

  #end(why: string): void {
    this.#gone ??= { problems: undefined, why };
    for (const answer of this.#asked.splice(0)) answer(this.#gone);
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }
}

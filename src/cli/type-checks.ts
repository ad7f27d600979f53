// Asks the thread of the type checker.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../domain/index.ts';
import type { Typed } from './type-check.ts';

const ENTRY = new URL(import.meta.url.replace(/type-checks(\.[jt]s)$/, 'type-check-thread$1'));

export class TypeChecks {
  readonly #thread: Worker;
  /** It answers nothing any more. */
  readonly #gone: Promise<[Typed]>;
  #last: Promise<unknown> = Promise.resolve();

  /** @param beside a file in whose folder, or above, typescript may be installed */
  constructor(beside: string) {
    this.#thread = new Worker(ENTRY, { workerData: { beside } });
    this.#thread.unref();
    this.#gone = new Promise((resolve) => {
      this.#thread.on('error', (error) => {
        resolve([{ problems: undefined, why: `the type checker failed: ${messageOf(error)}` }]);
      });
    });
  }

  /** One question at a time: the next message is the answer to it. */
  check(files: readonly string[]): Promise<Typed> {
    const answer = this.#last.then(async () => {
      this.#thread.postMessage(files);
      const told = once(this.#thread, 'message') as Promise<[Typed]>;
      const [typed] = await Promise.race([told, this.#gone]);
      return typed;
    });
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }
}

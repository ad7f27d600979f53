// Sends checks to the thread of the type checker.
import { Worker } from 'node:worker_threads';
import { messageOf } from '../domain/index.ts';
import { ownModule } from '../files/index.ts';
import type { Typed } from './type-check.ts';

const THREAD = ownModule('setup/type-check-thread');

export class TypeChecks {
  readonly #thread: Worker;
  /** Callbacks of pending checks, oldest first. The thread answers in order. */
  readonly #waiting: ((typed: Typed) => void)[] = [];
  /** The result of every check after the thread has ended. Undefined while it runs. */
  #endedResult: Typed | undefined;

  /** @param beside a file in whose folder, or above, typescript may be installed */
  constructor(beside: string) {
    this.#thread = new Worker(THREAD, { workerData: { beside } });
    this.#thread.unref();
    this.#thread.on('message', (typed: Typed) => this.#waiting.shift()?.(typed));
    this.#thread.on('error', (error) => this.#end(`the type checker failed: ${messageOf(error)}`));
    this.#thread.on('exit', () => this.#end('the type checker ended'));
  }

  check(files: readonly string[]): Promise<Typed> {
    if (this.#endedResult !== undefined) return Promise.resolve(this.#endedResult);
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#thread.postMessage(files);
    });
  }

  #end(why: string): void {
    this.#endedResult ??= { problems: undefined, why };
    for (const answer of this.#waiting.splice(0)) answer(this.#endedResult);
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }
}

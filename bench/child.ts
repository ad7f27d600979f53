// A child process for one side of a benchmark, which answers questions in turn. It ends with its parent,
// however the parent ends.
import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const FAREWELL_MS = 3_000;
/** The original `process.exit`, before the bot replaces it with a trap for strategies. */
const exit = process.exit.bind(process);

export class Child<Question extends object, Answer> {
  readonly #process: ChildProcess;

  /** `file`: a file in this folder. */
  constructor(file: string, args: readonly string[] = []) {
    this.#process = fork(fileURLToPath(new URL(file, import.meta.url)), args, {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
  }

  ask(question: Question): Promise<Answer> {
    const child = this.#process;
    return new Promise((resolve, reject) => {
      const ended = (): void => reject(new Error(`a process of the benchmark ended: ${child.spawnargs.join(' ')}`));
      if (!child.connected) {
        ended();
        return;
      }
      child.once('exit', ended);
      child.once('message', (message) => {
        child.off('exit', ended);
        resolve(message as Answer);
      });
      child.send(question);
    });
  }

  async close(): Promise<void> {
    const child = this.#process;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    const timer = setTimeout(() => child.kill('SIGKILL'), FAREWELL_MS);
    if (child.connected) child.disconnect();
    await exit;
    clearTimeout(timer);
  }
}

/** The child's side: answers every question of its parent, and exits when the parent has ended. */
export function serve<Question, Answer>(answer: (question: Question) => Answer | Promise<Answer>): void {
  process.on('disconnect', () => exit());
  process.on('message', (question) => {
    void Promise.resolve(answer(question as Question)).then((reply) => process.send?.(reply));
  });
}

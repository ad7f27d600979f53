// A process that runs one command after the other as bin/oddsmaker.js does, and answers with what each of them wrote: a
// test file starts one of them instead of a process for each command (`command` in children.ts).
import { Console } from 'node:console';
import type { Ended } from './children.ts';

export type Order = { readonly args: readonly string[] };

// as it is now: strategies find another one
const exit = process.exit.bind(process);
globalThis.console = new Console(process.stderr);
const { main } = await import('../../src/index.ts');

/** What a command listens for while it runs; whatever it leaves must not answer for the next one. */
const HEARD = ['uncaughtException', 'unhandledRejection', 'SIGINT', 'SIGTERM', 'SIGHUP', 'exit'];

const said = { stdout: '', stderr: '' };
for (const stream of ['stdout', 'stderr'] as const)
  process[stream].write = (text: string | Uint8Array, ...more: readonly unknown[]): boolean => {
    said[stream] += String(text);
    const written = more.at(-1);
    if (typeof written === 'function') process.nextTick(written);
    return true;
  };

process.on('message', ({ args }: Order) => {
  void main(args).then((code) => {
    const ended: Ended = { code, ...said };
    said.stdout = said.stderr = '';
    for (const event of HEARD) process.removeAllListeners(event);
    process.exitCode = 0;
    process.send?.(ended);
  });
});
process.on('disconnect', () => exit());

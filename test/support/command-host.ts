// A process that runs one command after the other as bin/oddsmaker.js does, and sends the output of each. A
// test file starts one such process instead of a process for each command (`command` in children.ts).
import { Console } from 'node:console';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Program from '../../src/index.ts';
import type { Ended } from './children.ts';
import { BUILT } from './children.ts';

export type CommandRequest = { readonly args: readonly string[] };

// the original exit, since strategies get another one
const exit = process.exit.bind(process);
globalThis.console = new Console(process.stderr);
const { main } = (await import(
  BUILT === undefined ? '../../src/index.ts' : pathToFileURL(join(BUILT, 'dist/index.js')).href
)) as typeof Program;

/** The events that a command listens to. Listeners that it leaves must not act for the next command. */
const EVENTS = ['uncaughtException', 'unhandledRejection', 'SIGINT', 'SIGTERM', 'SIGHUP', 'exit'];

const output = { stdout: '', stderr: '' };
for (const stream of ['stdout', 'stderr'] as const)
  process[stream].write = (text: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    output[stream] += String(text);
    const written = rest.at(-1);
    if (typeof written === 'function') process.nextTick(written);
    return true;
  };

process.on('message', ({ args }: CommandRequest) => {
  void main(args).then((code) => {
    const ended: Ended = { code, ...output };
    output.stdout = output.stderr = '';
    for (const event of EVENTS) process.removeAllListeners(event);
    process.exitCode = 0;
    process.send?.(ended);
  });
});
process.on('disconnect', () => exit());

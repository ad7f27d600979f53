// Guards the terminal: no name in what a command, its threads or a strategy print on stdout and stderr can
// control the terminal. Line breaks in names are left to the code that prints the name (`printable`).
import { StringDecoder } from 'node:string_decoder';
import { printableLines, redacted } from '../domain/index.ts';

const guarded = new WeakSet<NodeJS.WriteStream>();

/**
 * Guards a stream from now on. Messages on stderr also lose the secrets of the environment. Safe to call
 * twice.
 */
export function guardOutput(stream: NodeJS.WriteStream): void {
  if (guarded.has(stream)) return;
  guarded.add(stream);
  const write = stream.write.bind(stream) as (text: string, ...more: readonly unknown[]) => boolean;
  // a character may be split between two chunks of a thread's output
  const decoder = new StringDecoder('utf8');
  stream.write = (chunk: string | Uint8Array, ...more: readonly unknown[]): boolean => {
    const text = typeof chunk === 'string' ? chunk : decoder.write(chunk);
    return write(printableLines(stream === process.stderr ? redacted(text) : text), ...more);
  };
}

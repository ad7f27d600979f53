// The one door to the terminal: whatever a command, a thread of it or a strategy prints on stdout and stderr, no name in it is an
// order to the terminal. What line breaks in names do, only who prints the name can know (`printable`).
import { StringDecoder } from 'node:string_decoder';
import { printableLines, withoutTaken } from '../domain/index.ts';

const guarded = new WeakSet<NodeJS.WriteStream>();

/** From now on; once is enough. Stderr is for messages: no secret of the environment stands in them. */
export function guardOutput(stream: NodeJS.WriteStream): void {
  if (guarded.has(stream)) return;
  guarded.add(stream);
  const write = stream.write.bind(stream) as (text: string, ...more: readonly unknown[]) => boolean;
  // a character may lie in two pieces of what a thread prints
  const decoder = new StringDecoder('utf8');
  stream.write = (chunk: string | Uint8Array, ...more: readonly unknown[]): boolean => {
    const text = typeof chunk === 'string' ? chunk : decoder.write(chunk);
    return write(printableLines(stream === process.stderr ? withoutTaken(text) : text), ...more);
  };
}

// What a command has to say beside its output.
import { printable } from '../domain/index.ts';

/** Writes a line to standard error. */
export function say(text: string): void {
  process.stderr.write(`oddsmaker: ${printable(text)}\n`);
}

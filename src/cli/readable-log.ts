// The log for people: one line an event, time, level, sentence, fields. For commands that do nothing but log, on a terminal.
import { printable, withoutSecrets } from '../domain/index.ts';
import type { Fields, Log } from '../ops/index.ts';

export function readableLog(out: { readonly write: (text: string) => unknown }): Log {
  const line =
    (level: string) =>
    (message: string, fields: Fields = {}): void => {
      const told = Object.entries(withoutSecrets(fields) as Fields)
        .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
        .join('  ');
      out.write(
        `${new Date().toISOString().slice(11, 19)} ${level} ${printable(`${message}${told === '' ? '' : `  ${told}`}`)}\n`,
      );
    };
  return { debug: () => undefined, info: line('     '), warn: line('WARN '), error: line('ERROR') };
}

// The log as text for people: one line an event with time, level, sentence and fields. Used on a terminal by
// commands that only log.
import { printable, withoutSecrets } from '../domain/index.ts';
import type { Fields, Log } from '../ops/index.ts';

export function readableLog(out: { readonly write: (text: string) => unknown }): Log {
  const line =
    (level: string) =>
    (message: string, fields: Fields = {}): void => {
      const fieldText = Object.entries(withoutSecrets(fields) as Fields)
        .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
        .join('  ');
      out.write(
        `${new Date().toISOString().slice(11, 19)} ${level} ${printable(`${message}${fieldText === '' ? '' : `  ${fieldText}`}`)}\n`,
      );
    };
  return { debug: () => undefined, info: line('     '), warn: line('WARN '), error: line('ERROR') };
}

// What a strategy hands over to be kept: a copy that is JSON, whatever it was.
import { messageOf } from '../domain/index.ts';

const LONGEST = 10_000;

/** Never throws: untyped strategies also log errors and numbers. */
export function plainMessage(message: unknown): string {
  try {
    return messageOf(message);
  } catch {
    return 'a message that cannot be written';
  }
}

/** Never throws. Big integers are text; what cannot be written, or is very long, is told as such. */
export function plainFields(fields: unknown): Readonly<Record<string, unknown>> {
  let text: string | undefined;
  try {
    text = JSON.stringify(fields, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  } catch (error) {
    return { unreadable: error instanceof Error ? error.message.split('\n')[0] : 'it threw' };
  }
  if (text === undefined) return {};
  if (text.length > LONGEST) return { cut: text.slice(0, LONGEST) };
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : { value };
}

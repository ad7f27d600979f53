// Turns what a strategy logs into plain JSON copies. Nothing here throws, whatever the strategy passes.
import { messageOf } from '../domain/index.ts';

const LONGEST = 10_000;

/** The log message as text. Never throws: untyped strategies also log errors and numbers. */
export function plainMessage(message: unknown): string {
  try {
    return messageOf(message);
  } catch {
    return 'a message that cannot be written';
  }
}

/**
 * The log fields as plain JSON. Big integers become text. Fields that cannot be serialized become `{
 * unreadable }`, and fields longer than 10,000 characters become `{ cut }`. Never throws.
 */
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

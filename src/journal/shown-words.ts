// What a journal has for people, alerts and the words of strategies, shows no secret of the environment. All else of a step is kept as
// it was.
import type { Command, RunEvent, Why } from '../domain/index.ts';
import { namesTaken, withoutTaken } from '../domain/index.ts';

type Said = Command | RunEvent;
/** What is for people as a whole. */
const WORDS: ReadonlySet<Said['type']> = new Set([
  'alert',
  'Alert',
  'OperatorActed',
  'StateChanged',
  'StrategyQuarantined',
] as const);

/** As a journal has it. */
export function recordedCommand(command: Command): Command {
  if (command.type === 'alert') return hidden(command);
  if (!('why' in command) || command.why === undefined) return command;
  if (command.type === 'edit') return { ...command, why: recordedWhy(command.why) };
  const why = command.why.map(recordedWhy);
  return { ...command, why };
}

const recordedWhy = (why: Why): Why => (why.said === undefined ? why : { ...why, said: withoutTaken(why.said) });

/** The same of what happened. */
export function recordedEvent(event: RunEvent): RunEvent {
  if (WORDS.has(event.type)) return hidden(event);
  switch (event.type) {
    case 'OrderRejected':
    case 'OrderUnknown':
      return { ...event, reason: withoutTaken(event.reason) };
    case 'OrderSubmitted':
      return event.why === undefined ? event : { ...event, why: recordedWhy(event.why) };
    case 'Fill':
      return event.reason === undefined ? event : { ...event, reason: withoutTaken(event.reason) };
    case 'CancelSubmitted': {
      const orders = event.orders.map((one) => (one.why === undefined ? one : { ...one, why: recordedWhy(one.why) }));
      return { ...event, orders };
    }
    default:
      return event;
  }
}

function hidden<T>(command: T): T {
  const text = JSON.stringify(command);
  const shown = withoutTaken(text);
  // values are looked for as they stand in JSON, and names have nothing to be escaped
  return shown === text ? command : (JSON.parse(text, hideText) as T);
}

/** A number that has the digits of a secret is a number all the same. */
const hideText = (_key: string, value: unknown): unknown => (typeof value === 'string' ? withoutTaken(value) : value);

/**
 * True where a replay came to the recorded commands, byte for byte; in the words for people, a name of the environment stands for
 * whatever its value was.
 */
export function areAsRecorded(recorded: readonly Said[], replayed: readonly Said[]): boolean {
  if (JSON.stringify(recorded) === JSON.stringify(replayed)) return true;
  return (
    recorded.length === replayed.length && recorded.every((command, index) => isAsRecorded(command, replayed[index]))
  );
}

function isAsRecorded(recorded: Said, replayed: Said | undefined): boolean {
  const text = JSON.stringify(recorded);
  const now = JSON.stringify(replayed);
  if (text === now) return true;
  if (replayed === undefined || !namesTaken(text)) return false;
  // orders, ids and numbers are never altered: outside of the words both are the same
  if (!WORDS.has(recorded.type) && wordless(recorded) !== wordless(replayed)) return false;
  const parts = text.split(/\$\{\w+\}/).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('(?:[^"\\\\]|\\\\.)*')}$`, 's').test(now);
}

const wordless = (command: Said): string =>
  JSON.stringify(command, (key, value: unknown) => (key === 'said' || key === 'reason' ? undefined : value));

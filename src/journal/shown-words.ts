// Hides secrets of the environment in the texts of a journal: alerts and texts of strategies. Everything else
// of a step is recorded unchanged.
import type { Command, RunEvent, Why } from '../domain/index.ts';
import { namesTaken, redacted } from '../domain/index.ts';

type JournalEntry = Command | RunEvent;
/** Types whose texts may all hold secrets. */
const TEXT_TYPES: ReadonlySet<JournalEntry['type']> = new Set([
  'alert',
  'Alert',
  'OperatorActed',
  'StateChanged',
  'StrategyQuarantined',
  'ValuePersisted',
  'SeriesLogged',
] as const);

/** The command as recorded in a journal. */
export function recordedCommand(command: Command): Command {
  if (command.type === 'alert') return hidden(command);
  if (!('why' in command) || command.why === undefined) return command;
  if (command.type === 'edit') return { ...command, why: recordedWhy(command.why) };
  const why = command.why.map(recordedWhy);
  return { ...command, why };
}

const recordedWhy = (why: Why): Why => (why.said === undefined ? why : { ...why, said: redacted(why.said) });

/** The event as recorded in a journal. */
export function recordedEvent(event: RunEvent): RunEvent {
  if (TEXT_TYPES.has(event.type)) return hidden(event);
  switch (event.type) {
    case 'OrderRejected':
    case 'OrderUnknown':
      return { ...event, reason: redacted(event.reason) };
    case 'OrderSubmitted':
      return event.why === undefined ? event : { ...event, why: recordedWhy(event.why) };
    case 'Fill':
      return event.reason === undefined ? event : { ...event, reason: redacted(event.reason) };
    case 'CancelSubmitted': {
      const orders = event.orders.map((row) => (row.why === undefined ? row : { ...row, why: recordedWhy(row.why) }));
      return { ...event, orders };
    }
    default:
      return event;
  }
}

function hidden<T>(command: T): T {
  const text = JSON.stringify(command);
  const shown = redacted(text);
  // redacted also finds values in their JSON form, so an unchanged text has no secret
  return shown === text ? command : (JSON.parse(text, hideText) as T);
}

/** Reviver that hides secrets in texts. Numbers with the digits of a secret stay unchanged. */
const hideText = (_key: string, value: unknown): unknown => (typeof value === 'string' ? redacted(value) : value);

/**
 * True when a replay produced the recorded commands or events, byte for byte. In texts for people, a recorded
 * `${NAME}` matches any value.
 */
export function areAsRecorded(recorded: readonly JournalEntry[], replayed: readonly JournalEntry[]): boolean {
  if (JSON.stringify(recorded) === JSON.stringify(replayed)) return true;
  return (
    recorded.length === replayed.length && recorded.every((command, index) => isAsRecorded(command, replayed[index]))
  );
}

function isAsRecorded(recorded: JournalEntry, replayed: JournalEntry | undefined): boolean {
  const text = JSON.stringify(recorded);
  const now = JSON.stringify(replayed);
  if (text === now) return true;
  if (replayed === undefined || !namesTaken(text)) return false;
  // orders, ids and numbers are recorded unchanged, so everything outside of the texts must be equal
  if (!TEXT_TYPES.has(recorded.type) && withoutWords(recorded) !== withoutWords(replayed)) return false;
  const parts = text.split(/\$\{\w+\}/).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('(?:[^"\\\\]|\\\\.)*')}$`, 's').test(now);
}

const withoutWords = (command: JournalEntry): string =>
  JSON.stringify(command, (key, value: unknown) => (key === 'said' || key === 'reason' ? undefined : value));

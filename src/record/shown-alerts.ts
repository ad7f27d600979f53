// Alerts in a journal are for people: no secret of the environment stands in them. All else of a step is kept as it was.
import type { Command } from '../domain/index.ts';
import { namesTaken, withoutTaken } from '../domain/index.ts';

/** As a journal has it. */
export function recordedCommand(command: Command): Command {
  if (command.type !== 'alert') return command;
  const text = JSON.stringify(command);
  const shown = withoutTaken(text);
  // values are looked for as they stand in JSON, and names have nothing to be escaped
  return shown === text ? command : (JSON.parse(shown) as Command);
}

/**
 * True where a replay came to the recorded commands, byte for byte; in an alert, a name of the environment stands for whatever its
 * value was.
 */
export function areAsRecorded(recorded: readonly Command[], replayed: readonly Command[]): boolean {
  if (JSON.stringify(recorded) === JSON.stringify(replayed)) return true;
  return (
    recorded.length === replayed.length &&
    recorded.every((command, index) => isAsRecorded(command, replayed[index]))
  );
}

function isAsRecorded(recorded: Command, replayed: Command | undefined): boolean {
  const text = JSON.stringify(recorded);
  const now = JSON.stringify(replayed);
  if (text === now) return true;
  if (recorded.type !== 'alert' || replayed?.type !== 'alert' || !namesTaken(text)) return false;
  const parts = text.split(/\$\{\w+\}/).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('(?:[^"\\\\]|\\\\.)*')}$`, 's').test(now);
}

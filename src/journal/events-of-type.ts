// Reads the events of one type of a journal of format 2. Only the lines that have such an event are parsed, and
// the chain is not checked: for types that are rare among the frames.
import type { EventOf, EventType } from '../domain/index.ts';
import { partsOf } from './journal-parts.ts';
import { isCutOff, unpackedLines } from './unpacked.ts';

/** A line begins with its record's number, and with the time where it has the input. */
const TIME = /^\{"seq":\d+,"t":(-?[\d.e+]+)/;
const TIME_KEY = Buffer.from(',"t":');
/** No time begins behind this byte. */
const LONGEST_HEAD = 40;

/**
 * Yields the events of a type, with the time of their step in Unix ms. It ends where the journal breaks off.
 * @param journal the journal, with all its parts
 */
export async function* eventsOfType<Type extends EventType>(
  journal: string,
  type: Type,
): AsyncGenerator<{ readonly t: number; readonly event: EventOf<Type> }, void, void> {
  const key = Buffer.from(JSON.stringify({ type }).slice(1, -1));
  let input: Buffer | undefined;
  try {
    for (const { file } of partsOf(journal))
      for await (const line of unpackedLines(file)) {
        if (line.subarray(0, LONGEST_HEAD).includes(TIME_KEY)) {
          input = line;
          continue;
        }
        if (input === undefined || !line.includes(key)) continue;
        const [, time] = TIME.exec(input.toString('latin1', 0, 2 * LONGEST_HEAD)) ?? [];
        if (time === undefined) continue;
        for (const event of eventsIn(line))
          if (event.type === type) yield { t: Number(time), event: event as EventOf<Type> };
      }
  } catch (error) {
    if (!isCutOff(error)) throw error;
  }
}

type Typed = { readonly type?: unknown };

function eventsIn(line: Buffer): readonly Typed[] {
  try {
    const { ev } = Object(JSON.parse(line.toString('utf8'))) as { readonly ev?: unknown };
    return Array.isArray(ev) ? (ev as readonly Typed[]) : [];
  } catch {
    // the last line of a run that was killed is torn
    return [];
  }
}

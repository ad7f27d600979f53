// Reads a file of odds: one document, or a history of documents, one per line, each with its time. Of every event
// the newest prices before its start count: prices in play need a score, which no odds document has.
import { isUnixMs, messageOf } from '../domain/index.ts';
import type { OddsEvent } from './odds-event.ts';
import { readOddsList } from './odds-shape.ts';

export type DatedEvent = {
  readonly event: OddsEvent;
  /** When its prices were read, Unix ms. */
  readonly readAt: number;
  /** True when all of its prices are of the time after its start. */
  readonly isLive: boolean;
};

export type OddsFile = {
  readonly events: readonly DatedEvent[];
  /** What cannot be read: by line, or by event, book and outcome. */
  readonly faults: readonly string[];
};

/** Reads the text of a file. Returns the problem as text when it has no odds document. */
export function readOddsFile(text: string): OddsFile | string {
  if (text.trim() === '') return 'it is empty';
  const whole = parsed(text);
  const newest = new Map<string, DatedEvent>();
  const faults = new Set<string>();
  let documents = 0;
  const take = (value: unknown, where: string): void => {
    const { list, ts } = listIn(value);
    const content = readOddsList(list);
    if (typeof content === 'string') {
      faults.add(`${where}${content}`);
      return;
    }
    documents += 1;
    for (const fault of content.faults) faults.add(fault);
    for (const event of content.events) {
      const readAt = ts ?? newestOf(event);
      const dated = { event, readAt, isLive: readAt >= event.start };
      const key = JSON.stringify([event.id, event.home, event.away]);
      if (isBetter(dated, newest.get(key))) newest.set(key, dated);
    }
  };
  if (whole.type === 'json') take(whole.value, '');
  else
    for (const [index, line] of text.split('\n').entries()) {
      if (line.trim() === '') continue;
      const read = parsed(line);
      if (read.type === 'json') take(read.value, `line ${index + 1}: `);
      else faults.add(`line ${index + 1}: it is no JSON: ${read.problem}`);
    }
  if (documents === 0) return [...faults][0] ?? 'it has no odds document';
  return { events: [...newest.values()], faults: [...faults] };
}

type Parsed = { readonly type: 'json'; readonly value: unknown } | { readonly type: 'other'; readonly problem: string };
function parsed(text: string): Parsed {
  try {
    return { type: 'json', value: JSON.parse(text) as unknown };
  } catch (error) {
    return { type: 'other', problem: messageOf(error) };
  }
}

/** A line of a history is `{ts, data: [events]}`, Unix ms. */
function listIn(value: unknown): { readonly list: unknown; readonly ts: number | undefined } {
  if (typeof value !== 'object' || value === null || !('data' in value)) return { list: value, ts: undefined };
  const ts = 'ts' in value && typeof value.ts === 'number' && isUnixMs(value.ts) ? value.ts : undefined;
  return { list: value.data, ts };
}

/** The newest time of an event's prices, Unix ms; its start, without any: they are taken as closing prices. */
function newestOf({ books, start }: OddsEvent): number {
  const times = books.flatMap(({ markets }) =>
    markets.flatMap(({ updated }) => (updated === undefined ? [] : [updated])),
  );
  return times.length === 0 ? start - 1 : Math.max(...times);
}

function isBetter(next: DatedEvent, known: DatedEvent | undefined): boolean {
  if (known === undefined || known.isLive !== next.isLive) return known === undefined || known.isLive;
  return next.readAt >= known.readAt;
}

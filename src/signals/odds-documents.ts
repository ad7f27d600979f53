// Reads a file of odds: one document, or a history of documents, one per line, each with its time. Of every event
// the newest prices before its start count: prices in play need a score, which no odds document has.
import { isUnixMs, messageOf, parseTime } from '../domain/index.ts';
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

/** A document as it stands in a text. */
export type DocumentText = {
  /** Its events, not read yet. */
  readonly list: unknown;
  /** When it was fetched, Unix ms. Undefined when the text does not show it. */
  readonly ts: number | undefined;
  /** True for a document of a single event: others of its sport may be in other documents. */
  readonly isPart: boolean;
  /** Its place in the text, for messages: `line 7: `, or nothing. */
  readonly where: string;
};

/** The documents of a text: one document, or one per line. A line that is no JSON is a fault. */
export function documentsIn(text: string): {
  readonly documents: readonly DocumentText[];
  readonly faults: readonly string[];
} {
  const whole = parsed(text);
  if (whole.type === 'json') return { documents: [documentOf(whole.value, '')], faults: [] };
  const documents: DocumentText[] = [];
  const faults: string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const where = `line ${index + 1}: `;
    const read = parsed(line);
    if (read.type === 'json') documents.push(documentOf(read.value, where));
    else faults.push(`${where}it is no JSON: ${read.problem}`);
  }
  return { documents, faults };
}

/** Reads the text of a file. Returns the problem as text when it has no odds document. */
export function readOddsFile(text: string): OddsFile | string {
  if (text.trim() === '') return 'it is empty';
  const newest = new Map<string, DatedEvent>();
  const found = documentsIn(text);
  const faults = new Set<string>(found.faults);
  let documents = 0;
  for (const { list, ts, where } of found.documents) {
    const content = readOddsList(list);
    if (typeof content === 'string') {
      faults.add(`${where}${content}`);
      continue;
    }
    documents += 1;
    for (const fault of content.faults) faults.add(fault);
    for (const event of content.events) {
      const readAt = ts ?? newestOf(event) ?? event.start - 1;
      const dated = { event, readAt, isLive: readAt >= event.start };
      const key = eventKey(event);
      if (isBetter(dated, newest.get(key))) newest.set(key, dated);
    }
  }
  if (documents === 0) return [...faults][0] ?? 'it has no odds document';
  return { events: [...newest.values()], faults: [...faults] };
}

/** The same event in several documents has the same key. */
export const eventKey = ({ id, home, away }: OddsEvent): string => JSON.stringify([id, home, away]);

type Parsed = { readonly type: 'json'; readonly value: unknown } | { readonly type: 'other'; readonly problem: string };
function parsed(text: string): Parsed {
  try {
    return { type: 'json', value: JSON.parse(text) as unknown };
  } catch (error) {
    return { type: 'other', problem: messageOf(error) };
  }
}

/**
 * A document with its time: `{ts, data}`, ts in Unix ms, or `{timestamp, data}` with an ISO time, as vendors
 * answer for a time in the past. `data` is a list of events, or one event.
 */
function documentOf(value: unknown, where: string): DocumentText {
  if (typeof value !== 'object' || value === null || !('data' in value))
    return { list: value, ts: undefined, isPart: false, where };
  const { data } = value;
  const isPart = typeof data === 'object' && data !== null && 'home_team' in data;
  const list = isPart ? [data] : data;
  const given = 'ts' in value ? value.ts : 'timestamp' in value ? value.timestamp : undefined;
  const ts = typeof given === 'string' ? parseTime(given) : given;
  return { list, ts: typeof ts === 'number' && isUnixMs(ts) ? ts : undefined, isPart, where };
}

/** The newest time of an event's prices, Unix ms. Undefined when none has a time. */
export function newestOf({ books }: OddsEvent): number | undefined {
  const times = books.flatMap(({ markets }) =>
    markets.flatMap(({ updated }) => (updated === undefined ? [] : [updated])),
  );
  return times.length === 0 ? undefined : Math.max(...times);
}

function isBetter(next: DatedEvent, known: DatedEvent | undefined): boolean {
  if (known === undefined || known.isLive !== next.isLive) return known === undefined || known.isLive;
  return next.readAt >= known.readAt;
}

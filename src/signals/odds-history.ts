// The odds of past events as they changed: every document with the time at which it was fetched. A price counts
// from that time on. The bookmakers' own `last_update` never does: no one could act on a price before it was
// fetched.
import { eventKey, documentsIn, newestOf } from './odds-documents.ts';
import type { OddsEvent } from './odds-event.ts';
import { mergedEvents } from './odds-merge.ts';
import { readOddsList } from './odds-shape.ts';

/** An event as one document lists it. */
export type OddsSnapshot = {
  /** When the document was fetched, Unix ms. */
  readonly fetchedAt: number;
  readonly event: OddsEvent;
  /** True: the document lists some of the events of its sport, and so says nothing of the others. */
  readonly isPart?: boolean;
};

export type EventHistory = {
  /** The event as the newest document lists it. */
  readonly event: OddsEvent;
  /** At least one, oldest first. */
  readonly snapshots: readonly OddsSnapshot[];
};

export class OddsHistory {
  readonly #assumedDelayMs: number | undefined;
  readonly #events = new Map<string, OddsSnapshot[]>();
  readonly #faults = new Set<string>();
  #documents = 0;
  /** Sorted and merged. Undefined: something was added since. */
  #sorted: readonly EventHistory[] | undefined;

  /**
   * @param assumedDelayMs documents without a time count as fetched so long after their newest price. Undefined: they are
   *   refused
   */
  constructor(assumedDelayMs?: number) {
    this.#assumedDelayMs = assumedDelayMs;
  }

  /** Number of documents that could be read. */
  get documents(): number {
    return this.#documents;
  }

  /** What cannot be read, each with its place. */
  get faults(): readonly string[] {
    return [...this.#faults];
  }

  /** All events, by start. */
  get events(): readonly EventHistory[] {
    this.#sorted ??= [...this.#events.values()]
      .map((snapshots): EventHistory => {
        const sorted = mergedSnapshots(snapshots);
        return { event: newest(sorted).event, snapshots: sorted };
      })
      .sort((a, b) => a.event.start - b.event.start || (eventKey(a.event) < eventKey(b.event) ? -1 : 1));
    return this.#sorted;
  }

  /** Adds the documents of a text. @param name of its file, for messages */
  addText(text: string, name: string): void {
    if (text.trim() === '') {
      this.#faults.add(`${name}: it is empty`);
      return;
    }
    const { documents, faults } = documentsIn(text);
    for (const fault of faults) this.#faults.add(`${name}: ${fault}`);
    for (const { list, ts, isPart, where } of documents) this.addDocument(list, ts, `${name}: ${where}`, isPart);
  }

  /**
   * Adds a document.
   * @param list its events, not read yet
   * @param ts when it was fetched, Unix ms. Undefined: not known
   * @param where its place, for messages, with `: ` at its end
   * @param isPart true: other events of its sport may be listed elsewhere
   */
  addDocument(list: unknown, ts: number | undefined, where: string, isPart = false): void {
    const content = readOddsList(list);
    if (typeof content === 'string') {
      this.#faults.add(`${where}${content}`);
      return;
    }
    this.#documents += 1;
    for (const fault of content.faults) this.#faults.add(`${where}${fault}`);
    const delayMs = this.#assumedDelayMs;
    if (ts === undefined && delayMs === undefined) {
      this.#faults.add(
        `${where}it does not show when it was fetched: wrap it as {"ts": Unix ms, "data": [events]}, or give --assume-delay`,
      );
      return;
    }
    for (const event of content.events) {
      const updated = newestOf(event);
      const fetchedAt = ts ?? (updated === undefined ? undefined : updated + (delayMs ?? 0));
      if (fetchedAt === undefined)
        this.#faults.add(
          `${where}${event.away} @ ${event.home}: no price has a last_update, so that its time is not known`,
        );
      else this.#addSnapshot(isPart ? { fetchedAt, event, isPart } : { fetchedAt, event });
    }
  }

  #addSnapshot(snapshot: OddsSnapshot): void {
    this.#sorted = undefined;
    const key = eventKey(snapshot.event);
    const known = this.#events.get(key);
    if (known === undefined) this.#events.set(key, [snapshot]);
    else known.push(snapshot);
  }
}

const newest = (snapshots: readonly OddsSnapshot[]): OddsSnapshot => {
  const last = snapshots.at(-1);
  if (last === undefined) throw new Error('an event has no document');
  return last;
};

/** Sorts snapshots, and merges those of one time: a document is often fetched in parts. */
function mergedSnapshots(snapshots: readonly OddsSnapshot[]): readonly OddsSnapshot[] {
  return [...Map.groupBy(snapshots, ({ fetchedAt }) => fetchedAt)]
    .sort(([a], [b]) => a - b)
    .flatMap(([fetchedAt, together]) => {
      const isPart = together.every((snapshot) => snapshot.isPart === true);
      return mergedEvents(together.map(({ event }) => event)).map((event): OddsSnapshot =>
        isPart ? { fetchedAt, event, isPart } : { fetchedAt, event },
      );
    });
}

// A journal as a tape: the frames that its run was given, when its connections rose and fell, the books it read, and the
// signals it was told.
import type { Command, Arrival, Read } from '../domain/index.ts';
import { SIGNAL_LINE } from '../domain/index.ts';
import { DEFAULT_PROFILE, isRecord, readCall, readText } from '../wire/index.ts';
import type { Json } from '../wire/index.ts';

/** What one line of a tape tells. */
export type TapeRecord = {
  /** Unix milliseconds. */
  readonly ts: number;
  /** `/priceUpdates`, the user namespace, `rest` or `signals`. */
  readonly ns: string;
  readonly event: string;
  /** The payload as received; for a disconnect the reason. */
  readonly data: string;
  /** Of a read: when it was asked for, Unix ms; what it shows may be as old as that. */
  readonly sent?: number;
};

type BookRead = Extract<Read, { what: 'league' | 'game' }>;
/** Whose feed it is, a tape does not tell either. */
const ACCOUNT = 'journal';

export class JournalTape {
  /** As a tape would have it. */
  readonly header: Json;
  readonly #namespaces: Readonly<Record<'prices' | 'user', string>>;
  /** Reads of books that wait for their answers, and what they asked for. */
  readonly #reads = new Map<unknown, { readonly request: string; readonly sent: number }>();
  /** Of the newest input, Unix ms. */
  #t = 0;

  /** `journal`: its first line. */
  constructor(journal: Json) {
    const profile = isRecord(journal['profile']) ? journal['profile'] : {};
    const { priceNamespace, userNamespace } = DEFAULT_PROFILE;
    this.#namespaces = {
      prices: readText(profile['priceNamespace']) ?? priceNamespace,
      user: `${readText(profile['userNamespace']) ?? userNamespace}${ACCOUNT}`,
    };
    this.header = { tape: 1, depth: null, perspective: profile['bookPerspective'], profile };
  }

  /** What a line says of the market, the feeds or signals; nothing: another one, or what is wrong with it. */
  read(line: Json): TapeRecord | string | undefined {
    const { seq, t, in: input, out, ev, chain, journal } = line;
    // the run went on with another configuration
    if (typeof journal === 'number') return undefined;
    if (typeof seq !== 'number') return 'this line is not a record of a journal: "seq" must be a number';
    if (isRecord(input)) {
      if (typeof t !== 'number') return 'this line is not a record of a journal: "t" must be milliseconds';
      this.#t = t;
      return this.#told(t, input);
    }
    if (Array.isArray(out)) for (const command of out as readonly unknown[]) this.#note(command);
    else if (!Array.isArray(ev) && typeof chain !== 'string')
      return 'this line is not a record of a journal: it has no input, commands, events or chain';
    return undefined;
  }

  #note(command: unknown): void {
    if (!isRecord(command) || command['type'] !== ('read' satisfies Command['type'])) return;
    const read = command['read'];
    if (!isRecord(read) || (read['what'] !== 'league' && read['what'] !== 'game')) return;
    // written by a journal, so it is one
    const { method, path } = readCall(read as BookRead, DEFAULT_PROFILE);
    this.#reads.set(command['req'], { request: `${method} ${path}`, sent: this.#t });
  }

  #told(ts: number, input: Json): TapeRecord | string | undefined {
    switch (input['type'] as Arrival['type']) {
      case 'frame': {
        const { event, data } = input;
        const ns = this.#namespaceOf(input['feed']);
        return ns === undefined || typeof event !== 'string' || typeof data !== 'string'
          ? 'this line is not a record of a journal: a frame has feed, event and data'
          : { ts, ns, event, data };
      }
      case 'feed': {
        const ns = this.#namespaceOf(input['feed']);
        const event = input['status'] === 'up' ? 'connect' : 'disconnect';
        return ns === undefined ? undefined : { ts, ns, event, data: '' };
      }
      case 'signal': {
        const { values, ttlMs: ttl, ts: since } = input;
        return { ts, ...SIGNAL_LINE, data: JSON.stringify({ values, ttl, ts: since }) };
      }
      case 'failure':
        // after a timeout the answer may still come
        if (input['failure'] !== 'timeout') this.#reads.delete(input['req']);
        return undefined;
      case 'reply': {
        const read = this.#reads.get(input['req']);
        this.#reads.delete(input['req']);
        if (read === undefined || input['status'] !== 200) return undefined;
        const { request, sent } = read;
        return { ts, ns: 'rest', event: request, data: JSON.stringify(input['body'] ?? null), sent };
      }
      default:
        return undefined;
    }
  }

  #namespaceOf(feed: unknown): string | undefined {
    return feed === 'prices' || feed === 'user' ? this.#namespaces[feed] : undefined;
  }
}

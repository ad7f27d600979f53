// Reads a journal as a tape: the frames its run received, its connection changes, the books it read, and the
// signals it received.
import type { Command, Arrival, Read } from '../domain/index.ts';
import { SIGNAL_LINE } from '../domain/index.ts';
import { DEFAULT_PROFILE, isRecord, readCall, readText } from '../wire/index.ts';
import type { Json } from '../wire/index.ts';

/** One record of a tape. */
export type TapeRecord = {
  /** Unix milliseconds. */
  readonly ts: number;
  /** The namespace: `/priceUpdates`, that of a user, `rest` or `signals`. */
  readonly ns: string;
  readonly event: string;
  /** The payload as received; for a disconnect, the reason. */
  readonly data: string;
  /** Unix ms of the request, for a REST read: its content may be as old as that. */
  readonly sent?: number;
};

type BookRead = Extract<Read, { what: 'league' | 'game' }>;
/** Replaces the account name in the user namespace. A tape has only a pseudonym there, too. */
const ACCOUNT = 'journal';

export class JournalTape {
  /** The header that a tape of this run would have. */
  readonly header: Json;
  readonly #namespaces: Readonly<Record<'prices' | 'user', string>>;
  /** Book reads without a reply yet, by request id. */
  readonly #reads = new Map<unknown, { readonly request: string; readonly sent: number }>();
  /** Unix ms of the newest input. */
  #latestMs = 0;

  /** @param journal the first line of the journal */
  constructor(journal: Json) {
    const profile = isRecord(journal['profile']) ? journal['profile'] : {};
    const { priceNamespace, userNamespace } = DEFAULT_PROFILE;
    this.#namespaces = {
      prices: readText(profile['priceNamespace']) ?? priceNamespace,
      user: `${readText(profile['userNamespace']) ?? userNamespace}${ACCOUNT}`,
    };
    this.header = { tape: 1, depth: null, perspective: profile['bookPerspective'], profile };
  }

  /**
   * The record in a line about the market, the feeds or signals. Undefined when it has none; a text when the
   * line is invalid.
   */
  read(line: Json): TapeRecord | string | undefined {
    const { seq, t, in: input, out, ev, chain, journal } = line;
    // the run continued with another configuration
    if (typeof journal === 'number') return undefined;
    if (typeof seq !== 'number') return 'this line is not a record of a journal: "seq" must be a number';
    if (isRecord(input)) {
      if (typeof t !== 'number') return 'this line is not a record of a journal: "t" must be milliseconds';
      this.#latestMs = t;
      return this.#recordOf(t, input);
    }
    if (Array.isArray(out)) for (const command of out as readonly unknown[]) this.#noteRead(command);
    else if (!Array.isArray(ev) && typeof chain !== 'string')
      return 'this line is not a record of a journal: it has no input, commands, events or chain';
    return undefined;
  }

  #noteRead(command: unknown): void {
    if (!isRecord(command) || command['type'] !== ('read' satisfies Command['type'])) return;
    const read = command['read'];
    if (!isRecord(read) || (read['what'] !== 'league' && read['what'] !== 'game')) return;
    // the journal wrote it, so its type is right
    const { method, path } = readCall(read as BookRead, DEFAULT_PROFILE);
    this.#reads.set(command['req'], { request: `${method} ${path}`, sent: this.#latestMs });
  }

  #recordOf(ts: number, input: Json): TapeRecord | string | undefined {
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
        // after a timeout the reply may still come
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

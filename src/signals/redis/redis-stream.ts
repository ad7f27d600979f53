// Signals from a Redis stream, read from the start of the run on: `XADD <stream> MAXLEN ~ 1000 * signal
// '{"values": …}'`. A server that is unreachable, full or refuses commands is reported once and retried with
// growing pauses, while the bot keeps trading. Entries added during an outage are read afterwards, with their
// true age.
import { Redis } from 'ioredis';
import { messageOf, readJson, systemCodeOf, withoutSecrets } from '../../domain/index.ts';
import type { SignalLog, SignalSource } from '../source.ts';
import { UnusableData, SourceHealth } from '../source.ts';

export type RedisPorts = {
  readonly take: (messages: readonly unknown[]) => void;
  readonly log: SignalLog;
  /** Monotonic ms, and Unix ms. */
  readonly now: () => number;
  readonly wall: () => number;
};

/** The field of an entry that holds its message. */
const FIELD = 'signal';
const MOST_ENTRIES = 500;
const BLOCK_MS = 2000;
/** A command without an answer for this long ends the connection. */
const SILENT_MS = 8000;
const CONNECT_MS = 5000;
const [LEAST_PAUSE_MS, MOST_PAUSE_MS] = [250, 15_000];
const MEMORY_CHECK_EVERY_MS = 2000;
const WEEK_MS = 7 * 24 * 3_600_000;

/** An entry: its id, and its fields and values in turn. */
type Entry = readonly [id: string, fields: readonly string[]];

export class RedisStream implements SignalSource {
  readonly name = 'redis';
  readonly #url: string;
  readonly #stream: string;
  readonly #ports: RedisPorts;
  readonly #health: SourceHealth;
  readonly #oddities: UnusableData;
  #client: Redis | undefined;
  /** Id of the newest entry that was read, or that existed at the start. */
  #last: string | undefined;
  #entries = 0;
  #connections = 0;
  /** When the server's memory was last checked, monotonic ms. */
  #memoryCheckedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  #wake: () => void = () => undefined;
  readonly #running: Promise<void>;

  /** Connects at once, and again whenever the connection is lost, until it is closed. */
  constructor(settings: { readonly url: string; readonly stream: string }, ports: RedisPorts) {
    this.#url = settings.url;
    this.#stream = settings.stream;
    this.#ports = ports;
    this.#health = new SourceHealth(this.name, ports.log, ports.now);
    this.#oddities = new UnusableData(this.name, ports.log);
    this.#running = this.#run();
  }

  get problem(): string | undefined {
    return this.#health.problem;
  }

  get details(): Readonly<Record<string, unknown>> {
    const { counts } = this.#oddities;
    return { stream: this.#stream, entries: this.#entries, connections: this.#connections, ...counts };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#client?.disconnect();
    this.#wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    let pauseMs = LEAST_PAUSE_MS;
    while (!this.#isClosed) {
      const before = this.#connections;
      try {
        await this.#readOn();
      } catch (error) {
        if (!this.#isClosed) this.#health.fail(this.#trouble(error));
      }
      this.#client?.disconnect();
      this.#client = undefined;
      if (this.#isClosed) return;
      pauseMs = this.#connections > before ? LEAST_PAUSE_MS : Math.min(MOST_PAUSE_MS, pauseMs * 2);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pauseMs).unref();
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  /** Opens a connection and reads from it. Rejects when the connection ends. */
  async #readOn(): Promise<never> {
    const client = new Redis(this.#url, {
      lazyConnect: true,
      enableOfflineQueue: false,
      connectionName: 'oddsmaker',
      connectTimeout: CONNECT_MS,
      commandTimeout: SILENT_MS,
      maxRetriesPerRequest: 0,
      // `#run` reconnects, so that it can report the outage
      retryStrategy: () => null,
    });
    this.#client = client;
    let why: unknown;
    this.#memoryCheckedAt = Number.NEGATIVE_INFINITY;
    client.on('error', (error: unknown) => (why ??= error));
    try {
      await client.connect();
      const newest = await newestIn(client, this.#stream);
      this.#last ??= newest;
      this.#connections += 1;
      for (;;) {
        await this.#checkMemory(client);
        const answer = await client.xread(
          ...(['COUNT', MOST_ENTRIES, 'BLOCK', BLOCK_MS, 'STREAMS', this.#stream, this.#last] as const),
        );
        for (const [, entries] of answer ?? []) this.#take(entries);
      }
    } catch (error) {
      // the socket's error says more than "connection is closed"
      throw why ?? error;
    }
  }

  /** Marks the source as working, or as failed when the server is full and refuses new entries. */
  async #checkMemory(client: Redis): Promise<void> {
    const now = this.#ports.now();
    if (now - this.#memoryCheckedAt < MEMORY_CHECK_EVERY_MS) return;
    this.#memoryCheckedAt = now;
    const full = await fullness(client);
    if (full === undefined) this.#health.works();
    else this.#health.fail(full);
  }

  #take(entries: readonly Entry[]): void {
    const messages: unknown[] = [];
    for (const [id, fields] of entries) {
      this.#last = id;
      this.#entries += 1;
      const fieldIndex = fields.findIndex((field, index) => index % 2 === 0 && field === FIELD);
      const text = fieldIndex < 0 ? undefined : fields[fieldIndex + 1];
      if (text === undefined) {
        this.#oddities.note(`no field "${FIELD}"`, { id, fields: fields.join(' ').slice(0, 100) });
        continue;
      }
      const read = readJson(text);
      if (!read.ok) {
        this.#oddities.note('no JSON', { id, text: text.slice(0, 100), problem: read.problem });
        continue;
      }
      const all = Array.isArray(read.value) ? (read.value as readonly unknown[]) : [read.value];
      messages.push(...all.map((message) => this.#dated(message, id)));
    }
    if (messages.length > 0) this.#ports.take(messages);
  }

  /**
   * The message with a time. A message without `ts` gets the time at which the server added it, from the
   * entry's id.
   */
  #dated(message: unknown, id: string): unknown {
    const now = this.#ports.wall();
    const ts = Number(id.split('-')[0]);
    const isTime = Number.isSafeInteger(ts) && Math.abs(now - ts) < WEEK_MS;
    if (typeof message !== 'object' || message === null || 'ts' in message || !isTime) return message;
    return { ...message, ts: Math.min(ts, now) };
  }

  /** The problem behind an error, for status and log. */
  #trouble(error: unknown): string {
    const code = systemCodeOf(error);
    const reason = messageOf(error) || (typeof code === 'string' ? code : 'it ended the connection');
    const where = withoutSecrets(this.#url) as string;
    for (const [pattern, text] of TROUBLES) if (pattern.test(reason)) return `${where} ${text} (${reason})`;
    return `${where} does not answer (${reason})`;
  }
}

const TROUBLES: readonly (readonly [RegExp, string])[] = [
  [/WRONGTYPE/, 'has something else than a stream under this name: see signals.redis.stream'],
  [/max number of clients/i, 'has no room for one more client (maxclients)'],
  [/NOAUTH|WRONGPASS|invalid password/i, 'refuses the password: see signals.redis.url'],
  [/NOPERM/, 'does not let this user read the stream'],
  [/OOM/, 'is full (maxmemory)'],
  [/LOADING/, 'is still loading its data'],
  [/unknown command/i, 'knows no streams: Redis 5 or newer does'],
];

/** Id of the newest entry of a stream. `0-0` when it is empty. */
async function newestIn(client: Redis, stream: string): Promise<string> {
  const [newest] = await client.xrevrange(stream, '+', '-', 'COUNT', 1);
  return newest?.[0] ?? '0-0';
}

/**
 * The problem of a server that is full. Undefined when it has room. A full server still answers reads but
 * refuses writes, so without this check signals would stop without a reason.
 */
async function fullness(client: Redis): Promise<string | undefined> {
  const info = await client.info('memory').catch(() => '');
  const field = (key: string): string | undefined => new RegExp(`^${key}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  const [used, most] = [Number(field('used_memory')), Number(field('maxmemory'))];
  return most > 0 && used >= most && field('maxmemory_policy') === 'noeviction'
    ? `the server is full: ${used} of ${most} bytes (maxmemory), so new signals are refused`
    : undefined;
}

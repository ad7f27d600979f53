// The recorder writes a tape (docs/reference/tapes.md): both feeds as received, with both clocks, the books
// that REST returned, and the signals of strategies. Account ids become stable pseudonyms and tokens are
// removed; nothing else of a payload is changed.
import { createHmac, randomBytes } from 'node:crypto';
import { constants, copyFileSync, existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Feed, SignalUpdate } from '../domain/index.ts';
import { forgetOldest, SIGNAL_LINE, systemCodeOf } from '../domain/index.ts';
import { makeFolder } from '../files/index.ts';
import { TapeWriter } from './tape-writer.ts';
import type { TapeWriterOptions } from './tape-writer.ts';

const SALT_BYTES = 32;

export type RecorderOptions = Omit<TapeWriterOptions, 'header' | 'hole'> & {
  readonly perspective: unknown;
  readonly profile: unknown;
  readonly priceNamespace: string;
  /** The prefix of the user namespace; the account name follows it. */
  readonly userNamespace: string;
  readonly username: string;
  /** Secrets to remove from every payload. */
  readonly secrets: () => readonly (string | undefined)[];
};

/** A moment as Unix ms (`t`) and monotonic ms (`mono`). */
export type Times = { readonly t: number; readonly mono: number };

/** Matches fields that name an account. */
const ACCOUNT_FIELD = /"(createdBy|userID|userId|username|accountID|offeredBy|takenBy)"\s*:\s*"([^"\\]*)"/g;
/**
 * Every payload that names an account contains one of these; searching them is ten times as fast as the
 * pattern.
 */
const NAMING = ['createdBy', 'userI', 'username', 'accountID', 'offeredBy', 'takenBy'];
const MOST_PSEUDONYMS = 10_000;
const SHORTEST_SECRET = 6;

export class Recorder {
  readonly #writer: TapeWriter;
  readonly #options: RecorderOptions;
  readonly #salt: Buffer;
  /** Pseudonyms by account id. Few accounts own many rows, and each frame repeats them. */
  readonly #pseudonyms = new Map<string, string>();
  readonly #namespaces: Readonly<Record<Feed, string>>;
  readonly #up = new Set<Feed>();
  /** The number of records so far, including those that could not be kept. */
  records = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
    makeFolder(options.folder);
    this.#salt = saltOf(options.folder);
    this.#namespaces = {
      prices: options.priceNamespace,
      user: `${options.userNamespace}${this.#pseudonym(options.username)}`,
    };
    this.#writer = new TapeWriter({
      ...options,
      // the feed sends complete ladders
      header: { depth: null, perspective: options.perspective, profile: options.profile },
      // a reader must not take the changes during a hole for changes of one moment
      hole: () => {
        const before = [...this.#up];
        return (from, to) => [
          ...before.map((feed) => this.#lineOf(feed, 'disconnect', 'not recorded', from)),
          ...[...this.#up].map((feed) => this.#lineOf(feed, 'connect', '', to)),
        ];
      },
    });
  }

  get lost(): number {
    return this.#writer.lost;
  }

  /** True while the last records are not on the disk. */
  get isRefused(): boolean {
    return this.#writer.isRefused;
  }

  frame(feed: Feed, event: string, data: string, { t, mono }: Times): void {
    this.#write({ ts: t, mono, ns: this.#namespaces[feed], event, data: this.#scrub(data) });
  }

  connection(feed: Feed, status: 'up' | 'down', reason: string, { t, mono }: Times): void {
    const event = status === 'up' ? 'connect' : 'disconnect';
    this.#write({ ...this.#lineOf(feed, event, this.#scrub(reason), t), mono });
    // a hole that begins or ends with this record must see the feed as it was before
    if (status === 'up') this.#up.add(feed);
    else this.#up.delete(feed);
  }

  /**
   * Records the reply of a REST book read, e.g. `POST /exchange/getSingleOrderbook`, requested at `sent`
   * (Unix ms).
   */
  read(request: string, body: unknown, sent: number, { t, mono }: Times): void {
    const data = this.#scrub(JSON.stringify(body));
    this.#write({ ts: t, mono, ns: 'rest', event: request, sent, data });
  }

  /** Records a signal that strategies received. */
  signal({ values, ttlMs, ts }: SignalUpdate, { t, mono }: Times): void {
    const data = this.#scrub(JSON.stringify({ values, ttl: ttlMs, ts }));
    this.#write({ ts: t, mono, ...SIGNAL_LINE, data });
  }

  close(): Promise<void> {
    return this.#writer.close();
  }

  #lineOf(feed: Feed, event: string, data: string, ts: number) {
    return { ts, ns: this.#namespaces[feed], event, data };
  }

  #write(record: Parameters<TapeWriter['write']>[0]): void {
    this.records += 1;
    this.#writer.write(record);
  }

  #scrub(text: string): string {
    let cleaned = text;
    for (const secret of this.#options.secrets())
      if (secret !== undefined && secret.length >= SHORTEST_SECRET && cleaned.includes(secret))
        cleaned = cleaned.replaceAll(secret, '[secret]');
    return NAMING.some((word) => cleaned.includes(word))
      ? cleaned.replace(ACCOUNT_FIELD, (_all, field: string, id: string) => `"${field}":"${this.#pseudonym(id)}"`)
      : cleaned;
  }

  #pseudonym(id: string): string {
    if (id === '') return '';
    let known = this.#pseudonyms.get(id);
    if (known === undefined) {
      known = `p-${createHmac('sha256', this.#salt).update(id).digest('hex').slice(0, 16)}`;
      this.#pseudonyms.set(id, known);
      forgetOldest(this.#pseudonyms, MOST_PSEUDONYMS);
    }
    return known;
  }
}

/**
 * The key of the pseudonyms: the same for all tapes of a folder and no other. It is a secret that is stored
 * permanently, as a complete file or none.
 */
function saltOf(folder: string): Buffer {
  const file = join(folder, '.salt');
  const draft = `${file}.${process.pid}`;
  try {
    const known = existsSync(file) ? readFileSync(file) : undefined;
    if (known?.length === SALT_BYTES) return known;
    // a partial salt after a full disk is useless, and it would let anyone test a name
    if (known !== undefined) rmSync(file, { force: true });
    writeFileSync(draft, randomBytes(SALT_BYTES), { mode: 0o600 });
    linkOrCopy(draft, file);
  } catch (error) {
    // another recorder was faster
    if (systemCodeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(file);
}

/** Gives a file a second name. @throws with code EEXIST when that name exists */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') throw error;
    // a disk without hard links
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
}

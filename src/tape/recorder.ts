// The recorder: both feeds as received, with both times, the books that REST told and the signals of strategies, as a tape
// (docs/reference/tapes.md). Ids of
// accounts become stable pseudonyms, tokens are taken out; nothing else of a payload is changed.
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
  /** The account's name follows. */
  readonly userNamespace: string;
  readonly username: string;
  /** Secrets that must not be on a tape, whatever carries them. */
  readonly secrets: () => readonly (string | undefined)[];
};

/** Unix and monotonic ms. */
export type Times = { readonly t: number; readonly mono: number };

/** Fields that name an account. */
const ACCOUNT_FIELD = /"(createdBy|userID|userId|username|accountID|offeredBy|takenBy)"\s*:\s*"([^"\\]*)"/g;
/** One of these is in every payload that names one; looking for them is ten times as fast as for the field itself. */
const NAMING = ['createdBy', 'userI', 'username', 'accountID', 'offeredBy', 'takenBy'];
const MOST_PSEUDONYMS = 10_000;
const SHORTEST_SECRET = 6;

export class Recorder {
  readonly #writer: TapeWriter;
  readonly #options: RecorderOptions;
  readonly #salt: Buffer;
  /** Few accounts are behind many rows, and each frame names them again. */
  readonly #pseudonyms = new Map<string, string>();
  readonly #namespaces: Readonly<Record<Feed, string>>;
  readonly #up = new Set<Feed>();
  /** Frames and reads so far, those that could not be kept included. */
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
      // the feed tells whole ladders
      header: { depth: null, perspective: options.perspective, profile: options.profile },
      // whoever reads the tape must not take what changed meanwhile for what happened in one moment
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

  /** What came last is not on the disk. */
  get isRefused(): boolean {
    return this.#writer.isRefused;
  }

  frame(feed: Feed, event: string, data: string, { t, mono }: Times): void {
    this.#write({ ts: t, mono, ns: this.#namespaces[feed], event, data: this.#scrub(data) });
  }

  connection(feed: Feed, status: 'up' | 'down', reason: string, { t, mono }: Times): void {
    const event = status === 'up' ? 'connect' : 'disconnect';
    this.#write({ ...this.#lineOf(feed, event, this.#scrub(reason), t), mono });
    // a hole that begins or ends with this record has the feed as it was before
    if (status === 'up') this.#up.add(feed);
    else this.#up.delete(feed);
  }

  /** A book as REST told it, such as `POST /exchange/getSingleOrderbook`; it was asked for at `sent`, Unix ms. */
  read(request: string, body: unknown, sent: number, { t, mono }: Times): void {
    const data = this.#scrub(JSON.stringify(body));
    this.#write({ ts: t, mono, ns: 'rest', event: request, sent, data });
  }

  /** What strategies were told. */
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
    let clean = text;
    for (const secret of this.#options.secrets())
      if (secret !== undefined && secret.length >= SHORTEST_SECRET && clean.includes(secret))
        clean = clean.replaceAll(secret, '[secret]');
    return NAMING.some((word) => clean.includes(word))
      ? clean.replace(ACCOUNT_FIELD, (_all, field: string, id: string) => `"${field}":"${this.#pseudonym(id)}"`)
      : clean;
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

/** What pseudonyms are made with, the same on all tapes of a folder and on no other: a secret that stays, whole or not there. */
function saltOf(folder: string): Buffer {
  const file = join(folder, '.salt');
  const draft = `${file}.${process.pid}`;
  try {
    const known = existsSync(file) ? readFileSync(file) : undefined;
    if (known?.length === SALT_BYTES) return known;
    // what a full disk left behind is none: with it anybody could test a name
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

/** @throws with code EEXIST when there is one already */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') throw error;
    // a disk without hard links
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
}

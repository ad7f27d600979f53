// Reads from the journals of former runs which requests still count in the windows (rules.md, 1), and which
// orders were never answered and may still arrive (rules.md, 2). The last part of each journal is unpacked,
// and earlier parts as far as they matter. Only lines that may concern a request are parsed. A journal
// without its closing record may lack the last requests: the result is then marked as not complete.
import { readdir, stat } from 'node:fs/promises';
import type { Bucket, Command, NewOrder, UnansweredOrder } from '../domain/index.ts';
import { isNewOrder, isSameAccount, systemCodeOf } from '../domain/index.ts';
import { isClosing } from './journal.ts';
import type { JournalPart } from './journal-parts.ts';
import { partsIn } from './journal-parts.ts';
import { isCutOff, unpackedLines } from './unpacked.ts';

export type LastRequests = {
  /** True when all requests of the last runs are included. */
  readonly complete: boolean;
  /** Latest times at which requests of a bucket may have been counted, Unix ms, without window and margin. */
  readonly ends: Readonly<Record<Bucket, readonly number[]>>;
  /** Orders without an answer, which may still arrive or rest. */
  readonly unanswered: readonly UnansweredOrder[];
};

/** Matches a line with an input: its time and its type. */
const INPUT = /^\{"seq":\d+,"t":(-?\d+(?:\.\d+)?),"mono":[^,]+,"in":\{"type":"([a-z-]+)"/;
const INPUT_BYTES = 160;
const HEADER_BEGINS = '{"journal":';
const COMMANDS = /^\{"seq":\d+,"out":/;
const CLOCK_SLACK_MS = 1000;

type Line = {
  readonly t?: unknown;
  readonly in?: { readonly type?: unknown; readonly req?: unknown; readonly failure?: unknown };
  readonly out?: unknown;
  readonly chain?: unknown;
  readonly next?: unknown;
  readonly seq?: unknown;
  readonly journal?: unknown;
};
type Sent = {
  readonly bucket: Bucket;
  readonly at: number;
  readonly orders: readonly NewOrder[];
  end: number | undefined;
};

/** Collects the requests of one run from the steps of its journal. */
export class SentRequests {
  readonly #sent = new Map<unknown, Sent>();

  /** Applies an input at `t`, Unix ms. */
  applyInput(input: { readonly type?: unknown; readonly req?: unknown; readonly failure?: unknown }, t: number): void {
    const sent = this.#sent.get(input.req);
    if (sent !== undefined && input.type === 'reply') sent.end = t;
    if (input.type === 'failure' && input.failure === 'not-sent') this.#sent.delete(input.req);
  }

  applyCommands(commands: readonly Command[], t: number): void {
    for (const command of commands) {
      const { type } = command;
      if (type !== 'place' && type !== 'edit' && type !== 'cancel') continue;
      const orders = type === 'place' ? command.orders : type === 'edit' ? [command.order] : [];
      const bucket = type === 'cancel' ? 'cancel' : 'place';
      this.#sent.set(command.req, { bucket, at: t, orders, end: undefined });
    }
  }

  /** Latest time at which each request of a bucket may have been counted, Unix ms. */
  *ends(bucket: Bucket, lateArrivalMs: number): Iterable<number> {
    for (const sent of this.#sent.values()) if (sent.bucket === bucket) yield sent.end ?? sent.at + lateArrivalMs;
  }

  /** Orders without an answer of the exchange before `answeredMs`, Unix ms. */
  *unanswered(answeredMs = Number.POSITIVE_INFINITY): Iterable<UnansweredOrder> {
    for (const { orders, at: sentAt, end } of this.#sent.values())
      if (end === undefined || end >= answeredMs) for (const order of orders) yield { order, sentT: sentAt };
  }
}

/**
 * Reads the last requests of an account from the journals in a folder.
 * @param lateArrivalMs a request without an answer may land and be counted this long after it was sent
 * @param sinceMs Unix ms; requests that ended before no longer matter
 * @param savedMs Unix ms when the list of resting orders was saved; orders answered from then on are not in
 *   it, so they count as unanswered
 */
export async function readLastRequests(
  folder: string,
  username: string,
  {
    lateArrivalMs,
    sinceMs,
    nowMs,
    savedMs,
  }: { lateArrivalMs: number; sinceMs: number; nowMs: number; savedMs?: number | undefined },
): Promise<LastRequests> {
  const ends: Record<Bucket, number[]> = { place: [], cancel: [] };
  const unanswered: UnansweredOrder[] = [];
  // undefined while no journal of the account was found
  let complete: boolean | undefined;
  const fromMs = Math.min(sinceMs - lateArrivalMs, (savedMs ?? nowMs) - lateArrivalMs);
  try {
    for (const { parts, changedMs } of await journalsOf(folder)) {
      // the newest journal of the account is always read; older ones matter while their requests may count
      if (complete !== undefined && changedMs < fromMs) break;
      const tail = await readTail(parts, username, fromMs);
      if (tail === undefined) continue;
      for (const bucket of ['place', 'cancel'] as const)
        for (const end of tail.sent.ends(bucket, lateArrivalMs)) if (end >= sinceMs) ends[bucket].push(end);
      for (const pending of tail.sent.unanswered(savedMs))
        if (pending.sentT + lateArrivalMs >= Math.min(nowMs, savedMs ?? nowMs) && isNewOrder(pending.order))
          unanswered.push(pending);
      complete = (complete ?? true) && tail.closed && tail.lastMs <= nowMs + CLOCK_SLACK_MS;
    }
  } catch {
    complete = false;
  }
  return { complete: complete ?? false, ends, unanswered };
}

type JournalFiles = { readonly parts: readonly JournalPart[]; readonly changedMs: number };

/** Journals of a folder, newest first, each with its parts from the last back to the first gap. */
export async function journalsOf(folder: string): Promise<readonly JournalFiles[]> {
  const journals = await Promise.all(
    [...partsIn(await readdir(folder), folder).values()].map(async (found) => {
      const parts: JournalPart[] = [];
      for (let part = found.get(Math.max(...found.keys())); part !== undefined; part = found.get(part.number - 1))
        parts.push(part);
      // another bot may have packed and removed the file just now
      const changed = await Promise.all(
        parts.map(({ file }) =>
          stat(file).then(
            ({ mtimeMs }) => mtimeMs,
            () => 0,
          ),
        ),
      );
      return { parts, changedMs: Math.max(...changed) };
    }),
  );
  return journals.sort((a, b) => b.changedMs - a.changedMs);
}

type Tail = { readonly closed: boolean; readonly lastMs: number; readonly sent: SentRequests };

/** Requests at the end of a journal. Undefined when it is not a journal of this account. */
async function readTail(parts: readonly JournalPart[], username: string, sinceMs: number): Promise<Tail | undefined> {
  /** Records of the parts, newest part first. */
  const tails: (readonly Line[])[] = [];
  let closed: boolean | undefined;
  for (const { number, file } of parts) {
    const part = await readPart(file, username, sinceMs).catch((error: unknown) => {
      // the last part exists but cannot be read
      if (tails.length === 0 && systemCodeOf(error) !== 'ENOENT') throw error;
      return undefined;
    });
    if (tails.length > 0 && part === undefined) break;
    if (part === undefined) {
      if (closed !== undefined) return tailOf([], false);
      // a kill may leave the last part without its first line
      if (number === 1) return undefined;
      closed = false;
      continue;
    }
    // a middle part must be complete
    if (tails.length > 0 && part.isCut) return tailOf(tails.reverse().flat(), false);
    closed ??= part.closed;
    tails.push(part.records);
    if (number === 1 || reachesBack(part.records, sinceMs)) return tailOf(tails.reverse().flat(), closed);
  }
  // an earlier part is gone
  return tails.length === 0 ? undefined : tailOf(tails.reverse().flat(), false);
}

const reachesBack = (records: readonly Line[], sinceMs: number): boolean => {
  const first = records.find(({ t }) => typeof t === 'number')?.t;
  return typeof first === 'number' && first < sinceMs;
};

type PartTail = {
  readonly records: readonly Line[];
  /** True when it ends with the closing record. */
  readonly closed: boolean;
  /** True when its packed file is cut off. */
  readonly isCut: boolean;
};

/**
 * Records of a part from `sinceMs` on, and the last step before. Undefined when it is not of this account.
 */
async function readPart(file: string, username: string, sinceMs: number): Promise<PartTail | undefined> {
  let records: Line[] | undefined;
  let former: Line | undefined;
  let end: Line | undefined;
  let isCut = false;
  try {
    for await (const bytes of unpackedLines(file)) {
      former = end;
      end = lineIn(bytes);
      if (records === undefined) {
        if (end === undefined && isHalfHeader(bytes)) break;
        if (!isSameAccount(usernameOf(end), username)) return undefined;
        records = [];
      }
      if (end === undefined) continue;
      if (typeof end.t === 'number' && end.t < sinceMs) records = [];
      records.push(end);
    }
  } catch (error) {
    if (!isCutOff(error)) throw error;
    isCut = true;
  }
  return { records: records ?? [], closed: isEnd(end, former) && !isCut, isCut };
}

/** Whether the first line is cut off, after a full disk or a kill, so that the owner is unknown. */
const isHalfHeader = (bytes: Buffer): boolean =>
  HEADER_BEGINS.startsWith(bytes.toString('latin1', 0, HEADER_BEGINS.length));

/** The account, player mode and exchange of a journal, from its recorded configuration. */
export type JournalOwner = { readonly username: unknown; readonly mode: unknown; readonly restUrl: unknown };

/** The owner of a journal. Undefined when the file is empty. */
export async function ownerIn(file: string): Promise<JournalOwner | undefined> {
  for await (const bytes of unpackedLines(file)) return ownerOf(parse(bytes.toString()));
  return undefined;
}

export const ownerOf = (header: unknown): JournalOwner => ({
  username: exchangeOf(header, 'username'),
  mode: exchangeOf(header, 'playerMode'),
  restUrl: exchangeOf(header, 'restUrl'),
});

/** Parses a line as far as it concerns a request. Undefined when it is torn. */
function lineIn(bytes: Buffer): Line | undefined {
  const head = bytes.toString('latin1', 0, INPUT_BYTES);
  const [, t, type] = INPUT.exec(head) ?? [];
  if (type !== undefined && type !== 'reply' && type !== 'failure') return { t: Number(t) };
  if (COMMANDS.test(head) && !bytes.includes('"permit":')) return {};
  return parse(bytes.toString());
}

/** Whether `end`, the last line, is the closing record. `former` is the line before it. */
function isEnd(end: Line | undefined, former: Line | undefined): boolean {
  if (end?.chain === undefined || end.next !== undefined) return false;
  return isClosing(Number(end.seq), former?.chain !== undefined || former?.journal !== undefined);
}

function tailOf(records: readonly Line[], closed: boolean): Tail {
  const sent = new SentRequests();
  let time = 0;
  for (const line of records) {
    if (typeof line.t === 'number') time = line.t;
    if (line.in !== undefined && line.in !== null) sent.applyInput(line.in, time);
    if (Array.isArray(line.out)) sent.applyCommands(line.out as readonly Command[], time);
  }
  return { closed, lastMs: time, sent };
}

/** The parsed line. Undefined when it is torn or not an object. */
function parse(text: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

const usernameOf = (header: unknown): unknown => exchangeOf(header, 'username');

function exchangeOf(header: unknown, key: string): unknown {
  const valueOf = (value: unknown, name: string): unknown =>
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return valueOf(valueOf(valueOf(header, 'config'), 'exchange'), key);
}

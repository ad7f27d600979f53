// What was on its way when a bot started or ended: the journals of the runs before tell which requests the windows still
// hold (DESIGN rule 1), and which orders were never answered and may still land (rule 2). Only their tails are read, which
// may reach into the parts before the last one. A journal without its closing record may lack the last requests, and says so.
import { open, readdir, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import type { Bucket, Command, NewOrder, UnansweredOrder } from '../domain/index.ts';
import { systemCodeOf } from '../domain/index.ts';
import { isClosing } from './journal.ts';
import type { JournalPart } from './journal-parts.ts';
import { partsIn } from './journal-parts.ts';
import { unpackedLines } from './unpacked.ts';

export type LastRequests = {
  /** Every request of the last runs is in here; false: there may be more. */
  readonly complete: boolean;
  /** When the requests of a bucket could no longer be counted: Unix ms, W and margin not added. */
  readonly ends: Readonly<Record<Bucket, readonly number[]>>;
  readonly unanswered: readonly UnansweredOrder[];
};

const FIRST_TAIL_BYTES = 1 << 20;
const HEADER_BYTES = 1 << 20;
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

/** The requests of one run, as its journal tells of them step by step. */
export class SentRequests {
  readonly #sent = new Map<unknown, Sent>();

  /** `t`: Unix ms. */
  applyInput(
    input: { readonly type?: unknown; readonly req?: unknown; readonly failure?: unknown },
    t: number,
  ): void {
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

  /** When each could no longer be counted. */
  *ends(bucket: Bucket, lateArrivalMs: number): Iterable<number> {
    for (const sent of this.#sent.values())
      if (sent.bucket === bucket) yield sent.end ?? sent.at + lateArrivalMs;
  }

  /** Orders of which no answer of the exchange was read. */
  *unanswered(): Iterable<UnansweredOrder> {
    for (const { orders, at, end } of this.#sent.values())
      if (end === undefined) for (const order of orders) yield { order, sentT: at };
  }
}

/**
 * @param lateArrivalMs a request without an answer may land and be counted this long after it was sent
 * @param sinceMs Unix ms; requests that ended before no longer matter
 */
export async function readLastRequests(
  folder: string,
  username: string,
  { lateArrivalMs, sinceMs, nowMs }: { lateArrivalMs: number; sinceMs: number; nowMs: number },
): Promise<LastRequests> {
  const ends: Record<Bucket, number[]> = { place: [], cancel: [] };
  const unanswered: UnansweredOrder[] = [];
  // nothing is known where no journal tells
  let complete: boolean | undefined;
  try {
    for (const { parts, changedMs } of await journalsOf(folder)) {
      // the newest of the account tells whether all is known; older ones matter while their requests may count
      if (complete !== undefined && changedMs < sinceMs - lateArrivalMs) break;
      const tail = await readTail(parts, username, sinceMs - lateArrivalMs);
      if (tail === undefined) continue;
      for (const bucket of ['place', 'cancel'] as const)
        for (const end of tail.sent.ends(bucket, lateArrivalMs)) if (end >= sinceMs) ends[bucket].push(end);
      for (const one of tail.sent.unanswered())
        if (one.sentT + lateArrivalMs >= nowMs && isOrder(one.order)) unanswered.push(one);
      complete = (complete ?? true) && tail.closed && tail.lastMs <= nowMs + CLOCK_SLACK_MS;
    }
  } catch {
    complete = false;
  }
  return { complete: complete ?? false, ends, unanswered };
}

type JournalFiles = { readonly parts: readonly JournalPart[]; readonly changedMs: number };

/** The newest first, and so are their parts, up to the first that is missing. */
async function journalsOf(folder: string): Promise<readonly JournalFiles[]> {
  const journals = await Promise.all(
    [...partsIn(await readdir(folder), folder).values()].map(async (found) => {
      const parts: JournalPart[] = [];
      for (
        let part = found.get(Math.max(...found.keys()));
        part !== undefined;
        part = found.get(part.number - 1)
      )
        parts.push(part);
      // another bot may have packed one just now
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

/** Undefined: it is not a journal of this account. */
async function readTail(
  parts: readonly JournalPart[],
  username: string,
  sinceMs: number,
): Promise<Tail | undefined> {
  /** The newest first. */
  const tails: (readonly Line[])[] = [];
  let closed: boolean | undefined;
  for (const { number, file } of parts) {
    const read = file.endsWith('.ndjson') ? readPart : readPacked;
    const part = await read(file, username, sinceMs).catch((error: unknown) => {
      // of the last one, more is not known than that it is there
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
    closed ??= part.closed;
    tails.push(part.records);
    if (number === 1 || reachesBack(part.records, sinceMs)) return tailOf(tails.reverse().flat(), closed);
  }
  // the part before is gone
  return tails.length === 0 ? undefined : tailOf(tails.reverse().flat(), false);
}

const reachesBack = (records: readonly Line[], sinceMs: number): boolean => {
  const first = records.find(({ t }) => typeof t === 'number')?.t;
  return typeof first === 'number' && first < sinceMs;
};

type PartTail = { readonly records: readonly Line[]; readonly closed: boolean };

/** What was recorded since then, and some before. Undefined: it is not of this account. */
async function readPart(file: string, username: string, sinceMs: number): Promise<PartTail | undefined> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const header = await headerIn(handle, size);
    // nobody can tell whose it is: its disk was full, or a kill came before its first line was written
    if (header === 'torn') return { records: [], closed: false };
    if (usernameOf(header) !== username) return undefined;
    for (let length = FIRST_TAIL_BYTES; ; length *= 4) {
      const from = Math.max(0, size - length);
      const lines = (await bytesOf(handle, from, size - from)).split('\n');
      // the first one may be cut
      const records = (from === 0 ? lines : lines.slice(1)).flatMap((line) => parse(line) ?? []);
      if (from > 0 && !reachesBack(records, sinceMs)) continue;
      return { records, closed: hasEnd(lines) };
    }
  } finally {
    await handle.close();
  }
}

/** The account of the run that wrote a part, that is not packed; undefined: it does not tell. */
export async function usernameIn(file: string): Promise<unknown> {
  const handle = await open(file);
  try {
    return usernameOf(await headerIn(handle, (await handle.stat()).size));
  } finally {
    await handle.close();
  }
}

async function headerIn(handle: FileHandle, size: number): Promise<Line | 'torn' | undefined> {
  const text = await bytesOf(handle, 0, Math.min(size, HEADER_BYTES));
  const end = text.indexOf('\n');
  return end < 0 && size < HEADER_BYTES ? 'torn' : parse(text.slice(0, Math.max(0, end)));
}

const hasEnd = (lines: readonly string[]): boolean =>
  lines.at(-1) === '' && isEnd(parse(lines.at(-2) ?? ''), parse(lines.at(-3) ?? ''));

/** The last line of a journal, and the one before it. */
function isEnd(end: Line | undefined, former: Line | undefined): boolean {
  if (end?.chain === undefined || end.next !== undefined) return false;
  return isClosing(Number(end.seq), former?.chain !== undefined || former?.journal !== undefined);
}

/** The same of a part that has no tail to begin with: all of it is unpacked. */
async function readPacked(file: string, username: string, sinceMs: number): Promise<PartTail | undefined> {
  let records: Line[] | undefined;
  let former: Line | undefined;
  let end: Line | undefined;
  for await (const bytes of unpackedLines(file)) {
    const line = parse(bytes.toString());
    former = end;
    end = line;
    if (records === undefined) {
      if (usernameOf(line) !== username) return undefined;
      records = [];
    }
    if (line === undefined) continue;
    if (typeof line.t === 'number' && line.t < sinceMs) records = [];
    records.push(line);
  }
  return records === undefined ? undefined : { records, closed: isEnd(end, former) };
}

function tailOf(records: readonly Line[], closed: boolean): Tail {
  const sent = new SentRequests();
  let at = 0;
  for (const line of records) {
    if (typeof line.t === 'number') at = line.t;
    if (line.in !== undefined && line.in !== null) sent.applyInput(line.in, at);
    if (Array.isArray(line.out)) sent.applyCommands(line.out as readonly Command[], at);
  }
  return { closed, lastMs: at, sent };
}

/** A journal may have been written by another version. */
const isOrder = (order: NewOrder): boolean =>
  typeof order.ref === 'string' &&
  typeof order.market.gameId === 'string' &&
  (order.side === 'home' || order.side === 'away' || order.side === 'over' || order.side === 'under') &&
  Number.isSafeInteger(order.rung) &&
  Number.isSafeInteger(order.risk);

async function bytesOf(handle: FileHandle, position: number, length: number): Promise<string> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await handle.read(buffer, 0, length, position);
  return buffer.toString('utf8', 0, bytesRead);
}

/** Undefined: torn, or not an object. */
function parse(text: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function usernameOf(header: unknown): unknown {
  const at = (value: unknown, key: string): unknown =>
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  return at(at(at(header, 'config'), 'exchange'), 'username');
}

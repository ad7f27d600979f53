// What the request windows of an account still hold when a bot starts: the journals of the runs before tell (DESIGN rule
// 1). Only their tails are read. A journal without its closing record may lack the last requests, and says so.
import { open, readdir, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bucket } from '../domain/index.ts';

export type WindowUse = {
  /** Every request of the last runs is in here; false: there may be more. */
  readonly complete: boolean;
  /** When the requests of a bucket could no longer be counted: Unix ms, W and margin not added. */
  readonly ends: Readonly<Record<Bucket, readonly number[]>>;
};

const UNKNOWN: WindowUse = { complete: false, ends: { place: [], cancel: [] } };
const FIRST_TAIL_BYTES = 1 << 20;
const HEADER_BYTES = 1 << 20;
const CLOCK_SLACK_MS = 1000;

type Line = {
  readonly t?: unknown;
  readonly in?: { readonly type?: unknown; readonly req?: unknown; readonly failure?: unknown };
  readonly out?: unknown;
  readonly chain?: unknown;
};
type Sent = { readonly bucket: Bucket; readonly at: number; end: number | undefined };

/**
 * @param lateArrivalMs a request without an answer may be counted this long after it was sent
 * @param sinceMs Unix ms; requests that ended before no longer matter
 */
export async function readWindowUse(
  folder: string,
  username: string,
  { lateArrivalMs, sinceMs, nowMs }: { lateArrivalMs: number; sinceMs: number; nowMs: number },
): Promise<WindowUse> {
  const ends: Record<Bucket, number[]> = { place: [], cancel: [] };
  let complete = false;
  try {
    for (const { file, changedMs } of await journalsOf(folder)) {
      // the newest of the account tells whether all is known; older ones matter while their requests may count
      const newest = !complete;
      if (!newest && changedMs < sinceMs - lateArrivalMs) break;
      const tail = await readTail(file, username, sinceMs - lateArrivalMs);
      if (tail === undefined) continue;
      if (!tail.closed || tail.lastMs > nowMs + CLOCK_SLACK_MS)
        return { ...UNKNOWN, ends: merged(ends, tail) };
      complete = true;
      merged(ends, tail);
    }
  } catch {
    return { ...UNKNOWN, ends };
  }
  return { complete, ends };

  function merged(into: Record<Bucket, number[]>, { sent }: Tail): Record<Bucket, number[]> {
    for (const { bucket, at, end } of sent) {
      const endMs = end ?? at + lateArrivalMs;
      if (endMs >= sinceMs) into[bucket].push(endMs);
    }
    return into;
  }
}

/** Newest first. */
async function journalsOf(folder: string): Promise<readonly { file: string; changedMs: number }[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.ndjson'));
  const files = await Promise.all(
    names.map(async (name) => {
      const file = join(folder, name);
      return { file, changedMs: (await stat(file)).mtimeMs };
    }),
  );
  return files.sort((a, b) => b.changedMs - a.changedMs);
}

type Tail = { readonly closed: boolean; readonly lastMs: number; readonly sent: readonly Sent[] };

/** Undefined: it is not a journal of this account. */
async function readTail(file: string, username: string, sinceMs: number): Promise<Tail | undefined> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const header = parse((await bytesOf(handle, 0, Math.min(size, HEADER_BYTES))).split('\n', 1)[0] ?? '');
    if (usernameOf(header) !== username) return undefined;
    for (let length = FIRST_TAIL_BYTES; ; length *= 4) {
      const from = Math.max(0, size - length);
      const lines = (await bytesOf(handle, from, size - from)).split('\n');
      // the first one may be cut
      const records = (from === 0 ? lines : lines.slice(1)).flatMap((line) => parse(line) ?? []);
      const first = records.find(({ t }) => typeof t === 'number')?.t;
      if (from > 0 && (typeof first !== 'number' || first >= sinceMs)) continue;
      return tailOf(records, parse(lines.at(-2) ?? '')?.chain !== undefined && lines.at(-1) === '');
    }
  } finally {
    await handle.close();
  }
}

function tailOf(records: readonly Line[], closed: boolean): Tail {
  const sent = new Map<unknown, Sent>();
  let at = 0;
  for (const line of records) {
    if (typeof line.t === 'number') at = line.t;
    const input = line.in;
    const ended = sent.get(input?.req);
    if (ended !== undefined && input?.type === 'reply') ended.end = at;
    if (input?.type === 'failure' && input.failure === 'not-sent') sent.delete(input.req);
    for (const command of Array.isArray(line.out) ? (line.out as readonly Record<string, unknown>[]) : []) {
      const { type, req, permit } = command;
      if (permit === undefined) continue;
      if (type === 'place' || type === 'edit' || type === 'cancel')
        sent.set(req, { bucket: type === 'cancel' ? 'cancel' : 'place', at, end: undefined });
    }
  }
  return { closed, lastMs: at, sent: [...sent.values()] };
}

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

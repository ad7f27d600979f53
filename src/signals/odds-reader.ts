// Reads the document of an odds feed. Over HTTP, requests are conditional and the vendor's `retry-after` is
// returned; a file is read again only when it has changed.
import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { messageOf, parseTime, systemCodeOf, userText, withoutSecrets } from '../domain/index.ts';

export type OddsReading =
  | { readonly type: 'new'; readonly text: string }
  /** Unchanged. `isCurrent`: the vendor confirmed that the last document is still current. */
  | { readonly type: 'same'; readonly isCurrent: boolean }
  /** `waitMs`: the vendor asks to wait this long before the next request. */
  | { readonly type: 'failed'; readonly problem: string; readonly waitMs?: number };

export type OddsReader = (signal: AbortSignal) => Promise<OddsReading>;

const DEADLINE_MS = 10_000;
const MOST_BYTES = 10_000_000;
const LONGEST_WAIT_MS = 3_600_000;

/**
 * Reads over HTTP with GET, conditional on the tags of the last answer.
 * @param wall the current time, Unix ms
 */
export function httpOdds(url: string, wall: () => number): OddsReader {
  let tags: Readonly<Record<string, string>> = {};
  const where = withoutSecrets(url) as string;
  return async (closing) => {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(DEADLINE_MS)]);
    try {
      const response = await fetch(url, {
        headers: { accept: 'application/json', ...tags },
        redirect: 'manual',
        signal,
      });
      if (response.status === 304) {
        await response.body?.cancel();
        return { type: 'same', isCurrent: true };
      }
      if (response.status !== 200) {
        const body = (await bodyOf(response, 2000).catch(() => '')).slice(0, 200);
        return {
          type: 'failed',
          problem: `${where} answers ${response.status}${meaningOf(response.status)}${body === '' ? '' : `: ${body}`}`,
          ...waitIn(response.headers.get('retry-after'), wall()),
        };
      }
      const text = await bodyOf(response, MOST_BYTES);
      const [etag, modified] = [response.headers.get('etag'), response.headers.get('last-modified')];
      tags = {
        ...(etag !== null && { 'if-none-match': etag }),
        ...(modified !== null && { 'if-modified-since': modified }),
      };
      return { type: 'new', text };
    } catch (error) {
      const { cause } = error as { readonly cause?: unknown };
      const why = signal.aborted
        ? `within ${DEADLINE_MS / 1000} s`
        : messageOf(cause instanceof Error && cause.message !== '' ? cause : error);
      return { type: 'failed', problem: `${where} does not answer: ${why}` };
    }
  };
}

/** Reads a file. It is read again when its time, size or inode has changed. */
export function fileOdds(path: string): OddsReader {
  let known: string | undefined;
  return async () => {
    try {
      // opening a pipe blocks until it has a writer and cannot be aborted; O_NONBLOCK covers one that
      // replaces the file just now
      if (!(await stat(path)).isFile()) return { type: 'failed', problem: `${path} is no file` };
      await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
      const { mtimeMs, size, ino, dev } = await file.stat();
      if (size > MOST_BYTES) return { type: 'failed', problem: `${path} has ${size} bytes, more than ${MOST_BYTES}` };
      const state = `${mtimeMs} ${size} ${ino} ${dev}`;
      if (state === known) return { type: 'same', isCurrent: false };
      const text = userText(await file.readFile());
      known = state;
      return { type: 'new', text };
    } catch (error) {
      known = undefined;
      const code = systemCodeOf(error);
      return {
        type: 'failed',
        problem: code === 'ENOENT' ? `${path} is not there` : `${path} cannot be read: ${messageOf(error)}`,
      };
    }
  };
}

async function bodyOf(response: Response, most: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > most) throw new Error(`it sends more than ${most} bytes`);
    chunks.push(chunk);
  }
  return userText(Buffer.concat(chunks));
}

function meaningOf(status: number): string {
  if (status === 401 || status === 403) return ' (the key is refused, or used up)';
  if (status === 429) return ' (too many requests)';
  return status >= 300 && status < 400 ? ' (it is somewhere else: configure that address)' : '';
}

/** The wait in a `retry-after` header, which holds seconds or a date. */
function waitIn(header: string | null, now: number): { readonly waitMs?: number } {
  if (header === null) return {};
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : (parseTime(header) ?? Number.NaN) - now;
  return Number.isFinite(ms) ? { waitMs: Math.min(LONGEST_WAIT_MS, Math.max(0, ms)) } : {};
}

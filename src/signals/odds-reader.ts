// Reads the document of an odds feed: over HTTP, where it pays for a request only when something changed and waits as long as the
// vendor asks; or from a file that others write.
import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { messageOf, parseTime, systemCodeOf, userText, withoutSecrets } from '../domain/index.ts';

export type OddsReading =
  | { readonly type: 'new'; readonly text: string }
  /** `isCurrent`: the vendor says that it is what he would tell now. */
  | { readonly type: 'same'; readonly isCurrent: boolean }
  /** `waitMs`: the vendor wants to be left alone for so long. */
  | { readonly type: 'failed'; readonly problem: string; readonly waitMs?: number };

export type OddsReader = (signal: AbortSignal) => Promise<OddsReading>;

const DEADLINE_MS = 10_000;
const MOST_BYTES = 10_000_000;
const LONGEST_WAIT_MS = 3_600_000;

/** GET, with the tags that the last answer had. `wall`: Unix ms. */
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
        const said = (await bodyOf(response, 2000).catch(() => '')).slice(0, 200);
        return {
          type: 'failed',
          problem: `${where} answers ${response.status}${meaningOf(response.status)}${said === '' ? '' : `: ${said}`}`,
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

/** Read again when it is another, by time, size or inode. */
export function fileOdds(path: string): OddsReader {
  let known: string | undefined;
  return async () => {
    try {
      // opening a pipe waits for its writer, and cannot be ended; non-blocking for one that takes the file's place just now
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
  return status >= 300 && status < 400 ? ' (it is somewhere else: name that address)' : '';
}

/** Seconds, or a date. */
function waitIn(told: string | null, now: number): { readonly waitMs?: number } {
  if (told === null) return {};
  const ms = /^\d+$/.test(told.trim()) ? Number(told) * 1000 : (parseTime(told) ?? Number.NaN) - now;
  return Number.isFinite(ms) ? { waitMs: Math.min(LONGEST_WAIT_MS, Math.max(0, ms)) } : {};
}

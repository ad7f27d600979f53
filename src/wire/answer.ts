// Answers over REST. Only the exchange's own JSON is an answer: a proxy's page, a gateway's status or a body
// nested too deeply does not show the fate of the request.
import { parseEnvelope } from './envelope.ts';

export type WireAnswer =
  | {
      readonly type: 'answer';
      readonly status: number;
      readonly body: unknown;
      readonly retryAfterSeconds: number | undefined;
      /** A rotated token (wire profile: X-Auth-Token). */
      readonly newToken: string | undefined;
    }
  | { readonly type: 'foreign'; readonly detail: string };

const MAX_DEPTH = 32;

/** Reads a reply from its text. `header`: returns a header by its name in lower case. */
export const readAnswer = (status: number, text: unknown, header: (name: string) => unknown): WireAnswer =>
  answerOf(status, readJson(text), header);

/** Reads a reply from a parsed body; undefined for a body that is not JSON. */
export function answerOf(status: number, body: unknown, header: (name: string) => unknown): WireAnswer {
  const envelope = parseEnvelope(body);
  const foreign =
    status < 400
      ? body === undefined || status >= 300
      : envelope === undefined || status === 408 || (status >= 502 && status <= 504);
  if (foreign) return { type: 'foreign', detail: `status ${status} without the exchange's JSON` };
  return {
    type: 'answer',
    status,
    body,
    retryAfterSeconds: envelope?.retryAfterSeconds ?? readSeconds(header('retry-after')),
    newToken: readHeader(header('x-auth-token')),
  };
}

function readJson(data: unknown): unknown {
  if (typeof data !== 'string') return undefined;
  try {
    const body = JSON.parse(data) as unknown;
    return isShallow(body, MAX_DEPTH) ? body : undefined;
  } catch {
    return undefined;
  }
}

/** False for a body nested too deeply: it would overflow recursive readers, the journal first. */
function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((child) => isShallow(child, depth - 1));
}

function readSeconds(value: unknown): number | undefined {
  const seconds = typeof value === 'string' ? Number(value) : Number.NaN;
  return seconds >= 0 && seconds <= 3600 ? seconds : undefined;
}

const readHeader = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/**
 * True when the exchange counted more requests in a window than it allows. A full cancel queue does not mean
 * that.
 */
export const isWindowFull = (answer: WireAnswer | { readonly type: 'failed' }): boolean =>
  answer.type === 'answer' && answer.status === 429 && parseEnvelope(answer.body)?.code !== 'CANCEL_QUEUE_FULL';

// What an endpoint is: verbs, paths, the kind of request it counts as, and a handler that knows nothing of HTTP.
import type { Account } from './account.ts';
import type { BookJson } from './book-json.ts';
import type { Refusal } from './refusal.ts';
import type { Sessions } from './sessions.ts';
import type { RequestKind } from './traffic.ts';
import type { Venue } from './venue.ts';

export type RouteContext = {
  readonly venue: Venue;
  readonly book: BookJson;
  readonly sessions: Sessions;
};

/** Query and body together; the body wins. */
export type Params = Readonly<Record<string, unknown>>;
export type Call = {
  readonly account: Account;
  readonly params: Params;
  readonly body: unknown;
  readonly nowMs: number;
};

/** `json` is a body ready to send, `data` is wrapped as `{data}`, `body` is sent as it is. */
export type Answer =
  { readonly json: string } | { readonly data: unknown } | { readonly body: unknown } | Refusal;

export type Route = {
  readonly methods: readonly ('GET' | 'POST')[];
  readonly paths: readonly string[];
  readonly kind: RequestKind;
  readonly handle: (call: Call) => Answer;
};

/** Reads take the same parameters by query and by body (wire profile). */
export const READ = ['GET', 'POST'] as const;
export const WRITE = ['POST'] as const;

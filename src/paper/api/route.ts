// The type of an endpoint: verbs, paths, the kind of request it counts as, and a handler that is independent
// of HTTP.
import type { Answer as ReadAnswer } from '../../domain/index.ts';
import type { FaultyRequest } from '../faults/plan.ts';
import type { VenueAccount, Refusal, Venue } from '../../venue/index.ts';
import type { BookJson } from './book-json.ts';
import type { Sessions } from './sessions.ts';

export type RouteContext = {
  readonly venue: Venue;
  readonly book: BookJson;
  readonly sessions: Sessions;
  /** Whether results of own orders are answered as parsed values, without JSON. */
  readonly withoutText: boolean;
};

/** Query and body merged. The body has priority. */
export type Params = Readonly<Record<string, unknown>>;
export type Call = {
  readonly account: VenueAccount;
  /** The session token of the request. */
  readonly token: string;
  readonly params: Params;
  readonly body: unknown;
  readonly nowMs: number;
};

/**
 * `json` is a body ready to send, `data` is wrapped as `{data}`, `body` is sent as it is, `read` is what a
 * client reads of it.
 */
export type Answer =
  | { readonly json: string }
  | { readonly read: ReadAnswer }
  | { readonly data: unknown; readonly headers?: Readonly<Record<string, string>> }
  | { readonly body: unknown }
  | Refusal;
/** A held request: `resume` gives the answer after `holdMs`. */
export type Held = { readonly holdMs: number; readonly resume: (nowMs: number) => Answer };

export type RouteKind = Exclude<FaultyRequest, 'login'>;

export type Route = {
  readonly methods: readonly ('GET' | 'POST')[];
  readonly paths: readonly string[];
  readonly kind: RouteKind;
  readonly handle: (call: Call) => Answer | Held;
};

/** Reads take the same parameters by query and by body (wire profile). */
export const READ = ['GET', 'POST'] as const;
export const WRITE = ['POST'] as const;

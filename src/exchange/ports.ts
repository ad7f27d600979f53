// The ports of the door: requests, connections, and permits. Live these are axios, socket.io-client and
// Bottleneck (src/exchange/live); in a backtest the venue in process.
import type { Answer, FailureKind, Feed, FeedFault, Input, RequestCommand } from '../domain/index.ts';
import type { Call, WireAnswer } from '../wire/index.ts';

export type OutgoingCall = Call & {
  readonly token?: string | undefined;
  /**
   * Called again right before the request is written; returns the reason why it must not be sent any more.
   */
  readonly held?: (() => string | undefined) | undefined;
  /** The command that it executes. */
  readonly command?: RequestCommand;
};

export type RestAnswer =
  | Extract<WireAnswer, { type: 'answer' }>
  /** A parsed answer, in process, without its JSON. */
  | { readonly type: 'read'; readonly answer: Answer }
  | { readonly type: 'failed'; readonly failure: FailureKind; readonly detail: string };

/**
 * Sends a call and calls back once: with the answer, or the reason why there is none, at the latest after
 * `deadlineMs`.
 */
export type RestPort = (call: OutgoingCall, deadlineMs: number, done: (answer: RestAnswer) => void) => void;

/** The default of exchange.maxFrame, bytes. */
export const MAX_FRAME_BYTES = 8_000_000;

export type SocketEvents = {
  /** The exchange accepted the handshake of the namespace. */
  readonly connected: () => void;
  /**
   * A packet of the transport after the handshake of the namespace; called before its content is reported.
   */
  readonly packet: () => void;
  /** The exchange refused the connection. `isUnauthorized`: a new token may help. */
  readonly refused: (fault: FeedFault, isUnauthorized: boolean) => void;
  readonly closed: (reason: string) => void;
  readonly frame: (event: string, data: string) => void;
  /** A frame that is too long to be read; `head`: the beginning of its payload. */
  readonly longFrame: (event: string, bytes: number, head: string) => void;
  /** A parsed event, in process. */
  readonly read: (position: Extract<Input, { type: 'position' }>) => void;
};

/** One connection to a namespace; `connect` may be called repeatedly. */
export type SocketPort = {
  /** The URL and namespace, for the log. */
  readonly address: string;
  readonly connect: (token: string | undefined) => void;
  readonly close: () => void;
};
export type SocketsPort = (feed: Feed, events: SocketEvents) => SocketPort;

/** The permits of one request window (rules.md, 1). Times are monotonic ms. */
export type WindowPort = {
  /** Starts to hand out permits. */
  readonly open: (grant: (permit: number) => void) => void;
  /** Records that the request of this permit leaves. */
  readonly spend: (permit: number, sentAt: number) => void;
  /** Records that the request of this permit can no longer be counted after `endMs`. */
  readonly endRequest: (permit: number, endMs: number) => void;
  /** Returns an unused permit. */
  readonly giveBack: (permit: number) => void;
  /**
   * Records a 429 to the request that left at `sentAt`. Returns how many permits must be returned unused, if
   * possible.
   */
  readonly refused: (sentAt: number) => number;
  /** Hands out no permit for a while. */
  readonly hold: (forMs: number) => void;
  readonly close: () => void;
};

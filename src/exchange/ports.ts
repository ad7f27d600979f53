// What the door needs of the world: one way to make requests, to hold connections, and to wait for permits. Live these are
// axios, socket.io-client and Bottleneck (src/exchange/live); in a backtest the venue in process.
import type { Answer, FailureKind, Feed, FeedFault, Input, RequestCommand } from '../domain/index.ts';
import type { Call, WireAnswer } from '../wire/index.ts';

export type OutgoingCall = Call & {
  readonly token?: string | undefined;
  /** Asked once more when the request is about to be written: why it must not go out any more. */
  readonly held?: (() => string | undefined) | undefined;
  /** The command that it carries out. */
  readonly command?: RequestCommand;
};

export type RestAnswer =
  | Extract<WireAnswer, { type: 'answer' }>
  /** In process an answer may come read, without its JSON. */
  | { readonly type: 'read'; readonly answer: Answer }
  | { readonly type: 'failed'; readonly failure: FailureKind; readonly detail: string };

/** Calls back once: with the answer, or why there is none, at the latest after `deadlineMs`. */
export type RestPort = (call: OutgoingCall, deadlineMs: number, done: (answer: RestAnswer) => void) => void;

/** exchange.maxFrame, where nobody said otherwise. */
export const MAX_FRAME_BYTES = 8_000_000;

export type SocketEvents = {
  /** The handshake of the namespace was taken. */
  readonly connected: () => void;
  /** Any packet of the transport behind the handshake of the namespace; comes before what it carries. */
  readonly packet: () => void;
  /** `isUnauthorized`: a new token may help. */
  readonly refused: (fault: FeedFault, isUnauthorized: boolean) => void;
  readonly closed: (reason: string) => void;
  readonly frame: (event: string, data: string) => void;
  /** A frame that is too long to be read; `head`: how its payload begins. */
  readonly longFrame: (event: string, bytes: number, head: string) => void;
  /** In process an event may come read. */
  readonly read: (position: Extract<Input, { type: 'position' }>) => void;
};

/** One connection to a namespace; connected anew as often as it is asked to. */
export type SocketPort = {
  /** URL and namespace, for the log. */
  readonly address: string;
  readonly connect: (token: string | undefined) => void;
  readonly close: () => void;
};
export type SocketsPort = (feed: Feed, events: SocketEvents) => SocketPort;

/** The permits of one request window (rules.md, 1). Times are monotonic ms. */
export type WindowPort = {
  /** Hands out permits from now on. */
  readonly open: (grant: (permit: number) => void) => void;
  /** Its request leaves. */
  readonly spend: (permit: number, sentAt: number) => void;
  /** Its request can no longer be counted after `endMs`. */
  readonly end: (permit: number, endMs: number) => void;
  /** Nothing was sent with it. */
  readonly giveBack: (permit: number) => void;
  /** A 429 to the request that left at `sentAt`. Returns how many permits must be given back unused, if possible. */
  readonly refused: (sentAt: number) => number;
  /** Hands out no permit for a while. */
  readonly hold: (forMs: number) => void;
  readonly close: () => void;
};

// The two ways into the paper exchange behind one port, so that every test of the contract runs over both: loopback HTTP
// with Socket.IO on real sockets and real time, and calls in process on a virtual clock.

export type Over = 'sockets' | 'in process';
export const WAYS: readonly Over[] = ['sockets', 'in process'];

export type Call = {
  readonly token?: string | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
};

export type Reply = {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly json: unknown;
};

/** A request under way; the virtual clock stands still for it. */
export type Pending = { readonly ended: () => Reply | 'reset' | undefined };

export type Frame = { readonly event: string; readonly payload: unknown };

export type Handshake = {
  readonly token?: string | undefined;
  /** Default: the header. */
  readonly tokenIn?: 'header' | 'query';
  readonly headers?: Readonly<Record<string, string>>;
  /** Sockets only. */
  readonly transports?: readonly ('polling' | 'websocket')[];
};

export type Link = {
  /** Why the handshake failed; undefined when it did not. */
  readonly error: string | undefined;
  readonly frames: readonly Frame[];
  readonly isClosed: () => boolean;
  /** The first frame that fits, from `from` on; lets time pass until it is there. */
  readonly until: (fits: (frame: Frame) => boolean, from?: number) => Promise<Frame>;
  readonly close: () => void;
};

export type Transport = {
  readonly over: Over;
  readonly request: (method: string, path: string, call?: Call) => Promise<Reply>;
  readonly send: (method: string, path: string, call?: Call) => Pending;
  readonly connect: (namespace: string, handshake?: Handshake) => Promise<Link>;
  /** The operator's routes. Throws unless they say yes. */
  readonly admin: (method: string, path: string, body?: unknown) => Promise<unknown>;
  /** Lets time pass until the condition holds. */
  readonly until: (condition: string, holds: () => boolean | Promise<boolean>) => Promise<void>;
  readonly wait: (ms: number) => Promise<void>;
  readonly now: () => number;
  readonly close: () => Promise<void>;
};

/** Undefined when it is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

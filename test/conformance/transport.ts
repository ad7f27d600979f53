// One interface for the two transports of the paper exchange, so that every contract test runs over both:
// loopback HTTP with Socket.IO in real time, and calls in process on a virtual clock.

export type Over = 'sockets' | 'in process';
export const WAYS: readonly Over[] = ['sockets', 'in process'];

export type Call = {
  readonly token?: string | undefined;
  /** A body that is sent as JSON. */
  readonly body?: unknown;
  /** A body that is sent unchanged. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
};

export type Reply = {
  readonly status: number;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly json: unknown;
};

/** A request in flight. The virtual clock does not advance for it. */
export type Pending = { readonly ended: () => Reply | 'reset' | undefined };

export type Frame = { readonly event: string; readonly payload: unknown };

export type Handshake = {
  readonly token?: string | undefined;
  /** Where the token goes. Default: the header. */
  readonly tokenIn?: 'header' | 'query';
  readonly headers?: Readonly<Record<string, string>>;
  /** Engine.IO transports, over sockets only. */
  readonly transports?: readonly ('polling' | 'websocket')[];
};

export type Link = {
  /** Why the handshake failed. Undefined when it succeeded. */
  readonly error: string | undefined;
  readonly frames: readonly Frame[];
  readonly isClosed: () => boolean;
  /** Waits for the first frame with an index of at least `from` that fits. */
  readonly until: (fits: (frame: Frame) => boolean, from?: number) => Promise<Frame>;
  readonly close: () => void;
};

export type Transport = {
  readonly over: Over;
  readonly request: (method: string, path: string, call?: Call) => Promise<Reply>;
  readonly send: (method: string, path: string, call?: Call) => Pending;
  readonly connect: (namespace: string, handshake?: Handshake) => Promise<Link>;
  /** Calls a route of the operator. Throws when it refuses. */
  readonly admin: (method: string, path: string, body?: unknown) => Promise<unknown>;
  /** Waits until the condition holds. */
  readonly until: (condition: string, holds: () => boolean | Promise<boolean>) => Promise<void>;
  readonly wait: (ms: number) => Promise<void>;
  readonly now: () => number;
  readonly close: () => Promise<void>;
};

/** The parsed JSON, or undefined when the text is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

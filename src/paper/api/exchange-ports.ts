// What the exchange needs from its host: time, timers and secrets.

export type ExchangePorts = {
  /** Unix milliseconds that never go back. */
  readonly now: () => number;
  /** Calls back at this time. */
  readonly at: (atMs: number, action: () => void) => void;
  /** Makes a secret session token. */
  readonly newToken: () => string;
  /** Whether results of own orders are sent as parsed values, without writing JSON. */
  readonly withoutText?: boolean;
};

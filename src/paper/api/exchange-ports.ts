// What the exchange needs of the world.

export type ExchangePorts = {
  /** Unix milliseconds that never go back. */
  readonly now: () => number;
  readonly at: (atMs: number, action: () => void) => void;
  readonly newToken: () => string;
  /** What becomes of own orders leaves as a client reads it: no JSON is written. */
  readonly withoutText?: boolean;
};

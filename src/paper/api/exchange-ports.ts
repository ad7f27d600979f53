// What the exchange needs of the world.

export type ExchangePorts = {
  /** Unix milliseconds that never go back. */
  readonly now: () => number;
  readonly at: (atMs: number, action: () => void) => void;
  readonly newToken: () => string;
};

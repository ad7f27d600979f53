// The connection of a feed of the exchange, for displays of the bot. The core knows only whether it is up.

/** Why a connection was refused. */
export type FeedFault = {
  /** The cause in the words of the network or the exchange. */
  readonly cause: string;
  /** The setting to check. */
  readonly setting: string;
};

export type FeedConnection = {
  /** The URL and namespace. */
  readonly address: string;
  /** True when it was up at least once since the start. */
  readonly wasUp: boolean;
  /** Why the last attempt failed. Undefined when it is up, or no attempt has failed since. */
  readonly fault: FeedFault | undefined;
};

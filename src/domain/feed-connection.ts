// How a feed of the exchange is connected, for those who watch the bot. The core knows only whether it is up.

/** Why a connection was refused. */
export type FeedFault = {
  /** In the words of the network or the exchange. */
  readonly cause: string;
  /** The setting to look at. */
  readonly setting: string;
};

export type FeedConnection = {
  /** URL and namespace. */
  readonly address: string;
  /** It was up at least once since the start. */
  readonly wasUp: boolean;
  /** Why the newest attempt failed; undefined when it is up, or no attempt has failed since. */
  readonly fault: FeedFault | undefined;
};

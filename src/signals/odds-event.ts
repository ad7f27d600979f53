// One event as bookmakers price it: what is read of an odds feed (odds-shape.ts), in the words of its vendors.

export type OddsOutcome = {
  readonly name: string;
  /** Stake included. */
  readonly decimal: number;
  readonly point: number | undefined;
};

export type OddsMarket = {
  readonly key: 'h2h' | 'spreads' | 'totals';
  /** When the bookmaker's prices were read last, Unix ms, within the times of odds-shape.ts; undefined: it is not told. */
  readonly updated: number | undefined;
  readonly outcomes: readonly OddsOutcome[];
};

export type OddsBook = {
  readonly key: string;
  readonly title: string;
  readonly markets: readonly OddsMarket[];
};

export type OddsEvent = {
  readonly id: string;
  /** As the vendor names it, such as `basketball_nba`. */
  readonly sport: string;
  /** Unix ms, within the times of odds-shape.ts. */
  readonly start: number;
  readonly home: string;
  readonly away: string;
  readonly books: readonly OddsBook[];
};

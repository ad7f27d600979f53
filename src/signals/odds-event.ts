// One event as bookmakers price it, read from an odds feed (odds-shape.ts). Names are those of the vendors.

export type OddsOutcome = {
  readonly name: string;
  /** Decimal odds, stake included. */
  readonly decimal: number;
  /** The line: spread of this team, or the total. */
  readonly point: number | undefined;
};

export type OddsMarket = {
  readonly key: 'h2h' | 'spreads' | 'totals';
  /**
   * When the bookmaker's prices were last read, Unix ms, within the years of odds-shape.ts. Undefined when
   * not given.
   */
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
  /** The vendor's key, such as `basketball_nba`. */
  readonly sport: string;
  /** Unix ms, within the years of odds-shape.ts. */
  readonly start: number;
  readonly home: string;
  readonly away: string;
  readonly books: readonly OddsBook[];
};

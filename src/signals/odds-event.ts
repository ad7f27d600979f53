// One event as bookmakers price it, read from an odds feed (odds-shape.ts). Names are those of the vendors.
import type { MarketType, Period } from '../domain/index.ts';

export type OddsOutcome = {
  readonly name: string;
  /** Decimal odds, stake included. */
  readonly decimal: number;
  /** The line: spread of this team, or the total. */
  readonly point: number | undefined;
};

export type OddsMarket = {
  /** The vendor's name of the market, such as `spreads` or `alternate_totals_h1`. */
  readonly key: string;
  readonly type: MarketType;
  /** `full` for the whole game. */
  readonly period: Period;
  /** True for a market with several lines, or with a draw in a game that has none by the rules of its h2h. */
  readonly isAlternate: boolean;
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

/** The name of an event for people. */
export const eventText = ({ away, home }: Pick<OddsEvent, 'home' | 'away'>): string => `${away} @ ${home}`;

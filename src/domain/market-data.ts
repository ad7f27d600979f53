// Messages of the price feed and book reads, after parsing and before the mirror merges them. Odds, stakes
// and untaken amounts are already the offerer's; sides and lines are as shown, since converting them needs
// the game's header.
import type { GameId, ParticipantId } from './brand.ts';
import type { Ladder } from './book.ts';
import type { MarketType, Side } from './market.ts';

export type Perspective = 'offerer' | 'taker';
/** The party whose odds, side and line the public book shows (wire profile: `bookPerspective`). */
export type BookPerspective = {
  readonly odds: Perspective;
  readonly side: Perspective;
  readonly line: Perspective;
};

/** One side of one market in a frame; the game's header resolves the participant to home or away. */
export type SideFrame = {
  readonly gameId: GameId;
  readonly league: string | undefined;
  readonly type: MarketType;
  /** Set for moneylines and spreads, as shown. */
  readonly participantId: ParticipantId | undefined;
  /** Set for totals, as shown; ladders inside a game name home and away directly. */
  readonly side: Side | undefined;
  /** The line from the view of the shown side. */
  readonly line: number | undefined;
  readonly live: boolean | undefined;
  readonly mainHomeSpread: number | undefined;
  readonly mainTotal: number | undefined;
  readonly offers: Ladder;
};

/** A key that identifies a side among all games, with the names of one feed. */
export const frameKeyOf = ({ gameId, type, participantId, side, line }: SideFrame): string =>
  `${gameId}|${type}|${participantId ?? side}|${line}`;

export type GameParticipant = {
  readonly id: ParticipantId;
  readonly homeAway: 'home' | 'away' | undefined;
  readonly longName: string | undefined;
  readonly shortName: string | undefined;
};

/** One ladder of a game's book, side and line as shown. */
export type BookLadder = {
  readonly type: MarketType;
  readonly side: Side;
  readonly line: number | undefined;
  readonly offers: Ladder;
};

export type GameMessage = {
  readonly gameId: GameId;
  readonly parentGameId: GameId | undefined;
  readonly league: string | undefined;
  readonly sport: string | undefined;
  readonly eventName: string | undefined;
  readonly start: number | undefined;
  readonly live: boolean | undefined;
  readonly ended: boolean | undefined;
  readonly futures: boolean | undefined;
  /** The period of a part of a game, as the exchange writes it: `1st Half`. */
  readonly periodName?: string | undefined;
  /**
   * The list of its parent's book that holds a part of a game; a part that is marked as a special is a prop.
   */
  readonly part?: 'child' | 'prop' | undefined;
  readonly participants: readonly GameParticipant[] | undefined;
  /** Undefined when the message does not give it; null when the message says that there is none. */
  readonly mainHomeSpread: number | null | undefined;
  readonly mainTotal: number | null | undefined;
  readonly messageType: 'marketOpen' | 'marketClosed' | undefined;
  readonly ladders: readonly BookLadder[];
  /** The ladder fields that were present: all other lines of these sides are empty. */
  readonly covers: readonly { readonly type: MarketType; readonly side: Side }[];
};

/** One page of the games of a league. */
export type LeagueBook = {
  readonly games: readonly GameMessage[];
  readonly unreadable: number;
  readonly hasNextPage: boolean;
};

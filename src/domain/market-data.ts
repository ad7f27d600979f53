// What the price feed and the book reads say, after parsing and before the mirror has merged it. Odds, stakes and
// untaken amounts are the offerer's already; sides and lines are as shown, since turning them needs the game's header.
import type { GameId, ParticipantId } from './brand.ts';
import type { Ladder } from './book.ts';
import type { MarketType, Side } from './market.ts';

export type Perspective = 'offerer' | 'taker';
/** Whose odds, side and line the public book shows (wire profile: `bookPerspective`). */
export type BookPerspective = {
  readonly odds: Perspective;
  readonly side: Perspective;
  readonly line: Perspective;
};

/** One side of one market as a frame tells it; the game's header resolves the participant to home or away. */
export type SideFrame = {
  readonly gameId: GameId;
  readonly league: string | undefined;
  readonly type: MarketType;
  /** For moneylines and spreads, as shown. */
  readonly participantId: ParticipantId | undefined;
  /** For totals, as shown; ladders inside a game name home and away directly. */
  readonly side: Side | undefined;
  /** As shown: from the view of the shown side. */
  readonly line: number | undefined;
  readonly live: boolean | undefined;
  readonly mainHomeSpread: number | undefined;
  readonly mainTotal: number | undefined;
  readonly offers: Ladder;
};

/** Tells the sides of all games apart, as one feed names them. */
export const frameKeyOf = ({ gameId, type, participantId, side, line }: SideFrame): string =>
  `${gameId}|${type}|${participantId ?? side}|${line}`;

export type GameParticipant = {
  readonly id: ParticipantId;
  readonly homeAway: 'home' | 'away' | undefined;
  readonly longName: string | undefined;
  readonly shortName: string | undefined;
};

/** One ladder of a game's book, sides and lines as shown. */
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
  /** Of a part of a game, as the exchange writes it: `1st Half`. */
  readonly periodName?: string | undefined;
  /** Of a part of a game: which list of its parent's book it stands in; one that is marked as a special is a prop. */
  readonly part?: 'child' | 'prop' | undefined;
  readonly participants: readonly GameParticipant[] | undefined;
  /** undefined: not told; null: told that there is none. */
  readonly mainHomeSpread: number | null | undefined;
  readonly mainTotal: number | null | undefined;
  readonly messageType: 'marketOpen' | 'marketClosed' | undefined;
  readonly ladders: readonly BookLadder[];
  /** The ladder fields that were present: their other lines are empty. */
  readonly covers: readonly { readonly type: MarketType; readonly side: Side }[];
};

/** All games of a league, one page. */
export type LeagueBook = {
  readonly games: readonly GameMessage[];
  readonly unreadable: number;
  readonly hasNextPage: boolean;
};

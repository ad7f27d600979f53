// Games, markets and sides. A market is game × type × line and has two sides; its line is given from the
// first side's view (home's spread, the total), so that HOME −3.5 and AWAY +3.5 are two sides of one market.
import type { Brand, GameId, ParticipantId } from './brand.ts';
import type { GamePart } from './period.ts';

/** The type of a bet: who wins; by how much; how many points in total. */
export type MarketType = 'moneyline' | 'spread' | 'total';
export const MARKET_TYPES: readonly MarketType[] = ['moneyline', 'spread', 'total'];
/** The side that is backed: a team, or the points above or below a total. */
export type Side = 'home' | 'away' | 'over' | 'under';
/** The id of a market: `<gameId>/<type>`, with `/<line>` for spreads (home's line) and totals. */
export type MarketId = Brand<string, 'MarketId'>;

/** A market of a game: a type, and the line of a spread or total. */
export type Market = {
  /** The id, `<game>/<type>/<line>`. */
  readonly id: MarketId;
  /** The id of the game. */
  readonly gameId: GameId;
  /** The type of the market. */
  readonly type: MarketType;
  /** Home's spread or the total, in points; undefined for a moneyline. */
  readonly line: number | undefined;
  /** The first side is home or over, the second away or under. */
  readonly sides: readonly [Side, Side];
};

export type Participant = { readonly id: ParticipantId; readonly name: string; readonly shortName: string };

/**
 * A game as the exchange describes it: a whole game, a part of one (a child game or prop, with a parent), or
 * a future. `kind` and `period` say which.
 */
export type Game = GamePart & {
  /** The id of the game at the exchange. */
  readonly id: GameId;
  /** The id of the whole game, for a child game or a prop. */
  readonly parentGameId: GameId | undefined;
  /** The league as the exchange writes it, such as `NBA`. */
  readonly league: string;
  /** The sport as the exchange writes it, such as `basketball`. */
  readonly sport: string;
  /** The name of the event, such as `Ravens @ Otters`. */
  readonly eventName: string;
  /** Unix milliseconds, in the venue's time. */
  readonly start: number;
  /** True while the game is in play. */
  readonly live: boolean;
  /** True once the game has ended. */
  readonly ended: boolean;
  /** False between `marketClosed` and the next `marketOpen`. */
  readonly open: boolean;
  /** True for a future, such as the champion of a season. */
  readonly futures: boolean;
  /** The home team. */
  readonly home: Participant;
  /** The away team. */
  readonly away: Participant;
  /** The home line of the main spread, points. Undefined when the exchange names none. */
  readonly mainHomeSpread: number | undefined;
  /** The line of the main total, points. Undefined when the exchange names none. */
  readonly mainTotal: number | undefined;
};

const TEAM_SIDES = Object.freeze(['home', 'away'] as const);
const TOTAL_SIDES = Object.freeze(['over', 'under'] as const);

export const sidesOf = (type: MarketType): readonly [Side, Side] => (type === 'total' ? TOTAL_SIDES : TEAM_SIDES);

export function marketId(gameId: GameId, type: MarketType, line: number | undefined): MarketId {
  return (type === 'moneyline' ? `${gameId}/moneyline` : `${gameId}/${type}/${(line ?? 0) + 0}`) as MarketId;
}

export function market(gameId: GameId, type: MarketType, line?: number): Market {
  const own = type === 'moneyline' ? undefined : (line ?? 0) + 0;
  return Object.freeze({ id: marketId(gameId, type, own), gameId, type, line: own, sides: sidesOf(type) });
}

const MARKET_ID = /^(?<gameId>.+)\/(?:moneyline|(?<type>spread|total)\/(?<line>-?[\d.]+))$/s;

/** The market of a text. Undefined when the text is no id of a market. */
export function marketNamed(id: string): Market | undefined {
  const { gameId, type = 'moneyline', line } = MARKET_ID.exec(id)?.groups ?? {};
  if (gameId === undefined || !Number.isFinite(Number(line ?? 0))) return undefined;
  return market(gameId as GameId, type as MarketType, line === undefined ? undefined : Number(line));
}

/**
 * The market of an id.
 * @throws Error when the id is none
 */
export function marketOf(id: MarketId): Market {
  const named = marketNamed(id);
  if (named === undefined) throw new Error(`${id} is not a market id`);
  return named;
}

const OPPOSITE: Readonly<Record<Side, Side>> = { home: 'away', away: 'home', over: 'under', under: 'over' };
/**
 * Returns the opposite side.
 * @param side a side of a market
 * @returns away for home, over for under, and the reverse
 */
export const oppositeSide = (side: Side): Side => OPPOSITE[side];

/** 0 for home and over, 1 for away and under: the index of a side in `market.sides`. */
export const sideIndex = (side: Side): 0 | 1 => (side === 'home' || side === 'over' ? 0 : 1);

/** The line from the view of this side's owner: AWAY of a home line −3.5 is +3.5. */
export function lineFor(market: Market, side: Side): number | undefined {
  if (market.line === undefined) return undefined;
  return market.type === 'spread' && side === 'away' ? 0 - market.line + 0 : market.line;
}

/**
 * The market and side of an order in a game; undefined when its fields do not suffice. `side`: participant
 * id, over or under.
 */
export function placeIn(
  game: Pick<Game, 'id' | 'home' | 'away'>,
  place: {
    readonly type: MarketType | undefined;
    readonly side: string | undefined;
    readonly line: number | undefined;
  },
): { readonly market: Market; readonly side: Side } | undefined {
  const { type, line } = place;
  if (type === undefined || (type !== 'moneyline' && line === undefined)) return undefined;
  const namedSide = place.side;
  const side: Side | undefined =
    type === 'total'
      ? namedSide === 'over' || namedSide === 'under'
        ? namedSide
        : undefined
      : namedSide === game.home.id
        ? 'home'
        : namedSide === game.away.id
          ? 'away'
          : undefined;
  return side === undefined ? undefined : { market: market(game.id, type, marketLine(type, side, line)), side };
}

/** The market's line from a line given from one side's view; inverse of lineFor. */
export const marketLine = (type: MarketType, side: Side, line: number | undefined): number | undefined =>
  line === undefined || type === 'moneyline' ? undefined : (type === 'spread' && side === 'away' ? 0 - line : line) + 0;

/** The probability of `side` from the probability of the first side; undefined stays undefined. */
export const ofSide = <P extends number | undefined>(side: Side, first: P): P =>
  (first === undefined || sideIndex(side) === 0 ? first : 1 - first) as P;

// The two teams of a game when its header changes: which team is which, and the place of a bet on a team
// afterwards. A bet stays with the backed participant, whichever side the header puts it on (rules.md, 11).
import type { MarketId, Market, Game, MarketType, Participant, Side } from './market.ts';
import { market, oppositeSide } from './market.ts';
import { plainName } from './plain-name.ts';
import type { Position } from './position.ts';
import type { GameResult, PartResult } from './game-result.ts';

export type Teams = Pick<Game, 'home' | 'away'>;

/**
 * The change of a game's teams. `same`: each team keeps its side, perhaps under another name or id.
 * `swapped`: home and away changed places. `replaced`: a team is missing.
 */
export type TeamChange = 'same' | 'swapped' | 'replaced';

/** Compares the teams of two headers. A team is matched by id; by its name when its id is gone. */
export function teamChange(before: Teams, after: Teams): TeamChange {
  if (before.home.id === after.home.id && before.away.id === after.away.id) return 'same';
  if (before.home.id === after.away.id && before.away.id === after.home.id) return 'swapped';
  // a shared name does not identify a team
  if (isNamed(before.home, before.away)) return 'replaced';
  const isTeam = (a: Participant, b: Participant): boolean =>
    a.id === b.id || (isNamed(a, b) && a.id !== after.home.id && a.id !== after.away.id);
  if (isTeam(before.home, after.home) && isTeam(before.away, after.away)) return 'same';
  return isTeam(before.home, after.away) && isTeam(before.away, after.home) ? 'swapped' : 'replaced';
}

const isNamed = (a: Participant, b: Participant): boolean => plainName(a.name) === plainName(b.name);

/** The default name of a game. */
export const eventNameOf = ({ home, away }: Teams): string => `${away.name} @ ${home.name}`;

/** The header with these teams; the main spread stays with its team. */
export function withTeams(game: Game, teams: Teams): Game {
  const { mainHomeSpread: line } = game;
  return {
    ...game,
    home: teams.home,
    away: teams.away,
    eventName: game.eventName === eventNameOf(game) ? eventNameOf(teams) : game.eventName,
    mainHomeSpread: line !== undefined && teamChange(game, teams) === 'swapped' ? 0 - line + 0 : line,
  };
}

/** True for market types whose sides are the teams. */
export const isOnTeams = (type: MarketType): boolean => type !== 'total';

/**
 * The market of the same bets after home and away changed places: a spread's line is that of the new home.
 */
export const swappedMarket = (from: Market): Market =>
  from.type === 'spread' ? market(from.gameId, 'spread', 0 - (from.line ?? 0)) : from;

/** The side of the same team after home and away changed places. */
export const swappedSide = (side: Side): Side => (side === 'home' || side === 'away' ? oppositeSide(side) : side);

/** The same bet, or anything else on one side of a market, after home and away changed places. */
export const swappedPlace = <Placed extends { readonly market: Market; readonly side: Side }>(
  placed: Placed,
): Placed => ({ ...placed, market: swappedMarket(placed.market), side: swappedSide(placed.side) });

/** The probability of the first side after home and away changed places. */
export const swappedPrice = <P extends number | undefined>(market: Market, first: P): P =>
  (first === undefined || !isOnTeams(market.type) ? first : 1 - first) as P;

export const swappedPosition = (market: Market, position: Position): Position =>
  isOnTeams(market.type)
    ? Object.freeze({ first: position.second, second: position.first, staked: position.staked })
    : position;

const OTHER = { home: 'away', away: 'home', draw: 'draw' } as const;

function swappedPart({ home, away, winner, share, ...part }: PartResult, isTotal: boolean): PartResult {
  return {
    ...part,
    ...(home === undefined || away === undefined ? {} : { home: away, away: home }),
    ...(winner === undefined ? {} : { winner: OTHER[winner] }),
    ...(share === undefined ? {} : { share: isTotal ? share : 0 - share + 0 }),
  };
}

const SPREAD = /^(?<game>.*\/spread\/)(?<line>[^/]+)$/;

/** The same result of a game after home and away changed places. */
export function swappedResult({ by, ...whole }: GameResult): GameResult {
  if (by === undefined) return swappedPart(whole, false);
  const parts = Object.entries(by).map(([key, part]): [string, PartResult] => {
    const { game, line } = SPREAD.exec(key)?.groups ?? {};
    const isTotal = key === 'total' || key.includes('/total/');
    return [game === undefined ? key : `${game}${0 - Number(line) + 0}`, swappedPart(part, isTotal)];
  });
  return { ...swappedPart(whole, false), by: Object.fromEntries(parts) };
}

/**
 * Moves values kept by market to the markets of the same bets after home and away of a game changed places.
 */
export function swapKept<Value>(
  kept: Map<MarketId, Value>,
  markets: Iterable<Market>,
  swapped: (value: Value, from: Market) => Value = (value) => value,
): void {
  const moved: [MarketId, Value][] = [];
  for (const from of markets) {
    const value = kept.get(from.id);
    if (value === undefined || !isOnTeams(from.type)) continue;
    kept.delete(from.id);
    moved.push([swappedMarket(from).id, swapped(value, from)]);
  }
  for (const [id, value] of moved) kept.set(id, value);
}

// The two teams of a game when its header changes: which team is which, and where a bet on a team stands afterwards. A bet belongs
// to the participant that was backed, whichever side the header puts it on (rules.md, 11).
import type { MarketId, Market, Game, MarketType, Participant, Side } from './market.ts';
import { market, oppositeSide } from './market.ts';
import { plainName } from './plain-name.ts';
import type { Position } from './position.ts';
import type { GameResult, PartResult } from './game-result.ts';

export type Teams = Pick<Game, 'home' | 'away'>;

/**
 * `same`: each team stands where it stood, perhaps under another name or id. `swapped`: home and away changed places. `replaced`: a
 * team is not found again.
 */
export type TeamChange = 'same' | 'swapped' | 'replaced';

/** Teams are found by id; one whose id is gone, by its name. */
export function teamChange(before: Teams, after: Teams): TeamChange {
  if (before.home.id === after.home.id && before.away.id === after.away.id) return 'same';
  if (before.home.id === after.away.id && before.away.id === after.home.id) return 'swapped';
  // two teams of one name are not told apart by it
  if (isNamed(before.home, before.away)) return 'replaced';
  const isTeam = (a: Participant, b: Participant): boolean =>
    a.id === b.id || (isNamed(a, b) && a.id !== after.home.id && a.id !== after.away.id);
  if (isTeam(before.home, after.home) && isTeam(before.away, after.away)) return 'same';
  return isTeam(before.home, after.away) && isTeam(before.away, after.home) ? 'swapped' : 'replaced';
}

const isNamed = (a: Participant, b: Participant): boolean => plainName(a.name) === plainName(b.name);

/** What a game is called that nobody named. */
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

/** Markets whose sides are the teams. */
export const isOnTeams = (type: MarketType): boolean => type !== 'total';

/** The market of the same bets after home and away changed places: a spread's line is that of the new home. */
export const swappedMarket = (of: Market): Market =>
  of.type === 'spread' ? market(of.gameId, 'spread', 0 - (of.line ?? 0)) : of;

/** The side of the same team. */
export const swappedSide = (side: Side): Side => (side === 'home' || side === 'away' ? oppositeSide(side) : side);

/** The same bet, or whatever else stands on one side of a market. */
export const swappedPlace = <Placed extends { readonly market: Market; readonly side: Side }>(
  placed: Placed,
): Placed => ({ ...placed, market: swappedMarket(placed.market), side: swappedSide(placed.side) });

/** The probability of the first side. */
export const swappedPrice = <P extends number | undefined>(of: Market, first: P): P =>
  (first === undefined || !isOnTeams(of.type) ? first : 1 - first) as P;

export const swappedPosition = (of: Market, position: Position): Position =>
  isOnTeams(of.type)
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

/** The same end of a game. */
export function swappedResult({ by, ...whole }: GameResult): GameResult {
  if (by === undefined) return swappedPart(whole, false);
  const parts = Object.entries(by).map(([key, part]): [string, PartResult] => {
    const { game, line } = SPREAD.exec(key)?.groups ?? {};
    const isTotal = key === 'total' || key.includes('/total/');
    return [game === undefined ? key : `${game}${0 - Number(line) + 0}`, swappedPart(part, isTotal)];
  });
  return { ...swappedPart(whole, false), by: Object.fromEntries(parts) };
}

/** Moves what is kept by market to where the markets of a game are after home and away changed places. */
export function swapKept<Value>(
  kept: Map<MarketId, Value>,
  markets: Iterable<Market>,
  swapped: (value: Value, from: Market) => Value = (value) => value,
): void {
  const moved: [MarketId, Value][] = [];
  for (const of of markets) {
    const value = kept.get(of.id);
    if (value === undefined || !isOnTeams(of.type)) continue;
    kept.delete(of.id);
    moved.push([swappedMarket(of).id, swapped(value, of)]);
  }
  for (const [id, value] of moved) kept.set(id, value);
}

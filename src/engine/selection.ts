// Which markets are quoted now.
import type { Game, GameId, Market } from '../domain/index.ts';
import type { Leagues } from './leagues.ts';
import type { MarketSelection, PartSelection } from './settings.ts';

/** Names of leagues, and the headers of games that are known. */
export type Known = {
  readonly leagues: Pick<Leagues, 'has'>;
  readonly gameOf: (id: GameId) => Pick<Game, 'league'> | undefined;
};

type Named = Pick<Game, 'id' | 'league'> & { readonly parentGameId?: GameId | undefined };

/** Whether a game is of interest at all, whatever its state. A part of a game is where its game is. */
export function isSelectedGame(game: Named, selection: MarketSelection, known: Known): boolean {
  // as it was: whatever is told of a league that is selected
  const parentGameId = selection.parts === undefined ? undefined : game.parentGameId;
  const { games } = selection;
  const isNamed =
    games === 'all' || games.includes(game.id) || (parentGameId !== undefined && games.includes(parentGameId));
  return isNamed && (known.leagues.has(game.league) || isOfLeague(parentGameId, known));
}

function isOfLeague(parentGameId: GameId | undefined, { leagues, gameOf }: Known): boolean {
  const parent = parentGameId === undefined ? undefined : gameOf(parentGameId);
  return parent !== undefined && leagues.has(parent.league);
}

/** Child games, props and futures of the selection. */
export function isSelectedPart(
  { kind, period, futures }: Pick<Game, 'kind' | 'period' | 'futures'>,
  { parts }: Pick<MarketSelection, 'parts'>,
): boolean {
  if (parts === undefined) return !futures;
  switch (kind) {
    case 'game':
      return parts.periods.includes('full');
    case 'child':
      return period !== undefined && parts.periods.includes(period);
    case 'prop':
      return parts.props;
    case 'future':
      return parts.futures;
  }
}

/** Something is selected that hangs on games: their books tell of it. */
export const wantsParts = (parts: PartSelection | undefined): boolean =>
  parts !== undefined && (parts.props || parts.periods.some((period) => period !== 'full'));

/** `t`: wall clock, Unix ms, at the latest that it may be. */
export function isQuotable(game: Game, market: Market, selection: MarketSelection, known: Known, t: number): boolean {
  if (!isSelectedGame(game, selection, known) || !selection.types.includes(market.type)) return false;
  if (!isSelectedPart(game, selection) || game.ended || !game.open) return false;
  if (game.live ? !selection.live : t >= game.start - selection.stopBeforeMs) return false;
  if (selection.lines === 'all' || market.type === 'moneyline') return true;
  return market.line === (market.type === 'spread' ? game.mainHomeSpread : game.mainTotal);
}

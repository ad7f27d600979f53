// Decides which games and markets are selected and may be quoted now.
import type { Game, GameId, Market } from '../domain/index.ts';
import type { Leagues } from './leagues.ts';
import type { MarketSelection, PartSelection } from './settings.ts';

/** The selected leagues, and the headers of known games. */
export type Known = {
  readonly leagues: Pick<Leagues, 'has'>;
  readonly gameOf: (id: GameId) => Pick<Game, 'league'> | undefined;
};

type Named = Pick<Game, 'id' | 'league'> & { readonly parentGameId?: GameId | undefined };

/** True when a game is selected, whatever its state. A part of a game is selected with its game. */
export function isSelectedGame(game: Named, selection: MarketSelection, known: Known): boolean {
  // without a selection of parts, as in version 0.2, a part counts as a separate game
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

/** True when this kind of game is selected: whole game, child game, prop or future. */
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

/** True when parts are selected that only the books of their games list completely. */
export const wantsParts = (parts: PartSelection | undefined): boolean =>
  parts !== undefined && (parts.props || parts.periods.some((period) => period !== 'full'));

/** True when a market may be quoted. `t`: the latest possible wall time, Unix ms. */
export function isQuotable(game: Game, market: Market, selection: MarketSelection, known: Known, t: number): boolean {
  if (!isSelectedGame(game, selection, known) || !selection.types.includes(market.type)) return false;
  if (!isSelectedPart(game, selection) || game.ended || !game.open) return false;
  if (game.live ? !selection.live : t >= game.start - selection.stopBeforeMs) return false;
  if (selection.lines === 'all' || market.type === 'moneyline') return true;
  return market.line === (market.type === 'spread' ? game.mainHomeSpread : game.mainTotal);
}

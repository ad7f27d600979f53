// Which markets are quoted now.
import type { Game, Market } from '../domain/index.ts';
import type { Leagues } from './leagues.ts';
import type { MarketSelection } from './settings.ts';

/** Whether a game is of interest at all, whatever its state. */
export const isSelectedGame = (
  game: Pick<Game, 'id' | 'league'>,
  selection: MarketSelection,
  leagues: Pick<Leagues, 'has'>,
): boolean => leagues.has(game.league) && (selection.games === 'all' || selection.games.includes(game.id));

/** `t`: wall clock, Unix ms, at the latest that it may be. */
export function isQuotable(
  game: Game,
  market: Market,
  selection: MarketSelection,
  leagues: Pick<Leagues, 'has'>,
  t: number,
): boolean {
  if (!isSelectedGame(game, selection, leagues) || !selection.types.includes(market.type)) return false;
  if (game.futures || game.ended || !game.open) return false;
  if (game.live ? !selection.live : t >= game.start - selection.stopBeforeMs) return false;
  if (selection.lines === 'all' || market.type === 'moneyline') return true;
  return market.line === (market.type === 'spread' ? game.mainHomeSpread : game.mainTotal);
}

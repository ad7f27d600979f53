// Settlement: a result decides all or some markets of a game, and each account is paid what its positions are
// worth. The payments of all accounts sum to zero, since each match is a pair. The one exception is an end
// that loses for both sides: their stakes stay with the exchange.
import type { GameResult, Market, MarketEnd, Micros } from '../domain/index.ts';
import { endOf, PLAYER_MODES, profitAt } from '../domain/index.ts';
import type { VenueAccount, VenueGame, MatchedPlay } from './records.ts';

/** Pays the account for the markets that the result decides. Returns the plays that were settled. */
export function settleAccount(account: VenueAccount, game: VenueGame, result: GameResult): readonly MatchedPlay[] {
  const endIn = (market: Market): MarketEnd | undefined => endOf(market, result, game.rule);
  for (const mode of PLAYER_MODES)
    account.balances[mode] = (account.balances[mode] + account.credit[mode].settle(game.header.id, endIn)) as Micros;
  const settled: MatchedPlay[] = [];
  for (const play of account.plays.values()) {
    const { book, side } = play.order;
    if (book.game !== game || play.profit !== undefined) continue;
    const end = endIn(book.market);
    if (end === undefined) continue;
    play.profit = profitAt({ side, risk: play.risk, win: play.win }, end);
    settled.push(play);
  }
  return settled;
}

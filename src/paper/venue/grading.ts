// Settlement: a final score decides every market of a game. Each account is paid what its positions are worth; all
// accounts together are paid nothing, since each match was a pair. The one exception is a level score of a sport whose
// draw loses for both sides: their stakes stay with the exchange.
import type { FinalScore, Micros, PlayerMode } from '../../domain/index.ts';
import { resultFor } from '../../domain/index.ts';
import type { Account } from './account.ts';
import type { VenueGame } from './market-book.ts';
import type { MatchedPlay } from './order.ts';

const MODES: readonly PlayerMode[] = ['cash', 'coins'];

/** Pays the account; returns the plays that were settled. */
export function settleAccount(account: Account, game: VenueGame, score: FinalScore): readonly MatchedPlay[] {
  for (const mode of MODES)
    account.balances[mode] = (account.balances[mode] +
      account.credit[mode].settle(game.header.id, score, game.draw)) as Micros;
  const settled: MatchedPlay[] = [];
  for (const play of account.plays.values()) {
    const { book, side } = play.order;
    if (book.game !== game || play.profit !== undefined) continue;
    const share = resultFor(book.market, side, score, game.draw);
    play.profit = (share >= 0 ? share * play.win : share * play.risk) as Micros;
    settled.push(play);
  }
  return settled;
}

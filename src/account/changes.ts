// What changed on the account since somebody looked: markets for the quotes, games for the worst case. Whoever reads a set
// clears it.
import type { GameId, Market } from '../domain/index.ts';
import type { OwnOrder } from './records.ts';

export class Changes {
  readonly markets = new Set<Market>();
  readonly games = new Set<GameId>();
  /** Of the input in work: orders that came to rest, that ended, or that rest again. */
  readonly turns = new Set<OwnOrder>();
  /** The same of orders whose fate was not known, and is. */
  readonly resolved = new Set<OwnOrder>();

  touch(market: Market): void {
    this.markets.add(market);
    this.games.add(market.gameId);
  }
}

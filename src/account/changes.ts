// What changed on the account since somebody looked: markets for the quotes, games for the worst case. Whoever reads a set
// clears it.
import type { GameId, Market } from '../domain/index.ts';

export class Changes {
  readonly markets = new Set<Market>();
  readonly games = new Set<GameId>();

  touch(market: Market): void {
    this.markets.add(market);
    this.games.add(market.gameId);
  }
}

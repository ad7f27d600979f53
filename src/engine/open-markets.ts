// The markets that are quoted now, by id and by game, and the books of them as strategies saw them last.
import type { GameId, MarketId } from '../domain/index.ts';
import type { Mirror } from '../mirror/index.ts';
import type { CommonBook } from './market-views.ts';
import type { Quoted } from './quoted-market.ts';

const NONE: readonly Quoted[] = [];

export class OpenMarkets {
  readonly byId = new Map<MarketId, Quoted>();
  readonly #games = new Map<GameId, Set<Quoted>>();
  readonly #mirror: Pick<Mirror, 'games'>;

  constructor(mirror: Pick<Mirror, 'games'>) {
    this.#mirror = mirror;
  }

  /** `former`: the same market before its game was forgotten and appeared again. */
  add(quoted: Quoted, former: Quoted | undefined): void {
    const { id, gameId } = quoted.book.market;
    const ofGame = this.#games.get(gameId) ?? new Set<Quoted>();
    if (former !== undefined) ofGame.delete(former);
    this.#games.set(gameId, ofGame.add(quoted));
    this.byId.set(id, quoted);
  }

  delete(quoted: Quoted): void {
    const { id, gameId } = quoted.book.market;
    this.byId.delete(id);
    const ofGame = this.#games.get(gameId);
    ofGame?.delete(quoted);
    if (ofGame?.size === 0) this.#games.delete(gameId);
  }

  /** Games with a market that is quoted now. */
  get games(): Iterable<GameId> {
    return this.#games.keys();
  }

  /** The quoted markets of a game, without those of its parts. */
  ofGame(id: GameId): Iterable<Quoted> {
    return this.#games.get(id) ?? NONE;
  }

  /** The books of all quoted markets. */
  *books(): Iterable<CommonBook> {
    for (const quoted of this.byId.values()) yield* this.#bookOf(quoted);
  }

  /** The books of the quoted markets of a game and its parts. */
  *booksIn(whole: GameId): Iterable<CommonBook> {
    for (const [id, markets] of this.#games)
      if (id === whole || this.#mirror.games.get(id)?.game.parentGameId === whole)
        for (const quoted of markets) yield* this.#bookOf(quoted);
  }

  #bookOf({ book: { market }, others, freshness }: Quoted): readonly CommonBook[] {
    const game = this.#mirror.games.get(market.gameId)?.game;
    return game === undefined ? [] : [{ game, market, others, freshness }];
  }
}

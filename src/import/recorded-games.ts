// The games of tapes as they were at any time, with all their markets, for prices that are matched with them.
import type { Game, GameId, GameMessage, Market, MarketId } from '../domain/index.ts';
import { mergeGame } from '../mirror/index.ts';
import { BookFollower, decodeTape, distinctTapes, tapeFilesOf } from '../tape/index.ts';

type Known = {
  /** The header since each time, Unix ms, oldest first. */
  readonly headers: { readonly since: number; readonly game: Game }[];
  readonly markets: Map<MarketId, Market>;
};

export class RecordedGames {
  readonly #games = new Map<GameId, Known>();

  /** Reads tapes, or folders of them. @throws OddsmakerError TAPE_INVALID */
  static async read(paths: readonly string[], progress: (bytes: number) => void): Promise<RecordedGames> {
    const games = new RecordedGames();
    for (const file of distinctTapes(paths.flatMap(tapeFilesOf).map(({ file: name }) => name))) {
      const follower = new BookFollower();
      for await (const events of decodeTape(file, { skipped: () => undefined, progress }))
        for (const event of events) {
          if (event.what === 'game') games.addHeader(event.game, event.ts);
          for (const { books } of follower.applyEvent(event)) games.addMarket(books.market);
        }
    }
    return games;
  }

  get size(): number {
    return this.#games.size;
  }

  /** Adds what a message says of a game. @param t Unix ms */
  addHeader(message: GameMessage, t: number): void {
    const known = this.#games.get(message.gameId);
    const before = known?.headers.at(-1)?.game;
    const game = mergeGame(before, message);
    if (game === undefined || game === before) return;
    if (known === undefined) this.#games.set(game.id, { headers: [{ since: t, game }], markets: new Map() });
    else known.headers.push({ since: t, game });
  }

  addMarket(market: Market): void {
    this.#games.get(market.gameId)?.markets.set(market.id, market);
  }

  /** The games at a time, Unix ms; before its first header a game is as that header has it, not begun. */
  at(t: number): readonly Game[] {
    return [...this.#games.values()].flatMap(({ headers }) => {
      const header = headers.findLast(({ since }) => since <= t);
      const [first] = headers;
      if (header !== undefined) return [header.game];
      return first === undefined ? [] : [{ ...first.game, live: false, ended: false }];
    });
  }

  /** Every market of a game and of its parts, each with its newest header. */
  *marketsOf(id: GameId): Generator<{ readonly market: Market; readonly game: Game }> {
    for (const { headers, markets } of this.#games.values()) {
      const game = headers.at(-1)?.game;
      if (game === undefined || (game.id !== id && game.parentGameId !== id)) continue;
      for (const market of markets.values()) yield { market, game };
    }
  }
}

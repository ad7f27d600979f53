// The games of tapes, and the events of a selection of games.
import type { GameId, GameMessage } from '../domain/index.ts';
import type { MarketEvent } from './tape-decoder.ts';

export type GameStart = {
  readonly id: GameId;
  /**
   * Unix ms of the start in the last header before the game began. Without a start in any header, the time of
   * its first event.
   */
  readonly startMs: number;
  /** Fields of the latest headers, which decide how its markets settle. */
  readonly header: Pick<GameMessage, 'league' | 'sport' | 'parentGameId' | 'futures'>;
};

/** The games in the order of their ids. Reads all batches. */
export async function gamesIn(batches: AsyncIterable<readonly MarketEvent[]>): Promise<readonly GameStart[]> {
  type Game = { firstMs: number; startMs: number | undefined; header: GameStart['header'] };
  const games = new Map<GameId, Game>();
  for await (const events of batches)
    for (const event of events) {
      const id = gameOf(event);
      if (id === undefined) continue;
      let game = games.get(id);
      if (game === undefined) games.set(id, (game = { firstMs: event.ts, startMs: undefined, header: NO_HEADER }));
      if (event.what !== 'game') continue;
      const { league = game.header.league, sport = game.header.sport } = event.game;
      const { parentGameId = game.header.parentGameId, futures = game.header.futures } = event.game;
      game.header = { league, sport, parentGameId, futures };
      if (event.game.start === undefined) continue;
      const hasBegun = game.startMs !== undefined && event.ts >= game.startMs;
      if (!hasBegun) game.startMs = event.game.start;
    }
  return [...games]
    .map(([id, { firstMs, startMs, header }]) => ({ id, startMs: startMs ?? firstMs, header }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

const NO_HEADER: GameStart['header'] = {
  league: undefined,
  sport: undefined,
  parentGameId: undefined,
  futures: undefined,
};

/**
 * Yields the events of the given games. Events without a game are kept: connections, signals, own orders of
 * the recording account.
 */
export async function* ofGames(
  batches: AsyncIterable<readonly MarketEvent[]>,
  games: ReadonlySet<GameId>,
): AsyncGenerator<readonly MarketEvent[], void, void> {
  for await (const events of batches)
    yield events.filter((event) => {
      const id = gameOf(event);
      return id === undefined || games.has(id);
    });
}

const gameOf = (event: MarketEvent): GameId | undefined =>
  event.what === 'side' ? event.frame.gameId : event.what === 'game' ? event.game.gameId : undefined;

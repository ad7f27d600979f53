// The games of tapes, and the events of a selection of games.
import type { GameId, GameMessage, MarketType } from '../domain/index.ts';
import { marketId } from '../domain/index.ts';
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

/** Yields the events from `fromMs` to `toMs`, Unix ms, both included. */
export async function* within(
  batches: AsyncIterable<readonly MarketEvent[]>,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): AsyncGenerator<readonly MarketEvent[], void, void> {
  for await (const events of batches) yield events.filter(({ ts }) => ts >= fromMs && ts <= toMs);
}

/**
 * Yields the events of markets whose id, or whose game's name, contains a text in any case. Headers of games
 * are kept, without the ladders of other markets.
 */
export async function* ofMarkets(
  batches: AsyncIterable<readonly MarketEvent[]>,
  text: string,
): AsyncGenerator<readonly MarketEvent[], void, void> {
  const wanted = text.toLowerCase();
  const names = new Map<GameId, string>();
  const isWanted = (game: GameId, type: MarketType, line: number | undefined): boolean =>
    `${marketId(game, type, line)} ${names.get(game) ?? ''}`.toLowerCase().includes(wanted);
  for await (const events of batches)
    yield events.flatMap((event): readonly MarketEvent[] => {
      if (event.what === 'side') {
        const { gameId, type, line } = event.frame;
        return isWanted(gameId, type, line) ? [event] : [];
      }
      if (event.what !== 'game') return [event];
      const { game } = event;
      if (game.eventName !== undefined) names.set(game.gameId, game.eventName);
      const ladders = game.ladders.filter(({ type, line }) => isWanted(game.gameId, type, line));
      return [{ ...event, game: { ...game, ladders } }];
    });
}

/** The game of an event. Undefined for connections, signals and own orders. */
export const gameOf = (event: MarketEvent): GameId | undefined =>
  event.what === 'side' ? event.frame.gameId : event.what === 'game' ? event.game.gameId : undefined;

// The results of games, for the settlement of a backtest (docs/reference/results.md): which of them settle, and what is
// wrong with the others. Text that is no results file is refused whole; a result that its game cannot have is left out by name.
import { readFileSync } from 'node:fs';
import { keyToldTwice } from '../config/index.ts';
import type { Game, GameId, GameResult, KnownSport, Market, MarketEnd } from '../domain/index.ts';
import { endOf, isVoid, messageOf, OddsmakerError, readResult, resultProblem, userText } from '../domain/index.ts';

export type Results = ReadonlyMap<GameId, GameResult>;

/** @throws OddsmakerError RESULTS_INVALID */
export function readResults(file: string): Results {
  const fail = (problem: string): OddsmakerError => new OddsmakerError('RESULTS_INVALID', `${file}: ${problem}`);
  let text: string;
  let json: unknown;
  try {
    text = userText(readFileSync(file));
    json = JSON.parse(text);
  } catch (error) {
    throw fail(
      error instanceof SyntaxError ? `not JSON: ${error.message}` : `the file cannot be read (${messageOf(error)})`,
    );
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw fail('expected an object, {"<gameId>": {"home": 101, "away": 97}}');
  const results = new Map<GameId, GameResult>();
  for (const [id, value] of Object.entries(json)) {
    const result = readResult(value, id);
    if (typeof result === 'string') throw fail(`${id}: ${result}`);
    results.set(id as GameId, result);
  }
  const line = keyToldTwice(text);
  if (line !== undefined)
    throw new OddsmakerError('RESULTS_INVALID', `${file}:${line}: a game, or a key of it, is listed twice`);
  return results;
}

/** What decides games, and which they are: the core knows. */
type Games = {
  readonly sportOf: (id: GameId) => KnownSport;
  readonly gameOf: (id: GameId) => Pick<Game, 'id' | 'league' | 'sport'> | undefined;
};

/** Results as the sports of their games take them. */
export class GameResults {
  readonly #results: Results;
  readonly #games: Games;

  constructor(results: Results, games: Games) {
    this.#results = results;
    this.#games = games;
  }

  /** Why the result of this game settles nothing; undefined: it may, or there is none. */
  problemOf(gameId: GameId): string | undefined {
    const result = this.#results.get(gameId);
    const game = this.#games.gameOf(gameId);
    return result === undefined || game === undefined
      ? undefined
      : resultProblem(result, this.#games.sportOf(gameId), game);
  }

  /** One that the sport of its game takes. */
  of(gameId: GameId): GameResult | undefined {
    return this.problemOf(gameId) === undefined ? this.#results.get(gameId) : undefined;
  }

  /** How a market ended; undefined: it is open. */
  endOf(market: Market): MarketEnd | undefined {
    const result = this.of(market.gameId);
    return result === undefined ? undefined : endOf(market, result, this.#games.sportOf(market.gameId).rule);
  }

  isVoid(market: Market): boolean {
    const result = this.of(market.gameId);
    return result !== undefined && isVoid(market, result);
  }

  /** What is wrong with results of games that were on the tapes, in the order of the file. */
  problems(): readonly string[] {
    return [...this.#results.keys()].flatMap((id) => this.problemOf(id) ?? []);
  }
}

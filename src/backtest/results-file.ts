// The results of games for the settlement of a backtest (docs/reference/results.md). Text that is no results
// file is refused as a whole. A result that its game cannot have is left out and reported by name.
import { readFileSync } from 'node:fs';
import { lineOfDuplicateKey } from '../config/index.ts';
import type { Game, GameId, GameResult, KnownSport, Market, MarketEnd } from '../domain/index.ts';
import { endOf, isVoid, messageOf, OddsmakerError, readResult, resultProblem, userText } from '../domain/index.ts';

export type Results = ReadonlyMap<GameId, GameResult>;

/**
 * Reads a results file.
 * @throws OddsmakerError RESULTS_INVALID
 */
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
  const line = lineOfDuplicateKey(text);
  if (line !== undefined)
    throw new OddsmakerError('RESULTS_INVALID', `${file}:${line}: a game, or a key of it, is listed twice`);
  return results;
}

/** A game and the sport whose rules decide it. */
type GameKnown = { readonly game: Pick<Game, 'id' | 'league' | 'sport'>; readonly sport: KnownSport };

/** Results that are checked against the sports of their games. */
export class GameResults {
  readonly #results: Results;
  readonly #lookup: (id: GameId) => GameKnown | undefined;
  /** Games that were found. They are kept because the lookup may forget games that have ended. */
  readonly #known = new Map<GameId, GameKnown>();

  constructor(results: Results, lookup: (id: GameId) => GameKnown | undefined) {
    this.#results = results;
    this.#lookup = lookup;
  }

  /**
   * Why the result of this game settles nothing. Undefined when it settles, or there is no result, or the
   * game is not known.
   */
  problemOf(gameId: GameId): string | undefined {
    const result = this.#results.get(gameId);
    const known = result === undefined ? undefined : this.#gameOf(gameId);
    return result === undefined || known === undefined ? undefined : resultProblem(result, known.sport, known.game);
  }

  /**
   * The result of a game. Undefined when there is none, its sport does not allow it, or the game is not
   * known.
   */
  resultOf(gameId: GameId): GameResult | undefined {
    return this.#gameOf(gameId) === undefined || this.problemOf(gameId) !== undefined
      ? undefined
      : this.#results.get(gameId);
  }

  /** How a market ended. Undefined while it is open. */
  endOf(market: Market): MarketEnd | undefined {
    const known = this.#gameOf(market.gameId);
    const result = this.resultOf(market.gameId);
    return known === undefined || result === undefined ? undefined : endOf(market, result, known.sport.rule);
  }

  isVoid(market: Market): boolean {
    const result = this.resultOf(market.gameId);
    return result !== undefined && isVoid(market, result);
  }

  #gameOf(id: GameId): GameKnown | undefined {
    const known = this.#known.get(id) ?? this.#lookup(id);
    if (known !== undefined) this.#known.set(id, known);
    return known;
  }

  /** Problems of the results of games that were on the tapes, in the order of the file. */
  problems(): readonly string[] {
    return [...this.#results.keys()].flatMap((id) => this.problemOf(id) ?? []);
  }
}

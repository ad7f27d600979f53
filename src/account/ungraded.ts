// Games that ended and are not graded (rules.md, 11): what is held there counts as its worst loss until a look-up or an
// operator's `ctl settle` settles it. Each is named once, with what it may still cost and how to settle it.
import type { AlertLevel, GameId, Micros } from '../domain/index.ts';
import { dollarsOfMicros, negative } from '../domain/index.ts';

type Alerting = (level: AlertLevel, code: string, message: string, fields: Readonly<Record<string, unknown>>) => void;

export class Ungraded {
  /** Ended when the account was read last: a grade that comes with the end is not worth a word. */
  readonly #ended = new Set<GameId>();
  readonly #named = new Set<GameId>();
  readonly #alert: Alerting;

  constructor(alert: Alerting) {
    this.#alert = alert;
  }

  /** The account was read, and plays wait in this game, which is over. `worst`: what the game may cost, below 0. */
  apply(gameId: GameId, eventName: string, plays: number, worst: Micros): void {
    const isFirst = !this.#ended.has(gameId);
    this.#ended.add(gameId);
    // what can lose nothing any more binds no limit
    if (isFirst || worst >= 0 || this.#named.has(gameId)) return;
    this.#named.add(gameId);
    this.#alert('warn', 'GAME_UNGRADED', 'a game has ended and is not graded: what it may lose counts until it is', {
      gameId,
      eventName,
      plays,
      mayLose: dollarsOfMicros(negative(worst)),
      settle: `oddsmaker ctl <config> settle ${gameId} <home>-<away> --yes`,
    });
  }

  forget(gameId: GameId): void {
    this.#ended.delete(gameId);
    this.#named.delete(gameId);
  }
}

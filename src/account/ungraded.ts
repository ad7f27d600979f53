// Ended games without a grade (rules.md, 11): what is held there counts as its worst loss until a look-up or
// an operator's `ctl settle` settles it. Each game is alerted once, with what it may cost and how to settle
// it.
import type { AlertLevel, GameId, Micros } from '../domain/index.ts';
import { dollarsOfMicros, negative } from '../domain/index.ts';

type Alerting = (level: AlertLevel, code: string, message: string, fields: Readonly<Record<string, unknown>>) => void;

export class Ungraded {
  /** Games that had ended at the last read: a grade that comes with the end needs no alert. */
  readonly #ended = new Set<GameId>();
  readonly #alerted = new Set<GameId>();
  readonly #alert: Alerting;

  constructor(alert: Alerting) {
    this.#alert = alert;
  }

  /**
   * The account was read, and fills wait in this ended game. `worst`: the worst outcome of the game, below 0
   * a loss, micro-dollars.
   */
  applyEndedGame(gameId: GameId, eventName: string, plays: number, worst: Micros): void {
    const isFirst = !this.#ended.has(gameId);
    this.#ended.add(gameId);
    // a game that can lose nothing any more needs no alert
    if (isFirst || worst >= 0 || this.#alerted.has(gameId)) return;
    this.#alerted.add(gameId);
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
    this.#alerted.delete(gameId);
  }
}

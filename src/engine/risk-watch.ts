// Raises what a game may bring when fills made its worst case worse than ever: every five minutes at most. The
// distribution of its score takes as long as ten frames, and only reports need it.
import type { GameId, Micros } from '../domain/index.ts';
import type { CommandBuffer } from './command-buffer.ts';
import type { GameRisks } from './game-risks.ts';

/** The least time between two events of a game, ms. */
const AGAIN_MS = 300_000;
/** How much worse the worst case must be than at the last event. */
const WORSE = 1.1;

/** The last event of a game. */
type Raised = {
  /** Monotonic ms. */
  readonly at: number;
  readonly worst: Micros;
};

export class RiskWatch {
  readonly #buffer: CommandBuffer;
  readonly #risks: GameRisks;
  /** Games with fills that no event has yet. */
  readonly #changed = new Set<GameId>();
  readonly #raised = new Map<GameId, Raised>();

  constructor(buffer: CommandBuffer, risks: GameRisks) {
    this.#buffer = buffer;
    this.#risks = risks;
  }

  /** Follows a fill. */
  applyFill(game: GameId): void {
    this.#changed.add(game);
  }

  advance(): void {
    if (this.#changed.size === 0) return;
    for (const game of this.#changed) {
      const last = this.#raised.get(game);
      if (last !== undefined && this.#buffer.now < last.at + AGAIN_MS) continue;
      this.#changed.delete(game);
      if (last === undefined || this.#risks.worstOf(game) < WORSE * last.worst) this.#raise(game);
    }
  }

  endRun(): void {
    for (const game of this.#changed) this.#raise(game);
    this.#changed.clear();
  }

  #raise(game: GameId): void {
    const event = this.#risks.eventOf(game);
    if (event === undefined) return;
    this.#raised.set(game, { at: this.#buffer.now, worst: event.worst });
    this.#buffer.raise(event);
  }
}

// Raises what a game may bring after fills in it changed: once a minute at most, and at the end of the run.
import type { GameId } from '../domain/index.ts';
import type { CommandBuffer } from './command-buffer.ts';
import type { GameRisks } from './game-risks.ts';

/** The least time between two events of a game, ms. */
const AGAIN_MS = 60_000;

export class RiskWatch {
  readonly #buffer: CommandBuffer;
  readonly #risks: GameRisks;
  /** Games with fills since their last event. */
  readonly #changed = new Set<GameId>();
  /** When the next event of a game may be raised, monotonic ms. */
  readonly #dueAt = new Map<GameId, number>();

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
    for (const game of this.#changed) if ((this.#dueAt.get(game) ?? 0) <= this.#buffer.now) this.#raise(game);
  }

  endRun(): void {
    for (const game of this.#changed) this.#raise(game);
  }

  #raise(game: GameId): void {
    this.#changed.delete(game);
    this.#dueAt.set(game, this.#buffer.now + AGAIN_MS);
    const measured = this.#risks.measure(game);
    if (measured !== undefined) this.#buffer.raise({ type: 'GameRisk', game, ...measured });
  }
}

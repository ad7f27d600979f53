// When a tape and each of its games have events. Compact forms of tapes contain it.
import type { GameId } from '../domain/index.ts';
import type { MarketEvent } from './tape-decoder.ts';
import { gameOf } from './tape-games.ts';

export type GameSpan = {
  readonly id: GameId;
  /** The first and the last frame, Unix ms. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Number of frames. */
  readonly frames: number;
};

export type TapeSpan = {
  /** The first and the last event of any kind, Unix ms. Without an event 0 and -1. */
  readonly fromMs: number;
  readonly toMs: number;
  /** In the order of their first frames. */
  readonly games: readonly GameSpan[];
};

export const NO_EVENTS: TapeSpan = { fromMs: 0, toMs: -1, games: [] };

export class SpanCounter {
  readonly #games = new Map<GameId, { fromMs: number; toMs: number; frames: number }>();
  #fromMs = Number.POSITIVE_INFINITY;
  #toMs = Number.NEGATIVE_INFINITY;

  addEvent(event: MarketEvent): void {
    const { ts } = event;
    if (ts < this.#fromMs) this.#fromMs = ts;
    if (ts > this.#toMs) this.#toMs = ts;
    const id = gameOf(event);
    if (id === undefined) return;
    const game = this.#games.get(id);
    if (game === undefined) {
      this.#games.set(id, { fromMs: ts, toMs: ts, frames: 1 });
      return;
    }
    if (ts < game.fromMs) game.fromMs = ts;
    if (ts > game.toMs) game.toMs = ts;
    game.frames += 1;
  }

  get span(): TapeSpan {
    const games = [...this.#games].map(([id, game]) => ({ id, ...game }));
    return this.#fromMs > this.#toMs ? NO_EVENTS : { fromMs: this.#fromMs, toMs: this.#toMs, games };
  }
}

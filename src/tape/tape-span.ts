// When a tape and each of its games have events.
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
  /** The first and the last event of any kind, Unix ms. Infinite for a tape without events. */
  readonly fromMs: number;
  readonly toMs: number;
  /** In the order of their first frames. */
  readonly games: readonly GameSpan[];
};

/** Reads all batches. */
export async function spanOf(batches: AsyncIterable<readonly MarketEvent[]>): Promise<TapeSpan> {
  const games = new Map<GameId, { fromMs: number; toMs: number; frames: number }>();
  let [fromMs, toMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for await (const events of batches)
    for (const event of events) {
      const { ts } = event;
      fromMs = Math.min(fromMs, ts);
      toMs = Math.max(toMs, ts);
      const id = gameOf(event);
      if (id === undefined) continue;
      let game = games.get(id);
      if (game === undefined) games.set(id, (game = { fromMs: ts, toMs: ts, frames: 0 }));
      game.fromMs = Math.min(game.fromMs, ts);
      game.toMs = Math.max(game.toMs, ts);
      game.frames += 1;
    }
  return { fromMs, toMs, games: [...games].map(([id, game]) => ({ id, ...game })) };
}

// Values that strategies keep over restarts.
import type { GameId, StrategyId } from './brand.ts';

/** The newest value of a strategy in a game. `value` is JSON. */
export type PersistedValue = {
  readonly strategy: StrategyId;
  /** A whole game: its parts share the value. */
  readonly game: GameId;
  readonly value: unknown;
};

// The values that strategies keep over restarts: one for each strategy and game, as canonical JSON.
import type { GameId, PersistedValue, StrategyId } from '../../domain/index.ts';
import { canonicalJson } from '../../domain/index.ts';
import type { Persist } from '../persist.ts';

/** The longest value, bytes of UTF-8. */
const MOST_BYTES = 65_536;

type Slot = { readonly strategy: StrategyId; readonly game: GameId; text: string };

export class PersistedValues {
  readonly #slots = new Map<string, Slot>();
  readonly #changed = new Set<Slot>();

  /** Applies the value that a former run left. */
  applyFormer({ strategy, game, value }: PersistedValue): void {
    this.#slots.set(keyOf(strategy, game), { strategy, game, text: canonicalJson(value) });
  }

  /** What an instance reads and sets. */
  of(strategy: StrategyId, game: GameId): Persist {
    const key = keyOf(strategy, game);
    return {
      get: () => {
        const slot = this.#slots.get(key);
        return slot === undefined ? undefined : (JSON.parse(slot.text) as unknown);
      },
      set: (value) => {
        const text = textOf(value);
        const slot = this.#slots.get(key) ?? { strategy, game, text: '' };
        if (slot.text === text) return;
        slot.text = text;
        this.#slots.set(key, slot);
        this.#changed.add(slot);
      },
    };
  }

  /** The values that were set since the last call, the newest of each strategy and game. */
  takeChanged(): readonly PersistedValue[] {
    if (this.#changed.size === 0) return NONE;
    const changed = [...this.#changed].map(valueOf);
    this.#changed.clear();
    return changed;
  }

  /** A copy, for a strategy whose acts have no effect. */
  copy(): PersistedValues {
    const copied = new PersistedValues();
    for (const slot of this.#slots.values()) copied.applyFormer(valueOf(slot));
    return copied;
  }
}

const NONE: readonly PersistedValue[] = [];

const keyOf = (strategy: StrategyId, game: GameId): string => JSON.stringify([strategy, game]);

const valueOf = ({ strategy, game, text }: Slot): PersistedValue => ({
  strategy,
  game,
  value: JSON.parse(text) as unknown,
});

/** @throws TypeError when the value is not JSON, RangeError when it is too long */
function textOf(value: unknown): string {
  let text: string;
  try {
    text = canonicalJson(value);
  } catch (error) {
    throw error instanceof TypeError ? new TypeError(`persist.set: ${error.message}`) : error;
  }
  const bytes = Buffer.byteLength(text);
  if (bytes > MOST_BYTES)
    throw new RangeError(`persist.set: the value has ${bytes} bytes as JSON, and ${MOST_BYTES} is the most`);
  return text;
}

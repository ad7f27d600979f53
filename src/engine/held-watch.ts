// Watches what is held on other exchanges: the limits see every change, and markets whose values are past
// their time are reported once, and again when no such market is left.
import type { MarketId, SignalUpdate } from '../domain/index.ts';
import type { Exposure, HeldElsewhere } from '../risk/index.ts';
import type { CommandBuffer } from './command-buffer.ts';

/** Highest number of markets that an alert names. */
const NAMED = 5;

export class HeldWatch {
  readonly #buffer: CommandBuffer;
  readonly #held: HeldElsewhere;
  readonly #exposure: Exposure;
  /** The markets that were reported as past their time. */
  readonly #reported = new Set<MarketId>();

  constructor(buffer: CommandBuffer, held: HeldElsewhere, exposure: Exposure) {
    this.#buffer = buffer;
    this.#held = held;
    this.#exposure = exposure;
  }

  applyUpdate(update: SignalUpdate): void {
    const leftOut = this.#held.applyUpdate(update, this.#buffer.now);
    if (leftOut.length > 0)
      this.#buffer.alert('warn', 'SIGNALS_LEFT_OUT', 'signals were dropped: too many markets are held elsewhere', {
        leftOut: leftOut.slice(0, NAMED),
      });
  }

  expire(): void {
    this.#held.expire(this.#buffer.now);
    this.advance();
  }

  /** Shows the changes to the limits, and raises or ends the alert. */
  advance(): void {
    const games = this.#held.takeChanged();
    if (games.length === 0) return;
    for (const id of games) this.#exposure.applyHeld(id);
    const { past } = this.#held;
    for (const id of this.#reported) {
      if (past.has(id)) continue;
      this.#reported.delete(id);
      if (past.size > 0) continue;
      this.#buffer.alert('info', 'HELD_EXPIRED', 'what is held elsewhere is known again, or withdrawn', {});
    }
    const added = [...past.keys()].filter((id) => !this.#reported.has(id));
    if (added.length === 0) return;
    for (const id of added) this.#reported.add(id);
    const fields = { markets: added.slice(0, NAMED), count: past.size };
    this.#buffer.alert('warn', 'HELD_EXPIRED', EXPIRED_TEXT, fields);
  }
}

const EXPIRED_TEXT = 'what is held elsewhere is past its time: its last value counts where it is a loss';

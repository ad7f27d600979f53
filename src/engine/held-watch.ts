// Watches what is held on other exchanges: the limits see every change, and markets whose values expired
// are reported once, and again when no such market is left.
import type { MarketId, SignalUpdate } from '../domain/index.ts';
import { isHeldName } from '../domain/index.ts';
import type { Exposure, HeldElsewhere } from '../risk/index.ts';
import type { CommandBuffer } from './command-buffer.ts';

/** Highest number of markets that an alert names. */
const NAMED = 5;

export class HeldWatch {
  readonly #buffer: CommandBuffer;
  readonly #held: HeldElsewhere;
  readonly #exposure: Exposure;
  /** The markets that were reported as expired. */
  readonly #reported = new Set<MarketId>();
  /** True when the last values were left out: only the first of consecutive such updates is reported. */
  #isFull = false;

  constructor(buffer: CommandBuffer, held: HeldElsewhere, exposure: Exposure) {
    this.#buffer = buffer;
    this.#held = held;
    this.#exposure = exposure;
  }

  applyUpdate(update: SignalUpdate): void {
    const leftOut = this.#held.applyUpdate(update, this.#buffer.now);
    if (leftOut.length > 0 && !this.#isFull)
      this.#buffer.alert('warn', 'SIGNALS_LEFT_OUT', 'signals were dropped: too many markets are held elsewhere', {
        leftOut: leftOut.slice(0, NAMED),
      });
    if (Object.keys(update.values).some(isHeldName)) this.#isFull = leftOut.length > 0;
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
    const { expired } = this.#held;
    for (const id of this.#reported) {
      if (expired.has(id)) continue;
      this.#reported.delete(id);
      if (expired.size > 0) continue;
      this.#buffer.alert('info', 'HELD_EXPIRED', 'no value of what is held elsewhere is expired any more', {});
    }
    const added = [...expired.keys()].filter((id) => !this.#reported.has(id));
    if (added.length === 0) return;
    for (const id of added) this.#reported.add(id);
    const fields = { markets: added.slice(0, NAMED), count: expired.size };
    this.#buffer.alert('warn', 'HELD_EXPIRED', EXPIRED_TEXT, fields);
  }
}

const EXPIRED_TEXT = 'values of what is held elsewhere expired: each counts only where it is a loss';

// Raises `Marked` every two seconds of run time: position and value of each market where they changed.
import type { EventOf, MarketId, Micros } from '../domain/index.ts';
import { markedAt, ZERO } from '../domain/index.ts';
import type { Parts } from './parts.ts';

const MARK_EVERY_MS = 2000;

type MarkRow = EventOf<'Marked'>['markets'][number];
/** The values last raised for a market. */
type Reported = { price: number | undefined; first: Micros; second: Micros };

export class MarkWatch {
  readonly #parts: Pick<Parts, 'account' | 'buffer' | 'prices'>;
  readonly #reported = new Map<MarketId, Reported>();
  #markAt = Number.NEGATIVE_INFINITY;

  constructor(parts: Pick<Parts, 'account' | 'buffer' | 'prices'>) {
    this.#parts = parts;
  }

  /** Raises what changed when due. It runs after everything else in a step. */
  advance(): void {
    const { account, buffer, prices } = this.#parts;
    if (buffer.now < this.#markAt) return;
    this.#markAt = buffer.now + MARK_EVERY_MS;
    const { positions } = account.holdings;
    let markets: MarkRow[] | undefined;
    for (const [id, { position }] of positions) {
      const { first, second, staked } = position;
      const price = prices.get(id);
      const last = this.#reported.get(id);
      if (last === undefined) this.#reported.set(id, { price, first, second });
      else if (last.price === price && last.first === first && last.second === second) continue;
      else Object.assign(last, { price, first, second });
      const marked = Math.round(markedAt(position, price)) as Micros;
      (markets ??= []).push({ market: id, price, first, second, staked, marked });
    }
    if (this.#reported.size > positions.size)
      for (const id of this.#reported.keys()) {
        if (positions.has(id)) continue;
        this.#reported.delete(id);
        const nothing = { first: ZERO, second: ZERO, staked: ZERO, marked: ZERO };
        (markets ??= []).push({ market: id, price: prices.get(id), ...nothing });
      }
    if (markets !== undefined) buffer.raise({ type: 'Marked', markets });
  }
}

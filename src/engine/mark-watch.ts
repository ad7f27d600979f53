// What is held in each market and what that is worth, said where it changed: every two seconds of run time.
import type { EventOf, MarketId, Micros } from '../domain/index.ts';
import { markedAt, ZERO } from '../domain/index.ts';
import type { Parts } from './parts.ts';

const MARK_EVERY_MS = 2000;

type MarkNow = EventOf<'Marked'>['markets'][number];
/** As it was said last. */
type Said = { price: number | undefined; first: Micros; second: Micros };

export class MarkWatch {
  readonly #parts: Pick<Parts, 'account' | 'buffer' | 'prices'>;
  readonly #said = new Map<MarketId, Said>();
  #markAt = Number.NEGATIVE_INFINITY;

  constructor(parts: Pick<Parts, 'account' | 'buffer' | 'prices'>) {
    this.#parts = parts;
  }

  /** Behind all that a step did. */
  advance(): void {
    const { account, buffer, prices } = this.#parts;
    if (buffer.now < this.#markAt) return;
    this.#markAt = buffer.now + MARK_EVERY_MS;
    const { positions } = account.holdings;
    let markets: MarkNow[] | undefined;
    for (const [id, { position }] of positions) {
      const { first, second, staked } = position;
      const price = prices.get(id);
      const said = this.#said.get(id);
      if (said === undefined) this.#said.set(id, { price, first, second });
      else if (said.price === price && said.first === first && said.second === second) continue;
      else Object.assign(said, { price, first, second });
      const marked = Math.round(markedAt(position, price)) as Micros;
      (markets ??= []).push({ market: id, price, first, second, staked, marked });
    }
    if (this.#said.size > positions.size)
      for (const id of this.#said.keys()) {
        if (positions.has(id)) continue;
        this.#said.delete(id);
        const nothing = { first: ZERO, second: ZERO, staked: ZERO, marked: ZERO };
        (markets ??= []).push({ market: id, price: prices.get(id), ...nothing });
      }
    if (markets !== undefined) buffer.raise({ type: 'Marked', markets });
  }
}

// Events for subscribed programs (docs/signals.md): fills as they occur; own quotes, marks and the books of
// requested markets after a change, at most ten times a second. Without a client, nothing is computed.
import type { EventOf, MarketId, RunEvent, StampedArrival } from '../../domain/index.ts';
import { forgetOldest } from '../../domain/index.ts';
import type { Core } from '../../engine/index.ts';
import type { EventStream } from './event-stream.ts';

const EVERY_MS = 100;
/** How many fills are remembered: each is sent once, although more may become known of it later. */
const MOST_REMEMBERED = 5000;

export type ListenedCore = Pick<Core, 'eachMarket' | 'ladder' | 'fairOf' | 'gameOf'>;

export class ProgramEvents {
  readonly #core: ListenedCore;
  readonly #stream: EventStream;
  readonly #sentFills = new Set<string>();
  /** The JSON last sent, by market. */
  readonly #quotes = new Map<string, string>();
  readonly #marks = new Map<string, string>();
  readonly #books = new Map<string, string>();
  #comparedAt = Number.NEGATIVE_INFINITY;
  /** The stream's number of connected clients at the last step. */
  #turns = 0;

  constructor(core: ListenedCore, stream: EventStream) {
    this.#core = core;
    this.#stream = stream;
  }

  /** Sends the events of a step of the core. `t`: Unix ms. */
  step({ seq, t }: Pick<StampedArrival, 'seq' | 't'>, events: readonly RunEvent[]): void {
    if (events.length > 0) this.#stream.sendRunEvents({ seq, t }, events);
    if (this.#stream.listening === 0) return;
    // a new client gets the full state
    if (this.#stream.turns !== this.#turns) for (const known of [this.#quotes, this.#marks, this.#books]) known.clear();
    this.#turns = this.#stream.turns;
    for (const event of events) if (event.type === 'Fill') this.#sendFill(event, t);
    if (t < this.#comparedAt + EVERY_MS && t >= this.#comparedAt) return;
    this.#comparedAt = t;
    this.#sendMarkets(t);
  }

  #sendFill({ txId, market, gameId, side, risk, win, ref, strategy }: EventOf<'Fill'>, t: number): void {
    if (market === undefined || side === undefined || this.#sentFills.has(txId)) return;
    this.#sentFills.add(txId);
    forgetOldest(this.#sentFills, MOST_REMEMBERED);
    this.#stream.send({
      event: 'fill',
      data: {
        t,
        txId,
        market,
        gameId,
        side,
        strategy: strategy ?? null,
        ref: ref ?? null,
        risk: risk / 1e6,
        payout: (risk + win) / 1e6,
        fair: this.#core.fairOf(market) ?? null,
      },
    });
  }

  #sendMarkets(t: number): void {
    const gone = new Set(this.#quotes.keys());
    for (const { market, fair = null, orders, position } of this.#core.eachMarket()) {
      gone.delete(market);
      const quotes = orders.map(({ strategy, side, odds, remaining, status, ref }) => ({
        strategy,
        side,
        odds,
        remaining,
        status,
        ref,
      }));
      this.#sendChanged('quote', this.#quotes, market, { quotes }, t);
      const { first, second, staked } = position;
      this.#sendChanged('mark', this.#marks, market, { fair, position: { first, second, staked } }, t);
    }
    for (const market of gone) {
      this.#sendChanged('quote', this.#quotes, market, { quotes: [] }, t);
      this.#quotes.delete(market);
    }
    for (const market of this.#stream.books) {
      const ladder = this.#core.ladder(market as MarketId) ?? null;
      this.#sendChanged('book', this.#books, market, { sides: ladder }, t);
    }
  }

  #sendChanged(
    event: 'quote' | 'mark' | 'book',
    known: Map<string, string>,
    market: string,
    fields: Readonly<Record<string, unknown>>,
    t: number,
  ): void {
    const text = JSON.stringify(fields);
    if (known.get(market) === text) return;
    known.set(market, text);
    this.#stream.send({ event, market, data: { t, market, ...fields } });
  }
}

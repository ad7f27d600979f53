// What programs that listen are told (docs/signals.md): fills as they come; own quotes, marks, and the books of markets that
// were asked for when they changed, at most ten times a second. Nobody listens: nothing is looked at.
import type { EventOf, MarketId, RunEvent, StampedArrival } from '../../domain/index.ts';
import { forgetOldest } from '../../domain/index.ts';
import type { Core } from '../../engine/index.ts';
import type { EventStream } from './event-stream.ts';

const EVERY_MS = 100;
/** Fills are told once, though more of one may become known later. */
const MOST_REMEMBERED = 5000;

export type ListenedCore = Pick<Core, 'markets' | 'ladder' | 'fairOf' | 'gameOf'>;

export class ProgramEvents {
  readonly #core: ListenedCore;
  readonly #stream: EventStream;
  readonly #told = new Set<string>();
  /** Of each market, as it was told last. */
  readonly #quotes = new Map<string, string>();
  readonly #marks = new Map<string, string>();
  readonly #books = new Map<string, string>();
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** Of the stream: how often somebody began to listen. */
  #turns = 0;

  constructor(core: ListenedCore, stream: EventStream) {
    this.#core = core;
    this.#stream = stream;
  }

  /** Behind the core; `t`: Unix ms. */
  step({ seq, t }: Pick<StampedArrival, 'seq' | 't'>, events: readonly RunEvent[]): void {
    if (events.length > 0) this.#stream.tellRun({ seq, t }, events);
    if (this.#stream.listening === 0) return;
    // whoever begins to listen is told all that stands
    if (this.#stream.turns !== this.#turns) for (const known of [this.#quotes, this.#marks, this.#books]) known.clear();
    this.#turns = this.#stream.turns;
    for (const event of events) if (event.type === 'Fill') this.#tellFill(event, t);
    if (t < this.#lookedAt + EVERY_MS && t >= this.#lookedAt) return;
    this.#lookedAt = t;
    this.#tellMarkets(t);
  }

  #tellFill({ txId, market, gameId, side, risk, win, ref, strategy }: EventOf<'Fill'>, t: number): void {
    if (market === undefined || side === undefined || this.#told.has(txId)) return;
    this.#told.add(txId);
    forgetOldest(this.#told, MOST_REMEMBERED);
    this.#stream.tell({
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

  #tellMarkets(t: number): void {
    const gone = new Set(this.#quotes.keys());
    for (const { market, fair = null, orders, position } of this.#core.markets()) {
      gone.delete(market);
      const quotes = orders.map(({ strategy, side, odds, remaining, status, ref }) => ({
        strategy,
        side,
        odds,
        remaining,
        status,
        ref,
      }));
      this.#tell('quote', this.#quotes, market, { quotes }, t);
      const { first, second, staked } = position;
      this.#tell('mark', this.#marks, market, { fair, position: { first, second, staked } }, t);
    }
    for (const market of gone) {
      this.#tell('quote', this.#quotes, market, { quotes: [] }, t);
      this.#quotes.delete(market);
    }
    for (const market of this.#stream.books) {
      const ladder = this.#core.ladder(market as MarketId) ?? null;
      this.#tell('book', this.#books, market, { sides: ladder }, t);
    }
  }

  #tell(
    event: 'quote' | 'mark' | 'book',
    known: Map<string, string>,
    market: string,
    what: Readonly<Record<string, unknown>>,
    t: number,
  ): void {
    const text = JSON.stringify(what);
    if (known.get(market) === text) return;
    known.set(market, text);
    this.#stream.tell({ event, market, data: { t, market, ...what } });
  }
}

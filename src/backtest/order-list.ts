// The orders of one scenario that came to rest at the venue, and how they stood there.
import type { Micros, StrategyId } from '../domain/index.ts';
import { oddsOf, ofSide, probabilityOfRung } from '../domain/index.ts';
import type { MarketBook, VenueOrder } from '../paper/index.ts';
import { ghostAvailable } from '../paper/index.ts';
import type { Look, Offered, OrderEnd, QuotePath, QuoteTimes, ReportOrder } from '../report/index.ts';
import { QuoteClock } from '../report/index.ts';

type Resting = Offered & {
  readonly order: VenueOrder;
  readonly fromMs: number;
  readonly queuePlaced: Micros;
  readonly fair: number | undefined;
};

export type OrderListPorts = {
  readonly strategyOf: (ref: string) => StrategyId | undefined;
  readonly reasonOf: (ref: string) => string | undefined;
  /** Newest good fair price, as probability of the first side. */
  readonly fairOf: (book: MarketBook) => number | undefined;
};

export class OrderList {
  readonly rows: ReportOrder[] = [];
  readonly #ports: OrderListPorts;
  readonly #clock = new QuoteClock<Resting>();
  readonly #resting = new Map<VenueOrder, Resting>();

  constructor(ports: OrderListPorts) {
    this.#ports = ports;
  }

  get times(): QuoteTimes {
    return this.#clock.times;
  }

  /** It came to rest. */
  add(order: VenueOrder, queuePlaced: Micros, nowMs: number): void {
    const { side, rung, book } = order;
    const look = this.#lookAt(book);
    const resting: Resting = {
      ...{ order, market: book.market, side, price: probabilityOfRung(rung), fromMs: nowMs, queuePlaced },
      fair: ofSide(side, look.fair),
    };
    this.#resting.set(order, resting);
    this.#clock.add(resting, nowMs, look);
  }

  /** It rests no more. */
  end(order: VenueOrder, nowMs: number): void {
    const resting = this.#resting.get(order);
    if (resting === undefined) return;
    this.#resting.delete(order);
    this.#clock.remove(resting, nowMs);
    this.#row(resting, nowMs, endOf(order));
  }

  /** The book changed just now, or its fair price. */
  note(book: MarketBook, nowMs: number): void {
    const { id } = book.market;
    if (this.#clock.isQuoted(id)) this.#clock.see(id, nowMs, this.#lookAt(book));
  }

  /** The run is over. */
  close(nowMs: number): void {
    for (const resting of this.#clock.close(nowMs)) this.#row(resting, nowMs, 'open');
    this.#resting.clear();
  }

  dropPath(id: MarketBook['market']['id']): void {
    this.#clock.dropPath(id);
  }

  /** How each market that was quoted looked, by its id. */
  paths(): ReadonlyMap<MarketBook['market']['id'], QuotePath['points']> {
    return new Map([...this.#clock.markets].map((id) => [id, this.#clock.pathOf(id)]));
  }

  pathOf(id: MarketBook['market']['id']): QuotePath['points'] {
    return this.#clock.pathOf(id);
  }

  #lookAt(book: MarketBook): Look {
    return { fair: this.#ports.fairOf(book), best: [bestOf(book, 0), bestOf(book, 1)] };
  }

  #row({ order, fromMs, queuePlaced, fair }: Resting, toMs: number, end: OrderEnd): void {
    const { reference = '', book, side, rung, offered, filled } = order;
    this.rows.push({
      ...{ ref: reference, market: book.market, side, price: probabilityOfRung(rung), odds: oddsOf(rung) },
      ...{ risk: offered, filled },
      ...{ fromMs, toMs, end, queuePlaced, fair },
      strategy: this.#ports.strategyOf(reference),
      reason: this.#ports.reasonOf(reference),
    });
  }
}

const endOf = ({ status, cause }: VenueOrder): OrderEnd =>
  status === 'filled'
    ? 'filled'
    : cause === 'expired'
      ? 'expired'
      : cause === 'edited'
        ? 'edited'
        : 'cancelled';

/** Of the others. */
function bestOf({ sides }: MarketBook, index: 0 | 1): number | undefined {
  const first = sides[index].ghosts.find((ghost) => ghostAvailable(ghost) > 0);
  return first === undefined ? undefined : probabilityOfRung(first.rung);
}

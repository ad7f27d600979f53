// The orders of one scenario that came to rest at the venue, and for how long which quotes rested how far from the fair price.
import type { Market, Micros, Side, StrategyId } from '../domain/index.ts';
import { probabilityOfRung, sideIndex } from '../domain/index.ts';
import type { MarketBook, VenueOrder } from '../paper/index.ts';
import { ghostAvailable } from '../paper/index.ts';
import type { OrderEnd, QuotePath, QuoteTimes, ReportOrder } from '../report/index.ts';
import { DISTANCES, distanceBucket } from '../report/index.ts';

type Resting = {
  readonly order: VenueOrder;
  readonly fromMs: number;
  readonly queuePlaced: Micros;
  readonly fair: number | undefined;
};

/** As it stood since the last look. */
type Watched = {
  readonly resting: Map<VenueOrder, Resting>;
  atMs: number;
  /** Fair of the first side, and the best prices of the others, by side. */
  fair: number | undefined;
  best: readonly [number, number];
  readonly path: Path;
};

/** However long it is quoted: when there are more points, every other one goes, and the next ones come half as often. */
const MOST_POINTS = 1500;

class Path {
  points: QuotePath['points'][number][] = [];
  #stepMs = 100;
  #nextMs = Number.NEGATIVE_INFINITY;

  add(point: QuotePath['points'][number]): void {
    if (point.t < this.#nextMs) return;
    this.#nextMs = point.t + this.#stepMs;
    this.points.push(point);
    if (this.points.length <= MOST_POINTS) return;
    this.points = this.points.filter((_point, index) => index % 2 === 0);
    this.#stepMs *= 2;
  }
}

export type OrderListPorts = {
  readonly strategyOf: (ref: string) => StrategyId | undefined;
  readonly reasonOf: (ref: string) => string | undefined;
  /** Newest good fair price, as probability of the first side. */
  readonly fairOf: (book: MarketBook) => number | undefined;
};

export class OrderList {
  readonly rows: ReportOrder[] = [];
  readonly #ports: OrderListPorts;
  readonly #markets = new Map<MarketBook, Watched>();
  readonly #sums = { ms: 0, marketMs: 0, twoSidedMs: 0, bestMs: 0, pricedMs: 0, distanceMs: 0 };
  readonly #byDistance = new Array<number>(DISTANCES.length + 1).fill(0);

  constructor(ports: OrderListPorts) {
    this.#ports = ports;
  }

  get times(): QuoteTimes {
    return { ...this.#sums, byDistance: this.#byDistance };
  }

  /** It came to rest. */
  add(order: VenueOrder, queuePlaced: Micros, nowMs: number): void {
    const { book } = order;
    let market = this.#markets.get(book);
    if (market === undefined)
      this.#markets.set(
        book,
        (market = { resting: new Map(), atMs: nowMs, fair: undefined, best: [0, 0], path: new Path() }),
      );
    this.#pass(market, nowMs);
    this.#see(market, book);
    const fair = ofSide(order.side, market.fair);
    market.resting.set(order, { order, fromMs: nowMs, queuePlaced, fair });
  }

  /** It rests no more. */
  end(order: VenueOrder, nowMs: number): void {
    const market = this.#markets.get(order.book);
    const resting = market?.resting.get(order);
    if (market === undefined || resting === undefined) return;
    this.#pass(market, nowMs);
    market.resting.delete(order);
    this.#row(resting, nowMs, endOf(order));
  }

  /** The book changed just now, or its fair price. */
  note(book: MarketBook, nowMs: number): void {
    const market = this.#markets.get(book);
    if (market === undefined || market.resting.size === 0) return;
    this.#pass(market, nowMs);
    this.#see(market, book);
    this.#draw(market, nowMs);
  }

  /** The run is over. */
  close(nowMs: number): void {
    for (const market of this.#markets.values()) {
      this.#pass(market, nowMs);
      for (const resting of market.resting.values()) this.#row(resting, nowMs, 'open');
      market.resting.clear();
    }
  }

  /** The path of the market that filled most. */
  busiestOf(fills: readonly { readonly market: Market }[]): QuotePath | undefined {
    const counts = Map.groupBy(fills, ({ market }) => market.id);
    const most = (book: MarketBook): number => counts.get(book.market.id)?.length ?? 0;
    const [first] = [...this.#markets].sort(([a], [b]) => most(b) - most(a));
    if (first === undefined || most(first[0]) === 0) return undefined;
    const [{ market, game }, { path }] = first;
    return { market, eventName: game.header.eventName, points: path.points };
  }

  #draw({ resting, fair, best, path }: Watched, t: number): void {
    const own: [number | null, number | null] = [null, null];
    for (const { order } of resting.values()) {
      const index = sideIndex(order.side);
      own[index] = Math.max(own[index] ?? 0, probabilityOfRung(order.rung));
    }
    const across = (price: number | null): number | null =>
      price === null || price === 0 ? null : 1 - price;
    path.add({
      ...{ t: Math.round(t), fair: fair ?? null, others: [best[0] === 0 ? null : best[0], across(best[1])] },
      own: [own[0], across(own[1])],
    });
  }

  #see(market: Watched, book: MarketBook): void {
    market.fair = this.#ports.fairOf(book);
    market.best = [bestOf(book, 0), bestOf(book, 1)];
  }

  /** Up to now it stood as it was seen last. */
  #pass(market: Watched, nowMs: number): void {
    const ms = nowMs - market.atMs;
    market.atMs = nowMs;
    if (ms <= 0 || market.resting.size === 0) return;
    const sums = this.#sums;
    const sides = new Set<Side>();
    for (const { order } of market.resting.values()) {
      const price = probabilityOfRung(order.rung);
      sides.add(order.side);
      sums.ms += ms;
      if (price >= market.best[sideIndex(order.side)]) sums.bestMs += ms;
      const fair = ofSide(order.side, market.fair);
      if (fair === undefined) continue;
      const bucket = distanceBucket(fair - price);
      sums.pricedMs += ms;
      sums.distanceMs += ms * (fair - price);
      this.#byDistance[bucket] = (this.#byDistance[bucket] ?? 0) + ms;
    }
    sums.marketMs += ms;
    if (sides.size === 2) sums.twoSidedMs += ms;
  }

  #row({ order, fromMs, queuePlaced, fair }: Resting, toMs: number, end: OrderEnd): void {
    const { reference = '', book, side, rung, offered, filled } = order;
    this.rows.push({
      ...{ ref: reference, market: book.market, side, price: probabilityOfRung(rung), risk: offered, filled },
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

const ofSide = (side: Side, first: number | undefined): number | undefined =>
  first === undefined ? undefined : sideIndex(side) === 0 ? first : 1 - first;

/** Of the others; 0: nobody offers. */
function bestOf({ sides }: MarketBook, index: 0 | 1): number {
  const first = sides[index].ghosts.find((ghost) => ghostAvailable(ghost) > 0);
  return first === undefined ? 0 : probabilityOfRung(first.rung);
}

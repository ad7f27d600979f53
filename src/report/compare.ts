// Compares two runs of the same markets order by order: a live run and its own backtest, or two backtests.
// Two orders match when strategy, market, side and price are equal and both rested within a few seconds.

/** An order that rested. Times are Unix ms, money is in dollars. */
export type ComparedOrder = {
  readonly strategy: string;
  readonly market: string;
  readonly side: string;
  readonly odds: number;
  readonly risk: number;
  readonly filled: number;
  readonly fromMs: number;
  readonly end: string;
  readonly fair: number | undefined;
  readonly queue: number | undefined;
};

export type OrderDifference = {
  readonly t: number;
  readonly a: ComparedOrder | undefined;
  readonly b: ComparedOrder | undefined;
  /** The difference in words. */
  readonly why: string;
};

export type OrderComparison = {
  readonly both: number;
  readonly onlyA: number;
  readonly onlyB: number;
  /** Orders in both runs with equal filled stakes; then the filled stakes of each run, dollars. */
  readonly filledAlike: number;
  readonly filledA: number;
  readonly filledB: number;
  /** Differences, earliest first. */
  readonly partings: readonly OrderDifference[];
};

/** Largest difference of clocks and latencies between two runs, ms. */
const WITHIN_MS = 5000;
const MOST_PARTINGS = 200;
/** Differences up to a cent are rounding, dollars. */
const CENT = 0.011;

export function compareOrders(a: readonly ComparedOrder[], b: readonly ComparedOrder[]): OrderComparison {
  const left = Map.groupBy(
    b.toSorted((x, y) => x.fromMs - y.fromMs),
    slotOf,
  );
  const sums = { both: 0, onlyA: 0, onlyB: 0, filledAlike: 0, filledA: 0, filledB: 0 };
  const partings: OrderDifference[] = [];
  for (const order of a.toSorted((x, y) => x.fromMs - y.fromMs)) {
    sums.filledA += order.filled;
    const near = (left.get(slotOf(order)) ?? []).filter(({ fromMs }) => Math.abs(fromMs - order.fromMs) <= WITHIN_MS);
    const twin = nearest(
      near.filter(({ odds }) => odds === order.odds),
      order,
    );
    const other = twin ?? nearest(near, order);
    if (other !== undefined) remove(left, other);
    if (twin === undefined) {
      if (other === undefined) sums.onlyA += 1;
      else sums.both += 1;
      partings.push({
        t: order.fromMs,
        a: order,
        b: other,
        why: other === undefined ? ONLY : pricesApart(order, other),
      });
    } else {
      sums.both += 1;
      const isAlike = Math.abs(twin.filled - order.filled) <= CENT;
      if (isAlike) sums.filledAlike += 1;
      else partings.push({ t: order.fromMs, a: order, b: twin, why: fillsApart(order, twin) });
    }
  }
  for (const order of b) sums.filledB += order.filled;
  for (const order of [...left.values()].flat()) {
    sums.onlyB += 1;
    partings.push({ t: order.fromMs, a: undefined, b: order, why: ONLY });
  }
  return { ...sums, partings: partings.sort((x, y) => x.t - y.t).slice(0, MOST_PARTINGS) };
}

const slotOf = ({ strategy, market, side }: ComparedOrder): string => `${strategy}|${market}|${side}`;

const nearest = (orders: readonly ComparedOrder[], to: ComparedOrder): ComparedOrder | undefined =>
  orders.toSorted((x, y) => Math.abs(x.fromMs - to.fromMs) - Math.abs(y.fromMs - to.fromMs))[0];

function remove(left: Map<string, ComparedOrder[]>, order: ComparedOrder): void {
  const orders = left.get(slotOf(order));
  orders?.splice(orders.indexOf(order), 1);
}

const ONLY = 'the other run had no order there then';

function pricesApart({ odds, fair }: ComparedOrder, other: ComparedOrder): string {
  const price = `quoted at ${odds} against ${other.odds}`;
  if (fair === undefined || other.fair === undefined) return price;
  return Math.abs(fair - other.fair) < 5e-5
    ? `${price}, by the same fair price`
    : `${price}: the fair price was ${fair.toFixed(4)} against ${other.fair.toFixed(4)}`;
}

function fillsApart(order: ComparedOrder, other: ComparedOrder): string {
  const filled = `filled $${order.filled.toFixed(2)} against $${other.filled.toFixed(2)}`;
  const [queue, otherQueue] = [order.queue, other.queue];
  return queue === undefined || otherQueue === undefined || Math.abs(queue - otherQueue) <= CENT
    ? filled
    : `${filled}: $${queue.toFixed(2)} stood before it against $${otherQueue.toFixed(2)}`;
}

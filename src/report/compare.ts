// Where two runs of the same markets part, order by order: a live run and its own backtest, or two backtests. An order of one is
// that of the other where strategy, market, side and price are the same and both came to rest within a few seconds.

/** An order that came to rest. Times are Unix ms, money is in dollars. */
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

export type Parting = {
  readonly t: number;
  readonly a: ComparedOrder | undefined;
  readonly b: ComparedOrder | undefined;
  /** For people. */
  readonly why: string;
};

export type OrderComparison = {
  readonly both: number;
  readonly onlyA: number;
  readonly onlyB: number;
  /** Of those of both: as much of them filled; and the stakes that did. */
  readonly filledAlike: number;
  readonly filledA: number;
  readonly filledB: number;
  /** The earliest first. */
  readonly partings: readonly Parting[];
};

/** Clocks and latencies of two runs are no further apart. */
const WITHIN_MS = 5000;
const MOST_PARTINGS = 200;
/** A cent is rounding. */
const CENT = 0.011;

export function compareOrders(a: readonly ComparedOrder[], b: readonly ComparedOrder[]): OrderComparison {
  const left = Map.groupBy(
    b.toSorted((one, other) => one.fromMs - other.fromMs),
    slotOf,
  );
  const sums = { both: 0, onlyA: 0, onlyB: 0, filledAlike: 0, filledA: 0, filledB: 0 };
  const partings: Parting[] = [];
  for (const order of a.toSorted((one, other) => one.fromMs - other.fromMs)) {
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
  return { ...sums, partings: partings.sort((one, other) => one.t - other.t).slice(0, MOST_PARTINGS) };
}

const slotOf = ({ strategy, market, side }: ComparedOrder): string => `${strategy}|${market}|${side}`;

const nearest = (orders: readonly ComparedOrder[], to: ComparedOrder): ComparedOrder | undefined =>
  orders.toSorted((one, other) => Math.abs(one.fromMs - to.fromMs) - Math.abs(other.fromMs - to.fromMs))[0];

function remove(left: Map<string, ComparedOrder[]>, order: ComparedOrder): void {
  const of = left.get(slotOf(order));
  of?.splice(of.indexOf(order), 1);
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
  const [one, two] = [order.queue, other.queue];
  return one === undefined || two === undefined || Math.abs(one - two) <= CENT
    ? filled
    : `${filled}: $${one.toFixed(2)} stood before it against $${two.toFixed(2)}`;
}

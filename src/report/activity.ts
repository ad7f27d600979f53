// Shows an account as the operator of the exchange sees it (specification, rules 3 and 4): whether it adds or
// takes liquidity, how much it cancels per fill, how long its quotes rest, which answers it gets, and whether
// it trades on news before others.
import type { MarketId } from '../domain/index.ts';

/**
 * A move of this size, as probability, within WITHIN_MS is a large move. Fills within WITHIN_MS after it are
 * counted.
 */
export const LARGE_MOVE = 0.02;
const WITHIN_MS = 5000;

export type ActivityReport = {
  readonly schema: 1;
  readonly orders: {
    readonly placed: number;
    readonly edited: number;
    readonly cancelled: number;
    readonly cancelledByOthers: number;
    readonly refused: number;
  };
  readonly fills: {
    readonly count: number;
    readonly made: number;
    readonly took: number;
    /** Share of all fills. Null: there is no fill. */
    readonly makerShare: number | null;
    /** Dollars. */
    readonly risk: number;
  };
  /** Cancelled and edited orders per fill. */
  readonly cancelsPerFill: number | null;
  /** Resting time of quotes, ms. */
  readonly life: {
    readonly quotes: number;
    readonly median: number | null;
    readonly p10: number | null;
    readonly p90: number | null;
  };
  /** Number of answers by kind of request and status; 0: no answer came. */
  readonly answers: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly largeMoves: {
    readonly points: number;
    readonly withinMs: number;
    readonly moves: number;
    readonly fillsAfter: number;
    readonly share: number | null;
  };
};

type Counts = ActivityReport['orders'];
type Path = { readonly points: { readonly t: number; readonly p: number }[]; readonly movedAt: number[] };

export class Activity {
  readonly #answers = new Map<string, Map<number, number>>();
  readonly #lifetimes: number[] = [];
  readonly #paths = new Map<MarketId, Path>();
  readonly #fills = { made: 0, took: 0, risk: 0, after: 0 };
  #moves = 0;

  /** Counts an answer. `status` 0: no answer came. */
  answered(kind: string, status: number): void {
    const counts = this.#answers.get(kind) ?? new Map<number, number>();
    this.#answers.set(kind, counts.set(status, (counts.get(status) ?? 0) + 1));
  }

  /** Counts an order that rested and has ended. */
  ended(lifeMs: number): void {
    this.#lifetimes.push(lifeMs);
  }

  /**
   * Adds a fair price of a market at `t`, ms. Prices of a market come in time order, and before its fills.
   */
  price(market: MarketId, t: number, p: number): void {
    const path = this.#paths.get(market) ?? { points: [], movedAt: [] };
    this.#paths.set(market, path);
    const { points } = path;
    if (points.at(-1)?.p === p) return;
    points.push({ t, p });
    // the last point before the window stays: it was the price at its start
    while ((points[1]?.t ?? t) <= t - WITHIN_MS) points.shift();
    if (!points.some((point) => Math.abs(point.p - p) >= LARGE_MOVE)) return;
    if (t - (path.movedAt.at(-1) ?? Number.NEGATIVE_INFINITY) > WITHIN_MS) this.#moves += 1;
    path.movedAt.push(t);
  }

  /** Counts a fill. `t`: ms. `risk`: micro-dollars. */
  filled(market: MarketId | undefined, t: number, risk: number, role: 'made' | 'took'): void {
    this.#fills[role] += 1;
    this.#fills.risk += risk;
    const movedAt = market === undefined ? undefined : this.#paths.get(market)?.movedAt.findLast((time) => time <= t);
    if (movedAt !== undefined && t - movedAt <= WITHIN_MS) this.#fills.after += 1;
  }

  report(orders: Counts): ActivityReport {
    const { made, took, risk, after } = this.#fills;
    const count = made + took;
    const lifetimes = this.#lifetimes.sort((a, b) => a - b);
    const quantile = (share: number): number | null => {
      const ms = lifetimes[Math.max(0, Math.ceil(share * lifetimes.length) - 1)];
      return ms === undefined ? null : Math.round(ms);
    };
    const ratio = (n: number, all: number): number | null => (all === 0 ? null : Math.round((1e4 * n) / all) / 1e4);
    return {
      schema: 1,
      orders,
      fills: { count, made, took, makerShare: ratio(made, count), risk: Math.round(risk / 1e4) / 100 },
      cancelsPerFill: ratio(orders.cancelled + orders.edited, count),
      life: { quotes: lifetimes.length, median: quantile(0.5), p10: quantile(0.1), p90: quantile(0.9) },
      answers: Object.fromEntries(
        [...this.#answers].map(([kind, statuses]) => [
          kind,
          Object.fromEntries([...statuses].sort(([a], [b]) => a - b).map(([status, n]) => [String(status), n])),
        ]),
      ),
      largeMoves: {
        points: LARGE_MOVE,
        withinMs: WITHIN_MS,
        moves: this.#moves,
        fillsAfter: after,
        share: ratio(after, count),
      },
    };
  }
}

// What the operator of the exchange sees of an account (specification, rules 3 and 4): does it add liquidity or take it, how much
// does it cancel for what it fills, how long do its quotes live, what is it answered, and does it trade on news before others.
import type { MarketId } from '../domain/index.ts';

/** A price that moves by this much, as probability, within this time is a large move; fills this soon after it are counted. */
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
    /** Of all fills; null: there is none. */
    readonly makerShare: number | null;
    /** Dollars. */
    readonly risk: number;
  };
  /** Cancelled and moved orders for one fill. */
  readonly cancelsPerFill: number | null;
  /** Ms from the moment from which it rested to its end. */
  readonly life: {
    readonly quotes: number;
    readonly median: number | null;
    readonly p10: number | null;
    readonly p90: number | null;
  };
  /** By kind of request and status; 0: none came. */
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
  readonly #lives: number[] = [];
  readonly #paths = new Map<MarketId, Path>();
  readonly #fills = { made: 0, took: 0, risk: 0, after: 0 };
  #moves = 0;

  /** `status` 0: none came. */
  answered(kind: string, status: number): void {
    const of = this.#answers.get(kind) ?? new Map<number, number>();
    this.#answers.set(kind, of.set(status, (of.get(status) ?? 0) + 1));
  }

  /** An order that rested is over. */
  ended(lifeMs: number): void {
    this.#lives.push(lifeMs);
  }

  /** The fair price of a market, `t` in ms; all of a market in the order of time, and before its fills. */
  price(market: MarketId, t: number, p: number): void {
    const path = this.#paths.get(market) ?? { points: [], movedAt: [] };
    this.#paths.set(market, path);
    const { points } = path;
    if (points.at(-1)?.p === p) return;
    points.push({ t, p });
    // the last one from before the time that counts stays: it was the price then
    while ((points[1]?.t ?? t) <= t - WITHIN_MS) points.shift();
    if (!points.some((one) => Math.abs(one.p - p) >= LARGE_MOVE)) return;
    if (t - (path.movedAt.at(-1) ?? Number.NEGATIVE_INFINITY) > WITHIN_MS) this.#moves += 1;
    path.movedAt.push(t);
  }

  /** `risk`: micro-dollars. */
  filled(market: MarketId | undefined, t: number, risk: number, role: 'made' | 'took'): void {
    this.#fills[role] += 1;
    this.#fills.risk += risk;
    const movedAt = market === undefined ? undefined : this.#paths.get(market)?.movedAt.findLast((at) => at <= t);
    if (movedAt !== undefined && t - movedAt <= WITHIN_MS) this.#fills.after += 1;
  }

  report(orders: Counts): ActivityReport {
    const { made, took, risk, after } = this.#fills;
    const count = made + took;
    const lives = this.#lives.sort((a, b) => a - b);
    const at = (share: number): number | null => {
      const ms = lives[Math.max(0, Math.ceil(share * lives.length) - 1)];
      return ms === undefined ? null : Math.round(ms);
    };
    const ratio = (of: number, to: number): number | null => (to === 0 ? null : Math.round((1e4 * of) / to) / 1e4);
    return {
      schema: 1,
      orders,
      fills: { count, made, took, makerShare: ratio(made, count), risk: Math.round(risk / 1e4) / 100 },
      cancelsPerFill: ratio(orders.cancelled + orders.edited, count),
      life: { quotes: lives.length, median: at(0.5), p10: at(0.1), p90: at(0.9) },
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

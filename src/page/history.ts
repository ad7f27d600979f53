// Keeps the history that curves and gauges of the page show: the last minutes in detail, the whole run
// coarsely, and prices and own quotes of the markets in which the bot is active. All of it is bounded.
import type { OwnPrices } from '../engine/index.ts';
import type { MarketView, Point } from './state.ts';

const RECENT_MS = 2000;
const MOST_RECENT = 450;
const CURVE_MS = 60_000;
const MOST_CURVE = 1440;
const PATH_MS = 5000;
const MOST_PATH = 360;
const MOST_PATHS = 500;

type PathPoint = MarketView['path'][number];

export class History {
  readonly #recent = new Rows(MOST_RECENT);
  readonly #curve = new Rows(MOST_CURVE);
  readonly #paths = new Map<string, PathPoint[]>();
  #recentAt = Number.NEGATIVE_INFINITY;
  #curveAt = Number.NEGATIVE_INFINITY;
  #pathAt = Number.NEGATIVE_INFINITY;

  get recent(): Readonly<Record<string, Point>> {
    return this.#recent.rows;
  }

  get curve(): Readonly<Record<string, Point>> {
    return this.#curve.rows;
  }

  pathOf(market: string): readonly PathPoint[] {
    return this.#paths.get(market) ?? [];
  }

  /** Follows a step at `t`, Unix ms. Calls `point` and `prices` only when a point is due. */
  step(t: number, point: () => Point, prices: () => Iterable<OwnPrices>): void {
    if (t >= this.#recentAt + RECENT_MS || t < this.#recentAt) {
      const now = point();
      this.#recentAt = t;
      this.#recent.addPoint(now);
      if (t >= this.#curveAt + CURVE_MS || t < this.#curveAt) {
        this.#curveAt = t;
        this.#curve.addPoint(now);
      }
    }
    if (t < this.#pathAt + PATH_MS && t >= this.#pathAt) return;
    this.#pathAt = t;
    for (const own of prices()) this.#addPath(own, t);
  }

  #addPath({ market, fair, first, second }: OwnPrices, t: number): void {
    const path = this.#paths.get(market) ?? [];
    // a changed market moves to the end, so the first one is the one without changes for longest
    this.#paths.delete(market);
    this.#paths.set(market, path);
    path.push([t, shown(fair), shown(first), shown(second === undefined ? undefined : 1 - second)]);
    if (path.length > MOST_PATH) path.shift();
    if (this.#paths.size <= MOST_PATHS) return;
    const [oldest] = this.#paths.keys();
    if (oldest !== undefined) this.#paths.delete(oldest);
  }
}

const shown = (probability: number | undefined): number | null =>
  probability === undefined ? null : Math.round(probability * 1e5) / 1e5;

/** Points by their times. The oldest are dropped. */
class Rows {
  readonly #points = new Map<string, Point>();
  #rows: Readonly<Record<string, Point>> | undefined;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** The points by time. The object is never changed afterwards. */
  get rows(): Readonly<Record<string, Point>> {
    return (this.#rows ??= Object.fromEntries(this.#points));
  }

  addPoint(point: Point): void {
    this.#rows = undefined;
    this.#points.set(String(point[0]), point);
    if (this.#points.size <= this.#most) return;
    const [oldest] = this.#points.keys();
    if (oldest !== undefined) this.#points.delete(oldest);
  }
}

// Takes frames of the page while a past run is replayed: as often as the live page would refresh, or less
// often if many markets make a frame expensive, so that frames take about as long as the replay itself.
import type { StampedArrival } from '../domain/index.ts';
import type { FrameWriter, Past } from './frame-file.ts';
import type { PageView } from './page-view.ts';
import type { MarketView, PageState } from './state.ts';

const CLOSEST_MS = 250;
/** The number of core steps that cost about as much as a frame: at least, and for each market. */
const LEAST_STEPS = 48;
const STEPS_A_MARKET = 0.5;
const MOST_POINTS = 1200;
/** The most marks under the slider of the page: it is not wider, in pixels. */
const MOST_MARKS = 2000;

export class FrameMaker {
  readonly #view: PageView;
  readonly #writer: FrameWriter;
  readonly #curve = new Thinned<Past['curve'][number]>(1000);
  readonly #paths = new Map<string, Thinned<MarketView['path'][number]>>();
  readonly #marks: Past['marks'][number][] = [];
  readonly #marked = new Set<string>();
  #steps = 0;
  #markets = 0;
  #from: number | undefined;
  #last: Pick<StampedArrival, 'seq' | 't'> | undefined;
  #frameAt = Number.NEGATIVE_INFINITY;
  #isTaken = true;

  constructor(view: PageView, writer: FrameWriter) {
    this.#view = view;
    this.#writer = writer;
  }

  /** Follows a step, after the core. */
  step(step: Pick<StampedArrival, 'seq' | 't'>): void {
    const { t } = step;
    this.#view.step(step);
    this.#steps += 1;
    this.#from ??= t;
    this.#last = step;
    this.#isTaken = false;
    const elapsedMs = t - this.#frameAt;
    // a wall clock may step back
    if (elapsedMs >= 0 && elapsedMs < CLOSEST_MS) return;
    if (elapsedMs < 0 || this.#steps >= Math.max(LEAST_STEPS, this.#markets * STEPS_A_MARKET)) this.#take(t);
  }

  #take(t: number): void {
    this.#isTaken = true;
    this.#steps = 0;
    this.#frameAt = t;
    const state = this.#view.state();
    this.#markets = Object.keys(state.markets).length;
    const ladders: Record<string, NonNullable<MarketView['ladder']>> = {};
    for (const id of Object.keys(state.markets)) {
      const { ladder = null, path = [] } = this.#view.market(id) ?? {};
      if (ladder !== null) ladders[id] = ladder;
      const newest = path.at(-1);
      if (newest !== undefined) this.#pathOf(id).addPoint(newest);
    }
    this.#curve.addPoint([t, state.now.pnl.run, state.now.pnl.worst]);
    this.#mark(state);
    this.#writer.addFrame({ state, ladders });
  }

  #pathOf(id: string): Thinned<MarketView['path'][number]> {
    let path = this.#paths.get(id);
    if (path === undefined) this.#paths.set(id, (path = new Thinned(1000)));
    return path;
  }

  #mark({ fills, alerts }: PageState): void {
    for (const [id, { t }] of Object.entries(fills)) this.#markOne(`fill ${id}`, [t, 'fill']);
    for (const [id, { since }] of Object.entries(alerts)) this.#markOne(`alert ${id}`, [since, 'alert']);
  }

  #markOne(key: string, mark: Past['marks'][number]): void {
    if (this.#marked.has(key)) return;
    this.#marked.add(key);
    this.#marks.push(mark);
  }

  /**
   * Finishes the file. Returns false when there was nothing to show.
   * @param ends why the frames end before the run, or null
   */
  finishFile(ends: string | null): boolean {
    if (this.#last === undefined || this.#from === undefined) return false;
    if (!this.#isTaken) this.#take(this.#last.t);
    const [from, to] = [this.#from, this.#last.t];
    this.#writer.finishFile(
      { from, to, ends, marks: spaced(this.#marks, (to - from) / MOST_MARKS), curve: this.#curve.points },
      [...this.#paths].map(([id, { points }]) => [id, points] as const),
    );
    return true;
  }
}

/** Drops marks that would be drawn over the one before of the same kind. */
function spaced(marks: Past['marks'], leastMs: number): Past['marks'] {
  const last = new Map<string, number>();
  return marks.filter(([t, kind]) => {
    const before = last.get(kind);
    if (before !== undefined && t >= before && t - before < leastMs) return false;
    last.set(kind, t);
    return true;
  });
}

/**
 * Points over time. When there are too many, every second one is dropped, and new ones are taken half as
 * often.
 */
class Thinned<Point extends readonly [number, ...unknown[]]> {
  points: Point[] = [];
  #everyMs: number;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  addPoint(point: Point): void {
    const last = this.points.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY;
    if (point[0] >= last && point[0] < last + this.#everyMs) return;
    this.points.push(point);
    if (this.points.length <= MOST_POINTS) return;
    this.points = this.points.filter((_, index) => index % 2 === 0);
    this.#everyMs *= 2;
  }
}

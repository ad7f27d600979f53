// Makes the page's figures of a run: attribution and totals. They are recomputed every two seconds at most,
// which is as fast as people read, and leaves time to serve other requests.
import { PHASES } from '../domain/index.ts';
import type { AttributionName, RunFill, RunningFigures, RunSums } from '../run/index.ts';
import { ATTRIBUTIONS } from '../run/index.ts';
import type { AttributionView, PageState, TotalsView } from './state.ts';

/** The figures of a run in progress. */
export type PageFigures = {
  /** The fills that changed in the newest step. */
  readonly changed: readonly RunFill[];
  readonly sums: RunSums;
  readonly figures: RunningFigures;
  /** Returns the display name of a game or market. */
  readonly nameOf: (key: string) => string | undefined;
};

const EVERY_MS = 2000;
/** The most rows of one attribution, those with the most risk. Ledger and report have all. */
const MOST_ROWS = 100;

export class FigureRows {
  readonly #figures: PageFigures;
  #rows: PageState['attribution'] = {};
  #totals: TotalsView | undefined;
  #version = -1;
  #rowsAt = Number.NEGATIVE_INFINITY;
  #totalsAt = Number.NEGATIVE_INFINITY;

  constructor(figures: PageFigures) {
    this.#figures = figures;
  }

  /** Returns the attribution rows by key. @param t time of the run, Unix ms */
  attribution(t: number): PageState['attribution'] {
    const { sums } = this.#figures;
    if (sums.version === this.#version || !isDue(t, this.#rowsAt)) return this.#rows;
    this.#version = sums.version;
    this.#rowsAt = t;
    return (this.#rows = Object.fromEntries(
      ATTRIBUTIONS.flatMap((by) => [...PHASES.flatMap((phase) => this.#rowsBy(by, phase)), ...this.#rowsBy(by, 'sum')]),
    ));
  }

  #rowsBy(by: AttributionName, phase: AttributionView['phase']): readonly (readonly [string, AttributionView])[] {
    return this.#figures.sums
      .attribution(by, phase === 'sum' ? undefined : phase)
      .slice(0, MOST_ROWS)
      .map((row, order) => [
        phase === 'sum' ? `${by} ${row.key}` : `${phase} ${by} ${row.key}`,
        { ...row, by, phase, order, name: this.#figures.nameOf(row.key) ?? row.key },
      ]);
  }

  /** Returns the totals of the run. @param t time of the run, Unix ms */
  totals(t: number): TotalsView {
    if (this.#totals !== undefined && !isDue(t, this.#totalsAt)) return this.#totals;
    this.#totalsAt = t;
    const { quoting, permits, inventory, pickedOff, phases } = this.#figures.figures;
    return (this.#totals = { quoting, permits, exposure: inventory, pickedOff, phases });
  }
}

/** True when the interval has passed, or the clock stepped back. */
export const isDue = (t: number, lastAt: number): boolean => t >= lastAt + EVERY_MS || t < lastAt;

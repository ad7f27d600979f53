// What the page shows of the figures of a run: where the money comes from, and what the run came to. They are made anew every other
// second at most: nobody reads faster, and others have to be served meanwhile.
import { PHASES } from '../domain/index.ts';
import type { AttributionName, RunFill, RunningFigures, RunSums } from '../run/index.ts';
import { ATTRIBUTIONS } from '../run/index.ts';
import type { AttributionView, PageState, TotalsView } from './state.ts';

/** What follows a run for its figures. */
export type PageFigures = {
  /** Fills of which something became known in the newest step. */
  readonly changed: readonly RunFill[];
  readonly sums: RunSums;
  readonly figures: RunningFigures;
  /** Of a game or a market, as people call it. */
  readonly nameOf: (key: string) => string | undefined;
};

const EVERY_MS = 2000;
/** Of markets and games those with the most risk; ledger and report have all. */
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

  /** `t`: of the run, Unix ms. */
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

  totals(t: number): TotalsView {
    if (this.#totals !== undefined && !isDue(t, this.#totalsAt)) return this.#totals;
    this.#totalsAt = t;
    const { quoting, permits, inventory, pickedOff, phases } = this.#figures.figures;
    return (this.#totals = { quoting, permits, exposure: inventory, pickedOff, phases });
  }
}

/** A clock may step back. */
const isDue = (t: number, at: number): boolean => t >= at + EVERY_MS || t < at;

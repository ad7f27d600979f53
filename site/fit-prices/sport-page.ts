// What the fits of a sport give: its page, its pictures, and its part of the overview.
import type { Bin } from './statistics.ts';

export type Picture = { readonly name: string; readonly svg: string };

/** A row of the table of constants. */
export type ConstantRow = {
  readonly name: string;
  readonly shipped: string;
  /** On all games. */
  readonly fitted: string;
  /** On each season alone, from the smallest to the largest. */
  readonly seasons: string;
  /** Held-out gain in thousandths of log loss, and over what. */
  readonly gain: string;
};

/** What does not fit, and by how much in probability. */
export type Misfit = { readonly by: number; readonly text: string };

export type SportPage = {
  readonly sport: string;
  readonly file: string;
  readonly data: string;
  readonly markdown: string;
  readonly pictures: readonly Picture[];
  readonly constants: readonly ConstantRow[];
  readonly misfits: readonly Misfit[];
  /** Of moneylines before the start. */
  readonly moneyline: readonly Bin[];
};

// Reports the coverage of partly known figures: the number of fills and the share of their payout that each
// figure covers, by its path (figures.md, "Unknown, partly known").
import { MARKOUT_SECONDS } from '../domain/index.ts';
import type { FillSums, Known } from './fill-figures.ts';
import { fine } from './rounding.ts';

/** Coverage of one figure. `payoutShare`: null when there are no fills. */
export type KnownOf = {
  readonly fills: number;
  readonly ofFills: number;
  readonly payoutShare: number | null;
};

/** Coverage by section and figure: `known.clv.dollars`. */
export type KnownFigures = Readonly<Record<string, Readonly<Record<string, KnownOf>>>>;

export function knownFigures(sums: FillSums): KnownFigures {
  const { identity, unpriced, spread, early, clv, edge, markouts } = sums;
  const coverageOf = (known: Known, all: Known = sums): KnownOf => ({
    fills: known.fills,
    ofFills: all.fills,
    payoutShare: all.payout === 0 ? null : fine(known.payout / all.payout),
  });
  const same = (names: readonly string[], known: KnownOf): Readonly<Record<string, KnownOf>> =>
    Object.fromEntries(names.map((name) => [name, known]));
  const settled = { fills: identity.fills + unpriced.fills, payout: identity.payout + unpriced.payout };
  const closed = coverageOf(clv, early);
  const byMarkout = {
    ...Object.fromEntries(MARKOUT_SECONDS.map((seconds) => [`${seconds}s`, coverageOf(markouts[seconds])])),
    close: closed,
  };
  return {
    identity: {
      ...same(['spread', 'drift', 'luck', 'commission', 'pnl'], coverageOf(identity)),
      captured: coverageOf(spread),
    },
    clv: same(['dollars', 'points', 'share', 'plainPoints', 'plainShare'], closed),
    edge: same(['dollars', 'perPlace'], coverageOf(edge)),
    markouts: byMarkout,
    markoutsPerPayout: byMarkout,
    plainMarkouts: byMarkout,
    permits: { pnlPerPlace: coverageOf(settled), spreadPerPlace: coverageOf(spread), clvPerPlace: closed },
  };
}

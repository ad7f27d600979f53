// Of how many fills, and of which share of their payout, a figure is that is known of some of them alone (figures.md, "Unknown,
// partly known"): by the path of the figure.
import { MARKOUT_SECONDS } from '../domain/index.ts';
import type { FillSums, Known } from './fill-figures.ts';
import { fine } from './rounding.ts';

/** `payoutShare`: null where there is no fill. */
export type KnownOf = {
  readonly fills: number;
  readonly ofFills: number;
  readonly payoutShare: number | null;
};

/** By section and figure: `known.clv.dollars`. */
export type KnownFigures = Readonly<Record<string, Readonly<Record<string, KnownOf>>>>;

export function knownFigures(sums: FillSums): KnownFigures {
  const { identity, unpriced, spread, early, clv, edge, markouts } = sums;
  const of = (known: Known, all: Known = sums): KnownOf => ({
    fills: known.fills,
    ofFills: all.fills,
    payoutShare: all.payout === 0 ? null : fine(known.payout / all.payout),
  });
  const same = (names: readonly string[], known: KnownOf): Readonly<Record<string, KnownOf>> =>
    Object.fromEntries(names.map((name) => [name, known]));
  const settled = { fills: identity.fills + unpriced.fills, payout: identity.payout + unpriced.payout };
  const closed = of(clv, early);
  const byMarkout = {
    ...Object.fromEntries(MARKOUT_SECONDS.map((seconds) => [`${seconds}s`, of(markouts[seconds])])),
    close: closed,
  };
  return {
    identity: {
      ...same(['spread', 'drift', 'luck', 'commission', 'pnl'], of(identity)),
      captured: of(spread),
    },
    clv: same(['dollars', 'points', 'share', 'plainPoints', 'plainShare'], closed),
    edge: same(['dollars', 'perPlace'], of(edge)),
    markouts: byMarkout,
    markoutsPerPayout: byMarkout,
    plainMarkouts: byMarkout,
    permits: { pnlPerPlace: of(settled), spreadPerPlace: of(spread), clvPerPlace: closed },
  };
}

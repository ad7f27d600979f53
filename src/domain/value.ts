// The value of a requote (trade.md, "Value and staleness"): one function for planner, benchmark and report.

/** The share of a shy quote's distance that counts: it only earns less, it does not lose. */
const SHY_WEIGHT = 0.2;
/** The distance of an empty slot: it counts as a quote this much too shy (probability). */
const NAKED_DISTANCE = 0.05;

/**
 * The value per unit of payout of moving an own offer from probability `q` to the wanted `qWanted` now: the
 * whole distance when it is too generous, a fifth of it when it is too shy.
 */
export const moveValue = (q: number, qWanted: number): number =>
  q > qWanted ? q - qWanted : SHY_WEIGHT * (qWanted - q);

/** The value per unit of payout of filling an empty slot. */
export const NAKED_VALUE = SHY_WEIGHT * NAKED_DISTANCE;

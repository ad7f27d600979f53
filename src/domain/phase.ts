// The two phases of a game. Before the start, a fill is judged by the closing price; in play the last price
// is nearly the outcome, and a fill is judged by the price some minutes later. So every figure that mixes
// both is shown for each phase too.

export const PHASES = ['prematch', 'inplay'] as const;
/** Before the start of a game, or in play. */
export type Phase = (typeof PHASES)[number];

/** The phases' names for people. */
export const PHASE_NAMES: Readonly<Record<Phase, string>> = { prematch: 'pre-match', inplay: 'in play' };

export const phaseOf = ({ isInPlay }: { readonly isInPlay: boolean }): Phase => (isInPlay ? 'inplay' : 'prematch');

export const eachPhase = <T>(valueOf: (phase: Phase) => T): Readonly<Record<Phase, T>> => ({
  prematch: valueOf('prematch'),
  inplay: valueOf('inplay'),
});

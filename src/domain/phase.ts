// The two phases of a game. Before the start a fill is judged by the closing price; in play the last price is nearly the outcome,
// and a fill is judged by the price some minutes later. So no figure is made of both without being shown for each.

export const PHASES = ['prematch', 'inplay'] as const;
export type Phase = (typeof PHASES)[number];

/** As people call them. */
export const PHASE_NAMES: Readonly<Record<Phase, string>> = { prematch: 'pre-match', inplay: 'in play' };

export const phaseOf = ({ isInPlay }: { readonly isInPlay: boolean }): Phase => (isInPlay ? 'inplay' : 'prematch');

export const eachPhase = <T>(of: (phase: Phase) => T): Readonly<Record<Phase, T>> => ({
  prematch: of('prematch'),
  inplay: of('inplay'),
});

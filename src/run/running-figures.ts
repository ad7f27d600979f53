// The figures that are available at any moment of a run: quoting, permits, inventory. The rest of a report
// (interval, deviation of luck, scores) needs all fills at once (docs/report.md).
import { eachPhase } from '../domain/index.ts';
import type { Phase } from '../domain/index.ts';
import type { FillSums } from './fill-figures.ts';
import { clvOf, identityOf, spreadOf } from './fill-figures.ts';
import { orderFigures } from './order-tally.ts';
import type { Inventory, Permits, Quoting } from './quoting.ts';
import { inventoryFigures, permitFigures, quoteShares } from './quoting.ts';
import type { RunFill } from './run-fill.ts';
import type { PhaseFacts, RunFacts } from './run-facts.ts';
import { mergedQuotes, wholePhase } from './run-facts.ts';
import type { PickedOff, RunSums } from './run-sums.ts';

/** Facts of a run in progress. Its lists are thinned over time. */
export type RunningFacts = Pick<
  RunFacts,
  'phases' | 'curve' | 'mostHeld' | 'maxDrawdown' | 'worst' | 'heldBack' | 'atLimits' | 'risks'
>;

type PhaseFigures = {
  readonly quoting: Omit<Quoting, 'fillRate' | 'fillRateFit' | 'byLeague'>;
  readonly permits: Permits;
  readonly pickedOff: Readonly<Record<PickedOff | 'unknown', number>>;
};
/** Figures in the form of `report --json`. */
export type RunningFigures = PhaseFigures & {
  readonly inventory: Inventory;
  readonly phases: Readonly<Record<Phase, PhaseFigures>>;
};

export function runningFigures(facts: RunningFacts, sums: RunSums): RunningFigures {
  const early = facts.phases.prematch.permits.place;
  return {
    ...phaseFigures(wholePhase(facts), sums.sums, early),
    pickedOff: sums.pickedOff,
    inventory: inventoryFigures(facts),
    phases: eachPhase((phase) => ({
      ...phaseFigures(facts.phases[phase], sums.sumsIn(phase), phase === 'prematch' ? early : 0),
      pickedOff: sums.pickedOffIn(phase),
    })),
  };
}

const phaseFigures = (
  { quotes, orders, permits }: PhaseFacts,
  sums: FillSums,
  early: number,
): Omit<PhaseFigures, 'pickedOff'> => ({
  quoting: { ...quoteShares(mergedQuotes(Object.values(quotes))), ...orderFigures(orders, sums.fills) },
  permits: permitFigures(permits, sums, early),
});

/**
 * The parts of one fill that are known before its game ends, micro-dollars. Luck is the rest of its profit.
 */
export const partsOfFill = (fill: RunFill) => ({
  spread: spreadOf(fill),
  drift: identityOf({ ...fill, profit: 0, commission: 0 })?.drift,
  clv: clvOf(fill)?.money,
});

/** Payoff of its market by side before the fill, micro-dollars. */
export function positionBefore({ market, side, position, risk, payout }: RunFill): {
  readonly first: number;
  readonly second: number;
} {
  const win = payout - risk;
  return side === market.sides[0]
    ? { first: position.first - win, second: position.second + risk }
    : { first: position.first + risk, second: position.second - win };
}

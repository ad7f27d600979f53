// What can be told of a run at any moment of it: how it quoted, what permits brought, what was held. The rest of a report needs all
// fills at once (docs/report.md): the interval, luck's deviation, scores.
import { orderFigures } from './order-tally.ts';
import type { Inventory, Permits, Quoting } from './quoting.ts';
import { inventoryFigures, permitFigures, quoteShares } from './quoting.ts';
import type { ReportFill } from './report-fill.ts';
import type { RunFacts } from './run-facts.ts';
import type { PickedOff, RunSums } from './run-sums.ts';
import { clvOf, identityOf, spreadOf } from './fill-figures.ts';

/** Of a run that goes on; lists of it are thinned as time goes by. */
export type RunningFacts = Pick<
  RunFacts,
  'orders' | 'quotes' | 'permits' | 'curve' | 'maxDrawdown' | 'worst' | 'heldBack' | 'atLimits'
>;

/** As `report --json` has them. */
export type RunningFigures = {
  readonly quoting: Omit<Quoting, 'fillRate' | 'fillRateFit'>;
  readonly permits: Permits;
  readonly inventory: Inventory;
  readonly pickedOff: Readonly<Record<PickedOff | 'unknown', number>>;
};

export const runningFigures = (facts: RunningFacts, sums: RunSums): RunningFigures => ({
  quoting: {
    ...quoteShares(facts.quotes),
    ...orderFigures(facts.orders, sums.all.fills),
  },
  permits: permitFigures(facts.permits, sums.all),
  inventory: inventoryFigures(facts),
  pickedOff: sums.pickedOff,
});

/** The parts of one fill that are known before its game is over, micro-dollars; luck is what is left of its profit. */
export const partsOfFill = (fill: ReportFill) => ({
  spread: spreadOf(fill),
  drift: identityOf({ ...fill, profit: 0, commission: 0 })?.drift,
  clv: clvOf(fill)?.money,
});

/** What its market paid by its sides before it, micro-dollars. */
export function positionBefore({ market, side, position, risk, payout }: ReportFill): {
  readonly first: number;
  readonly second: number;
} {
  const win = payout - risk;
  return side === market.sides[0]
    ? { first: position.first - win, second: position.second + risk }
    : { first: position.first + risk, second: position.second - win };
}

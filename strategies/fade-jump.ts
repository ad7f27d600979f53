// Fades a jump: after a large move of the exchange's own price in a short time, offers against the move for a while, on
// the idea that part of it was one taker and comes back. Quotes nothing at any other time.
import { map, tap } from 'rxjs';
import { z } from 'zod';
import type { MarketView, QuoteIntent } from 'oddsmaker/strategy';
import {
  defineStrategy,
  dollarAmount,
  dollars,
  inventoryOf,
  microsOfCents,
  showAgain,
  withoutRepeats,
} from 'oddsmaker/strategy';

const schema = z.object({
  risk: dollars.describe('stake of a quote, dollars'),
  least: z.number().min(0.001).max(0.5).default(0.02).describe('least move within 5 s that is a jump, probability'),
  wait: z.number().min(0).max(60).default(2).describe('time from the jump to the first quote, seconds'),
  hold: z.number().min(1).max(600).default(30).describe('time in which it is faded, seconds'),
  back: z.number().min(0).max(1).default(0.3).describe('share of the jump that is expected to come back'),
  edge: z.number().min(0).max(0.2).default(0.003).describe('kept from that price, probability'),
  inventoryLimit: dollarAmount.prefault(300).describe('payoff difference at which the adding side stops, dollars'),
});
type Params = z.output<typeof schema>;
/** The price after a jump, its size, and its time: of the view, and of the scheduler. */
type Jump = { readonly to: number; readonly by: number; readonly time: number; readonly since: number };
const WINDOW_MS = 5000;

export default defineStrategy({
  name: 'fade-jump',
  params: schema,
  create:
    ({ params, scheduler }) =>
    (views$) => {
      const { least, wait, hold } = params;
      let jump: Jump | undefined;
      const leftOf = (seconds: number): number => (jump?.since ?? 0) + seconds * 1000 - scheduler.now();
      return views$.pipe(
        tap((view) => {
          const [to, by] = moveOf(view, jump?.time);
          if (Math.abs(by) >= least) jump = { to, by, time: view.time, since: scheduler.now() };
        }),
        showAgain(() => [wait, wait + hold].map(leftOf).filter((left) => jump !== undefined && left > 0), scheduler),
        map((view) => {
          const isOn = jump !== undefined && leftOf(wait) <= 0 && leftOf(wait + hold) > 0;
          return isOn && jump !== undefined ? fadeOf(view, jump, params) : nothing(view, 'no jump to fade');
        }),
        withoutRepeats(views$),
      );
    },
});

/** The price now, and how far it is from the one that stood five seconds ago, or right after the last jump. */
function moveOf({ history, time }: MarketView, jumped = 0): readonly [to: number, by: number] {
  const points = history.consensus();
  const now = points.at(-1);
  const before = points.findLast((point) => point.time <= Math.max(time - WINDOW_MS, jumped)) ?? points[0];
  return now === undefined || before === undefined ? [0, 0] : [now.p, now.p - before.p];
}

const nothing = ({ market }: MarketView, reason: string): QuoteIntent => ({ market: market.id, quotes: [], reason });

function fadeOf(view: MarketView, { to, by }: Jump, { back, edge, risk, inventoryLimit }: Params): QuoteIntent {
  const { market, sides, position } = view;
  const fair = to - by * back;
  // up: the second side is too cheap to be right, and the other way round
  const isUp = by > 0;
  const side = sides[isUp ? 1 : 0].side;
  const adds = isUp ? 0 - inventoryOf(position) : inventoryOf(position);
  if (adds >= microsOfCents(inventoryLimit)) return nothing(view, 'enough is held');
  const probability = (isUp ? 1 - fair : fair) - edge;
  const reason = `fades a jump of ${(100 * by).toFixed(1)} points`;
  return { market: market.id, quotes: [{ side, risk, probability }], reason, fair };
}

// What the fills of a scenario came to, market by market and strategy by strategy.
import type { GameId, Market, MarketEnd, MarketId, Micros, Position, StrategyId } from '../domain/index.ts';
import { applyFill, FLAT, markedAt } from '../domain/index.ts';
import type { RunFill } from '../run/index.ts';
import { cents } from '../run/index.ts';
import { markedEdgeOf } from './edge.ts';
import type { ScenarioResult } from './result.ts';
import type { GameResults } from './results-file.ts';

/** What one market came to; money in micro-dollars. */
export type MarketTotal = {
  readonly gameId: GameId;
  readonly eventName: string;
  readonly market: Market;
  readonly fills: number;
  readonly riskFilled: number;
  /** What each outcome would bring now. */
  readonly position: Position;
  readonly marked: number;
  /** By the result, after commission; undefined: the market is open. */
  readonly settled: number | undefined;
  readonly outcome: MarketOutcome;
};

/** What became of the bets of a market. `push`: stakes return by the line; `half`: a half of them is won or lost. */
export type MarketOutcome = 'won' | 'lost' | 'push' | 'void' | 'half' | 'open';

/** What is known at the end. */
export type Ending = {
  /** The newest price of a market, as probability of its first side. */
  readonly priceOf: (market: MarketId) => number | undefined;
  /** Something is held there: its game was not settled while the tapes went on. */
  readonly isHeld: (market: MarketId) => boolean;
  /** Undefined: nothing is settled. */
  readonly results: GameResults | undefined;
};

/** Markets in the order of their first fill. */
export const marketRows = (fills: readonly RunFill[], ending: Ending): readonly MarketTotal[] =>
  [...Map.groupBy(fills, ({ market }) => market.id).values()].flatMap((of) => {
    const [first] = of;
    return first === undefined ? [] : [rowOf(first, of, ending)];
  });

function rowOf(
  { gameId, eventName, market }: RunFill,
  fills: readonly RunFill[],
  { priceOf, isHeld, results }: Ending,
): MarketTotal {
  const end = results?.endOf(market);
  let position = FLAT;
  let riskFilled = 0;
  let settled = 0;
  for (const fill of fills) {
    position = applyFill(position, fill.side, fill.risk as Micros, (fill.payout - fill.risk) as Micros);
    riskFilled += fill.risk;
    settled += (fill.profit ?? 0) - fill.commission;
  }
  return {
    gameId,
    eventName,
    market,
    fills: fills.length,
    riskFilled,
    position,
    // what was settled while the tape went on is worth just that
    marked: isHeld(market.id) ? markedAt(position, priceOf(market.id)) : settled,
    settled: end === undefined ? undefined : settled,
    outcome: outcomeOf(end, settled, results?.isVoid(market) === true),
  };
}

function outcomeOf(end: MarketEnd | undefined, settled: number, isVoided: boolean): MarketOutcome {
  if (end === undefined) return 'open';
  if (isVoided) return 'void';
  if (end === 0) return 'push';
  if (end !== 'both-lose' && Math.abs(end) < 1) return 'half';
  return settled > 0 ? 'won' : 'lost';
}

/** Of each strategy, also of those without a fill, in dollars. */
export function strategyTotals(
  strategies: readonly { readonly id: StrategyId }[],
  fills: readonly RunFill[],
  ending: Ending,
): ScenarioResult['strategies'] {
  const totals = strategies.map(({ id }) => {
    const own = fills.filter(({ strategy }) => strategy === id);
    const rows = marketRows(own, ending);
    const sum = (of: (row: MarketTotal) => number | undefined): number =>
      cents(rows.reduce((total, row) => total + (of(row) ?? 0), 0) / 1e6);
    return [
      id,
      {
        fills: own.length,
        riskFilled: sum((row) => row.riskFilled),
        marked: sum((row) => row.marked),
        ...(ending.results === undefined ? {} : { settled: sum((row) => row.settled) }),
        edge: markedEdgeOf(own),
      },
    ] as const;
  });
  return Object.fromEntries(totals);
}

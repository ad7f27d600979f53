// Totals of a scenario's fills by market and by strategy.
import type { GameId, Market, MarketEnd, MarketId, Micros, Position, StrategyId } from '../domain/index.ts';
import { applyFill, FLAT, markedAt } from '../domain/index.ts';
import type { RunFill } from '../run/index.ts';
import { cents } from '../run/index.ts';
import { markedEdgeOf } from './edge.ts';
import type { ScenarioResult } from './result.ts';
import type { GameResults } from './results-file.ts';

/** The totals of one market. Money is in micro-dollars. */
export type MarketTotal = {
  readonly gameId: GameId;
  readonly eventName: string;
  readonly market: Market;
  readonly fills: number;
  readonly riskFilled: number;
  /** The profit of each outcome. */
  readonly position: Position;
  readonly marked: number;
  /** The profit by the result, after commission. Undefined while the market is open. */
  readonly settled: number | undefined;
  readonly outcome: MarketOutcome;
};

/**
 * The outcome of a market's bets. `push`: the line returns all stakes; `half`: half of each bet is won or
 * lost.
 */
export type MarketOutcome = 'won' | 'lost' | 'push' | 'void' | 'half' | 'open';

/** Prices, positions and results at the end of the run. */
export type Ending = {
  /** The newest price of a market, as a probability of its first side. */
  readonly priceOf: (market: MarketId) => number | undefined;
  /** Whether the bot holds a position in a market: its game was not settled during the run. */
  readonly isHeld: (market: MarketId) => boolean;
  /** The results of games. Undefined when nothing is settled. */
  readonly results: GameResults | undefined;
};

/** Totals by market, in the order of their first fill. */
export const marketRows = (fills: readonly RunFill[], ending: Ending): readonly MarketTotal[] =>
  [...Map.groupBy(fills, ({ market }) => market.id).values()].flatMap((inMarket) => {
    const [first] = inMarket;
    return first === undefined ? [] : [rowOf(first, inMarket, ending)];
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
    // a market that was settled during the run is worth its settlement
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

/** Totals by strategy, in dollars, also for strategies without a fill. */
export function strategyTotals(
  strategies: readonly { readonly id: StrategyId }[],
  fills: readonly RunFill[],
  ending: Ending,
): ScenarioResult['strategies'] {
  const totals = strategies.map(({ id }) => {
    const own = fills.filter(({ strategy }) => strategy === id);
    const rows = marketRows(own, ending);
    const sum = (amount: (row: MarketTotal) => number | undefined): number =>
      cents(rows.reduce((total, row) => total + (amount(row) ?? 0), 0) / 1e6);
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

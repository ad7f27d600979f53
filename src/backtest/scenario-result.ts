// What one scenario of a backtest came to, as `result.json` tells it.
import type { CommissionRule, GameId, MarketId } from '../domain/index.ts';
import { AgeCounts, commissionOf, profitAt } from '../domain/index.ts';
import type { Core, CoreSettings } from '../engine/index.ts';
import type { Refusals, Curve, Waits } from '../run/index.ts';
import type { ListedFill } from './fill-list.ts';
import { edgeOf } from './fill-list.ts';
import type { ScenarioResult } from './result.ts';
import { cents } from '../run/index.ts';
import { shareOf } from './result.ts';
import type { GameResults } from './results-file.ts';
import type { Ending } from './totals.ts';
import { strategyTotals } from './totals.ts';
import type { VirtualRun } from './virtual-run.ts';

/** What was noted while it ran. */
export type Notes = {
  readonly ending: Ending;
  /** In the order in which they happened. */
  readonly fills: readonly ListedFill[];
  readonly curve: Curve;
  readonly waits: Waits;
  /** How many of each code. */
  readonly alerts: ReadonlyMap<string, number>;
  readonly refusals: Refusals;
};

export function scenarioResult(
  { core, door, ended }: VirtualRun,
  { strategies, commission }: Pick<CoreSettings, 'strategies' | 'commission'>,
  { ending, fills, curve, waits, alerts, refusals }: Notes,
): ScenarioResult {
  const status = core.status();
  return {
    fills: status.fills,
    riskFilled: cents(status.riskFilled),
    pnl: {
      marked: cents(status.pnl.marked),
      ...(ending.results === undefined ? {} : settledBy(core, ending.results, commission)),
      edge: edgeOf(fills),
      maxDrawdown: cents(curve.maxDrawdown),
      worst: cents(curve.worst),
    },
    strategies: strategyTotals(strategies, fills, ending),
    orders: {
      placed: status.placed,
      edited: status.edited,
      cancelled: status.cancelled,
      refused: status.refused,
      refusals: refusals.told,
      unknown: status.unknown.ever,
    },
    permits: {
      place: door.requests.place + door.requests.edit,
      cancel: door.requests.cancel,
      waitedMs: waits.quantiles(),
    },
    http: Object.fromEntries([...door.statuses].map(([code, count]) => [String(code), count])),
    intents: status.intents,
    quotedShare: shareOf(status.quotedShare),
    heldBack: Object.fromEntries(Object.entries(status.heldShare).map(([control, of]) => [control, shareOf(of)])),
    heldWhy: core.heldWhy,
    idle: status.idle,
    alerts: Object.fromEntries([...alerts].sort(([a], [b]) => (a < b ? -1 : 1))),
    signals: AgeCounts.sum(core.signalAges().values()).figures ?? null,
    openAtExit: status.openAtExit ?? null,
    end: ended === undefined ? null : { exit: ended.code, reason: ended.reason },
  };
}

export function endingOf(core: Core, results: GameResults | undefined): Ending {
  const held = new Set([...core.positions()].map(({ market }) => market.id));
  return {
    priceOf: (market) => core.priceOf(market),
    isHeld: (market) => held.has(market),
    results,
  };
}

/** What decided markets brought, after commission, dollars; and the games of fills in open ones. */
function settledBy(
  core: Core,
  results: GameResults,
  commission: CommissionRule,
): { readonly settled: number; readonly unsettled: readonly GameId[] } {
  let micros = 0;
  const unsettled = new Set<GameId>();
  const profits = new Map<MarketId | undefined, number[]>();
  for (const fill of core.fills()) {
    const { market, side, risk, win } = fill;
    if (fill.mode === 'other') continue;
    const end = market === undefined ? undefined : results.endOf(market);
    if (end === undefined || side === undefined) {
      unsettled.add(fill.gameId);
      continue;
    }
    const profit = profitAt({ side, risk, win }, end);
    micros += profit;
    const ofMarket = profits.get(market?.id);
    if (ofMarket === undefined) profits.set(market?.id, [profit]);
    else ofMarket.push(profit);
  }
  for (const of of profits.values()) micros -= commissionOf(commission, of);
  return { settled: cents(core.realized + micros / 1e6), unsettled: [...unsettled].sort() };
}

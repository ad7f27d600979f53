// Builds the results of one scenario for `result.json`.
import type { StrategyId } from '../domain/index.ts';
import type { Core } from '../engine/index.ts';
import type { Refusals, RequestTally, RunFill, RunFold } from '../run/index.ts';
import { cents } from '../run/index.ts';
import { markedEdgeOf } from './edge.ts';
import type { ScenarioResult } from './result.ts';
import { shareOf } from './result.ts';
import type { GameResults } from './results-file.ts';
import type { Ending } from './totals.ts';
import { strategyTotals } from './totals.ts';
import type { VirtualEnd } from './virtual-run.ts';

/** The results that were folded from the events of the run. */
export type Folded = {
  readonly ended: VirtualEnd | undefined;
  readonly ending: Ending;
  /** Fills in the order of time. */
  readonly fills: readonly RunFill[];
  readonly fold: RunFold;
  readonly requests: RequestTally;
  /** Number of answers by HTTP status, the login included. */
  readonly http: ReadonlyMap<number, number>;
  /** Number of alerts by code. */
  readonly alerts: ReadonlyMap<string, number>;
  readonly refusals: Refusals;
};

export function scenarioResult(
  strategies: readonly { readonly id: StrategyId }[],
  { ended, ending, fills, fold, requests, http, alerts, refusals }: Folded,
): ScenarioResult {
  const { status, now } = fold;
  const { sent } = requests;
  return {
    fills: status.fills,
    riskFilled: cents(status.riskFilled),
    pnl: {
      marked: cents(status.pnl.marked),
      ...(ending.results === undefined ? {} : settledOf(fills)),
      edge: markedEdgeOf(fills),
      maxDrawdown: cents(now.maxDrawdown),
      worst: cents(now.worst),
    },
    strategies: strategyTotals(strategies, fills, ending),
    orders: {
      placed: status.placed,
      edited: status.edited,
      cancelled: status.cancelled,
      refused: status.refused,
      refusals: refusals.byReason,
      unknown: status.unknown.ever,
    },
    permits: {
      place: sent.place + sent.edit,
      cancel: sent.cancel,
      waitedMs: fold.waits.quantiles(),
    },
    http: Object.fromEntries([...http].map(([status, count]) => [String(status), count])),
    intents: status.intents,
    quotedShare: shareOf(status.quotedShare),
    heldBack: Object.fromEntries(Object.entries(now.heldBack).map(([control, share]) => [control, shareOf(share)])),
    heldWhy: fold.heldWhy,
    idle: fold.idle,
    alerts: Object.fromEntries([...alerts].sort(([a], [b]) => (a < b ? -1 : 1))),
    signals: fold.signals ?? null,
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

/** Profit of the decided markets after commission, dollars, and the games with fills in open markets. */
function settledOf(fills: readonly RunFill[]): Required<Pick<ScenarioResult['pnl'], 'settled' | 'unsettled'>> {
  let micros = 0;
  const unsettled = new Set<string>();
  for (const { gameId, profit, commission } of fills)
    if (profit === undefined) unsettled.add(gameId);
    else micros += profit - commission;
  return { settled: cents(micros / 1e6), unsettled: [...unsettled].sort() };
}

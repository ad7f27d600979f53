// The status of each strategy, for pages and commands.
import type { StrategyId } from '../domain/index.ts';
import type { StrategyHost } from '../strategy/host/index.ts';
import type { OrderManager } from '../orders/index.ts';
import type { Account } from '../account/index.ts';
import type { Quoting } from './quoting.ts';
import type { Trading } from './trading.ts';

export type StrategyStatus = {
  readonly id: StrategyId;
  readonly name: string;
  readonly scope: 'market' | 'game';
  /** The checked parameters. */
  readonly params: unknown;
  /** True when the strategy is quarantined: it quotes nothing. */
  readonly isOff: boolean;
  /** True when an operator paused the strategy. */
  readonly isPaused: boolean;
  /** Number of slots that the strategy wants filled. */
  readonly wanted: number;
  /** Number of its orders that rest or may rest. */
  readonly orders: number;
};

export function strategiesOf({
  host,
  trading,
  quoting,
  manager,
  account,
}: {
  readonly host: StrategyHost;
  readonly trading: Trading;
  readonly quoting: Quoting;
  readonly manager: OrderManager;
  readonly account: Account;
}): readonly StrategyStatus[] {
  const wanted = new Map<StrategyId, number>();
  for (const id of quoting.open.keys())
    for (const { strategy } of manager.targetsIn(id)) wanted.set(strategy, (wanted.get(strategy) ?? 0) + 1);
  const orders = new Map<StrategyId, number>();
  for (const { strategy } of account.active) orders.set(strategy, (orders.get(strategy) ?? 0) + 1);
  return host.entries.map(({ id, strategy, params }) => ({
    id,
    name: strategy.name,
    scope: strategy.scope ?? 'market',
    params,
    isOff: host.isQuarantined(id),
    isPaused: trading.isPaused(id),
    wanted: wanted.get(id) ?? 0,
    orders: orders.get(id) ?? 0,
  }));
}

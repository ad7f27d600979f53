// What can be seen of each strategy from outside.
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
  /** As they were checked. */
  readonly params: unknown;
  /** Taken off for good: it wants nothing any more. */
  readonly isOff: boolean;
  /** By an operator. */
  readonly isPaused: boolean;
  /** Slots that it wants filled, and its orders that rest or may. */
  readonly wanted: number;
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

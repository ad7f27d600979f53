// The limits of single strategies (`strategies[].risk`), which only tighten those of the account.
import type { Micros, StrategyId } from '../domain/index.ts';
import type { OrderLimits, RiskLimits } from '../risk/index.ts';
import type { StrategyHost } from '../strategy/host/index.ts';

const NO_LIMIT = Number.POSITIVE_INFINITY;

const limitsIn = ({ entries }: Pick<StrategyHost, 'entries'>, strategy: StrategyId) =>
  entries.find(({ id }) => id === strategy)?.limits;

/** The limits for single quotes of a strategy. */
export function quoteLimitsOf(
  host: Pick<StrategyHost, 'entries'>,
  strategy: StrategyId,
  account: RiskLimits,
): RiskLimits {
  const most = limitsIn(host, strategy)?.maxOrderRisk;
  return most === undefined || most >= account.maxOrderRisk ? account : { ...account, maxOrderRisk: most };
}

/** The limits for the fills and orders of a strategy. Undefined: it has none of its own. */
export function orderLimitsOf(host: Pick<StrategyHost, 'entries'>, strategy: StrategyId): OrderLimits | undefined {
  const limits = limitsIn(host, strategy);
  if (limits === undefined) return undefined;
  const { maxMarketLoss, maxGameLoss, maxTotalLoss, maxOpenOrders } = limits;
  const all = [maxMarketLoss, maxGameLoss, maxTotalLoss, maxOpenOrders];
  if (all.every((limit) => limit === undefined)) return undefined;
  return {
    maxOpenOrders: maxOpenOrders ?? NO_LIMIT,
    maxMarketLoss,
    maxGameLoss: maxGameLoss ?? (NO_LIMIT as Micros),
    maxTotalLoss: maxTotalLoss ?? (NO_LIMIT as Micros),
    maxCreditUse: 1,
  };
}

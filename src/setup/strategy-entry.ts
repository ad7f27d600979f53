// The entry of a strategy as the configuration wants it: checked parameters, also those of single leagues, its markets,
// its limits, its budget and its warm-up.
import type { Config } from '../config/index.ts';
import type { Game, MarketType, StrategyId } from '../domain/index.ts';
import { centsOfDollars, microsOfDollars, plainName } from '../domain/index.ts';
import type { StrategyEntry, StrategyLimits } from '../strategy/host/index.ts';
import { checkParams } from '../strategy/host/index.ts';
import type { Strategy } from '../strategy/index.ts';

export type ConfiguredStrategy = Config['strategies'][number];

/** A problem with the configuration of a strategy: the path inside its entry, and a message. */
export type EntryProblem = { readonly path: readonly (string | number)[]; readonly message: string };

/** @param configured its entry in `strategies`; journals of former versions lack the newer keys */
export function strategyEntry(
  configured: Pick<ConfiguredStrategy, 'id' | 'params'> & Partial<ConfiguredStrategy>,
  strategy: Strategy,
): StrategyEntry | readonly EntryProblem[] {
  const { id, params, budget, warmUp = 0, by, markets, risk } = configured;
  const entry = checkParams(id as StrategyId, strategy, params);
  if (!('strategy' in entry)) return entry.map(({ path, message }) => ({ path: ['params', ...path], message }));
  const byLeague = new Map<string, unknown>();
  const problems: EntryProblem[] = [];
  for (const [league, own] of Object.entries(by?.league ?? {})) {
    const checked = checkParams(id as StrategyId, strategy, { ...params, ...(own as object) });
    if ('strategy' in checked) byLeague.set(plainName(league), checked.params);
    else for (const { path, message } of checked) problems.push({ path: ['by', 'league', league, ...path], message });
  }
  if (problems.length > 0) return problems;
  return {
    ...entry,
    ...(budget !== undefined && {
      budget: { cpuMs: budget.cpu, wallMs: budget.wall, strikes: budget.strikes, inMs: budget.in },
    }),
    warmUpMs: warmUp,
    ...(byLeague.size > 0 && { byLeague }),
    ...(markets !== undefined && { wants: wantedOf(markets) }),
    ...(risk !== undefined && { limits: limitsOf(risk) }),
  };
}

/** Undefined: all markets that the bot quotes. */
function wantedOf({ leagues, types, periods, games }: ConfiguredStrategy['markets']): StrategyEntry['wants'] {
  if (leagues === null && types === null && periods === null && games === null) return undefined;
  const named = leagues === null ? undefined : new Set(leagues.map(plainName));
  return (game: Game, type: MarketType): boolean =>
    (named?.has(plainName(game.league)) ?? true) &&
    (types?.includes(type) ?? true) &&
    (periods === null || (game.period !== undefined && game.kind !== 'prop' && periods.includes(game.period))) &&
    (games === null ||
      games.includes(game.id) ||
      (game.parentGameId !== undefined && games.includes(game.parentGameId)));
}

function limitsOf(risk: ConfiguredStrategy['risk']): StrategyLimits {
  const amount = (dollars: number | null): StrategyLimits['maxGameLoss'] =>
    dollars === null ? undefined : microsOfDollars(dollars);
  return {
    maxOrderRisk: risk.maxOrderRisk === null ? undefined : centsOfDollars(risk.maxOrderRisk),
    maxMarketLoss: amount(risk.maxMarketLoss),
    maxGameLoss: amount(risk.maxGameLoss),
    maxTotalLoss: amount(risk.maxTotalLoss),
    maxOpenOrders: risk.maxOpenOrders ?? undefined,
  };
}

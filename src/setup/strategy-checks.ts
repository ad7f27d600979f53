// Checks what strategies have of their own against the settings of the bot: their markets are some of the bot's, and
// their limits only tighten those of the account.
import type { Config, LoadedConfig } from '../config/index.ts';
import { MARKET_TYPES, plainName } from '../domain/index.ts';

const LIMITS = ['maxOrderRisk', 'maxMarketLoss', 'maxGameLoss', 'maxTotalLoss', 'maxOpenOrders'] as const;

/**
 * The limits of strategies above those of the account, which hold in any case. They are no errors: an operator who
 * tightens the limits of the account must not be refused.
 */
export function looseLimits({ config, problem }: Pick<LoadedConfig, 'config' | 'problem'>): readonly string[] {
  return config.strategies.flatMap(({ risk }, index) =>
    LIMITS.flatMap((limit) => {
      const [own, most] = [risk[limit], config.risk[limit]];
      if (own === null || most === null || own <= most) return [];
      return [
        problem(
          ['strategies', index, 'risk', limit],
          `${own} has no effect: risk.${limit} of the account is ${most}, and it holds for all strategies together`,
        ).message,
      ];
    }),
  );
}

/** @throws OddsmakerError CONFIG_INVALID */
export function checkStrategies({ config, problem }: Pick<LoadedConfig, 'config' | 'problem'>): void {
  for (const [index, { markets, by }] of config.strategies.entries()) {
    for (const key of ['leagues', 'types', 'periods'] as const) {
      const own = (markets as typeof markets | undefined)?.[key] ?? [];
      const all = config.markets[key];
      if (all === null) continue;
      const known = new Set<string>(all.map(plainName));
      const missing = own.find((name) => !known.has(plainName(name)));
      if (missing !== undefined)
        throw problem(
          ['strategies', index, 'markets', key],
          `${missing} is not in markets.${key} (${all.join(', ')}), so the bot does not quote it`,
        );
    }
    const leagues = new Set(config.markets.leagues.map(plainName));
    const other = Object.keys((by as typeof by | undefined)?.league ?? {}).find(
      (name) => !leagues.has(plainName(name)),
    );
    if (other !== undefined)
      throw problem(
        ['strategies', index, 'by', 'league', other],
        `${other} is not in markets.leagues (${config.markets.leagues.join(', ')}), so the bot does not quote it`,
      );
  }
}

/** The markets of each strategy in words, and the markets that several strategies quote. */
export function strategyMarkets({ strategies, markets }: Pick<Config, 'strategies' | 'markets'>): {
  readonly rows: readonly string[];
  readonly shared: readonly string[];
} {
  const cells = strategies.map((strategy) => {
    const { leagues, types, periods, games } = strategy.markets;
    return {
      strategy,
      leagues: leagues ?? markets.leagues,
      types: types ?? markets.types,
      periods: periods ?? markets.periods ?? ['every part'],
      games: games ?? markets.games,
    };
  });
  const both = (a: readonly string[], b: readonly string[]): readonly string[] =>
    a.filter((name) => b.some((other) => plainName(other) === plainName(name)));
  return {
    rows: cells.map(({ strategy: { id, by }, leagues, types, periods, games }) => {
      const own = Object.keys(by.league);
      return [
        `${id}: ${leagues.join(', ')} · ${types.join(', ')} · ${periods.join(', ')}`,
        ...(games === 'all' ? [] : [`${games.length} games`]),
        ...(own.length === 0 ? [] : [`parameters of its own for ${own.join(', ')}`]),
      ].join(' · ');
    }),
    shared: cells.flatMap((first, index) =>
      cells.slice(index + 1).flatMap((second): readonly string[] => {
        const [leagues, types] = [both(first.leagues, second.leagues), both(first.types, second.types)];
        const isOneGame = first.games === 'all' || second.games === 'all' || both(first.games, second.games).length > 0;
        if (
          leagues.length === 0 ||
          types.length === 0 ||
          both(first.periods, second.periods).length === 0 ||
          !isOneGame
        )
          return [];
        const named = types.length === MARKET_TYPES.length ? 'all markets' : types.join(' and ');
        return [
          `${first.strategy.id} and ${second.strategy.id} both quote ${named} of ${leagues.join(', ')}: where their quotes would cross, ${first.strategy.id} wins`,
        ];
      }),
    ),
  };
}

// Turns a validated configuration into core settings: loads the strategies and converts units.
import { dirname, resolve } from 'node:path';
import type { GameId } from '../domain/index.ts';
import { centsOfDollars, microsOfDollars, OddsmakerError, parseTimeOfDay } from '../domain/index.ts';
import type { Config, LoadedConfig } from '../config/index.ts';
import type { CoreSettings, Surroundings } from '../engine/index.ts';
import type { RecordedStrategy } from '../journal/index.ts';
import type { StrategyEntry, ModuleGeneration, StrategyModule } from '../strategy/host/index.ts';
import { loadStrategy, ThrownMeanwhile } from '../strategy/host/index.ts';
import { attributeFault } from './attribute-fault.ts';
import { recordedStrategy } from './recorded-strategies.ts';
import { checkStrategies } from './strategy-checks.ts';
import { strategyEntry } from './strategy-entry.ts';

/** The core counts an order as expired this much before its expiry time, ms. */
const EXPIRY_SLACK_MS = 1000;

export type LoadedCore = {
  readonly settings: CoreSettings;
  /** Strategy files as recorded in a journal. */
  readonly strategies: readonly RecordedStrategy[];
  readonly modules: readonly StrategyModule[];
};

/** `orders.expiry` in whole minutes for a request. Undefined when orders do not expire. */
export function expirationMinutesOf({ config }: LoadedConfig): number | undefined {
  const { expiry } = config.orders;
  return expiry === null ? undefined : Math.max(1, Math.ceil(expiry / 60_000));
}

/**
 * Lifetime of an order in ms, slightly less than the exchange's. An embedded exchange divides the minutes by
 * its speed. Undefined when orders do not expire.
 */
function expiresAfterOf(loaded: LoadedConfig): number | undefined {
  const minutes = expirationMinutesOf(loaded);
  const { speed = 1 } = loaded.config.exchange.embedded ?? {};
  return minutes === undefined ? undefined : (minutes * 60_000) / speed - EXPIRY_SLACK_MS;
}

/**
 * Loads the strategies and makes the core settings.
 * @param generation of the strategy modules; by default the one generation of the process
 * @throws OddsmakerError STRATEGY_*, CONFIG_INVALID
 */
export async function loadCoreSettings(loaded: LoadedConfig, generation?: ModuleGeneration): Promise<LoadedCore> {
  const { config } = loaded;
  const entries: StrategyEntry[] = [];
  const files: RecordedStrategy[] = [];
  const modules: StrategyModule[] = [];
  for (const [index, configured] of config.strategies.entries()) {
    const { use } = configured;
    const where = ['strategies', index];
    const found = await loadStrategy(loaded.resolve(use), generation).catch((error: unknown) => {
      if (!(error instanceof OddsmakerError)) throw error;
      const { cause } = error;
      const other = cause instanceof ThrownMeanwhile && !cause.isItsOwn ? attributeFault(modules, cause) : undefined;
      if (other instanceof OddsmakerError) throw other;
      throw new OddsmakerError(error.code, loaded.problem([...where, 'use'], error.message).message, {
        cause: error,
      });
    });
    const entry = strategyEntry(configured, found.strategy);
    if (!('strategy' in entry)) {
      const problems = entry.map(
        (problem) => loaded.problem([...where, ...problem.path], `${problem.message} (strategy ${found.file})`).message,
      );
      throw new OddsmakerError('STRATEGY_PARAMS', problems.join('\n'));
    }
    entries.push(entry);
    files.push(recordedStrategy(use, found, dirname(resolve(loaded.file))));
    modules.push({ id: entry.id, file: use, url: found.url });
  }
  return { settings: settingsOf(loaded, entries), strategies: files, modules };
}

/** Core settings in the core's units (ms, cents, micro-dollars). @throws OddsmakerError CONFIG_INVALID */
export function settingsOf(loaded: LoadedConfig, entries: readonly StrategyEntry[]): CoreSettings {
  const { config } = loaded;
  const { exchange, markets, orders, risk } = config;
  if (orders.reserve >= exchange.limits.place.requests) {
    throw loaded.problem(
      ['orders', 'reserve'],
      `expected less than exchange.limits.place.requests (${exchange.limits.place.requests}), received ${orders.reserve}`,
    );
  }
  checkStrategies(loaded);
  return {
    playerMode: exchange.playerMode,
    allowModeSwitch: exchange.allowModeSwitch,
    markets: {
      leagues: markets.leagues,
      types: markets.types,
      lines: markets.lines,
      games: markets.games as 'all' | readonly GameId[],
      live: markets.live,
      stopBeforeMs: markets.stopBefore,
      parts: partsOf(markets),
      select: selectOf(config),
    },
    strategies: entries,
    orders: {
      tolerance: orders.tolerance,
      permits: exchange.limits.place.requests,
      reserve: orders.reserve,
      giveUpForMs: orders.giveUpFor ?? undefined,
      instance: orders.instance,
      maxOrdersPerPlace: exchange.profile.maxOrdersPerPlace,
      mayEdit: exchange.profile.editKeepsReference,
      editKeepsId: exchange.profile.editKeepsId,
      expiresAfterMs: expiresAfterOf(loaded),
      maxIdsPerCancel: exchange.profile.maxIdsPerCancel,
      risk: {
        maxOrderRisk: centsOfDollars(Math.min(risk.maxOrderRisk, exchange.profile.maxOrderSize)),
        minOrderRisk: centsOfDollars(exchange.profile.minOrderSize),
        maxMarketLoss: risk.maxMarketLoss === null ? undefined : microsOfDollars(risk.maxMarketLoss),
        maxLeagueLoss: risk.maxLeagueLoss === null ? undefined : microsOfDollars(risk.maxLeagueLoss),
        maxGameLoss: microsOfDollars(risk.maxGameLoss),
        maxGameShortfall: risk.maxGameShortfall === null ? undefined : microsOfDollars(risk.maxGameShortfall),
        maxTotalLoss: microsOfDollars(risk.maxTotalLoss),
        maxOpenOrders: risk.maxOpenOrders,
        maxCreditUse: risk.maxCreditUse,
        priceBand: risk.priceBand,
        bandWithout: risk.bandWithout,
        bandAgeMs: risk.bandAge,
        heldHedges: risk.heldHedges,
        staleAfterMs: risk.staleAfter,
        resumeAfterMs: risk.resumeAfter,
      },
    },
    sports: config.sports,
    scoreAgeMs: config.signals.scoreAge,
    commission: config.commission,
    profile: exchange.profile,
    lateArrivalMs: exchange.lateArrival,
    gradesEveryMs: exchange.gradesEvery ?? undefined,
    readsAtOnce: exchange.limits.reads.requests,
    ...LIVE,
    modeAgeMs: exchange.modeAge,
    onExit: config.onExit,
    foreign: orders.foreign,
    safety: {
      state: risk.state,
      dailyLoss: dailyLossOf(config),
      haltAtLoss: risk.haltAtLoss === null ? undefined : microsOfDollars(risk.haltAtLoss),
      losingFills:
        risk.losingFills === null
          ? undefined
          : {
              count: risk.losingFills.count,
              withinMs: risk.losingFills.within,
              pauseMs: risk.losingFills.pause,
              markoutMs: risk.losingFills.markout,
            },
    },
  };
}

/** Parts of games to quote. Undefined when every part in the feed is quoted, as in version 0.2. */
const partsOf = ({ periods, props, futures }: Config['markets']): CoreSettings['markets']['parts'] =>
  periods === null ? undefined : { periods, props, futures };

/** The markets to quote by what they bring. Undefined when all selected ones are quoted. */
function selectOf({ markets: { select }, risk }: Config): CoreSettings['markets']['select'] {
  if (select.by === 'all') return undefined;
  const { maxPriceAge, ...gates } = select.gates;
  return {
    most: select.most ?? Number.POSITIVE_INFINITY,
    gates: { ...gates, maxPriceAgeMs: maxPriceAge ?? risk.staleAfter },
  };
}

/** The daily loss limit. Undefined when there is none or the exchange is embedded. */
function dailyLossOf({ exchange, risk }: Config): CoreSettings['safety']['dailyLoss'] {
  if (exchange.embedded !== undefined || risk.maxDailyLoss === null) return undefined;
  return {
    limit: microsOfDollars(risk.maxDailyLoss),
    startsAtMs: parseTimeOfDay(risk.dayStartsAt) ?? 0,
  };
}

/** Settings for the virtual clock of a backtest. Tapes are always in the offerer's perspective. */
export const backtestSettings = (settings: CoreSettings): CoreSettings => ({
  ...settings,
  // a recorded book does not go stale without a message, and cannot be read again
  orders: { ...settings.orders, risk: { ...settings.orders.risk, staleAfterMs: Number.POSITIVE_INFINITY } },
  markets: { ...settings.markets, select: withoutAge(settings.markets.select) },
  profile: { ...settings.profile, bookPerspective: 'offerer' },
  ...VIRTUAL,
  // two tapes may be years apart
  gradesEveryMs: undefined,
  // the account's daily limit does not apply to the days of a tape
  safety: { ...settings.safety, dailyLoss: undefined },
});

const withoutAge = (select: CoreSettings['markets']['select']): CoreSettings['markets']['select'] =>
  select && { ...select, gates: { ...select.gates, maxPriceAgeMs: Number.POSITIVE_INFINITY } };

/** Live: a running clock, an account that others may use, and a public book that marks own rows. */
const LIVE: Surroundings = {
  idleTickMs: 500,
  stallAfterMs: 2000,
  userEveryMs: { busy: 1000, quiet: 15_000 },
  modeAgeMs: 5000,
  modeIsCertain: false,
  reconcileEveryMs: 60_000,
  reconcileBacksOff: false,
  rowsCarryOwners: true,
  warnsOfEmptyLeagues: true,
};

/** Backtest: a clock that jumps to the next due event, an exclusive account, and books without own rows. */
const VIRTUAL: Surroundings = {
  idleTickMs: Number.POSITIVE_INFINITY,
  stallAfterMs: Number.POSITIVE_INFINITY,
  userEveryMs: { busy: 3_600_000, quiet: 3_600_000 },
  modeAgeMs: Number.POSITIVE_INFINITY,
  modeIsCertain: true,
  reconcileEveryMs: 6 * 3_600_000,
  // two tapes may be years apart
  reconcileBacksOff: true,
  rowsCarryOwners: false,
  // a tape may begin before its games
  warnsOfEmptyLeagues: false,
};

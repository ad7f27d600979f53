// From a validated configuration to what the core needs: strategies loaded, units converted.
import { dirname, resolve } from 'node:path';
import type { GameId, StrategyId } from '../domain/index.ts';
import { centsOfDollars, microsOfDollars, OddsmakerError, parseTimeOfDay } from '../domain/index.ts';
import type { Config, LoadedConfig } from '../config/index.ts';
import type { CoreSettings, Surroundings } from '../engine/index.ts';
import type { RecordedStrategy } from '../journal/index.ts';
import type { StrategyEntry, ModuleGeneration, StrategyModule } from '../strategy/host/index.ts';
import { loadStrategy, ThrownMeanwhile, checkParams } from '../strategy/host/index.ts';
import { attributeFault } from './attribute-fault.ts';
import { recordedStrategy } from './recorded-strategies.ts';

const EXPIRY_SLACK_MS = 1000;

export type LoadedCore = {
  readonly settings: CoreSettings;
  /** As a journal keeps them. */
  readonly strategies: readonly RecordedStrategy[];
  readonly modules: readonly StrategyModule[];
};

/** `orders.expiry` in the minutes of a request; undefined: orders do not expire by themselves. */
export function expirationMinutesOf({ config }: LoadedConfig): number | undefined {
  const { expiry } = config.orders;
  return expiry === null ? undefined : Math.max(1, Math.ceil(expiry / 60_000));
}

/** A little early: the exchange counts from the arrival, and one that we embed divides minutes by its speed. */
function expiresAfterOf(loaded: LoadedConfig): number | undefined {
  const minutes = expirationMinutesOf(loaded);
  const { speed = 1 } = loaded.config.exchange.embedded ?? {};
  return minutes === undefined ? undefined : (minutes * 60_000) / speed - EXPIRY_SLACK_MS;
}

/** `life`: of the strategy files; the process has one unless told. @throws OddsmakerError STRATEGY_*, CONFIG_INVALID */
export async function loadCoreSettings(loaded: LoadedConfig, life?: ModuleGeneration): Promise<LoadedCore> {
  const { config } = loaded;
  const entries: StrategyEntry[] = [];
  const files: RecordedStrategy[] = [];
  const modules: StrategyModule[] = [];
  for (const [index, { use, id, params }] of config.strategies.entries()) {
    const where = ['strategies', index];
    const found = await loadStrategy(loaded.resolve(use), life).catch((error: unknown) => {
      if (!(error instanceof OddsmakerError)) throw error;
      const { cause } = error;
      const other = cause instanceof ThrownMeanwhile && !cause.isItsOwn ? attributeFault(modules, cause) : undefined;
      if (other instanceof OddsmakerError) throw other;
      throw new OddsmakerError(error.code, loaded.problem([...where, 'use'], error.message).message, {
        cause: error,
      });
    });
    const entry = checkParams(id as StrategyId, found.strategy, params);
    if (!('strategy' in entry)) {
      const problems = entry.map(
        (problem) =>
          loaded.problem([...where, 'params', ...problem.path], `${problem.message} (strategy ${found.file})`).message,
      );
      throw new OddsmakerError('STRATEGY_PARAMS', problems.join('\n'));
    }
    entries.push(entry);
    files.push(recordedStrategy(use, found, dirname(resolve(loaded.file))));
    modules.push({ id: entry.id, file: use, url: found.url });
  }
  return { settings: settingsOf(loaded, entries), strategies: files, modules };
}

/** What one input may take of a strategy is the configuration's word, whichever version of the strategy runs. */
function withBudget(entry: StrategyEntry, { strategies }: Config): StrategyEntry {
  const budget = strategies.find(({ id }) => id === entry.id)?.budget;
  if (budget === undefined) return entry;
  const { cpu, wall, strikes, in: inMs } = budget;
  return { ...entry, budget: { cpuMs: cpu, wallMs: wall, strikes, inMs } };
}

/** In the core's units. @throws OddsmakerError CONFIG_INVALID */
export function settingsOf(loaded: LoadedConfig, entries: readonly StrategyEntry[]): CoreSettings {
  const { config } = loaded;
  const { exchange, markets, orders, risk } = config;
  if (orders.reserve >= exchange.limits.place.requests) {
    throw loaded.problem(
      ['orders', 'reserve'],
      `expected less than exchange.limits.place.requests (${exchange.limits.place.requests}), received ${orders.reserve}`,
    );
  }
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
    },
    strategies: entries.map((entry) => withBudget(entry, config)),
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
        maxTotalLoss: microsOfDollars(risk.maxTotalLoss),
        maxOpenOrders: risk.maxOpenOrders,
        maxCreditUse: risk.maxCreditUse,
        priceBand: risk.priceBand,
        bandWithout: risk.bandWithout,
        bandAgeMs: risk.bandAge,
        staleAfterMs: risk.staleAfter,
        resumeAfterMs: risk.resumeAfter,
      },
    },
    sports: config.sports,
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

/** Undefined: whatever is told of a league, as version 0.2 did. */
const partsOf = ({ periods, props, futures }: Config['markets']): CoreSettings['markets']['parts'] =>
  periods === null ? undefined : { periods, props, futures };

/** Undefined: the exchange is embedded, or there is no limit. */
function dailyLossOf({ exchange, risk }: Config): CoreSettings['safety']['dailyLoss'] {
  if (exchange.embedded !== undefined || risk.maxDailyLoss === null) return undefined;
  return {
    limit: microsOfDollars(risk.maxDailyLoss),
    startsAtMs: parseTimeOfDay(risk.dayStartsAt) ?? 0,
  };
}

/** The same on the virtual clock: what tapes tell is in the offerer's terms, whatever the exchange shows. */
export const backtestSettings = (settings: CoreSettings): CoreSettings => ({
  ...settings,
  // a quiet book is as it was told last: to read it again would tell nothing
  orders: { ...settings.orders, risk: { ...settings.orders.risk, staleAfterMs: Number.POSITIVE_INFINITY } },
  profile: { ...settings.profile, bookPerspective: 'offerer' },
  ...VIRTUAL,
  // between two tapes may lie years
  gradesEveryMs: undefined,
  // a day of the account is none of a tape's
  safety: { ...settings.safety, dailyLoss: undefined },
});

/** A clock that runs, an account that others may use, and a public book that marks own rows. */
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

/** A clock that leaps to what is due next, an account of one's own, and recorded books without own rows. */
const VIRTUAL: Surroundings = {
  idleTickMs: Number.POSITIVE_INFINITY,
  stallAfterMs: Number.POSITIVE_INFINITY,
  userEveryMs: { busy: 3_600_000, quiet: 3_600_000 },
  modeAgeMs: Number.POSITIVE_INFINITY,
  modeIsCertain: true,
  reconcileEveryMs: 6 * 3_600_000,
  // between two tapes may lie years
  reconcileBacksOff: true,
  rowsCarryOwners: false,
  // a tape may begin before its games
  warnsOfEmptyLeagues: false,
};

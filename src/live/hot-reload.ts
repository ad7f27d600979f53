// Changes the configuration of a running bot: the file is read again, or an operator sets a parameter. The
// whole change takes effect in one step of the core. When anything is wrong, the problem is reported and the
// former configuration stays in force.
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { LoadedConfig } from '../config/index.ts';
import type { StrategyId } from '../domain/index.ts';
import { hiddenPaths, messageOf, redacted } from '../domain/index.ts';
import type { Log } from '../ops/index.ts';
import type { StrategyEntry } from '../strategy/host/index.ts';
import type { LoadedCore, ConfigChange } from '../setup/index.ts';
import {
  changeOf,
  haveSameIds,
  livePartOf,
  looseLimits,
  settingsOf,
  strategyEntry,
  TypeChecks,
} from '../setup/index.ts';
import type { Reload, TryingBot } from './strategy-attempt.ts';
import { attemptStrategy } from './strategy-attempt.ts';
import { warnHabits } from './warn-habits.ts';

/** Attempts to load a strategy file that is being written. */
const MOST_TRIES = 10;
/** Pause between two such attempts, ms. */
const TORN_MS = 100;

export type ConfiguredBot = TryingBot & {
  readonly configure: (next: NextConfig, by: string) => void;
};

/** A configuration that takes effect in one step. */
export type NextConfig = {
  readonly loaded: LoadedConfig;
  readonly core: LoadedCore;
  /** Strategies whose files, parameters or markets changed. */
  readonly replace: readonly StrategyId[];
};

export type ReloadOutcome =
  | {
      readonly ok: true;
      /** Keys that changed and took effect. */
      readonly changed: readonly string[];
      /** Keys that changed and take effect at the next start. */
      readonly later: readonly string[];
      /** Ids of replaced strategies. */
      readonly replaced: readonly string[];
      readonly changes: readonly ConfigChange[];
      /** Why the types of reloaded strategies were not checked. Absent when they were. */
      readonly untyped?: string;
      /** What is valid and probably unintended. Absent when there is nothing. */
      readonly warnings?: readonly string[];
    }
  | { readonly ok: false; readonly problem: string };

export type HotReloadParts = {
  /** Reads the file again, with the same command-line flags. @throws OddsmakerError CONFIG_INVALID */
  readonly read: () => LoadedConfig;
  readonly loaded: LoadedConfig;
  readonly core: LoadedCore;
  readonly bot: ConfiguredBot;
  readonly log: Log;
  /** Applies the settings outside the core: log level and alert targets. */
  readonly apply: (next: LoadedConfig) => void;
  /**
   * Saves parameters that an operator changed, for restarts. Undefined removes them: the file applies again.
   */
  readonly keep: (params: EditedParams | undefined) => void;
};

/** Parameters that an operator changed, by strategy id and parameter name. */
export type EditedParams = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export class HotReload {
  readonly #parts: HotReloadParts;
  /** The configuration in force. */
  #loaded: LoadedConfig;
  #core: LoadedCore;
  #edited: EditedParams;
  #turn: Promise<unknown> = Promise.resolve();
  #types: TypeChecks | undefined;

  /** `edited`: parameters that an operator changed before the start. */
  constructor(parts: HotReloadParts, edited: EditedParams = {}) {
    this.#parts = parts;
    this.#loaded = parts.loaded;
    this.#core = parts.core;
    this.#edited = edited;
  }

  get loaded(): LoadedConfig {
    return this.#loaded;
  }

  get core(): LoadedCore {
    return this.#core;
  }

  /** Reads the file again. With `isDry` it reports the changes and applies none. */
  reload(by: string, isDry = false): Promise<ReloadOutcome> {
    return this.#inTurn(by, isDry, () => {
      const next = this.#parts.read();
      return { next, edited: {} };
    });
  }

  /** Sets parameters of a strategy for an operator. They hold until the file is read again. */
  setParams(strategy: string, params: Readonly<Record<string, unknown>>, by: string): Promise<ReloadOutcome> {
    return this.#inTurn(by, false, () => {
      const { config } = this.#loaded;
      if (!config.strategies.some(({ id }) => id === strategy))
        throw new Error(
          `there is no strategy ${strategy}: it is one of ${config.strategies.map(({ id }) => id).join(', ')}`,
        );
      const [shown] = hiddenPaths(params);
      if (shown !== undefined)
        throw new Error(
          `${shown.join('.')}: this is the mask of a hidden value and cannot be set: leave it out, or change it in the file`,
        );
      const edited = { ...this.#edited, [strategy]: { ...this.#edited[strategy], ...params } };
      return { next: { ...this.#loaded, config: withEdited(config, edited) }, edited };
    });
  }

  /** Runs changes one after the other, each on the configuration that the one before left. */
  #inTurn(
    by: string,
    isDry: boolean,
    read: () => { readonly next: LoadedConfig; readonly edited: EditedParams },
  ): Promise<ReloadOutcome> {
    const turn = this.#turn.then(async (): Promise<ReloadOutcome> => {
      try {
        const { next, edited } = read();
        return await this.#take(next, edited, by, isDry);
      } catch (error) {
        return this.#refuse(messageOf(error), isDry);
      }
    });
    this.#turn = turn;
    return turn;
  }

  #refuse(text: string, isDry: boolean): ReloadOutcome {
    const problem = redacted(text);
    if (!isDry)
      this.#parts.log.error('the configuration was refused: the former one stays in force', {
        code: 'RELOAD_FAILED',
        alert: 'RELOAD_FAILED',
        problem,
      });
    return { ok: false, problem };
  }

  async #take(next: LoadedConfig, edited: EditedParams, by: string, isDry: boolean): Promise<ReloadOutcome> {
    const { bot, log, apply } = this.#parts;
    const { config, live, later, changes } = livePartOf(this.#loaded.config, next.config);
    const loaded: LoadedConfig = { ...next, config };
    const strategies = await this.#strategies(loaded);
    if ('problem' in strategies) return this.#refuse(strategies.problem, isDry);
    const { core, replaced, untyped } = strategies;
    const warnings = [...looseLimits(loaded), ...overriddenEdits(loaded.config, edited)];
    const outcome = {
      ...({ ok: true, changed: live, later, replaced, changes } as const),
      ...(untyped === undefined ? {} : { untyped }),
      ...(warnings.length === 0 ? {} : { warnings }),
    };
    if (isDry) return outcome;
    for (const warning of warnings) log.warn('a key of the configuration has no effect', { warning });
    if (untyped !== undefined) log.warn('the types of reloaded strategies are not checked', { why: untyped, replaced });
    warnHabits(
      log,
      core.strategies.filter((file) => !this.#core.strategies.includes(file)),
    );
    const fields = { by, changed: live, replaced, ...(later.length > 0 && { later }) };
    if (later.length > 0)
      log.warn('some keys of the configuration take effect at the next start', { code: 'RELOAD_LATER', keys: later });
    // when the file lists other strategies, the running ones stay unchanged, with the operator's parameters
    const isInForce = haveSameIds(next.config, config);
    const held = isInForce ? edited : this.#edited;
    if (live.length === 0 && replaced.length === 0) {
      this.#hold(held);
      log.info('the configuration has not changed', fields);
      return outcome;
    }
    apply(loaded);
    this.#loaded = loaded;
    this.#core = core;
    bot.configure({ loaded, core, replace: replaced as readonly StrategyId[] }, by);
    this.#hold(held);
    log.info('the configuration is in force', fields);
    return outcome;
  }

  #hold(edited: EditedParams): void {
    this.#edited = edited;
    this.#parts.keep(Object.keys(edited).length === 0 ? undefined : edited);
  }

  /** Notes a strategy version that StrategyWatch put into force. */
  noteReload(index: number, { entry, file, module }: Reload): void {
    const { settings, strategies, modules } = this.#core;
    this.#core = {
      settings: { ...settings, strategies: settings.strategies.with(index, entry) },
      strategies: strategies.with(index, file),
      modules: modules.with(index, module),
    };
  }

  /**
   * Loads and tries the strategies whose files changed. The others keep their module, and their parameters
   * are checked and tried when they changed.
   */
  async #strategies(loaded: LoadedConfig): Promise<
    | {
        readonly core: LoadedCore;
        readonly replaced: readonly string[];
        readonly untyped: string | undefined;
      }
    | { readonly problem: string }
  > {
    let untyped: string | undefined;
    const entries: StrategyEntry[] = [];
    const files = [...this.#core.strategies];
    const modules = [...this.#core.modules];
    const replaced: string[] = [];
    for (const [index, configured] of loaded.config.strategies.entries()) {
      const { id, use } = configured;
      const before = this.#core.settings.strategies[index];
      const file = files[index];
      if (before === undefined || file === undefined) throw new Error(`strategy ${id} did not run before`);
      const isMoved = this.#loaded.config.strategies[index]?.use !== use;
      if (isMoved || changeOf(file, loaded.resolve(use)) !== undefined) {
        const taken = await this.#attempt(loaded, index);
        if ('problem' in taken) return { problem: `${id} (${basename(use)}): ${taken.problem}` };
        if ('entry' in taken) {
          entries.push(taken.entry);
          files[index] = taken.file;
          modules[index] = taken.module;
          untyped ??= taken.untyped;
          replaced.push(id);
          continue;
        }
      }
      const isSame = JSON.stringify(this.#loaded.config.strategies[index]) === JSON.stringify(configured);
      const entry = isSame ? before : strategyEntry(configured, before.strategy);
      if (!('strategy' in entry))
        return {
          problem: entry
            .map(({ path, message }) => loaded.problem(['strategies', index, ...path], message).message)
            .join('; '),
        };
      // limits, the budget and the warm-up change without a restart, which would lose what the strategy remembers
      if (ownPartOf(this.#loaded.config.strategies[index]) !== ownPartOf(configured)) {
        const trial = this.#parts.bot.tryOut(entry);
        const [fault] = trial.faults;
        if (fault !== undefined) return { problem: `${id} with other parameters: ${fault.code}: ${fault.detail}` };
        replaced.push(id);
      }
      entries.push(entry);
    }
    return { core: { settings: settingsOf(loaded, entries), strategies: files, modules }, replaced, untyped };
  }

  async #attempt(
    loaded: LoadedConfig,
    index: number,
  ): Promise<Reload | { readonly same: true } | { readonly problem: string }> {
    this.#types ??= new TypeChecks(loaded.file);
    const types = this.#types;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const attempt = await attemptStrategy(loaded, index, {
        bot: this.#parts.bot,
        types: (files) => types.check(files),
        running: JSON.stringify(this.#core.strategies[index]),
      });
      if ('took' in attempt) return attempt.took;
      if ('same' in attempt) return attempt;
      if ('problems' in attempt) return { problem: attempt.problems.join('; ') };
      // an editor may write a file in several steps
      await delay(TORN_MS);
    }
    return { problem: 'the file keeps changing while it is read' };
  }

  async close(): Promise<void> {
    await this.#types?.close();
  }
}

/** The part of an entry that a strategy sees: a change of it restarts the strategy. */
const ownPartOf = (entry: LoadedConfig['config']['strategies'][number] | undefined): string =>
  JSON.stringify([entry?.params, entry?.by, entry?.markets]);

/** Parameters that an operator set, and that games of some leagues have a value of their own for. */
const overriddenEdits = ({ strategies }: LoadedConfig['config'], edited: EditedParams): readonly string[] =>
  strategies.flatMap(({ id, by }) =>
    Object.keys(edited[id] ?? {}).flatMap((name) => {
      const leagues = Object.keys(by.league).filter((league) => name in (by.league[league] ?? {}));
      return leagues.length === 0
        ? []
        : [`${name} of ${id} does not change in games of ${leagues.join(', ')}: they have their own (by.league)`];
    }),
  );

/** The configuration with the parameters that an operator changed. */
export const withEdited = (config: LoadedConfig['config'], edited: EditedParams): LoadedConfig['config'] => ({
  ...config,
  strategies: config.strategies.map((strategy) => ({
    ...strategy,
    params: { ...strategy.params, ...edited[strategy.id] },
  })),
});

// The configuration of a bot that runs becomes another: the file was changed and is read again, or an operator changed a parameter.
// All of it takes over in one step of the core, or none of it: what is wrong is told, and the former one goes on.
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { LoadedConfig } from '../config/index.ts';
import type { StrategyId } from '../domain/index.ts';
import { hiddenPaths, messageOf, withoutTaken } from '../domain/index.ts';
import type { Log } from '../ops/index.ts';
import type { StrategyEntry } from '../strategy/host/index.ts';
import { checkParams } from '../strategy/host/index.ts';
import type { LoadedCore, ConfigChange } from '../setup/index.ts';
import { settingsOf, haveSameIds, livePartOf, changeOf, TypeChecks } from '../setup/index.ts';
import type { Reload, TryingBot } from './strategy-attempt.ts';
import { attemptStrategy } from './strategy-attempt.ts';

const MOST_TRIES = 10;
const TORN_MS = 100;

export type ConfiguredBot = TryingBot & {
  readonly configure: (next: NextConfig, by: string) => void;
};

/** What takes over in one step. */
export type NextConfig = {
  readonly loaded: LoadedConfig;
  readonly core: LoadedCore;
  /** Strategies that are others than before: their files, or their parameters. */
  readonly replace: readonly StrategyId[];
};

export type ReloadOutcome =
  | {
      readonly ok: true;
      /** Keys that changed, those that wait for a restart, and strategies that were replaced. */
      readonly changed: readonly string[];
      readonly later: readonly string[];
      readonly replaced: readonly string[];
      readonly changes: readonly ConfigChange[];
      /** Why types of strategies that are loaded anew were not checked. */
      readonly untyped?: string;
    }
  | { readonly ok: false; readonly problem: string };

export type HotReloadParts = {
  /** Reads the file again, as the command line had it. @throws OddsmakerError CONFIG_INVALID */
  readonly read: () => LoadedConfig;
  readonly loaded: LoadedConfig;
  readonly core: LoadedCore;
  readonly bot: ConfiguredBot;
  readonly log: Log;
  /** What of it the shell itself does: log and alerts. */
  readonly apply: (next: LoadedConfig) => void;
  /** Parameters that an operator changed, to be kept over restarts; undefined: the file has its say again. */
  readonly keep: (params: EditedParams | undefined) => void;
};

/** By strategy and name. */
export type EditedParams = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export class HotReload {
  readonly #parts: HotReloadParts;
  /** As it runs. */
  #loaded: LoadedConfig;
  #core: LoadedCore;
  #edited: EditedParams;
  #turn: Promise<unknown> = Promise.resolve();
  #types: TypeChecks | undefined;

  /** `edited`: what an operator changed before the start. */
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

  /** Reads the file again. `isDry`: tells what would come of it, and changes nothing. */
  reload(by: string, isDry = false): Promise<ReloadOutcome> {
    return this.#inTurn(by, isDry, () => {
      const next = this.#parts.read();
      return { next, edited: {} };
    });
  }

  /** An operator changes parameters of a strategy, until the file is read again. */
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
          `${shown.join('.')}: a hidden value is only shown so, and cannot be sent back: leave it out, or change it in the file`,
        );
      const edited = { ...this.#edited, [strategy]: { ...this.#edited[strategy], ...params } };
      return { next: { ...this.#loaded, config: withEdited(config, edited) }, edited };
    });
  }

  /** One after the other: each begins from what the one before left. */
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
    const problem = withoutTaken(text);
    if (!isDry)
      this.#parts.log.error('the configuration was not taken: the former one goes on', {
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
    const outcome = {
      ...({ ok: true, changed: live, later, replaced, changes } as const),
      ...(untyped === undefined ? {} : { untyped }),
    };
    if (isDry) return outcome;
    if (untyped !== undefined)
      log.warn('types of strategies that are loaded anew are not checked', { why: untyped, replaced });
    const fields = { by, changed: live, replaced, ...(later.length > 0 && { later }) };
    if (later.length > 0)
      log.warn('some of the configuration waits for the next start', { code: 'RELOAD_LATER', keys: later });
    // where the file has other strategies, those that run go on as they are
    const isOver = haveSameIds(next.config, config);
    const held = isOver ? edited : this.#edited;
    if (live.length === 0 && replaced.length === 0) {
      this.#hold(held);
      log.info('the configuration is as it was', fields);
      return outcome;
    }
    apply(loaded);
    this.#loaded = loaded;
    this.#core = core;
    bot.configure({ loaded, core, replace: replaced as readonly StrategyId[] }, by);
    this.#hold(held);
    log.info('the configuration was taken', fields);
    return outcome;
  }

  #hold(edited: EditedParams): void {
    this.#edited = edited;
    this.#parts.keep(Object.keys(edited).length === 0 ? undefined : edited);
  }

  /** A strategy's file took over by another way. */
  noteReload(index: number, { entry, file, module }: Reload): void {
    const { settings, strategies, modules } = this.#core;
    this.#core = {
      settings: { ...settings, strategies: settings.strategies.with(index, entry) },
      strategies: strategies.with(index, file),
      modules: modules.with(index, module),
    };
  }

  /** Those whose files changed are loaded and tried; of the others parameters may have changed. */
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
    for (const [index, { id, use, params }] of loaded.config.strategies.entries()) {
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
      const isSame = JSON.stringify(this.#loaded.config.strategies[index]?.params) === JSON.stringify(params);
      const entry = isSame ? before : checkParams(id as StrategyId, before.strategy, params);
      if (!('strategy' in entry))
        return {
          problem: entry
            .map(({ path, message }) => loaded.problem(['strategies', index, 'params', ...path], message).message)
            .join('; '),
        };
      if (!isSame) {
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
    return { problem: 'it is written again and again while it is read' };
  }

  async close(): Promise<void> {
    await this.#types?.close();
  }
}

/** As an operator changed them. */
export const withEdited = (config: LoadedConfig['config'], edited: EditedParams): LoadedConfig['config'] => ({
  ...config,
  strategies: config.strategies.map((strategy) => ({
    ...strategy,
    params: { ...strategy.params, ...edited[strategy.id] },
  })),
});

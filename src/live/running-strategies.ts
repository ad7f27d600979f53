// The configuration and the strategies in force: which strategy's code runs now and for how long, errors
// thrown outside of a step, and the switch to another version or configuration.
import type { LoadedConfig } from '../config/index.ts';
import type { Input, StrategyId } from '../domain/index.ts';
import { redacted } from '../domain/index.ts';
import { stackText } from '../files/index.ts';
import type { Core, CorePorts, CoreSettings } from '../engine/index.ts';
import type { Log } from '../ops/index.ts';
import type { LoadedCore } from '../setup/index.ts';
import { configHash } from '../setup/index.ts';
import type { StrategyBudget, StrategyEntry, StrategyModule, Trial } from '../strategy/host/index.ts';
import { asError, generationOf, generationsOn, placeOf, thrownBy } from '../strategy/host/index.ts';
import type { Dispatched } from './dispatch-clock.ts';
import { DispatchClock } from './dispatch-clock.ts';
import type { ConfiguredBot, NextConfig } from './hot-reload.ts';
import type { Reload } from './strategy-attempt.ts';

export type RunningPorts = {
  readonly core: () => Pick<Core, 'budgetOf' | 'tryOut'>;
  readonly input: (input: Input) => void;
  /** Called when a strategy starts anew: faults of its former version no longer count. */
  readonly forgive: (strategy: StrategyId) => void;
  /** Records the strategies that run from the next step on, with their configuration when it changed. */
  readonly keep: (strategies: LoadedCore['strategies'], loaded?: LoadedConfig) => void;
  readonly log: Log;
};

export class RunningStrategies implements ConfiguredBot {
  /** The first error thrown outside of a step that no strategy accounts for. Undefined when there is none. */
  unattributedError: Error | undefined;
  readonly #ports: RunningPorts;
  readonly #dispatch = new DispatchClock();
  #loaded: LoadedConfig;
  #hash: string;
  #modules: readonly StrategyModule[];
  #strategies: LoadedCore['strategies'];
  #loading: StrategyId | undefined;
  #configurations = 0;
  /** Versions loaded since the start, by strategy id and hash. */
  readonly #reloaded = new Map<string, StrategyEntry>();
  /** Settings that the newest `configure` input names. */
  readonly #configured = new Map<string, CoreSettings>();
  /** Modules that threw outside of a step. */
  readonly #threwOutside = new Set<StrategyModule>();
  /** First error of each version that is not running (being tried, or replaced), by generation. */
  readonly #threwElsewhere = new Map<string, Error>();

  constructor(loaded: LoadedConfig, { modules, strategies }: LoadedCore, ports: RunningPorts) {
    this.#loaded = loaded;
    this.#hash = configHash(loaded);
    this.#modules = modules;
    this.#strategies = strategies;
    this.#ports = ports;
  }

  /** The configuration in force. */
  get loaded(): LoadedConfig {
    return this.#loaded;
  }

  get hash(): string {
    return this.#hash;
  }

  get modules(): readonly StrategyModule[] {
    return this.#modules;
  }

  /** The running strategies as recorded in journal and ledger. */
  get strategies(): LoadedCore['strategies'] {
    return this.#strategies;
  }

  /** The strategy whose code runs right now. Undefined when none does. */
  get running(): StrategyId | undefined {
    return this.#dispatch.running ?? this.#loading;
  }

  /** Ports through which the core reports on strategies and gets reloaded versions and configurations. */
  get corePorts(): CorePorts {
    return {
      reportAsync: (strategy, place) =>
        this.#fault(strategy, `it emitted outside a dispatch: give the scheduler to its time operators${place}`),
      enter: (strategy) => this.#dispatch.enter(strategy),
      leave: () => this.#reportOverrun(),
      reloaded: (strategy, sha256) => this.#reloaded.get(`${strategy} ${sha256}`),
      configured: (name) => this.#configured.get(name),
    };
  }

  /** Marks that code of this strategy runs between two steps. Undefined ends it. */
  loading(strategy: StrategyId | undefined): void {
    this.#loading = strategy;
  }

  /** The first error that a version which is not running threw outside of a step. */
  thrownIn(url: string): Error | undefined {
    return this.#threwElsewhere.get(generationOf(url));
  }

  /** Tries another version of a strategy on the current books. A call over its time budget is a fault. */
  tryOut(entry: StrategyEntry): Trial {
    const core = this.#ports.core();
    const budget = core.budgetOf(entry.id);
    const slow: Dispatched[] = [];
    const trial = core.tryOut(entry, {
      enter: (strategy) => this.#dispatch.enter(strategy),
      leave: () => {
        const took = this.#leave(budget);
        if (took !== undefined) slow.push(took);
      },
    });
    const [first] = slow;
    if (first === undefined) return trial;
    const detail = `${entry.id}: it took ${first.cpuMs.toFixed(0)} ms of CPU and ${first.wallMs.toFixed(0)} ms by the clock for one input`;
    return { ...trial, faults: [...trial.faults, { code: 'STRATEGY_OVERRUN', detail }] };
  }

  /** Replaces the strategy at `index` of the configuration, and records its sources in the journal first. */
  reload(index: number, { entry, file, module }: Reload): void {
    const { keep, forgive, input } = this.#ports;
    this.#reloaded.set(`${entry.id} ${file.sha256}`, entry);
    this.#modules = this.#modules.map((former) => (former.id === entry.id ? module : former));
    this.#strategies = this.#strategies.with(index, file);
    keep(this.#strategies);
    forgive(entry.id);
    input({ type: 'reload', strategy: entry.id, sha256: file.sha256 });
  }

  /** Puts another configuration into force, and records it and its strategies in the journal first. */
  configure({ loaded, core, replace }: NextConfig, by: string): void {
    const { keep, forgive, input } = this.#ports;
    this.#loaded = loaded;
    this.#hash = configHash(loaded);
    const name = `${this.#hash}-${(this.#configurations += 1)}`;
    this.#configured.clear();
    this.#configured.set(name, core.settings);
    this.#modules = core.modules;
    this.#strategies = core.strategies;
    keep(core.strategies, loaded);
    for (const id of replace) forgive(id);
    input({ type: 'configure', config: name, replace, by });
  }

  /**
   * Handles an error thrown outside of a step, by a timer or a promise. The core is unaffected: the strategy
   * whose file threw is disabled.
   *
   * @returns true when no strategy can be identified and the run must stop
   */
  applyLoose(thrown: unknown): boolean {
    const error = asError(thrown);
    const guilty = thrownBy(this.#modules, error);
    if (guilty.length === 0 && this.#isOfAnotherVersion(error)) return false;
    if (
      guilty.length > 0
        ? guilty.every((module) => this.#threwOutside.has(module))
        : this.unattributedError !== undefined
    )
      return false;
    for (const module of guilty) this.#threwOutside.add(module);
    this.#ports.log.error('something was thrown outside of a step', {
      code: 'THROWN_OUTSIDE',
      error: stackText(error),
      strategies: guilty.map(({ id }) => id),
    });
    for (const { id } of guilty)
      // secrets are removed here because the journal records an input unchanged
      this.#fault(id, redacted(`it threw outside a dispatch: ${error.message}${placeOf(error)}`));
    if (guilty.length > 0) return false;
    this.unattributedError = error;
    return true;
  }

  /**
   * Whether a version that is not running threw the error. Only its first error is logged, since a timer may
   * throw every time it fires.
   */
  #isOfAnotherVersion(error: Error): boolean {
    const running = new Set(this.#modules.map(({ url }) => generationOf(url)));
    const [elsewhere] = [...generationsOn(error)].filter((generation) => !running.has(generation));
    if (elsewhere === undefined) return false;
    if (this.#threwElsewhere.has(elsewhere)) return true;
    this.#threwElsewhere.set(elsewhere, error);
    this.#ports.log.warn('a version of a strategy that does not run threw outside of a step', {
      error: stackText(error),
    });
    return true;
  }

  #fault(strategy: StrategyId, detail: string): void {
    this.#ports.input({ type: 'strategy-fault', strategy, code: 'ASYNC_EMISSION', detail });
  }

  #reportOverrun(): void {
    const { running } = this.#dispatch;
    const took = running === undefined ? undefined : this.#leave(this.#ports.core().budgetOf(running));
    if (took === undefined) return;
    const { strategy, cpuMs, wallMs } = took;
    this.#ports.input({
      type: 'strategy-strike',
      strategy,
      cpuMs: Math.round(cpuMs),
      wallMs: Math.round(wallMs),
    });
  }

  /** Ends the current dispatch. @returns its times; undefined when it stayed within its budget */
  #leave({ cpuMs, wallMs }: StrategyBudget): Dispatched | undefined {
    const took = this.#dispatch.leave(Math.min(cpuMs, wallMs));
    return took !== undefined && (took.cpuMs > cpuMs || took.wallMs > wallMs) ? took : undefined;
  }
}

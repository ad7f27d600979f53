// The configuration and the strategies that run: whose code runs now and for how long, what was thrown outside of a step, and
// how another version or another configuration takes over.
import type { LoadedConfig } from '../config/index.ts';
import type { Input, StrategyId } from '../domain/index.ts';
import { withoutTaken } from '../domain/index.ts';
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
  /** A strategy begins anew: what was wrong with the former one counts no more. */
  readonly forgive: (strategy: StrategyId) => void;
  /** From the next step on these strategies run; `loaded`: of this configuration. */
  readonly keep: (strategies: LoadedCore['strategies'], loaded?: LoadedConfig) => void;
  readonly log: Log;
};

export class RunningStrategies implements ConfiguredBot {
  /** What was thrown outside of a step first, by no strategy that is known; undefined: nothing was. */
  loose: Error | undefined;
  readonly #ports: RunningPorts;
  readonly #dispatch = new DispatchClock();
  #loaded: LoadedConfig;
  #hash: string;
  #modules: readonly StrategyModule[];
  #strategies: LoadedCore['strategies'];
  #loading: StrategyId | undefined;
  #configurations = 0;
  /** Loaded since the start, by id and hash. */
  readonly #reloaded = new Map<string, StrategyEntry>();
  /** What the newest `configure` names. */
  readonly #configured = new Map<string, CoreSettings>();
  readonly #threwOutside = new Set<StrategyModule>();
  /** What versions threw that do not run: not yet, or no more. By generation. */
  readonly #threwElsewhere = new Map<string, Error>();

  constructor(loaded: LoadedConfig, { modules, strategies }: LoadedCore, ports: RunningPorts) {
    this.#loaded = loaded;
    this.#hash = configHash(loaded);
    this.#modules = modules;
    this.#strategies = strategies;
    this.#ports = ports;
  }

  /** The configuration that is in force. */
  get loaded(): LoadedConfig {
    return this.#loaded;
  }

  get hash(): string {
    return this.#hash;
  }

  get modules(): readonly StrategyModule[] {
    return this.#modules;
  }

  /** As the journal and the ledger name them. */
  get strategies(): LoadedCore['strategies'] {
    return this.#strategies;
  }

  /** Whose code runs right now; undefined: none does. */
  get running(): StrategyId | undefined {
    return this.#dispatch.running ?? this.#loading;
  }

  /** What the core asks of the process around its strategies. */
  get corePorts(): CorePorts {
    return {
      reportAsync: (strategy, place) =>
        this.#fault(strategy, `it emitted outside a dispatch: give the scheduler to its time operators${place}`),
      enter: (strategy) => this.#dispatch.enter(strategy),
      leave: () => this.#strike(),
      reloaded: (strategy, sha256) => this.#reloaded.get(`${strategy} ${sha256}`),
      configured: (name) => this.#configured.get(name),
    };
  }

  /** Code of this strategy runs between two steps; undefined: no more. */
  loading(strategy: StrategyId | undefined): void {
    this.#loading = strategy;
  }

  /** What a version that does not run threw outside of a step, the first of it. */
  thrownIn(url: string): Error | undefined {
    return this.#threwElsewhere.get(generationOf(url));
  }

  /** What another version of a strategy would say now. */
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

  /** It takes over, `index` in the order of the configuration; the journal has its sources from here on. */
  reload(index: number, { entry, file, module }: Reload): void {
    const { keep, forgive, input } = this.#ports;
    this.#reloaded.set(`${entry.id} ${file.sha256}`, entry);
    this.#modules = this.#modules.map((one) => (one.id === entry.id ? module : one));
    this.#strategies = this.#strategies.with(index, file);
    keep(this.#strategies);
    forgive(entry.id);
    input({ type: 'reload', strategy: entry.id, sha256: file.sha256 });
  }

  /** Another configuration takes over; the journal has it, and its strategies, from here on. */
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
   * Something was thrown outside of a step, by a timer or a promise. The core is as it was: the strategy whose file threw is
   * taken off. True: nobody can tell whose it is, and the run has to stop.
   */
  applyLoose(thrown: unknown): boolean {
    const error = asError(thrown);
    const guilty = thrownBy(this.#modules, error);
    if (guilty.length === 0 && this.#isOfAnotherVersion(error)) return false;
    if (guilty.length > 0 ? guilty.every((one) => this.#threwOutside.has(one)) : this.loose !== undefined) return false;
    for (const one of guilty) this.#threwOutside.add(one);
    this.#ports.log.error('something was thrown outside of a step', {
      code: 'THROWN_OUTSIDE',
      error: error.stack || error.message,
      strategies: guilty.map(({ id }) => id),
    });
    for (const { id } of guilty)
      // an input goes into the journal as it is
      this.#fault(id, withoutTaken(`it threw outside a dispatch: ${error.message}${placeOf(error)}`));
    if (guilty.length > 0) return false;
    this.loose = error;
    return true;
  }

  /** A timer of it may throw as often as it rings: the first error is logged. */
  #isOfAnotherVersion(error: Error): boolean {
    const running = new Set(this.#modules.map(({ url }) => generationOf(url)));
    const [elsewhere] = [...generationsOn(error)].filter((life) => !running.has(life));
    if (elsewhere === undefined) return false;
    if (this.#threwElsewhere.has(elsewhere)) return true;
    this.#threwElsewhere.set(elsewhere, error);
    this.#ports.log.warn('a version of a strategy that does not run threw outside of a step', {
      error: error.stack || error.message,
    });
    return true;
  }

  #fault(strategy: StrategyId, detail: string): void {
    this.#ports.input({ type: 'strategy-fault', strategy, code: 'ASYNC_EMISSION', detail });
  }

  #strike(): void {
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

  /** What the dispatch took that ends here; undefined: no more than its budget. */
  #leave({ cpuMs, wallMs }: StrategyBudget): Dispatched | undefined {
    const took = this.#dispatch.leave(Math.min(cpuMs, wallMs));
    return took !== undefined && (took.cpuMs > cpuMs || took.wallMs > wallMs) ? took : undefined;
  }
}

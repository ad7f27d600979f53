// Replays the reloads of a run: loads the strategies that replaced others while the run continued. The
// journal holds their sources before the record from which they apply.
import type { Config, LoadedConfig } from '../config/index.ts';
import type { StrategyId } from '../domain/index.ts';
import { OddsmakerError } from '../domain/index.ts';
import type { CoreSettings } from '../engine/index.ts';
import type { JournalHeader } from '../journal/index.ts';
import type { StrategyEntry } from '../strategy/host/index.ts';
import { beginGeneration, loadStrategy } from '../strategy/host/index.ts';
import { settingsOf, strategyEntry, unpackStrategies, wholeStrategies } from '../setup/index.ts';

export class ReplayedReloads {
  readonly #journal: string;
  /** The run's strategy ids, in the order of its headers. */
  readonly #ids: readonly string[];
  readonly #loaded: LoadedConfig;
  /** Reads the configuration of a header. Undefined when the replay has a configuration of its own. */
  readonly #read: ((header: JournalHeader) => Config) | undefined;
  /** The settings that the newest `configure` names. */
  #settings: CoreSettings;
  readonly #home: string;
  /** The strategies of the former header. */
  #before: readonly unknown[];
  readonly #entries = new Map<string, StrategyEntry>();
  readonly #close: (() => void)[] = [];

  /**
   * `recorded`: the configuration of the run; `loaded`: that of the replay; `home`: the folder from which
   * packages that the strategies import are resolved.
   */
  constructor(
    journal: string,
    first: JournalHeader,
    {
      recorded,
      loaded,
      settings,
      read,
      home,
    }: {
      readonly recorded: Config;
      readonly loaded: LoadedConfig;
      readonly settings: CoreSettings;
      readonly read: ((header: JournalHeader) => Config) | undefined;
      readonly home: string;
    },
  ) {
    this.#journal = journal;
    this.#before = strategiesOf(first);
    this.#ids = recorded.strategies.map(({ id }) => id);
    this.#loaded = loaded;
    this.#settings = settings;
    this.#read = read;
    this.#home = home;
  }

  /**
   * Loads the strategies that changed with this header.
   * @throws OddsmakerError JOURNAL_INVALID, STRATEGY_*
   */
  async load(header: JournalHeader): Promise<void> {
    const [before, now] = [this.#before, strategiesOf(header)];
    this.#before = now;
    const config = this.#read?.(header) ?? this.#loaded.config;
    const reloaded = new Map<string, StrategyEntry>();
    for (const [index, id] of this.#ids.entries()) {
      const fromHeader = now[index];
      // a strategy that the configuration lacks is not replaced
      const entry = config.strategies.find((candidate) => candidate.id === id);
      if (entry === undefined || JSON.stringify(fromHeader) === JSON.stringify(before[index])) continue;
      const files = wholeStrategies({ strategies: [fromHeader] });
      const [recorded] = files ?? [];
      if (files === undefined || recorded === undefined)
        throw this.#invalid(`the header of reloaded strategies lacks the sources of ${id}`);
      const unpacked = unpackStrategies(this.#journal, files, this.#home);
      this.#close.push(unpacked.close);
      const { strategy } = await loadStrategy(unpacked.files[0] ?? '', beginGeneration());
      const checked = strategyEntry(entry, strategy);
      if (!('strategy' in checked)) throw this.#invalid(`the reloaded strategy ${id} does not accept its parameters`);
      this.#entries.set(`${id} ${recorded.sha256}`, checked);
      reloaded.set(id, checked);
    }
    this.#configure(config, reloaded);
  }

  /** Prepares the settings that apply from the next `configure` on. */
  #configure(config: Config, reloaded: ReadonlyMap<string, StrategyEntry>): void {
    const entries = this.#settings.strategies.map((before) => {
      const loaded = reloaded.get(before.id);
      const configured = config.strategies.find(({ id }) => id === before.id);
      const checked = loaded ?? (configured === undefined ? before : strategyEntry(configured, before.strategy));
      if ('strategy' in checked) return checked;
      throw this.#invalid(`strategy ${before.id} does not accept the parameters that it was given during the run`);
    });
    this.#settings = settingsOf({ ...this.#loaded, config }, entries);
  }

  get settings(): CoreSettings {
    return this.#settings;
  }

  entryOf(strategy: StrategyId, sha256: string): StrategyEntry | undefined {
    return this.#entries.get(`${strategy} ${sha256}`);
  }

  close(): void {
    for (const close of this.#close.splice(0)) close();
  }

  #invalid(problem: string): OddsmakerError {
    return new OddsmakerError('JOURNAL_INVALID', `${this.#journal}: ${problem}`);
  }
}

/** The strategies of a header. They are not trusted: a journal may be from any source. */
const strategiesOf = ({ strategies }: { readonly strategies?: unknown }): readonly unknown[] =>
  Array.isArray(strategies) ? (strategies as readonly unknown[]) : [];

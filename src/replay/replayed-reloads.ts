// The strategies that a run loaded anew while it ran, for a replay: the journal has their sources from the record on before which
// they took over.
import type { Config, LoadedConfig } from '../config/index.ts';
import type { StrategyId } from '../domain/index.ts';
import { OddsmakerError } from '../domain/index.ts';
import type { CoreSettings } from '../engine/index.ts';
import type { JournalHeader } from '../journal/index.ts';
import type { StrategyEntry } from '../strategy/host/index.ts';
import { beginGeneration, loadStrategy, checkParams } from '../strategy/host/index.ts';
import { settingsOf, unpackStrategies, wholeStrategies } from '../setup/index.ts';

export class ReplayedReloads {
  readonly #journal: string;
  /** Of the run, in the order of its headers. */
  readonly #ids: readonly string[];
  readonly #loaded: LoadedConfig;
  /** Of the configuration that a header has; undefined: the replay has one of its own. */
  readonly #read: ((header: JournalHeader) => Config) | undefined;
  /** As they run: what the newest `configure` names. */
  #settings: CoreSettings;
  readonly #home: string;
  /** Of the header before. */
  #before: readonly unknown[];
  readonly #entries = new Map<string, StrategyEntry>();
  readonly #close: (() => void)[] = [];

  /** `recorded`: the configuration of the run; `loaded`: of the replay. `home`: where packages that they import are looked for. */
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

  /** @throws OddsmakerError JOURNAL_INVALID, STRATEGY_* */
  async load(header: JournalHeader): Promise<void> {
    const [before, now] = [this.#before, strategiesOf(header)];
    this.#before = now;
    const config = this.#read?.(header) ?? this.#loaded.config;
    const anew = new Map<string, StrategyEntry>();
    for (const [index, id] of this.#ids.entries()) {
      const told = now[index];
      // with a configuration that does not have it, nothing takes over
      const entry = config.strategies.find((one) => one.id === id);
      if (entry === undefined || JSON.stringify(told) === JSON.stringify(before[index])) continue;
      const files = wholeStrategies({ strategies: [told] });
      const [recorded] = files ?? [];
      if (files === undefined || recorded === undefined)
        throw this.#invalid(`the header of strategies that were loaded anew lacks sources of ${id}`);
      const unpacked = unpackStrategies(this.#journal, files, this.#home);
      this.#close.push(unpacked.close);
      const { strategy } = await loadStrategy(unpacked.files[0] ?? '', beginGeneration());
      const checked = checkParams(id as StrategyId, strategy, entry.params);
      if (!('strategy' in checked))
        throw this.#invalid(`strategy ${id}, as it was loaded anew, does not take its parameters`);
      this.#entries.set(`${id} ${recorded.sha256}`, checked);
      anew.set(id, checked);
    }
    this.#configure(config, anew);
  }

  /** What the header says takes over with the next `configure`. */
  #configure(config: Config, anew: ReadonlyMap<string, StrategyEntry>): void {
    const entries = this.#settings.strategies.map((before) => {
      const loaded = anew.get(before.id);
      const params = config.strategies.find(({ id }) => id === before.id)?.params;
      const checked = loaded ?? checkParams(before.id, before.strategy, params);
      if ('strategy' in checked) return checked;
      throw this.#invalid(`strategy ${before.id} does not take the parameters that it was given while the run went on`);
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

/** A journal may have been written by anybody. */
const strategiesOf = ({ strategies }: { readonly strategies?: unknown }): readonly unknown[] =>
  Array.isArray(strategies) ? (strategies as readonly unknown[]) : [];

// The strategies that a run loaded anew while it ran, for a replay: the journal has their sources from the record on before which
// they took over.
import type { Config } from '../config/index.ts';
import type { StrategyId } from '../domain/index.ts';
import { OddsmakerError } from '../domain/index.ts';
import type { JournalHeader } from '../record/journal.ts';
import type { StrategyEntry } from '../strategy/host.ts';
import { beginLife, loadStrategy } from '../strategy/loader.ts';
import { checkParams } from '../strategy/params.ts';
import { unpackStrategies, wholeStrategies } from './recorded-strategies.ts';

export class ReplayedReloads {
  readonly #journal: string;
  readonly #config: Config;
  readonly #home: string;
  readonly #entries = new Map<string, StrategyEntry>();
  readonly #close: (() => void)[] = [];

  /** `home`: where packages that they import are looked for. */
  constructor(journal: string, config: Config, home: string) {
    this.#journal = journal;
    this.#config = config;
    this.#home = home;
  }

  /** @throws OddsmakerError JOURNAL_INVALID, STRATEGY_* */
  async load(header: JournalHeader): Promise<void> {
    const files = wholeStrategies(header);
    if (files === undefined)
      throw this.#invalid('a header of strategies that were loaded anew lacks their sources');
    const unpacked = unpackStrategies(this.#journal, files, this.#home);
    this.#close.push(unpacked.close);
    for (const [index, { id, params }] of this.#config.strategies.entries()) {
      const [file, recorded] = [unpacked.files[index], files[index]];
      if (file === undefined || recorded === undefined)
        throw this.#invalid(`a header of strategies that were loaded anew lacks ${id}`);
      const { strategy } = await loadStrategy(file, beginLife());
      const entry = checkParams(id as StrategyId, strategy, params);
      if (!('strategy' in entry))
        throw this.#invalid(`strategy ${id}, as it was loaded anew, does not take its parameters`);
      this.#entries.set(`${id} ${recorded.sha256}`, entry);
    }
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

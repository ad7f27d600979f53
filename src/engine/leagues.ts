// Matches the leagues of the configuration with the spelling of the exchange, learned from its feed and its
// books.
import { LeagueNames } from '../domain/index.ts';
import type { CommandBuffer } from './command-buffer.ts';
import type { MarketSelection } from './settings.ts';

export class Leagues {
  readonly #names = new LeagueNames();
  readonly #buffer: CommandBuffer;
  readonly #selection: Pick<MarketSelection, 'leagues'>;

  constructor(buffer: CommandBuffer, selection: Pick<MarketSelection, 'leagues'>) {
    this.#buffer = buffer;
    this.#selection = selection;
  }

  /** Records a league name of the exchange. True when the set of selected games may change. */
  see(league: string): boolean {
    const { leagues } = this.#selection;
    if (!this.#names.see(league) || !leagues.some((wanted) => this.#names.areAlike(wanted, league))) return false;
    this.alertRivals();
    // an exact match replaces another spelling that was accepted before
    return !leagues.includes(league) || this.#names.isSpeltOtherwise(league);
  }

  /** Warns once of each configured league that matches several leagues of the exchange. */
  alertRivals(): void {
    for (const wanted of this.#selection.leagues) {
      const rivals = this.#names.rivals(wanted);
      if (rivals.length > 0)
        this.#buffer.alertOnce(
          `leagues ${wanted}`,
          'warn',
          'LEAGUE_AMBIGUOUS',
          'several leagues of the exchange differ from one of markets.leagues only in case or accents: none of them is quoted',
          { league: wanted, exchange: rivals },
        );
    }
  }

  areAlike = (a: string, b: string): boolean => this.#names.areAlike(a, b);

  /** True when a league of the exchange is a configured one. */
  has(league: string): boolean {
    return this.#names.isAmong(this.#selection.leagues, league);
  }
}

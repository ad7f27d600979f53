// The leagues of the configuration, as the exchange writes them: known from what its feed and its books say.
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

  /** The exchange has a league of this name. True: other games may be selected by it. */
  see(league: string): boolean {
    const { leagues } = this.#selection;
    if (!this.#names.see(league) || !leagues.some((wanted) => this.#names.areAlike(wanted, league))) return false;
    this.alertRivals();
    // where it is written so, another spelling that was taken for it is none any more
    return !leagues.includes(league) || this.#names.isSpeltOtherwise(league);
  }

  /** Says once of each league of the configuration that it may be several of the exchange. */
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

  /** A league of the exchange is one of the configuration. */
  has(league: string): boolean {
    return this.#names.isAmong(this.#selection.leagues, league);
  }
}

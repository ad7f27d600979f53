// A whole exchange without a transport: the venue, its client API and its traders. The server and the
// in-process exchange each wrap one, with their own clock.
import type { SportsSettings } from '../domain/index.ts';
import type { WireProfile } from '../wire/index.ts';
import { DEFAULT_PROFILE } from '../wire/index.ts';
import { participantsOf } from './api/book-json.ts';
import type { ExchangePorts } from './api/exchange-ports.ts';
import { Exchange } from './api/exchange.ts';
import type { FaultPlan } from './faults/plan.ts';
import type { SavedState } from './state/records.ts';
import { SyntheticGame, SyntheticTraders } from '../traders/index.ts';
import type { Tempo } from '../traders/index.ts';
import type { AccountOptions, WindowLimits } from '../venue/index.ts';
import { Venue } from '../venue/index.ts';

export type WorldOptions = {
  /** The other traders. With `tape`, the caller plays the tapes. */
  readonly traders?: 'none' | 'synthetic' | 'tape';
  /** League and number of the synthetic games (`none`, `synthetic`). */
  readonly league?: string;
  readonly games?: number;
  /** `starts` and `tempo` of `SyntheticOptions` (`synthetic`). */
  readonly starts?: readonly number[];
  readonly tempo?: Tempo;
  readonly seed?: number;
  /** Factor by which venue time runs faster than tape time. Synthetic games run faster by it too. */
  readonly speed?: number;
  /** Adds side games to the synthetic games: a first half, a player's points, a champion (`synthetic`). */
  readonly sideGames?: boolean;
  readonly accounts?: readonly AccountOptions[];
  readonly profile?: WireProfile;
  /** Settlement rules of leagues and sports that differ from the built-in ones, such as for level scores. */
  readonly sports?: SportsSettings | undefined;
  readonly limits?: WindowLimits;
  /**
   * Whether request windows, the cancel queue and cancel-all drains use the clock's time (`wall`) or run
   * `speed` times as fast.
   */
  readonly windows?: 'wall' | 'venue';
  readonly faults?: FaultPlan | undefined;
  /** `keepEnded` of `VenueOptions`. */
  readonly keepEnded?: number;
};

export type ReadyGame = {
  readonly id: string;
  readonly league: string;
  readonly participants: readonly unknown[];
};

export const DEMO_ACCOUNT: AccountOptions = {
  username: 'demo',
  password: 'demo',
  cash: 10_000,
  coins: 10_000,
  mode: 'coins',
};

/** The stored state of earlier runs, to continue from. `earlierRuns` is the number of earlier runs. */
export type SavedExchange = { readonly saved: SavedState; readonly earlierRuns: number };

export class World {
  readonly venue: Venue;
  readonly exchange: Exchange;
  readonly #options: WorldOptions;
  readonly #ports: ExchangePorts;
  readonly #stored: SavedExchange | undefined;
  #synthetic: SyntheticTraders | undefined;

  constructor(options: WorldOptions, ports: ExchangePorts, stored?: SavedExchange) {
    const { seed = 1, speed = 1, profile = DEFAULT_PROFILE, limits, windows = 'wall' } = options;
    this.#options = options;
    this.#ports = ports;
    this.#stored = stored;
    const earlierRuns = stored?.earlierRuns ?? 0;
    const plays = options.traders === 'tape' ? 'tape' : undefined;
    this.venue = new Venue({
      seed,
      profile,
      speed,
      windowSpeed: windows === 'venue' ? speed : 1,
      earlierRuns,
      plays,
      keepEnded: options.keepEnded,
      ...(options.sports === undefined ? {} : { sports: options.sports }),
      ...(limits === undefined ? {} : { limits }),
    });
    this.exchange = new Exchange(this.venue, ports);
    this.#addAccounts(stored?.saved);
    if (stored !== undefined) {
      const { saved } = stored;
      saved.restore(this.venue, ports.now());
      for (const { token, account, endsMs } of saved.tokens.values()) {
        const owner = this.venue.accounts.get(account);
        if (owner !== undefined) this.exchange.sessions.restore(token, { account: owner, endsMs });
      }
    }
  }

  /** Opens the synthetic games and starts their traders. The times of fault plans count from here. */
  open(): void {
    const { traders = 'synthetic', seed = 1, games = 6, league = 'NBA' } = this.#options;
    const { speed = 1, sideGames = false, starts, tempo } = this.#options;
    const nowMs = this.#ports.now();
    if (traders === 'synthetic') {
      const stored = { earlierRuns: this.#stored?.earlierRuns ?? 0, restored: this.#stored?.saved.market };
      const options = { seed, games, league, starts, speed, sideGames, tempo, ...stored };
      this.#synthetic = new SyntheticTraders(this.venue, options, nowMs);
    }
    if (traders === 'none' && this.#stored === undefined) openQuietGames(this.venue, { seed, games, league }, nowMs);
    this.exchange.setFaults(this.#options.faults);
  }

  /** Lets time pass up to now. */
  tick(): void {
    this.exchange.tick();
    this.#synthetic?.step(this.#ports.now());
  }

  /** The state of the synthetic market, from which a later run continues. Undefined when there is none. */
  marketState(): unknown {
    return this.#synthetic?.snapshot();
  }

  /** Why the synthetic market started afresh although stored state exists. Undefined when it did not. */
  get marketProblem(): string | undefined {
    return this.#synthetic?.problem;
  }

  /** The games that have not ended, without parts and props, as the ready line shows them. */
  readyGames(): readonly ReadyGame[] {
    return [...this.venue.games.values()]
      .filter(({ details, header }) => details.kind === 'game' && !header.ended)
      .map((game) => ({
        id: game.header.id,
        league: game.header.league,
        participants: participantsOf(game),
      }));
  }

  #addAccounts(saved: SavedState | undefined): void {
    const given = this.#options.accounts?.length ? this.#options.accounts : [DEMO_ACCOUNT];
    for (const record of saved?.accounts.values() ?? []) {
      const configured = given.find(({ username }) => username === record.username);
      this.venue.addAccount(saved?.optionsOf(record, configured) ?? record);
    }
    for (const account of given) if (!this.venue.accounts.has(account.username)) this.venue.addAccount(account);
  }
}

/** Opens games without other traders: their books are empty until an account posts. */
function openQuietGames(
  venue: Venue,
  options: { readonly seed: number; readonly games: number; readonly league: string },
  nowMs: number,
): void {
  const start = Math.ceil(nowMs / 60_000) * 60_000 + 2 * 3_600_000;
  for (let index = 0; index < options.games; index++)
    venue.openGame(
      new SyntheticGame({ ...options, speed: 1, earlierRuns: 0 }, { index, startMs: start + index * 1_200_000 }).header,
      nowMs,
    );
}

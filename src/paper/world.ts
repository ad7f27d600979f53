// A whole exchange without what carries it: venue, clients' front door, other traders. The server and the in-process
// exchange are both this, with a clock of their own.
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
  /** Who else trades; tapes are played by whoever has them. */
  readonly traders?: 'none' | 'synthetic' | 'tape';
  /** League and number of the made-up games (`none`, `synthetic`). */
  readonly league?: string;
  readonly games?: number;
  /** As of `SyntheticOptions` (`synthetic`). */
  readonly starts?: readonly number[];
  readonly tempo?: Tempo;
  readonly seed?: number;
  /** Venue time runs this much faster than the tape's; so do the lives of made-up games. */
  readonly speed?: number;
  /** Made-up games with what can hang on them: a first half, a player's points, a champion (`synthetic`). */
  readonly sideGames?: boolean;
  readonly accounts?: readonly AccountOptions[];
  readonly profile?: WireProfile;
  /** How level scores settle moneylines, where it is not built in. */
  readonly sports?: SportsSettings | undefined;
  readonly limits?: WindowLimits;
  /** Request windows, the queue of cancels and the drain of cancel-alls in the time of the clock, or `speed` times as fast. */
  readonly windows?: 'wall' | 'venue';
  readonly faults?: FaultPlan | undefined;
  /** As of `VenueOptions`. */
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

/** A former life to go on from. */
export type SavedExchange = { readonly saved: SavedState; readonly life: number };

export class World {
  readonly venue: Venue;
  readonly exchange: Exchange;
  readonly #options: WorldOptions;
  readonly #ports: ExchangePorts;
  readonly #former: SavedExchange | undefined;
  #synthetic: SyntheticTraders | undefined;

  constructor(options: WorldOptions, ports: ExchangePorts, former?: SavedExchange) {
    const { seed = 1, speed = 1, profile = DEFAULT_PROFILE, limits, windows = 'wall' } = options;
    this.#options = options;
    this.#ports = ports;
    this.#former = former;
    const life = former?.life ?? 0;
    const plays = options.traders === 'tape' ? 'tape' : undefined;
    this.venue = new Venue({
      seed,
      profile,
      speed,
      windowSpeed: windows === 'venue' ? speed : 1,
      life,
      plays,
      keepEnded: options.keepEnded,
      ...(options.sports === undefined ? {} : { sports: options.sports }),
      ...(limits === undefined ? {} : { limits }),
    });
    this.exchange = new Exchange(this.venue, ports);
    this.#addAccounts(former?.saved);
    if (former !== undefined) {
      const { saved } = former;
      saved.restore(this.venue, ports.now());
      for (const { token, account, endsMs } of saved.tokens.values()) {
        const owner = this.venue.accounts.get(account);
        if (owner !== undefined) this.exchange.sessions.restore(token, { account: owner, endsMs });
      }
    }
  }

  /** Opens the made-up games and lets their traders in. Fault plans count from here. */
  open(): void {
    const { traders = 'synthetic', seed = 1, games = 6, league = 'NBA' } = this.#options;
    const { speed = 1, sideGames = false, starts, tempo } = this.#options;
    const nowMs = this.#ports.now();
    if (traders === 'synthetic') {
      const former = { life: this.#former?.life ?? 0, restored: this.#former?.saved.market };
      const of = { seed, games, league, starts, speed, sideGames, tempo, ...former };
      this.#synthetic = new SyntheticTraders(this.venue, of, nowMs);
    }
    if (traders === 'none' && this.#former === undefined) openQuietGames(this.venue, { seed, games, league }, nowMs);
    this.exchange.setFaults(this.#options.faults);
  }

  /** Lets time pass up to now. */
  tick(): void {
    this.exchange.tick();
    this.#synthetic?.step(this.#ports.now());
  }

  /** Where the made-up market stands, to go on from; undefined when there is none. */
  marketState(): unknown {
    return this.#synthetic?.snapshot();
  }

  /** Why the made-up market began anew although there was a former life. */
  get marketProblem(): string | undefined {
    return this.#synthetic?.problem;
  }

  /** Games of their own, as the ready line tells them. */
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
      const now = given.find(({ username }) => username === record.username);
      this.venue.addAccount(saved?.optionsOf(record, now) ?? record);
    }
    for (const account of given) if (!this.venue.accounts.has(account.username)) this.venue.addAccount(account);
  }
}

/** Games that nobody else trades: the books are empty until an account posts. */
function openQuietGames(
  venue: Venue,
  of: { readonly seed: number; readonly games: number; readonly league: string },
  nowMs: number,
): void {
  const start = Math.ceil(nowMs / 60_000) * 60_000 + 2 * 3_600_000;
  for (let index = 0; index < of.games; index++)
    venue.openGame(
      new SyntheticGame({ ...of, speed: 1, life: 0 }, { index, startMs: start + index * 1_200_000 }).header,
      nowMs,
    );
}

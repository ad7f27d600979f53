// Observes the two feeds of a bot: the age of their newest frames and the number of lost connections.
import type { Feed } from '../domain/index.ts';
import type { CoreStatus } from '../engine/index.ts';
import type { Door, FeedArrival } from '../exchange/index.ts';
import type { BotFigures } from '../ops/index.ts';

export class FeedWatch {
  /** Price frames that a newer one replaced before they were read. */
  outrun = 0;
  readonly #door: Pick<Door, 'connection'>;
  /** When the newest frame arrived, ms of `performance.now()`. */
  readonly #frameAt: Record<Feed, number | undefined> = { prices: undefined, user: undefined };
  readonly #drops: Record<Feed, number> = { prices: 0, user: 0 };

  constructor(door: Pick<Door, 'connection'>) {
    this.#door = door;
  }

  note(arrival: FeedArrival): void {
    if (arrival.type !== 'feed') this.#frameAt[arrival.feed] = performance.now();
    else if (arrival.status === 'down') this.#drops[arrival.feed] += 1;
  }

  get view(): Pick<BotFigures, 'ages' | 'connections' | 'drops' | 'outrun'> {
    const [prices, user] = [this.#door.connection('prices'), this.#door.connection('user')];
    return {
      ages: { prices: this.#age('prices'), user: this.#age('user') },
      connections: { prices, user },
      drops: { ...this.#drops },
      outrun: this.outrun,
    };
  }

  /** Why a feed does not connect. Undefined when both are up or no connection was refused. */
  problem(feeds: CoreStatus['feeds']): string | undefined {
    for (const feed of ['prices', 'user'] as const) {
      const { fault, address } = this.#door.connection(feed) ?? {};
      if (feeds[feed] || fault === undefined) continue;
      const name = feed === 'prices' ? 'price feed' : 'user feed';
      return `the ${name} cannot connect: ${fault.cause} (${address}; look at ${fault.setting})`;
    }
    return undefined;
  }

  #age(feed: Feed): number | undefined {
    const arrivedAt = this.#frameAt[feed];
    return arrivedAt === undefined ? undefined : (performance.now() - arrivedAt) / 1000;
  }
}

// Builds the paper exchange: the venue, its traders, REST and sockets on one loopback port, the admin pages on another.
// This is the only place of the room that reads a clock and sets timers; frames of tapes come in from outside.
import { Server } from 'socket.io';
import type { WireProfile } from '../wire/index.ts';
import { DEFAULT_PROFILE } from '../wire/index.ts';
import type { AccountOptions, WindowLimits } from './account.ts';
import { createAdminServer } from './admin.ts';
import { BookJson, participantsOf } from './book-json.ts';
import { Feeds } from './feeds.ts';
import { createRestServer } from './rest-server.ts';
import { Sessions } from './sessions.ts';
import { SyntheticGame } from './synthetic-games.ts';
import { SyntheticTraders } from './synthetic-traders.ts';
import type { TapeStart } from './tape-clock.ts';
import type { FeedTimer, RecordedFeed } from './tape-feed.ts';
import { TapeFeed } from './tape-feed.ts';
import { TrafficBook } from './traffic.ts';
import { Venue } from './venue.ts';

export type PaperExchangeOptions = {
  /** 0: any free port. */
  readonly port?: number;
  readonly traders?: 'none' | 'synthetic' | 'tape';
  /** League and number of the made-up games (`none`, `synthetic`). */
  readonly league?: string;
  readonly games?: number;
  readonly seed?: number;
  /** Recordings to play side by side (`tape`). */
  readonly feeds?: readonly RecordedFeed[];
  readonly from?: TapeStart | undefined;
  readonly speed?: number;
  readonly asLeague?: string | undefined;
  readonly accounts?: readonly AccountOptions[];
  readonly profile?: WireProfile;
  readonly limits?: WindowLimits;
};

export type ReadyGame = {
  readonly id: string;
  readonly league: string;
  readonly participants: readonly unknown[];
};

export type PaperExchange = {
  readonly restUrl: string;
  readonly socketUrl: string;
  readonly adminUrl: string;
  readonly games: readonly ReadyGame[];
  readonly venue: Venue;
  /** Settles when every tape has been played, and rejects when a tape cannot be read on. Pending without tapes. */
  readonly played: Promise<void>;
  readonly close: () => Promise<void>;
};

export const DEMO_ACCOUNT: AccountOptions = {
  username: 'demo',
  password: 'demo',
  cash: 10_000,
  coins: 10_000,
  mode: 'coins',
};
const HOST = '127.0.0.1';
const TICK_MS = 25;

export async function startPaperExchange(options: PaperExchangeOptions = {}): Promise<PaperExchange> {
  const profile = options.profile ?? DEFAULT_PROFILE;
  const { seed = 1, speed = 1, league = 'NBA', games = 6 } = options;
  const feeds = (options.feeds ?? []).map((feed) => new TapeFeed(feed));
  const traders = options.traders ?? (feeds.length > 0 ? 'tape' : 'synthetic');
  const closeFeeds = (): Promise<unknown> => Promise.all(feeds.map((feed) => feed.close()));
  try {
    // a tape that cannot be read ends the start before anything listens
    await Promise.all(feeds.map((feed) => feed.prepare(options.from)));
  } catch (error) {
    await closeFeeds();
    throw error;
  }

  const venue = new Venue({
    seed,
    profile,
    speed,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  });
  for (const account of options.accounts?.length ? options.accounts : [DEMO_ACCOUNT])
    venue.addAccount(account);
  const sessions = new Sessions();
  const traffic = new TrafficBook();
  const book = new BookJson(profile);
  const rest = createRestServer({ venue, book, sessions }, traffic, now);
  const io = new Server(rest.server, { path: profile.socketPath, serveClient: false });
  venue.sink = new Feeds(io, venue, book, sessions);
  const admin = createAdminServer(venue, traffic);
  const restUrl = await rest.listen({ host: HOST, port: options.port ?? 0 }).catch(async (error: unknown) => {
    await closeFeeds();
    throw error;
  });
  const adminUrl = await admin.listen({ host: HOST, port: 0 });

  const readyMs = now();
  const synthetic =
    traders === 'synthetic' ? new SyntheticTraders(venue, { seed, games, league }, readyMs) : undefined;
  if (traders === 'none') openQuietGames(venue, { seed, games, league }, readyMs);
  for (const feed of feeds) feed.open(venue, speed, options.asLeague, readyMs);
  const ticker = setInterval(() => {
    venue.advance(now());
    synthetic?.step(now());
  }, TICK_MS);
  const timer = createTimer();
  const played =
    feeds.length === 0
      ? new Promise<void>(() => {})
      : Promise.all(feeds.map((feed) => feed.play(timer))).then(() => {});
  // whoever started the exchange decides what a broken tape means
  played.catch(() => {});

  const close = async (): Promise<void> => {
    clearInterval(ticker);
    timer.stop();
    await closeFeeds();
    io.disconnectSockets(true);
    io.engine.close();
    await Promise.all([rest.close(), admin.close()]);
  };
  return {
    restUrl,
    socketUrl: restUrl,
    adminUrl,
    games: [...venue.games.values()].map(readyGame),
    venue,
    played,
    close,
  };
}

/** Unix milliseconds that never go back. */
const now = (): number => performance.timeOrigin + performance.now();

const readyGame = (game: Parameters<typeof participantsOf>[0]): ReadyGame => ({
  id: game.header.id,
  league: game.header.league,
  participants: participantsOf(game),
});

/** Games that nobody else trades: the books are empty until an account posts. */
function openQuietGames(
  venue: Venue,
  of: { readonly seed: number; readonly games: number; readonly league: string },
  nowMs: number,
): void {
  const start = Math.ceil(nowMs / 60_000) * 60_000 + 2 * 3_600_000;
  for (let index = 0; index < of.games; index++)
    venue.openGame(new SyntheticGame(of.seed, index, of.league, start + index * 1_200_000).header, nowMs);
}

/** Longer timers than this wrap round. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function createTimer(): FeedTimer & { readonly stop: () => void } {
  const pending = new Map<NodeJS.Timeout, () => void>();
  let stopped = false;
  const sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timeout = setTimeout(() => {
        pending.delete(timeout);
        resolve();
      }, ms);
      pending.set(timeout, resolve);
    });
  return {
    now,
    until: async (atMs) => {
      if (atMs <= now()) await new Promise<void>((resolve) => setImmediate(resolve));
      for (let left = atMs - now(); left > 0 && !stopped; left = atMs - now())
        await sleep(Math.min(left, MAX_TIMER_MS));
    },
    stop: () => {
      stopped = true;
      for (const [timeout, resolve] of pending) {
        clearTimeout(timeout);
        resolve();
      }
    },
  };
}

// The paper exchange as a server: REST and sockets on one loopback port, the operator's routes on another,
// and an optional state file. This is the only file in `src/paper` that reads a clock and sets timers.
import { randomBytes } from 'node:crypto';
import { Server } from 'socket.io';
import type { TapeStart } from '../../domain/index.ts';
import { isoTime } from '../../domain/index.ts';
import { createAdminServer } from './admin-server.ts';
import { createRestServer } from './rest-server.ts';
import { Sockets } from './sockets.ts';
import { recordsOf, tokenRecord } from '../state/records.ts';
import type { StateRecord } from '../state/records.ts';
import { StateFile } from '../state/state-file.ts';
import { tapeError } from '../../tape/index.ts';
import type { FeedTimer, RecordedFeed, TapeAnchor } from '../../traders/index.ts';
import { TapeFeed } from '../../traders/index.ts';
import type { Venue } from '../../venue/index.ts';
import type { ReadyGame, WorldOptions } from '../world.ts';
import { World } from '../world.ts';

/** Options of a paper exchange. Without any, it has synthetic games and listens on a free loopback port. */
export type PaperExchangeOptions = WorldOptions & {
  /** Port of REST and sockets. 0 (default): any free port. */
  readonly port?: number;
  /** Port of the operator's routes. 0 (default): any free port. */
  readonly adminPort?: number;
  /** Recordings to play side by side (`tape`). */
  readonly feeds?: readonly RecordedFeed[];
  /** Where the tapes start. Default: their first frame. */
  readonly from?: TapeStart | undefined;
  /** The league that the games of the tapes get. Default: their own. */
  readonly asLeague?: string | undefined;
  /** Path of the state file. Undefined: no state is kept. */
  readonly state?: string | undefined;
  /** How often a socket is pinged, and how long its answer may take. */
  readonly ping?: {
    /** Time between two pings, ms. */
    readonly intervalMs: number;
    /** Longest time for an answer, ms. */
    readonly timeoutMs: number;
  };
};

/** A paper exchange that listens. */
export type PaperExchange = {
  /** The URL of the REST API. */
  readonly restUrl: string;
  /** The URL of the Socket.IO server. */
  readonly socketUrl: string;
  /** The URL of the operator's routes. */
  readonly adminUrl: string;
  /** The games at the start. */
  readonly games: readonly ReadyGame[];
  /** The venue itself, for tests. */
  readonly venue: Venue;
  /**
   * Settles when every tape has been played, and rejects when a tape cannot be read on. Pending without
   * tapes.
   */
  readonly played: Promise<void>;
  /** Rejects when the exchange cannot continue. Never resolves. */
  readonly failed: Promise<never>;
  /**
   * Ends the price connections of an account.
   * @param username the account
   */
  readonly cutPrices: (username: string) => void;
  /** Stops it cleanly. The state file is complete afterwards. */
  readonly close: () => Promise<void>;
};

const HOST = '127.0.0.1';
const TICK_MS = 25;
const DROP_IDLE_MS = 500;
/** How often the synthetic market is stored. Its traders continue from there after a restart. */
const KEEP_MARKET_MS = 5_000;
const DEFAULT_PING = { intervalMs: 25_000, timeoutMs: 20_000 };

/**
 * Starts a paper exchange on loopback. It is ready when the promise resolves.
 * @param options ports, tapes, state and traders; by default free ports and synthetic traders
 * @returns the exchange, which listens
 * @throws OddsmakerError TAPE_INVALID, STATE_*
 */
export async function startPaperExchange(options: PaperExchangeOptions = {}): Promise<PaperExchange> {
  const feeds = (options.feeds ?? []).map((feed) => new TapeFeed(feed));
  const traders = options.traders ?? (feeds.length > 0 ? 'tape' : 'synthetic');
  const { speed = 1 } = options;
  const state = options.state === undefined ? undefined : openState(options.state, { ...options, traders });
  const closers: (() => unknown)[] = [() => state?.close()];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  const { failed, fail } = failure();
  try {
    const timer = createTimer(fail);
    closers.push(() => timer.stop());
    closers.push(() => Promise.all(feeds.map((feed) => feed.close())));
    // an unreadable tape fails the start before anything listens
    await Promise.all(feeds.map((feed, index) => feed.prepare(startOf(options, state?.anchors?.[index]))));
    const [first] = feeds;
    if (first !== undefined && options.from !== undefined && state?.anchors === undefined)
      if (feeds.every(({ isOver }) => isOver))
        throw tapeError(first.name, 1, `the tape has nothing after ${isoTime(first.fromMs)}: start earlier`);

    const stored = state?.saved === undefined ? undefined : { saved: state.saved, earlierRuns: state.life };
    const world = new World(
      { ...options, traders },
      { now, at: timer.at, newToken: () => randomBytes(24).toString('base64url') },
      stored,
    );
    const { venue, exchange } = world;
    const { sockets, restUrl, adminUrl } = await listen(exchange, venue.profile.socketPath, options, closers);

    const readyMs = now();
    const anchors = feeds.map(
      ({ fromMs, isLive }, index): TapeAnchor =>
        state?.anchors?.[index] ?? { t0Ms: readyMs, fromMs: isLive ? readyMs : fromMs },
    );
    for (const [index, feed] of feeds.entries()) feed.open(venue, speed, options.asLeague, readyMs, anchors[index]);
    world.open();
    if (world.marketProblem !== undefined)
      process.stderr.write(`paper exchange: the market starts again: ${world.marketProblem}\n`);
    if (state !== undefined) keep(state, world, anchors, fail);
    const repeat = (ms: number, action: () => void): void => {
      const interval = setInterval(() => attempt(action, fail), ms);
      closers.push(() => clearInterval(interval));
    };
    repeat(TICK_MS, () => world.tick());
    repeat(DROP_IDLE_MS, () => sockets.dropIdle());
    if (state !== undefined) repeat(KEEP_MARKET_MS, () => keepMarket(state, world));

    const played =
      feeds.length === 0
        ? new Promise<void>(() => {})
        : Promise.all(feeds.map((feed) => feed.play(timer))).then(() => {});
    // the caller decides what a broken tape means
    played.catch(() => {});
    const cutPrices = (username: string): void => {
      const account = venue.accounts.get(username);
      if (account !== undefined) exchange.feeds.transport.disconnect('prices', account);
    };
    return {
      restUrl,
      socketUrl: restUrl,
      adminUrl,
      games: world.readyGames(),
      venue,
      played,
      failed,
      cutPrices,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Starts REST and sockets for clients, and the operator's port. Adds the functions that close them to
 * `closers`.
 */
async function listen(
  exchange: World['exchange'],
  socketPath: string,
  { ping = DEFAULT_PING, port = 0, adminPort = 0 }: PaperExchangeOptions,
  closers: (() => unknown)[],
): Promise<{ readonly sockets: Sockets; readonly restUrl: string; readonly adminUrl: string }> {
  const rest = createRestServer(exchange);
  const io = new Server(rest.server, {
    path: socketPath,
    serveClient: false,
    pingInterval: ping.intervalMs,
    pingTimeout: ping.timeoutMs,
    cleanupEmptyChildNamespaces: true,
  });
  const sockets = new Sockets(io, exchange);
  const admin = createAdminServer(exchange);
  closers.push(() => Promise.all([rest.close(), admin.close()]));
  closers.push(() => sockets.close());
  const restUrl = await rest.listen({ host: HOST, port });
  const adminUrl = await admin.listen({ host: HOST, port: adminPort });
  return { sockets, restUrl, adminUrl };
}

/** The current time, Unix ms. It never goes back. */
const now = (): number => performance.timeOrigin + performance.now();

function failure(): { readonly failed: Promise<never>; readonly fail: (error: unknown) => void } {
  let fail: (error: unknown) => void = () => {};
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  failed.catch(() => {});
  return { failed, fail };
}

function attempt(action: () => void, fail: (error: unknown) => void): void {
  try {
    action();
  } catch (error) {
    fail(error);
  }
}

// ——— the state file

function openState(path: string, options: PaperExchangeOptions): StateFile {
  const { seed = 1, traders = 'synthetic', league = 'NBA', games = 6, speed = 1, feeds = [] } = options;
  const tapes = feeds.map(({ name }) => name);
  const { sideGames = false } = options;
  return new StateFile(path, { seed, traders, league, games, sideGames, speed, tapes });
}

/**
 * Where a tape starts: at the configured start, or after a restart, advanced by the time that has passed
 * since.
 */
const startOf = (options: PaperExchangeOptions, anchor: TapeAnchor | undefined): TapeStart | undefined =>
  anchor === undefined ? options.from : { atMs: anchor.fromMs + (now() - anchor.t0Ms) * (options.speed ?? 1) };

function* everythingOf(world: World): Generator<StateRecord> {
  const { venue, exchange } = world;
  yield* recordsOf(venue.everything());
  yield* marketRecord(world);
  for (const [token, session] of exchange.sessions.entries()) yield tokenRecord(token, session);
}

function* marketRecord(world: World): Generator<StateRecord> {
  const market = world.marketState();
  if (market !== undefined) yield { k: 'market', state: market };
}

function keep(state: StateFile, world: World, anchors: readonly TapeAnchor[], fail: (error: unknown) => void): void {
  const guarded = (write: () => void): void => {
    try {
      write();
    } catch (error) {
      // a change that could not be stored must not be sent to any client
      fail(error);
      throw error;
    }
  };
  state.startFile(anchors, everythingOf(world));
  world.venue.recorder = (changes) => guarded(() => state.append(recordsOf(changes)));
  world.exchange.sessions.recorder = (token, session) => guarded(() => state.append([tokenRecord(token, session)]));
}

function keepMarket(state: StateFile, world: World): void {
  const market = [...marketRecord(world)];
  if (market.length > 0) state.append(market);
  state.compact(() => everythingOf(world));
}

// ——— timers

/** The longest delay of `setTimeout`; longer ones overflow. */
const MAX_TIMER_MS = 2 ** 31 - 1;

type ServerTimer = FeedTimer & {
  readonly at: (atMs: number, action: () => void) => void;
  readonly stop: () => void;
};

function createTimer(fail: (error: unknown) => void): ServerTimer {
  const pending = new Map<NodeJS.Timeout, () => void>();
  let stopped = false;
  const after = (ms: number, action: () => void): void => {
    const timeout = setTimeout(
      () => {
        pending.delete(timeout);
        action();
      },
      Math.min(ms, MAX_TIMER_MS),
    );
    pending.set(timeout, action);
  };
  const sleep = (ms: number): Promise<void> => new Promise((resolve) => after(ms, resolve));
  return {
    now,
    at: (atMs, action) => {
      if (!stopped) after(Math.max(0, atMs - now()), () => stopped || attempt(action, fail));
    },
    until: async (atMs) => {
      if (atMs <= now()) await new Promise<void>((resolve) => setImmediate(resolve));
      for (let left = atMs - now(); left > 0 && !stopped; left = atMs - now()) await sleep(left);
    },
    stop: () => {
      stopped = true;
      for (const [timeout, action] of pending) {
        clearTimeout(timeout);
        action();
      }
    },
  };
}

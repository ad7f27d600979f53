// Watches an exchange without changing anything there: a session, both feeds as received, and the books read
// by REST at the start and after every reconnect. It has no code to place or cancel orders.
import { setTimeout as sleep } from 'node:timers/promises';
import { merge } from 'rxjs';
import type { LoadedConfig } from '../config/index.ts';
import type { GameMessage, Input, Read } from '../domain/index.ts';
import { OddsmakerError, plainName } from '../domain/index.ts';
import { wantsParts } from '../engine/index.ts';
import type { FeedArrival, Session } from '../exchange/index.ts';
import { FeedConnections } from '../exchange/index.ts';
import type { HttpAnswer } from '../exchange/live/index.ts';
import { LIVE_TIMERS, RestClient, socketsTo } from '../exchange/live/index.ts';
import type { Log } from '../ops/index.ts';
import { SYSTEM_CLOCKS, WallClock } from '../ops/index.ts';
import type { Times } from '../tape/index.ts';
import { bookPerspectiveOf, parseLeagueReply, readCall } from '../wire/index.ts';
import type { DoorTarget } from './bot-door.ts';
import { begun, sessionFor, sessionSettings } from '../setup/index.ts';

/** Pause between two pages of a league, ms. */
const PAGE_PAUSE_MS = 200;
/** Wait before a league whose book could not be read is read again, ms. It doubles up to `longest`. */
const AGAIN_MS = { first: 500, longest: 10_000 };
/** HTTP statuses of temporary refusals. */
const AGAIN: ReadonlySet<number> = new Set([401, 429]);

/** Finds the league in a message of the price feed. */
const LEAGUE = /"league":"([^"\\]+)"/;

/** Receives the data of the watched exchange. */
export type Listener = {
  /** Called with each message of a feed and each change of its connection. */
  readonly received: (arrival: FeedArrival, times: Times) => void;
  /** Called with each book read by REST. `sent` is the time of the request, Unix ms. */
  readonly read: (request: string, body: unknown, sent: number, times: Times) => void;
};

export type WatcherPorts = {
  readonly log: Log;
  /** Called after every login, with the account's name, mode and balance. */
  readonly loggedIn?: (session: Extract<Input, { type: 'session' }>) => void;
};

export class Watcher {
  /** Resolves with the error when the exchange refuses a later login. */
  readonly lost: Promise<OddsmakerError>;
  readonly #loaded: LoadedConfig;
  readonly #target: Omit<DoorTarget, 'former'>;
  readonly #ports: WatcherPorts;
  readonly #clock: WallClock;
  readonly #rest: RestClient;
  readonly #session: Session;
  readonly #ending = new AbortController();
  #reading: Promise<void> = Promise.resolve();
  /** True while a read of all books is queued and has not begun. */
  #isReadDue = false;
  #listener: Listener | undefined;
  #resolveFirstRead = (): void => undefined;
  readonly #firstRead = new Promise<void>((resolve) => {
    this.#resolveFirstRead = resolve;
  });
  #feeds: readonly FeedConnections[] = [];
  /** Configured leagues without games on the exchange now, spelled as in the configuration. */
  readonly #empty = new Set<string>();

  constructor(loaded: LoadedConfig, target: Omit<DoorTarget, 'former'>, ports: WatcherPorts) {
    const { log } = ports;
    const { exchange } = loaded.config;
    this.#loaded = loaded;
    this.#target = target;
    this.#ports = ports;
    this.#clock = new WallClock(SYSTEM_CLOCKS, (news) => {
      if (news.news === 'anchored') log.info('the exchange sent its time: the wall time is certain again', news);
      else
        log.warn('the wall clock was set or differs from the exchange’s: recorded times continue without a jump', {
          code: 'CLOCK_STEPPED',
          ...news,
        });
    });
    this.#rest = new RestClient(
      target.restUrl,
      exchange.profile.apiVersionHeader,
      (...times) => this.#clock.applyDate(...times),
      exchange.maxFrame,
    );
    let lose = (_error: OddsmakerError): void => undefined;
    this.lost = new Promise((resolve) => {
      lose = resolve;
    });
    const settings = sessionSettings(exchange, target);
    this.#session = sessionFor(this.#rest, exchange.profile, settings, log, (input) => {
      if (input.type === 'session') ports.loggedIn?.(input);
      else lose(new OddsmakerError('LOGIN_REFUSED', input.reason));
    });
  }

  /** The session token. Undefined while logged out. */
  get token(): string | undefined {
    return this.#session.token;
  }

  /** @throws OddsmakerError LOGIN_REFUSED, EXCHANGE_UNREACHABLE */
  logIn(signal?: AbortSignal): Promise<void> {
    return begun((done) => this.#session.start(done), signal);
  }

  /** Connects both feeds. Resolves when the books of all leagues have been requested once. */
  watch(listener: Listener): Promise<void> {
    this.#listener = listener;
    const { socketUrl } = this.#target;
    const { profile, maxFrame } = this.#loaded.config.exchange;
    const ports = {
      sockets: socketsTo(socketUrl, () => this.#session.username, profile, maxFrame),
      session: this.#session,
      timers: LIVE_TIMERS,
      warn: (message: string, fields: Readonly<Record<string, unknown>>) => this.#ports.log.warn(message, fields),
    };
    const [prices, user] = [new FeedConnections('prices', ports), new FeedConnections('user', ports)];
    this.#feeds = [prices, user];
    merge(prices.arrivals$, user.arrivals$).subscribe((arrival) => listener.received(arrival, this.#now()));
    prices.arrivals$.subscribe((arrival) => this.#applyPrice(arrival));
    for (const feed of this.#feeds) feed.connect();
    return this.#firstRead;
  }

  /** Notes the league of a frame, and reads all books again after a gap in the feed. */
  #applyPrice(arrival: FeedArrival): void {
    if (arrival.type === 'frame') this.#noteSpelling(arrival.data);
    else if (arrival.type === 'long-frame' || arrival.status === 'up') this.readBooks();
  }

  #now(): Times {
    return { t: this.#clock.now(), mono: performance.now() };
  }

  /** Queues a read of the games and books of every configured league, page by page. */
  readBooks(): void {
    // reads run one after the other; one queued read is enough, since it covers every change until it begins
    if (this.#isReadDue) return;
    this.#isReadDue = true;
    this.#reading = this.#reading.then(() => {
      this.#isReadDue = false;
      return this.#readLeagues(this.#ending.signal);
    });
  }

  async #readLeagues(signal: AbortSignal): Promise<void> {
    for (const league of this.#loaded.config.markets.leagues)
      for (let wait = AGAIN_MS.first; !signal.aborted; wait = Math.min(2 * wait, AGAIN_MS.longest)) {
        if (await this.#readLeague(league, signal)) break;
        await sleep(wait, undefined, { signal }).catch(() => undefined);
      }
    this.#resolveFirstRead();
  }

  /**
   * Reads a league again under the exchange's spelling, when a frame names it in another case or with other
   * accents than the configuration and the configured name had no games.
   */
  #noteSpelling(data: string): void {
    if (this.#empty.size === 0) return;
    const league = LEAGUE.exec(data)?.[1];
    const configured = [...this.#empty].find((name) => plainName(name) === plainName(league ?? ''));
    if (league === undefined || configured === undefined || configured === league) return;
    this.#empty.delete(configured);
    this.#ports.log.info('the exchange spells a league of markets.leagues differently; its spelling is used', {
      league: configured,
      exchange: league,
    });
    this.#reading = this.#reading.then(async () => {
      await this.#readLeague(league, this.#ending.signal);
    });
  }

  /** Reads all pages of a league. False when a page should be tried again. */
  async #readLeague(league: string, signal: AbortSignal): Promise<boolean> {
    const { exchange } = this.#loaded.config;
    const { profile } = exchange;
    for (let page = 1, hasNext = true; hasNext && !signal.aborted; page++) {
      const answer = await this.#readBook({ what: 'league', league, page }, signal);
      if (typeof answer === 'boolean') return answer;
      const parsed = parseLeagueReply(answer.body, bookPerspectiveOf(profile));
      if (parsed.ok) await this.#readParts(parsed.value.games, signal);
      hasNext = parsed.ok && parsed.value.hasNextPage;
      if (page === 1 && !hasNext && parsed.ok && parsed.value.games.length + parsed.value.unreadable === 0)
        this.#empty.add(league);
      else this.#empty.delete(league);
      await sleep(PAGE_PAUSE_MS);
    }
    return true;
  }

  /** Reads the book of each game when parts of games are quoted: it lists the child games and props. */
  async #readParts(games: readonly GameMessage[], signal: AbortSignal): Promise<void> {
    const { markets } = this.#loaded.config;
    const { periods, props, futures } = markets;
    if (!wantsParts(periods === null ? undefined : { periods, props, futures })) return;
    for (const { gameId, parentGameId, futures: isFuture, ended } of games) {
      if (signal.aborted || parentGameId !== undefined || isFuture === true || ended === true) continue;
      await this.#readBook({ what: 'game', gameId }, signal);
      await sleep(PAGE_PAUSE_MS);
    }
  }

  /** Reads one book. True when the exchange refuses it permanently, false when it may be tried again. */
  async #readBook(
    read: Extract<Read, { what: 'league' | 'game' }>,
    signal: AbortSignal,
  ): Promise<Extract<HttpAnswer, { type: 'answer' }> | boolean> {
    const { exchange } = this.#loaded.config;
    const session = this.#session;
    const call = readCall(read, exchange.profile);
    const sent = this.#now().t;
    const ask = (): Promise<HttpAnswer> => this.#rest.call({ ...call, token: session.token }, exchange.requestTimeout);
    let answer = await ask();
    if (answer.type === 'answer' && answer.status === 401) {
      await new Promise<void>((renewed) => session.relogin(renewed));
      answer = await ask();
    }
    if (signal.aborted) return false;
    if (answer.type === 'failed' || answer.status >= 300) {
      // a refused league must not block the others
      const isFinal = answer.type !== 'failed' && answer.status < 500 && !AGAIN.has(answer.status);
      const { what: kind, ...fields } = read;
      this.#ports.log.warn('a book could not be read', { ...fields, again: !isFinal && kind === 'league' });
      return isFinal;
    }
    session.rotate(answer.newToken);
    this.#listener?.read(`${call.method} ${call.path}`, answer.body, sent, this.#now());
    return answer;
  }

  /** Closes both feeds. The listener receives nothing further. */
  stop(): void {
    this.#ending.abort();
    for (const feed of this.#feeds) feed.close();
  }

  close(): void {
    this.stop();
    this.#rest.close();
  }
}

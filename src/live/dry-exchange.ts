// `run --dry`: watches the real exchange and copies its books to a paper exchange in this process, where the
// bot trades. Orders never leave this machine: the code that talks to the real exchange can only log in and
// read.
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadedConfig } from '../config/index.ts';
import { OddsmakerError } from '../domain/index.ts';
import type { AccountOptions } from '../venue/index.ts';
import type { MarketEvent } from '../tape/index.ts';
import { TapeDecoder } from '../tape/index.ts';
import type { PaperExchange } from '../paper/server/index.ts';
import type { FeedArrival } from '../exchange/index.ts';
import type { Log } from '../ops/index.ts';
import { bookPerspectiveOf } from '../wire/index.ts';
import type { EmbeddedExchange } from './embedded.ts';
import { targetOf } from './embedded.ts';
import { DRY_FOLDER } from '../setup/index.ts';
import { Watcher } from './watcher.ts';

/** Interval at which the bot's price feed is cut while the real price feed is down, ms. */
const CUT_EVERY_MS = 500;
const MOST_WARNINGS = 20;
/** Time for the paper exchange to take in the books that were read, ms. */
const PLAY_MS = 100;

/**
 * The bot's configuration in a dry run: a paper exchange, and records of its own.
 * @throws OddsmakerError CONFIG_INVALID
 */
export function dryOf(loaded: LoadedConfig): LoadedConfig {
  const { config } = loaded;
  const { exchange, journal, ledger } = config;
  if (exchange.embedded !== undefined)
    throw loaded.problem(['exchange'], '--dry needs the real exchange: restUrl, socketUrl and an account');
  if (journal.dir === null)
    throw loaded.problem(['journal', 'dir'], '--dry keeps a journal of its own in it: name a folder');
  const { restUrl: _rest, socketUrl: _socket, ...rest } = exchange;
  return {
    ...loaded,
    config: {
      ...config,
      exchange: {
        ...rest,
        password: PASSWORD,
        embedded: { tapes: [], from: null, speed: 1, traders: 'tape', games: 1, seed: 1, port: 0 },
      },
      journal: { ...journal, dir: join(journal.dir, DRY_FOLDER) },
      ledger: { file: ledger.file === null ? null : ledger.file.replace(/(\.db)?$/, '.dry.db') },
      record: { ...config.record, dir: null },
      // the configured port belongs to the bot that trades with money
      ops: { ...config.ops, port: 0 },
    },
  };
}

/** Password of the account on the paper exchange, which listens on loopback only. */
const PASSWORD = 'dry';

/**
 * Starts the paper exchange of a dry run. Its account gets the mode and balance of the real account.
 * @param loaded the configuration of the real exchange
 * @throws OddsmakerError LOGIN_REFUSED, EXCHANGE_UNREACHABLE
 */
export async function startDryExchange(loaded: LoadedConfig, log: Log): Promise<EmbeddedExchange> {
  const { exchange, sports, markets } = loaded.config;
  const { profile, playerMode } = exchange;
  const target = targetOf(loaded, undefined);
  let account: AccountOptions = { username: target.username, password: PASSWORD, mode: playerMode };
  const watcher = new Watcher(loaded, target, {
    log,
    loggedIn: ({ mode = playerMode, balance = 0 }) => {
      account = { ...account, mode, cash: balance, coins: balance };
    },
  });
  const closers: (() => unknown)[] = [() => watcher.close()];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    await watcher.logIn();
    const { startPaperExchange } = await import('../paper/server/index.ts');
    const events = new PassThrough({ objectMode: true });
    const paper = await startPaperExchange({
      traders: 'tape',
      accounts: [account],
      profile,
      sports,
      league: markets.leagues[0] ?? 'NBA',
      feeds: [{ name: 'the live feed', events: events as AsyncIterable<readonly MarketEvent[]>, isLive: true }],
    });
    closers.push(() => paper.close());
    closers.push(() => events.end());
    const market = new WatchedMarket(profile, log, (received) => events.write(received));
    const feedCut = new FeedCut(paper, target.username);
    closers.push(() => feedCut.stopCuts());
    const read = watcher.watch({
      received: (arrival, { t }) => {
        if (arrival.type === 'feed') {
          const { feed, status, reason } = arrival;
          if (status === 'down') log.warn('a feed of the real exchange is down', { feed, reason });
          if (feed === 'prices') feedCut.feed(status);
        }
        market.applyArrival(arrival, t, target.username);
      },
      read: (request, body, sent, { t }) => market.applyRead(request, body, sent, t),
    });
    await awaitBooks(read, exchange.startTimeout, target.restUrl);
    const { restUrl, socketUrl, adminUrl } = paper;
    return { restUrl, socketUrl, adminUrl, died: Promise.race([watcher.lost, failureOf(paper)]), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Waits until the books have been read: a bot that finds no games would consider its leagues empty.
 * @throws OddsmakerError EXCHANGE_UNREACHABLE
 */
async function awaitBooks(read: Promise<void>, withinMs: number, restUrl: string): Promise<void> {
  const ending = new AbortController();
  const late = sleep(withinMs, undefined, { signal: ending.signal }).then(() => {
    throw new OddsmakerError(
      'EXCHANGE_UNREACHABLE',
      `${restUrl}: no books within ${withinMs / 1000} s: its price feed does not come up`,
    );
  });
  late.catch(() => undefined);
  await Promise.race([read, late]);
  ending.abort();
  // until the paper exchange has taken in the books
  await sleep(PLAY_MS);
}

const failureOf = ({ failed, played }: PaperExchange): Promise<OddsmakerError> =>
  Promise.race([failed, played.then(() => new Promise<never>(() => undefined))]).catch(
    (error: unknown) => new OddsmakerError('EMBEDDED_EXCHANGE_DIED', `the dry exchange ended: ${String(error)}`),
  );

/** Turns received messages into market events for the tape traders of the paper exchange. */
class WatchedMarket {
  readonly #decoder: TapeDecoder;
  readonly #profile: LoadedConfig['config']['exchange']['profile'];
  readonly #log: Log;
  readonly #send: (events: readonly MarketEvent[]) => void;
  #unreadable = 0;

  constructor(
    profile: LoadedConfig['config']['exchange']['profile'],
    log: Log,
    send: (events: readonly MarketEvent[]) => void,
  ) {
    this.#profile = profile;
    this.#log = log;
    this.#send = send;
    this.#decoder = new TapeDecoder('the live feed', {
      view: bookPerspectiveOf(profile),
      namespace: profile.priceNamespace,
      userNamespace: profile.userNamespace,
    });
  }

  applyArrival(arrival: FeedArrival, ts: number, username: string): void {
    const { priceNamespace, userNamespace } = this.#profile;
    const ns = arrival.feed === 'prices' ? priceNamespace : userNamespace + username;
    if (arrival.type === 'frame') this.#read({ ts, ns, event: arrival.event, data: arrival.data });
    else if (arrival.type === 'long-frame')
      for (const event of ['disconnect', 'connect']) this.#read({ ts, ns, event, data: '' });
    else this.#read({ ts, ns, event: arrival.status === 'up' ? 'connect' : 'disconnect', data: '' });
  }

  applyRead(request: string, body: unknown, sent: number, ts: number): void {
    this.#read({ ts, ns: 'rest', event: request, data: JSON.stringify(body), sent });
  }

  #read(frame: Parameters<TapeDecoder['read']>[0]): void {
    try {
      const events = this.#decoder.read(frame);
      if (events.length > 0) this.#send(events);
    } catch (error) {
      if (!(error instanceof OddsmakerError)) throw error;
      this.#unreadable += 1;
      if (this.#unreadable <= MOST_WARNINGS)
        this.#log.warn('an unreadable message of the exchange is not in the dry books', { problem: error.message });
    }
  }
}

/** Cuts the bot's price feed while the real one is down, so that a stale book does not look fresh. */
class FeedCut {
  readonly #paper: PaperExchange;
  readonly #username: string;
  #timer: NodeJS.Timeout | undefined;

  constructor(paper: PaperExchange, username: string) {
    this.#paper = paper;
    this.#username = username;
  }

  feed(status: 'up' | 'down'): void {
    this.stopCuts();
    if (status === 'up') return;
    this.#cut();
    this.#timer = setInterval(() => this.#cut(), CUT_EVERY_MS);
  }

  #cut(): void {
    this.#paper.cutPrices(this.#username);
  }

  stopCuts(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

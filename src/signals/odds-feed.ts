// An odds feed as a source of signals: read again and again, matched with the games of the exchange, and told as
// `odds:<market>`, the probability of the market's first side (home, over) as the bookmakers see it.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DrawRule, Game } from '../domain/index.ts';
import { didYouMean, marketId, messageOf, namedGame, ODDS_PREFIX, teamChange } from '../domain/index.ts';
import type { FairPrice, FairSettings } from './odds-fair.ts';
import { fairPrices } from './odds-fair.ts';
import type { OddsReader, OddsReading } from './odds-reader.ts';
import type { OddsDocument } from './odds-shape.ts';
import { readOdds } from './odds-shape.ts';
import type { SignalLog, SignalSource } from './source.ts';
import { SourceHealth } from './source.ts';
import type { MatchedEvent, TeamTable, UnmatchedEvent } from './team-match.ts';
import { matchEvents, plainName } from './team-match.ts';

export type OddsSettings = FairSettings & { readonly table: TeamTable };

export type OddsPorts = {
  readonly read: OddsReader;
  /** True: the bot took them. */
  readonly take: (messages: readonly unknown[]) => boolean;
  /** Games as the exchange tells them now. */
  readonly games: () => Iterable<Game>;
  readonly drawOf: (game: Game) => DrawRule;
  readonly log: SignalLog;
  /** Monotonic ms, and Unix ms. */
  readonly now: () => number;
  readonly wall: () => number;
};

const MOST_PAUSE_MS = 10 * 60_000;
/** Events and reasons that are named. */
const MOST_NAMED = 50;

export class OddsFeed implements SignalSource {
  readonly name = 'odds';
  readonly #settings: OddsSettings;
  readonly #ports: OddsPorts;
  readonly #health: SourceHealth;
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  #isReading = false;
  #wake: () => void = () => undefined;
  #document: { readonly of: OddsDocument; readonly readAt: number } | undefined;
  /** What is wrong with the text that was read last. */
  #fault: string | undefined;
  /** As it was told last, by name. */
  readonly #sent = new Map<string, { readonly p: number; readonly ts: number }>();
  /** What was told once. */
  readonly #told = new Set<string>();
  #unmatched: readonly UnmatchedEvent[] = [];
  #matched = 0;
  #left: readonly string[] = [];
  #prices = 0;

  /** Reads at once, and then every `everyMs`, until it is closed. */
  constructor(settings: OddsSettings, ports: OddsPorts) {
    this.#settings = settings;
    this.#ports = ports;
    this.#health = new SourceHealth(this.name, ports.log, ports.now);
    this.#running = this.#run();
  }

  get problem(): string | undefined {
    return this.#health.problem;
  }

  get details(): Readonly<Record<string, unknown>> {
    const { events = [], skipped, format } = this.#document?.of ?? {};
    return {
      events: events.length,
      matched: this.#matched,
      prices: this.#prices,
      unmatched: this.#unmatched.slice(0, MOST_NAMED).map(unmatchedText),
      unmatchedCount: this.#unmatched.length,
      withoutPrice: this.#left.slice(0, MOST_NAMED),
      ...(skipped !== undefined && { skipped, format }),
    };
  }

  /** A reading that never ends is left alone: what comes of it is not taken. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#wake();
    if (!this.#isReading) await this.#running;
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#isClosed) {
      this.#isReading = true;
      const reading = await this.#ports.read(this.#closing.signal);
      this.#isReading = false;
      if (this.#isClosed) return;
      let isRead = false;
      try {
        isRead = this.#apply(reading);
        // also of a document that is as it was: games become known, and others are over
        await this.#price();
        if (isRead) this.#health.works();
      } catch (error) {
        // whatever a vendor says must not end a bot
        this.#health.fail(`what the feed says cannot be priced: ${messageOf(error)}`);
      }
      // to look whether a file is another costs nobody anything
      const isFree = reading.type === 'same' && !reading.isCurrent;
      failures = isRead ? 0 : isFree ? failures : failures + 1;
      const backOff = Math.min(MOST_PAUSE_MS, this.#settings.everyMs * 2 ** Math.max(0, failures - 1));
      const asked = reading.type === 'failed' ? (reading.waitMs ?? 0) : 0;
      await this.#pause(Math.max(this.#settings.everyMs, backOff, asked));
    }
  }

  /** False: nothing could be read. */
  #apply(reading: OddsReading): boolean {
    if (reading.type === 'new') this.#fault = this.#takeDocument(reading.text);
    const problem = reading.type === 'failed' ? reading.problem : this.#fault;
    if (problem !== undefined) {
      this.#health.fail(problem);
      return false;
    }
    if (reading.type === 'same' && reading.isCurrent && this.#document !== undefined)
      this.#document = { ...this.#document, readAt: this.#ports.wall() };
    return true;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /**
   * What is wrong with it. What was read before stays where it is no document, as long as its time is; one of which everything is
   * left out withdraws it.
   */
  #takeDocument(text: string): string | undefined {
    const of = readOdds(text);
    if (typeof of === 'string') return `what the feed says cannot be read: ${of}`;
    this.#document = { of, readAt: this.#ports.wall() };
    this.#tellBooks(of);
    const { skipped } = of;
    const count = skipped.events + skipped.markets;
    if (count === 0) return undefined;
    if (!of.events.some(({ books }) => books.some(({ markets }) => markets.length > 0)))
      return `nothing of what the feed says can be read: events left out: ${skipped.events}, markets: ${skipped.markets}`;
    // again when there are about twice as many: a few are always odd
    const key = `skipped ${count.toString(2).length}`;
    this.#once(key, 'parts of the odds feed cannot be read, and are left out', { ...skipped });
    return undefined;
  }

  async #price(): Promise<void> {
    if (this.#document === undefined) return;
    const { of, readAt } = this.#document;
    const now = this.#ports.wall();
    const games = [...this.#ports.games()];
    if (games.length === 0) return;
    const { table } = this.#settings;
    const { matched: all, unmatched } = await matchEvents(of.events, games, table, nextTurn, now);
    if (this.#isClosed) return;
    // home and away may have changed places meanwhile: the next reading has them as they are
    const headers = new Map([...this.#ports.games()].map((game) => [game.id, game]));
    const matched = all.filter(({ game }) => teamChange(game, headers.get(game.id) ?? game) === 'same');
    this.#matched = matched.length;
    this.#unmatched = unmatched;
    this.#tellUnmatched(games);
    const left = new Set<string>();
    const prices = new Map<string, FairPrice>();
    for (const match of matched) {
      const { eventName, start } = match.game;
      const isAlone = matched.every(({ game }) => game === match.game || game.eventName !== eventName);
      const name = isAlone ? eventName : namedGame(eventName, start);
      try {
        const told = fairPrices(match.event, this.#ports.drawOf(match.game), this.#settings, readAt, now);
        for (const why of told.left) left.add(`${name}: ${why}`);
        for (const price of told.prices) prices.set(...signalOf(match, price));
      } catch (error) {
        // one event must not silence the others
        left.add(`${name}: it cannot be priced: ${messageOf(error)}`);
      }
    }
    this.#left = [...left];
    for (const why of left) this.#once(`left ${why}`, 'odds that give no price are left out', { why });
    this.#prices = prices.size;
    this.#send(prices);
  }

  /** Those that are others than before, all of one time together; what has no price any more is withdrawn at once. */
  #send(prices: ReadonlyMap<string, FairPrice>): void {
    const { ttlMs } = this.#settings;
    const news = [...prices].filter(([name, { p, ts }]) => {
      const sent = this.#sent.get(name);
      return sent?.p !== p || sent.ts !== ts;
    });
    const gone = [...this.#sent.keys()].filter((name) => !prices.has(name));
    if (news.length + gone.length === 0) return;
    const byTime = Map.groupBy(news, ([, { ts }]) => ts);
    const messages: unknown[] = [...byTime].map(([ts, all]) => ({
      values: Object.fromEntries(all.map(([name, { p }]) => [name, p])),
      ttl: ttlMs,
      ts,
    }));
    if (gone.length > 0) messages.push({ values: Object.fromEntries(gone.map((name) => [name, null])), ttl: ttlMs });
    if (!this.#ports.take(messages)) return;
    this.#sent.clear();
    for (const [name, { p, ts }] of prices) this.#sent.set(name, { p, ts });
  }

  #tellUnmatched(games: readonly Game[]): void {
    for (const one of this.#unmatched)
      this.#once(`unmatched ${one.event.id}`, 'an event of the odds feed is no game of the exchange', {
        event: `${one.event.away} @ ${one.event.home}`,
        sport: one.event.sport,
        start: new Date(one.event.start).toISOString(),
        why: one.why,
      });
    const teams = games.flatMap(({ home, away }) => [home.name, home.shortName, away.name, away.shortName]);
    const known = new Set(teams.map(plainName));
    const missing = Object.values(this.#settings.table).filter((name) => !known.has(plainName(name)));
    if (missing.length > 0)
      this.#once('table', 'teams of signals.odds.teams are in no game of the exchange now', {
        teams: missing.slice(0, MOST_NAMED).map((name) => `${name}${didYouMean(name, teams)}`),
        of: missing.length,
      });
  }

  /** Books of the configuration that the feed does not have: perhaps their names are others. */
  #tellBooks({ events }: OddsDocument): void {
    const books = [...new Set(events.flatMap(({ books: of }) => of.flatMap(({ key, title }) => [key, title])))];
    const known = new Set(books.map((name) => name.toLowerCase()));
    const missing = Object.keys(this.#settings.weights).filter((name) => !known.has(name.toLowerCase()));
    if (events.length > 0 && missing.length > 0)
      this.#once('books', 'the odds feed has no such bookmakers', {
        books: missing.map((name) => `${name}${didYouMean(name, books)}`),
      });
  }

  #once(key: string, message: string, fields: Readonly<Record<string, unknown>>): void {
    if (this.#told.has(key) || this.#told.size >= MOST_TOLD) return;
    this.#told.add(key);
    this.#ports.log.warn(message, { source: this.name, ...fields });
  }
}

/** Sentences of one run. */
const MOST_TOLD = 2000;

const unmatchedText = ({ event, why }: UnmatchedEvent): string =>
  `${event.away} @ ${event.home}, ${new Date(event.start).toISOString()}: ${why}`;

/** By its name, of the market's first side: what is home in the feed may be away at the exchange. */
function signalOf({ game, isTurned }: MatchedEvent, price: FairPrice): readonly [string, FairPrice] {
  const isOther = isTurned && price.type !== 'total';
  const line = price.line !== undefined && isOther ? 0 - price.line : price.line;
  const name = `${ODDS_PREFIX}${marketId(game.id, price.type, line)}`;
  return [name, isOther ? { ...price, line, p: 1 - price.p } : price];
}

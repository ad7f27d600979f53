// An odds feed as a source of signals: polled, matched with the games of the exchange, and sent as
// `odds:<market>`, the bookmakers' fair probability of the market's first side (home, over), and as
// `model:<market>` where a model of each game is fitted.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Game } from '../domain/index.ts';
import { didYouMean, messageOf, ODDS_PREFIX, teamChange } from '../domain/index.ts';
import type { ModelPorts, PriceGap, SignalPrice } from './feed-models.ts';
import type { OddsSettings } from './odds-pricer.ts';
import { OddsPricer } from './odds-pricer.ts';
import type { OddsReader, OddsReading } from './odds-reader.ts';
import type { OddsDocument } from './odds-shape.ts';
import { readOdds } from './odds-shape.ts';
import type { SignalLog, SignalSource } from './source.ts';
import { SourceHealth } from './source.ts';
import type { MatchedEvent, UnmatchedEvent } from './team-match.ts';
import { matchEvents, plainName } from './team-match.ts';

export type OddsPorts = ModelPorts & {
  readonly read: OddsReader;
  /** Enters signal messages. Returns true when the bot accepted them. */
  readonly take: (messages: readonly unknown[]) => boolean;
  /** The exchange's current games. */
  readonly games: () => Iterable<Game>;
  readonly log: SignalLog;
  /** Monotonic ms, and Unix ms. */
  readonly now: () => number;
  readonly wall: () => number;
};

const MOST_PAUSE_MS = 10 * 60_000;
/** Events and reasons that status lists. */
const MOST_NAMED = 50;

export class OddsFeed implements SignalSource {
  readonly name = 'odds';
  readonly #settings: OddsSettings;
  readonly #ports: OddsPorts;
  readonly #health: SourceHealth;
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  #isReading = false;
  #isRepricing = false;
  #wake: () => void = () => undefined;
  /** The newest document that could be read, and when it was current, Unix ms. */
  #document: { readonly content: OddsDocument; readonly readAt: number } | undefined;
  /** The problem of the text that was read last. Undefined when it has none. */
  #fault: string | undefined;
  /** The prices that were sent last, by signal name. */
  readonly #sent = new Map<string, SignalPrice>();
  /** Keys of warnings that were logged. */
  readonly #logged = new Set<string>();
  readonly #pricer: OddsPricer;
  #unmatched: readonly UnmatchedEvent[] = [];
  #matched: readonly MatchedEvent[] = [];
  /** When the document of the matched events was current, Unix ms. */
  #matchedReadAt = 0;
  #left: readonly string[] = [];
  #gaps: readonly PriceGap[] = [];
  #prices = 0;

  /** Reads at once, and then every `everyMs`, until it is closed. */
  constructor(settings: OddsSettings, ports: OddsPorts) {
    this.#settings = settings;
    this.#ports = ports;
    this.#health = new SourceHealth(this.name, ports.log, ports.now);
    this.#pricer = new OddsPricer(settings, ports);
    this.#running = this.#run();
  }

  get problem(): string | undefined {
    return this.#health.problem;
  }

  get details(): Readonly<Record<string, unknown>> {
    const { events = [], skipped, format } = this.#document?.content ?? {};
    return {
      events: events.length,
      matched: this.#matched.length,
      prices: this.#prices,
      unmatched: this.#unmatched.slice(0, MOST_NAMED).map(unmatchedText),
      unmatchedCount: this.#unmatched.length,
      withoutPrice: this.#left.slice(0, MOST_NAMED),
      ...(this.#pricer.weights !== undefined && {
        gaps: this.#gaps.slice(0, MOST_NAMED).map(({ text }) => text),
        weights: this.#pricer.weights,
      }),
      ...(skipped !== undefined && { skipped, format }),
    };
  }

  /** Stops the feed. A reading that is still running is not awaited, and its result is ignored. */
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
        // also when the document is unchanged: new games appear, and others end
        await this.#price();
        if (isRead) this.#health.works();
      } catch (error) {
        // no vendor data may end a bot
        this.#health.fail(`the feed's document cannot be priced: ${messageOf(error)}`);
      }
      // checking whether a file has changed costs nothing, so it needs no back-off
      const isFree = reading.type === 'same' && !reading.isCurrent;
      failures = isRead ? 0 : isFree ? failures : failures + 1;
      const backOff = Math.min(MOST_PAUSE_MS, this.#settings.everyMs * 2 ** Math.max(0, failures - 1));
      const asked = reading.type === 'failed' ? (reading.waitMs ?? 0) : 0;
      await this.#pause(Math.max(this.#settings.everyMs, backOff, asked));
    }
  }

  /** Applies a reading. Returns false when it failed or its text could not be read. */
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
   * Reads a text and returns its problem, if any. When the text is not a document, the previous document
   * stays until its prices expire. When every part of it had to be left out, it still replaces the previous
   * one, so its prices are withdrawn.
   */
  #takeDocument(text: string): string | undefined {
    const content = readOdds(text);
    if (typeof content === 'string') return `the feed's document cannot be read: ${content}`;
    this.#document = { content, readAt: this.#ports.wall() };
    this.#warnOfMissingBooks(content);
    const { skipped } = content;
    const count = skipped.events + skipped.markets;
    if (count === 0) return undefined;
    if (!content.events.some(({ books }) => books.some(({ markets }) => markets.length > 0)))
      return `nothing in the feed's document can be read: events left out: ${skipped.events}, markets: ${skipped.markets}`;
    // warns again when the count has about doubled: a few bad parts are normal
    const key = `skipped ${count.toString(2).length}`;
    this.#once(key, 'parts of the odds feed cannot be read, and are left out', {
      ...skipped,
      first: content.faults.slice(0, 3),
    });
    return undefined;
  }

  async #price(): Promise<void> {
    if (this.#document === undefined) return;
    const { content, readAt } = this.#document;
    const now = this.#ports.wall();
    const games = [...this.#ports.games()];
    if (games.length === 0) return;
    const { table } = this.#settings;
    const { matched: all, unmatched } = await matchEvents(content.events, games, table, nextTurn, now);
    if (this.#isClosed) return;
    this.#matched = all;
    this.#matchedReadAt = readAt;
    this.#unmatched = unmatched;
    this.#pricer.keepOnly(all);
    this.#warnOfUnmatched(games);
    this.#reprice();
  }

  /** Prices the newest document again when the current work is done: the prices in play follow a score. */
  repriceSoon(): void {
    if (this.#pricer.weights === undefined || this.#isRepricing) return;
    this.#isRepricing = true;
    setImmediate(() => {
      this.#isRepricing = false;
      this.#reprice();
    });
  }

  #reprice(): void {
    if (this.#isClosed) return;
    const now = this.#ports.wall();
    // home and away may have been swapped meanwhile; the next reading uses the new teams
    const headers = new Map([...this.#ports.games()].map((game) => [game.id, game]));
    this.#matched = this.#matched.flatMap((match) => {
      const game = headers.get(match.game.id) ?? match.game;
      return teamChange(match.game, game) === 'same' ? [{ ...match, game }] : [];
    });
    const { prices, left, gaps } = this.#pricer.price(this.#matched, this.#matchedReadAt, now);
    this.#left = left;
    this.#gaps = gaps;
    // the same reason with other numbers is no news
    for (const why of left)
      this.#once(`left ${why.replace(/\d\.\d+/g, '')}`, 'odds that give no price are left out', { why });
    this.#prices = [...prices.keys()].filter((name) => name.startsWith(ODDS_PREFIX)).length;
    this.#send(prices);
  }

  /** Quotes that are far from all others of their game now. */
  get gaps(): readonly PriceGap[] {
    return this.#gaps;
  }

  /**
   * Sends the prices that changed, one message per time. A signal that no longer has a price is withdrawn at
   * once.
   */
  #send(prices: ReadonlyMap<string, SignalPrice>): void {
    const { ttlMs } = this.#settings;
    const changed = [...prices].filter(([name, { p, ts }]) => {
      const sent = this.#sent.get(name);
      return sent?.p !== p || sent.ts !== ts;
    });
    const gone = [...this.#sent.keys()].filter((name) => !prices.has(name));
    if (changed.length + gone.length === 0) return;
    const byTime = Map.groupBy(changed, ([, { ts }]) => ts);
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

  #warnOfUnmatched(games: readonly Game[]): void {
    for (const unmatched of this.#unmatched)
      this.#once(`unmatched ${unmatched.event.id}`, 'an event of the odds feed matches no game of the exchange', {
        event: `${unmatched.event.away} @ ${unmatched.event.home}`,
        sport: unmatched.event.sport,
        start: new Date(unmatched.event.start).toISOString(),
        why: unmatched.why,
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

  /** Warns of configured books that the feed does not have: their names may be misspelt. */
  #warnOfMissingBooks({ events }: OddsDocument): void {
    const books = [...new Set(events.flatMap(({ books: listed }) => listed.flatMap(({ key, title }) => [key, title])))];
    const known = new Set(books.map((name) => name.toLowerCase()));
    const missing = Object.keys(this.#settings.weights).filter((name) => !known.has(name.toLowerCase()));
    if (events.length > 0 && missing.length > 0)
      this.#once('books', 'the odds feed has no such bookmakers', {
        books: missing.map((name) => `${name}${didYouMean(name, books)}`),
      });
  }

  /** Logs a warning once per key. */
  #once(key: string, message: string, fields: Readonly<Record<string, unknown>>): void {
    if (this.#logged.has(key) || this.#logged.size >= MOST_WARNINGS) return;
    this.#logged.add(key);
    this.#ports.log.warn(message, { source: this.name, ...fields });
  }
}

/** Warnings that one run logs. */
const MOST_WARNINGS = 2000;

const unmatchedText = ({ event, why }: UnmatchedEvent): string =>
  `${event.away} @ ${event.home}, ${new Date(event.start).toISOString()}: ${why}`;

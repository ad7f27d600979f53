// Writes odds documents of the past as tapes of signals: what the odds feed of a bot would have sent, had it read each
// document when it was fetched.
import type { Game, GameId, Market } from '../domain/index.ts';
import { isoTime, market, SIGNAL_LINE, Sports } from '../domain/index.ts';
import { oddsGame } from '../history/index.ts';
import type {
  EventHistory,
  MatchedEvent,
  OddsEvent,
  OddsHistory,
  OddsSnapshot,
  OddsSettings,
  UnmatchedEvent,
} from '../signals/index.ts';
import { eventKey, eventText, matchEvents, OddsPricer, quotesOf } from '../signals/index.ts';
import { headerText, TapeDraft } from '../tape/index.ts';
import { join } from 'node:path';

/** The games that odds are matched with. */
export type OddsGames = {
  /** The games at a time, Unix ms. */
  readonly at: (t: number) => readonly Game[];
  readonly marketsOf: (id: GameId) => Iterable<{ readonly market: Market; readonly game: Game }>;
};

export type OddsImportSettings = Omit<OddsSettings, 'everyMs'> & {
  readonly out: string;
  /** Undefined: each event is a game of its own. */
  readonly games: OddsGames | undefined;
  readonly progress: (done: number, all: number) => void;
};

export type ImportedOdds = {
  readonly tapes: readonly {
    readonly file: string;
    readonly from: number;
    readonly to: number;
    readonly messages: number;
    readonly names: number;
  }[];
  readonly documents: number;
  /** Events with a price, and all events. */
  readonly priced: number;
  readonly events: number;
  readonly unmatched: readonly { readonly event: string; readonly start: number; readonly why: string }[];
  /** What gave no price, and why. */
  readonly left: readonly string[];
};

/** @throws OddsmakerError OUT_UNWRITABLE */
export async function importOdds(history: OddsHistory, settings: OddsImportSettings): Promise<ImportedOdds> {
  const player = new OddsPlayer(history, settings);
  const tapes: ImportedOdds['tapes'][number][] = [];
  const byDay = Map.groupBy(player.times, (t) => isoTime(t).slice(0, 10));
  let done = 0;
  for (const [day, times] of byDay) {
    const file = join(settings.out, `odds-${day}.ndjson.zst`);
    const tape = new TapeDraft(file);
    try {
      const names = new Set<string>();
      let messages = 0;
      await tape.write(headerText({ from: times[0] ?? 0, depth: null, perspective: 'offerer' }));
      for (const t of times) {
        for (const values of await player.play(t)) {
          for (const name of Object.keys(values)) names.add(name);
          messages += 1;
          await tape.write(JSON.stringify({ ts: t, ...SIGNAL_LINE, data: { values, ttl: settings.ttlMs } }));
        }
        settings.progress((done += 1), player.times.length);
      }
      if (messages === 0) continue;
      await tape.keep();
      tapes.push({ file, from: times[0] ?? 0, to: times.at(-1) ?? 0, messages, names: names.size });
    } finally {
      // keeps nothing that is not whole
      await tape.drop();
    }
  }
  return { tapes, documents: history.documents, ...player.figures };
}

type Values = Readonly<Record<string, number | null>>;

/** Plays documents in the order in which they were fetched. */
class OddsPlayer {
  readonly times: readonly number[];
  readonly #settings: OddsImportSettings;
  readonly #documents: ReadonlyMap<number, readonly OddsSnapshot[]>;
  readonly #ownGames = new OwnGames();
  readonly #pricer: OddsPricer;
  readonly #pricing: OddsSettings;
  /** The newest listing of each event. */
  readonly #current = new Map<string, OddsSnapshot>();
  /** Names that an event has sent and not withdrawn. */
  readonly #sent = new Map<string, ReadonlySet<string>>();
  readonly #priced = new Set<string>();
  readonly #unmatched = new Map<string, UnmatchedEvent>();
  readonly #left = new Set<string>();
  readonly #histories: readonly EventHistory[];

  constructor(history: OddsHistory, settings: OddsImportSettings) {
    this.#settings = settings;
    this.#histories = history.events;
    const documents = new Map<number, OddsSnapshot[]>();
    for (const { event, snapshots } of this.#histories) {
      if (settings.games === undefined) this.#ownGames.add({ event, snapshots }, settings);
      for (const snapshot of snapshots) {
        const listed = documents.get(snapshot.fetchedAt) ?? [];
        listed.push(snapshot);
        documents.set(snapshot.fetchedAt, listed);
      }
    }
    this.#documents = documents;
    this.times = [...documents.keys()].sort((a, b) => a - b);
    const sports = new Sports();
    const games = settings.games ?? this.#ownGames;
    // each document is whole: no price of it expires before the next reading
    this.#pricing = { ...settings, everyMs: 0 };
    this.#pricer = new OddsPricer(this.#pricing, {
      sportOf: (game) => sports.sportOf(game).sport,
      drawOf: (game) => sports.sportOf(game).rule.draw,
      marketsOf: (id) => games.marketsOf(id),
      // the exchange's own book is not read here, and no document has a score
      consensusIn: () => [],
      scoreOf: () => undefined,
    });
  }

  get figures(): Pick<ImportedOdds, 'priced' | 'events' | 'unmatched' | 'left'> {
    const unmatched = [...this.#unmatched].filter(([key]) => !this.#priced.has(key));
    return {
      priced: this.#priced.size,
      events: this.#histories.length,
      unmatched: unmatched.map(([, { event, why }]) => ({ event: eventText(event), start: event.start, why })),
      left: [...this.#left],
    };
  }

  /** The messages of the document that was fetched at `t`: prices, then what it withdraws. */
  async play(t: number): Promise<readonly Values[]> {
    const listed = this.#documents.get(t) ?? [];
    const sports = new Set(listed.flatMap(({ event, isPart }) => (isPart === true ? [] : [event.sport])));
    // a whole document lists all events of its sports: the others of them are over
    for (const [key, { event, fetchedAt }] of this.#current)
      if (sports.has(event.sport) || t - fetchedAt > this.#settings.ttlMs) this.#current.delete(key);
    for (const snapshot of listed) this.#current.set(eventKey(snapshot.event), snapshot);
    const matched = await this.#match(t);
    this.#pricer.keepOnly(matched);
    const values: Record<string, number | null> = {};
    const isListed = new Set(listed.map(({ event }) => eventKey(event)));
    for (const match of matched) {
      const key = eventKey(match.event);
      if (!isListed.has(key)) continue;
      const { prices, left } = this.#pricer.price([match], t, t);
      for (const why of left) this.#left.add(why.replace(/\d\.\d{3}/g, '…'));
      for (const name of this.#sent.get(key) ?? []) if (!prices.has(name)) values[name] = null;
      for (const [name, { p }] of prices) values[name] = p;
      if (prices.size > 0) this.#priced.add(key);
      this.#sent.set(key, new Set(prices.keys()));
    }
    const isMatched = new Set(matched.map(({ event }) => eventKey(event)));
    for (const [key, names] of this.#sent) {
      if (isMatched.has(key)) continue;
      for (const name of names) values[name] ??= null;
      this.#sent.delete(key);
    }
    return Object.keys(values).length === 0 ? [] : [values];
  }

  async #match(t: number): Promise<readonly MatchedEvent[]> {
    const events = [...this.#current.values()].map(({ event }) => event);
    const { games } = this.#settings;
    if (games === undefined)
      return events.map((event) => ({ event, game: this.#ownGames.gameOf(event, t), isTurned: false }));
    const { matched, unmatched } = await matchEvents(
      events,
      games.at(t),
      this.#settings.table,
      () => Promise.resolve(),
      t,
    );
    for (const other of unmatched) this.#unmatched.set(eventKey(other.event), other);
    return matched;
  }
}

/** Games made of the events themselves, with the lines that their bookmakers quote. */
class OwnGames implements Pick<OddsGames, 'marketsOf'> {
  readonly #games = new Map<string, Game>();
  readonly #markets = new Map<GameId, readonly { readonly market: Market; readonly game: Game }[]>();

  add({ event, snapshots }: EventHistory, settings: OddsImportSettings): void {
    const game = oddsGame(event, event.start);
    this.#games.set(eventKey(event), game);
    const markets = new Map<string, Market>();
    for (const { event: listed, fetchedAt } of snapshots)
      for (const { period, type, line } of quotesOf(listed, settings, fetchedAt, fetchedAt).quotes) {
        const quoted = market(game.id, type, line);
        if (period === 'full') markets.set(quoted.id, quoted);
      }
    this.#markets.set(
      game.id,
      [...markets.values()].map((quoted) => ({ market: quoted, game })),
    );
  }

  gameOf(event: OddsEvent, t: number): Game {
    const game = this.#games.get(eventKey(event)) ?? oddsGame(event, event.start);
    return { ...game, live: event.start <= t };
  }

  marketsOf(id: GameId): Iterable<{ readonly market: Market; readonly game: Game }> {
    return this.#markets.get(id) ?? [];
  }
}

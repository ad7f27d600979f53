// Translates the games of a Betfair stream into messages of this exchange: a `gameUpdate` when a game begins,
// opens, closes, goes live, moves or ends, an `orderUpdate` for every side that changed. All messages of one
// moment are emitted together.
import type { GameId, MarketType, ParticipantId } from '../domain/index.ts';
import { isoTime, otherSport, sidesOf } from '../domain/index.ts';
import { encodeGame } from '../wire/index.ts';
import type { Teams, TwoWay } from './market-kind.ts';
import { kindOf, runnerKey, sportOf, teamsByName } from './market-kind.ts';
import type { LevelOrder } from './level-orders.ts';
import type { MarketChange, MarketDefinition, RunnerChange } from './stream-line.ts';
import type { TradeCount } from './two-way-book.ts';
import { TwoWayBook } from './two-way-book.ts';
import type { Winners } from './winners.ts';
import { winnersOf } from './winners.ts';

/** A line of a tape with its time `ts`, Unix ms. */
export type TapeLine = { readonly ts: number; readonly text: string };

export const NAMESPACE = '/priceUpdates';

/** @param escaped the payload as it is escaped in a JSON text */
const lineOf = (ts: number, event: 'gameUpdate' | 'orderUpdate', escaped: string): TapeLine => ({
  ts,
  text: `{"ts":${ts},"ns":"${NAMESPACE}","event":"${event}","data":"${escaped}"}`,
});
const escapedText = (json: unknown): string => JSON.stringify(JSON.stringify(json)).slice(1, -1);

export type GamesOptions = {
  /** The league of all games. Undefined: the country that Betfair names. */
  readonly league: string | undefined;
  /** The most rows of a ladder. */
  readonly depth: number;
  /**
   * Whether an offer that is taken in full is shown once more with nothing left. Otherwise it only
   * disappears, as on the feed.
   */
  readonly showsTaken: boolean;
};

/** The result of the import for one game. */
export type ImportedGame = {
  readonly gameId: GameId;
  readonly eventName: string;
  readonly league: string;
  readonly sport: string;
  readonly start: number;
  /** The number of markets that ever had offers. */
  readonly markets: number;
  readonly frames: number;
  readonly trades: TradeCount;
  readonly winners: readonly Winners[];
};

type Book = { readonly market: TwoWay; readonly book: TwoWayBook; shown: [string, string]; frames: number };
type MarketState = {
  readonly id: string;
  definition: MarketDefinition;
  readonly books: readonly Book[];
  isShown: boolean;
};
type Game = {
  readonly id: GameId;
  readonly definition: MarketDefinition;
  readonly teams: Teams;
  readonly markets: Map<string, MarketState>;
  signature: string;
  isOpen: boolean;
  isLive: boolean;
};

export class EventGames {
  readonly #options: GamesOptions;
  readonly #teams: ReadonlyMap<string, Teams>;
  readonly #games = new Map<string, Game>();
  /** The imported markets by Betfair id. */
  readonly #markets = new Map<string, { readonly game: Game; readonly state: MarketState }>();
  readonly #winners = new Map<string, Map<string, Winners>>();
  /** Changes of markets whose definition has not come yet, in their order. */
  readonly #undefined = new Map<string, MarketChange[]>();
  readonly leftOut = new Map<string, { readonly market: string; readonly reason: string }>();
  /** True when the stream has prices of the last trade; without ladders it is BASIC data. */
  hasLast = false;
  hasLadder = false;

  /** @param teams teams of events whose team market may come later in the stream */
  constructor(options: GamesOptions, teams: ReadonlyMap<string, Teams> = new Map()) {
    this.#options = options;
    this.#teams = teams;
  }

  get importedGames(): readonly ImportedGame[] {
    const { league } = this.#options;
    return [...this.#games].map(([eventId, { id, definition, markets }]) => {
      const books = [...markets.values()].flatMap((state) => state.books);
      const trades = { traded: 0, found: 0 };
      for (const { book } of books) {
        trades.traded += book.trades.traded;
        trades.found += book.trades.found;
      }
      return {
        gameId: id,
        eventName: nameOf(definition, this.#teamsOf(definition)),
        league: leagueOf(definition, league),
        sport: sportOf(definition),
        start: definition.start,
        markets: books.filter((marketBook) => marketBook.frames > 0).length,
        frames: books.reduce((sum, marketBook) => sum + marketBook.frames, 0),
        trades,
        winners: [...(this.#winners.get(eventId)?.values() ?? [])],
      };
    });
  }

  /** Applies all changes of one moment, Unix ms. Returns the lines of the tape. */
  applyChanges(ts: number, changes: readonly MarketChange[]): readonly TapeLine[] {
    const lines: TapeLine[] = [];
    const touched = new Set<Game>();
    for (const { id, definition } of changes) {
      const game = definition === undefined ? undefined : this.#define(id, definition);
      if (game !== undefined) touched.add(game);
    }
    for (const game of touched) lines.push(...this.#gameLines(ts, game));
    const turned = [...touched].flatMap((game) => turnedIn(game).map((state) => ({ game, state })));
    for (const change of changes) {
      for (const early of this.#takeEarly(change)) lines.push(...this.#bookLines(ts, early));
      lines.push(...this.#bookLines(ts, change));
    }
    for (const { game, state } of turned)
      for (const marketBook of state.books)
        for (const side of [0, 1] as const)
          lines.push(...this.#sideLine(ts, game, marketBook, side, [], state.isShown));
    return lines;
  }

  /**
   * The changes that came before a market's definition, once it is defined: they appear at the time of the
   * definition.
   */
  #takeEarly(change: MarketChange): readonly MarketChange[] {
    const { id, isImage } = change;
    const early = this.#undefined.get(id);
    if (this.#markets.has(id) || this.leftOut.has(id)) {
      if (early !== undefined) this.#undefined.delete(id);
      return early ?? [];
    }
    // an image contains the whole book
    if (early === undefined || isImage) this.#undefined.set(id, [change]);
    else early.push(change);
    return [];
  }

  /** Ids of markets that never got a definition, so their game is unknown. */
  get neverDefined(): readonly string[] {
    return [...this.#undefined.keys()];
  }

  #define(id: string, definition: MarketDefinition): Game | undefined {
    const { eventId } = definition;
    const winners = winnersOf(id, definition);
    if (winners !== undefined) {
      const all = this.#winners.get(eventId) ?? new Map<string, Winners>();
      this.#winners.set(eventId, all.set(id, winners));
    }
    const known = this.#markets.get(id);
    if (known !== undefined) {
      known.state.definition = definition;
      return known.game;
    }
    if (this.leftOut.has(id)) return undefined;
    const kind = kindIn(definition, this.#options.league);
    if ('leftOut' in kind) {
      const market = `${definition.eventName ?? eventId}, ${definition.marketName ?? definition.marketType}`;
      this.leftOut.set(id, { market, reason: kind.leftOut });
      return undefined;
    }
    const game = this.#games.get(eventId) ?? this.#begin(definition, kind.teams);
    const prefix = `bf-${id.replace(/^1\./, '')}`;
    const books = kind.markets.map((market, index) => ({
      market,
      book: new TwoWayBook(market.runners, kind.markets.length === 1 ? prefix : `${prefix}-${index + 1}`),
      shown: ['', ''] as [string, string],
      frames: 0,
    }));
    const state: MarketState = { id, definition, books, isShown: true };
    game.markets.set(id, state);
    this.#markets.set(id, { game, state });
    return game;
  }

  #begin(definition: MarketDefinition, teams: Teams | undefined): Game {
    const { eventId } = definition;
    const game: Game = {
      id: `bf-${eventId}` as GameId,
      definition,
      teams: teams ?? this.#teamsOf(definition),
      markets: new Map(),
      signature: '',
      isOpen: false,
      isLive: false,
    };
    this.#games.set(eventId, game);
    return game;
  }

  #teamsOf(definition: MarketDefinition): Teams {
    return this.#games.get(definition.eventId)?.teams ?? this.#teams.get(definition.eventId) ?? teamsByName(definition);
  }

  #gameLines(ts: number, game: Game): readonly TapeLine[] {
    const definitions = [...game.markets.values()].map(({ definition }) => definition);
    const isOpen = definitions.some(({ status }) => status === 'OPEN');
    const isLive = definitions.some(({ inPlay }) => inPlay);
    const hasEnded = definitions.every(({ status }) => status === 'CLOSED');
    const start = Math.min(...definitions.map((definition) => definition.start));
    const isFirst = game.signature === '';
    const opens = isOpen !== game.isOpen || isFirst;
    game.isOpen = isOpen;
    game.isLive = isLive;
    const signature = JSON.stringify([isOpen, isLive, hasEnded, start]);
    if (signature === game.signature) return [];
    game.signature = signature;
    const { definition, teams, id } = game;
    const data = encodeGame({
      gameId: id,
      parentGameId: undefined,
      league: leagueOf(definition, this.#options.league),
      sport: sportOf(definition),
      eventName: nameOf(definition, teams),
      start,
      live: isLive,
      ended: hasEnded,
      futures: undefined,
      participants: (['away', 'home'] as const).map((homeAway) => ({
        id: teams[homeAway].id as ParticipantId,
        homeAway,
        longName: teams[homeAway].name,
        shortName: teams[homeAway].name.slice(0, 3).toUpperCase(),
      })),
      mainHomeSpread: undefined,
      mainTotal: undefined,
      messageType: opens ? (isOpen ? 'marketOpen' : 'marketClosed') : undefined,
      ladders: [],
      covers: [],
    });
    return [lineOf(ts, 'gameUpdate', escapedText(data))];
  }

  #bookLines(ts: number, { id, isImage, runners }: MarketChange): readonly TapeLine[] {
    for (const { hasLast, toBack, toLay, bestToBack, bestToLay } of runners) {
      if (hasLast) this.hasLast = true;
      if ((toBack ?? toLay ?? bestToBack ?? bestToLay) !== undefined) this.hasLadder = true;
    }
    const known = this.#markets.get(id);
    if (known === undefined || (runners.length === 0 && !isImage)) return [];
    const { game, state } = known;
    const byRunner = new Map<string, RunnerChange[]>();
    for (const runner of runners) {
      const key = runnerKey(runner);
      const all = byRunner.get(key);
      if (all === undefined) byRunner.set(key, [runner]);
      else all.push(runner);
    }
    const createdAt = isoTime(ts);
    return state.books.flatMap((marketBook) => {
      const [first, second] = marketBook.book.runners.map((key) => byRunner.get(key) ?? []) as [
        RunnerChange[],
        RunnerChange[],
      ];
      if (first.length + second.length === 0 && !isImage) return [];
      const { sides, spent } = marketBook.book.applyChanges([first, second], isImage, createdAt);
      if (!state.isShown) return [];
      return ([0, 1] as const)
        .filter((side) => sides.has(side))
        .flatMap((side) => this.#sideLine(ts, game, marketBook, side, spent[side]));
    });
  }

  #sideLine(
    ts: number,
    game: Game,
    marketBook: Book,
    side: 0 | 1,
    spent: readonly LevelOrder[],
    shows = true,
  ): readonly TapeLine[] {
    const { depth, showsTaken, league } = this.#options;
    const { definition, teams, id: gameID } = game;
    const { type, line } = marketBook.market;
    const name = sidesOf(type)[side];
    const place = placeOf(type, name, line, teams);
    const rowOf = (order: LevelOrder): string => (order.row ??= rowText(order, type, gameID, place));
    const taken = showsTaken ? spent.map(rowOf) : [];
    const rows = [...taken, ...(shows ? marketBook.book.rows(side, depth) : []).map(rowOf)];
    const shown = rows.join(',');
    // changes beyond the depth change nothing here
    if (shown === marketBook.shown[side]) return [];
    marketBook.shown[side] = taken.length > 0 ? `${shown} ` : shown;
    marketBook.frames += 1;
    const head = escapedText({
      gameID,
      sport: sportOf(definition),
      league: leagueOf(definition, league),
      live: game.isLive,
      type,
      ...place.frame,
    });
    return [lineOf(ts, 'orderUpdate', `${head.slice(0, -1)},\\"sideOrders\\":[${shown}]}`)];
  }
}

/**
 * Updates which markets are shown, and returns those that changed. A market that is suspended while others of
 * its game are open shows nothing, since nothing of it can be taken. A game that is closed as a whole sends
 * its own close.
 */
function turnedIn(game: Game): readonly MarketState[] {
  if (!game.isOpen) return [];
  const turned: MarketState[] = [];
  for (const state of game.markets.values()) {
    const isNow = state.definition.status === 'OPEN';
    if (isNow === state.isShown) continue;
    state.isShown = isNow;
    turned.push(state);
  }
  return turned;
}

/** The kind of a market; left out where its sport is not that of the league which games are to have. */
function kindIn(definition: MarketDefinition, league: string | undefined): ReturnType<typeof kindOf> {
  const sport = sportOf(definition);
  const ofLeague = league === undefined || definition.eventTypeId === '' ? undefined : otherSport(league, sport);
  return ofLeague === undefined
    ? kindOf(definition)
    : { leftOut: `${sport}, and ${league ?? ''} is ${ofLeague}: import it with another --league` };
}

const leagueOf = ({ countryCode }: MarketDefinition, league: string | undefined): string =>
  league ?? countryCode ?? 'INT';

const nameOf = ({ eventName }: MarketDefinition, { home, away }: Teams): string =>
  eventName ?? `${home.name} v ${away.name}`;

type Place = { readonly frame: object; readonly row: object };

function placeOf(
  type: MarketType,
  side: 'home' | 'away' | 'over' | 'under',
  line: number | undefined,
  teams: Teams,
): Place {
  const isTotal = side === 'over' || side === 'under';
  const participantID = isTotal ? null : teams[side].id;
  const spread = type === 'spread' && line !== undefined ? (side === 'home' ? line : 0 - line) : null;
  const total = type === 'total' ? (line ?? null) : null;
  const OU = isTotal ? side : null;
  return {
    frame: {
      ...(type === 'total' ? { OU, total } : {}),
      ...(type === 'spread' ? { spread } : {}),
      participantID,
    },
    row: { participantID, total, spread, OU },
  };
}

function rowText(
  { id, risk, untaken, odds, createdAt }: LevelOrder,
  type: MarketType,
  gameID: string,
  { row: { ...place } }: Place,
): string {
  return escapedText({
    id,
    type,
    risk: risk / 100,
    sumUntaken: untaken / 100,
    odds,
    takenRatio: Math.round((1 - untaken / risk) * 10_000) / 10_000,
    gameID,
    ...place,
    expiry: null,
    createdAt,
    gameStartExpiry: false,
  });
}

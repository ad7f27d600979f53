// The persistent state of the exchange as JSON records: accounts, games, orders, plays, tokens and the
// synthetic market. One line of the state file is one operation: all of its records or none. The newest
// record of an object counts.
import type {
  AmericanOdds,
  Game,
  GameId,
  GameResult,
  MarketId,
  MarketType,
  Micros,
  OrderId,
  PlayerMode,
  Rung,
  Side,
  TxId,
} from '../../domain/index.ts';
import { marketId, oddsOf, partOf, rungOf } from '../../domain/index.ts';
import type { Session } from '../api/sessions.ts';
import type {
  VenueAccount,
  AccountOptions,
  AccountStatus,
  SomeLimits,
  VenueChanges,
  GameDetails,
  MarketBook,
  VenueGame,
  MatchedPlay,
  VenueOrder,
  Venue,
} from '../../venue/index.ts';
import { bookFor, createGame, keepBook } from '../../venue/index.ts';

type AccountRecord = {
  readonly k: 'account';
  readonly username: string;
  readonly password: string | undefined;
  readonly id: string;
  readonly exempt: boolean;
  readonly status: AccountStatus;
  readonly mode: PlayerMode;
  readonly cash: number;
  readonly coins: number;
  readonly fills: number;
  readonly riskFilled: number;
  /** The last order number that the running cancel-all covers. Undefined when none runs. */
  readonly lock: number | undefined;
  /** Whether the cancel-all is a pause, whose orders can be resumed. */
  readonly isPausing?: boolean;
  /** Orders that pauses cancelled and that were not resumed. */
  readonly paused?: readonly string[];
  /** When all orders are cancelled unless a heartbeat arrives. */
  readonly heartbeatEndsMs?: number | undefined;
  readonly limits?: SomeLimits;
  readonly delayMs?: number;
};
type GameRecord = {
  readonly k: 'game';
  readonly header: Game;
  readonly details: GameDetails;
  readonly rotation: number;
  readonly started: boolean;
  readonly graded: GameResult | undefined;
  readonly gradedAtMs: number | undefined;
};
type OrderRecord = {
  readonly k: 'order';
  readonly id: string;
  readonly account: string;
  readonly mode: PlayerMode;
  readonly game: string;
  readonly type: MarketType;
  readonly line: number | undefined;
  readonly side: Side;
  readonly rung: number;
  readonly offered: number;
  readonly filled: number;
  readonly remaining: number;
  readonly createdAtMs: number;
  readonly seq: number;
  readonly bornSeq?: number;
  readonly expiryMs: number | undefined;
  readonly gameStartExpiry: boolean;
  readonly reference: string | undefined;
  readonly requestId?: string | undefined;
  readonly status: VenueOrder['status'];
  readonly cause: VenueOrder['cause'];
};
type PlayRecord = {
  readonly k: 'play';
  readonly txId: string;
  readonly order: string;
  readonly counterparty: string | undefined;
  readonly role: MatchedPlay['role'];
  readonly odds: number;
  readonly risk: number;
  readonly win: number;
  readonly atMs: number;
  readonly profit: number | undefined;
};
type UsedRecord = {
  readonly k: 'used';
  readonly id: string;
  readonly game: string;
  readonly used: number;
  readonly mostTaken: number;
};
export type StateRecord =
  | AccountRecord
  | GameRecord
  | OrderRecord
  | PlayRecord
  | { readonly k: 'forgotten'; readonly game: string }
  | UsedRecord
  | { readonly k: 'token'; readonly token: string; readonly account: string; readonly endsMs: number }
  | { readonly k: 'revoked'; readonly token: string }
  | { readonly k: 'market'; readonly state: unknown };

export function* recordsOf(changes: VenueChanges): Generator<StateRecord> {
  for (const account of changes.accounts) yield accountRecord(account);
  for (const game of changes.games) yield gameRecord(game);
  for (const game of changes.forgotten) yield { k: 'forgotten', game };
  for (const order of changes.orders) yield orderRecord(order);
  for (const play of changes.plays) yield playRecord(play);
  for (const offer of changes.used) yield { k: 'used', ...offer };
}

export const tokenRecord = (token: string, session: Session | undefined): StateRecord =>
  session === undefined
    ? { k: 'revoked', token }
    : { k: 'token', token, account: session.account.username, endsMs: session.endsMs };

const accountRecord = (account: VenueAccount): AccountRecord => ({
  k: 'account',
  username: account.username,
  password: account.password,
  id: account.id,
  exempt: account.exempt,
  status: account.status,
  mode: account.mode,
  cash: account.balances.cash,
  coins: account.balances.coins,
  fills: account.fills,
  riskFilled: account.riskFilled,
  lock: account.lock?.upToSeq,
  ...(account.lock?.remembers === true ? { isPausing: true } : {}),
  ...(account.paused.length === 0 ? {} : { paused: account.paused }),
  heartbeatEndsMs: account.heartbeatEndsMs,
  ...(account.limits === undefined ? {} : { limits: account.limits }),
  ...(account.delayMs === 0 ? {} : { delayMs: account.delayMs }),
});

const gameRecord = (game: VenueGame): GameRecord => ({
  k: 'game',
  header: game.header,
  details: game.details,
  rotation: game.awayRotationNumber,
  started: game.started,
  graded: game.graded,
  gradedAtMs: game.gradedAtMs,
});

/** A stored header with all its fields: files of version 0.2 have none for the part of a game. */
const completeHeader = (header: Game, { kind, periodName }: GameDetails): Game => ({
  ...partOf(
    {
      gameId: header.id,
      parentGameId: header.parentGameId,
      futures: header.futures,
      periodName,
      part: kind === 'child' || kind === 'prop' ? kind : undefined,
    },
    undefined,
  ),
  ...header,
});

const orderRecord = (order: VenueOrder): OrderRecord => ({
  k: 'order',
  id: order.id,
  account: order.account.username,
  mode: order.mode,
  game: order.book.market.gameId,
  type: order.book.market.type,
  line: order.book.market.line,
  side: order.side,
  rung: order.rung,
  offered: order.offered,
  filled: order.filled,
  remaining: order.remaining,
  createdAtMs: order.createdAtMs,
  seq: order.seq,
  // equal for most orders, and left out then
  ...(order.bornSeq === order.seq ? {} : { bornSeq: order.bornSeq }),
  expiryMs: order.expiryMs,
  gameStartExpiry: order.gameStartExpiry,
  reference: order.reference,
  requestId: order.requestId,
  status: order.status,
  cause: order.cause,
});

const playRecord = (play: MatchedPlay): PlayRecord => ({
  k: 'play',
  txId: play.txId,
  order: play.order.id,
  counterparty: play.counterparty,
  role: play.role,
  odds: play.odds,
  risk: play.risk,
  win: play.win,
  atMs: play.atMs,
  profit: play.profit,
});

/** The content of a state file: the newest record of each object. */
export class SavedState {
  readonly accounts = new Map<string, AccountRecord>();
  readonly tokens = new Map<string, Extract<StateRecord, { k: 'token' }>>();
  market: unknown;
  readonly #games = new Map<string, GameRecord>();
  readonly #orders = new Map<string, OrderRecord>();
  readonly #plays = new Map<string, PlayRecord>();
  readonly #used = new Map<string, UsedRecord>();

  applyRecord(record: StateRecord): void {
    switch (record.k) {
      case 'account':
        this.accounts.set(record.username, record);
        return;
      case 'game':
        this.#games.set(record.header.id, record);
        return;
      case 'order':
        this.#orders.set(record.id, record);
        return;
      case 'play':
        this.#plays.set(record.txId, record);
        return;
      case 'used':
        this.#used.set(record.id, record);
        return;
      case 'token':
        this.tokens.set(record.token, record);
        return;
      case 'revoked':
        this.tokens.delete(record.token);
        return;
      case 'market':
        this.market = record.state;
        return;
      case 'forgotten':
        this.#forget(record.game);
    }
  }

  #forget(game: string): void {
    this.#games.delete(game);
    for (const [txId, play] of this.#plays) if (this.#orders.get(play.order)?.game === game) this.#plays.delete(txId);
    for (const [id, order] of this.#orders) if (order.game === game) this.#orders.delete(id);
    for (const [id, offer] of this.#used) if (offer.game === game) this.#used.delete(id);
  }

  /** The options of a stored account. A password given at the start replaces the stored one. */
  optionsOf(record: AccountRecord, given: AccountOptions | undefined): AccountOptions {
    const { username, id, exempt, mode } = record;
    return { username, id, exempt, mode, password: given?.password ?? record.password };
  }

  /** Restores everything into a venue that already has the accounts. Time continues from `nowMs`. */
  restore(venue: Venue, nowMs: number): void {
    for (const { header: stored, details, rotation, started, graded, gradedAtMs } of this.#games.values()) {
      const header = completeHeader(stored, details);
      const game = createGame(header, details, venue.sportIn(header, details), rotation);
      venue.restoreGame(Object.assign(game, { started, graded, gradedAtMs }));
    }
    for (const { id, game, used, mostTaken } of this.#used.values())
      venue.used.restore({
        id: id as OrderId,
        game: game as GameId,
        used: used as Micros,
        mostTaken: mostTaken as Micros,
      });
    const orders = new Map<string, VenueOrder>();
    const books = new Map<MarketId, MarketBook>();
    for (const record of [...this.#orders.values()].sort((a, b) => a.seq - b.seq)) {
      const order = orderOf(venue, record, books);
      if (order === undefined) continue;
      orders.set(order.id, order);
      venue.restoreOrder(order);
    }
    for (const record of this.#plays.values()) {
      const order = orders.get(record.order);
      if (order !== undefined) venue.restorePlay(playOf(record, order));
    }
    for (const record of this.accounts.values()) {
      const account = venue.accounts.get(record.username);
      if (account === undefined) continue;
      account.status = record.status;
      account.balances.cash = record.cash as Micros;
      account.balances.coins = record.coins as Micros;
      account.fills = record.fills;
      account.riskFilled = record.riskFilled as Micros;
      if (record.heartbeatEndsMs !== undefined) venue.restoreHeartbeat(account, record.heartbeatEndsMs);
      if (record.limits !== undefined) venue.setLimits(account, record.limits, nowMs);
      account.delayMs = record.delayMs ?? 0;
      account.paused = (record.paused ?? []) as readonly OrderId[];
      const { lock: upToSeq, isPausing: remembers = false } = record;
      if (upToSeq !== undefined) venue.restoreLock(account, { upToSeq, remembers }, nowMs);
    }
  }
}

/**
 * Restores an order. `books` holds the books of earlier orders, because a game does not keep a book in which
 * nothing rests.
 */
function orderOf(venue: Venue, record: OrderRecord, books: Map<MarketId, MarketBook>): VenueOrder | undefined {
  const account = venue.accounts.get(record.account);
  const game = venue.games.get(record.game as GameId);
  if (account === undefined || game === undefined) return undefined;
  const rung = record.rung as Rung;
  const id = marketId(game.header.id, record.type, record.line);
  const book = books.get(id) ?? bookFor(game, record.type, record.line);
  books.set(id, book);
  if (record.status === 'open') keepBook(book);
  return {
    kind: 'order',
    id: record.id as OrderId,
    account,
    mode: record.mode,
    book,
    side: record.side,
    rung,
    odds: oddsOf(rung),
    offered: record.offered as Micros,
    filled: record.filled as Micros,
    remaining: record.remaining as Micros,
    createdAtMs: record.createdAtMs,
    seq: record.seq,
    bornSeq: record.bornSeq ?? record.seq,
    expiryMs: record.expiryMs,
    gameStartExpiry: record.gameStartExpiry,
    reference: record.reference,
    requestId: record.requestId,
    status: record.status,
    cause: record.cause,
    plays: [],
    row: undefined,
  };
}

const playOf = (record: PlayRecord, order: VenueOrder): MatchedPlay => ({
  txId: record.txId as TxId,
  order,
  counterparty: record.counterparty as OrderId | undefined,
  role: record.role,
  odds: oddsOf(rungOf(record.odds as AmericanOdds)),
  risk: record.risk as Micros,
  win: record.win as Micros,
  atMs: record.atMs,
  profit: record.profit as Micros | undefined,
});

// The records of the venue: accounts, their orders and plays, and the books of games. They are in one file
// because their types refer to each other.
import type {
  AmericanOdds,
  Bucket,
  Game,
  GameResult,
  KnownSport,
  Ladder,
  Market,
  MarketId,
  Micros,
  Offer,
  OrderId,
  PlayerMode,
  Rung,
  Side,
  SportRule,
  TxId,
} from '../domain/index.ts';
import type { Archive } from './archive.ts';
import type { CancelQueue } from './cancel-queue.ts';
import type { Credit } from './credit.ts';
import type { SlidingWindow } from './sliding-window.ts';

export type WindowLimits = Readonly<Record<Bucket, { readonly requests: number; readonly windowMs: number }>>;

/** New limits for some windows. Windows left out keep theirs. */
export type SomeLimits = { readonly [bucket in Bucket]?: WindowLimits[bucket] | undefined };

/**
 * The lock of a running cancel-all. It cancels every open order numbered up to `upToSeq`; the next cancel is
 * due at `nextMs`. `remembers` is true for a pause, which remembers what it cancels.
 */
export type CancelAllLock = { readonly upToSeq: number; nextMs: number; readonly remembers: boolean };

export type AccountStatus = 'active' | 'banned' | 'closed';

export type VenueAccount = {
  readonly id: string;
  readonly username: string;
  readonly password: string | undefined;
  readonly internal: boolean;
  /** Whether it is a privileged liquidity account without request windows (spec, Limits 9). */
  readonly exempt: boolean;
  status: AccountStatus;
  mode: PlayerMode;
  /** Whether its records carry the mode they were made in (wire profile, `modeOnRecords`). */
  readonly showsModes: boolean;
  /** Whether its records carry the reference (wire profile, `referenceOnRecords`). */
  readonly showsReferences: boolean;
  /**
   * Whether its orders that expire at the start of their game show that time (wire profile, `endsAtStart`).
   */
  readonly showsStarts: boolean;
  readonly balances: Record<PlayerMode, Micros>;
  readonly credit: Readonly<Record<PlayerMode, Credit>>;
  /** Open orders by id, oldest first. */
  readonly open: Map<OrderId, VenueOrder>;
  readonly byReference: Map<string, VenueOrder[]>;
  readonly plays: Archive<TxId, MatchedPlay>;
  fills: number;
  riskFilled: Micros;
  readonly windows: Record<Bucket, SlidingWindow>;
  /** The limits that an operator set. Undefined when none was set. */
  limits: SomeLimits | undefined;
  /** Delay added to each of its requests, ms (service rule 4). */
  delayMs: number;
  readonly cancelQueue: CancelQueue;
  lock: CancelAllLock | undefined;
  /** Orders that pauses cancelled and that were not resumed, oldest first. */
  paused: readonly OrderId[];
  /** When all its orders are cancelled unless a heartbeat arrives, ms. Undefined without heartbeats. */
  heartbeatEndsMs: number | undefined;
};

export type CancelCause = 'cancelled' | 'expired' | 'edited';

export type VenueOrder = {
  readonly kind: 'order';
  readonly id: OrderId;
  readonly account: VenueAccount;
  /** The account's mode when it was placed: the balance that it settles against. */
  readonly mode: PlayerMode;
  readonly book: MarketBook;
  /** Changes when home and away of the game are swapped. */
  side: Side;
  readonly rung: Rung;
  readonly odds: AmericanOdds;
  offered: Micros;
  filled: Micros;
  remaining: Micros;
  /** Whole milliseconds, so that ages compare equally as numbers here and as text at the client. */
  readonly createdAtMs: number;
  /** Breaks ties of age. */
  readonly seq: number;
  /**
   * `seq` of the first order with its id (wire profile, `editKeepsId`): it decides whether a cancel-all
   * covers the order.
   */
  readonly bornSeq: number;
  readonly expiryMs: number | undefined;
  readonly gameStartExpiry: boolean;
  readonly reference: string | undefined;
  /** Id of the request that placed it, shared by all orders of the request. */
  readonly requestId: string | undefined;
  status: 'open' | 'filled' | 'cancelled';
  /** Why it was cancelled, for the refusal of a take of it. */
  cause: CancelCause | undefined;
  plays: MatchedPlay[];
  /** Its cached row in the public book, JSON. Undefined after a change. */
  row: string | undefined;
};

export type MatchedPlay = {
  readonly txId: TxId;
  readonly order: VenueOrder;
  /** Id of the other order of the match, as the public book showed it. Undefined when unknown. */
  readonly counterparty: OrderId | undefined;
  readonly role: 'offer' | 'wager';
  readonly odds: AmericanOdds;
  readonly risk: Micros;
  readonly win: Micros;
  readonly atMs: number;
  /** The amount won, below 0 for a loss, 0 for a returned stake. Undefined until the play is settled. */
  profit: Micros | undefined;
};

/**
 * A recorded offer. `used` is the amount that accounts matched of it, which the recording does not contain.
 */
export type Ghost = {
  readonly kind: 'ghost';
  readonly id: OrderId;
  /** The offer as last applied, and as the current frame shows it (`shown`). */
  offer: Offer;
  shown: Offer;
  rung: Rung;
  odds: AmericanOdds;
  risk: Micros;
  untaken: Micros;
  /** The largest taken amount that any frame has shown: an older frame may arrive late. */
  mostTaken: Micros;
  used: Micros;
  readonly createdAtMs: number;
  /** The recorded expiry, in the venue's time. */
  readonly expiryMs: number | undefined;
  readonly seq: number;
  /** Number of the last frame that showed it. */
  frame: number;
  row: string | undefined;
};

export type Resting = VenueOrder | Ghost;

export type SideBook = {
  readonly book: MarketBook;
  /** Changes when home and away of the game are swapped. */
  side: Side;
  readonly orders: VenueOrder[];
  ghosts: readonly Ghost[];
  /** The recorded offers in the order of the rows, including the recording account's own. */
  rows: readonly Ghost[];
  /** The ladder as the recording last showed it. `isAsShown`: the recorded offers here still equal it. */
  offers: Ladder;
  isAsShown: boolean;
  readonly ghostById: Map<OrderId, Ghost>;
  /** When the recording last showed it. */
  shownMs: number;
  shownFrame: number;
  /** Its best price since the tape time `ts`, Unix ms, and the best price before that. */
  readonly newest: { ts: number; best: Rung | undefined; before: Rung | undefined };
  /** Whether it is already among the events of the current operation. */
  isReported: boolean;
};

export type MarketBook = {
  /** Changes, with its sides, when home and away of the game are swapped. */
  market: Market;
  readonly game: VenueGame;
  sides: readonly [SideBook, SideBook];
  /** Whether it stays in its game even when empty. */
  pinned: boolean;
};

/** The kind of a game. Child games (periods) and prop games (players) have a parent. */
export type GameKind = 'game' | 'child' | 'prop' | 'futures';

export type GameDetails = {
  readonly kind: GameKind;
  /** Period of a child game, such as `1st Half`. */
  readonly periodName: string | undefined;
  /** Market name of a futures game. */
  readonly marketName: string | undefined;
};

/** A game. `header.start` is in the venue's time. */
export type VenueGame = {
  header: Game;
  readonly details: GameDetails;
  /** The sport, with the rule that decides its markets. */
  readonly sport: KnownSport;
  /** Short for `sport.rule`. */
  readonly rule: SportRule;
  readonly awayRotationNumber: number;
  readonly homeRotationNumber: number;
  readonly books: Map<MarketId, MarketBook>;
  /** Volume matched by accounts, both stakes. */
  matched: Micros;
  /** Whether offers that expire at the start have been cancelled. */
  started: boolean;
  /** The result as far as it is known. The markets that it decides are settled. */
  graded: GameResult | undefined;
  gradedAtMs: number | undefined;
  /** The cached header, JSON. Undefined after a change. */
  headerJson: string | undefined;
  /** A counter that grows whenever the header or a book changes. */
  changes: number;
};

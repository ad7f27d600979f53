// The records of the venue: accounts, their orders and plays, and the books of games. They name each other.
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

/** Those that are named change. */
export type SomeLimits = { readonly [bucket in Bucket]?: WindowLimits[bucket] | undefined };

/**
 * A cancel-all has still to cancel every open order up to this one; the next falls due at `nextMs`. A pause remembers what it
 * cancels.
 */
export type CancelAllLock = { readonly upToSeq: number; nextMs: number; readonly remembers: boolean };

export type AccountStatus = 'active' | 'banned' | 'closed';

export type VenueAccount = {
  readonly id: string;
  readonly username: string;
  readonly password: string | undefined;
  readonly internal: boolean;
  /** A privileged liquidity account: no request windows (spec, Limits 9). */
  readonly exempt: boolean;
  status: AccountStatus;
  mode: PlayerMode;
  /** Its records name the mode that they were made in (wire profile, `modeOnRecords`). */
  readonly showsModes: boolean;
  /** Its records name the reference (wire profile, `referenceOnRecords`). */
  readonly showsReferences: boolean;
  /** Its orders that end at the start of their game tell that time (wire profile, `endsAtStart`). */
  readonly showsStarts: boolean;
  readonly balances: Record<PlayerMode, Micros>;
  readonly credit: Readonly<Record<PlayerMode, Credit>>;
  /** Oldest first. */
  readonly open: Map<OrderId, VenueOrder>;
  readonly byReference: Map<string, VenueOrder[]>;
  readonly plays: Archive<TxId, MatchedPlay>;
  fills: number;
  riskFilled: Micros;
  readonly windows: Record<Bucket, SlidingWindow>;
  /** Of those, what an operator set; undefined: nothing. */
  limits: SomeLimits | undefined;
  /** Each of its requests arrives this much later (service rule 4). */
  delayMs: number;
  readonly cancelQueue: CancelQueue;
  lock: CancelAllLock | undefined;
  /** What pauses cancelled and nobody has resumed, oldest first. */
  paused: readonly OrderId[];
  /** Without another heartbeat everything is cancelled then. */
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
  /** Another one once home and away of the game change places. */
  side: Side;
  readonly rung: Rung;
  readonly odds: AmericanOdds;
  offered: Micros;
  filled: Micros;
  remaining: Micros;
  /** Whole milliseconds: ages compare as numbers here and as text at the client. */
  readonly createdAtMs: number;
  /** Breaks ties of age. */
  readonly seq: number;
  /** The same of the first order that had its id (wire profile, `editKeepsId`): was it there when a cancel-all began? */
  readonly bornSeq: number;
  readonly expiryMs: number | undefined;
  readonly gameStartExpiry: boolean;
  readonly reference: string | undefined;
  /** Of the request that it came with: all orders of one request share it. */
  readonly requestId: string | undefined;
  status: 'open' | 'filled' | 'cancelled';
  /** Why it was cancelled: takers of it are told. */
  cause: CancelCause | undefined;
  plays: MatchedPlay[];
  /** Its row of the public book as JSON, until it changes. */
  row: string | undefined;
};

export type MatchedPlay = {
  readonly txId: TxId;
  readonly order: VenueOrder;
  /** The other order of the match, as the public book named it. */
  readonly counterparty: OrderId | undefined;
  readonly role: 'offer' | 'wager';
  readonly odds: AmericanOdds;
  readonly risk: Micros;
  readonly win: Micros;
  readonly atMs: number;
  /** What the final score made of it, once the game is graded: the amount won, below 0 lost, 0 returned. */
  profit: Micros | undefined;
};

/** A recorded offer. What accounts matched of it is `used`; the recording knows nothing of that. */
export type Ghost = {
  readonly kind: 'ghost';
  readonly id: OrderId;
  /** As it was told last, and as the frame in work tells it. */
  offer: Offer;
  told: Offer;
  rung: Rung;
  odds: AmericanOdds;
  risk: Micros;
  untaken: Micros;
  /** The most that was ever told to be taken of it: an older frame may come late. */
  mostTaken: Micros;
  used: Micros;
  readonly createdAtMs: number;
  /** As recorded, in the venue's time. */
  readonly expiryMs: number | undefined;
  readonly seq: number;
  /** The number of the last frame that showed it. */
  frame: number;
  row: string | undefined;
};

export type Resting = VenueOrder | Ghost;

export type SideBook = {
  readonly book: MarketBook;
  /** Another one once home and away of the game change places. */
  side: Side;
  readonly orders: VenueOrder[];
  ghosts: readonly Ghost[];
  /** The recorded offers in the order of the rows, those of whoever recorded included. */
  rows: readonly Ghost[];
  /** The ladder as the recording told it last; `isAsTold`: it stands here like that, own offers of accounts apart. */
  offers: Ladder;
  isAsTold: boolean;
  readonly ghostById: Map<OrderId, Ghost>;
  /** When the recording told of it last. */
  toldMs: number;
  toldFrame: number;
  /** Its best price since that time of the tape, Unix ms, and the one before. */
  readonly newest: { ts: number; best: Rung | undefined; before: Rung | undefined };
  /** It is among the events of the operation that runs. */
  told: boolean;
};

export type MarketBook = {
  /** With its sides, another one once home and away of the game change places. */
  market: Market;
  readonly game: VenueGame;
  sides: readonly [SideBook, SideBook];
  /** A trader of the venue's own keeps it: it is never put away. */
  pinned: boolean;
};

/** What a game is beside its header: child games (periods) and prop games (players) hang on a parent. */
export type GameKind = 'game' | 'child' | 'prop' | 'futures';

export type GameDetails = {
  readonly kind: GameKind;
  /** Of a child game: `1st Half`. */
  readonly periodName: string | undefined;
  /** Of a futures game: the market's name. */
  readonly marketName: string | undefined;
};

/** `header.start` is in the venue's time. */
export type VenueGame = {
  header: Game;
  readonly details: GameDetails;
  /** What decides its markets. */
  readonly sport: KnownSport;
  /** `sport.rule`, for the many who need that alone. */
  readonly rule: SportRule;
  readonly awayRotationNumber: number;
  readonly homeRotationNumber: number;
  readonly books: Map<MarketId, MarketBook>;
  /** What was matched by accounts, both stakes together. */
  matched: Micros;
  /** Offers that expire at the start are gone already. */
  started: boolean;
  /** How it ended, as far as that is known; what it decides is settled. */
  graded: GameResult | undefined;
  gradedAtMs: number | undefined;
  /** The header as JSON, until it changes. */
  headerJson: string | undefined;
  /** Grows whenever the header or a book changes. */
  changes: number;
};

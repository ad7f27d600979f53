// The records of the account: own orders, fills, and names. They refer to each other. A name (`Name`) is one
// reference or one exchange id, with a summary of everything reported about it.
import type {
  FillReport,
  GameId,
  Market,
  Micros,
  NewOrder,
  OrderId,
  OrderPlace,
  OrderRef,
  OrderStatus,
  PlayerMode,
  RequestId,
  Side,
  SlotId,
  StrategyId,
  TxId,
} from '../domain/index.ts';
import type { Fact, Signature } from './facts.ts';

/** The strategy and key of the slot that an order belongs to. */
export type Owner = { readonly strategy: StrategyId; readonly key: string };

/** The state of the request that brings an order: in flight, answered, never answered, or not sent. */
export type Placing = 'flying' | 'answered' | 'silent' | 'not-sent';

export type OwnOrder = NewOrder &
  Owner & {
    readonly slot: SlotId;
    /** When the order was sent: monotonic ms (`sentAt`) and Unix ms (`sentT`). */
    readonly sentAt: number;
    readonly sentT: number;
    /** The order that this one replaces by an edit. Undefined once the fate of this order is known. */
    replaces: OwnOrder | undefined;
    readonly isEdit: boolean;
    readonly isOfFormerRun: boolean;
    /**
     * The player mode of an order of a former run. Undefined for orders of this run: they have the mode of
     * the account at the time, which a later read of the account confirms.
     */
    readonly mode: PlayerMode | undefined;
    placing: Placing;

    // ——— names
    readonly said: Name;
    id: Name | undefined;
    /** How the id was learned. `signature`: by the order's terms; a better link replaces it. */
    linkedBy: 'name' | 'signature';
    /** True when the order has the id of the order that it replaced (wire profile, `editKeepsId`). */
    keptId: boolean;

    // ——— beliefs
    status: OrderStatus;
    /** The sum of the known fills, micro-dollars. */
    filled: Micros;
    /** The known fills and those that are only reported as a total, micro-dollars. */
    reported: Micros;
    /** The most that may still fill, or may have filled unreported, micro-dollars. */
    bound: Micros;
    /** True once the order rested or filled. */
    landed: boolean;
    /** Monotonic ms: since when the order is open, and when it ended. */
    openSince: number;
    endedAt: number;

    // ——— counts of the order, so that a better belief can take them back
    readonly counted: Counted;
    /** How many cancels of the order were refused because a cancel-all was running (423). */
    lockedOut: number;
  };

export type Counted = {
  placed: boolean;
  refused: boolean;
  cancelled: boolean;
  undetermined: boolean;
  byOthers: boolean;
};

/**
 * The player mode of a fill. `sure`: the configured mode. `unsure`: perhaps, so the fill hedges nothing
 * (rules.md, 9). `other`: the other mode, so the fill counts for nothing here.
 */
export type ModeOfFill = 'sure' | 'unsure' | 'other';

export type HeldFill = Omit<FillReport, 'mode'> & {
  readonly gameId: GameId;
  readonly win: Micros;
  /** Undefined until its game is known: until then, all of the stake may be lost. */
  market: Market | undefined;
  side: Side | undefined;
  ref: OrderRef | undefined;
  orderId: OrderId | undefined;
  /** The place as reported, kept until the game becomes known. */
  place: OrderPlace | undefined;
  /** The best name reported for the fill. */
  name: Name | undefined;
  mode: ModeOfFill;
  /** True for a fill that a list showed before this run did anything. */
  readonly isOfBefore: boolean;
  /** When the fill was first reported, monotonic ms. */
  readonly seenAt: number;
  /** The strategy whose order it filled, in this run or a former one: the fill counts in its limits. */
  owner: StrategyId | undefined;
  /** The strategy that the fill is credited to. */
  countedFor: StrategyId | undefined;
  /** True when it is counted among the fills of this run. */
  isOfRun: boolean;
  /** True once it was handed on as a new fill. */
  wasNew: boolean;
  /** True once its order was dropped: the fill changes no more. */
  isFinal: boolean;
};

/** A time before all others, monotonic ms. */
export const NEVER = Number.NEGATIVE_INFINITY;
// shared: most names have no fills
const NO_FILLS: ReadonlyMap<TxId, HeldFill> = new Map();
/**
 * The most absences kept per name; older ones are dropped. Of all reads within one second, only the first is
 * kept: frequent reads must leave room for five absences two seconds apart (belief.ts).
 */
const MOST_ABSENCES = 16;

/**
 * A request that is to end the order of an id. `unclear`: it was answered, and a look-up must show what
 * became of the order.
 */
export type Ending = {
  readonly kind: 'edit' | 'cancel' | 'bulk';
  readonly req: RequestId | undefined;
  readonly at: number;
  /** The order that an edit brings in its place. */
  readonly by: OwnOrder | undefined;
  /** For a bulk cancel: when the order must have ended, monotonic ms. */
  until: number;
  state: 'flying' | 'unclear';
};

/** A read that should have shown an order and did not. */
export type Absence = { readonly askedAt: number; readonly feedsUpSince: number };

export class Name {
  readonly ref: OrderRef | undefined;
  readonly orderId: OrderId | undefined;
  /** The order of this name: the one sent with the reference, or the one that has the id now. */
  holder: OwnOrder | undefined;
  /** True when the order rests or rested, by any source. */
  rested = false;
  inFeed = false;
  /** The player mode of the order, when it was reported. */
  mode: PlayerMode | undefined;
  refused = false;
  taken = false;
  total = 0;
  /** Monotonic ms: when the newest single answer that shows the order resting was requested. */
  restingAsked = NEVER;
  /**
   * Monotonic ms: when the newest list that shows the order resting was requested. Lists are less exact: a
   * look-up decides what they contradict.
   */
  listedAsked = NEVER;
  /** When the end was last reported. `goneIds`: for a reference, the ids under which it ended. */
  goneAt = NEVER;
  goneIds: readonly OrderId[] = NO_IDS;
  /** True when an event, or a look-up that shows the fills, reported the end. */
  isEndReported = false;
  /** When an end was last reported without what the order had filled. */
  unexplainedAt = NEVER;
  fillsReadAsked = NEVER;
  absences: readonly Absence[] = NO_ABSENCES;
  /** The sum of the fills filed here, micro-dollars. */
  filled = 0;
  #fills: Map<TxId, HeldFill> | undefined;
  signature: Signature | undefined;
  /** True when the id was reported together with a reference of another client. */
  isExternal = false;
  /** When the signature was first seen. */
  seenAt = Number.POSITIVE_INFINITY;

  // ——— an id that an edit passed on
  /** The record of the order that an edit replaced under this id. `bornAt`: since when, monotonic ms. */
  former: Name | undefined;
  bornAt = NEVER;

  // ——— requests that name an id
  ending: Ending | undefined;
  /** The newest request for the id that was not refused. */
  askedBy: Ending['kind'] | undefined;
  /**
   * When an edit was sent that was never answered: only an answer requested later shows whether the order
   * still rests.
   */
  doubtAt = NEVER;
  /** When the newest request for the id was sent. */
  touchedAt = NEVER;
  cancelAsked = false;
  /** True when a cancel of this run succeeded. */
  cancelledByUs = false;
  /** True when a cancel of this run was never answered. */
  cancelSilent = false;
  /** True when an edit of this run put another order in its place. */
  replaced = false;
  /** How often the order was shown as open after a cancel. `cancelFrom`: when it may be cancelled again. */
  cancelsFailed = 0;
  cancelFrom = NEVER;
  /** True while a look-up is in flight. */
  isAsked = false;

  constructor(ref: OrderRef | undefined, orderId: OrderId | undefined) {
    this.ref = ref;
    this.orderId = orderId;
  }

  /** The fills filed here. */
  get fills(): ReadonlyMap<TxId, HeldFill> {
    return this.#fills ?? NO_FILLS;
  }

  file(fill: HeldFill): void {
    (this.#fills ??= new Map()).set(fill.txId, fill);
  }

  unfile({ txId }: HeldFill): void {
    this.#fills?.delete(txId);
  }

  /** Notes the source and mode of a report: for an order that only took, the feed reports only its fills. */
  noteSource({ from, mode }: Fact): void {
    if (from === 'event') this.inFeed = true;
    this.mode = mode ?? this.mode;
  }

  /** Applies a fact to the summary. Fills are filed separately. */
  applyFact(fact: Fact): void {
    const { kind, seenAt, askedAt = NEVER } = fact;
    this.noteSource(fact);
    if (fact.signature !== undefined) {
      this.signature ??= fact.signature;
      this.seenAt = Math.min(this.seenAt, seenAt);
    }
    switch (kind.type) {
      case 'resting':
        this.rested = true;
        if (fact.from === 'list') this.listedAsked = Math.max(this.listedAsked, askedAt);
        if (fact.from === 'look-up' || fact.from === 'trail') this.restingAsked = Math.max(this.restingAsked, askedAt);
        break;
      case 'gone':
        this.#applyGone(fact);
        if (fact.from === 'event' || fact.from === 'look-up') this.isEndReported = true;
        if (kind.total !== undefined) this.total = Math.max(this.total, kind.total);
        break;
      case 'gone-unexplained':
        this.#applyGone(fact);
        this.unexplainedAt = Math.max(this.unexplainedAt, seenAt);
        break;
      case 'taken':
        this.rested = true;
        this.taken = true;
        break;
      case 'total':
        if (kind.filled > 0) this.rested = true;
        this.total = Math.max(this.total, kind.filled);
        break;
      case 'refused':
        this.refused = true;
        break;
      case 'absent':
        this.#applyAbsent({ askedAt, feedsUpSince: kind.feedsUpSince });
        break;
      case 'fills-unread':
        this.unexplainedAt = Math.max(this.unexplainedAt, seenAt);
        break;
      case 'fills-read':
        this.fillsReadAsked = Math.max(this.fillsReadAsked, askedAt);
        break;
      case 'fill':
      case 'named':
        break;
    }
  }

  #applyGone({ seenAt, orderId }: Fact): void {
    this.rested = true;
    this.goneAt = Math.max(this.goneAt, seenAt);
    if (this.ref !== undefined && orderId !== undefined && !this.goneIds.includes(orderId))
      this.goneIds = [...this.goneIds, orderId];
  }

  #applyAbsent(absence: Absence): void {
    const inOrder = [...this.absences, absence].sort(
      (a, b) => a.askedAt - b.askedAt || b.feedsUpSince - a.feedsUpSince,
    );
    const isFirstOfSecond = ({ askedAt }: Absence, i: number): boolean =>
      secondOf(inOrder[i - 1]?.askedAt) !== secondOf(askedAt);
    this.absences = inOrder.filter(isFirstOfSecond).slice(-MOST_ABSENCES);
  }

  /** True when the order of this reference has ended. `id`: the id that the order has now. */
  isGone(id: OrderId | undefined): boolean {
    if (this.goneAt === NEVER) return false;
    // an order that was edited by hand continues under another id
    return this.goneIds.length === 0 || id === undefined || this.goneIds.includes(id);
  }
}

const secondOf = (ms = NEVER): number => Math.floor(ms / 1000);
const NO_IDS: readonly OrderId[] = Object.freeze([]);
const NO_ABSENCES: readonly Absence[] = Object.freeze([]);

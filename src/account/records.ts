// The records of the account, which name each other: own orders, fills, and the names that things are said of.
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

/** Whose quote it is. */
export type Owner = { readonly strategy: StrategyId; readonly key: string };

/** Of the request that brings it: on its way, answered, never answered, or held back by something of ours. */
export type Placing = 'flying' | 'answered' | 'silent' | 'not-sent';

export type OwnOrder = NewOrder &
  Owner & {
    readonly slot: SlotId;
    /** Monotonic and Unix ms. */
    readonly sentAt: number;
    readonly sentT: number;
    /** The order that an edit replaces, until it is known what became of that. */
    replaces: OwnOrder | undefined;
    readonly isEdit: boolean;
    readonly isOfFormerRun: boolean;
    /** Undefined: that of the account at the time, which is known once the account was read later. */
    readonly mode: PlayerMode | undefined;
    placing: Placing;

    // ——— its names
    readonly said: Name;
    id: Name | undefined;
    /** `signature`: the id is that of an order that looks like it; a better link replaces this one. */
    linkedBy: 'name' | 'signature';
    /** It has the id of the order that it replaced (wire profile, `editKeepsId`). */
    keptId: boolean;

    // ——— belief
    status: OrderStatus;
    /** Fills that are known, micro-dollars. */
    filled: Micros;
    /** The same with those that are only reported in sum. */
    reported: Micros;
    /** The most that may still fill, or may have filled unreported, micro-dollars. */
    bound: Micros;
    /** It came to rest. */
    landed: boolean;
    /** Monotonic ms since when it is open, and when it ended. */
    openSince: number;
    endedAt: number;

    // ——— what it was counted as, so that a better belief can take it back
    readonly counted: Counted;
    /** How often a cancel of it was refused because a cancel-all was running (423). */
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
 * `sure`: it trades in the mode of this bot. `unsure`: perhaps, so it hedges nothing (rules.md, 9). `other`: it does not, and
 * counts for nothing here.
 */
export type ModeOfFill = 'sure' | 'unsure' | 'other';

export type HeldFill = Omit<FillReport, 'mode'> & {
  readonly gameId: GameId;
  readonly win: Micros;
  /** Undefined until its game is known: then all of its stake may be lost. */
  market: Market | undefined;
  side: Side | undefined;
  ref: OrderRef | undefined;
  orderId: OrderId | undefined;
  /** As it was reported, for when the game becomes known. */
  place: OrderPlace | undefined;
  /** The best name it was said of. */
  name: Name | undefined;
  mode: ModeOfFill;
  /** A list had it before this run did anything. */
  readonly isOfBefore: boolean;
  /** Monotonic ms. */
  readonly seenAt: number;
  /** What it was counted as: a fill of this strategy. */
  countedFor: StrategyId | undefined;
  /** It was counted among those of this run. */
  isOfRun: boolean;
  /** It was handed on as new. */
  wasNew: boolean;
  /** Its order was dropped: nothing more is learned of it. */
  isFinal: boolean;
};

/** Before all times. */
export const NEVER = Number.NEGATIVE_INFINITY;
// most names have none
const NO_FILLS: ReadonlyMap<TxId, HeldFill> = new Map();
/**
 * Of all reads of a second the first is kept, and of more than these the oldest are dropped. Reads that come often must leave
 * five of them two seconds apart (belief.ts).
 */
const MOST_ABSENCES = 16;

/** A request that is to end what has this id. `unclear`: it was answered, and what became of the order a look-up must say. */
export type Ending = {
  readonly kind: 'edit' | 'cancel' | 'bulk';
  readonly req: RequestId | undefined;
  readonly at: number;
  /** The order that an edit brings in its place. */
  readonly by: OwnOrder | undefined;
  /** Of a bulk cancel: until when nothing is to be said of it. */
  until: number;
  state: 'flying' | 'unclear';
};

/** A read that was to show an order and did not. */
export type Absence = { readonly asked: number; readonly feedsUpSince: number };

export class Name {
  readonly ref: OrderRef | undefined;
  readonly orderId: OrderId | undefined;
  /** Of a reference its order, of an id the order that has it. */
  holder: OwnOrder | undefined;
  /** It rests, or rested, whoever said so. */
  rested = false;
  inFeed = false;
  /** The player mode of the order, where it was named. */
  mode: PlayerMode | undefined;
  refused = false;
  taken = false;
  total = 0;
  /** Monotonic ms of the newest answer that shows it resting: when that was asked for. */
  restingAsked = NEVER;
  /** The same of lists, which are less exact: a look-up settles what they contradict. */
  listedAsked = NEVER;
  /** When its end was reported last; of a reference also of which ids. */
  goneAt = NEVER;
  goneIds: readonly OrderId[] = NO_IDS;
  /** An event, or a look-up that says what it filled, reported its end. */
  isEndReported = false;
  /** When an end was reported that leaves open what it filled. */
  unexplainedAt = NEVER;
  fillsReadAsked = NEVER;
  absences: readonly Absence[] = NO_ABSENCES;
  /** What fills that are filed here come to. */
  filled = 0;
  #fills: Map<TxId, HeldFill> | undefined;
  signature: Signature | undefined;
  /** It was named together with a reference that is none of ours. */
  isExternal = false;
  /** When the signature was seen first. */
  seenAt = Number.POSITIVE_INFINITY;

  // ——— of an id
  /** What an edit of ours replaced under the same id, and when that became known, monotonic ms. */
  former: Name | undefined;
  bornAt = NEVER;

  // ——— of an id: our requests that name it
  ending: Ending | undefined;
  /** The newest of them that was not refused. */
  askedBy: Ending['kind'] | undefined;
  /** An edit of then was never answered: only what was asked for later says whether it still rests. */
  doubtAt = NEVER;
  /** The newest request that touches it. */
  touchedAt = NEVER;
  cancelAsked = false;
  /** A cancel of ours was answered with success. */
  cancelledByUs = false;
  /** A cancel of ours was never answered. */
  cancelSilent = false;
  /** An edit of ours put another order in its place. */
  replaced = false;
  /** How often it was shown as open after a cancel, and before when it is not cancelled again. */
  cancelsFailed = 0;
  cancelFrom = NEVER;
  /** A look-up is under way. */
  isAsked = false;

  constructor(ref: OrderRef | undefined, orderId: OrderId | undefined) {
    this.ref = ref;
    this.orderId = orderId;
  }

  /** Those that are filed here. */
  get fills(): ReadonlyMap<TxId, HeldFill> {
    return this.#fills ?? NO_FILLS;
  }

  file(fill: HeldFill): void {
    (this.#fills ??= new Map()).set(fill.txId, fill);
  }

  unfile({ txId }: HeldFill): void {
    this.#fills?.delete(txId);
  }

  /** Who said something, whatever it was: of an order that only took, the feed tells nothing but its plays. */
  noteSource({ from, mode }: Fact): void {
    if (from === 'event') this.inFeed = true;
    this.mode = mode ?? this.mode;
  }

  /** Takes in a fact, fills apart. */
  apply(fact: Fact): void {
    const { says, seenAt, asked = NEVER } = fact;
    this.noteSource(fact);
    if (fact.signature !== undefined) {
      this.signature ??= fact.signature;
      this.seenAt = Math.min(this.seenAt, seenAt);
    }
    switch (says.type) {
      case 'resting':
        this.rested = true;
        if (fact.from === 'list') this.listedAsked = Math.max(this.listedAsked, asked);
        if (fact.from === 'look-up' || fact.from === 'trail') this.restingAsked = Math.max(this.restingAsked, asked);
        break;
      case 'gone':
        this.#applyGone(fact);
        if (fact.from === 'event' || fact.from === 'look-up') this.isEndReported = true;
        if (says.total !== undefined) this.total = Math.max(this.total, says.total);
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
        if (says.filled > 0) this.rested = true;
        this.total = Math.max(this.total, says.filled);
        break;
      case 'refused':
        this.refused = true;
        break;
      case 'absent':
        this.#applyAbsent({ asked, feedsUpSince: says.feedsUpSince });
        break;
      case 'fills-unread':
        this.unexplainedAt = Math.max(this.unexplainedAt, seenAt);
        break;
      case 'fills-read':
        this.fillsReadAsked = Math.max(this.fillsReadAsked, asked);
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
    const inOrder = [...this.absences, absence].sort((a, b) => a.asked - b.asked || b.feedsUpSince - a.feedsUpSince);
    const isFirst = ({ asked }: Absence, i: number): boolean => secondOf(inOrder[i - 1]?.asked) !== secondOf(asked);
    this.absences = inOrder.filter(isFirst).slice(-MOST_ABSENCES);
  }

  /** The order's present life under this reference is over; `id`: the one that it has. */
  isGone(id: OrderId | undefined): boolean {
    if (this.goneAt === NEVER) return false;
    // an order that was edited by hand goes on under another id
    return this.goneIds.length === 0 || id === undefined || this.goneIds.includes(id);
  }
}

const secondOf = (ms = NEVER): number => Math.floor(ms / 1000);
const NO_IDS: readonly OrderId[] = Object.freeze([]);
const NO_ABSENCES: readonly Absence[] = Object.freeze([]);

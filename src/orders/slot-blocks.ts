// Slots that wait after a refusal or a denial. Invariants: a refused request is not repeated at once; a wrong
// one is never repeated unchanged; one that came too late for the book is not repeated before the book was
// seen again.
import type { Game, GameId, Market, MarketId, SlotId } from '../domain/index.ts';
import type { Denial } from '../risk/index.ts';
import type { Target } from './targets.ts';

type Priced = Pick<Target, 'slot' | 'rung' | 'risk'>;
type Refused = Priced & { readonly market: Market };
/** A wait after refusals. `times`: refusals in a row; each wait is twice as long as the one before. */
type Wait = {
  readonly until: number;
  readonly times: number;
  readonly since: number;
  /** The price and size that the slot gave up. Only this waits; another price or size does not. */
  readonly size?: Size;
};
/** A denial of the bot itself. `by`: undefined when another part than a control held the request back. */
type Denied = {
  readonly until: number;
  readonly since: number;
  readonly by: Denial | undefined;
  readonly market: MarketId;
};
type Size = Omit<Priced, 'slot'>;
/** A refused price and size, and when it was refused. */
type RefusedSize = Size & { readonly since: number };
/**
 * A price and size not to repeat before `until`: for ever, or until the header of its game changes. `times`:
 * refusals in a row.
 */
type Wrong = RefusedSize & {
  readonly until: number;
  readonly times: number;
  readonly header: Game | undefined;
};
/** A refusal that concerns a book that has changed since. */
type Stale = RefusedSize & { readonly gameId: GameId };

const FIRST_MS = 250;
const LONGEST_MS = 30_000;
/** How often denied slots are asked again … */
const DENIAL_RETRY_MS = 250;
/** … and the most of them in that time. */
const MOST_ASKED_AGAIN = 1000;
/**
 * The most tries of a request that the window refuses, each with a new permit; then the slot gives up
 * (rules.md, 5).
 */
const THROTTLED_TRIES = 5;
/** The wait after a refusal that may be wrong or temporary, twice as long each time. */
const DOUBTFUL_MS = { first: 30_000, most: 3_600_000 };
const FOR_EVER = Number.POSITIVE_INFINITY;
const NONE: readonly Wrong[] = [];
/** The most wrong prices and sizes kept per slot. */
const MOST_WRONG = 16;

/** The kind of a refusal by the exchange. */
export type Refusal =
  /** 400, 403 or a validation error: the request itself is wrong */
  | 'wrong'
  /** a validation error in a batch: the order itself is wrong, or its market was closed */
  | 'doubtful'
  /** 409: the market had moved on */
  | 'stale'
  /** the account cannot afford the order now: not again unchanged for a while */
  | 'liability'
  /** 429: the bucket waits as long as the exchange demands, and this slot does not */
  | 'throttled'
  | 'other';

export class SlotBlocks {
  readonly #waits = new Map<SlotId, Wait>();
  readonly #wrong = new Map<SlotId, readonly Wrong[]>();
  readonly #stale = new Map<SlotId, Stale>();
  /** The slots with a kept refusal, by game. */
  readonly #refusedIn = new Map<GameId, Set<SlotId>>();
  readonly #denied = new Map<SlotId, Denied>();
  readonly #deniedIn = new Map<MarketId, Set<SlotId>>();
  /** Denied slots for which nothing changed since the denial. */
  readonly #unchanged = new Set<SlotId>();
  /** Slots whose wait may have changed. The reader clears the set. */
  readonly changed = new Set<SlotId>();
  /** Markets with a slot whose denying control changed. The reader clears the set. */
  readonly heldAnew = new Set<MarketId>();
  readonly #giveUpForMs: number | undefined;

  /**
   * `giveUpForMs`: how long a slot that gave up waits, unless another price or size is wanted. Undefined: 30
   * s in any case.
   */
  constructor(giveUpForMs?: number) {
    this.#giveUpForMs = giveUpForMs;
  }

  /** Notes that something changed that a control depends on. */
  applyNews(): void {
    if (this.#unchanged.size === 0) return;
    for (const slot of this.#unchanged) this.changed.add(slot);
    this.#unchanged.clear();
  }

  /** Enters a refusal. `header`: the game as it is known now. Returns true when the slot gave up. */
  applyRefused({ slot, rung, risk, market }: Refused, why: Refusal, now: number, header?: Game): boolean {
    this.changed.add(slot);
    const inGame = this.#refusedIn.get(market.gameId);
    if (inGame === undefined) this.#refusedIn.set(market.gameId, new Set([slot]));
    else inGame.add(slot);
    if (why === 'wrong' || why === 'doubtful' || why === 'liability') {
      const size = { rung, risk };
      const known = this.#wrong.get(slot) ?? NONE;
      const times = 1 + (known.find((entry) => isSameSize(entry, size))?.times ?? 0);
      const until = why === 'wrong' ? FOR_EVER : now + waitOfDoubtful(why, times);
      const others = known.filter((entry) => !isSameSize(entry, size));
      this.#wrong.set(slot, [...others, { ...size, since: now, until, times, header }].slice(-MOST_WRONG));
      if (why === 'wrong') return false;
    }
    this.#forgetDenial(slot);
    if (why === 'doubtful') return false;
    if (why === 'stale') this.#stale.set(slot, { rung, risk, since: now, gameId: market.gameId });
    const times = (this.#waits.get(slot)?.times ?? 0) + 1;
    const givesUp = why === 'throttled' && times >= THROTTLED_TRIES && this.#giveUpForMs !== undefined;
    this.#waits.set(
      slot,
      givesUp
        ? { until: now + (this.#giveUpForMs ?? 0), times: 0, since: now, size: { rung, risk } }
        : { until: now + waitAfter(why, times), times, since: now },
    );
    return givesUp;
  }

  /** The game has ended: forgets its slots. */
  forgetGame(gameId: GameId): void {
    for (const slot of this.#refusedIn.get(gameId) ?? []) {
      this.#waits.delete(slot);
      this.#wrong.delete(slot);
      this.#stale.delete(slot);
    }
    this.#refusedIn.delete(gameId);
  }

  /** Enters that the book and header of a game were up to date at this time, monotonic ms. */
  applySeen(gameId: GameId, seenAt: number, headerOf: (gameId: GameId) => Game | undefined): void {
    if (this.#wrong.size > 0)
      for (const slot of this.#refusedIn.get(gameId) ?? []) {
        const header = headerOf(gameId);
        // the game opened or went live, or its markets changed
        if (this.#keepWrong(slot, (entry) => entry.until === FOR_EVER || entry.header === header))
          this.changed.add(slot);
      }
    if (this.#stale.size === 0) return;
    for (const [slot, stale] of this.#stale)
      if (stale.gameId === gameId && stale.since <= seenAt) {
        this.#stale.delete(slot);
        this.changed.add(slot);
      }
  }

  /** Enters a denial by the bot. The slot is asked again soon: what the control depends on may change. */
  applyDenied({ slot, market: { id } }: Pick<Refused, 'slot' | 'market'>, now: number, by?: Denial): void {
    const rounds = 1 + Math.floor(this.#denied.size / MOST_ASKED_AGAIN);
    if (this.deniedBy(slot)?.control !== by?.control) this.heldAnew.add(id);
    this.#denied.set(slot, { until: now + DENIAL_RETRY_MS * rounds, since: now, by, market: id });
    const inMarket = this.#deniedIn.get(id);
    if (inMarket === undefined) this.#deniedIn.set(id, new Set([slot]));
    else inMarket.add(slot);
    this.#unchanged.add(slot);
    this.changed.add(slot);
  }

  /** Enters what is wanted in a market now: denials of other slots in it are forgotten. */
  applyTargets(market: MarketId, targets: readonly Pick<Target, 'slot'>[]): void {
    const denied = this.#deniedIn.get(market);
    if (denied === undefined) return;
    for (const slot of denied) if (!targets.some((target) => target.slot === slot)) this.#forgetDenial(slot);
  }

  #forgetDenial(slot: SlotId): void {
    const denied = this.#denied.get(slot);
    if (denied === undefined) return;
    this.#denied.delete(slot);
    this.heldAnew.add(denied.market);
    const inMarket = this.#deniedIn.get(denied.market);
    inMarket?.delete(slot);
    if (inMarket?.size === 0) this.#deniedIn.delete(denied.market);
    this.#unchanged.delete(slot);
    this.changed.add(slot);
  }

  /** Enters an acceptance. It clears no refusal newer than the accepted order: its answer may be late. */
  applyAccepted({ slot, sentAt }: { readonly slot: SlotId; readonly sentAt: number }): void {
    this.changed.add(slot);
    if ((this.#waits.get(slot)?.since ?? sentAt) <= sentAt) this.#waits.delete(slot);
    if ((this.#denied.get(slot)?.since ?? sentAt) <= sentAt) this.#forgetDenial(slot);
    this.#keepWrong(slot, ({ since }) => since >= sentAt);
  }

  /** Keeps only some of the wrong sizes of a slot. True when one was forgotten. */
  #keepWrong(slot: SlotId, isKept: (entry: Wrong) => boolean): boolean {
    const known = this.#wrong.get(slot);
    if (known === undefined || known.every(isKept)) return false;
    const kept = known.filter(isKept);
    if (kept.length === 0) this.#wrong.delete(slot);
    else this.#wrong.set(slot, kept);
    return true;
  }

  /** The last denial of the slot. Undefined once the exchange answered, and while no order is wanted. */
  deniedBy(slot: SlotId): Denial | undefined {
    return this.#denied.get(slot)?.by;
  }

  isBlocked(target: Priced, now: number): boolean {
    return now < this.#blockedUntil(target);
  }

  /**
   * When to ask again if nothing else changes, monotonic ms. A control denies the same order until something
   * changes, so then it is infinite.
   */
  nextDue(target: Priced): number {
    return this.#unchanged.has(target.slot) ? Number.POSITIVE_INFINITY : this.#blockedUntil(target);
  }

  #blockedUntil(target: Priced): number {
    const { slot } = target;
    const stale = this.#stale.get(slot);
    const isStale = stale !== undefined && isSameSize(stale, target);
    const wait = this.#waits.get(slot);
    const waits = wait !== undefined && (wait.size === undefined || isSameSize(wait.size, target));
    return Math.max(
      this.#wrong.get(slot)?.find((entry) => isSameSize(entry, target))?.until ?? Number.NEGATIVE_INFINITY,
      isStale ? stale.since + LONGEST_MS : Number.NEGATIVE_INFINITY,
      waits ? wait.until : Number.NEGATIVE_INFINITY,
      this.#denied.get(slot)?.until ?? Number.NEGATIVE_INFINITY,
    );
  }
}

const isSameSize = (a: Size, b: Size): boolean => a.rung === b.rung && a.risk === b.risk;

function waitOfDoubtful(why: 'doubtful' | 'liability', times: number): number {
  const most = why === 'liability' ? DOUBTFUL_MS.first : DOUBTFUL_MS.most;
  return Math.min(most, DOUBTFUL_MS.first * 2 ** Math.min(times - 1, 10));
}

function waitAfter(why: Exclude<Refusal, 'wrong' | 'doubtful'>, times: number): number {
  if (why === 'throttled') return times < THROTTLED_TRIES ? 0 : LONGEST_MS;
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(times - 1, 10));
}

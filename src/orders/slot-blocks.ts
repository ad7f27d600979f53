// Slots that wait after a no: a refused request is not repeated at once, one that was wrong never unchanged, and one that
// came too late for the book not before the book was seen again.
import type { Game, GameId, Market, MarketId, SlotId } from '../domain/index.ts';
import type { Denial } from '../risk/index.ts';
import type { Target } from './targets.ts';

type Priced = Pick<Target, 'slot' | 'rung' | 'risk'>;
type Refused = Priced & { readonly market: Market };
/** `times`: refusals in a row; each waits twice as long as the one before. */
type Wait = {
  readonly until: number;
  readonly times: number;
  readonly since: number;
  /** Only what was given up waits: another price or size does not. */
  readonly of?: Size;
};
/** Of ours; without a control when something else of ours held the request back. */
type Denied = {
  readonly until: number;
  readonly since: number;
  readonly by: Denial | undefined;
  readonly market: MarketId;
};
type Size = Omit<Priced, 'slot'>;
/** A price and size that was refused, and when. */
type RefusedSize = Size & { readonly since: number };
/** Not again until then: for ever, or as long as the header of its game stays what it was. `times`: said so often in a row. */
type Wrong = RefusedSize & {
  readonly until: number;
  readonly times: number;
  readonly header: Game | undefined;
};
/** Said of a book that was another by then. */
type Stale = RefusedSize & { readonly gameId: GameId };

const FIRST_MS = 250;
const LONGEST_MS = 30_000;
/** Denied slots are asked again this often … */
const AFTER_DENIAL_MS = 250;
/** … but no more of them in that time, whatever their number. */
const ASKED_AGAIN = 1000;
/** rules.md, 5: a request that the window refuses is tried this often, each time with a new permit; then the slot gives up. */
const THROTTLED_TRIES = 5;
/** What may be wrong or only was is asked again after this long, each time after twice as long. */
const DOUBTFUL_MS = { first: 30_000, most: 3_600_000 };
const FOR_EVER = Number.POSITIVE_INFINITY;
const NONE: readonly Wrong[] = [];
/** Prices and sizes of a slot that are remembered as wrong. */
const MOST_WRONG = 16;

/** Why the exchange said no. */
export type Refusal =
  /** 400, 403 or a validation error: the very request is wrong */
  | 'wrong'
  /** of a batch, a validation error: the very order is wrong, or its market was closed */
  | 'doubtful'
  /** 409: the market had moved on */
  | 'stale'
  /** the account cannot afford it as things stand: not again unchanged while they may stand so */
  | 'liability'
  /** 429: the bucket waits as long as the exchange asked for, not this slot */
  | 'throttled'
  | 'other';

export class SlotBlocks {
  readonly #waits = new Map<SlotId, Wait>();
  readonly #wrong = new Map<SlotId, readonly Wrong[]>();
  readonly #stale = new Map<SlotId, Stale>();
  /** Of each game, the slots of which something is kept that the exchange said. */
  readonly #refusedIn = new Map<GameId, Set<SlotId>>();
  readonly #denied = new Map<SlotId, Denied>();
  readonly #deniedIn = new Map<MarketId, Set<SlotId>>();
  /** Of the denied slots, those since whose denial nothing became known. */
  readonly #unmoved = new Set<SlotId>();
  /** Slots that may be free sooner or later than they were; whoever reads them clears them. */
  readonly changed = new Set<SlotId>();
  /** Markets with a slot that another control holds back than before, or none any more; whoever reads them clears them. */
  readonly heldAnew = new Set<MarketId>();
  readonly #giveUpForMs: number | undefined;

  /** `giveUpForMs`: a slot that gave up waits this long, or for another price or size; undefined: 30 s whatever is wanted. */
  constructor(giveUpForMs?: number) {
    this.#giveUpForMs = giveUpForMs;
  }

  /** Something that a control looks at may have changed. */
  applyNews(): void {
    if (this.#unmoved.size === 0) return;
    for (const slot of this.#unmoved) this.changed.add(slot);
    this.#unmoved.clear();
  }

  /** `header`: of its game, as it is known now. True when the slot gave up. */
  applyRefused({ slot, rung, risk, market }: Refused, why: Refusal, now: number, header?: Game): boolean {
    this.changed.add(slot);
    const inGame = this.#refusedIn.get(market.gameId);
    if (inGame === undefined) this.#refusedIn.set(market.gameId, new Set([slot]));
    else inGame.add(slot);
    if (why === 'wrong' || why === 'doubtful' || why === 'liability') {
      const size = { rung, risk };
      const known = this.#wrong.get(slot) ?? NONE;
      const times = 1 + (known.find((one) => isSame(one, size))?.times ?? 0);
      const until = why === 'wrong' ? FOR_EVER : now + doubtedFor(why, times);
      const others = known.filter((one) => !isSame(one, size));
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
        ? { until: now + (this.#giveUpForMs ?? 0), times: 0, since: now, of: { rung, risk } }
        : { until: now + waitAfter(why, times), times, since: now },
    );
    return givesUp;
  }

  /** The game is over: nothing will be wanted in it again. */
  forgetGame(gameId: GameId): void {
    for (const slot of this.#refusedIn.get(gameId) ?? []) {
      this.#waits.delete(slot);
      this.#wrong.delete(slot);
      this.#stale.delete(slot);
    }
    this.#refusedIn.delete(gameId);
  }

  /** The book of a game is known as it was at this time, monotonic ms, and its header. */
  applySeen(gameId: GameId, at: number, headerOf: (gameId: GameId) => Game | undefined): void {
    if (this.#wrong.size > 0)
      for (const slot of this.#refusedIn.get(gameId) ?? []) {
        const header = headerOf(gameId);
        // it is open, or live, or its market is another one now
        if (this.#keepWrong(slot, (one) => one.until === FOR_EVER || one.header === header)) this.changed.add(slot);
      }
    if (this.#stale.size === 0) return;
    for (const [slot, stale] of this.#stale)
      if (stale.gameId === gameId && stale.since <= at) {
        this.#stale.delete(slot);
        this.changed.add(slot);
      }
  }

  /** A control of ours denied an order: asked again in a moment, since what it looks at may change. */
  applyDenied({ slot, market: { id } }: Pick<Refused, 'slot' | 'market'>, now: number, by?: Denial): void {
    const turns = 1 + Math.floor(this.#denied.size / ASKED_AGAIN);
    if (this.deniedBy(slot)?.control !== by?.control) this.heldAnew.add(id);
    this.#denied.set(slot, { until: now + AFTER_DENIAL_MS * turns, since: now, by, market: id });
    const inMarket = this.#deniedIn.get(id);
    if (inMarket === undefined) this.#deniedIn.set(id, new Set([slot]));
    else inMarket.add(slot);
    this.#unmoved.add(slot);
    this.changed.add(slot);
  }

  /** What is wanted in a market now: nobody asks again for what was denied in other slots of it. */
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
    this.#unmoved.delete(slot);
    this.changed.add(slot);
  }

  /** An acceptance says nothing of what was refused after that order left: its answer may be late. */
  applyAccepted({ slot, sentAt }: { readonly slot: SlotId; readonly sentAt: number }): void {
    this.changed.add(slot);
    if ((this.#waits.get(slot)?.since ?? sentAt) <= sentAt) this.#waits.delete(slot);
    if ((this.#denied.get(slot)?.since ?? sentAt) <= sentAt) this.#forgetDenial(slot);
    this.#keepWrong(slot, ({ since }) => since >= sentAt);
  }

  /** Forgets what else was wrong in a slot; true when there was some. */
  #keepWrong(slot: SlotId, isKept: (one: Wrong) => boolean): boolean {
    const known = this.#wrong.get(slot);
    if (known === undefined || known.every(isKept)) return false;
    const kept = known.filter(isKept);
    if (kept.length === 0) this.#wrong.delete(slot);
    else this.#wrong.set(slot, kept);
    return true;
  }

  /** What denied last, and why, as long as an order is wanted in the slot and nothing else was said of it. */
  deniedBy(slot: SlotId): Denial | undefined {
    return this.#denied.get(slot)?.by;
  }

  isBlocked(target: Priced, now: number): boolean {
    return now < this.#blockedUntil(target);
  }

  /** When to ask again if nothing else happens: what a control denied, it denies until something becomes known. */
  nextDue(target: Priced): number {
    return this.#unmoved.has(target.slot) ? Number.POSITIVE_INFINITY : this.#blockedUntil(target);
  }

  #blockedUntil(target: Priced): number {
    const { slot } = target;
    const stale = this.#stale.get(slot);
    const isStale = stale !== undefined && isSame(stale, target);
    const wait = this.#waits.get(slot);
    const waits = wait !== undefined && (wait.of === undefined || isSame(wait.of, target));
    return Math.max(
      this.#wrong.get(slot)?.find((one) => isSame(one, target))?.until ?? Number.NEGATIVE_INFINITY,
      isStale ? stale.since + LONGEST_MS : Number.NEGATIVE_INFINITY,
      waits ? wait.until : Number.NEGATIVE_INFINITY,
      this.#denied.get(slot)?.until ?? Number.NEGATIVE_INFINITY,
    );
  }
}

const isSame = (a: Size, b: Size): boolean => a.rung === b.rung && a.risk === b.risk;

function doubtedFor(why: 'doubtful' | 'liability', times: number): number {
  const most = why === 'liability' ? DOUBTFUL_MS.first : DOUBTFUL_MS.most;
  return Math.min(most, DOUBTFUL_MS.first * 2 ** Math.min(times - 1, 10));
}

function waitAfter(why: Exclude<Refusal, 'wrong' | 'doubtful'>, times: number): number {
  if (why === 'throttled') return times < THROTTLED_TRIES ? 0 : LONGEST_MS;
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(times - 1, 10));
}

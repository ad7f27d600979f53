// Slots that wait after a no: a refused request is not repeated at once, one that was wrong never unchanged, and one that
// came too late for the book not before the book was seen again.
import type { GameId, Market, SlotId } from '../domain/index.ts';
import type { ControlName } from '../risk/index.ts';
import type { Target } from './targets.ts';

type Priced = Pick<Target, 'slot' | 'rung' | 'risk'>;
type Refused = Priced & { readonly market: Market };
/** `times`: refusals in a row; each waits twice as long as the one before. `deniedAt`: what was known when we said no, `deniedBy`: which control did. */
type Wait = {
  readonly until: number;
  readonly times: number;
  readonly since: number;
  readonly deniedAt?: number;
  readonly deniedBy?: ControlName | undefined;
};
/** What was wrong, and when that was said. */
type Wrong = Omit<Priced, 'slot'> & { readonly since: number };
/** Said of a book that was another by then. */
type Stale = Wrong & { readonly gameId: GameId };

const FIRST_MS = 250;
const LONGEST_MS = 30_000;
const AFTER_DENIAL_MS = 250;
/** DESIGN rule 5: a request that the window refuses is tried this often, each time with a new permit. */
const THROTTLED_TRIES = 5;
/** Prices and sizes of a slot that are remembered as wrong. */
const MOST_WRONG = 16;

/** Why the exchange said no. */
export type Refusal =
  /** 400, 403 or a validation error: the very request is wrong */
  | 'wrong'
  /** 409: the market had moved on */
  | 'stale'
  /** 429: the bucket waits as long as the exchange asked for, not this slot */
  | 'throttled'
  | 'other';

export class SlotBlocks {
  readonly #waits = new Map<SlotId, Wait>();
  readonly #wrong = new Map<SlotId, readonly Wrong[]>();
  readonly #stale = new Map<SlotId, Stale>();
  /** Counts what became known. */
  #news = 0;

  /** Something that a control looks at may have changed. */
  applyNews(): void {
    this.#news += 1;
  }

  applyRefused({ slot, rung, risk, market }: Refused, why: Refusal, now: number): void {
    if (why === 'wrong') {
      const others = (this.#wrong.get(slot) ?? []).filter((one) => one.rung !== rung || one.risk !== risk);
      this.#wrong.set(slot, [...others, { rung, risk, since: now }].slice(-MOST_WRONG));
      return;
    }
    if (why === 'stale') this.#stale.set(slot, { rung, risk, since: now, gameId: market.gameId });
    const times = (this.#waits.get(slot)?.times ?? 0) + 1;
    this.#waits.set(slot, { until: now + waitAfter(why, times), times, since: now });
  }

  /** The book of a game is known as it was at this time, monotonic ms. */
  applySeen(gameId: GameId, at: number): void {
    if (this.#stale.size === 0) return;
    for (const [slot, stale] of this.#stale)
      if (stale.gameId === gameId && stale.since <= at) this.#stale.delete(slot);
  }

  /** A control of ours denied an order: asked again in a moment, since what it looks at may change. */
  applyDenied(slot: SlotId, now: number, deniedBy?: ControlName): void {
    const times = this.#waits.get(slot)?.times ?? 0;
    this.#waits.set(slot, {
      until: now + AFTER_DENIAL_MS,
      times,
      since: now,
      deniedAt: this.#news,
      deniedBy,
    });
  }

  /** An acceptance says nothing of what was refused after that order left: its answer may be late. */
  applyAccepted({ slot, sentAt }: { readonly slot: SlotId; readonly sentAt: number }): void {
    if ((this.#waits.get(slot)?.since ?? sentAt) <= sentAt) this.#waits.delete(slot);
    const wrong = this.#wrong.get(slot)?.filter(({ since }) => since >= sentAt) ?? [];
    if (wrong.length === 0) this.#wrong.delete(slot);
    else this.#wrong.set(slot, wrong);
  }

  /** The control that denied last, as long as nothing else was said of the slot. */
  deniedBy(slot: SlotId): ControlName | undefined {
    return this.#waits.get(slot)?.deniedBy;
  }

  isBlocked(target: Priced, now: number): boolean {
    return now < this.#blockedUntil(target);
  }

  /** When to ask again if nothing else happens: what a control denied, it denies until something becomes known. */
  nextDue(target: Priced): number {
    const wait = this.#waits.get(target.slot);
    return wait?.deniedAt === this.#news ? Number.POSITIVE_INFINITY : this.#blockedUntil(target);
  }

  #blockedUntil({ slot, rung, risk }: Priced): number {
    const wrong = this.#wrong.get(slot);
    if (wrong?.some((one) => one.rung === rung && one.risk === risk) === true)
      return Number.POSITIVE_INFINITY;
    const stale = this.#stale.get(slot);
    const isStale = stale?.rung === rung && stale.risk === risk;
    const staleUntil = stale !== undefined && isStale ? stale.since + LONGEST_MS : Number.NEGATIVE_INFINITY;
    return Math.max(staleUntil, this.#waits.get(slot)?.until ?? Number.NEGATIVE_INFINITY);
  }
}

function waitAfter(why: 'throttled' | 'stale' | 'other', times: number): number {
  if (why === 'throttled') return times < THROTTLED_TRIES ? 0 : LONGEST_MS;
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(times - 1, 10));
}

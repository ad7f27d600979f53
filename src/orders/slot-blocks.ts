// Slots that wait after a no: a refused request is not repeated at once, and one that was wrong never unchanged.
import type { SlotId } from '../domain/index.ts';
import type { Target } from './targets.ts';

type Priced = Pick<Target, 'slot' | 'rung' | 'risk'>;
/** `times`: refusals in a row; each waits twice as long as the one before. */
type Wait = { readonly until: number; readonly times: number; readonly since: number };
/** What was wrong, and when that was said. */
type Wrong = Omit<Priced, 'slot'> & { readonly since: number };

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
  /** 429: the bucket waits as long as the exchange asked for, not this slot */
  | 'throttled'
  | 'other';

export class SlotBlocks {
  readonly #waits = new Map<SlotId, Wait>();
  readonly #wrong = new Map<SlotId, readonly Wrong[]>();

  applyRefused({ slot, rung, risk }: Priced, why: Refusal, now: number): void {
    if (why === 'wrong') {
      const others = (this.#wrong.get(slot) ?? []).filter((one) => one.rung !== rung || one.risk !== risk);
      this.#wrong.set(slot, [...others, { rung, risk, since: now }].slice(-MOST_WRONG));
      return;
    }
    const times = (this.#waits.get(slot)?.times ?? 0) + 1;
    this.#waits.set(slot, { until: now + waitAfter(why, times), times, since: now });
  }

  /** A control of ours denied an order: asked again in a moment, since what it looks at may change. */
  applyDenied(slot: SlotId, now: number): void {
    const times = this.#waits.get(slot)?.times ?? 0;
    this.#waits.set(slot, { until: now + AFTER_DENIAL_MS, times, since: now });
  }

  /** An acceptance says nothing of what was refused after that order left: its answer may be late. */
  applyAccepted({ slot, sentAt }: { readonly slot: SlotId; readonly sentAt: number }): void {
    if ((this.#waits.get(slot)?.since ?? sentAt) <= sentAt) this.#waits.delete(slot);
    const wrong = this.#wrong.get(slot)?.filter(({ since }) => since >= sentAt) ?? [];
    if (wrong.length === 0) this.#wrong.delete(slot);
    else this.#wrong.set(slot, wrong);
  }

  isBlocked(target: Priced, now: number): boolean {
    const wrong = this.#wrong.get(target.slot);
    if (wrong?.some(({ rung, risk }) => rung === target.rung && risk === target.risk) === true) return true;
    const wait = this.#waits.get(target.slot);
    return wait !== undefined && now < wait.until;
  }
}

function waitAfter(why: 'throttled' | 'other', times: number): number {
  if (why === 'throttled') return times < THROTTLED_TRIES ? 0 : LONGEST_MS;
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(times - 1, 10));
}

// Slots that wait after a no: a refused request is not repeated at once, and one that was wrong never unchanged.
import type { SlotId } from '../domain/index.ts';
import type { Target } from './targets.ts';

type Block = {
  readonly until: number;
  /** Set when the very request was wrong: only another price or size may follow. */
  readonly refused: Pick<Target, 'rung' | 'risk'> | undefined;
  /** Refusals in a row: each waits twice as long as the one before. */
  readonly times: number;
};

const FIRST_MS = 250;
const LONGEST_MS = 30_000;
const AFTER_DENIAL_MS = 250;
/** DESIGN rule 5: a request that the window refuses is tried this often, each time with a new permit. */
const THROTTLED_TRIES = 5;

/** Why the exchange said no. */
export type Refusal =
  /** 400, 403 or a validation error: the very request is wrong */
  | 'wrong'
  /** 429: the bucket waits as long as the exchange asked for, not this slot */
  | 'throttled'
  | 'other';

export class SlotBlocks {
  readonly #blocks = new Map<SlotId, Block>();

  applyRefused(order: Pick<Target, 'slot' | 'rung' | 'risk'>, why: Refusal, now: number): void {
    const times = (this.#blocks.get(order.slot)?.times ?? 0) + 1;
    const { rung, risk } = order;
    this.#blocks.set(order.slot, {
      until: why === 'wrong' ? Number.POSITIVE_INFINITY : now + waitAfter(why, times),
      refused: why === 'wrong' ? { rung, risk } : undefined,
      times,
    });
  }

  /** A control of ours denied an order: asked again in a moment, since what it looks at may change. */
  applyDenied(slot: SlotId, now: number): void {
    const times = this.#blocks.get(slot)?.times ?? 0;
    this.#blocks.set(slot, { until: now + AFTER_DENIAL_MS, refused: undefined, times });
  }

  applyAccepted(slot: SlotId): void {
    this.#blocks.delete(slot);
  }

  isBlocked(target: Pick<Target, 'slot' | 'rung' | 'risk'>, now: number): boolean {
    const block = this.#blocks.get(target.slot);
    if (block === undefined) return false;
    const { refused } = block;
    const same = refused === undefined || (refused.rung === target.rung && refused.risk === target.risk);
    return same && now < block.until;
  }
}

function waitAfter(why: 'throttled' | 'other', times: number): number {
  if (why === 'throttled') return times < THROTTLED_TRIES ? 0 : LONGEST_MS;
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(times - 1, 10));
}

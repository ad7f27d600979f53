// Decides what to send with the permits in hand. Requests are scarce: k re-quotes cost k place permits as
// edits, or one cancel and one place permit as cancelMultiple and a batch. What loses most by waiting goes
// first. Invariants: the decision is pure, and nothing is queued: the rest is decided again at the next
// input.
import type { Way } from '../domain/index.ts';
import { chunks } from './chunks.ts';
import type { Cancel, Move, Need, Place } from './needs.ts';

export type PermitPool = {
  /** Permits in hand that may be spent. */
  readonly place: number;
  readonly cancel: number;
  /** Orders that rest or may rest. The reserve is kept for them, so it never exceeds their number. */
  readonly resting: number;
  /** Place permits spent so far in this run; it decides when the longest wait has its turn. */
  readonly spent: number;
  /** The recent average worth of an edit, micro-dollars: the measure for the next one. */
  readonly worth: number;
  /** The current time, monotonic ms. */
  readonly now: number;
};

export type PlanLimits = {
  /** Place permits of one whole window. */
  readonly permits: number;
  /** Place permits kept for quotes that are too generous. */
  readonly reserve: number;
  readonly maxOrdersPerPlace: number;
  /** False when an edited order loses its reference and could not be found again. */
  readonly mayEdit: boolean;
};

/** The needs to serve, each with the alternative that was rejected, and why. */
export type Plan = {
  /** Orders to cancel; cancel-plan.ts plans how. */
  readonly cancels: readonly (Cancel | Move)[];
  readonly edits: readonly Move[];
  readonly places: readonly (readonly Place[])[];
};

export type Planner = {
  /** Plans requests. Each need of the plan is `decided`: its way and reason go into the journal. */
  readonly plan: (needs: readonly Need[], pool: PermitPool, limits: PlanLimits) => Plan;
  /** How many of the needs of one kind that need a place permit the planner reads, best first. */
  readonly looksAt: (permits: number, limits: PlanLimits) => number;
};

/**
 * The price of a permit: a window spent in one burst leaves nothing for its rest. With at least half a window
 * in hand a permit is free; the last one costs this share of the recent worth of an edit.
 */
const PRICE = { free: 0.5, last: 0.7 };
/**
 * Moves are sent together, as a cancel and a batch, when they would take more than this share of the permits
 * in hand …
 */
const EDIT_SHARE = 1 / 3;
/** … unless they are so few that this would not save a permit worth an empty slot. */
const FEW_MOVES = 2;
/** A need that waited longer than this … */
const LONG_WAIT_MS = 10_000;
/** … gets one of this many permits, longest wait first, whatever else is worth more: no need starves. */
const TURN_EVERY = 8;

/** Serves what loses most by waiting. Reads only what the permits in hand could carry. */
export const byValue: Planner = {
  plan: planRequests,
  // the need pool orders by rank, but the price is compared with the value: a rank is at least half of it
  looksAt: (permits, { maxOrdersPerPlace }) => permits * maxOrdersPerPlace * 2,
};

export function planRequests(needs: readonly Need[], pool: PermitPool, limits: PlanLimits): Plan {
  const cancels: (Cancel | Move)[] = [];
  const moves: Move[] = [];
  const empty: Place[] = [];
  const isOutOfPermits = pool.place === 0;
  for (const need of needs) {
    if (need.type === 'cancel') cancels.push(decided(need, 'leave', 'nothing may rest there'));
    else if (need.type === 'move') {
      // without a permit a move can only be a cancel
      if (!isOutOfPermits || need.dangerous || !limits.mayEdit) moves.push(need);
    } else if (!isOutOfPermits) empty.push(need);
  }
  const edits: Move[] = [];
  const places: (readonly Place[])[] = [];
  const plan = { cancels, edits, places };
  if (moves.length === 0 && empty.length === 0) return plan;
  let permits = pool.place;
  if (moves.length > 1) moves.sort(byRank);
  if (empty.length > 1) empty.sort(byRank);

  const moveTogether = !limits.mayEdit || areMovedTogether(moves.length, pool, limits);
  if (moveTogether) {
    const because = limits.mayEdit
      ? `${moves.length} moves go as one cancel and one batch`
      : 'an edited order would lose its reference';
    for (const need of moves) cancels.push(decided(need, 'edit', because));
  }

  const due = isOutOfPermits ? undefined : longestWaiting(needs, pool);
  const reserve = Math.min(limits.reserve, pool.resting);
  const options: (readonly Place[] | Move)[] = [
    ...(moveTogether ? [] : moves),
    ...chunks(empty, limits.maxOrdersPerPlace),
  ].sort((a, b) => rankOf(b) - rankOf(a));
  const first = options.findIndex((option) => includesNeed(option, due));
  if (first > 0) options.unshift(...options.splice(first, 1));
  for (const [index, option] of options.entries()) {
    const isDue = index === 0 && first >= 0;
    const price = isDue ? 0 : priceOf(permits, pool.worth, limits);
    // the reserve is for offers that give too much away
    const kept = isDue || isBatch(option) || option.generous ? 0 : reserve;
    const worth = worthOf(option);
    if (permits > kept && worth >= price) {
      permits -= 1;
      if (isBatch(option)) {
        const because = option.length === 1 ? 'one empty slot' : `${option.length} empty slots, one permit`;
        for (const need of option) decided(need, 'wait', because);
        places.push(option);
      } else {
        const because = isDue ? 'it waited longest' : `a permit costs $${(price / 1e6).toFixed(2)} now`;
        edits.push(decided(option, 'wait', because));
      }
    } else if (!isBatch(option) && option.dangerous)
      cancels.push(decided(option, 'edit', `it cannot wait, with ${permits} permits left`));
  }
  return plan;
}

/** Notes in a need the rejected alternative and the reason, and returns the need. */
export function decided<N extends Need>(need: N, over: Way, because: string): N {
  need.over = over;
  need.because = because;
  return need;
}

const isBatch = (option: readonly Place[] | Move): option is readonly Place[] => Array.isArray(option);

/** True when moves go as a cancel and a batch: one permit for all, but their slots are empty meanwhile. */
const areMovedTogether = (moves: number, { place, cancel }: PermitPool, limits: PlanLimits): boolean =>
  limits.maxOrdersPerPlace > 1 && cancel > 0 && place > 0 && moves > FEW_MOVES && moves > place * EDIT_SHARE;

/** True when so few permits of a window are left that they have a price. */
export const haveAPrice = (permits: number, limits: Pick<PlanLimits, 'permits'>): boolean =>
  permits < limits.permits * PRICE.free;

/** The worth that an edit needs for the next permit, micro-dollars. */
export const priceOf = (permits: number, worth: number, limits: Pick<PlanLimits, 'permits'>): number =>
  worth * PRICE.last * Math.max(0, 1 - permits / (limits.permits * PRICE.free));

/** The need whose turn it is because it waited longest; undefined when it is no such turn. */
function longestWaiting(needs: readonly Need[], { now, spent }: PermitPool): Need | undefined {
  if (spent % TURN_EVERY !== 0) return undefined;
  let longest: Need | undefined;
  for (const need of needs) {
    if (need.type === 'cancel' || now - (need.since ?? now) < LONG_WAIT_MS) continue;
    if (longest === undefined || (need.since ?? now) < (longest.since ?? now)) longest = need;
  }
  return longest;
}

const includesNeed = (option: readonly Place[] | Move, due: Need | undefined): boolean =>
  due !== undefined && (isBatch(option) ? option.some((need) => need === due) : option === due);

const rankOf = (option: readonly Place[] | Move): number =>
  isBatch(option) ? option.reduce((sum, { rank }) => sum + rank, 0) : option.rank;

const worthOf = (option: readonly Place[] | Move): number =>
  isBatch(option) ? option.reduce((sum, { value }) => sum + value, 0) : option.value;

const byRank = (a: Need, b: Need): number => b.rank - a.rank;

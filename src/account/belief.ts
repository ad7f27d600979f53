// The belief about one order: a pure fold over the reports under its names and the requests of the bot. Rule
// of time: an answer that can be undone (resting, absent) counts only when it was requested after the last
// request that touches the name; what only grows (fills, totals, an end) always counts.
import type { Micros, OrderStatus } from '../domain/index.ts';
import { isActive, microsOfCents, ZERO } from '../domain/index.ts';
import type { Absence, Name, OwnOrder } from './records.ts';
import { NEVER } from './records.ts';

/** Amounts on the wire are rounded, so a difference of one micro-dollar is no missing fill. */
const ROUNDING = 1;
/**
 * The proof that an order never landed (rules.md, 2): two reads without it, this far apart; five after a feed
 * dropped (docs/adr/0003).
 */
const APART_MS = 2000;
const ABSENCES_NEEDED = 2;
const ABSENCES_AFTER_A_DROP = 5;

export type Belief = {
  readonly status: OrderStatus;
  readonly filled: Micros;
  readonly reported: Micros;
  readonly bound: Micros;
  readonly landed: boolean;
};

type Summary = Pick<
  Name,
  'rested' | 'taken' | 'total' | 'restingAsked' | 'listedAsked' | 'goneAt' | 'unexplainedAt' | 'filled'
>;

export type FoldContext = {
  readonly lateArrivalMs: number;
  /** When the newest answer that contained every fill of the account was requested, monotonic ms. */
  readonly allFillsReadAsked: number;
  /** True when the id may belong to another order with the same terms. */
  readonly isAmbiguous: boolean;
};

export function beliefOf(order: OwnOrder, context: FoldContext): Belief {
  const { said: byRef, id: requests } = order;
  const size = microsOfCents(order.risk);
  const id = summaryOfId(order, context);
  const filled = Math.min(size, byRef.filled + (id?.filled ?? 0)) as Micros;
  const landed = filled > 0 || byRef.rested || id?.rested === true;
  const status = filled >= size ? 'filled' : statusOf(order, id, id && requests, landed, context);
  const reported = Math.max(filled, Math.min(size, Math.max(byRef.total, id?.total ?? 0))) as Micros;
  return { status, filled, reported, bound: boundOf(order, id, status, filled, context), landed };
}

/** The summary of the order's id. Undefined without an id. */
const summaryOfId = ({ id }: OwnOrder, { isAmbiguous }: FoldContext): Summary | undefined =>
  id !== undefined && isAmbiguous ? RESTED : id;

/** The summary of an ambiguous id: it proves only that something rests under it. */
const RESTED: Summary = Object.freeze({
  rested: true,
  taken: false,
  total: 0,
  restingAsked: NEVER,
  listedAsked: NEVER,
  goneAt: NEVER,
  unexplainedAt: NEVER,
  filled: 0,
});

function statusOf(
  order: OwnOrder,
  id: Summary | undefined,
  requests: Name | undefined,
  landed: boolean,
  context: FoldContext,
): OrderStatus {
  const { said: byRef, placing } = order;
  const goneAt = Math.max(byRef.isGone(requests?.orderId) ? byRef.goneAt : NEVER, id?.goneAt ?? NEVER);
  const isTaken = byRef.taken || id?.taken === true;
  const shownAsked = Math.max(byRef.restingAsked, id?.restingAsked ?? NEVER);
  // an answer requested after the reported end shows the order: the report of the end was wrong
  const isBack = goneAt > NEVER && shownAsked > goneAt;
  if (isTaken && !isBack) return 'filled';
  if (goneAt > NEVER && !isBack) return 'cancelled';
  if (!landed) {
    if (placing === 'not-sent') return 'never-landed';
    if (byRef.refused) return 'refused';
    if (neverLanded(order, byRef.absences, context)) return 'never-landed';
  }
  // without an id an order can neither be moved nor cancelled, even when it is known to have landed
  if (order.id === undefined || !landed) return placing === 'flying' ? 'sending' : 'unknown';
  const doubtAt = requests?.doubtAt ?? NEVER;
  // within one millisecond, a look-up comes after a request; a list may be older than its request
  const isShown = shownAsked >= doubtAt || Math.max(byRef.listedAsked, id?.listedAsked ?? NEVER) > doubtAt;
  const isDoubted = doubtAt > NEVER && !isShown;
  const ending = requests?.ending;
  if (ending === undefined || ending.by === order) return isDoubted ? 'unknown' : 'open';
  if (ending.kind === 'edit') return 'moving';
  return isDoubted ? 'cancelling-unknown' : 'cancelling';
}

/**
 * True when the absences prove that the order never landed. Nothing lands after `lateArrival`, so only reads
 * requested later count; after a feed drop more of them are needed.
 */
function neverLanded(
  { sentAt, placing }: OwnOrder,
  absences: readonly Absence[],
  { lateArrivalMs }: FoldContext,
): boolean {
  if (placing === 'flying' || absences.length < ABSENCES_NEEDED) return false;
  let count = 0;
  let last = NEVER;
  let isDropFree = true;
  for (const { askedAt, feedsUpSince } of absences) {
    if (askedAt < sentAt + lateArrivalMs || feedsUpSince > askedAt || askedAt < last + APART_MS) continue;
    last = askedAt;
    count += 1;
    isDropFree = feedsUpSince <= sentAt;
  }
  return count >= (isDropFree ? ABSENCES_NEEDED : ABSENCES_AFTER_A_DROP);
}

/**
 * The most that may still fill: for an order that may rest, all that is left; for one that ended, fills that
 * were reported and not seen.
 */
function boundOf(
  { said: byRef, risk }: OwnOrder,
  id: Summary | undefined,
  status: OrderStatus,
  filled: number,
  { allFillsReadAsked }: FoldContext,
): Micros {
  const left = microsOfCents(risk) - filled;
  if (left <= 0) return ZERO;
  if (status === 'filled' || isActive(status)) return left as Micros;
  const unexplainedAt = Math.max(byRef.unexplainedAt, id?.unexplainedAt ?? NEVER);
  const readAsked = Math.max(byRef.fillsReadAsked, allFillsReadAsked);
  if (unexplainedAt > NEVER && unexplainedAt >= readAsked) return left as Micros;
  const missing = Math.max(byRef.total, id?.total ?? 0) - filled;
  return (missing > ROUNDING ? Math.min(left, missing) : 0) as Micros;
}

/** True when fills of the order are reported as a total, or may exist, and are not known one by one. */
export const isMissingFills = ({ said: byRef, id, filled, status, bound }: OwnOrder): boolean =>
  isActive(status) ? Math.max(byRef.total, id?.total ?? 0) > filled + ROUNDING : bound > 0;

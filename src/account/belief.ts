// What is believed of one order: a pure fold over what was said of its names and what we sent. One rule of time: an answer
// that can be undone (resting, absent) counts only if it was asked for after the last request that touches the name; what
// only grows (fills, totals, an end) counts whenever it came.
import type { Micros, OrderStatus } from '../domain/index.ts';
import { isActive, microsOfCents, ZERO } from '../domain/index.ts';
import type { Absence, Name, OwnOrder } from './records.ts';
import { NEVER } from './records.ts';

/** Amounts on the wire are rounded: a micro-dollar is no missing fill. */
const ROUNDING = 1;
/** rules.md, 2: two reads that show nothing, this far apart; five after a feed dropped (docs/adr/0003). */
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

type Said = Pick<
  Name,
  'rested' | 'taken' | 'total' | 'restingAsked' | 'listedAsked' | 'goneAt' | 'unexplainedAt' | 'filled'
>;

export type FoldContext = {
  readonly lateArrivalMs: number;
  /** Every fill of the account was in an answer that was asked for then. */
  readonly allFillsReadAsked: number;
  /** The id may be another order's that looks the same. */
  readonly isAmbiguous: boolean;
};

export function beliefOf(order: OwnOrder, context: FoldContext): Belief {
  const { said, id: requests } = order;
  const size = microsOfCents(order.risk);
  const id = saidOfId(order, context);
  const filled = Math.min(size, said.filled + (id?.filled ?? 0)) as Micros;
  const landed = filled > 0 || said.rested || id?.rested === true;
  const status = filled >= size ? 'filled' : statusOf(order, id, id && requests, landed, context);
  const reported = Math.max(filled, Math.min(size, Math.max(said.total, id?.total ?? 0))) as Micros;
  return { status, filled, reported, bound: boundOf(order, id, status, filled, context), landed };
}

/** What its id says of it. */
const saidOfId = ({ id }: OwnOrder, { isAmbiguous }: FoldContext): Said | undefined =>
  id !== undefined && isAmbiguous ? RESTED : id;

/** Of an id that may be another's only that something rests under it. */
const RESTED: Said = Object.freeze({
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
  id: Said | undefined,
  requests: Name | undefined,
  landed: boolean,
  context: FoldContext,
): OrderStatus {
  const { said, placing } = order;
  const goneAt = Math.max(said.isGone(requests?.orderId) ? said.goneAt : NEVER, id?.goneAt ?? NEVER);
  const isTaken = said.taken || id?.taken === true;
  const shownAsked = Math.max(said.restingAsked, id?.restingAsked ?? NEVER);
  // an answer that was asked for after its end was reported shows it: the report was wrong
  const isBack = goneAt > NEVER && shownAsked > goneAt;
  if (isTaken && !isBack) return 'filled';
  if (goneAt > NEVER && !isBack) return 'cancelled';
  if (!landed) {
    if (placing === 'not-sent') return 'never-landed';
    if (said.refused) return 'refused';
    if (neverLanded(order, said.absences, context)) return 'never-landed';
  }
  // without an id it can neither be moved nor cancelled, also when it is known to have landed
  if (order.id === undefined || !landed) return placing === 'flying' ? 'sending' : 'unknown';
  const doubtAt = requests?.doubtAt ?? NEVER;
  // of a look-up and a request in one millisecond the look-up came later; a list may be older than it seems
  const isShown = shownAsked >= doubtAt || Math.max(said.listedAsked, id?.listedAsked ?? NEVER) > doubtAt;
  const isDoubted = doubtAt > NEVER && !isShown;
  const ending = requests?.ending;
  if (ending === undefined || ending.by === order) return isDoubted ? 'unknown' : 'open';
  if (ending.kind === 'edit') return 'moving';
  return isDoubted ? 'cancelling-unknown' : 'cancelling';
}

/** Nothing can land after `lateArrival`, so a read that was sent later tells; a feed that dropped meanwhile asks for more. */
function neverLanded(
  { sentAt, placing }: OwnOrder,
  absences: readonly Absence[],
  { lateArrivalMs }: FoldContext,
): boolean {
  if (placing === 'flying' || absences.length < ABSENCES_NEEDED) return false;
  let count = 0;
  let last = NEVER;
  let isDropFree = true;
  for (const { asked, feedsUpSince } of absences) {
    if (asked < sentAt + lateArrivalMs || feedsUpSince > asked || asked < last + APART_MS) continue;
    last = asked;
    count += 1;
    isDropFree = feedsUpSince <= sentAt;
  }
  return count >= (isDropFree ? ABSENCES_NEEDED : ABSENCES_AFTER_A_DROP);
}

/** The most that may still fill: of what may rest all that is left, of what ended what was reported and not seen. */
function boundOf(
  { said, risk }: OwnOrder,
  id: Said | undefined,
  status: OrderStatus,
  filled: number,
  { allFillsReadAsked }: FoldContext,
): Micros {
  const left = microsOfCents(risk) - filled;
  if (left <= 0) return ZERO;
  if (status === 'filled' || isActive(status)) return left as Micros;
  const unexplainedAt = Math.max(said.unexplainedAt, id?.unexplainedAt ?? NEVER);
  const readAsked = Math.max(said.fillsReadAsked, allFillsReadAsked);
  if (unexplainedAt > NEVER && unexplainedAt >= readAsked) return left as Micros;
  const missing = Math.max(said.total, id?.total ?? 0) - filled;
  return (missing > ROUNDING ? Math.min(left, missing) : 0) as Micros;
}

/** Fills are reported, or may be, that are not known one by one. */
export const isMissingFills = ({ said, id, filled, status, bound }: OwnOrder): boolean =>
  isActive(status) ? Math.max(said.total, id?.total ?? 0) > filled + ROUNDING : bound > 0;

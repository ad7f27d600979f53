// One account: credentials, both balances, open orders and plays, its two request windows and its cancel-all
// lock. Internal accounts are the venue's own traders: they have no windows, credit check, history or login.
import type { VenueAccount, WindowLimits, VenueOrder } from './records.ts';
import type { PlayerMode } from '../domain/index.ts';
import { microsOfDollars, ZERO } from '../domain/index.ts';
import { Archive } from './archive.ts';
import type { CancelQueue } from './cancel-queue.ts';
import { Credit } from './credit.ts';
import { SlidingWindow } from './sliding-window.ts';

export type AccountOptions = {
  readonly username: string;
  readonly password?: string | undefined;
  /** Balance in dollars. Default 10,000; also for `coins`. */
  readonly cash?: number | undefined;
  readonly coins?: number | undefined;
  readonly mode?: PlayerMode | undefined;
  readonly internal?: boolean;
  readonly exempt?: boolean | undefined;
  /** The id that the account had before a restart. By default the venue makes one. */
  readonly id?: string;
};

/** The limits of the spec (Limits): 25 place and edit requests in any 5 s, 30 cancels in any 2 s. */
export const SPEC_LIMITS: WindowLimits = {
  place: { requests: 25, windowMs: 5_000 },
  cancel: { requests: 30, windowMs: 2_000 },
};

/** The windows shortened for a clock that runs `speed` times faster. */
export const limitsAt = ({ place, cancel }: WindowLimits, speed: number): WindowLimits => ({
  place: { ...place, windowMs: place.windowMs / speed },
  cancel: { ...cancel, windowMs: cancel.windowMs / speed },
});

export const createAccount = (
  id: string,
  options: AccountOptions,
  limits: WindowLimits,
  cancelQueue: CancelQueue,
  shows: Pick<VenueAccount, 'showsModes' | 'showsReferences' | 'showsStarts'>,
): VenueAccount => ({
  id,
  username: options.username,
  password: options.password,
  internal: options.internal ?? false,
  exempt: options.exempt ?? options.internal ?? false,
  status: 'active',
  mode: options.mode ?? 'coins',
  ...shows,
  balances: { cash: microsOfDollars(options.cash ?? 10_000), coins: microsOfDollars(options.coins ?? 10_000) },
  credit: { cash: new Credit(), coins: new Credit() },
  open: new Map(),
  byReference: new Map(),
  plays: new Archive((play) => play.txId),
  fills: 0,
  riskFilled: ZERO,
  windows: {
    place: new SlidingWindow(limits.place.requests, limits.place.windowMs),
    cancel: new SlidingWindow(limits.cancel.requests, limits.cancel.windowMs),
  },
  limits: undefined,
  delayMs: 0,
  cancelQueue,
  lock: undefined,
  paused: [],
  heartbeatEndsMs: undefined,
});

/** Adds an order to its account's index by reference. Does nothing when it has no reference. */
export function addReference(order: VenueOrder): void {
  const { reference, account } = order;
  if (reference === undefined) return;
  const same = account.byReference.get(reference);
  if (same === undefined) account.byReference.set(reference, [order]);
  else same.push(order);
}

/** Removes an order from its account's index by reference. */
export function forgetReference(order: VenueOrder): void {
  const { reference, account } = order;
  if (reference === undefined) return;
  const remaining = (account.byReference.get(reference) ?? []).filter((other) => other !== order);
  if (remaining.length === 0) account.byReference.delete(reference);
  else account.byReference.set(reference, remaining);
}

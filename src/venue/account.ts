// One account: credentials, both balances, what it has open and matched, its two request windows and its cancel-all lock.
// Internal accounts are the venue's own traders: no windows, no credit check, no history kept, no login.
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
  /** Dollars. */
  readonly cash?: number | undefined;
  readonly coins?: number | undefined;
  readonly mode?: PlayerMode | undefined;
  readonly internal?: boolean;
  readonly exempt?: boolean | undefined;
  /** Of a former life; otherwise the venue makes one. */
  readonly id?: string;
};

/** Spec, Limits: 25 place and edit requests in any 5 s, 30 cancels in any 2 s. */
export const SPEC_LIMITS: WindowLimits = {
  place: { requests: 25, windowMs: 5_000 },
  cancel: { requests: 30, windowMs: 2_000 },
};

/** The same windows where time runs this much faster. */
export const limitsAt = ({ place, cancel }: WindowLimits, speed: number): WindowLimits => ({
  place: { ...place, windowMs: place.windowMs / speed },
  cancel: { ...cancel, windowMs: cancel.windowMs / speed },
});

export const createAccount = (
  id: string,
  of: AccountOptions,
  limits: WindowLimits,
  cancelQueue: CancelQueue,
  shows: Pick<VenueAccount, 'showsModes' | 'showsReferences' | 'showsStarts'>,
): VenueAccount => ({
  id,
  username: of.username,
  password: of.password,
  internal: of.internal ?? false,
  exempt: of.exempt ?? of.internal ?? false,
  status: 'active',
  mode: of.mode ?? 'coins',
  ...shows,
  balances: { cash: microsOfDollars(of.cash ?? 10_000), coins: microsOfDollars(of.coins ?? 10_000) },
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

/** From now on it can be looked up by its reference. */
export function addReference(order: VenueOrder): void {
  const { reference, account } = order;
  if (reference === undefined) return;
  const same = account.byReference.get(reference);
  if (same === undefined) account.byReference.set(reference, [order]);
  else same.push(order);
}

/** It can no longer be. */
export function forgetReference(order: VenueOrder): void {
  const { reference, account } = order;
  if (reference === undefined) return;
  const left = (account.byReference.get(reference) ?? []).filter((other) => other !== order);
  if (left.length === 0) account.byReference.delete(reference);
  else account.byReference.set(reference, left);
}

// One account: credentials, both balances, what it has open and matched, its two request windows and its cancel-all lock.
// Exempt accounts are the venue's own traders: no windows, no credit check, no history kept, no login.
import type { Bucket, Micros, OrderId, PlayerMode, TxId } from '../domain/index.ts';
import { microsOfDollars } from '../domain/index.ts';
import { Credit } from './credit.ts';
import type { MatchedPlay, VenueOrder } from './order.ts';
import { SlidingWindow } from './sliding-window.ts';

/** Orders that a cancel-all still has to cancel, oldest first; the next one falls due at `nextMs`. */
export type CancelAllLock = { readonly queue: VenueOrder[]; nextMs: number };

export type Account = {
  readonly id: string;
  readonly username: string;
  readonly password: string | undefined;
  readonly exempt: boolean;
  status: 'active' | 'banned' | 'closed';
  mode: PlayerMode;
  readonly balances: Record<PlayerMode, Micros>;
  readonly credit: Readonly<Record<PlayerMode, Credit>>;
  readonly open: Map<OrderId, VenueOrder>;
  readonly byReference: Map<string, VenueOrder[]>;
  readonly plays: Map<TxId, MatchedPlay>;
  fills: number;
  riskFilled: Micros;
  readonly windows: Readonly<Record<Bucket, SlidingWindow>>;
  lock: CancelAllLock | undefined;
};

export type AccountOptions = {
  readonly username: string;
  readonly password?: string;
  /** Dollars. */
  readonly cash?: number;
  readonly coins?: number;
  readonly mode?: PlayerMode;
  readonly exempt?: boolean;
};

export type WindowLimits = Readonly<Record<Bucket, { readonly requests: number; readonly windowMs: number }>>;
/** Spec, Limits: 25 place and edit requests in any 5 s, 30 cancels in any 2 s. */
export const SPEC_LIMITS: WindowLimits = {
  place: { requests: 25, windowMs: 5_000 },
  cancel: { requests: 30, windowMs: 2_000 },
};

export const createAccount = (id: string, of: AccountOptions, limits: WindowLimits): Account => ({
  id,
  username: of.username,
  password: of.password,
  exempt: of.exempt ?? false,
  status: 'active',
  mode: of.mode ?? 'coins',
  balances: { cash: microsOfDollars(of.cash ?? 10_000), coins: microsOfDollars(of.coins ?? 10_000) },
  credit: { cash: new Credit(), coins: new Credit() },
  open: new Map(),
  byReference: new Map(),
  plays: new Map(),
  fills: 0,
  riskFilled: 0 as Micros,
  windows: {
    place: new SlidingWindow(limits.place.requests, limits.place.windowMs),
    cancel: new SlidingWindow(limits.cancel.requests, limits.cancel.windowMs),
  },
  lock: undefined,
});

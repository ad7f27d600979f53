// What a venue is opened with, and what an edit comes to.
import type { GameDetails, WindowLimits } from './records.ts';
import type { Cancelled, Placed } from './order-entry.ts';
import type { Refusal } from './refusal.ts';
import type { SportsSettings } from '../domain/index.ts';
import type { WireProfile } from '../wire/index.ts';

export type VenueOptions = {
  readonly seed?: number;
  readonly profile?: WireProfile;
  /** What decides the markets of leagues and sports, where it is not as built in. */
  readonly sports?: SportsSettings;
  readonly limits?: WindowLimits;
  /** Request windows, the queue of cancels and the drain of cancel-alls run this much faster than the clock. */
  readonly windowSpeed?: number;
  /** Venue time runs this much faster than the tape's: orders' lifetimes shrink with it. */
  readonly speed?: number;
  /** How often this venue was started before from the same state: ids of each life are apart. */
  readonly life?: number;
  /** A recording brings ids of its own, perhaps of an exchange like this one: ours are apart from them. */
  readonly plays?: 'tape' | undefined;
  /** How many ended orders can be looked up at least; otherwise all, until a day after their game was graded. */
  readonly keepEnded?: number | undefined;
};

export type Edited = { readonly ok: true; readonly cancelled: Cancelled; readonly placed: Placed | Refusal };

/** A graded game can be looked up this long. */
export const KEEP_GRADED_MS = 24 * 3_600_000;
/** The account that takes for the recorded book. */
export const TAPE_USERNAME = 'tape';
export const PLAIN_GAME: GameDetails = { kind: 'game', periodName: undefined, marketName: undefined };

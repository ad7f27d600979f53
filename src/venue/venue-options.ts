// Options of a venue, the result of an edit, and constants.
import type { GameDetails, WindowLimits } from './records.ts';
import type { Cancelled, Placed } from './order-entry.ts';
import type { Refusal } from './refusal.ts';
import type { SportsSettings } from '../domain/index.ts';
import type { WireProfile } from '../wire/index.ts';

export type VenueOptions = {
  readonly seed?: number;
  readonly profile?: WireProfile;
  /** Settlement rules of leagues and sports that differ from the built-in ones. */
  readonly sports?: SportsSettings;
  readonly limits?: WindowLimits;
  /** Factor by which request windows, the cancel queue and cancel-all drains run faster than the clock. */
  readonly windowSpeed?: number;
  /** Factor by which venue time runs faster than tape time. Lifetimes of orders shrink with it. */
  readonly speed?: number;
  /** Number of earlier runs from the same stored state. Ids of different runs are distinct. */
  readonly earlierRuns?: number;
  /**
   * Set when a tape is played: its ids may come from an exchange like this one, so the venue's ids are kept
   * distinct.
   */
  readonly plays?: 'tape' | undefined;
  /**
   * The least number of ended orders that can be looked up. By default all can, until a day after their game
   * was graded.
   */
  readonly keepEnded?: number | undefined;
};

export type Edited = { readonly ok: true; readonly cancelled: Cancelled; readonly placed: Placed | Refusal };

/** How long a graded game can be looked up. */
export const KEEP_GRADED_MS = 24 * 3_600_000;
/** The account that trades for the recorded book. */
export const TAPE_USERNAME = 'tape';
export const PLAIN_GAME: GameDetails = { kind: 'game', periodName: undefined, marketName: undefined };

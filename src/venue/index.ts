// The exchange as a pure state machine: books, orders, matching, credit, windows, grading.
export type { AccountOptions } from './account.ts';
export type { SomeLimits, WindowLimits } from './records.ts';
export type { VenueAccount, AccountStatus } from './records.ts';
export type { GameMessageType, VenueChanges, VenueSink } from './events.ts';
export { PositionRecord } from './events.ts';
export { createIds } from './ids.ts';
export type { GameDetails, GameKind, Ghost, MarketBook, Resting, SideBook, VenueGame } from './records.ts';
export {
  availableOf,
  bestOf,
  bookFor,
  compareRank,
  createGame,
  ghostAvailable,
  isGraded,
  isPublished,
  keepBook,
  openInterestOf,
  oppositeOf,
  sideOf,
  walk,
} from './market-book.ts';
export { DUST, even, matchOf } from './matching.ts';
export type { Cancelled, Placed } from './order-entry.ts';
export { wouldMatch } from './order-rules.ts';
export type { OrderType, Ticket } from './order.ts';
export type { MatchedPlay, VenueOrder } from './records.ts';
export { ORDER_TYPES, expiryOf } from './order.ts';
export type { Refusal } from './refusal.ts';
export { rateLimited, refuse } from './refusal.ts';
export { SlidingWindow } from './sliding-window.ts';
export type { Edited, VenueOptions } from './venue-options.ts';
export { Venue } from './venue.ts';

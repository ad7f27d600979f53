// The paper exchange in process: the venue as a pure state machine, its clients' front door, its traders. The server around
// it is server.ts: whoever runs the venue in process does not load HTTP and sockets.
export * from './api/admin-routes.ts';
export * from './api/book-json.ts';
export * from './api/exchange.ts';
export * from './api/feeds.ts';
export * from './api/order-entry.ts';
export * from './api/order-json.ts';
export type { Payload } from './api/payload.ts';
export type { Headers } from './api/sessions.ts';
export * from './faults/faults.ts';
export * from './faults/plan.ts';
export * from './in-process.ts';
export * from './traders/synthetic-games.ts';
export * from './traders/synthetic-traders.ts';
export * from './traders/tape-clock.ts';
export * from './traders/tape-decoder.ts';
export * from './traders/tape-feed.ts';
export * from './traders/tape-traders.ts';
export * from './venue/account.ts';
export * from './venue/events.ts';
export * from './venue/market-book.ts';
export * from './venue/matching.ts';
export * from './venue/order.ts';
export * from './venue/order-desk.ts';
export * from './venue/random.ts';
export * from './venue/refusal.ts';
export * from './venue/venue.ts';
export * from './world.ts';

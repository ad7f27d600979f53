// The venue as a pure state machine, and its traders. The server around it is server.ts: whoever runs the venue in process
// does not load HTTP and sockets.
export * from './account.ts';
export * from './book-json.ts';
export * from './events.ts';
export * from './market-book.ts';
export * from './order.ts';
export * from './order-desk.ts';
export * from './order-entry.ts';
export * from './order-json.ts';
export * from './refusal.ts';
export * from './synthetic-games.ts';
export * from './synthetic-traders.ts';
export * from './tape-clock.ts';
export * from './tape-feed.ts';
export * from './tape-traders.ts';
export * from './venue.ts';

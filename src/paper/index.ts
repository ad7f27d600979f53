// The paper exchange in process: the venue, its client API and its traders. The server around it is in
// server/, so that in-process use does not load HTTP and sockets.
export * from './api/admin-routes.ts';
export * from './api/book-json.ts';
export * from './api/exchange.ts';
export * from './api/feeds.ts';
export * from './api/order-entry.ts';
export * from './api/order-json.ts';
export { gradedPlayJson, orderJson, ownPlayJson } from './api/record-json.ts';
export type { Payload } from './api/payload.ts';
export type { Headers } from './api/sessions.ts';
export * from './faults/faults.ts';
export * from './faults/plan.ts';
export * from './in-process.ts';
export type { Lane } from './timetable.ts';
export * from './world.ts';

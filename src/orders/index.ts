// The order manager: targets against live orders, under both windows.
export * from './ledger.ts';
export type { ForeignOrder } from './foreign-orders.ts';
export * from './own-order.ts';
export type { BookedPlay, PlayNews } from './plays.ts';
export { profitOf } from './plays.ts';
export * from './targets.ts';
export * from './manager.ts';
export type { HeldReason, PendingOrders } from './sender.ts';
export * from './fates.ts';
export { Heap } from './heap.ts';
export type { Sighting } from './likeness.ts';
export * from './planner.ts';
export { modeOf, ownerOf, runOf, shownRun } from './references.ts';
export * from './needs.ts';
export * from './cancel-plan.ts';
export * from './window-ledger.ts';

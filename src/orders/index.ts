// The order manager: targets against live orders, under both windows.
export * from './ledger.ts';
export * from './targets.ts';
export * from './manager.ts';
export * from './fates.ts';
export { planRequests } from './planner.ts';
export { needsOf } from './needs.ts';
export * from './window-ledger.ts';

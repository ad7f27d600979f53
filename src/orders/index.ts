// The order manager: compares targets with live orders and sends requests within both request windows.
export * from './targets.ts';
export * from './manager.ts';
export type { Attempt } from './answers.ts';
export { Heap } from './heap.ts';
export * from './planner.ts';
export * from './needs.ts';
export * from './cancel-plan.ts';

// Figures of a run (REPORT.md), as pure functions over fills and prices.
export * from './fill-figures.ts';
export * from './fill-tracker.ts';
export * from './activity.ts';
export * from './gate.ts';
export * from './signal-ages.ts';

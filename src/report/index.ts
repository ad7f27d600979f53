// Figures of a run (REPORT.md), as pure functions over fills and prices.
export * from './fill-figures.ts';
export * from './fill-tracker.ts';
export * from './activity.ts';
export * from './gate.ts';
export * from './report-fill.ts';
export * from './run-facts.ts';
export * from './attribution.ts';
export * from './chance.ts';
export * from './quoting.ts';
export * from './scenario.ts';
export * from './busiest.ts';
export * from './markout-curves.ts';
export * from './quote-clock.ts';
export * from './report-data.ts';
export * from './time-axis.ts';
export { reportHtml } from './html/page.ts';
export * from './signal-ages.ts';

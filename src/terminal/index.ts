// Terminal output: aligned rows, a line that refreshes, and protection against control characters in names.
export { aligned } from './aligned.ts';
export { LiveLine } from './live-line.ts';
export { ProgressLine } from './progress-line.ts';
export { guardOutput } from './shown-output.ts';
export { shownPath } from './shown-path.ts';

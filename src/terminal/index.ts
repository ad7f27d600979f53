// What a terminal shows: aligned rows, one line that refreshes, and nothing that a name could make it do.
export { aligned } from './aligned.ts';
export { LiveLine } from './live-line.ts';
export { guardOutput } from './shown-output.ts';
export { shownPath } from './shown-path.ts';

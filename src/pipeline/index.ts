// The stream of a run: merges all sources into one sequence of inputs, steps them through the core and
// carries commands out.
export type { Sources, Step } from './pipeline.ts';
export { pipeline } from './pipeline.ts';
export { conflate } from './conflate.ts';

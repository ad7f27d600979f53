// The stream of a run: every source merged into one line of inputs, stepped through the core, commands out.
export type { Sources, Step } from './pipeline.ts';
export { pipeline } from './pipeline.ts';
export { conflate } from './conflate.ts';

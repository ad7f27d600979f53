// How many seeds or runs a test takes: enough to see that it works in `npm test`, all of them in `npm run test:long`. A file
// that asks here is called `*.seeded.test.ts` (vitest.config.ts). HUNT=5000 looks for longer.
const ALL = process.env['SEEDS'] === 'all';
const HUNT = process.env['HUNT'];

export const seeds = (few: number, all: number): number => (ALL ? all : few);

/** Of a property test: its runs, the same ones every time but for a hunt. */
export const runs = (few: number, all: number): { readonly numRuns: number; readonly seed?: number } =>
  HUNT === undefined ? { numRuns: seeds(few, all), seed: 20_300_101 } : { numRuns: Number(HUNT) };

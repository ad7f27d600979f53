// The number of seeds or runs of a test: a few in `npm test`, all in `npm run test:long`, and HUNT of them
// when that is set, for long searches. A file that uses it is called `*.seeded.test.ts` (vitest.config.ts).
const HUNT = process.env['HUNT'];
const ALL = process.env['SEEDS'] === 'all';

export const seeds = (few: number, all: number): number => (HUNT === undefined ? (ALL ? all : few) : Number(HUNT));

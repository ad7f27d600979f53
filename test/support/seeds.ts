// How many seeds or runs a test takes: enough to see that it works in `npm test`, all of them in `npm run test:long`, and as
// many as HUNT says where somebody looks for longer. A file that asks here is called `*.seeded.test.ts` (vitest.config.ts).
const HUNT = process.env['HUNT'];
const ALL = process.env['SEEDS'] === 'all';

export const seeds = (few: number, all: number): number => (HUNT === undefined ? (ALL ? all : few) : Number(HUNT));

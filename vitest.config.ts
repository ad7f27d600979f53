// Three projects: `npm test` runs `rooms`, then `processes`; `npm run test:long` runs `long`. Which one a file belongs to is
// said by its folder and its name (CONTRIBUTING.md); a new folder belongs to `processes`, where nothing can go wrong with it.
import { fileURLToPath } from 'node:url';
import type { TestProjectInlineConfiguration } from 'vitest/config';
import { defineConfig } from 'vitest/config';
import LongestFirst from './test/support/longest-first.ts';

const NEEDED = 24;
if (Number.parseInt(process.versions.node, 10) < NEEDED) {
  console.error(
    `the tests need Node ${NEEDED} or newer, and this is ${process.version}: run them by \`npm test\` or \`npx vitest\`, which take the runtime that \`npm ci\` has installed`,
  );
  process.exit(1);
}

/** Pure: they start nothing, wait for nothing, and leave nothing to the next file. */
const ROOMS = [
  'domain',
  'pricing',
  'history',
  'wire',
  'mirror',
  'account',
  'risk',
  'orders',
  'engine',
  'pipeline',
  'strategies',
].map((room) => `test/${room}/**/*.test.ts`);
const LONG = 'test/**/*.long.test.ts';
/** A few of their seeds in `npm test`, all in `npm run test:long` (test/support/seeds.ts). */
const SEEDED = 'test/**/*.seeded.test.ts';
const CLEAN_UP = './test/support/clean-up.ts';
const BUILT = './test/support/built.ts';
const isLong = process.env['SEEDS'] === 'all';
const notHere = isLong ? [LONG, SEEDED] : [LONG];

const project = (order: number, test: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration => ({
  extends: true,
  // our code is imported once by each worker, not once by each file
  test: { pool: 'forks', sequence: { groupOrder: order }, ...test },
});

export default defineConfig({
  resolve: {
    alias: {
      'oddsmaker/strategy': fileURLToPath(new URL('./src/strategy/index.ts', import.meta.url)),
      'oddsmaker/pricing': fileURLToPath(new URL('./src/pricing/index.ts', import.meta.url)),
      'oddsmaker/indicators': fileURLToPath(new URL('./src/strategy/indicators.ts', import.meta.url)),
      'oddsmaker/testkit': fileURLToPath(new URL('./src/strategy/testkit.ts', import.meta.url)),
    },
  },
  test: {
    environment: 'node',
    globalSetup: './test/support/own-cache.ts',
    sequence: { sequencer: LongestFirst },
    // it only ends what hangs: a process that starts on a busy machine takes seconds
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 5_000,
    reporters: ['default', './test/support/count-reporter.ts'],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts', 'strategies/**/*.ts'],
      reportsDirectory: 'coverage',
    },
    projects: [
      project(0, { name: 'rooms', include: ROOMS, exclude: notHere, isolate: false }),
      // mostly they wait, so two at once cost each other little
      project(1, {
        name: 'processes',
        include: ['test/**/*.test.ts'],
        exclude: [...ROOMS, ...notHere],
        globalSetup: BUILT,
        setupFiles: CLEAN_UP,
        maxWorkers: 4,
        maxConcurrency: 3,
      }),
      project(2, {
        name: 'long',
        include: isLong ? [LONG, SEEDED] : [LONG],
        globalSetup: BUILT,
        setupFiles: CLEAN_UP,
        maxWorkers: 3,
        maxConcurrency: 3,
      }),
    ],
  },
});

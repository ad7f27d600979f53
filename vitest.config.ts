import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    alias: { 'oddsmaker/strategy': fileURLToPath(new URL('./src/strategy/index.ts', import.meta.url)) },
  },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    environment: 'node',
    pool: 'forks',
    // Suites use loopback servers and measure time: on a small machine they would disturb each other.
    fileParallelism: false,
    testTimeout: 20_000,
    hookTimeout: 20_000,
    teardownTimeout: 5_000,
    reporters: ['default', './test/support/count-reporter.ts'],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts', 'strategies/**/*.ts'],
      reportsDirectory: 'coverage',
    },
  },
});

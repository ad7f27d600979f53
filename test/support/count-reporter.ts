// Ends the output of every test run with one line, `N passed, N failed`, which scripts can read. It is
// written while the process exits, so nothing vitest prints comes after it, and a run that dies before its
// end still counts as failed.
import { writeSync } from 'node:fs';
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node';

type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number };

export default class CountReporter implements Reporter {
  private counts: Counts = { passed: 0, failed: 1, skipped: 0 };

  onInit(): void {
    process.once('exit', (code) => {
      // vitest also fails for other reasons than a test: no test found, low coverage, interruption.
      const failed = Math.max(this.counts.failed, code === 0 ? 0 : 1);
      if (failed > 0) process.exitCode ||= 1;
      print(lineOf({ ...this.counts, failed }));
    });
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const inState = (state: 'passed' | 'skipped'): readonly TestCase[] =>
      tests.filter((test) => test.result().state === state);
    const passed = inState('passed').length;
    const skipped = inState('skipped');
    // A file that does not load, a hook that throws or an unhandled rejection fails no test: it counts by
    // itself.
    const outside = modules.flatMap(groupsOf).filter((group) => group.errors().length > 0).length;
    const failed = tests.length - passed - skipped.length + outside + unhandledErrors.length;

    const strict = skippedIsFailed();
    for (const test of skipped) {
      print(`skipped${strict ? ', which CI counts as failed' : ''}: ${nameOf(test)}`);
    }
    this.counts = strict
      ? { passed, failed: failed + skipped.length, skipped: 0 }
      : { passed, failed, skipped: skipped.length };
  }
}

const groupsOf = (module: TestModule): readonly (TestModule | TestSuite)[] => [module, ...module.children.allSuites()];

const nameOf = (test: TestCase): string => `${test.module.relativeModuleId} > ${test.fullName}`;

const skippedIsFailed = (): boolean => !['', '0', 'false'].includes(process.env['CI'] ?? '');

const lineOf = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;

const print = (line: string): void => {
  writeSync(1, `${line}\n`);
};

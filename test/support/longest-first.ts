// Starts the files that take minutes before the others, so that a run does not end with one of them alone.
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

/** By the beginnings of their names below `test`, the longest first. */
const LONGEST = [
  'docs/commands',
  'package/package',
  'package/docker',
  'cli/sweep',
  'fault/kills',
  'e2e/quants-evenings',
  'sweep/queue',
  'page/page',
  'examples/truth',
  'strategies/informed-taker',
  'cli/init',
  'docs/site',
  'report/recompute',
  'backtest/fill-model',
  // of `npm test`
  'conformance/',
  'backtest/tapes',
  'cli/login',
  'page/admin-server',
  'cli/report',
];

const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = LONGEST.findIndex((name) => moduleId.includes(`/test/${name}`));
  return rank === -1 ? LONGEST.length : rank;
};

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((first, second) => rankOf(first) - rankOf(second));
  }
}

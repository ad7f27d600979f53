// Which results of points stay, and which another try may take the place of.
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/sweep/outcome.ts';
import { taskOf } from '../../src/sweep/point.ts';
import { ResultsLog } from '../../src/sweep/results-log.ts';
import { playMissing } from '../../src/sweep/search.ts';
import { folder } from '../support/children.ts';

const TASK = taskOf('inputs', { number: 1, settings: [] }, undefined);
const failed = (code: string): Outcome => ({ status: 'failed', code, problem: 'as told' });
const PLAYED: Outcome = { status: 'played', figures: { 'pnl.total': 1 }, games: [], errors: [] };

describe('what hangs on the machine', () => {
  it.each(['POINT_OVERRAN', 'POINT_LOST', 'TAPE_INVALID'])(
    '%s is played again, and what it comes to then counts',
    async (code) => {
      const out = folder();
      new ResultsLog(out).add(TASK, failed(code));
      const log = new ResultsLog(out);
      await playMissing(
        [TASK],
        log,
        async (tasks, ended) => tasks.forEach((task) => ended(task, PLAYED)),
        () => undefined,
      );
      expect(log.outcomeOf(TASK.key)).toEqual(PLAYED);
      // and says nothing against what is known
      log.add(TASK, failed(code));
      expect(log.outcomeOf(TASK.key)).toEqual(PLAYED);
      expect(log.differences).toEqual([]);
    },
  );

  it('is no difference where a point has another number: what it came to is compared', () => {
    const log = new ResultsLog(folder());
    log.add(TASK, PLAYED);
    log.add({ ...TASK, point: { ...TASK.point, number: 2 } }, PLAYED);
    expect([log.ranTwice, log.differences]).toEqual([1, []]);
  });

  it('is nothing else: a point that its schema refuses is not played again', async () => {
    const log = new ResultsLog(folder());
    log.add(TASK, failed('STRATEGY_PARAMS'));
    await playMissing(
      [TASK],
      log,
      () => Promise.reject(new Error('it is played')),
      () => undefined,
    );
  });
});

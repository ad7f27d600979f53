// Which results of points are final, and which a second try may replace.
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/sweep/outcome.ts';
import { taskOf } from '../../src/sweep/point.ts';
import { ResultsLog } from '../../src/sweep/results-log.ts';
import { playMissing } from '../../src/sweep/search.ts';
import { folder } from '../support/children.ts';

const TASK = taskOf('inputs', { number: 1, settings: [] }, undefined);
const failed = (code: string): Outcome => ({ status: 'failed', code, problem: 'a problem' });
const PLAYED: Outcome = { status: 'played', figures: { 'pnl.total': 1 }, games: [], errors: [] };

describe('a result that depends on the machine', () => {
  it.each(['POINT_OVERRAN', 'POINT_LOST', 'TAPE_INVALID'])(
    'is replaced by the result of a second try after %s',
    async (code) => {
      const out = folder();
      new ResultsLog(out).addResult(TASK, failed(code));
      const log = new ResultsLog(out);
      await playMissing(
        [TASK],
        log,
        async (tasks, ended) => tasks.forEach((task) => ended(task, PLAYED)),
        () => undefined,
      );
      expect(log.outcomeOf(TASK.key)).toEqual(PLAYED);
      // a later failure of this kind does not contradict the result
      log.addResult(TASK, failed(code));
      expect(log.outcomeOf(TASK.key)).toEqual(PLAYED);
      expect(log.differences).toEqual([]);
    },
  );

  it('is equal to that of a point with another number when the outcomes are equal', () => {
    const log = new ResultsLog(folder());
    log.addResult(TASK, PLAYED);
    log.addResult({ ...TASK, point: { ...TASK.point, number: 2 } }, PLAYED);
    expect([log.ranTwice, log.differences]).toEqual([1, []]);
  });

  it('excludes a point that its schema refuses: it is not played again', async () => {
    const log = new ResultsLog(folder());
    log.addResult(TASK, failed('STRATEGY_PARAMS'));
    await playMissing(
      [TASK],
      log,
      () => Promise.reject(new Error('the point is played')),
      () => undefined,
    );
  });
});

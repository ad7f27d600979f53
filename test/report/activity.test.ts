// The activity that the operator of the exchange sees, from synthetic runs and from a run that traded.
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { MarketId } from '../../src/domain/index.ts';
import { Activity } from '../../src/report/index.ts';
import { command, folder, run, TWO_SIDED, writeConfig } from '../support/children.ts';

const NONE = { placed: 0, edited: 0, cancelled: 0, cancelledByOthers: 0, refused: 0 };
const M = 'g/moneyline' as MarketId;

describe('the activity report', () => {
  it('has null shares without activity', () => {
    expect(new Activity().report(NONE)).toMatchObject({
      fills: { count: 0, makerShare: null },
      cancelsPerFill: null,
      life: { quotes: 0, median: null },
      answers: {},
      largeMoves: { moves: 0, fillsAfter: 0, share: null },
    });
  });

  it('has shares, quote lifetimes and answers', () => {
    const activity = new Activity();
    for (const role of ['made', 'made', 'made', 'took'] as const) activity.filled(M, 0, 25_000_000, role);
    for (const ms of [5000, 100, 3000, 200, 9000]) activity.ended(ms);
    for (const status of [200, 429, 200, 0]) activity.answered('place', status);
    const report = activity.report({ ...NONE, cancelled: 6, edited: 4 });
    expect(report).toMatchObject({
      fills: { count: 4, made: 3, took: 1, makerShare: 0.75, risk: 100 },
      cancelsPerFill: 2.5,
      life: { quotes: 5, median: 3000, p10: 100, p90: 9000 },
    });
    expect(report.answers).toEqual({ place: { '0': 1, '200': 2, '429': 1 } });
  });

  it('counts fills within five seconds after a price moved by two points, in one step or several', () => {
    const activity = new Activity();
    activity.price(M, 0, 0.5);
    activity.price(M, 60_000, 0.51);
    activity.filled(M, 60_100, 1, 'made');
    // two small steps are one large move
    activity.price(M, 61_000, 0.521);
    activity.filled(M, 61_000, 1, 'made');
    activity.filled(M, 66_000, 1, 'made');
    activity.filled(M, 66_001, 1, 'made');
    activity.filled('other/moneyline' as MarketId, 61_000, 1, 'made');
    // the same distance over a longer time is no large move
    activity.price(M, 80_000, 0.532);
    activity.price(M, 90_000, 0.543);
    expect(activity.report(NONE).largeMoves).toEqual({
      points: 0.02,
      withinMs: 5000,
      moves: 1,
      fillsAfter: 2,
      share: 0.4,
    });
  });

  it('of a journal has the counts of its run', async () => {
    const config = writeConfig(
      [
        'exchange: { embedded: { traders: synthetic, games: 3 } }',
        'strategies:',
        `  - { use: ${TWO_SIDED}, id: main, params: { edge: 0.008, risk: 100 } }`,
        'journal: { dir: ./run }',
        'ledger: { file: null }',
        'ops: { port: 0 }',
        '',
      ].join('\n'),
      folder(),
    );
    const { code, stdout } = await run(['run', config, '--for', '8s', '--json']);
    expect(code).toBe(0);
    const result = JSON.parse(stdout) as Readonly<Record<string, number>> & {
      readonly http: Readonly<Record<string, number>>;
    };
    const asked = await command(['report', '--activity', join(dirname(config), 'run'), '--json']);
    expect(asked.code).toBe(0);
    const report = JSON.parse(asked.stdout) as ReturnType<Activity['report']>;
    const { placed, edited, cancelled, refused, fills, riskFilled = 0 } = result;
    expect(fills).toBeGreaterThan(2);
    expect(report).toMatchObject({
      orders: { placed, edited, cancelled, refused, cancelledByOthers: 0 },
      fills: { count: fills, made: fills, took: 0, makerShare: 1, risk: Math.round(riskFilled * 100) / 100 },
      // each accepted order has ended
      life: { quotes: (placed ?? 0) + (edited ?? 0) },
    });
    const answered = Object.values(report.answers).flatMap((statuses) => Object.entries(statuses));
    const sum = new Map<string, number>();
    for (const [status, count] of answered) sum.set(status, (sum.get(status) ?? 0) + count);
    // the login and the last requests of the stop are not made by the core
    expect(sum.get('200')).toBeGreaterThan((result.http['200'] ?? 0) - 6);
    expect(await command(['report', '--activity', join(dirname(config), 'nothing')])).toMatchObject({
      code: 65,
    });
  });
});

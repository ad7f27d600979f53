// A strategy that takes longer than its budget, in the whole process: two warnings, then it is disabled.
// Every status shows that until an operator resumes it, or the run ends with 78.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../guard/fixtures.ts';
import { run, start, writeConfig } from '../support/children.ts';

/** Burns the CPU, or waits, for the first three views with an own order at rest. */
const strategy = (slow: string): string => `
import { map } from 'rxjs';
import { z } from 'zod';
import { centsOfDollars, defineStrategy } from 'oddsmaker/strategy';

let times = 0;
export default defineStrategy({
  name: 'slow',
  params: z.object({}),
  create: () => (views$) =>
    views$.pipe(
      map((view) => {
        const rests = view.sides.some(({ own }) => own.some(({ status }) => status === 'open'));
        if (rests && times++ < 3) {
          const from = process.threadCpuUsage().user;
          ${slow}
        }
        const quotes = view.market.sides.map((side) => ({ side, risk: centsOfDollars(10), probability: 0.42 }));
        return { market: view.market.id, quotes };
      }),
    ),
});
`;

const configOf = (slow: string, budget = ''): string => {
  const config = writeConfig(
    [
      'exchange: { embedded: { games: 2, seed: 1 } }',
      'markets: { types: [moneyline] }',
      'risk: { priceBand: 1 }',
      'ops: { port: 0 }',
      `strategies: [{ use: ./slow.ts, id: main${budget} }]`,
      '',
    ].join('\n'),
  );
  writeFileSync(join(dirname(config), 'slow.ts'), strategy(slow));
  return config;
};
/** CPU time, whatever else the machine does. */
const BURNS = 'while (process.threadCpuUsage().user - from < 400_000);';
const WAITS = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);';

describe('a strategy that takes longer than its budget', () => {
  it('is disabled at the third time, and every status shows it until an operator resumes it', async () => {
    const config = configOf(BURNS);
    const bot = start(['run', config]);
    const url = /"url":"([^"]+)"/.exec(await bot.prints('stderr', /"url":"[^"]+"/))?.[1] ?? '';
    await bot.prints('stderr', /STRATEGY_STRIKE[^]*"strikes":1,"of":3[^]*STRATEGY_STRIKE[^]*"strikes":2,"of":3/);
    await bot.prints('stderr', /STRATEGY_OVERRUN[^]*strike 3 of 3 within 600 s/);
    const ready = async (): Promise<readonly [number, string]> => {
      const answer = await fetch(`${url}/ready`);
      return [answer.status, await answer.text()];
    };
    const off = 'strategy main is off (STRATEGY_OVERRUN): mend it, then ctl resume main';
    await eventually('/ready says that it is off', async () => {
      const [status, text] = await ready();
      return status === 503 && text.includes(off);
    });
    const { problems } = JSON.parse((await ready())[1]) as { readonly problems: unknown };
    expect(problems).toEqual([{ code: 'STRATEGY_OFF', text: off, strategy: 'main' }]);
    expect((await run(['ctl', config, 'resume', 'mian'])).code).toBe(2);
    expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^oddsmaker_strategies_off 1$/m);
    expect((await run(['ctl', config, 'status'])).stdout).toContain(off);
    expect((await run(['ctl', config, 'resume'])).code).toBe(0);
    await bot.prints('stderr', /STRATEGY_REVIVED/);
    await eventually('it is ready again', async () => (await ready())[0] === 200);
    bot.child.kill('SIGTERM');
    expect((await bot.ended).code).toBe(0);
  }, 90_000);

  it('makes the run exit with 78 when it is still disabled at the end', async () => {
    const bot = start(['run', configOf(BURNS)]);
    await bot.prints('stderr', /STRATEGY_OVERRUN/);
    bot.child.kill('SIGTERM');
    const { code, stdout } = await bot.ended;
    expect([code, stdout]).toEqual([78, expect.stringContaining('strategy main was disabled: STRATEGY_OVERRUN')]);
  }, 60_000);

  it('gets strikes for waiting without CPU only when it exceeds its wall time', async () => {
    const patient = await run(['run', configOf(WAITS), '--for', '5s']);
    expect([patient.code, patient.stderr.includes('STRATEGY_STRIKE')], patient.stderr).toEqual([0, false]);
    const waiting = start(['run', configOf(WAITS, ', budget: { wall: 300ms }')]);
    await waiting.prints('stderr', /STRATEGY_OVERRUN/);
    waiting.child.kill('SIGTERM');
    const strict = await waiting.ended;
    expect(strict.stderr).toMatch(/STRATEGY_STRIKE[^\n]*"cpuMs":\d{1,2},"wallMs":4\d\d/);
    expect(strict.code).toBe(78);
  }, 90_000);
});

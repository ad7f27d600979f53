// An exchange that freezes: its connections stay open and nothing is answered. The bot reports that within
// ten seconds.
import { describe, expect, it } from 'vitest';
import { eventually } from '../guard/fixtures.ts';
import type { Exchange } from '../support/children.ts';
import { exchangeSection, start, STRATEGIES, writeConfig } from '../support/children.ts';

describe('an exchange that freezes', () => {
  it('is reported within ten seconds, in /ready and in the log, and the bot is ready again soon after the exchange continues', async () => {
    const exchange = start(['exchange', '--port', '0', '--games', '2', '--account', 'alice:alice-pw']);
    const { restUrl, socketUrl } = JSON.parse(await exchange.prints('stdout', /\n/)) as Exchange;
    const config = writeConfig(
      [
        exchangeSection(restUrl, socketUrl),
        'risk: { maxDailyLoss: 100000, resumeAfter: 250ms }',
        'journal: { dir: ./run }',
        'ops: { port: 0 }',
        STRATEGIES,
      ].join('\n'),
    );
    const bot = start(['run', config]);
    const url = /"url":"([^"]+)"/.exec(await bot.prints('stderr', /"url":"[^"]+"/))?.[1] ?? '';
    const ready = async (): Promise<readonly [number, string]> => {
      const answer = await fetch(`${url}/ready`);
      return [answer.status, await answer.text()];
    };
    await eventually('it is ready', async () => (await ready())[0] === 200, 30_000);
    exchange.child.kill('SIGSTOP');
    const frozenAt = performance.now();
    await bot.prints('stderr', /"DEGRADED"[^\n]*the exchange has answered nothing for \d+ s/);
    const [status, text] = await ready();
    expect(performance.now() - frozenAt).toBeLessThan(10_000);
    expect([status, text]).toEqual([503, expect.stringContaining('the exchange has answered nothing for') as string]);
    exchange.child.kill('SIGCONT');
    await eventually('it is ready again', async () => (await ready())[0] === 200, 30_000);
    bot.child.kill('SIGTERM');
    expect((await bot.ended).code).toBe(0);
    exchange.child.kill('SIGTERM');
    await exchange.ended;
  }, 120_000);
});

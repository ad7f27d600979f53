// A strategy that never returns, in a live run. The main thread is blocked, so another thread names the line,
// cancels everything on the account and ends the process (rules.md, 12).
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readBeat } from '../../src/ops/index.ts';
import { eventually, scene } from '../guard/fixtures.ts';
import { start } from '../support/children.ts';

/** Quotes far behind the book, and never returns once an order rests. */
const ENDLESS = `
import { map } from 'rxjs';
import { z } from 'zod';
import { defineStrategy } from 'oddsmaker/strategy';

function spin(): void {
  for (;;) Math.sqrt(2);
}

export default defineStrategy({
  name: 'endless',
  params: z.object({}),
  create: () => (views$) =>
    views$.pipe(
      map((view) => {
        if (view.sides.some(({ own }) => own.some(({ status }) => status === 'open'))) spin();
        return { market: view.market.id, quotes: view.market.sides.map((side) => ({ side, risk: 1000, probability: 0.42 })) };
      }),
    ),
});
`;

it('a strategy that never returns is reported by line, leaves nothing open, and ends the run with 78 despite signals', async () => {
  const alerts = 'alerts: [{ command: ./alerted.sh, level: error }]\n';
  const { config, files, story } = await scene(`strategies: [{ use: ./endless.ts, id: bad }]\n${alerts}`);
  const file = join(config, '../endless.ts');
  const alertFile = join(config, '../alerted.txt');
  writeFileSync(join(config, '../alerted.sh'), `#!/bin/sh\ncat >> ${alertFile}\necho >> ${alertFile}\n`, {
    mode: 0o755,
  });
  writeFileSync(file, ENDLESS);
  const bot = start(['run', config, '--json', '--for', '10s']);
  await bot.prints('stderr', /"alert":"STRATEGY_STUCK".*endless\.ts/);
  bot.child.kill('SIGINT');
  await eventually('nothing is open', async () => (await story()).openOrders === 0);
  const { code, stdout, stderr } = await bot.ended;
  expect(code, stderr).toBe(78);
  expect(JSON.parse(stdout)).toMatchObject({
    openAtExit: 0,
    faults: [{ strategy: 'bad', code: 'STRATEGY_STUCK', file, line: 7 }],
  });
  for (const line of stderr.trim().split('\n')) JSON.parse(line);
  expect(await story()).toMatchObject({ openOrders: 0, requests: { place: expect.any(Number) as number } });
  expect((await story()).requests.place).toBeGreaterThan(0);
  // the main thread could not send the alert, so the other thread sent it
  const alert = readFileSync(alertFile, 'utf8')
    .trim()
    .split('\n')
    .find((line) => line.includes('STRATEGY_STUCK'));
  expect(JSON.parse(alert ?? '{}')).toMatchObject({
    alert: 'STRATEGY_STUCK',
    level: 'error',
    account: 'alice',
  });
  // an orderly end: the next bot and the guard find nothing to clean up
  expect(existsSync(files.lease)).toBe(false);
  expect(readBeat(files.heartbeat)).toMatchObject({ farewell: true });
}, 60_000);

// Two bots of one account and one orders.instance, each with a folder of its own, as processes against one
// exchange.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Ended, Running } from '../support/children.ts';
import { command, folder, start, writeConfig } from '../support/children.ts';
import { eventually, scene } from './fixtures.ts';

type Status = Readonly<Record<string, unknown>>;

/** The same bot with its files elsewhere. */
function elsewhere(config: string) {
  const other = writeConfig(readFileSync(config, 'utf8'), folder());
  const ctl = (...args: readonly string[]): Promise<Ended> => command(['ctl', other, ...args]);
  return {
    ctl,
    startBot: (): Running => start(['run', other]),
    status: async () => JSON.parse((await ctl('status', '--json')).stdout) as Status,
  };
}

async function stop(bot: Running): Promise<number | null> {
  bot.child.kill('SIGINT');
  return (await bot.ended).code;
}

it('a second bot waits for the bot that already trades, and leaves its orders alone', async () => {
  const { config, startBot, status, quotes, story } = await scene();
  const other = elsewhere(config);
  const first = startBot();
  await quotes();
  const second = other.startBot();
  expect(await second.prints('stderr', /SECOND_BOT/)).toMatch(/this bot waits/);
  await eventually('the second bot waits', async () =>
    /^waiting: order /.test(String((await other.status())['closed'])),
  );
  expect(await other.status()).toMatchObject({ requests: { place: 0, edit: 0, cancel: 0 }, openOrders: 0 });
  expect(await stop(second)).toBe(0);
  expect((await story()).openOrders).toBeGreaterThan(0);
  expect(await status()).toMatchObject({ trading: 'active' });
  // orders that a killed bot left behind wait for an operator
  first.child.kill('SIGKILL');
  await first.ended;
  const third = other.startBot();
  await third.prints('stderr', /SECOND_BOT/);
  expect((await other.ctl('resume')).code).toBe(0);
  await third.prints('stderr', /ORDER_ADOPTED/);
  await eventually('the third bot trades', async () => (await other.status())['closed'] === undefined);
  expect(await stop(third)).toBe(0);
  expect((await story()).openOrders).toBe(0);
}, 120_000);

it('a second bot halts when it began later and no order of the first bot rested, and the first bot continues', async () => {
  const { config, startBot, status, ctl, quotes, story } = await scene();
  const other = elsewhere(config);
  const first = startBot();
  await quotes();
  await first.prints('stderr', /"msg":"status"|not quoting|quoting/);
  // a list of orders shows when the first bot began
  await eventually('a list was read', async () => Number((await status())['openOrders']) > 0);
  await new Promise((resolve) => setTimeout(resolve, 6000));
  expect((await ctl('pause')).code).toBe(0);
  await eventually('nothing rests', async () => (await story()).openOrders === 0);
  const second = other.startBot();
  await quotes(1);
  expect((await ctl('resume')).code).toBe(0);
  await eventually('the second bot halts', async () => (await other.status())['trading'] === 'halted', 20_000);
  await eventually('the orders of the second bot are gone', async () => (await other.status())['openOrders'] === 0);
  expect(await other.status()).toMatchObject({
    closed: expect.stringMatching(/another bot trades/) as string,
  });
  expect(await status()).toMatchObject({ trading: 'active' });
  await quotes(1);
  expect(await stop(second)).toBe(0);
  expect((await story()).openOrders).toBeGreaterThan(0);
  expect(await stop(first)).toBe(0);
}, 120_000);

it('two bots that start at once never both continue', async () => {
  const { config, startBot, status } = await scene();
  const other = elsewhere(config);
  const bots = [startBot(), other.startBot()];
  await eventually(
    'one or both stand down',
    async () => {
      const [first, second] = await Promise.all([status(), other.status()]).catch(() => []);
      if (first === undefined || second === undefined) return false;
      const isDown = ({ trading, closed }: Status): boolean =>
        trading === 'halted' || /another bot/.test(String(closed));
      return isDown(first) || isDown(second);
    },
    30_000,
  );
  for (const bot of bots) expect(await stop(bot)).toBe(0);
}, 120_000);

// Orders that an operator or the exchange cancels, over real sockets: each is counted, named and quoted
// again.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Fields } from '../../src/ops/index.ts';
import { comesTrue } from './live.ts';
import type { Seen } from './socket-bot.ts';
import { withBot } from './socket-bot.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'oddsmaker-cancelled-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const named = ({ logged }: Seen): readonly Fields[] => logged.filter(({ code }) => code === 'ORDER_CANCELLED');

it('an order that another client cancels is counted, named and quoted again; the bot’s own cancels are not counted', async () => {
  let seen: Seen | undefined;
  await withBot(join(folder, 'bot'), [], async (running) => {
    seen = running;
    const { bot, venue } = running;
    const { account, exchange } = venue;
    const rests = (): boolean => bot.status.wanted > 10 && bot.status.resting === bot.status.wanted;
    expect(await comesTrue(rests, 15_000)).toBe(true);
    expect(named(running)).toEqual([]);
    const [order] = account.open.values();
    const cancel = async (body: unknown): Promise<void> => {
      const headers = { 'Content-Type': 'application/json' };
      const url = `${exchange.adminUrl}/accounts/bot/cancel`;
      expect((await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status).toBe(200);
    };
    await cancel({ orderID: order?.id });
    expect(await comesTrue(() => bot.status.cancelledByOthers === 1, 5000)).toBe(true);
    expect(named(running)).toEqual([
      expect.objectContaining({ orderId: order?.id, ref: order?.reference, marketId: order?.book.market.id }),
    ]);
    expect(await comesTrue(rests, 5000)).toBe(true);
    await cancel({ all: true });
    // an edit or cancel of the bot may be under way for some of them
    expect(await comesTrue(() => bot.status.cancelledByOthers > 5, 5000)).toBe(true);
    expect(await comesTrue(rests, 10_000)).toBe(true);
  });
  const byOthers = seen?.bot.status.cancelledByOthers;
  expect(seen && named(seen)).toHaveLength(byOthers ?? 0);
  expect(seen?.bot.status.openOrders).toBe(0);
}, 60_000);

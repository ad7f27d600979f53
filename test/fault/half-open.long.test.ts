// A user feed that is connected and sends nothing, over real sockets: the bot must not cycle between quoting
// and suspicion. The test counts the orders that the bot placed: 150 in 11.5 s and 96 in 5 s while a
// handshake or a pulled quote was enough to trust the feed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fields } from '../../src/ops/index.ts';
import { comesTrue } from './live.ts';
import { withBot } from './socket-bot.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'oddsmaker-half-open-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const suspicions = (logged: readonly Fields[]): readonly Fields[] =>
  logged.filter(({ code, waitMs }) => code === 'FEED_SUSPECT' && waitMs !== undefined);

describe('a user feed that sends nothing', () => {
  it('is tried with one quote at a time, after waits that double, and trusted once it reports a quote', async () => {
    await withBot(
      join(folder, 'silent'),
      [{ fault: 'drop', feeds: ['user'] }],
      async ({ bot, venue, logged }, setFaults) => {
        expect(await comesTrue(() => suspicions(logged).length === 1, 10_000)).toBe(true);
        const first = bot.status.placed + bot.status.edited;
        expect(first).toBeGreaterThan(10);
        expect(await comesTrue(() => suspicions(logged).length === 3, 20_000)).toBe(true);
        const { placed, edited } = bot.status;
        console.info(`silent: ${first} before the first suspicion, ${placed + edited - first} until the third`);
        expect(placed + edited - first).toBeLessThanOrEqual(2);
        expect(suspicions(logged).map(({ waitMs }) => waitMs)).toEqual([1000, 2000, 4000]);
        await setFaults([]);
        const all = (): boolean => bot.status.wanted > 10 && bot.status.resting === bot.status.wanted;
        expect(await comesTrue(all, 15_000)).toBe(true);
        expect(suspicions(logged)).toHaveLength(3);
        expect(venue.account.open.size).toBeGreaterThan(10);
      },
    );
  }, 60_000);

  it('is trusted once more on its handshake while it stays half open, and then only after a packet', async () => {
    const rule = { fault: 'half-open', feeds: ['user'], every: '150ms' };
    await withBot(join(folder, 'half-open'), [], async ({ bot }, setFaults) => {
      const all = (): boolean => bot.status.wanted > 10 && bot.status.resting === bot.status.wanted;
      expect(await comesTrue(all, 15_000)).toBe(true);
      // a connection that sent packets is found dead after pingInterval + pingTimeout at the latest
      await setFaults([rule]);
      expect(await comesTrue(() => bot.view.drops.user === 1, 10_000)).toBe(true);
      const sent = (): number => {
        const { place = 0, edit = 0 } = bot.view.requests;
        return place + edit;
      };
      // the next connection reports that it is up, and dies without a packet
      expect(await comesTrue(() => bot.view.drops.user === 2, 10_000)).toBe(true);
      const before = sent();
      // the bot opens several connections meanwhile
      expect(await comesTrue(() => bot.view.drops.user > 2, 5000)).toBe(false);
      console.info(`half open: ${sent() - before} requests in 5 s`);
      expect(sent() - before).toBe(0);
      await setFaults([]);
      expect(await comesTrue(all, 15_000)).toBe(true);
    });
  }, 60_000);
});

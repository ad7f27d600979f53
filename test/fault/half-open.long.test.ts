// A user feed that is connected and tells nothing, over real sockets: the bot must not go round in quote, suspect, quote. What
// is counted is what the bot placed, which was 150 orders in 11.5 s and 96 in 5 s while a handshake or a pulled quote was enough.
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

describe('a user feed that tells nothing', () => {
  it('is tried with one quote at a time, after waits that double, and believed once it reports one', async () => {
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

  it('and stays half open is believed once more on its handshake, and then not before a packet comes', async () => {
    const rule = { fault: 'half-open', feeds: ['user'], every: '150ms' };
    await withBot(join(folder, 'half-open'), [], async ({ bot }, setFaults) => {
      const all = (): boolean => bot.status.wanted > 10 && bot.status.resting === bot.status.wanted;
      expect(await comesTrue(all, 15_000)).toBe(true);
      // a connection that was heard is found dead after pingInterval + pingTimeout at the latest
      await setFaults([rule]);
      expect(await comesTrue(() => bot.view.drops.user === 1, 10_000)).toBe(true);
      const asked = (): number => {
        const { place = 0, edit = 0 } = bot.view.requests;
        return place + edit;
      };
      // the next connection says that it is there, and dies unheard
      expect(await comesTrue(() => bot.view.drops.user === 2, 10_000)).toBe(true);
      const before = asked();
      // several connections later
      expect(await comesTrue(() => bot.view.drops.user > 2, 5000)).toBe(false);
      console.info(`half open: ${asked() - before} requests in 5 s`);
      expect(asked() - before).toBe(0);
      await setFaults([]);
      expect(await comesTrue(all, 15_000)).toBe(true);
    });
  }, 60_000);
});

// The player mode is changed from outside, over real sockets (rules.md, 9): orders are placed in the wrong
// mode only for a short time, and are cancelled and named by id and amount.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/domain/index.ts';
import type { VenueAccount } from '../../src/venue/index.ts';
import type { WireProfile } from '../../src/wire/index.ts';
import type { Rule } from './live.ts';
import { comesTrue } from './live.ts';
import type { Seen } from './socket-bot.ts';
import { withBot } from './socket-bot.ts';

/** Requests are answered in 80 ms. */
const AWAY: readonly Rule[] = (['before', 'after'] as const).map((side) => ({
  fault: 'delay',
  on: ['place', 'edit', 'cancel', 'read'],
  by: { min: '39ms', max: '41ms' },
  side,
}));
const MODE_AGE_MS = 5000;

let folder = '';
let runs = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'oddsmaker-mode-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const post = async (url: string, method: string, body: unknown): Promise<void> => {
  const headers = { 'Content-Type': 'application/json' };
  expect((await fetch(url, { method, headers, body: JSON.stringify(body) })).ok).toBe(true);
};

type Made = { readonly id: string; readonly afterMs: number };

/**
 * Runs a bot that quotes in coins while `during` changes its account. Returns every order that was placed in
 * cash.
 */
async function flipped(
  profile: Partial<WireProfile>,
  during: (flip: (mode: 'cash' | 'coins') => Promise<void>, seen: Seen) => Promise<void>,
): Promise<{ readonly made: readonly Made[]; readonly seen: Seen }> {
  let seen: Seen | undefined;
  const made = new Map<string, Made>();
  let flippedAt = Number.NaN;
  const watch = ({ open }: VenueAccount): void => {
    for (const { id, mode } of open.values())
      if (mode === 'cash' && !made.has(id)) made.set(id, { id, afterMs: performance.now() - flippedAt });
  };
  await withBot(
    join(folder, `bot${(runs += 1)}`),
    AWAY,
    async (running) => {
      seen = running;
      const { bot, venue } = running;
      expect(await comesTrue(() => bot.status.wanted > 10 && bot.status.resting > 8, 15_000)).toBe(true);
      const watching = setInterval(() => watch(venue.account), 2);
      await during(async (mode) => {
        if (mode === 'cash') flippedAt = performance.now();
        await post(`${venue.exchange.adminUrl}/accounts/bot`, 'POST', { playerMode: mode });
      }, running);
      expect(await comesTrue(() => bot.status.stopping && venue.account.open.size === 0, 20_000)).toBe(true);
      clearInterval(watching);
    },
    { profile, code: EXIT.refused },
  );
  if (seen === undefined) throw new Error('no bot');
  return { made: [...made.values()], seen };
}

/** The orders of the other mode that the bot named at its end. */
function named({
  logged,
}: Seen): readonly { readonly orderId?: string; readonly risk: number; readonly mode: string }[] {
  const last = logged.findLast(({ code, orders }) => code === 'MODE_CHANGED' && orders !== undefined);
  return (last?.['orders'] ?? []) as ReturnType<typeof named>;
}

describe('a player mode that is changed from outside', () => {
  it('is noticed with the first record that names it, and orders placed in it are cancelled and named', async () => {
    const { made, seen } = await flipped({}, (flip) => flip('cash'));
    for (const { afterMs } of made) expect(afterMs).toBeLessThan(2000);
    expect(named(seen).map(({ orderId }) => orderId)).toEqual(expect.arrayContaining(made.map(({ id }) => id)));
    for (const { risk, mode } of named(seen)) {
      expect(risk).toBeGreaterThan(0);
      expect(['cash', 'not known']).toContain(mode);
    }
  }, 60_000);

  it('is noticed within 2 s when no record names it', async () => {
    const { made, seen } = await flipped({ modeOnRecords: false }, (flip) => flip('cash'));
    for (const { afterMs } of made) expect(afterMs).toBeLessThan(2000);
    expect(named(seen).map(({ orderId }) => orderId)).toEqual(expect.arrayContaining(made.map(({ id }) => id)));
  }, 60_000);

  it('stays unnoticed for at most modeAge and a round trip when reads get no answer', async () => {
    const { made } = await flipped({ modeOnRecords: false }, async (flip, { venue: { exchange } }) => {
      await post(`${exchange.adminUrl}/faults`, 'PUT', {
        seed: 1,
        rules: [...AWAY, { fault: 'no-answer', on: ['read'], rate: 1 }],
      });
      await flip('cash');
      await sleep(MODE_AGE_MS + 2000);
      await post(`${exchange.adminUrl}/faults`, 'PUT', { seed: 1, rules: AWAY });
    });
    for (const { afterMs } of made) expect(afterMs).toBeLessThan(MODE_AGE_MS + 200);
  }, 60_000);

  it('leaves no order of the other mode at rest when it is changed back, and those orders are named', async () => {
    const thereAndBack = () =>
      flipped({}, async (flip, { bot, venue: { account } }) => {
        await flip('cash');
        const isMade = (): boolean => [...account.open.values()].some(({ mode }) => mode === 'cash');
        await comesTrue(() => isMade() || bot.status.stopping, 2000);
        await flip('coins');
      });
    let { made, seen } = await thereAndBack();
    // a bot that asks just then places nothing in the other mode
    for (let tries = 1; made.length === 0 && tries < 5; tries++) ({ made, seen } = await thereAndBack());
    expect(made.length).toBeGreaterThan(0);
    expect(named(seen).map(({ orderId }) => orderId)).toEqual(expect.arrayContaining(made.map(({ id }) => id)));
  }, 120_000);
});

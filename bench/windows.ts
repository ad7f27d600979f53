// The request windows, saturated for two minutes against the paper exchange at 80 ms round trip with jitter:
// how much of each window is used, as the exchange counts, without a single 429. And how fast a burst of 25
// requests leaves.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bucket } from '../src/domain/index.ts';
import { doorTo, orderOf, saturate } from '../test/support/saturated-door.ts';
import { WINDOWS } from '../test/support/windows.ts';
import type { ArrivalAnswer, ArrivalQuestion } from './arrival-server.ts';
import { Child } from './child.ts';
import type { PaperAnswer, ServerQuestion } from './paper-server.ts';
import type { Row } from './run.ts';
import { quantile } from './statistics.ts';

const ACCOUNT = { username: 'bench', password: 'bench-pw' };
/** After the first windows the rate is the steady one. */
const WARM_UP_S = 12;
const MEASURED_S = 120;
const HALF_WAY = { min: 20, max: 60 };
const BURSTS = 15;
/** A bot runs for months: its code is compiled long before the burst that counts. */
const WARM_UP_BURSTS = 40;
const SETTLE_MS = 50;
const LONGEST_MS = 2000;

/**
 * Permits that return evenly over the window: a count over some time must not depend on where it cuts a
 * burst.
 */
const evenly = (bucket: Bucket): readonly number[] => {
  const { requests, windowMs } = WINDOWS[bucket];
  const now = performance.now();
  return Array.from({ length: requests }, (_none, index) => now + (windowMs * (index + 1)) / requests);
};

export async function windows(): Promise<readonly Row[]> {
  const server = new Child<ServerQuestion, PaperAnswer>('./paper-server.ts');
  try {
    const { url, adminUrl, ready } = await server.ask({
      start: { traders: 'synthetic', games: 1, seed: 1, accounts: [ACCOUNT] },
    });
    const [game] = ready;
    if (game === undefined) throw new Error('the exchange has no game');
    const { id } = game;
    const [away, home] = game.participants as readonly { readonly id: string }[];
    if (away === undefined || home === undefined) throw new Error('the game has no participants');
    const delay = (side: string) => ({ fault: 'delay', on: ['place', 'cancel'], by: HALF_WAY, side });
    const set = await fetch(`${adminUrl}/faults`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ seed: 1, rules: [delay('before'), delay('after')] }),
    });
    if (!set.ok) throw new Error(`the delays were refused: ${await set.text()}`);
    const counted = async (): Promise<{ place: number; cancel: number; at: number }> => {
      const response = await fetch(`${adminUrl}/accounts/${ACCOUNT.username}`);
      const { requests } = (await response.json()) as { requests: { place: number; cancel: number } };
      return { ...requests, at: performance.now() };
    };
    const { door, stop } = await saturate(url, id, {
      account: ACCOUNT,
      participants: [home.id, away.id],
      freeAt: evenly,
    });
    await sleep(WARM_UP_S * 1000);
    const before = await counted();
    await sleep(MEASURED_S * 1000);
    const after = await counted();
    stop();
    door.close();
    const seconds = (after.at - before.at) / 1000;
    const throttled = door.statuses.get(429) ?? 0;
    return (['place', 'cancel'] as const).map((bucket): Row => {
      const { requests, windowMs } = WINDOWS[bucket];
      const sent = after[bucket] - before[bucket];
      return {
        what: `${bucket} requests counted ÷ what the window allows, 80 ms round trip`,
        // a single 429 breaks the promise, however many requests there were
        ratios: [throttled > 0 ? 0 : sent / ((requests * seconds * 1000) / windowMs)],
        goal: bucket === 'place' ? '>= 0.97' : '>= 0.94',
        detail: `${sent} in ${seconds.toFixed(1)} s, ${throttled} × 429`,
      };
    });
  } finally {
    await server.close();
  }
}

export async function burst(): Promise<readonly Row[]> {
  const server = new Child<ArrivalQuestion, ArrivalAnswer>('./arrival-server.ts');
  try {
    const { url } = await server.ask({});
    const spreads: number[] = [];
    for (let run = 0; run < WARM_UP_BURSTS + BURSTS; run++) {
      const permits: number[] = [];
      const door = await doorTo(url, {
        account: ACCOUNT,
        onArrival: (arrival) => {
          if (arrival.type === 'permit' && arrival.bucket === 'place') permits.push(arrival.permit);
        },
      });
      await until(() => permits.length === WINDOWS.place.requests);
      await server.ask({ reset: true });
      permits.forEach((permit, index) => {
        door.execute({ type: 'place', req: index + 1, permit, orders: [orderOf('g', index)], why: [] });
      });
      const arrivals: number[] = [];
      await until(async () => {
        arrivals.push(...(await server.ask({ reset: true })).arrivals);
        return arrivals.length === permits.length;
      });
      door.close();
      if (run >= WARM_UP_BURSTS) spreads.push((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0));
    }
    return [
      {
        what: 'a burst of 25 place requests, first to last at the server, ms',
        ratios: spreads,
        goal: '<= 10',
        detail: `median of ${BURSTS}, over a connection each; worst ${quantile(spreads, 1).toFixed(1)} ms`,
      },
    ];
  } finally {
    await server.close();
  }
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LONGEST_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`a burst took longer than ${LONGEST_MS} ms`);
    await sleep(SETTLE_MS);
  }
}

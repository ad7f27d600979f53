// The windows over real time, saturated for a quarter of a minute.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Bucket } from '../../src/domain/index.ts';
import { DEFAULT_PROFILE } from '../../src/wire/index.ts';
import { saturate } from '../support/saturated-door.ts';
import { WINDOWS } from '../support/windows.ts';

/** A repeatable source of delays: 10 to 100 ms. */
function delays(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return 10 + (state / 2 ** 32) * 90;
  };
}

/** Counts requests where the exchange counts them: at arrival, after their way over the network. */
async function startCountingServer(
  seed: number,
): Promise<{ url: string; arrivals: Record<Bucket, number[]>; close: () => void }> {
  const next = delays(seed);
  const arrivals: Record<Bucket, number[]> = { place: [], cancel: [] };
  const server = createServer((request, response) => {
    void (async () => {
      request.resume();
      response.setHeader('content-type', 'application/json');
      if (request.url === DEFAULT_PROFILE.loginPath) {
        response.end('{"data":{"user":{"auth":"token"}}}');
        return;
      }
      await delay(next());
      const bucket: Bucket = request.url === '/session/cancelMultiple' ? 'cancel' : 'place';
      arrivals[bucket].push(performance.now());
      await delay(next());
      response.end('{"data":{}}');
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The most arrivals in any window of this length. */
function mostInWindow(times: readonly number[], windowMs: number): number {
  let most = 0;
  let from = 0;
  times.forEach((time, index) => {
    while (time - (times[from] ?? 0) >= windowMs) from += 1;
    most = Math.max(most, index - from + 1);
  });
  return most;
}

/**
 * How much of the window is used in the long run: 1 when the (i+N)th request comes exactly one window after
 * the ith.
 */
function usage(times: readonly number[], requests: number, windowMs: number): number {
  const gaps = times.slice(requests).map((time, index) => time - (times[index] ?? 0));
  return windowMs / (gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length);
}

describe('the request windows', () => {
  const open: { close: () => void }[] = [];
  afterEach(() => {
    for (const resource of open.splice(0)) resource.close();
  });

  it('never let the server count more than 25 in 5 s or 30 in 2 s under jitter, and use at least 95 % of the place window', async () => {
    const server = await startCountingServer(7);
    open.push(server);
    // every permit is spent the moment it is granted
    const account = { username: 'u', password: 'p' };
    const { door, stop } = await saturate(server.url, 'g', { account });
    open.push(door);
    await expect
      .poll(() => server.arrivals.place.length, { timeout: 30_000, interval: 100 })
      .toBeGreaterThanOrEqual(100);
    stop();

    const place = [...server.arrivals.place].sort((a, b) => a - b);
    const cancel = [...server.arrivals.cancel].sort((a, b) => a - b);
    expect(mostInWindow(place, WINDOWS.place.windowMs)).toBe(25);
    expect(mostInWindow(cancel, 2000)).toBe(30);
    expect(usage(place, 25, 5000)).toBeGreaterThanOrEqual(0.95);
    expect(usage(cancel, 30, 2000)).toBeGreaterThanOrEqual(0.9);
  }, 40_000);
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type {
  Bucket,
  Command,
  GameId,
  Input,
  NewOrder,
  OrderId,
  OrderRef,
  ParticipantId,
  Rung,
} from '../../src/domain/index.ts';
import { cents, market } from '../../src/domain/index.ts';
import { Gateway, PermitWindow, RestClient, Session } from '../../src/exchange/index.ts';
import { DEFAULT_PROFILE } from '../../src/wire/index.ts';

/** A repeatable source of delays: 10 to 100 ms. */
function delays(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return 10 + (state / 2 ** 32) * 90;
  };
}

/** Counts requests where the limit is counted: at arrival, after the way there. */
async function startCountingServer(
  seed: number,
): Promise<{ url: string; arrivals: Record<Bucket, number[]>; close: () => void }> {
  const next = delays(seed);
  const arrivals: Record<Bucket, number[]> = { place: [], cancel: [] };
  const server = createServer((request, response) => {
    void (async () => {
      request.resume();
      await delay(next());
      const bucket: Bucket = request.url === '/session/cancelMultiple' ? 'cancel' : 'place';
      arrivals[bucket].push(performance.now());
      await delay(next());
      response.setHeader('content-type', 'application/json');
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

const GAME = 'g' as GameId;
const TEAM = { id: 'p' as ParticipantId, name: 'P', shortName: 'P' };
const ORDER: NewOrder = {
  ref: 'r' as OrderRef,
  market: market(GAME, 'moneyline'),
  side: 'home',
  rung: 0 as Rung,
  risk: cents(100),
};
const WINDOWS = {
  place: { requests: 25, windowMs: 5000 },
  cancel: { requests: 30, windowMs: 2000 },
  read: { requests: 10, windowMs: 1000 },
};
const MARGIN_MS = 20;

function startGateway(url: string): Gateway {
  const rest = new RestClient(url, '');
  const session = new Session(
    rest,
    DEFAULT_PROFILE,
    { username: 'u', password: 'p', playerMode: 'coins', startTimeoutMs: 1000, requestTimeoutMs: 5000 },
    () => undefined,
  );
  const now = (): number => performance.now();
  const window = (of: keyof typeof WINDOWS): PermitWindow =>
    new PermitWindow({ ...WINDOWS[of], marginMs: MARGIN_MS }, now);
  return new Gateway(
    {
      rest,
      session,
      windows: { place: window('place'), cancel: window('cancel'), read: window('read') },
      participants: () => ({ home: TEAM, away: TEAM }),
    },
    DEFAULT_PROFILE,
    { requestTimeoutMs: 5000, lateArrivalMs: 30_000, expirationMinutes: undefined },
    now,
  );
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

/** How much of the window is used in the long run: 1 when the (i+N)th request comes exactly one window after the ith. */
function usage(times: readonly number[], requests: number, windowMs: number): number {
  const gaps = times.slice(requests).map((time, index) => time - (times[index] ?? 0));
  return windowMs / (gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length);
}

describe('the request windows', () => {
  const open: { close: () => void }[] = [];
  afterEach(() => {
    for (const one of open.splice(0)) one.close();
  });

  it('never lets the server count more than 25 in 5 s or 30 in 2 s under jitter, and uses at least 95 % of the place window', async () => {
    const server = await startCountingServer(7);
    const gateway = startGateway(server.url);
    open.push(server, gateway);
    let req = 0;
    // saturated: every permit is spent the moment it is granted
    const spend = (input: Input): Command | undefined => {
      if (input.type !== 'permit') return undefined;
      req += 1;
      return input.bucket === 'place'
        ? { type: 'place', req, permit: input.permit, orders: [ORDER], why: [] }
        : { type: 'cancel', req, permit: input.permit, orderIds: ['o' as OrderId], why: [] };
    };
    const subscription = gateway.inputs$.subscribe((input) => {
      const command = spend(input);
      if (command !== undefined) gateway.execute(command);
    });
    await expect
      .poll(() => server.arrivals.place.length, { timeout: 30_000, interval: 100 })
      .toBeGreaterThanOrEqual(100);
    subscription.unsubscribe();

    const place = [...server.arrivals.place].sort((a, b) => a - b);
    const cancel = [...server.arrivals.cancel].sort((a, b) => a - b);
    expect(mostInWindow(place, 5000)).toBe(25);
    expect(mostInWindow(cancel, 2000)).toBe(30);
    expect(usage(place, 25, 5000)).toBeGreaterThanOrEqual(0.95);
    expect(usage(cancel, 30, 2000)).toBeGreaterThanOrEqual(0.9);
  }, 40_000);

  it('hands out permits at the same pace while the wall clock is set back and forth', async () => {
    const rule = { requests: 2, windowMs: 100, marginMs: 20 };
    const window = new PermitWindow(rule, () => performance.now());
    open.push(window);
    let granted = 0;
    window.permits$.subscribe((permit) => {
      granted += 1;
      window.spend(permit, performance.now());
      window.end(permit, performance.now());
    });
    await expect.poll(() => granted, { timeout: 2000, interval: 5 }).toBeGreaterThan(2);
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      for (const step of [-40_000, -3_600_000, 3_600_000]) {
        vi.setSystemTime(Date.now() + step);
        const before = granted;
        await expect.poll(() => granted, { timeout: 2000, interval: 5 }).toBeGreaterThan(before + 4);
      }
    } finally {
      vi.useRealTimers();
    }
  });

  it('fetches all 25 permits ahead, so that a burst waits for nothing', async () => {
    const window = new PermitWindow({ ...WINDOWS.place, marginMs: MARGIN_MS }, () => performance.now());
    open.push(window);
    const permits: number[] = [];
    window.permits$.subscribe((permit) => permits.push(permit));
    await expect.poll(() => permits.length, { timeout: 2000, interval: 5 }).toBe(25);
    expect(new Set(permits).size).toBe(25);
  });
});

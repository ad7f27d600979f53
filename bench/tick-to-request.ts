// A price frame at the socket → the request that answers it on the wire, against the bare chain of the same libraries:
// socket.io-client, JSON.parse, axios. The exchange runs in a process of its own and measures from its emit to the
// arrival of the request, so both chains are measured by one clock.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import axios from 'axios';
import { Agent } from 'node:http';
import { map as mapRx, merge, Subject } from 'rxjs';
import { io } from 'socket.io-client';
import { z } from 'zod';
import type { Input } from '../src/domain/index.ts';
import { Core, runCore } from '../src/engine/index.ts';
import { conflate, feed$, Gateway, PermitWindow, RestClient, Session } from '../src/exchange/index.ts';
import type { QuoteIntent } from '../src/strategy/index.ts';
import { centsOfDollars, defineStrategy, oddsOf } from '../src/strategy/index.ts';
import { DEFAULT_PROFILE } from '../src/wire/index.ts';
import { coreSettings } from '../test/support/core-driver.ts';
import type { Row } from './run.ts';
import { median, quantile } from './statistics.ts';

const BLOCKS = 16;
const TICKS = 60;
const PAUSE_MS = 8;
/** A bot runs for months: the code of both chains is compiled long before the tick that counts. */
const WARM_UP = { blocks: 4, ticks: 1500 };

type Chain = { readonly close: () => void };

export async function tickToRequest(): Promise<readonly Row[]> {
  const server = fork(fileURLToPath(new URL('./tick-server.ts', import.meta.url)), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const next = <T>(): Promise<T> =>
    new Promise((resolve) =>
      server.once('message', (message) => {
        resolve(message as T);
      }),
    );
  try {
    const { url } = await next<{ url: string }>();
    const all: Record<'bare' | 'own', number[]> = { bare: [], own: [] };
    for (let block = -WARM_UP.blocks; block < BLOCKS; block++) {
      const warmUp = block < 0;
      const ticks = warmUp ? WARM_UP.ticks : TICKS;
      for (const which of block % 2 === 0 ? (['bare', 'own'] as const) : (['own', 'bare'] as const)) {
        const chain = which === 'bare' ? startBare(url) : await startOwn(url, ticks);
        server.send({ ticks, pauseMs: warmUp ? 0 : PAUSE_MS });
        const { times } = await next<{ times: number[] }>();
        chain.close();
        if (!warmUp) all[which].push(...times);
      }
    }
    const us = (ms: number): string => `${Math.round(ms * 1000)} µs`;
    return [
      {
        what: 'frame at the socket → request on the wire ÷ bare chain',
        ratio: median(all.own) / median(all.bare),
        goal: '<= 1.15',
        detail: `medians over ${BLOCKS} blocks of ${TICKS} ticks in turn; p50 ${us(median(all.own))} against ${us(median(all.bare))}, p99 ${us(quantile(all.own, 0.99))} against ${us(quantile(all.bare, 0.99))}`,
      },
    ];
  } finally {
    server.kill();
  }
}

function startBare(url: string): Chain {
  const client = axios.create({
    baseURL: url,
    httpAgent: new Agent({ keepAlive: true }),
    proxy: false,
    maxRedirects: 0,
  });
  const socket = io(`${url}/priceUpdates`, {
    transports: ['websocket'],
    forceNew: true,
    extraHeaders: { Authorization: 'token' },
  });
  socket.on('orderUpdate', (data: string) => {
    const { gameID, sideOrders } = JSON.parse(data) as {
      gameID: string;
      sideOrders: readonly { odds: number }[];
    };
    void client.post('/session/editOrder', {
      sessionID: gameID,
      orderOdds: sideOrders[0]?.odds,
      orderVolume: 100,
      orderType: 'post',
      userReference: 'a.main.#0.bare-1',
      expiryChange: null,
    });
  });
  return { close: () => socket.disconnect() };
}

/** Quotes one side, one point behind the best offer: every tick of the server asks for one edit. */
const behindBest = defineStrategy({
  name: 'behind-best',
  params: z.object({}),
  create: () => (views$) =>
    views$.pipe(
      mapRx((view): QuoteIntent => {
        const best = view.sides[0].offers[0];
        return {
          market: view.market.id,
          quotes:
            best === undefined
              ? []
              : [
                  {
                    side: 'home',
                    risk: centsOfDollars(100),
                    odds: oddsOf((best.rung + 10) as typeof best.rung),
                  },
                ],
        };
      }),
    ),
});

async function startOwn(url: string, ticks: number): Promise<Chain> {
  const settings = coreSettings({ orders: { tolerance: 0 } }, behindBest, {});
  const core = new Core(settings, { reportAsync: () => undefined });
  const rest = new RestClient(url, 'public');
  const session = new Session(
    rest,
    DEFAULT_PROFILE,
    { username: 'u', password: 'p', playerMode: 'coins', startTimeoutMs: 5000, requestTimeoutMs: 5000 },
    () => undefined,
  );
  const now = (): number => performance.now();
  // permits for one block are fetched ahead, and none comes back during it: this measures the chain, not the limit
  const window = (requests: number): PermitWindow =>
    new PermitWindow({ requests, windowMs: 60_000, marginMs: 1 }, now);
  const gateway = new Gateway(
    {
      rest,
      session,
      windows: { place: window(ticks + 20), cancel: window(10), read: window(10) },
      participants: (id) => core.gameOf(id),
    },
    DEFAULT_PROFILE,
    { requestTimeoutMs: 5000, lateArrivalMs: 30_000, expirationMinutes: undefined },
    now,
  );
  const shell = new Subject<Input>();
  const feeds = new Subject<Input>();
  let wake: NodeJS.Timeout | undefined;
  const commands = runCore(
    core,
    merge(shell, session.inputs$, gateway.inputs$, feeds),
    { wall: Date.now, mono: now },
    () => undefined,
  ).subscribe((command) => {
    if (command.type === 'wake') {
      clearTimeout(wake);
      wake = setTimeout(
        () => {
          shell.next({ type: 'tick' });
        },
        Math.max(0, command.at - now()),
      );
    } else gateway.execute(command);
  });
  shell.next({ type: 'boot', run: 'bench' });
  await session.start(new AbortController().signal);
  const sockets = merge(
    feed$('prices', url, session, DEFAULT_PROFILE).pipe(conflate()),
    feed$('user', url, session, DEFAULT_PROFILE),
  ).subscribe((input) => {
    feeds.next(input);
  });
  return {
    close: () => {
      clearTimeout(wake);
      sockets.unsubscribe();
      commands.unsubscribe();
      gateway.close();
    },
  };
}

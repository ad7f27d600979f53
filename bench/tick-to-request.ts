// From a price frame at the socket to the request that answers it, against the bare chain of the same
// libraries: socket.io-client, JSON.parse, axios. The exchange runs in its own process and measures from its
// emit to the arrival of the request, so one clock measures both chains.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import axios from 'axios';
import { Agent } from 'node:http';
import { map as mapRx } from 'rxjs';
import { io } from 'socket.io-client';
import { z } from 'zod';
import type { QuoteIntent } from '../src/domain/index.ts';
import { centsOfDollars, oddsOf } from '../src/domain/index.ts';
import { defineStrategy } from '../src/strategy/index.ts';
import { coreSettings } from '../test/support/core-driver.ts';
import type { Chain } from './live-chain.ts';
import { startLive } from './live-chain.ts';
import type { Row } from './run.ts';
import { median, quantile, quantilesOf, ratiosOf } from './statistics.ts';

const BLOCKS = 16;
/** Blocks of a round, for the spread of the quantiles. */
const ROUND = 4;
const TICKS = 60;
const PAUSE_MS = 8;
/** A bot runs for months: the code of both chains is compiled long before the tick that counts. */
const WARM_UP = { blocks: 4, ticks: 1500 };

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
    const all: Record<'bare' | 'own', (readonly number[])[]> = { bare: [], own: [] };
    for (let block = -WARM_UP.blocks; block < BLOCKS; block++) {
      const warmUp = block < 0;
      const ticks = warmUp ? WARM_UP.ticks : TICKS;
      for (const which of block % 2 === 0 ? (['bare', 'own'] as const) : (['own', 'bare'] as const)) {
        const chain =
          which === 'bare'
            ? startBare(url)
            : await startLive({
                url,
                places: ticks + 20,
                settings: coreSettings({ orders: { tolerance: 0 } }, behindBest, {}),
              });
        server.send({ ticks, pauseMs: warmUp ? 0 : PAUSE_MS });
        const { times } = await next<{ times: number[] }>();
        chain.close();
        if (!warmUp) all[which].push(times);
      }
    }
    const us = (ms: number): string => `${Math.round(ms * 1000)} µs`;
    const [own, bare] = [all.own.flat(), all.bare.flat()];
    const rounds = (p: number) => ratiosOf(quantilesOf(all.own, p, ROUND), quantilesOf(all.bare, p, ROUND));
    return [
      {
        what: 'frame at the socket → request on the wire ÷ bare chain',
        ratios: rounds(0.5),
        goal: '<= 1.1',
        detail: `medians over ${BLOCKS} blocks of ${TICKS} ticks in turn; p50 ${us(median(own))} against ${us(median(bare))}`,
      },
      {
        what: 'the same, p99',
        ratios: rounds(0.99),
        goal: '<= 1.2',
        detail: `${us(quantile(own, 0.99))} against ${us(quantile(bare, 0.99))}, of ${own.length} ticks each`,
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

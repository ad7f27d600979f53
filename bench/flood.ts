// Every frame of a game through the whole live chain, as fast as loopback delivers them, against the bare
// chain: socket.io-client and JSON.parse. Both are clients in this process, in turn, of the same server in
// another process. Their CPU time counts, since the server may be the slow side.
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { io } from 'socket.io-client';
import { coreSettings } from '../test/support/core-driver.ts';
import type { Chain } from './live-chain.ts';
import { startLive } from './live-chain.ts';
import type { Row } from './run.ts';
import { median, ratiosOf } from './statistics.ts';
import { loadFrames } from './tape-frames.ts';
import type { Flood } from './tick-server.ts';

const ROUNDS = 9;
const WARM_UP = 3;
const PLACES = 25;

type Start = (url: string, handled: () => void) => Chain | Promise<Chain>;

export async function flood(): Promise<readonly Row[]> {
  const { frames, source } = await loadFrames();
  const header = frames.find(({ event }) => event === 'gameUpdate')?.data;
  const payloads = frames.filter(({ event }) => event === 'orderUpdate').map(({ data }) => data);
  if (header === undefined) throw new Error('a tape without the header of its game');
  const folder = mkdtempSync(join(tmpdir(), 'oddsmaker-bench-'));
  const file = join(folder, 'flood.json');
  writeFileSync(file, JSON.stringify({ header: JSON.parse(header) as unknown, payloads } satisfies Flood));
  const server = fork(fileURLToPath(new URL('./tick-server.ts', import.meta.url)), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const next = <T>(): Promise<T> =>
    new Promise((resolve) => server.once('message', (message) => resolve(message as T)));
  try {
    const { url } = await next<{ url: string }>();
    const measure = async (start: Start): Promise<number> => {
      const ready = next();
      server.send({ flood: file });
      await ready;
      let left = payloads.length;
      let before: NodeJS.CpuUsage | undefined;
      const done = Promise.withResolvers<undefined>();
      const chain = await start(url, () => {
        before ??= process.cpuUsage();
        if ((left -= 1) === 0) done.resolve(undefined);
      });
      await done.promise;
      const { user, system } = process.cpuUsage(before);
      chain.close();
      return (user + system) / 1000;
    };
    const cpuMs: Record<'bare' | 'live', number[]> = { bare: [], live: [] };
    for (let round = -WARM_UP; round < ROUNDS; round++)
      for (const which of round % 2 === 0 ? (['bare', 'live'] as const) : (['live', 'bare'] as const)) {
        const took = await measure(which === 'bare' ? startBare : startOwn);
        if (round >= 0) cpuMs[which].push(took);
      }
    const ratios = ratiosOf(cpuMs.bare, cpuMs.live);
    const each = (which: 'bare' | 'live'): string =>
      `${((median(cpuMs[which]) / payloads.length) * 1000).toFixed(0)} µs`;
    return [
      {
        what: 'every frame through the core, flood over loopback ÷ bare socket.io-client + JSON.parse',
        ratios,
        goal: '>= 0.95',
        detail: `${source}, ${payloads.length} frames: ${each('live')} against ${each('bare')} of CPU a frame`,
      },
    ];
  } finally {
    server.kill();
    rmSync(folder, { recursive: true });
  }
}

const startBare: Start = (url, handled) => {
  const socket = io(`${url}/priceUpdates`, {
    transports: ['websocket'],
    forceNew: true,
    extraHeaders: { Authorization: 'token' },
  });
  let kept: unknown;
  socket.on('orderUpdate', (data: string) => {
    kept = JSON.parse(data);
    handled();
  });
  return {
    close: () => {
      if (kept === undefined) throw new Error('nothing was parsed');
      socket.disconnect();
    },
  };
};

const startOwn: Start = async (url, handled) => {
  let frames = 0;
  const chain = await startLive({
    url,
    places: PLACES,
    settings: coreSettings({ markets: { live: true } }),
    handled: (arrival) => {
      if (arrival.type !== 'frame') return;
      frames += 1;
      handled();
    },
  });
  return {
    close: () => {
      const { intents, closed } = chain.status();
      chain.close();
      if (intents < frames / 2)
        throw new Error(`${intents} intents for ${frames} frames (${closed ?? 'quoting'}): nothing was quoted`);
    },
  };
};

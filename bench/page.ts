// The cost of the page for trading: a whole bot with 200 markets, from a frame at its socket to the request
// that answers it, with one page that reads and ten clients that do not, against the same process without
// clients.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Row } from './run.ts';
import { median, quantilesOf, ratiosOf, spread } from './statistics.ts';

const GAMES = 200;
const SLOW = 10;
const BLOCKS = 12;
/** Blocks of a round: a p99 of 120 ticks would be its second largest. */
const ROUND = 3;
const TICKS = 120;
const PAUSE_MS = 8;
const TOKEN = 'bench';
/** How much longer the p99 may be with the page. */
const MOST = 1.3;

const STRATEGY = `
import { map } from 'rxjs';
import { z } from 'zod';
import { centsOfDollars, defineStrategy, oddsOf } from 'oddsmaker/strategy';
export default defineStrategy({
  name: 'behind-best',
  params: z.object({}),
  create: () => (views$) =>
    views$.pipe(map((view) => {
      const best = view.sides[0].offers[0];
      return { market: view.market.id, quotes: best === undefined ? [] : [{ side: 'home', risk: centsOfDollars(10), odds: oddsOf(best.rung + 10) }] };
    })),
});
`;

export async function page(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'oddsmaker-page-bench-'));
  const server = fork(fileURLToPath(new URL('./tick-server.ts', import.meta.url)), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const next = async <T>(): Promise<T> => (await once(server, 'message'))[0] as T;
  const { url } = await next<{ url: string }>();
  server.send({ games: GAMES });
  await next();
  writeFileSync(join(folder, 'behind.ts'), STRATEGY);
  writeFileSync(join(folder, 'bot.yaml'), configOf(url));
  const bot = spawn(
    process.execPath,
    [fileURLToPath(new URL('../bin/oddsmaker.js', import.meta.url)), 'run', join(folder, 'bot.yaml')],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(bot, 'exit');
  try {
    const address = await adminOf(bot.stderr);
    await quoting(address);
    const all: Record<'alone' | 'watched', (readonly number[])[]> = { alone: [], watched: [] };
    const run = async (): Promise<readonly number[]> => {
      server.send({ ticks: TICKS, pauseMs: PAUSE_MS });
      return (await next<{ times: number[] }>()).times;
    };
    // warm-up: also compiles the code that serves a page
    for (let warm = 0; warm < 2; warm++) await watched(address, run);
    for (let block = 0; block < BLOCKS; block++)
      for (const which of block % 2 === 0 ? (['alone', 'watched'] as const) : (['watched', 'alone'] as const))
        all[which].push(which === 'alone' ? await run() : await watched(address, run));
    const us = (ms: number): string => `${Math.round(ms * 1000)} µs`;
    const p99 = { alone: quantilesOf(all.alone, 0.99, ROUND), watched: quantilesOf(all.watched, 0.99, ROUND) };
    const [alone, seen] = [all.alone.flat(), all.watched.flat()];
    return [
      {
        what: 'frame → request with the page open and ten slow clients ÷ without, p99',
        ratios: ratiosOf(p99.watched, p99.alone),
        goal: `<= ${MOST}`,
        detail: `${GAMES} markets, ${BLOCKS} blocks of ${TICKS} ticks in turn, ${ROUND} a round; p50 ${us(median(seen))} against ${us(median(alone))}`,
      },
      {
        what: 'frame → request with the page open and ten slow clients, p99, ms',
        ratios: p99.watched,
        goal: `<= ${(MOST * median(p99.alone)).toFixed(1)}`,
        detail: `goal: ${MOST} × the p99 without, ${us(median(p99.alone))} (${spread(p99.alone)} ms)`,
      },
    ];
  } finally {
    bot.kill('SIGKILL');
    await ended;
    server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs `work` with one client that reads and others that do not. */
async function watched<T>(address: string, work: () => Promise<T>): Promise<T> {
  const requests = Array.from({ length: 1 + SLOW }, () => {
    const request = get(`${address}/api/stream`, { headers: { authorization: `Bearer ${TOKEN}` } });
    request.on('error', () => undefined);
    return request;
  });
  const answers = await Promise.all(
    requests.map(async (request) => (await once(request, 'response'))[0] as IncomingMessage),
  );
  answers[0]?.resume();
  for (const answer of answers.slice(1)) answer.pause();
  try {
    return await work();
  } finally {
    for (const request of requests) request.destroy();
    await sleep(50);
  }
}

async function adminOf(stderr: NodeJS.ReadableStream): Promise<string> {
  let output = '';
  for await (const chunk of stderr) {
    output += String(chunk);
    const [, address] = /"url":"([^"]+)"/.exec(output) ?? [];
    if (address === undefined) continue;
    stderr.resume();
    return address;
  }
  throw new Error(`the bot did not open its admin port: ${output}`);
}

/** Waits until a quote rests in every market. */
async function quoting(address: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const status = (await (
      await fetch(`${address}/status`, { headers: { authorization: `Bearer ${TOKEN}` } })
    ).json()) as { readonly resting: number };
    if (status.resting >= GAMES) return;
    await sleep(100);
  }
  throw new Error('the bot did not quote in every market');
}

const configOf = (url: string): string => `exchange:
  restUrl: ${url}
  socketUrl: ${url}
  username: u
  password: p
  playerMode: coins
  limits: { place: { requests: 5000, window: 1s }, cancel: { requests: 5000, window: 1s } }
orders: { tolerance: 0 }
risk: { maxDailyLoss: 1000000, maxTotalLoss: 1000000, maxGameLoss: 1000000, maxOpenOrders: 5000, staleAfter: 10m, resumeAfter: 100ms, maxCreditUse: 1 }
markets: { leagues: [NBA], types: [moneyline] }
journal: { dir: ./run }
ledger: { file: ./run/ledger.db }
ops: { port: 0, token: ${TOKEN} }
strategies: [{ use: ./behind.ts, id: main }]
`;

// Frames of 66 MB between an exchange and a running bot are dropped, the connections stay, and the bot
// continues to quote.
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { eventually } from '../guard/fixtures.ts';
import {
  exchangeSection,
  SHORT_WINDOWS,
  run,
  start,
  startExchange,
  countsOf,
  STRATEGIES,
  writeConfig,
} from '../support/children.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** The first frame in the bytes of a server, which masks none. Undefined when it is incomplete. */
function frameIn(bytes: Buffer): { readonly header: number; readonly all: number } | undefined {
  const lengthCode = (bytes[1] ?? 0) & 127;
  const header = lengthCode < 126 ? 2 : lengthCode === 126 ? 4 : 10;
  if (bytes.length < header) return undefined;
  const length =
    lengthCode < 126 ? lengthCode : lengthCode === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  return bytes.length < header + length ? undefined : { header, all: header + length };
}

function textFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const header = Buffer.alloc(10);
  header[0] = 0x81;
  header[1] = 127;
  header.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([header, payload]);
}

/** Passes everything on, and inserts whole frames of its own between those of the exchange. */
async function between(socketUrl: string) {
  const upstream = new URL(socketUrl);
  const clients = new Map<string, Socket>();
  const server = createServer((client) => {
    const exchange = connect(Number(upstream.port), upstream.hostname);
    client.pipe(exchange);
    for (const socket of [client, exchange]) socket.on('error', () => undefined);
    client.on('close', () => exchange.destroy());
    exchange.on('close', () => client.destroy());
    let bytes = Buffer.alloc(0);
    let isOpen = false;
    exchange.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (!isOpen) {
        const end = bytes.indexOf('\r\n\r\n');
        if (end < 0) return;
        isOpen = true;
        client.write(bytes.subarray(0, end + 4));
        bytes = bytes.subarray(end + 4);
      }
      for (let next = frameIn(bytes); next !== undefined; next = frameIn(bytes)) {
        const text = bytes.subarray(next.header, next.all).toString('latin1');
        const [, namespace] = /^40(\/[^,]*),/.exec(text) ?? [];
        if (namespace !== undefined) clients.set(namespace, client);
        client.write(bytes.subarray(0, next.all));
        bytes = bytes.subarray(next.all);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    send: (namespace: string, event: string, payload: unknown) =>
      clients.get(namespace)?.write(textFrame(`42${namespace},${JSON.stringify([event, JSON.stringify(payload)])}`)),
  };
}

it('frames of 66 MB on either feed cost one read each, and the connections and the journal survive', async () => {
  const venue = await startExchange('--games', '2', '--account', 'alice:alice-pw');
  const proxy = await between(venue.socketUrl);
  const config = writeConfig(
    [
      exchangeSection(venue.restUrl, proxy.url).trimEnd(),
      SHORT_WINDOWS,
      'risk: { resumeAfter: 250ms, maxDailyLoss: 100000 }',
      'journal: { dir: ./run }',
      'ops: { port: 0 }',
      STRATEGIES,
    ].join('\n'),
  );
  const bot = start(['run', config, '--json']);
  const url = /"url":"([^"]+)"/.exec(await bot.prints('stderr', /"url":"[^"]+"/))?.[1] ?? '';
  const quotes = (): Promise<unknown> => eventually('it quotes', async () => (await fetch(`${url}/ready`)).ok, 60_000);
  await eventually('orders rest', async () => (await countsOf(venue, 'alice')).openOrders > 0, 60_000);
  await quotes();
  const metrics = async (): Promise<string> => (await fetch(`${url}/metrics`)).text();

  const [game] = venue.games;
  const sideOrders = Array.from({ length: 500_000 }, (_, index) => ({
    id: `o${index}`,
    type: 'moneyline',
    odds: 105,
    risk: 100,
    sumUntaken: 100,
    takenRatio: 0,
    createdAt: '2030-01-01T00:00:00.000Z',
  }));
  const participantID = game?.participants[0]?.id;
  proxy.send('/priceUpdates', 'orderUpdate', { gameID: game?.id, type: 'moneyline', participantID, sideOrders });
  await eventually(
    'it is counted',
    async () => (await metrics()).includes('oddsmaker_frames_oversize_total{feed="prices"} 1'),
    60_000,
  );
  await quotes();
  proxy.send('/v2/user/alice', 'positionUpdate', { gameID: game?.id, unmatched: sideOrders });
  await eventually(
    'it is counted',
    async () => (await metrics()).includes('oddsmaker_frames_oversize_total{feed="user"} 1'),
    60_000,
  );
  await quotes();
  const last = await metrics();
  expect(last).toContain('oddsmaker_feed_drops_total{feed="prices"} 0');
  expect(last).toContain('oddsmaker_feed_drops_total{feed="user"} 0');
  bot.child.kill('SIGINT');
  const { code, stderr } = await bot.ended;
  expect(code).toBe(0);
  const lines = stderr.split('\n');
  expect(lines.filter((line) => line.includes('"alert":"FRAME_OVERSIZE"'))).toHaveLength(2);
  console.log(lines.filter((line) => line.includes('LOOP_STALLED')).join('\n'));
  const runFolder = join(dirname(config), 'run');
  const journal = readdirSync(runFolder).find((name) => name.endsWith('.ndjson.zst')) ?? '';
  // the journal holds the beginnings of both frames, and a replay makes the same decisions
  expect((await run(['replay', '--verify', join(runFolder, journal)])).code).toBe(0);
}, 240_000);

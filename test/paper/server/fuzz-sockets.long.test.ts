// The server under malicious and broken sockets: invalid handshakes and packets, namespaces of other
// accounts, clients that never read while the book is busy, and thousands of clients that connect and vanish.
// The server admits none without a token, forgets each with its connection, and serves all other clients as
// before.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Arena, field, json, text } from './arena.ts';
import { frameOf, OP, rawConnection, RawSocket } from './raw-client.ts';

const MOST_PACKET = 1_000_000;

// for slow machines
vi.setConfig({ testTimeout: 60_000 });

let arena: Arena;
beforeAll(async () => {
  arena = await Arena.open(300);
});
afterAll(() => arena.exchange.close());

const open = (): Promise<RawSocket> => RawSocket.open(arena.url);
const connectedNames = (): readonly string[] => [...arena.present('prices'), ...arena.present('user')];
const allGone = () => expect.poll(connectedNames, { timeout: 30_000, interval: 20 }).toEqual([]);

/** Sends a packet on a new connection and returns the answers. */
async function sendPacket(packet: string | Uint8Array, opcode: number = OP.text): Promise<readonly string[]> {
  const socket = await open();
  await socket.until((received) => received.startsWith('0{'));
  socket.send(packet, opcode);
  await socket.settled();
  const answers = socket.received.filter((received) => received.startsWith('4'));
  socket.socket.destroy();
  return answers;
}

const PACKETS: readonly string[] = [
  ...['', 'x', '0', '1', '2', '2probe', '3', '5', '6', '7', '4', '4x', '41', '42', '42[', '42["error","x"]', '43[]'],
  ...['44{}', '45', '451-["x"]', '451-["x",{"_placeholder":true,"num":0}]', '459999999999-["x"]', '46', '461-[]'],
  ...['42/priceUpdates,["x"]', '41/priceUpdates,', '420["x"]', '42["disconnect"]', '42["connect","x"]', '42{}'],
  ...['40/priceUpdates,{', '40/priceUpdates,[1]', '40/priceUpdates,null', '40/priceUpdates,{"token":{}}'],
  ...['40/priceUpdates,{"token":["x"]}', '40/priceUpdates,{"__proto__":{"token":"x"}}', '40__proto__', '40{}x'],
  '4'.repeat(50_000),
  `40${'/'.repeat(50_000)}`,
  `40/priceUpdates,{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
  `42${'['.repeat(50_000)}${']'.repeat(50_000)}`,
];

it('the server answers a broken packet with a refusal or closes the connection, and admits no client', async () => {
  const answers: string[] = [];
  for (const packet of PACKETS) answers.push(...(await sendPacket(packet)));
  for (const bytes of [new Uint8Array(), new Uint8Array([0, 1, 255]), new Uint8Array(1000)])
    answers.push(...(await sendPacket(bytes, OP.binary)));
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string(),
        fc.string().map((end) => `4${end}`),
      ),
      async (packet) => {
        answers.push(...(await sendPacket(packet)));
      },
    ),
    { numRuns: 150 },
  );
  expect(answers.filter((answer) => !/^44|^40\{/.test(answer))).toEqual([]);
  await allGone();
  await arena.expectUnharmed();
});

it('the server closes connections with invalid WebSocket frames or oversized messages', async () => {
  const huge = Uint8Array.from([0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
  const broken: readonly Uint8Array[] = [
    Uint8Array.from([0x81, 0x02, 0x34, 0x30]), // not masked
    frameOf('40', 3),
    frameOf('40', OP.text, 0xf0),
    frameOf('40', 0),
    frameOf(new Uint8Array([0xff, 0xfe]), OP.text),
    frameOf('x'.repeat(200), OP.ping),
    frameOf('\0', OP.close),
    huge,
    frameOf('4'.repeat(MOST_PACKET + 1)),
    Buffer.from('GET / HTTP/1.1\r\n\r\n'),
  ];
  for (const bytes of broken) {
    const socket = await open();
    socket.socket.write(bytes);
    await socket.closed;
  }
  // the parts of one endless message
  const parts = await open();
  parts.socket.write(frameOf('4', OP.text, 0));
  while (!parts.over) {
    parts.socket.write(frameOf('4'.repeat(100_000), 0, 0));
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  await arena.expectUnharmed();
});

it('the server refuses invalid handshakes', async () => {
  const sids = ['', '&sid=x', '&sid=__proto__', '&sid=constructor', '&sid=a&sid=b', `&sid=${'x'.repeat(5000)}`];
  const transports = ['polling', 'websocket', 'webtransport', 'x', '', 'polling&transport=x', '__proto__'];
  const paths = ['EIO=4', 'EIO=3', 'EIO=99', 'EIO=', 'EIO=4&EIO=3', 'EIO=4&j=1&b64=1']
    .flatMap((version) => transports.map((transport) => `${version}&transport=${transport}`))
    .flatMap((query) => sids.map((sid) => `/socket.io/?${query}${sid}`));
  const posts = ['', '4', '40/priceUpdates,', '\x1e\x1e\x1e', 'x'.repeat(MOST_PACKET + 1)];
  const requests = [
    ...paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
    ...posts.map(
      (body) =>
        `POST /socket.io/?EIO=4&transport=polling&sid=x HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    ),
    'DELETE /socket.io/?EIO=4&transport=polling HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 99\r\n\r\n',
    'GET /socket.io/?EIO=4&transport=websocket&sid=x HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n',
  ];
  const statuses = new Set<number>();
  for (const request of requests) {
    const connection = rawConnection(arena.url, request);
    await connection.closed;
    for (const { status } of connection.replies()) statuses.add(status);
  }
  // a polling handshake opens a connection that has joined no namespace
  expect([...statuses].filter((status) => status !== 200 && (status < 400 || status > 499))).toEqual([]);
  expect(connectedNames()).toEqual([]);
  await arena.expectUnharmed();
});

it('the server admits no client to a namespace without its token, in any spelling of the name and any place of a token', async () => {
  const token = arena.token('mallory');
  const names = [
    '/v2/user/',
    '/v2/user/alice/',
    '/v2/user//alice',
    '/v2/user/ALICE',
    '/v2/user/%61lice',
    '/V2/user/alice',
  ];
  const oddNames = [
    '/v2/user/alice?token=x',
    '/v2/user/mallory/../alice',
    '/v2/user/alice\0',
    '/v2/user/alice ',
    '/v2/user/__proto__',
  ];
  const alice = [
    ...names,
    ...oddNames,
    '/v2/user/alice',
    '/v2/user/bob',
    '/PRICEUPDATES',
    '/priceUpdates/',
    '/constructor',
    '/_0',
    '/_1',
  ];
  const random = fc.sample(
    fc.tuple(fc.constantFrom('/', '/v2/user/', '/priceUpdates', '/v2/user/alice'), fc.string()),
    { numRuns: 100, seed: 1 },
  );
  const socket = await RawSocket.open(arena.url, [`Authorization: ${token}`]);
  const unsure = [...alice, ...random.map((parts) => parts.join('').replaceAll(',', ''))].filter(
    (name) => !['/', '/priceUpdates'].includes(name) && !name.startsWith('/?'),
  );
  for (const name of unsure) {
    if (socket.over) break;
    socket.send(`40${name},{"token":"${token}","username":"alice"}`);
  }
  await socket.settled();
  const refusals = (): number => socket.received.filter((text) => text.startsWith('44')).length;
  await expect.poll(refusals).toBe(unsure.length);
  expect(socket.received.filter((text) => text.startsWith('40'))).toEqual([]);
  socket.socket.destroy();

  const wrong = [
    '',
    'x',
    'undefined',
    'null',
    'alice',
    'alice-pw',
    '__proto__',
    'constructor',
    token.slice(1),
    `${token}x`,
  ];
  for (const given of wrong) {
    const other = await RawSocket.open(arena.url, [`Authorization: ${given}`], `&token=${given}`);
    for (const name of ['/priceUpdates', '/v2/user/mallory', '/v2/user/alice'])
      other.send(`40${name},${JSON.stringify({ token: given })}`);
    await expect.poll(() => other.received.filter((text) => text.includes('not authorized')).length).toBe(3);
    other.socket.destroy();
  }
  await allGone();
  await arena.expectUnharmed();
});

it('the server disconnects a client that never reads while the book is busy, and keeps serving a client that reads', async () => {
  const token = arena.token('mallory');
  const reader = await RawSocket.join(arena.url, '/priceUpdates', arena.token('bob'));
  const stalled = await RawSocket.join(arena.url, '/priceUpdates', token);
  stalled.socket.pause();
  const polling = await fetch(`${arena.url}/socket.io/?EIO=4&transport=polling`, {
    headers: { authorization: token },
  });
  const sid = text(field(json((await polling.text()).slice(1)), 'sid'));
  await fetch(`${arena.url}/socket.io/?EIO=4&transport=polling&sid=${sid}`, {
    method: 'POST',
    body: '40/priceUpdates,',
  });
  expect(arena.present('prices')).toEqual(['bob', 'mallory']);
  const [game] = arena.exchange.venue.games.values();
  const total = game?.header.mainTotal ?? 0;
  let published = 0;
  while (arena.present('prices').includes('mallory')) {
    arena.republish(total + (published % 2 === 0 ? 1 : 0));
    published++;
    // one frame at a time, so that the reading client does not fall behind
    await reader.until(() => reader.received.filter((text) => text.includes('gameUpdate')).length >= published);
  }
  expect(arena.present('prices')).toEqual(['bob']);
  expect(reader.over).toBe(false);
  stalled.socket.resume();
  await stalled.closed;
  reader.socket.destroy();
  arena.republish(total);
  await allGone();
  await arena.expectUnharmed();
});

it('the server forgets thousands of clients that vanish, whether or not they had joined', async () => {
  const vanish = async (index: number): Promise<void> => {
    const joins = index % 3 > 0;
    const name = index % 2 === 0 ? '/priceUpdates' : '/v2/user/mallory';
    const socket = await RawSocket.open(arena.url, joins ? [`Authorization: ${arena.token('mallory')}`] : []);
    socket.send(`40${name},`);
    if (index % 5 > 0) await socket.until((received) => received.startsWith('4'));
    if (index % 7 > 0) socket.socket.resetAndDestroy();
    else socket.socket.end();
  };
  for (let from = 0; from < 2_000; from += 100)
    await Promise.all(Array.from({ length: 100 }, (_, index) => vanish(from + index)));
  await allGone();
  const alice = await RawSocket.join(arena.url, '/v2/user/alice', arena.token('alice'));
  expect(arena.present('user')).toEqual(['alice']);
  alice.socket.destroy();
  await allGone();
  await arena.expectUnharmed();
});

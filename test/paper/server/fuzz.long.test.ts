// The server under malicious and broken HTTP clients: arbitrary bodies and bytes, half requests, floods,
// clients that never read. Each gets a 4xx envelope or a closed connection. All other clients are served as
// before, from the same book.
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Arena, expectAnswer, field, json } from './arena.ts';
import { rawConnection } from './raw-client.ts';

const POSTS = [
  '/user/login',
  '/user/getMe',
  '/user/updateCoinsOrCash',
  '/user/getUnmatched',
  '/user/getMatchedBets',
  '/user/getOrdersForGame',
  '/user/getBetByID',
  '/user/getBetByUserReference',
  '/session/lookupOrder',
  '/session/v2/place',
  '/session/v3/place',
  '/session/editOrder',
  '/session/cancel',
  '/session/cancelMultiple',
  '/session/cancelByReference',
  '/session/cancelAllOrders',
  '/session/pauseOrders',
  '/session/cancelAllOrdersForGame',
  '/session/cancelAllForLeague',
  '/exchange/getLeagues',
  '/exchange/getGames',
  '/exchange/v2/getGames',
  '/exchange/getOrderbook',
  '/exchange/getSingleOrderbook',
  '/exchange/v2/getOrderbook',
  '/exchange/getEvents',
  '/exchange/getParticipants',
  '/exchange/getSportLeagues',
  '/exchange/getUpcomingEvent',
  '/session/getTopTraded',
  '/session/resumeOrders',
  '/user/getGameLiability',
  '/user/getGradedWagers',
  '/user/getBetByWagerRequestID',
  '/no/such/endpoint',
];
const LIMIT = 1024 * 1024;
const HOST = 'Host: x\r\n';

// for slow machines
vi.setConfig({ testTimeout: 60_000 });

let arena: Arena;
beforeAll(async () => {
  arena = await Arena.open(60);
});
afterAll(() => arena.exchange.close());

const deep = (open: string, close: string, times = 20_000): string => open.repeat(times) + close.repeat(times);
/** Bodies by name, so that a failure names the body. */
const BODIES: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>> = {
  nothing: '',
  blanks: ' \n\t ',
  null: 'null',
  'a number': '1e999',
  NaN: 'NaN',
  'a text': '"x"',
  array: '[{"orders":[]}]',
  truncated: '{"orders":[{"gameID":"x","type":"mon',
  'a comma too many': '{"orders":[],}',
  'deep arrays': deep('[', ']', 100_000),
  'deep objects': deep('{"a":', '}').replaceAll('{"a":}', '{"a":1}'),
  'open brackets': '['.repeat(100_000),
  'deep orders': `{"orders":${deep('[', ']')},"sessionID":${deep('[', ']')},"userReferences":${deep('[', ']')}}`,
  'huge numbers':
    '{"orders":[{"odds":1e999,"risk":-1e999,"number":1e400}],"page":1e999,"limit":-1e999,"timeout":1e999}',
  'double keys': '{"sessionID":"a","sessionID":["b"],"orders":[],"orders":{},"gameID":1,"gameID":null}',
  prototype: '{"__proto__":{"gameID":"x","playerMode":"coins","sessionID":"x"},"constructor":{"prototype":{"a":1}}}',
  'wrong types':
    '{"gameID":{},"sessionID":[],"sessionIDs":{},"userReferences":"x","playerMode":["coins"],"orders":"x"}',
  'texts of all sorts':
    '{"gameID":"\\u0000\\ud800","sessionID":"\\u202e","playerMode":"\\u0000cash","username":"\\"","password":""}',
  'a byte order mark': '\ufeff{}',
  'no text at all': new Uint8Array([0xff, 0xfe, 0x00, 0x7b, 0x80]),
  'bytes of all sorts': new Uint8Array(Array.from({ length: 256 }, (_, byte) => byte)),
  'as much as is taken': `"${'x'.repeat(LIMIT - 2)}"`,
};

it('the server answers every body on every endpoint with 200 or an error envelope, and the book stays the same', async () => {
  for (const path of POSTS) {
    const sent = Object.entries(BODIES).map(async ([name, body]) => {
      expectAnswer(await arena.send(path, body, 'mallory'), `${path} of ${name}`);
    });
    await Promise.all(sent);
    const tooLarge = await arena.send(path, `"${'x'.repeat(LIMIT - 1)}"`, 'mallory');
    expect([tooLarge.status, field(json(tooLarge.body), 'error', 'code')]).toEqual([413, 413]);
  }
  await arena.expectUnharmed();
});

it('the server reads a body as text whatever its content type and encoding say', async () => {
  const body = JSON.stringify({ leagueRequested: 'NBA' });
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'image/png',
    'x/y',
  ];
  for (const type of [...types, ';;;', 'json', 'application/json; charset=utf-7', '*/*']) {
    const answer = await arena.send('/exchange/getOrderbook', body, 'mallory', { 'content-type': type });
    expectAnswer(answer, type);
    expect([type, answer.status]).not.toEqual([type, 415]);
  }
  const zipped = new Uint8Array(gzipSync(body));
  for (const path of ['/exchange/getOrderbook', '/session/v2/place']) {
    const claimed = await arena.send(path, zipped, 'mallory', { 'content-encoding': 'gzip' });
    expect(claimed.status).toBe(400);
  }
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  for (const text of ['a=%', '%=%&&=&', '__proto__=x&orders[]=1', 'orders=%5B%5D', `sessionID=${'x'.repeat(100_000)}`])
    for (const path of POSTS) expectAnswer(await arena.send(path, text, 'mallory', form), `${path} of ${text}`);
  await arena.expectUnharmed();
});

it('the server answers random JSON, text and bytes on any endpoint with 200 or an error envelope', async () => {
  const body = fc.oneof(
    fc.json(),
    fc.string({ unit: 'binary' }),
    fc.uint8Array().map((bytes) => new Uint8Array(bytes)),
    fc
      .dictionary(
        fc.constantFrom('orders', 'gameID', 'sessionID', 'sessionIDs', 'page', 'limit', 'txID'),
        fc.jsonValue(),
      )
      .map((value) => JSON.stringify(value)),
  );
  const request = fc.tuple(fc.constantFrom(...POSTS), body, fc.constantFrom('mallory', undefined));
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 10 }), async (requests) => {
      const asked = requests.map(async ([path, sent, who]) => {
        expectAnswer(await arena.send(path, sent, who), path);
      });
      await Promise.all(asked);
    }),
    { numRuns: 80 },
  );
  await arena.expectUnharmed();
});

/** Sends bytes, ends the connection and expects only 4xx answers or none. */
async function expectRefused(bytes: string | Uint8Array): Promise<void> {
  const connection = rawConnection(arena.url, bytes);
  connection.socket.end();
  await connection.closed;
  const others = connection.replies().filter(({ status }) => status < 400 || status > 499);
  expect(others).toEqual([]);
}

it('the server refuses input that is no HTTP or closes the connection', async () => {
  const post = `POST /session/v2/place HTTP/1.1\r\n${HOST}Authorization: ${arena.token('mallory')}\r\n`;
  const broken = [
    '\r\n\r\n\r\n',
    '\0\x01\x02garbage\r\n\r\n',
    'FOO / HTTP/1.1\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'GET /user/getMe HTTP/1.1\r\n\r\n',
    'GET /user/getMe HTTP/9.9\r\n\r\n',
    `GET /%zz HTTP/1.1\r\n${HOST}\r\n`,
    `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`,
    `GET /user/getMe HTTP/1.1\r\n${HOST}X: ${'y'.repeat(20_000)}\r\n\r\n`,
    `GET /user/getMe HTTP/1.1\r\n${HOST}${Array.from({ length: 3000 }, (_, i) => `h${i}: 1\r\n`).join('')}\r\n`,
    `GET /user/getMe HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`,
    `CONNECT x:80 HTTP/1.1\r\n${HOST}\r\n`,
    `TRACE /user/getMe HTTP/1.1\r\n${HOST}\r\n`,
    `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`,
    `${post}Content-Length: -1\r\n\r\n{}`,
    `${post}Content-Length: 99999999999999999999\r\n\r\n{}`,
    `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
    `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}`,
    `${post}Transfer-Encoding: gzip\r\n\r\n{}`,
    `${post}Expect: miracles\r\nContent-Length: 2\r\n\r\n{}`,
    `${post}Content-Length: 2000\r\n\r\n{"orders":[`,
    `${post}Content-Length: ${LIMIT + 1}\r\n\r\n{`,
    Uint8Array.from([22, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3]),
  ];
  for (const bytes of broken) await expectRefused(bytes);
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.string()), async (bytes) => {
      await expectRefused(bytes);
    }),
    { numRuns: 200 },
  );
  await arena.expectUnharmed();
});

it('the server answers 300 pipelined requests on one connection in their order', async () => {
  const times = 300;
  const requests = Array.from({ length: times }, (_, index) => {
    const body = JSON.stringify({ gameID: `g${index}` });
    const head = `POST /exchange/getSingleOrderbook HTTP/1.1\r\n${HOST}Authorization: ${arena.token('mallory')}\r\n`;
    return `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
  });
  const connection = rawConnection(arena.url, requests.join(''));
  const replies = await connection.answered(times);
  connection.socket.destroy();
  expect(replies.map(({ body }) => field(json(body), 'error', 'message'))).toEqual(
    requests.map((_, index) => `Invalid gameID: g${index}`),
  );
  await arena.expectUnharmed();
});

it('the server keeps serving while other clients send bytes one by one, never finish a request or never read an answer', async () => {
  const head = `POST /exchange/getOrderbook HTTP/1.1\r\n${HOST}Authorization: ${arena.token('mallory')}\r\n`;
  const body = JSON.stringify({ leagueRequested: 'NBA' });
  const slow = Array.from({ length: 100 }, (_, index) =>
    rawConnection(arena.url, head.slice(0, 10 + index * 3) + (index > 50 ? `Content-Length: 1000\r\n\r\n{` : '')),
  );
  const request = `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
  const stalled = rawConnection(arena.url, request);
  await stalled.answered(1);
  stalled.socket.pause();
  stalled.socket.write(request.repeat(5_000));
  const dripping = rawConnection(arena.url, head);
  for (const byte of `Content-Length: ${body.length}\r\n\r\n${body}`) {
    await new Promise<void>((resolve) => dripping.socket.write(byte, () => resolve()));
    if (byte === '{') await arena.expectUnharmed();
  }
  expect((await dripping.answered(1)).map(({ status }) => status)).toEqual([200]);
  for (const { socket } of [...slow, stalled, dripping]) socket.destroy();
  await arena.expectUnharmed();
});

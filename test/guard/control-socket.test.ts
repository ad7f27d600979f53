// Whatever is written to the control socket, the bot continues and answers what it expected.
import { once } from 'node:events';
import { statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { askBot, ControlServer, parseControl } from '../../src/ops/index.ts';
import { eventually, ownFiles } from './fixtures.ts';

let server: ControlServer | undefined;
const clients: Socket[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  server?.close();
});

/** A server that only checks whether a request is well-formed. */
async function open(): Promise<string> {
  const { socket } = ownFiles();
  server = await ControlServer.open(socket, (message) => {
    const request = parseControl(message);
    return typeof request === 'string'
      ? { ok: false, error: request }
      : { ok: true, done: request.type, status: request.type === 'input' ? request.input : null };
  });
  return socket;
}

/**
 * Everything that the server answers to these bytes, until it ends the connection or has sent that many
 * lines.
 */
async function say(path: string, bytes: string | Buffer, lines = 1): Promise<string[]> {
  const client = connect(path);
  clients.push(client);
  let received = '';
  client.setEncoding('utf8').on('data', (text: string) => (received += text));
  // the server may hang up while the client still writes
  client.on('error', () => undefined);
  client.write(bytes);
  await eventually('an answer', () => received.split('\n').length > lines || client.closed);
  return received.split('\n').filter((line) => line !== '');
}

const expectAlive = async (path: string): Promise<void> => {
  expect(await askBot(path, { command: 'status' }, 2000)).toMatchObject({ ok: true });
};

describe('the control socket', () => {
  it('is accessible to its own user alone', async () => {
    expect(statSync(await open()).mode & 0o777).toBe(0o600);
  });

  it('replaces the socket of a dead bot', async () => {
    const { socket } = ownFiles();
    const first = await ControlServer.open(socket, () => ({ ok: false, error: 'the first' }));
    server = await ControlServer.open(socket, () => ({ ok: true, done: 'the second', status: null }));
    expect(await askBot(socket, {}, 2000)).toMatchObject({ ok: true });
    first.close();
  });

  it.each([
    [
      'a parameter with a name that JavaScript uses itself',
      '{"command":"params","strategy":"main","params":{"a":{"__proto__":1}}}\n',
      /params: a\.__proto__: expected another name/,
    ],
    ['no JSON', 'hello\n', /expected one JSON object/],
    ['bytes', Buffer.from([0xff, 0x00, 0xfe, 0x0a]), /expected one JSON object/],
    ['an HTTP request', 'GET / HTTP/1.1\r\n', /expected one JSON object/],
    ['a list', '[1]\n', /expected a JSON object with \\"command\\"/],
    ['null', 'null\n', /expected a JSON object/],
    ['no command', '{}\n', /to be one of status, markets, risk, pause/],
    ['an unknown command', '{"command":"constructor"}\n', /to be one of/],
    ['stop, which is for signals', '{"command":"stop"}\n', /to be one of/],
    ['a nest', `${'['.repeat(3000)}\n`, /expected one JSON object/],
    ['a line that never ends', 'x'.repeat(70_000), /at most 65536 bytes/],
    ['a megabyte', `${'x'.repeat(1 << 20)}\n`, /at most 65536 bytes/],
    ['a signal without a number', '{"command":"signal","values":{"a":"1"}}\n', /signal a: expected a finite/],
    ['a signal that lasts too long', '{"command":"signal","values":{"a":1},"ttl":"9999h"}\n', /ttl/],
  ])('answers %s with what it expected instead', async (_name, bytes, answer) => {
    const path = await open();
    const [line = ''] = await say(path, bytes);
    expect(line).toMatch(answer);
    expect(JSON.parse(line)).toMatchObject({ ok: false });
    await expectAlive(path);
  });

  it('joins the parts of a line, and accepts several commands at once', async () => {
    const path = await open();
    const client = connect(path);
    clients.push(client);
    await once(client, 'connect');
    let received = '';
    client.setEncoding('utf8').on('data', (text: string) => (received += text));
    for (const part of ['{"comm', 'and":"sta', 'tus"}\n{"command":"pause"}\n{"comm']) {
      client.write(part);
      await new Promise(setImmediate);
    }
    await eventually('two answers', () => received.split('\n').length === 3);
    expect(received).toContain('"done":"status"');
    expect(received).toContain('"command":"pause"');
  });

  it('survives half lines of clients that disconnect', async () => {
    const path = await open();
    for (let i = 0; i < 50; i++) {
      const client = connect(path);
      client.on('error', () => undefined);
      client.write('{"command":"st');
      client.destroy();
    }
    await expectAlive(path);
  });

  it('ends a connection that floods it with commands', async () => {
    const path = await open();
    const lines = await say(path, '{"command":"status"}\n'.repeat(5000), 33);
    expect(lines).toHaveLength(33);
    expect(lines.at(-1)).toMatch(/at most 32 commands/);
    await expectAlive(path);
  });

  it('ends a connection whose client sends commands and does not read', async () => {
    const { socket: path } = ownFiles();
    const status = 'x'.repeat(2_000_000);
    server = await ControlServer.open(path, () => ({ ok: true, done: 'status', status }));
    const client = connect(path).on('error', () => undefined);
    clients.push(client);
    client.pause();
    client.write('{}\n'.repeat(20));
    // a client that does not read notices the end only when it writes
    await eventually('it is dropped', () => !client.write('{}\n') && client.destroyed);
    await expectAlive(path);
  });

  it('keeps eight connections and lets the newest in, so that many clients lock no one out', async () => {
    const path = await open();
    const crowd = Array.from({ length: 40 }, () => {
      const client = connect(path);
      client.on('error', () => undefined);
      clients.push(client);
      return client;
    });
    await eventually('most are dropped', () => crowd.filter(({ closed }) => closed).length === 32);
    await expectAlive(path);
  });
});

describe('a settlement', () => {
  it('is withdrawn by the id of its game', () => {
    const request = { type: 'input', command: 'unsettle', input: { type: 'unsettle', gameId: 'g1' } };
    expect(parseControl({ command: 'unsettle', gameId: 'g1' })).toEqual(request);
    expect(parseControl({ command: 'unsettle' })).toMatch(/unsettle: expected the id of a game/);
  });

  it.each<[object, object]>([
    [
      { score: '14-18', winner: 'home' },
      { home: 14, away: 18, winner: 'home' },
    ],
    [{ winner: 'draw' }, { winner: 'draw' }],
    [{ void: true }, { void: true }],
    [{ void: true, types: ['total', 'spread'] }, { by: { total: { void: true }, spread: { void: true } } }],
    [{ result: { by: { 'g1/total/5.5': { share: 0.5 } } } }, { by: { 'g1/total/5.5': { share: 0.5 } } }],
  ])('with %j is read as the result %j', (settlement, result) => {
    expect(parseControl({ command: 'settle', gameId: 'g1', ...settlement })).toMatchObject({
      input: { type: 'settle', gameId: 'g1', result },
    });
  });

  it.each<[object, RegExp]>([
    [{ winner: 'left' }, /settle: winner: expected home, away, draw/],
    [{ winner: 'home', types: ['total'] }, /"types" goes with "void" alone/],
    [{ void: true, types: ['totals'] }, /expected "types" to be some of moneyline, spread, total/],
    [{ void: true, types: [] }, /expected "types" to be some of/],
    [{ result: { home: 1 } }, /settle: away: expected a whole number/],
    [{ void: false }, /final score as <home>-<away>.*`winner <home\|away\|draw>` or `void`/],
  ])('with %j is refused', (settlement, message) => {
    expect(parseControl({ command: 'settle', gameId: 'g1', ...settlement })).toMatch(message);
  });

  it('is withdrawn by type', () => {
    expect(parseControl({ command: 'unsettle', gameId: 'g1', types: ['total'] })).toMatchObject({
      input: { type: 'unsettle', gameId: 'g1', types: ['total'] },
    });
    expect(parseControl({ command: 'unsettle', gameId: 'g1', types: 'total' })).toMatch(/unsettle: expected "types"/);
  });

  it('needs the id of a game and a result', () => {
    expect(parseControl({ command: 'settle', gameId: 'g1', score: '101-99' })).toEqual({
      type: 'input',
      command: 'settle',
      input: { type: 'settle', gameId: 'g1', result: { home: 101, away: 99 } },
    });
    for (const score of ['101', '101-', '-1-2', '1.5-2', '1-2-3', '99999-1', '1e3-1', ' 1-2', 7, undefined])
      expect(parseControl({ command: 'settle', gameId: 'g1', score })).toMatch(/final score/);
    for (const gameId of ['', 'a b', 'a\nb', 'x'.repeat(101), 7, null, undefined])
      expect(parseControl({ command: 'settle', gameId, score: '1-2' })).toMatch(/id of a game/);
  });
});

// Defects that attacks on the exchange once found, each as a test: over requests in process, and over raw
// connections.
import { describe, expect, it, vi, onTestFinished } from 'vitest';
import type { InProcessOptions } from '../../src/paper/index.ts';
import { answerAdmin, InProcessExchange } from '../../src/paper/index.ts';
import { wireProfileSchema } from '../../src/wire/index.ts';
import { T0 } from './fixtures.ts';
import { Arena, field, json } from './server/arena.ts';
import { rawConnection, RawSocket } from './server/raw-client.ts';
import { Server } from 'socket.io';

function exchangeWith(options: Partial<InProcessOptions> = {}, cash = 10_000) {
  const accounts = ['a', 'b', 'c'].map((username) => ({
    username,
    password: username,
    cash: username === 'a' ? cash : 10_000,
    mode: 'cash' as const,
  }));
  const x = new InProcessExchange({ startMs: T0, traders: 'none', games: 1, accounts, ...options });
  const [game] = x.world.venue.games.values();
  if (game === undefined) throw new Error('no game');
  const tokens = new Map<string, string>();
  const ask = (who: string, path: string, body: unknown = {}): { status: number; data: unknown; message: unknown } => {
    let reply = { status: 0, body: '{}' };
    x.request(
      {
        method: 'POST',
        path,
        headers: { authorization: tokens.get(who) },
        query: {},
        body: JSON.stringify(body),
      },
      (ending) => {
        if (ending !== 'reset') reply = { status: ending.status, body: ending.payload.text };
      },
    );
    return {
      status: reply.status,
      data: field(json(reply.body), 'data'),
      message: field(json(reply.body), 'error', 'message'),
    };
  };
  for (const { username } of accounts)
    tokens.set(
      username,
      String(field(ask(username, '/user/login', { username, password: username }).data, 'user', 'auth')),
    );
  const { home, away, id } = game.header;
  const place = (who: string, side: 'home' | 'away', odds: number, risk: number, overrides: object = {}) =>
    ask(who, '/session/v2/place', {
      orders: [
        {
          gameID: id,
          type: 'moneyline',
          side: { home, away }[side].id,
          odds,
          risk,
          orderType: 'limit',
          ...overrides,
        },
      ],
    });
  const operate = (path: string, body: unknown) => answerAdmin(x.world.exchange, { method: 'POST', path, body });
  const orderId = (reply: { data: unknown }) =>
    String(field((field(reply.data, 'createdSessions') as unknown[])[0], 'unmatched', 'orderID'));
  return { x, game, ask, place, operate, tokens, orderId };
}

const NO_LIMITS = { place: { requests: 10_000, windowMs: 5 }, cancel: { requests: 100, windowMs: 5 } };
const accountOf = (x: InProcessExchange, name: string) => {
  const account = x.world.venue.accounts.get(name);
  if (account === undefined) throw new Error(`no ${name}`);
  return account;
};

describe('the exchange under attack', () => {
  it('opens no market for a refused order, so that 500 refusals do not use up the lines of a game', () => {
    const { game, place } = exchangeWith({ limits: NO_LIMITS }, 0);
    for (let line = 1; line <= 500; line++)
      expect(place('a', 'home', 100, 1, { type: 'spread', number: line / 2 }).status).toBe(409);
    expect.soft(game.books.size).toBeLessThan(10);
    expect(place('b', 'home', 100, 1, { type: 'spread', number: -2.75 }).status).toBe(200);
  });
  it('refuses a bulk cancel with an invalid market type and cancels no order', () => {
    const { ask, place, game } = exchangeWith();
    place('a', 'home', 110, 10);
    expect.soft(ask('a', '/session/cancelAllOrdersForGame', { gameID: game.header.id, type: 42 }).status).toBe(400);
    expect((field(ask('a', '/user/getUnmatched').data, 'unmatched') as unknown[]).length).toBe(1);
  });
  it('lists each play of a reference once when an edit keeps the order id', () => {
    const { ask, place, orderId } = exchangeWith({ profile: wireProfileSchema.parse({ editKeepsId: true }) });
    const id = orderId(place('a', 'home', 110, 100, { userReference: 'r' }));
    place('b', 'away', -110, 55);
    ask('a', '/session/editOrder', { sessionID: id, orderOdds: 120, orderVolume: 50 });
    expect(
      (field(ask('a', '/user/getBetByUserReference', { userReference: 'r' }).data, 'matched') as unknown[]).length,
    ).toBe(1);
  });
  it('refuses orders on a graded game even when the operator opens it again', () => {
    const { place, operate, game, x } = exchangeWith();
    operate(`games/${game.header.id}/grade`, { home: 1, away: 0 });
    operate(`games/${game.header.id}`, { ended: false, open: true });
    expect.soft(place('a', 'home', 110, 100).status).toBe(409);
    place('b', 'away', -110, 55);
    x.advanceTo(x.nowMs + 1);
    expect([...(x.world.venue.accounts.get('a')?.plays.values() ?? [])]).toEqual([]);
  });
  it('lets no account lose more than its balance when a period ends level', () => {
    const { ask, operate, game, x } = exchangeWith({}, 100);
    const answer = operate('games', {
      kind: 'child',
      league: 'NBA',
      sport: 'basketball',
      home: { id: 'h', name: 'H' },
      away: { id: 'w', name: 'W' },
      parentGameID: game.header.id,
      periodName: '1st Half',
    });
    const gameID = answer.ok ? field(answer.body, 'id') : '';
    const go = (who: string, side: string, type: string, number?: number) =>
      ask(who, '/session/v2/place', {
        orders: [{ gameID, type, side, odds: 100, risk: type === 'moneyline' ? 1 : 90, orderType: 'limit', number }],
      });
    go('a', 'h', 'moneyline');
    for (let i = 0; i < 5; i++) {
      for (const [mine, other] of [
        ['h', 'w'],
        ['w', 'h'],
      ] as const) {
        go('b', other, 'spread', 0.5);
        go('a', mine, 'spread', -0.5);
      }
    }
    operate(`games/${String(gameID)}/grade`, { home: 50, away: 50 });
    expect(x.world.venue.accounts.get('a')?.balances.cash).toBeGreaterThanOrEqual(0);
  });
  it('places no delayed order of an account that is closed meanwhile', () => {
    const { place, operate, game, x } = exchangeWith({ profile: wireProfileSchema.parse({ liveHoldSeconds: 3 }) });
    operate(`games/${game.header.id}`, { live: true });
    place('b', 'home', 110, 100);
    place('a', 'away', -110, 110);
    operate('accounts/a', { status: 'closed' });
    x.advanceTo(x.nowMs + 5000);
    expect(x.world.venue.accounts.get('a')?.plays.size).toBe(0);
  });
  it('delays an edit that would match in a live game, like a new order', () => {
    const { ask, place, operate, game, x, orderId } = exchangeWith({
      profile: wireProfileSchema.parse({ liveHoldSeconds: 3 }),
    });
    operate(`games/${game.header.id}`, { live: true });
    place('b', 'home', 110, 100);
    const id = orderId(place('a', 'away', 120, 50));
    const edit = (changes: object) => ask('a', '/session/editOrder', { sessionID: id, orderVolume: 50, ...changes });
    expect(edit({ orderOdds: -110 }).status).toBe(0);
    const account = x.world.venue.accounts.get('a');
    expect(account?.open.has(id as never)).toBe(true);
    x.advanceTo(x.nowMs + 2999);
    expect(account?.plays.size).toBe(0);
    x.advanceTo(x.nowMs + 1);
    expect(account?.plays.size).toBe(1);
    expect(account?.open.size).toBe(0);
  });
  it('expires an offer at the start even when its game was live for a while before', () => {
    const { x, game, place, operate } = exchangeWith();
    for (const live of [true, false]) operate(`games/${game.header.id}`, { live });
    place('a', 'home', 110, 10, { gameStartExpiry: true });
    place('a', 'home', 110, 10);
    x.advanceTo(game.header.start + 100);
    expect(x.world.venue.accounts.get('a')?.open.size).toBe(1);
  });
  it('keeps the main lines tradable when one account has opened the maximum of lines, and explains the refusal of other lines', () => {
    const { game, ask, place, x } = exchangeWith({ limits: NO_LIMITS });
    for (let line = 1; line <= 500; line++)
      expect(place('a', 'home', 110, 1, { type: 'spread', number: line / 2 }).status).toBe(200);
    expect(place('b', 'home', 110, 10).status).toBe(200);
    const { home, mainHomeSpread, mainTotal } = game.header;
    const line = (fields: object) =>
      ask('b', '/session/v2/place', {
        orders: [{ gameID: game.header.id, odds: 110, risk: 10, orderType: 'post', ...fields }],
      });
    expect(line({ type: 'spread', side: home.id, number: mainHomeSpread }).status).toBe(200);
    expect(line({ type: 'total', side: 'over', number: mainTotal }).status).toBe(200);
    const refused = line({ type: 'total', side: 'over', number: 333.5 });
    expect(refused.status).toBe(409);
    expect(refused.message).toContain('333.5 cannot be added now');
    x.world.venue.cancelWhere(accountOf(x, 'a'), () => true, x.nowMs);
    expect(line({ type: 'total', side: 'over', number: 333.5 }).status).toBe(200);
  });
  it('cancels all orders of a shared reference and answers with one result per order', () => {
    const { ask, place, game } = exchangeWith();
    place('a', 'home', 110, 10, { userReference: 'q' });
    place('a', 'home', 120, 15, { userReference: 'q' });
    const reply = ask('a', '/session/cancelByReference', {
      gameID: game.header.id,
      userReferences: ['q', 'zz'],
    });
    expect(reply.data).toMatchObject([
      { success: true, remaining: 10, filled: 0 },
      { success: true, remaining: 15, filled: 0 },
      { success: false, userReference: 'zz' },
    ]);
  });
  it('finds by look-up an order that took and never rested, with its fill', () => {
    const { ask, place } = exchangeWith();
    place('b', 'home', 110, 100);
    const taken = place('a', 'away', -110, 55, { orderType: 'fillAndKill' });
    const [session] = field(taken.data, 'createdSessions') as unknown[];
    const [play] = field(session, 'matched') as unknown[];
    const { data } = ask('a', '/session/lookupOrder', { txID: field(play, 'txID') });
    expect(field(data, 'order')).toMatchObject({
      status: 'filled',
      risk: 55,
      filled: 55,
      win: 50,
      payout: 105,
      remaining: 0,
      offered: 0,
    });
  });
  it('survives an expiry beyond all dates, and refuses hexadecimal odds and a game with the same team twice', () => {
    const { ask, place, operate, game } = exchangeWith({ speed: 1e-5 });
    expect(place('a', 'home', 110, 10, { expirationMinutes: 5_256_000 }).status).toBe(200);
    expect(ask('b', '/exchange/getOrderbook', { leagueRequested: game.header.league }).status).toBe(200);
    expect(ask('a', '/user/getUnmatched').status).toBe(200);
    expect(place('a', 'home', 110, 10, { odds: '0x80' }).status).toBe(400);
    const team = { id: 'same', name: 'Same' };
    expect(operate('games', { league: 'NBA', home: team, away: team })).toMatchObject({ status: 400 });
  });
  it('sends no event of an order after its cancel, also to a client that cancels while it handles a frame', () => {
    const { x, ask, place, orderId, tokens, game } = exchangeWith();
    const id = orderId(place('a', 'home', 100, 100));
    const records: string[] = [];
    x.connect(
      '/v2/user/a',
      { headers: { authorization: tokens.get('a') } },
      {
        frame: (_event, { text }) => {
          const frame = json(text);
          if (field(frame, 'unmatched', 'orderID') !== id) return;
          records.push(field(frame, 'matched') === null ? 'cancel' : 'fill');
          if (records.length === 1) expect(ask('a', '/session/cancel', { sessionID: id }).status).toBe(200);
        },
        closed: () => {},
      },
    );
    const take = {
      gameID: game.header.id,
      type: 'moneyline',
      side: game.header.away.id,
      odds: -100,
      risk: 10,
      orderType: 'limit',
    };
    ask('b', '/session/v2/place', { orders: [take, take] });
    expect(records).toEqual(['fill', 'fill', 'cancel']);
  });
  it('handles a path of many slashes about as fast as any other path', async () => {
    const arena = await Arena.open(0);
    onTestFinished(() => arena.exchange.close());
    const time = async (path: string) => {
      const from = performance.now();
      const c = rawConnection(arena.url, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      await c.closed;
      return performance.now() - from;
    };
    await time('/x');
    const plain = await time(`/${'y'.repeat(15_000)}x`);
    expect(await time(`${'/'.repeat(15_000)}x`)).toBeLessThan(Math.max(50, plain * 10));
  });
  it('refuses input that is no valid HTTP with the error envelope', async () => {
    const arena = await Arena.open(0);
    onTestFinished(() => arena.exchange.close());
    for (const bytes of [
      'garbage\r\n\r\n',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`,
      'GET /user/getMe HTTP/1.1\r\n\r\n',
      'POST /user/getMe HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nContent-Length: 2\r\n\r\n{}',
    ]) {
      const c = rawConnection(arena.url, bytes);
      const [reply] = await c.answered(1);
      c.socket.destroy();
      const code = reply?.body.startsWith('{') === true ? field(json(reply.body), 'error', 'code') : reply?.body;
      expect.soft([bytes.slice(0, 40), code]).toEqual([bytes.slice(0, 40), reply?.status]);
    }
  });
  it('keeps no namespace of a refused handshake', async () => {
    const attach = vi.spyOn(Server.prototype, 'attach');
    const arena = await Arena.open(0);
    onTestFinished(() => arena.exchange.close());
    const [io] = attach.mock.contexts as Server[];
    const socket = await RawSocket.open(arena.url);
    for (let i = 0; i < 500; i++) socket.send(`40/v2/user/unknown-${i},`);
    await expect.poll(() => socket.received.filter((text) => text.includes('not authorized')).length).toBe(500);
    socket.socket.destroy();
    await socket.closed;
    expect(io?._nsps.size).toBeLessThan(10);
  });
  it('refuses to join the root namespace without a token', async () => {
    const arena = await Arena.open(0);
    onTestFinished(() => arena.exchange.close());
    const socket = await RawSocket.open(arena.url);
    socket.send('40');
    expect(await socket.until((text) => text.startsWith('4'))).toContain('not authorized');
  });
  it('closes within five seconds although a client does not close its connection', async () => {
    const arena = await Arena.open(0);
    const stalled = await RawSocket.join(arena.url, '/priceUpdates', arena.token('mallory'));
    stalled.socket.pause();
    const from = performance.now();
    await arena.exchange.close();
    console.log('close took', performance.now() - from);
    expect(performance.now() - from).toBeLessThan(5_000);
  }, 60_000);
});

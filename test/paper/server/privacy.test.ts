// Privacy of accounts: tokens, orders, references, plays, the private feed and `createdBy` are out of reach
// of other accounts, over every endpoint and namespace and in every place for a token, an id or a name.
import { afterEach, describe, expect, it } from 'vitest';
import type { Name, Sent } from './arena.ts';
import { Arena, field, json, NAMES, text } from './arena.ts';
import { rawConnection, RawSocket } from './raw-client.ts';

const open: Arena[] = [];
afterEach(async () => {
  for (const arena of open.splice(0)) await arena.exchange.close();
});

type Secrets = {
  readonly offer: string;
  readonly taken: string;
  readonly plays: readonly string[];
  readonly all: readonly string[];
};

/** Alice has offers and a fill with bob. Mallory is the attacker and has no orders. */
async function market(): Promise<{ readonly arena: Arena; readonly secrets: Secrets }> {
  const arena = await Arena.open(0);
  open.push(arena);
  const ids: string[] = [];
  for (const odds of [110, 120]) {
    const body = await arena.send(
      '/session/v2/place',
      { orders: [arena.order(0, odds, 100, { userReference: `alice-secret-${odds}` })] },
      'alice',
    );
    const [result] = field(json(body.body), 'data', 'createdSessions') as unknown[];
    ids.push(text(field(result, 'unmatched', 'orderID')));
  }
  await arena.send(
    '/session/v2/place',
    { orders: [arena.order(1, -110, 55, { orderType: 'limit', userReference: 'bob-secret' })] },
    'bob',
  );
  const account = arena.exchange.venue.accounts.get('alice');
  const plays = [...(account?.plays.keys() ?? [])];
  expect([ids.length, plays.length]).toEqual([2, 1]);
  const all = [account?.id ?? '', arena.token('alice'), 'alice', ...plays];
  return { arena, secrets: { offer: ids[1] ?? '', taken: ids[0] ?? '', plays, all } };
}

const own = async (arena: Arena, who: Name): Promise<string[]> =>
  Promise.all(
    ['/user/getMe', '/user/getUnmatched', '/user/getMatchedBets', '/user/getBetByUserReference'].map(
      async (path) => (await arena.send(path, { userReference: `${who}-secret-120` }, who)).body,
    ),
  );

const code = ({ status, body }: Sent): number => (field(json(body), 'error', 'code') === status ? status : 0);

describe('orders and plays of another account', () => {
  it('cannot be cancelled, edited or looked up', async () => {
    const { arena, secrets } = await market();
    const before = await own(arena, 'alice');
    for (const id of [secrets.offer, secrets.taken]) {
      const bodies = [
        ['/session/cancel', { sessionID: id }],
        ['/session/cancel', { orderID: id }],
        ['/session/cancel', { sessionID: id, username: 'alice', playerMode: 'cash' }],
        ['/session/editOrder', { sessionID: id, orderOdds: 150, orderVolume: 1 }],
        ['/session/editOrder', { orderID: id, orderOdds: 150, orderVolume: 1, orderType: 'post' }],
        ['/session/lookupOrder', { orderID: id }],
        ['/session/lookupOrder', { sessionID: id }],
        ['/session/lookupOrder', { txID: id }],
      ] as const;
      for (const [path, body] of bodies) expect(code(await arena.send(path, body, 'mallory'))).toBe(403);
      for (const path of ['/session/lookupOrder', '/SESSION/LookupOrder/'])
        expect(code(await get(arena, `${path}?orderID=${id}`, 'mallory'))).toBe(403);
    }
    for (const txID of secrets.plays) {
      for (const path of ['/user/getBetByID', '/session/lookupOrder'])
        for (const who of ['mallory', 'bob'] as const) {
          expect(code(await arena.send(path, { txID }, who))).toBe(404);
          expect(code(await get(arena, `${path}?txID=${txID}`, who))).toBe(404);
        }
    }
    const many = await arena.send('/session/cancelMultiple', { sessionIDs: [secrets.offer, secrets.taken] }, 'mallory');
    expect(field(json(many.body), 'data')).toMatchObject([{ success: false }, { success: false }]);
    expect(await own(arena, 'alice')).toEqual(before);
  });

  it('cannot be reached by reference, by a bulk cancel or by a switch of the player mode', async () => {
    const { arena } = await market();
    const before = await own(arena, 'alice');
    const references = ['alice-secret-110', 'alice-secret-120'];
    const { gameID } = arena;
    const cancelled = await arena.send('/session/cancelByReference', { gameID, userReferences: references }, 'mallory');
    expect(field(json(cancelled.body), 'data')).toMatchObject([{ success: false }, { success: false }]);
    for (const userReference of references)
      for (const fields of [{}, { gameID }, { username: 'alice' }]) {
        const found = await arena.send('/user/getBetByUserReference', { userReference, ...fields }, 'mallory');
        expect(json(found.body)).toEqual({ data: { unmatched: [], matched: [], graded: [] } });
      }
    // the same reference may exist in another account, independently
    await arena.send(
      '/session/v2/place',
      { orders: [arena.order(1, 300, 1, { userReference: references[0] })] },
      'mallory',
    );
    expect(
      field(
        json((await arena.send('/user/getBetByUserReference', { userReference: references[0] }, 'mallory')).body),
        'data',
      ),
    ).toMatchObject({ unmatched: [{ userReference: references[0] }], matched: [] });
    for (const path of ['cancelAllOrders', 'pauseOrders', 'cancelAllOrdersForGame', 'cancelAllForLeague'])
      expect(
        (await arena.send(`/session/${path}`, { gameID, league: 'NBA', username: 'alice' }, 'mallory')).status,
      ).toBe(200);
    await arena.send('/user/updateCoinsOrCash', { playerMode: 'cash', username: 'alice', id: 'alice' }, 'mallory');
    expect(await own(arena, 'alice')).toEqual(before);
  });

  it('are shown by no endpoint: no names, ids, references, plays, balances or createdBy', async () => {
    const { arena, secrets } = await market();
    const params = {
      gameID: arena.gameID,
      league: 'NBA',
      leagueRequested: 'NBA',
      username: 'alice',
      userReference: 'alice-secret-120',
      createdBy: secrets.all[0] ?? '',
      account: 'alice',
      sport: 'basketball',
      wagerRequestID: await requestOf(arena, 'alice'),
    };
    const reads = [
      '/user/getMe',
      '/user/getUnmatched',
      '/user/getMatchedBets',
      '/user/getOrdersForGame',
      '/user/getBetByUserReference',
      '/exchange/getOrderbook',
      '/exchange/getSingleOrderbook',
      '/exchange/getGames',
      '/exchange/getLeagues',
      '/exchange/v2/getOrderbook',
      '/exchange/getEvents',
      '/exchange/getParticipants',
      '/exchange/getSportLeagues',
      '/exchange/getUpcomingEvent',
      '/session/getTopTraded',
      '/user/getGameLiability',
      '/user/getGradedWagers',
      '/user/getBetByWagerRequestID',
    ];
    const query = new URLSearchParams(params);
    for (const path of reads) {
      for (const reply of [
        await arena.send(path, params, 'mallory'),
        await get(arena, `${path}?${query.toString()}`, 'mallory'),
      ]) {
        expect(reply.status).toBe(200);
        for (const secret of [...secrets.all, 'createdBy', 'alice', 'bob']) expect(reply.body).not.toContain(secret);
      }
    }
    // a counterparty sees the order that it hit, but not its owner
    const bob = (await own(arena, 'bob')).join();
    for (const secret of [...secrets.all, 'alice']) expect(bob).not.toContain(secret);
    expect((await arena.send('/exchange/getSingleOrderbook', params, 'alice')).body).toContain(
      `"createdBy":"${secrets.all[0] ?? ''}"`,
    );
  });
});

/** The request id of a resting order. */
async function requestOf(arena: Arena, who: Name): Promise<string> {
  const { body } = await arena.send('/user/getUnmatched', {}, who);
  const id = /"wagerRequestID":"(\w+)"/.exec(body)?.[1];
  if (id === undefined) throw new Error(`no request of ${who}`);
  return id;
}

async function get(arena: Arena, path: string, who?: Name): Promise<Sent> {
  const reply = await fetch(
    arena.url + path,
    who === undefined ? {} : { headers: { authorization: arena.token(who) } },
  );
  return { status: reply.status, body: await reply.text() };
}

describe('a token', () => {
  it('is the only credential: names, ids, passwords and altered tokens get 401 in every place of a request', async () => {
    const { arena, secrets } = await market();
    const token = arena.token('alice');
    const wrong = [
      'x',
      'undefined',
      'null',
      'true',
      '0',
      '__proto__',
      'constructor',
      'alice',
      'alice-pw',
      secrets.all[0] ?? '',
      secrets.offer,
    ];
    const near = [
      token.slice(1),
      token.slice(0, -1),
      `${token}x`,
      token.toUpperCase(),
      token.split('').reverse().join(''),
      `Basic ${token}`,
      `Bearer Bearer ${token}`,
    ];
    for (const given of [...wrong, ...near]) {
      const url = `${arena.url}/user/getMe`;
      const encoded = encodeURIComponent(given);
      const replies = await Promise.all([
        fetch(url, { headers: { authorization: given } }),
        fetch(url, { headers: { authorization: `Bearer ${given}` } }),
        fetch(url, { headers: { cookie: `auth=${given}; Auth=${given}` } }),
        fetch(`${url}?token=${encoded}&token=${encoded}`),
        fetch(`${url}?token=${encoded}&auth=${encoded}&authorization=${encoded}`),
        fetch(url, { method: 'POST', body: JSON.stringify({ token: given, auth: given, username: 'alice' }) }),
        fetch(url, {
          method: 'POST',
          body: `{"token":["${token}"],"user":{"auth":"${token}"},"__proto__":{"token":"${token}"}}`,
        }),
      ]);
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 401));
    }
    const smuggled = rawConnection(
      arena.url,
      `GET /user/getMe HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${arena.token('mallory')}\r\nAuthorization: ${token}x\r\nCookie: auth=${token}x\r\n\r\n`,
    );
    await smuggled.closed;
    expect(smuggled.replies()[0]?.body).toContain('"username":"mallory"');
  });

  it('is issued only for the right name and password, and never for the venue’s own accounts', async () => {
    const { arena } = await market();
    const login = async (body: unknown): Promise<number> => code(await arena.send('/user/login', body));
    const passwords = ['', 'alice', 'ALICE-PW', 'alice-pw ', 'alice-pwalice-pw', 'bob-pw', 'undefined', '\0', 'a'];
    for (const password of passwords)
      expect(await login({ username: 'alice', password })).toBe(password === '' ? 400 : 401);
    for (const password of [null, true, 0, [], ['alice-pw'], {}, { $ne: '' }])
      expect(await login({ username: 'alice', password })).toBe(400);
    for (const username of ['tape', 'maker-1', 'taker-1', ' alice', 'alice\0', '__proto__', 'constructor'])
      for (const password of ['undefined', 'null', 'alice-pw', username])
        expect(await login({ username, password })).toBe(401);
  });

  it('opens no operator route on the clients’ port', async () => {
    const { arena } = await market();
    for (const path of [
      '/health',
      '/accounts',
      '/accounts/alice',
      '/accounts/alice/cancel',
      '/games',
      '/faults',
      `/games/${arena.gameID}/grade`,
    ])
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
        const headers = { authorization: arena.token('mallory') };
        const reply = await fetch(arena.url + path, { method, headers });
        expect([reply.status, field(await reply.json(), 'error', 'code')]).toEqual([404, 404]);
      }
  });
});

describe('the feeds', () => {
  it('send each account only its own orders and plays, and createdBy only to the owner', async () => {
    const { arena, secrets } = await market();
    const sockets = await Promise.all(
      NAMES.flatMap((name) => [
        RawSocket.join(arena.url, '/priceUpdates', arena.token(name)),
        RawSocket.join(arena.url, `/v2/user/${name}`, arena.token(name)),
      ]),
    );
    // mallory also tries to join the other accounts' namespaces on one connection
    const [prices, , , , spying] = sockets;
    for (const name of ['alice', 'bob']) spying?.send(`40/v2/user/${name},{"token":"${arena.token('mallory')}"}`);
    await expect.poll(() => spying?.received.filter((text) => text.includes('not authorized')).length).toBe(2);
    for (const room of [secrets.all[0] ?? '', 'alice', arena.token('alice')])
      for (const event of ['join', 'subscribe', 'auth', 'positionUpdate'])
        spying?.send(`42/priceUpdates,${JSON.stringify([event, room, { room, token: room, username: room }])}`);

    await arena.send(
      '/session/v2/place',
      { orders: [arena.order(1, -120, 30, { orderType: 'limit', userReference: 'bob-secret-2' })] },
      'bob',
    );
    await arena.send('/session/editOrder', { sessionID: secrets.offer, orderOdds: 130, orderVolume: 20 }, 'alice');
    await arena.send(
      '/session/v2/place',
      { orders: [arena.order(0, 140, 10, { userReference: 'alice-last' })] },
      'alice',
    );
    const [game] = arena.exchange.venue.games.values();
    arena.republish((game?.header.mainTotal ?? 0) + 1);
    await Promise.all(sockets.map((socket) => socket.settled()));
    expect(prices?.received.filter((text) => text.includes('"gameUpdate"')).length).toBe(1);

    const ids = new Map(NAMES.map((name) => [name, arena.exchange.venue.accounts.get(name)?.id ?? '']));
    for (const [index, name] of NAMES.entries()) {
      const [priceTexts = '', events = ''] = sockets
        .slice(index * 2, index * 2 + 2)
        .map(({ received }) => received.filter((text) => text.startsWith('42')).join('\n'));
      expect(priceTexts.includes('createdBy')).toBe(name === 'alice');
      for (const other of NAMES.filter((candidate) => candidate !== name)) {
        for (const secret of [ids.get(other) ?? '', `${other}-secret`, arena.token(other), `"${other}"`])
          expect(priceTexts + events).not.toContain(secret);
      }
      expect(events === '').toBe(name === 'mallory');
      expect(events.includes('alice-last')).toBe(name === 'alice');
    }
    for (const { socket } of sockets) socket.destroy();
  });

  it('disconnect an account that is closed or banned, and refuse its new connections', async () => {
    const { arena } = await market();
    for (const status of ['banned', 'closed']) {
      const feeds = await Promise.all([
        RawSocket.join(arena.url, '/priceUpdates', arena.token('bob')),
        RawSocket.join(arena.url, '/v2/user/bob', arena.token('bob')),
      ]);
      const change = (to: string) =>
        fetch(`${arena.exchange.adminUrl}/accounts/bob`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ status: to }),
        });
      await change(status);
      await Promise.all(feeds.map(({ closed }) => closed));
      const again = await RawSocket.open(arena.url, [`Authorization: ${arena.token('bob')}`]);
      again.send('40/priceUpdates,');
      expect(await again.until((text) => text.startsWith('44'))).toContain('not authorized');
      again.socket.destroy();
      expect(code(await arena.send('/user/getUnmatched', {}, 'bob'))).toBe(403);
      expect(code(await arena.send('/session/v2/place', { orders: [arena.order(0, 110, 1)] }, 'bob'))).toBe(403);
      await change('active');
    }
    expect((await arena.send('/user/getUnmatched', {}, 'bob')).status).toBe(200);
  });
});

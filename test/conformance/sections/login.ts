// Logins, tokens and where a request may carry them, refused accounts, and handshakes of the two namespaces.
import { expect } from 'vitest';
import { wireProfileSchema } from '../../../src/wire/index.ts';
import type { TestVenue } from '../kit.ts';
import { refused } from '../kit.ts';
import * as schemas from '../schemas.ts';
import { read } from '../schemas.ts';
import { rowsOf, section } from '../section.ts';
import type { Call, Reply } from '../transport.ts';

const MISSING = 'Username and password are required';
const REFUSED = 'InvalidCredentials';

/** Every endpoint that requires a token. */
export const AUTHENTICATED = [
  '/exchange/getOrderbook',
  '/exchange/getSingleOrderbook',
  '/exchange/getLeagues',
  '/exchange/v2/getGames',
  '/user/updateCoinsOrCash',
  '/user/getMe',
  '/user/getUnmatched',
  '/user/getOrdersForGame',
  '/user/getMatchedBets',
  '/user/getBetByID',
  '/user/getBetByUserReference',
  '/session/lookupOrder',
  '/session/v2/place',
  '/session/editOrder',
  '/session/cancel',
  '/session/cancelMultiple',
  '/session/cancelByReference',
  '/session/cancelAllOrders',
  '/session/cancelAllOrdersForGame',
  '/session/cancelAllForLeague',
  '/session/pauseOrders',
  '/session/resumeOrders',
  '/session/getTopTraded',
  '/exchange/v2/getOrderbook',
  '/exchange/getEvents',
  '/exchange/getParticipants',
  '/exchange/getSportLeagues',
  '/exchange/getUpcomingEvent',
  '/user/getGameLiability',
  '/user/getGradedWagers',
  '/user/getBetByWagerRequestID',
  '/user/logout',
] as const;

const login = (venue: TestVenue, call: Call): Promise<Reply> => venue.transport.request('POST', '/user/login', call);
const me = (venue: TestVenue, call: Call): Promise<Reply> => venue.transport.request('GET', '/user/getMe', call);

export const loginSection = section('login', (shows) => {
  shows(
    [
      'Authentication · rule 1',
      'Authentication and account endpoints · /user/login',
      ...rowsOf('Player mode and session', 'data.user.auth', 'data.user.playerMode'),
      'Handshake, login, user · login',
    ],
    'answers a login with a valid token, the user and the player mode',
    async (venue) => {
      for (const call of [
        { body: { username: 'alice', password: 'alice-pw' } },
        {
          text: 'username=alice&password=alice-pw',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        },
      ]) {
        const reply = await login(venue, call);
        expect(reply.status).toBe(200);
        const { user } = read(schemas.loginReply, reply.json).data;
        expect(user).toMatchObject({ username: 'alice', playerMode: 'coins' });
        const known = await me(venue, { token: user.auth });
        expect(read(schemas.userReply, known.json).data.user).toMatchObject({
          id: user.id,
          username: 'alice',
          playerMode: 'coins',
          cashBalance: 10_000,
          coinsBalance: 10_000,
        });
      }
    },
  );

  shows(
    ['Errors · 400: Username and password are required on login', 'Errors · 400'],
    'refuses a login without username or password with 400',
    async (venue) => {
      for (const body of [{}, { username: 'alice' }, { password: 'alice-pw' }, { username: '', password: '' }])
        refused(await login(venue, { body }), 400, MISSING);
      refused(await login(venue, { text: '' }), 400, MISSING);
      refused(await login(venue, { body: { username: 'alice', password: 'wrong' } }), 401, REFUSED);
      refused(await login(venue, { body: { username: 'unknown', password: 'x' } }), 401, REFUSED);
    },
  );

  shows(
    ['Authentication and account endpoints · /user/getMe', 'Handshake, login, user · current user'],
    'returns the current user by GET and by POST and ignores the case of the path',
    async (venue) => {
      const { token } = await venue.as('bob');
      for (const [method, path] of [
        ['GET', '/user/getMe'],
        ['POST', '/user/getme'],
        ['GET', '/USER/GETME'],
        ['POST', '/User/GetMe/'],
      ] as const) {
        const reply = await venue.transport.request(method, path, { token });
        expect(read(schemas.userReply, reply.json).data.user).toMatchObject({
          username: 'bob',
          playerMode: 'coins',
        });
      }
    },
  );

  shows(
    ['Authentication · rule 2', 'Socket · “Host, engine path (default /socket.io) …”'],
    'accepts the token raw or as Bearer in the header, as auth cookie, in the query and in the body',
    async (venue) => {
      const { token } = await venue.as('alice');
      const ways: readonly Call[] = [
        { headers: { Authorization: token } },
        { headers: { Authorization: `Bearer ${token}` } },
        { headers: { Cookie: `auth=${token}` } },
        { headers: { Cookie: `theme=dark; auth=${token}; x=1` } },
        { query: { token } },
      ];
      for (const call of ways) expect((await me(venue, call)).status).toBe(200);
      expect((await venue.transport.request('POST', '/user/getMe', { body: { token } })).status).toBe(200);
    },
  );

  shows(
    ['Authentication · rule 3', 'Errors · 401', 'Errors · 401: InvalidCredentials'],
    'refuses a request to any endpoint with 401 when its token is missing or unknown',
    async (venue) => {
      for (const path of AUTHENTICATED) {
        refused(await venue.transport.request('POST', path, { body: {} }), 401, REFUSED);
        refused(await venue.transport.request('POST', path, { token: 'nonsense', body: {} }), 401, REFUSED);
      }
    },
  );

  shows(
    ['Authentication · rule 3', 'Errors · 401', 'Handshake, login, user · token life'],
    'expires a token after its lifetime and issues a new one at the next login',
    async (venue) => {
      const alice = await venue.as('alice');
      expect((await me(venue, { token: alice.token })).status).toBe(200);
      await venue.transport.until('401', async () => (await me(venue, { token: alice.token })).status === 401);
      refused(await me(venue, { token: alice.token }), 401, REFUSED);
      const again = await venue.as('alice');
      expect(again.token).not.toBe(alice.token);
      expect((await me(venue, { token: again.token })).status).toBe(200);
    },
    { profile: wireProfileSchema.parse({ tokenMinutes: 0.01 }) },
  );

  shows(
    ['Authentication · rule 3', 'Errors · 401'],
    'ends every token of an account that the operator logs out, and no other token',
    async (venue) => {
      const [first, second, bob] = [await venue.as('alice'), await venue.as('alice'), await venue.as('bob')];
      await venue.admin('POST', '/accounts/alice/expire-tokens');
      for (const { token } of [first, second]) refused(await me(venue, { token }), 401, REFUSED);
      expect((await me(venue, { token: bob.token })).status).toBe(200);
      expect((await me(venue, { token: (await venue.as('alice')).token })).status).toBe(200);
    },
  );

  shows(
    ['Handshake, login, user · token life'],
    'may send a new token in X-Auth-Token, and accepts both tokens for a while',
    async (venue) => {
      const { token } = await venue.as('alice');
      await venue.faults({ fault: 'rotate-token', on: ['read'], nth: [1] });
      const reply = await me(venue, { token });
      const rotated = reply.headers['x-auth-token'];
      expect(rotated).toBeTypeOf('string');
      expect(rotated).not.toBe(token);
      for (const accepted of [token, rotated]) expect((await me(venue, { token: accepted })).status).toBe(200);
    },
  );

  shows(
    [
      'Authentication · rule 7',
      'Errors · 403',
      'Errors · 403: USER IS BANNED',
      'Errors · 403: Your account <username> has been closed',
    ],
    'refuses a banned or closed account with 403, at login and with an existing token',
    async (venue) => {
      const alice = await venue.as('alice');
      const credentials = { body: { username: 'alice', password: 'alice-pw' } };
      for (const [status, message] of [
        ['banned', 'USER IS BANNED'],
        ['closed', 'Your account alice has been closed'],
      ] as const) {
        await venue.admin('POST', '/accounts/alice', { status });
        refused(await login(venue, credentials), 403, message);
        refused(await me(venue, { token: alice.token }), 403, message);
        refused(await alice.place(venue.order('home', 110, 10)), 403, message);
        refused(await alice.cancel('x'), 403, message);
      }
      await venue.admin('POST', '/accounts/alice', { status: 'active' });
      expect((await login(venue, credentials)).status).toBe(200);
      expect((await me(venue, { token: alice.token })).status).toBe(200);
    },
  );

  shows(
    [
      'Authentication · rule 4',
      ...rowsOf('Namespaces', '/v2/user/<username>', '/priceUpdates'),
      'Versioning · “The version marker v2 appears …”',
    ],
    'accepts the token of a handshake in the query or in the header on both namespaces',
    async (venue) => {
      const { token } = await venue.as('alice');
      for (const namespace of ['/v2/user/alice', '/priceUpdates']) {
        for (const tokenIn of ['header', 'query'] as const)
          expect((await venue.transport.connect(namespace, { token, tokenIn })).error).toBeUndefined();
        const bearer = { headers: { Authorization: `Bearer ${token}` } };
        expect((await venue.transport.connect(namespace, bearer)).error).toBeUndefined();
      }
    },
  );

  shows(
    ['Authentication · rule 5', 'Throttle details shapes · “Socket handshake failure: the error …”'],
    'fails a handshake with not authorized when the token is missing or unknown or the account is closed',
    async (venue) => {
      const alice = await venue.as('alice');
      for (const namespace of ['/v2/user/alice', '/priceUpdates']) {
        for (const token of [undefined, 'nonsense'])
          for (const tokenIn of ['header', 'query'] as const)
            expect((await venue.transport.connect(namespace, { token, tokenIn })).error).toBe('not authorized');
      }
      await venue.admin('POST', '/accounts/alice', { status: 'closed' });
      for (const namespace of ['/v2/user/alice', '/priceUpdates'])
        expect((await venue.transport.connect(namespace, { token: alice.token })).error).toBe('not authorized');
    },
  );

  shows(
    ['Authentication · rule 6'],
    'admits to a user namespace only the owner of its username, and accepts neither the account id nor another name',
    async (venue) => {
      const { token, id } = await venue.as('alice');
      for (const name of ['bob', id, 'alice@example.com', 'ALICE', 'unknown'])
        expect((await venue.transport.connect(`/v2/user/${name}`, { token })).error).toBe('not authorized');
      expect((await venue.transport.connect('/v2/user/alice', { token })).error).toBeUndefined();
    },
  );

  shows(
    ['Authentication · rule 5', 'Authentication · rule 7'],
    'closes the connections of an account that the operator closes',
    async (venue) => {
      const alice = await venue.as('alice');
      const [user, prices] = [await alice.positions(), await alice.prices()];
      await venue.admin('POST', '/accounts/alice', { status: 'closed' });
      await venue.transport.until('both end', () => user.link.isClosed() && prices.link.isClosed());
    },
  );

  shows(
    ['Namespaces · /v2/user/<username>', 'Socket · “Host, engine path (default /socket.io) …”'],
    'serves only the two namespaces, at the engine path of the profile, and lets clients start with polling',
    async (venue) => {
      const { token } = await venue.as('alice');
      for (const namespace of ['/nothing', '/v1/user/alice'])
        expect((await venue.transport.connect(namespace, { token })).error).toBe('Invalid namespace');
      const transports = ['polling', 'websocket'] as const;
      const link = await venue.transport.connect('/priceUpdates', { token, transports });
      expect(link.error).toBeUndefined();
      await (await venue.as('bob')).rests(venue.order('home', 110, 10));
      expect((await link.until(() => true)).event).toBe('orderUpdate');
    },
    { over: 'sockets', profile: wireProfileSchema.parse({ socketPath: '/live/engine' }) },
  );
});

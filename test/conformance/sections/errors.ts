// Errors: their envelope, their details, failures of the service, and delays and throttles that the operator
// sets for one account.
import { expect } from 'vitest';
import { wireProfileSchema } from '../../../src/wire/index.ts';
import { refused, throttled } from '../kit.ts';
import * as schemas from '../schemas.ts';
import { read } from '../schemas.ts';
import { rowsOf, section } from '../section.ts';
import type { Reply } from '../transport.ts';

export const errorsSection = section('errors', (shows) => {
  shows(
    [
      ...rowsOf('Errors', 'error.message', 'error.code', 'error.details'),
      ...rowsOf('Errors', '400', '401', '403', '404', '409', '423', '429', '500'),
      'Errors · “Client procedure: check the HTTP …”',
      'Errors · “When details.retryAfterSeconds is set, the …”',
      'Versioning · “The version marker v2 appears …”',
    ],
    'answers every refusal in one envelope: its code is the status, and only 423 and 429 carry details',
    async (venue) => {
      const alice = await venue.as('alice');
      const id = await (await venue.as('bob')).rests(venue.order('home', 110, 10));
      const cancelAll = async (): Promise<Reply> => {
        await alice.place(venue.order('home', 120, 10), venue.order('home', 121, 10), venue.order('home', 122, 10));
        await alice.post('/session/cancelAllOrders');
        return alice.cancel('gone');
      };
      const replies = [
        await alice.post('/user/updateCoinsOrCash', {}),
        await venue.transport.request('GET', '/user/getMe'),
        await alice.cancel(id),
        await alice.cancel('gone'),
        await alice.place(venue.order('away', -110, 10)),
        await cancelAll(),
      ];
      while (replies.at(-1)?.status !== 429) replies.push(await alice.cancel('gone'));
      await venue.faults({ fault: 'status', on: ['mode'], status: 500 });
      replies.push(await alice.post('/user/updateCoinsOrCash', { playerMode: 'cash' }));
      const statuses = new Set(replies.map(({ status }) => status));
      expect([...statuses].sort()).toEqual([400, 401, 403, 404, 409, 423, 429, 500]);
      for (const reply of replies) {
        refused(reply, reply.status);
        const { details } = read(schemas.envelope, reply.json).error;
        expect(details !== undefined, reply.text).toBe(reply.status === 423 || reply.status === 429);
        expect('retry-after' in reply.headers).toBe(details !== undefined);
      }
    },
    { limits: { place: { requests: 25, windowMs: 5000 }, cancel: { requests: 5, windowMs: 2000 } } },
  );

  shows(
    ['Errors · 500', 'Errors · 500: Generic message Something went wrong'],
    'answers an internal failure with 500 and without a cause, and serves the same request when it is repeated',
    async (venue) => {
      const alice = await venue.as('alice');
      await venue.faults({ fault: 'status', on: ['place'], status: 500, nth: [1, 2], acted: false });
      const place = () => alice.place(venue.order('home', 110, 10));
      for (const waitMs of [20, 40]) {
        refused(await place(), 500, 'Something went wrong');
        await venue.transport.wait(waitMs);
      }
      expect((await place()).status).toBe(200);
      expect(await alice.openIds()).toHaveLength(1);
    },
  );

  shows(
    ['What the service does · rule 4'],
    'delays or throttles only the account that the operator names',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const place = { orders: [venue.order('home', 110, 10)] };
      await venue.faults({ fault: 'delay', on: ['place'], by: 250, account: 'alice' });
      const since = venue.transport.now();
      const pending = alice.send('/session/v2/place', place);
      expect((await bob.post('/session/v2/place', place)).status).toBe(200);
      expect(pending.ended()).toBeUndefined();
      await venue.transport.until('the delayed answer', () => pending.ended() !== undefined);
      expect(venue.transport.now() - since).toBeGreaterThanOrEqual(250);
      await venue.faults({ fault: 'status', on: ['place'], status: 429, account: 'alice', nth: [1, 2] });
      throttled(await alice.post('/session/v2/place', place), 429, 'RATE_LIMITED');
      expect((await bob.post('/session/v2/place', place)).status).toBe(200);
    },
  );

  shows(
    ['Errors · 403: a missing permission flag'],
    'gives all accounts the same endpoints and serves the operator’s routes on a separate port',
    async (venue) => {
      const alice = await venue.as('alice');
      for (const [method, path] of [
        ['GET', '/accounts'],
        ['GET', '/accounts/alice'],
        ['POST', '/accounts/alice'],
        ['POST', '/accounts/bob/expire-tokens'],
        ['POST', '/games'],
        ['POST', `/games/${venue.game.id}`],
        ['PUT', '/faults'],
      ] as const)
        refused(await alice.call(method, path, method === 'GET' ? {} : { body: { status: 'banned' } }), 404);
      expect(await venue.admin('GET', '/accounts/alice')).toMatchObject({ status: 'active' });
    },
  );

  shows(
    ['What the service does · “A REST API at {base_url} …”', 'Endpoints · “All REST paths are under …”'],
    'answers an unknown path, a wrong method and broken JSON with the error envelope',
    async (venue) => {
      const { token } = await venue.as('alice');
      const call = { token };
      refused(await venue.transport.request('POST', '/session/nothing', call), 404);
      refused(await venue.transport.request('GET', '/session/v2/place', call), 404);
      refused(await venue.transport.request('DELETE', '/user/getMe', call), 404);
      for (const text of ['{', 'orders', '[1,'])
        refused(await venue.transport.request('POST', '/session/v2/place', { token, text }), 400);
      // the body is read as JSON whatever the content type says
      const plain = { token, headers: { 'content-type': 'text/plain' }, text: '{"sessionID":"gone"}' };
      refused(await venue.transport.request('POST', '/session/cancel', plain), 404, 'Order not found: gone');
    },
  );

  shows(
    ['Errors · 400: above the configured maximum'],
    'refuses a size above the configured maximum with 400 and a size above 1000.00 with 403',
    async (venue) => {
      const alice = await venue.as('alice');
      refused(await alice.place(venue.order('home', 110, 500.01)), 400);
      refused(await alice.place(venue.order('home', 110, 1000.01)), 403, 'Order size exceeds maximum limit of 1000.00');
    },
    { profile: wireProfileSchema.parse({ maxOrderSize: 500 }) },
  );
});

// Place requests: bodies, batches, sizes, paths, and requests without an answer.
import { expect } from 'vitest';
import { wireProfileSchema } from '../../../src/wire/index.ts';
import { refused, results, times, without } from '../kit.ts';
import * as schemas from '../schemas.ts';
import { read } from '../schemas.ts';
import { rowsOf, section } from '../section.ts';

const PLACE = 'Order endpoints (under /session) · POST /session/v2/place';

export const requestsSection = section('requests', (shows) => {
  shows(
    ['Orders · place body', 'Errors · 400'],
    'refuses a body that is no valid list of orders and places none of its orders',
    async (venue) => {
      const alice = await venue.as('alice');
      const good = venue.order('home', 110, 10);
      const bad: readonly unknown[] = [
        {},
        [],
        { orders: [] },
        { orders: good },
        { orders: [good, null] },
        { orders: [good, without(good, 'gameID')] },
        { orders: [good, without(good, 'type')] },
        { orders: [good, without(good, 'side')] },
        { orders: [good, without(good, 'odds')] },
        { orders: [good, without(good, 'risk')] },
        { orders: [good, { ...good, type: 'parlay' }] },
        { orders: [good, { ...good, orderType: 5 }] },
        { orders: [good, { ...good, expirationMinutes: -1 }] },
        { orders: [good, venue.order('over', 110, 10)] },
        { orders: times(21, () => good) },
      ];
      for (const body of bad) refused(await alice.post('/session/v2/place', body), 400);
      const broken = { token: alice.token, text: '{"orders":[' };
      refused(await venue.transport.request('POST', '/session/v2/place', broken), 400);
      expect(await alice.openIds()).toEqual([]);
      refused(await alice.place({ ...good, side: 'unknown' }), 400);
      refused(await alice.place(venue.order('over', 110, 10, { number: 210.3 })), 400);
    },
    { limits: { place: { requests: 100, windowMs: 1000 }, cancel: { requests: 30, windowMs: 2000 } } },
  );

  shows(
    ['Orders · errors of a batch', 'Orders · errorType', 'Orders · place reply'],
    'answers a single order by status and a batch with one result per position; each refusal has a type',
    async (venue) => {
      const carol = await venue.as('carol');
      const large = venue.order('home', 110, 1000.01);
      refused(await carol.place(large), 403);
      const reply = await carol.place(
        venue.order('home', 110, 10),
        large,
        venue.order('home', 110, 0.5),
        venue.order('home', 110, 500),
        venue.order('away', -110, 10),
        venue.order('home', 111, 10),
      );
      expect(reply.status).toBe(200);
      expect(results(reply)).toMatchObject([
        { unmatched: { offered: 10 } },
        { error: 'Order size exceeds maximum limit of 1000.00', errorType: 'validation_error' },
        { errorType: 'validation_error' },
        { error: 'Order size exceeds available credit', errorType: 'rejected_liability' },
        { errorType: 'rejected_order_type_rules' },
        { unmatched: { offered: 10 } },
      ]);
    },
  );

  shows(
    ['Orders · place body', 'Orders · ids per cancelMultiple'],
    'limits the orders of one place and the ids of one cancelMultiple to the profile’s numbers',
    async (venue) => {
      const alice = await venue.as('alice');
      const orders = times(4, (index) => venue.order('home', 110 + index, 10));
      refused(await alice.place(...orders), 400);
      const ids = results(await alice.place(...orders.slice(0, 3))).map((result) =>
        'unmatched' in result ? result.unmatched['orderID'] : undefined,
      );
      const cancel = (sessionIDs: readonly unknown[]) => alice.post('/session/cancelMultiple', { sessionIDs });
      refused(await cancel(ids), 400);
      expect((await cancel(ids.slice(0, 2))).status).toBe(200);
      expect(await alice.openIds()).toEqual(ids.slice(2));
    },
    { profile: wireProfileSchema.parse({ maxOrdersPerPlace: 3, maxIdsPerCancel: 2 }) },
  );

  shows(
    [
      'Limits · rule 8',
      'Errors · 400: order size below MIN_ORDER_SIZE',
      'Errors · 403: Order size exceeds maximum limit of 1000.00 on place or edit',
      'Orders · MIN_ORDER_SIZE',
    ],
    'accepts sizes from the minimum to 1000.00 in places and edits',
    async (venue) => {
      const alice = await venue.as('alice');
      const tooLarge = 'Order size exceeds maximum limit of 1000.00';
      refused(await alice.place(venue.order('home', 110, 1000.01)), 403, tooLarge);
      refused(await alice.place(venue.order('home', 110, 0.99)), 400);
      refused(await alice.place(venue.order('home', 110, 0)), 400);
      refused(await alice.place(venue.order('home', 110, -5)), 400);
      const most = await alice.rests(venue.order('home', 110, 1000));
      const least = await alice.rests(venue.order('home', 111, 1));
      refused(await alice.edit(most, 110, 1000.01), 403, tooLarge);
      refused(await alice.edit(least, 110, 0.99), 400);
      expect(await alice.openIds()).toEqual([most, least]);
      expect((await alice.edited(least, 112, 1000)).unmatched).toMatchObject({ offered: 1000 });
    },
  );

  shows(
    ['Orders · MIN_ORDER_SIZE', 'Errors · 400: order size below MIN_ORDER_SIZE'],
    'reads the minimum order size from the profile',
    async (venue) => {
      const alice = await venue.as('alice');
      refused(await alice.place(venue.order('home', 110, 9.99)), 400);
      await alice.rests(venue.order('home', 110, 10));
    },
    { profile: wireProfileSchema.parse({ minOrderSize: 10 }) },
  );

  shows(
    ['Socket · “Host, engine path (default /socket.io) …”', 'Versioning · “The version marker v2 appears …”', PLACE],
    'accepts places at v2 and at its alias v3, and ignores the case of the path',
    async (venue) => {
      const alice = await venue.as('alice');
      for (const path of ['/session/v2/place', '/session/v3/place', '/SESSION/V2/Place'])
        expect((await alice.post(path, { orders: [venue.order('home', 110, 10)] })).status, path).toBe(200);
      expect(await alice.openIds()).toHaveLength(3);
      refused(await alice.post('/session/place', { orders: [] }), 404);
    },
  );

  shows(
    ['Orders · unanswered place', 'Orders · userReference'],
    'may execute a place that it never answers; a look-up by reference shows whether it did',
    async (venue) => {
      const alice = await venue.as('alice');
      await venue.faults(
        { fault: 'no-answer', on: ['place'], nth: [1], acted: true },
        { fault: 'no-answer', on: ['place'], nth: [2], acted: true, close: 'reset' },
        { fault: 'no-answer', on: ['place'], nth: [3], acted: false, close: 'reset' },
      );
      const send = (userReference: string) =>
        venue.transport.send('POST', '/session/v2/place', {
          token: alice.token,
          body: { orders: [venue.order('home', 110, 10, { userReference })] },
        });
      const found = async (userReference: string): Promise<number> => {
        const query = { userReference, gameID: venue.game.id };
        const reply = await alice.get('/user/getBetByUserReference', query);
        return read(schemas.openReply, reply.json).data.unmatched.length;
      };
      const silent = send('silent');
      await venue.transport.until('the first lands', async () => (await found('silent')) === 1);
      expect(silent.ended()).toBeUndefined();
      for (const [reference, count] of [
        ['acted', 1],
        ['lost', 0],
      ] as const) {
        const pending = send(reference);
        await venue.transport.until('the connection breaks', () => pending.ended() === 'reset');
        expect(await found(reference)).toBe(count);
      }
      expect(silent.ended()).toBeUndefined();
    },
  );

  shows(
    [...rowsOf('Endpoints', '“All REST paths are under …”')],
    'reads JSON bodies and answers with JSON, also for errors',
    async (venue) => {
      const alice = await venue.as('alice');
      const replies = [
        await alice.place(venue.order('home', 110, 10)),
        await alice.place(venue.order('home', 110, 5000)),
        await alice.post('/user/getMe'),
        await venue.transport.request('POST', '/nothing', { body: {} }),
      ];
      expect(replies.map(({ status }) => status)).toEqual([200, 403, 200, 404]);
      for (const { headers, json } of replies) {
        expect(headers['content-type']).toMatch(/^application\/json/);
        expect(json).toBeTypeOf('object');
      }
    },
  );
});

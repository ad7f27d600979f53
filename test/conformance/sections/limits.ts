// The two request windows: their sizes, which requests count in which window and when, and which accounts are
// exempt.
import { expect } from 'vitest';
import type { WorldOptions } from '../../../src/paper/index.ts';
import type { Client } from '../kit.ts';
import { patiently, refused, statuses, throttled, times } from '../kit.ts';
import * as schemas from '../schemas.ts';
import { read } from '../schemas.ts';
import { rowsOf, section } from '../section.ts';

/** Small and short windows, so that tests do not wait long. */
const SMALL: WorldOptions = {
  limits: { place: { requests: 4, windowMs: 800 }, cancel: { requests: 3, windowMs: 600 } },
};
const CANCELS = ['POST /session/cancel', 'POST /session/cancelMultiple', 'POST /session/cancelByReference'];

/** Statuses of an answer that is no throttle. */
const OPEN = [200, 400, 404];

const cancelsOf = (who: Client) => ({
  cancel: () => who.cancel('gone'),
  cancelMultiple: () => who.post('/session/cancelMultiple', { sessionIDs: ['gone'] }),
  cancelByReference: () =>
    who.post('/session/cancelByReference', { gameID: who.venue.game.id, userReferences: ['gone'] }),
});

/** Every limited request with the window that the spec gives it. */
const gatedOf = (who: Client) => {
  const place = { burst: 25, windowMs: 5000 };
  const cancel = { burst: 30, windowMs: 2000 };
  return [
    { request: () => who.post('/session/v2/place', { orders: [] }), ...place },
    { request: () => who.edit('gone', 110, 10), ...place },
    ...Object.values(cancelsOf(who)).map((request) => ({ request, ...cancel })),
  ];
};

export const limitsSection = section('limits', (shows) => {
  shows(
    [
      'Limits · POST /session/v2/place',
      'Limits · rule 1',
      ...rowsOf('Errors', '429', '429: details.code = RATE_LIMITED'),
      'Throttle details shapes · RATE_LIMITED',
      'Errors · “When details.retryAfterSeconds is set, the …”',
    ],
    'accepts 25 places in 5 s and refuses the 26th with 429 until the first is 5 s old',
    async (venue) => {
      const alice = await venue.as('alice');
      const since = venue.transport.now();
      const burst = await Promise.all(times(25, (index) => alice.place(venue.order('home', 110 + index, 1))));
      const until = venue.transport.now();
      expect(statuses(burst)).toEqual({ 200: 25 });
      const first = throttled(await alice.place(venue.order('home', 110, 1)), 429, 'RATE_LIMITED');
      expect(first).toMatchObject({ kind: 'place', retryable: true });
      // the wait ends when the oldest of the 25 leaves the window
      const free = venue.transport.now() + first.retryAfterSeconds * 1000;
      expect(free).toBeGreaterThanOrEqual(since + 5000);
      expect(free).toBeLessThan(until + 6000);
      await venue.transport.wait(first.retryAfterSeconds * 1000 - 250);
      const again = throttled(await alice.place(venue.order('home', 110, 1)), 429, 'RATE_LIMITED');
      expect(again.retryAfterSeconds).toBeLessThanOrEqual(0.3);
      await venue.transport.wait(again.retryAfterSeconds * 1000);
      expect((await alice.place(venue.order('home', 110, 1))).status).toBe(200);
      expect(await alice.openIds()).toHaveLength(26);
    },
  );

  shows(
    ['Limits · POST /session/cancel', 'Limits · rule 1', 'Errors · 429: details.code = RATE_LIMITED'],
    'accepts 30 cancels in 2 s and refuses the 31st with 429 until the first is 2 s old',
    async (venue) => {
      const alice = await venue.as('alice');
      const since = venue.transport.now();
      const burst = await Promise.all(times(30, () => alice.cancel('gone')));
      expect(statuses(burst)).toEqual({ 404: 30 });
      const details = throttled(await alice.cancel('gone'), 429, 'RATE_LIMITED');
      expect(details).toMatchObject({ kind: 'cancel', retryable: true });
      const free = venue.transport.now() + details.retryAfterSeconds * 1000;
      expect(free).toBeGreaterThanOrEqual(since + 2000);
      await venue.transport.wait(details.retryAfterSeconds * 1000);
      expect((await alice.cancel('gone')).status).toBe(404);
    },
  );

  shows(
    rowsOf('Limits', 'POST /session/v2/place', 'POST /session/editOrder', ...CANCELS),
    'refuses a request until the oldest request is exactly as old as the window, to the millisecond',
    async (venue) => {
      for (const { request, burst, windowMs } of gatedOf(await venue.as('alice'))) {
        for (let index = 0; index < burst; index++) {
          expect(OPEN).toContain((await request()).status);
          await venue.transport.wait(1);
        }
        // the first request came `burst` ms ago
        await venue.transport.wait(windowMs - burst - 1);
        expect((await request()).status).toBe(429);
        await venue.transport.wait(1);
        expect(OPEN).toContain((await request()).status);
        expect((await request()).status).toBe(429);
        // the second request leaves the window a millisecond later
        await venue.transport.wait(1);
        expect(OPEN).toContain((await request()).status);
        await venue.transport.wait(windowMs);
      }
    },
    { over: 'in process' },
  );

  shows(
    rowsOf('Limits', 'POST /session/v2/place', 'POST /session/editOrder', ...CANCELS),
    'accepts the sustained rate without end and no higher rate',
    async (venue) => {
      for (const { request, burst, windowMs } of gatedOf(await venue.as('alice'))) {
        const perSecond = (burst * 1000) / windowMs;
        for (let sent = 0; sent < 10 * perSecond; sent++) {
          expect(OPEN).toContain((await request()).status);
          await venue.transport.wait(1000 / perSecond);
        }
        await venue.transport.wait(windowMs);
        const since = venue.transport.now();
        let accepted = 0;
        while (venue.transport.now() < since + 10_000) {
          if (OPEN.includes((await request()).status)) accepted++;
          await venue.transport.wait(20);
        }
        expect(accepted).toBe(10 * perSecond);
        await venue.transport.wait(windowMs);
      }
    },
    { over: 'in process' },
  );

  shows(
    ['Limits · POST /session/editOrder', 'Order endpoints (under /session) · POST /session/editOrder'],
    'counts edits and places in one window',
    async (venue) => {
      const alice = await venue.as('alice');
      const id = await alice.rests(venue.order('home', 110, 10));
      const { orderID } = read(schemas.offer, (await alice.edited(id, 120, 10)).unmatched);
      refused(await alice.edit('gone', 110, 10), 404);
      refused(await alice.post('/session/v2/place', {}), 400);
      expect(throttled(await alice.edit(orderID, 130, 10), 429, 'RATE_LIMITED').kind).toBe('place');
      throttled(await alice.place(venue.order('home', 110, 10)), 429, 'RATE_LIMITED');
      expect((await patiently(venue, () => alice.edit(orderID, 130, 10))).status).toBe(200);
    },
    SMALL,
  );

  shows(
    rowsOf('Limits', ...CANCELS),
    'counts the three kinds of individual cancels in one window',
    async (venue) => {
      const alice = await venue.as('alice');
      const cancels = Object.values(cancelsOf(alice));
      for (const request of cancels) expect(OPEN).toContain((await request()).status);
      for (const request of cancels) {
        expect(throttled(await request(), 429, 'RATE_LIMITED').kind).toBe('cancel');
      }
      for (const request of cancels) expect(OPEN).toContain((await patiently(venue, request)).status);
    },
    SMALL,
  );

  shows(
    ['Limits · “Limits are per user (keyed …”'],
    'keeps separate windows for places and cancels and for each user, across all tokens of a user',
    async (venue) => {
      const [alice, again, bob] = [await venue.as('alice'), await venue.as('alice'), await venue.as('bob')];
      const place = (who: Client) => who.post('/session/v2/place', { orders: [] });
      for (const who of [alice, again, alice, again]) expect((await place(who)).status).toBe(400);
      for (const who of [alice, again]) throttled(await place(who), 429, 'RATE_LIMITED');
      for (const request of Object.values(cancelsOf(again))) expect(OPEN).toContain((await request()).status);
      throttled(await alice.cancel('gone'), 429, 'RATE_LIMITED');
      for (const request of [() => place(bob), () => bob.cancel('gone')])
        expect(OPEN).toContain((await request()).status);
      expect((await venue.transport.request('POST', '/session/v2/place', { body: {} })).status).toBe(401);
    },
    SMALL,
  );

  shows(
    ['Limits · rule 1'],
    'counts a request when it arrives, not when it is answered',
    async (venue) => {
      const alice = await venue.as('alice');
      await venue.faults({ fault: 'delay', on: ['place'], by: 200, side: 'after' });
      const pending = times(5, () => alice.send('/session/v2/place', { orders: [] }));
      const ended = () => pending.map((request) => request.ended());
      await venue.transport.until('all answers', () => ended().every((reply) => reply !== undefined));
      const replies = ended().filter((reply) => typeof reply === 'object');
      expect(statuses(replies)).toEqual({ 400: 4, 429: 1 });
    },
    SMALL,
  );

  shows(
    ['Limits · rule 1'],
    'does not count a refused request',
    async (venue) => {
      const alice = await venue.as('alice');
      for (let index = 0; index < 3; index++) await alice.cancel('gone');
      for (let index = 0; index < 5; index++) throttled(await alice.cancel('gone'), 429, 'RATE_LIMITED');
      const { retryAfterSeconds } = throttled(await alice.cancel('gone'), 429, 'RATE_LIMITED');
      await venue.transport.wait(retryAfterSeconds * 1000);
      expect((await alice.cancel('gone')).status).toBe(404);
    },
    SMALL,
  );

  shows(
    ['Limits · rule 2'],
    'does not limit the bulk cancels',
    async (venue) => {
      const alice = await venue.as('alice');
      for (let index = 0; index < 4; index++) await alice.cancel('gone');
      throttled(await alice.cancel('gone'), 429, 'RATE_LIMITED');
      for (const [path, body] of [
        ['/session/cancelAllOrders', {}],
        ['/session/cancelAllOrdersForGame', { gameID: venue.game.id }],
        ['/session/cancelAllForLeague', { league: 'NBA' }],
        ['/session/pauseOrders', {}],
      ] as const)
        expect(statuses(await Promise.all(times(10, () => alice.post(path, body))))).toEqual({ 200: 10 });
    },
    SMALL,
  );

  shows(
    ['Limits · rule 5', 'Errors · “Client procedure: check the HTTP …”'],
    'accepts every place of a client that waits for retryAfterSeconds',
    async (venue) => {
      const alice = await venue.as('alice');
      for (let index = 0; index < 10; index++)
        expect((await patiently(venue, () => alice.place(venue.order('home', 110 + index, 1)))).status).toBe(200);
      expect(await alice.openIds()).toHaveLength(10);
      const story = read(schemas.accountStory, await venue.admin('GET', '/accounts/alice'));
      // the exchange throttled the client in between
      expect(story.requests.place).toBeGreaterThan(10);
    },
    SMALL,
  );

  shows(
    ['Limits · rule 6', 'Limits · POST /session/cancelMultiple'],
    'counts a cancelMultiple as one request for any number of ids',
    async (venue) => {
      const alice = await venue.as('alice');
      await alice.place(...times(20, (index) => venue.order('home', 110 + index, 1)));
      const sessionIDs = await alice.openIds();
      const each = [];
      for (const id of sessionIDs.slice(0, 4)) each.push(await alice.cancel(id));
      expect(statuses(each)).toEqual({ 200: 3, 429: 1 });
      const reply = await patiently(venue, () => alice.post('/session/cancelMultiple', { sessionIDs }));
      expect(reply.status).toBe(200);
      expect(await alice.openIds()).toEqual([]);
    },
    SMALL,
  );

  shows(
    ['Limits · rule 9', 'What the service does · rule 5'],
    'exempts privileged accounts from both windows',
    async (venue) => {
      await venue.admin('POST', '/accounts', { username: 'maker', password: 'maker-pw', exempt: true });
      const maker = await venue.as('maker');
      const places = await Promise.all(times(30, (index) => maker.place(venue.order('home', 110 + index, 1))));
      expect(statuses(places)).toEqual({ 200: 30 });
      const ids = await maker.openIds();
      expect(statuses(await Promise.all(ids.map((id) => maker.cancel(id))))).toEqual({ 200: 30 });
    },
    SMALL,
  );
});

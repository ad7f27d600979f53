// Cancels: of one order, of many, by reference, in bulk, during the cancel-all lock, by the system, and when
// the cancel pipeline is full.
import { expect } from 'vitest';
import { wireProfileSchema } from '../../../src/wire/index.ts';
import type { TestVenue, Client } from '../kit.ts';
import { orderOn, patiently, refused, throttled, times } from '../kit.ts';
import * as schemas from '../schemas.ts';
import { read } from '../schemas.ts';
import { rowsOf, section } from '../section.ts';
import type { Reply } from '../transport.ts';

const ENDPOINTS = 'Order endpoints (under /session)';
const LOCK = 'Cancel-all lock (per user)';

const cancelOf = (reply: Reply) => read(schemas.cancelReply, reply.json).data;
const many = (reply: Reply) => read(schemas.cancelsReply, reply.json).data;
const received = (reply: Reply): void => void read(schemas.receivedReply, reply.json);

/** Places `count` orders that rest, at most 20 per request, and returns their ids. */
async function rest(venue: TestVenue, who: Client, count: number): Promise<readonly string[]> {
  const before = (await who.openIds()).length;
  for (let from = 0; from < count; from += 20)
    await who.place(...times(Math.min(20, count - from), (index) => venue.order('home', 110 + from + index, 1)));
  const ids = (await who.openIds()).slice(before);
  expect(ids).toHaveLength(count);
  return ids;
}

export const cancelSection = section('cancel', (shows) => {
  shows(
    [`${ENDPOINTS} · POST /session/cancel`, 'Orders · cancel replies'],
    'cancels one order and reports its filled amount and the amount that the cancel freed',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const id = await alice.rests(venue.order('home', 110, 100, { userReference: 'mine' }));
      await bob.takes(venue.order('away', -110, 55));
      expect(cancelOf(await alice.cancel(id))).toMatchObject({
        sessionID: id,
        odds: 110,
        filled: 50,
        offered: 0,
        remaining: 50,
        gameID: venue.game.id,
        userReference: 'mine',
      });
      expect((await bob.book()).game.homeMoneylines).toEqual([]);
      refused(await alice.post('/session/cancel', {}), 400);
    },
  );

  shows(
    ['Orders · cancel of a done order', 'Errors · 404', 'Errors · 404: An unknown orderID'],
    'answers 404 to the cancel of a cancelled order and 409 to the cancel of a filled order',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const cancelled = await alice.rests(venue.order('home', 110, 10));
      await alice.cancel(cancelled);
      refused(await alice.cancel(cancelled), 404, `Order not found: ${cancelled}`);
      const filled = await alice.rests(venue.order('home', 110, 10));
      await bob.takes(venue.order('away', -110, 11));
      refused(await alice.cancel(filled), 409);
    },
  );

  shows(
    [`${ENDPOINTS} · POST /session/cancelMultiple`, 'Orders · cancel replies', 'Limits · rule 6'],
    'cancels many orders in one request and answers with one result per position',
    async (venue) => {
      const alice = await venue.as('alice');
      const ids = await rest(venue, alice, 40);
      const sessionIDs = [...ids.slice(0, 39), 'gone', ids[0]];
      const cancels = many(await alice.post('/session/cancelMultiple', { sessionIDs }));
      expect(cancels.map(({ sessionID }) => sessionID)).toEqual(sessionIDs);
      expect(cancels.map(({ success }) => success)).toEqual([...times(39, () => true), false, false]);
      expect(await alice.openIds()).toEqual(ids.slice(39));
      for (const body of [{}, { sessionIDs: [] }, { sessionIDs: 'x' }, { sessionIDs: [{}] }])
        refused(await alice.post('/session/cancelMultiple', body), 400);
    },
  );

  shows(
    [`${ENDPOINTS} · POST /session/cancelMultiple`],
    'reads the ids of cancelMultiple from the field that the profile names',
    async (venue) => {
      const alice = await venue.as('alice');
      const ids = await rest(venue, alice, 2);
      refused(await alice.post('/session/cancelMultiple', { sessionIDs: ids }), 400);
      expect(many(await alice.post('/session/cancelMultiple', { orders: ids }))).toHaveLength(2);
      expect(await alice.openIds()).toEqual([]);
    },
    { profile: wireProfileSchema.parse({ cancelIdsField: 'orders' }) },
  );

  shows(
    [`${ENDPOINTS} · POST /session/cancelByReference`, 'Orders · cancel replies', 'Orders · userReference'],
    'cancels the open orders of a reference in the named game and in no other game',
    async (venue) => {
      const alice = await venue.as('alice');
      const a = await alice.rests(venue.order('home', 110, 10, { userReference: 'a' }));
      const other = orderOn(venue.gameAt(1), 'home', 110, 10, { userReference: 'a' });
      const elsewhere = await alice.rests(other);
      const b = await alice.rests(venue.order('home', 110, 10, { userReference: 'b' }));
      const body = { gameID: venue.game.id, userReferences: ['a', 'unknown'] };
      expect(many(await alice.post('/session/cancelByReference', body))).toMatchObject([
        { success: true, sessionID: a, userReference: 'a' },
        { success: false, userReference: 'unknown' },
      ]);
      expect(await alice.openIds()).toEqual([elsewhere, b]);
      refused(await alice.post('/session/cancelByReference', { userReferences: ['a'] }), 400);
    },
  );

  shows(
    [
      ...rowsOf(ENDPOINTS, ...['POST /session/cancelAllOrdersForGame', 'POST /session/cancelAllForLeague']),
      'Orders · cancel replies',
    ],
    'cancels the orders of a game, of one market type of a game, or of a league, and no others',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const tennis = await venue.publish({ league: 'ATP', sport: 'tennis' });
      const { game } = await alice.book(tennis);
      const total = { number: 200.5 };
      const [first, second, third, fourth] = [
        await alice.rests(venue.order('home', 110, 10)),
        await alice.rests(venue.order('over', 110, 10, total)),
        await alice.rests(orderOn(venue.gameAt(1), 'home', 110, 10)),
        await alice.rests(orderOn(game, 'home', 110, 10)),
      ];
      const theirs = await bob.rests(venue.order('home', 110, 10));
      const gone = (ids: readonly string[]) =>
        venue.transport.until('the orders go', async () => String(await alice.openIds()) === String(ids));
      received(await alice.post('/session/cancelAllOrdersForGame', { gameID: venue.game.id, type: 'total' }));
      await gone([first, third, fourth]);
      expect(second).toBeTypeOf('string');
      received(await alice.post('/session/cancelAllOrdersForGame', { gameID: venue.game.id }));
      await gone([third, fourth]);
      received(await alice.post('/session/cancelAllForLeague', { league: 'NBA' }));
      await gone([fourth]);
      refused(await alice.post('/session/cancelAllOrdersForGame', {}), 400);
      refused(await alice.post('/session/cancelAllForLeague', {}), 400);
      expect(await bob.openIds()).toEqual([theirs]);
    },
  );

  for (const [path, rows] of [
    ['/session/cancelAllOrders', [`${ENDPOINTS} · POST /session/cancelAllOrders`]],
    ['/session/pauseOrders', [`${ENDPOINTS} · POST /session/pauseOrders`, 'Orders · pauseOrders']],
  ] as const)
    shows(
      [
        ...rows,
        ...rowsOf(LOCK, 'idle', 'cancel-all running: Bulk operation completes'),
        `${LOCK} · cancel-all running: Individual cancel, cancelMultiple or cancelByReference from the account`,
        ...rowsOf('Errors', '423', '423: details.code = CANCEL_ALL_IN_PROGRESS'),
        'Throttle details shapes · CANCEL_ALL_IN_PROGRESS',
        'Limits · rule 4',
      ],
      `cancels all orders at about 15 per second after ${path} and refuses other cancels with 423 meanwhile`,
      async (venue) => {
        const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
        const ids = await rest(venue, alice, 25);
        const since = venue.transport.now();
        received(await alice.post(path));
        const later = await alice.rests(venue.order('home', 105, 10));
        for (const reply of [
          await alice.cancel(ids[24] ?? ''),
          await alice.cancel(later),
          await alice.post('/session/cancelMultiple', { sessionIDs: [later] }),
          await alice.post('/session/cancelByReference', { gameID: venue.game.id, userReferences: ['x'] }),
        ]) {
          const details = throttled(reply, 423, 'CANCEL_ALL_IN_PROGRESS');
          expect(details.retryable).toBe(true);
          // at most 24 orders are left, at 15 per second
          expect(details.retryAfterSeconds).toBeLessThanOrEqual(1.7);
          expect(details.retryAfterSeconds).toBeGreaterThan(1);
        }
        // the lock does not hold for other accounts
        const theirs = await bob.rests(venue.order('home', 120, 10));
        expect((await bob.cancel(theirs)).status).toBe(200);
        await venue.transport.until('half', async () => (await alice.openIds()).length <= 13);
        expect(venue.transport.now() - since).toBeGreaterThan(700);
        // the cancel-all leaves newer orders alone; the client waits for `retryAfterSeconds` and tries again
        expect((await patiently(venue, () => alice.cancel(later))).status).toBe(200);
        expect(venue.transport.now() - since).toBeGreaterThanOrEqual(1590);
        // on a busy machine the requests themselves take a while
        expect(venue.transport.now() - since).toBeLessThan(venue.transport.over === 'sockets' ? 4_000 : 1_700);
        expect(await alice.openIds()).toEqual([]);
      },
    );

  shows(
    ['Limits · rule 4'],
    'needs about ten seconds to cancel 150 orders',
    async (venue) => {
      const alice = await venue.as('alice');
      await rest(venue, alice, 150);
      received(await alice.post('/session/cancelAllOrders'));
      await venue.transport.wait(5_000);
      expect((await alice.openIds()).length).toBeGreaterThanOrEqual(74);
      await venue.transport.wait(4_900);
      expect((await alice.openIds()).length).toBeGreaterThan(0);
      await venue.transport.wait(100);
      expect(await alice.openIds()).toEqual([]);
    },
    { over: 'in process' },
  );

  shows(
    [`${ENDPOINTS} · POST /session/cancelAllOrders`, ...rowsOf(LOCK, 'idle')],
    'cancels with a second cancel-all the orders that were placed after the first',
    async (venue) => {
      const alice = await venue.as('alice');
      await rest(venue, alice, 5);
      received(await alice.post('/session/cancelAllOrders'));
      await rest(venue, alice, 2);
      received(await alice.post('/session/cancelAllOrders'));
      await venue.transport.until('all are gone', async () => (await alice.openIds()).length === 0);
      // a cancel-all without open orders sets no lock
      received(await alice.post('/session/cancelAllOrders'));
      refused(await alice.cancel('gone'), 404);
    },
  );

  shows(
    [
      'Limits · rule 3',
      'Errors · 429: CANCEL_QUEUE_FULL',
      'Throttle details shapes · CANCEL_QUEUE_FULL',
      'Errors · 429',
    ],
    'refuses a whole cancel request that does not fit into the pipeline and accepts it after the wait',
    async (venue) => {
      const alice = await venue.as('alice');
      const ids = await rest(venue, alice, 7);
      const cancel = (sessionIDs: readonly string[]) => alice.post('/session/cancelMultiple', { sessionIDs });
      expect(many(await cancel(ids.slice(0, 4)))).toHaveLength(4);
      const details = throttled(await cancel(ids.slice(4, 6)), 429, 'CANCEL_QUEUE_FULL');
      expect(details.retryable).toBe(true);
      expect(details.retryAfterSeconds).toBeLessThanOrEqual(0.1);
      expect(await alice.openIds()).toHaveLength(3);
      // the pipeline has room for a single cancel
      expect((await alice.cancel(ids[6] ?? '')).status).toBe(200);
      throttled(await cancel(ids.slice(4, 6)), 429, 'CANCEL_QUEUE_FULL');
      expect((await patiently(venue, () => cancel(ids.slice(4, 6)))).status).toBe(200);
      expect(await alice.openIds()).toEqual([]);
    },
    { profile: wireProfileSchema.parse({ cancelQueueSize: 5, cancelQueuePerSecond: 10 }) },
  );

  shows(
    ['Resting offer, as observed on positionUpdate · resting: Cancelled'],
    'reports a cancel by the system like any other cancel',
    async (venue) => {
      const alice = await venue.as('alice');
      const events = await alice.positions();
      const [first, second] = [
        await alice.rests(venue.order('home', 110, 10)),
        await alice.rests(venue.order('home', 120, 10)),
      ];
      await venue.admin('POST', '/accounts/alice/cancel', { orderID: second });
      await venue.admin('POST', '/accounts/alice/cancel', { all: true });
      const reported = await events.upTo(({ unmatched: order }) => order?.orderID === first && order.offered === 0);
      expect(reported.slice(2)).toMatchObject(
        [second, first].map((orderID) => ({
          origin: 'offer',
          matched: null,
          unmatched: { orderID, offered: 0, filled: 0, remaining: 0 },
        })),
      );
      expect(await alice.openIds()).toEqual([]);
    },
  );

  shows(
    ['Orders · heartbeat'],
    'cancels all orders when a heartbeat is not repeated in time and the profile has a heartbeat',
    async (venue) => {
      const alice = await venue.as('alice');
      const beat = (timeout: number) => alice.post('/user/ordersHeartbeat', { timeout });
      const id = await alice.rests(venue.order('home', 110, 10));
      for (let beats = 0; beats < 3; beats++) {
        expect((await beat(0.8)).json).toEqual({ data: { success: true } });
        await venue.transport.wait(300);
        expect(await alice.openIds()).toEqual([id]);
      }
      await venue.transport.until('it is cancelled', async () => (await alice.openIds()).length === 0);
      refused(await beat(0), 400);
    },
    { profile: wireProfileSchema.parse({ heartbeatPath: '/user/ordersHeartbeat' }) },
  );

  shows(['Orders · heartbeat'], 'has no heartbeat endpoint by default', async (venue) => {
    const alice = await venue.as('alice');
    refused(await alice.post('/user/ordersHeartbeat', { timeout: 1 }), 404);
  });
});

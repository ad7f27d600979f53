// Orders as third-party clients know them: without minutes they expire at the start, bulk cancels list the
// cancelled orders, a pause can be resumed, references may be numbers. Behaviour that both presets share is
// tested in both.
import { expect } from 'vitest';
import { z } from 'zod';
import * as family from '../family-schemas.ts';
import type { TestVenue, Client, Order } from '../kit.ts';
import { orderOn, refused, results, sideId, throttled, times } from '../kit.ts';
import * as schemas from '../schemas.ts';
import { read } from '../schemas.ts';
import { section } from '../section.ts';
import type { Reply } from '../transport.ts';
import { familyRows, inFamily, showsInBoth } from './family-books.ts';

const listed = (reply: Reply) => read(family.cancelled, reply.json).data;
const soon = (venue: TestVenue, ms: number): string => new Date(Math.ceil(venue.transport.now() + ms)).toISOString();
const gameOf = async (venue: TestVenue, who: Client, id: string) => {
  const headers = await who.post('/exchange/v2/getGames', { league: 'upcoming' });
  const game = read(family.gamesReply, headers.json).data.games.find((candidate) => candidate.id === id);
  return game ?? expect.fail(`no game ${id} at ${venue.transport.now()}`);
};
/** The row of order `id` in the flat book, on whichever ladder it stands. */
async function rowOf(who: Client, gameID: string, id: string) {
  const book = await who.get('/exchange/v2/getOrderbook', { gameID });
  const [game] = read(family.flatReply('family'), book.json).data.games;
  const ladders = [game?.awayMoneylines, game?.homeMoneylines, game?.over, game?.under];
  return ladders.flatMap((rows) => rows ?? []).find((row) => row.id === id);
}
const LINES = { mainHomeSpread: -2.5, mainTotal: 218 };

async function restMany(venue: TestVenue, who: Client, count: number): Promise<readonly string[]> {
  const orders = times(count, (index) => venue.order('home', 110 + index, 1, { userReference: `r${index}` }));
  await who.place(...orders);
  const ids = await who.openIds();
  expect(ids).toHaveLength(count);
  return ids;
}

export const familyOrdersSection = section('family-orders', (shows) => {
  shows(
    familyRows('† end at game start'),
    'expires an order with no or 0 minutes at the start of its game, and reports the start as its expiry',
    async (venue) => {
      const alice = await venue.as('alice');
      const events = await alice.positions();
      const id = await venue.publish({ start: soon(venue, 3_600_000), ...LINES });
      const game = await gameOf(venue, alice, id);
      const expiries: readonly object[] = [{}, { expirationMinutes: 0 }, { expirationMinutes: null }];
      const ending: string[] = [];
      for (const [index, fields] of expiries.entries())
        ending.push(await alice.rests(orderOn(game, 'home', 110 + index, 10, fields)));
      const staying = await alice.rests(orderOn(game, 'home', 120, 10, { expirationMinutes: 90 }));
      const expiryFields = (expiry: unknown, gameStartExpiry: boolean) => ({ expiry, gameStartExpiry });
      const open = await alice.openOrders();
      for (const order of ending) {
        expect(open.find((row) => row.id === order)).toMatchObject(expiryFields(game.start, true));
        expect(await rowOf(alice, id, order)).toMatchObject(expiryFields(game.start, true));
      }
      const [own] = open.filter((row) => row.id === staying);
      expect(own).toMatchObject({ gameStartExpiry: false });
      expect(Date.parse(own?.expiry ?? '') - Date.parse(own?.createdAt ?? '')).toBeCloseTo(5_400_000, -1);
      // the expiry follows when the start is moved
      const start = soon(venue, 600);
      await venue.admin('POST', `/games/${id}`, { start });
      for (const order of ending) expect(await rowOf(alice, id, order)).toMatchObject(expiryFields(start, true));
      for (const order of ending)
        await events.until(({ unmatched: row }) => row?.orderID === order && row.offered === 0);
      expect(venue.transport.now()).toBeGreaterThanOrEqual(Date.parse(start));
      expect(await alice.openIds()).toEqual([staying]);
    },
    inFamily,
  );

  shows(
    familyRows('† end at game start'),
    'fills an order without minutes in play but never rests it, and rests an order with minutes',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const before = await alice.rests(venue.order('home', 110, 10));
      await venue.admin('POST', `/games/${venue.game.id}`, { live: true });
      await venue.transport.until('it is gone', async () => (await alice.openIds()).length === 0);
      const stale = venue.order('away', -110, 11, { orderType: 'limit', sessionID: before });
      refused(await bob.place(stale), 409, 'Session is expired');
      refused(await alice.place(venue.order('home', 110, 10)), 409, 'Game has started');
      refused(await alice.place(venue.order('home', 110, 10, { orderType: 'limit' })), 409, 'Game has started');
      const rests = await alice.rests(venue.order('home', 110, 100, { expirationMinutes: 5 }));
      // the order takes the offer, and its remainder is dropped
      const { matched, unmatched } = await bob.accepted(venue.order('away', -110, 220, { orderType: undefined }));
      expect({ matched, unmatched }).toMatchObject({
        matched: [{ orderID: rests, risk: 110 }],
        unmatched: {},
      });
      expect(await bob.openIds()).toEqual([]);
      await alice.rests(venue.order('home', 110, 20, { expirationMinutes: 5 }));
      for (const orderType of ['fillAndKill', 'fillOrKill']) await bob.takes(venue.order('away', -110, 11), orderType);
    },
    inFamily,
  );

  shows(
    familyRows('† end at game start'),
    'gives an edited order the expiry that the edit names, and the start when it names none or 0',
    async (venue) => {
      const alice = await venue.as('alice');
      const endOf = async (id: string, expiryFields: object) => {
        const { unmatched } = await alice.edited(id, 110, 10, expiryFields);
        const { orderID } = read(schemas.offer, unmatched);
        const order = (await alice.openOrders()).find((row) => row.id === orderID);
        return {
          id: orderID,
          order,
          lifetimeMs: Date.parse(order?.expiry ?? '') - Date.parse(order?.createdAt ?? ''),
        };
      };
      const first = await endOf(await alice.rests(venue.order('home', 110, 10)), { expiryChange: 7 });
      expect(first.order).toMatchObject({ gameStartExpiry: false });
      expect(first.lifetimeMs).toBeCloseTo(420_000, -1);
      const second = await endOf(first.id, {});
      expect(second.order).toMatchObject({ gameStartExpiry: true, expiry: venue.game.start });
      const third = await endOf(second.id, { expiryChange: 0 });
      expect(third.order).toMatchObject({ gameStartExpiry: true, expiry: venue.game.start });
    },
    inFamily,
  );

  shows(
    familyRows('† lists of results'),
    'lists in preset family the orders that cancelAllOrders will cancel, cancels them under the lock, and lists none for a league',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const ids = await restMany(venue, alice, 20);
      await bob.takes(venue.order('away', -110, 0.55));
      const cancels = listed(await alice.post('/session/cancelAllOrders'));
      expect(cancels.map(({ sessionID }) => sessionID)).toEqual(ids);
      expect(cancels[0]).toMatchObject({ filled: 0.5, remaining: 0.5, gameID: venue.game.id, userReference: 'r0' });
      expect(cancels.slice(1).every(({ filled, remaining }) => filled === 0 && remaining === 1)).toBe(true);
      throttled(await alice.cancel(ids[19] ?? ''), 423, 'CANCEL_ALL_IN_PROGRESS');
      expect((await alice.openIds()).length).toBeGreaterThan(10);
      // the next cancel-all lists the order that was placed since
      const later = await alice.rests(venue.order('home', 105, 10));
      expect(listed(await alice.post('/session/cancelAllOrders')).at(-1)).toMatchObject({ sessionID: later });
      await venue.transport.until('all are gone', async () => (await alice.openIds()).length === 0);
      expect(listed(await alice.post('/session/cancelAllOrders'))).toEqual([]);
      await alice.rests(venue.order('home', 110, 10));
      const league = await alice.post('/session/cancelAllForLeague', { league: 'NBA' });
      read(schemas.receivedReply, league.json);
      expect(await alice.openIds()).toEqual([]);
    },
    { ...inFamily, profile: { ...inFamily.profile, minOrderSize: 0.01 } },
  );

  shows(
    familyRows('† lists of results'),
    'lists in preset family the orders that cancelAllOrdersForGame cancels, of one market type or of all',
    async (venue) => {
      const alice = await venue.as('alice');
      const money = await alice.rests(venue.order('home', 110, 10));
      const total = await alice.rests(venue.order('over', 110, 20, { number: 200.5 }));
      const elsewhere = await alice.rests(orderOn(venue.gameAt(1), 'home', 110, 10));
      const cancel = (body: object) => alice.post('/session/cancelAllOrdersForGame', body);
      const gameID = venue.game.id;
      expect(listed(await cancel({ gameID, type: 'total' }))).toMatchObject([{ sessionID: total, remaining: 20 }]);
      expect(listed(await cancel({ gameID }))).toMatchObject([{ sessionID: money, remaining: 10 }]);
      expect(listed(await cancel({ gameID }))).toEqual([]);
      expect(await alice.openIds()).toEqual([elsewhere]);
      refused(await cancel({}), 400);
    },
    inFamily,
  );

  showsInBoth(
    shows,
    familyRows('cancelByReference', 'userReference'),
    'answers cancelByReference with one result per order, for text and number references and for shared references',
    async (venue) => {
      const alice = await venue.as('alice');
      const gameID = venue.game.id;
      const ids: string[] = [];
      for (const userReference of ['shared', 'shared', 42, 1.5])
        ids.push(await alice.rests(venue.order('home', 110 + ids.length, 10, { userReference })));
      const references = (await alice.openOrders()).map(({ userReference }) => userReference);
      expect(references).toEqual(['shared', 'shared', '42', '1.5']);
      const cancel = (userReferences: unknown) => alice.post('/session/cancelByReference', { gameID, userReferences });
      const cancels = read(schemas.cancelsReply, (await cancel(['shared', 42, 'unknown'])).json).data;
      expect(cancels).toMatchObject([
        { success: true, sessionID: ids[0], userReference: 'shared' },
        { success: true, sessionID: ids[1], userReference: 'shared' },
        { success: true, sessionID: ids[2], userReference: '42' },
        { success: false, userReference: 'unknown', reason: 'Order not found: unknown' },
      ]);
      for (const userReference of [1.5, '1.5']) {
        const trail = await alice.post('/user/getBetByUserReference', { userReference, gameID });
        expect(read(family.trail, trail.json).data.unmatched).toMatchObject([{ id: ids[3], userReference: '1.5' }]);
      }
      for (const wrong of [undefined, 'shared', []])
        refused(await cancel(wrong), 400, '"userReferences" must be a non-empty array');
      refused(await cancel(['1.5', null]), 400, '"userReferences[1]" must be text or a number');
      refused(await alice.get('/user/getBetByUserReference', { gameID }), 400, '"userReference" is required');
      expect(await alice.openIds()).toEqual([ids[3]]);
    },
  );

  showsInBoth(
    shows,
    familyRows('userReference'),
    'returns a number reference as text in every reply and event, and refuses a reference that it cannot keep',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const events = await alice.positions();
      const echo = { userReference: '7' };
      const { unmatched } = await alice.accepted(venue.order('home', 110, 10, { userReference: 7 }));
      expect(unmatched).toMatchObject(echo);
      expect(await events.until()).toMatchObject({ unmatched: echo });
      const edited = await alice.edited(read(schemas.offer, unmatched).orderID, 110, 12, {
        userReference: 8,
      });
      expect(edited.unmatched).toMatchObject({ userReference: '8' });
      const fills = await bob.takes(venue.order('away', -110, 11, { userReference: 0 }));
      expect(fills).toMatchObject([{ userReference: '0' }]);
      const long = 'x'.repeat(257);
      for (const [userReference, message] of [
        [{}, /"userReference" must be text of at most 256 characters, or a number/],
        [true, /"userReference" must be text/],
        [long, /"userReference" must be text/],
        [2 ** 53, /beyond 2\^53.*send it as text/],
      ] as const)
        refused(await alice.place(venue.order('home', 110, 10, { userReference })), 400, message);
    },
  );

  showsInBoth(
    shows,
    familyRows('pause'),
    'places after a pause each order that can still rest, with one result per order',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const other = venue.gameAt(1);
      const minutes = { expirationMinutes: 30 };
      const ids = [
        await alice.rests(venue.order('home', 110, 10, { ...minutes, userReference: 'a' })),
        await alice.rests(venue.order('over', 120, 20, { number: 200.5, userReference: 'b' })),
        await alice.rests(orderOn(other, 'home', 130, 30, { userReference: 'gone' })),
        await alice.rests(venue.order('away', 140, 40, { userReference: 'crosses' })),
      ];
      await bob.takes(venue.order('away', -110, 5.5));
      const before = await alice.openOrders();
      read(schemas.receivedReply, (await alice.post('/session/pauseOrders')).json);
      throttled(await alice.post('/session/resumeOrders'), 423, 'CANCEL_ALL_IN_PROGRESS');
      await venue.transport.until('all are gone', async () => (await alice.openIds()).length === 0);
      await venue.admin('POST', `/games/${other.id}`, { open: false });
      await bob.rests(venue.order('home', -150, 15));
      const resumed = results(await alice.post('/session/resumeOrders', {}));
      expect(resumed).toMatchObject([
        { unmatched: { userReference: 'a', offered: 5, odds: 110 } },
        { unmatched: { userReference: 'b', offered: 20, odds: 120, number: 200.5 } },
        { error: 'Game has been taken OTB or is graded' },
        { errorType: 'rejected_order_type_rules' },
      ]);
      const after = await alice.openOrders();
      expect(after.map(({ id }) => ids.includes(id))).toEqual([false, false]);
      for (const [index, { userReference, expiry, participantID }] of after.entries())
        expect({ userReference, expiry, participantID }).toEqual({
          userReference: before[index]?.userReference,
          expiry: before[index]?.expiry,
          participantID: before[index]?.participantID,
        });
      // a pause is resumed only once
      expect(results(await alice.post('/session/resumeOrders', {}))).toEqual([]);
      await venue.transport.until('the lock is over', async () => (await alice.cancel('x')).status === 404);
    },
  );

  showsInBoth(
    shows,
    familyRows('pause'),
    'forgets paused orders after a cancel of all orders or of their game, and resumes none of another player mode',
    async (venue) => {
      const alice = await venue.as('alice');
      const paused = async (...orders: readonly Order[]) => {
        for (const order of orders) await alice.rests(order);
        await alice.post('/session/pauseOrders');
        await venue.transport.until('all are gone', async () => (await alice.openIds()).length === 0);
        // the lock ends with its last order
        await venue.transport.until('it is unlocked', async () => (await alice.cancel('x')).status === 404);
      };
      const resumed = async () => results(await alice.post('/session/resumeOrders'));
      const here = venue.order('home', 110, 10, { userReference: 'here' });
      const there = orderOn(venue.gameAt(1), 'home', 110, 10, { userReference: 'there' });
      await paused(here, there);
      await alice.post('/session/cancelAllOrdersForGame', { gameID: venue.game.id });
      expect(await resumed()).toMatchObject([{ unmatched: { userReference: 'there' } }]);
      await paused(here);
      await alice.post('/session/cancelAllOrders');
      await venue.transport.until('it is unlocked', async () => (await alice.cancel('x')).status === 404);
      expect(await resumed()).toEqual([]);
      await paused(here);
      await alice.post('/user/updateCoinsOrCash', { playerMode: 'cash' });
      expect(await resumed()).toMatchObject([{ error: expect.stringMatching(/was placed in coins mode/) as string }]);
      expect(await alice.openIds()).toEqual([]);
    },
  );

  showsInBoth(
    shows,
    familyRows("taker's event", 'player mode on records'),
    'names the order that was hit in the taker’s event, and the player mode in replies, events and records',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const [makerFeed, takerFeed] = [await alice.positions(), await bob.positions()];
      const mode = { playerMode: 'coins' };
      const { unmatched } = await alice.accepted(venue.order('home', 110, 10));
      const id = read(schemas.offer, unmatched).orderID;
      const { matched } = await bob.accepted({ ...venue.order('away', -110, 5.5), orderType: 'limit' });
      expect([unmatched, ...matched]).toMatchObject([mode, { ...mode, orderID: id }]);
      const withOrder = z.looseObject({ orderID: schemas.text, playerMode: schemas.mode });
      const taker = await takerFeed.until();
      expect(read(withOrder, taker.matched)).toMatchObject({ orderID: id, ...mode });
      expect(taker).toMatchObject({ origin: 'wager', unmatched: null });
      const maker = await makerFeed.until((update) => update.matched !== null);
      expect(read(withOrder, maker.matched)).toMatchObject({ orderID: id, ...mode });
      expect(maker.unmatched).toMatchObject({ orderID: id, ...mode });
      const open = read(family.openReply, (await alice.get('/user/getUnmatched')).json).data.unmatched;
      const bets = read(family.betsReply, (await bob.get('/user/getMatchedBets')).json).data.matchedBets;
      expect([...open, ...bets]).toMatchObject([mode, { ...mode, participantID: sideId(venue.game, 'away') }]);
    },
  );
});

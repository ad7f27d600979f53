// Games from publication to the final score: open, closed, moved, live, ended. Each step sends an update and
// refuses orders.
import { expect } from 'vitest';
import type { TestVenue, Prices } from '../kit.ts';
import { orderOn, refused } from '../kit.ts';
import { rowsOf, section } from '../section.ts';

const UPDATE = 'gameUpdate (namespace /priceUpdates)';
const TAKE_OFF = 'Game has been taken OTB or is graded';

const change = (venue: TestVenue, id: string, to: object) => venue.admin('POST', `/games/${id}`, to);
const soon = (venue: TestVenue, ms: number): string => new Date(Math.ceil(venue.transport.now() + ms)).toISOString();
const last = async ({ games }: Prices, id: string, seen: number) => {
  await games.until(() => games.all.filter((update) => update.id === id).length > seen);
  return games.all.filter((update) => update.id === id)[seen];
};

export const gamesSection = section('games', (shows) => {
  shows(
    [
      `${UPDATE} · “Emitted when a game is …”`,
      ...rowsOf(UPDATE, 'id', 'parentGameID', 'league', 'sport', 'start', 'ended', 'participants'),
      ...rowsOf(UPDATE, 'mainHomeSpread', 'mainAwaySpread', 'mainTotal', 'messageType'),
    ],
    'announces a published game to all connected clients with its teams and main lines',
    async (venue) => {
      const prices = await (await venue.as('alice')).prices();
      const start = soon(venue, 3_600_000);
      const id = await venue.publish({
        league: 'ATP',
        sport: 'tennis',
        start,
        mainHomeSpread: -2.5,
        mainTotal: 22,
        home: { name: 'First', shortName: 'F' },
        away: { name: 'Second', shortName: 'S' },
      });
      expect(await last(prices, id, 0)).toMatchObject({
        id,
        parentGameID: null,
        league: 'ATP',
        sport: 'tennis',
        start,
        ended: false,
        live: false,
        mainHomeSpread: -2.5,
        mainAwaySpread: 2.5,
        mainTotal: 22,
        messageType: 'marketOpen',
        participants: [
          { longName: 'Second', shortName: 'S', homeAway: 'away' },
          { longName: 'First', shortName: 'F', homeAway: 'home' },
        ],
      });
      const child = await venue.publish({ kind: 'child', parentGameID: id });
      expect(await last(prices, child, 0)).toMatchObject({ parentGameID: id });
      const closed = await venue.publish({ open: false });
      expect(await last(prices, closed, 0)).not.toHaveProperty('messageType');
    },
  );

  shows(
    [
      ...rowsOf(UPDATE, 'awayMoneylines', 'homeMoneylines', 'awaySpreads', 'homeSpreads', 'over', 'under'),
      ...rowsOf(UPDATE, '“Emitted when a game is …”', 'start'),
      'Book · gameUpdate',
    ],
    'publishes the whole book, as REST serves it, when the start or a main line of a game changes',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      await alice.rests(venue.order('home', 110, 10));
      await alice.rests(venue.order('away', 120, 10));
      await alice.rests(venue.order('home', 110, 10, { type: 'spread', number: -6.5 }));
      await alice.rests(venue.order('away', 110, 10, { type: 'spread', number: 7 }));
      await alice.rests(venue.order('over', 110, 10, { number: 209.5 }));
      await alice.rests(venue.order('under', 110, 10, { number: 210 }));
      const [mine, theirs] = [await alice.prices(), await bob.prices()];
      const start = soon(venue, 7_200_000);
      await change(venue, venue.game.id, { start });
      await change(venue, venue.game.id, { mainTotal: 215.5 });
      const { matchedVolume: _none, openInterest: _either, ...book } = (await bob.book()).game;
      expect(await last(theirs, venue.game.id, 1)).toEqual(book);
      expect(book).toMatchObject({ start, mainTotal: 215.5 });
      expect(Object.keys({ ...book.homeSpreads, ...book.awaySpreads, ...book.over, ...book.under })).toEqual(
        expect.arrayContaining(['-6.5', '7', '209.5', '210']),
      );
      const own = await last(mine, venue.game.id, 1);
      expect(own?.homeMoneylines).toMatchObject([{ createdBy: alice.id }]);
      expect(theirs.link.frames.every(({ payload }) => !String(payload).includes('createdBy'))).toBe(true);
    },
  );

  shows(
    [
      `${UPDATE} · messageType`,
      `${UPDATE} · “Emitted when a game is …”`,
      'Errors · 409: Game has been taken OTB or is graded',
      'Takeability of a targeted order (from 409 messages) · “An order can be expired …”',
    ],
    'reports when a market closes and opens, and refuses orders while it is closed',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const prices = await bob.prices();
      const id = await alice.rests(venue.order('home', 110, 10));
      await change(venue, venue.game.id, { open: false });
      const closed = await last(prices, venue.game.id, 0);
      expect(closed).toMatchObject({ messageType: 'marketClosed', homeMoneylines: [] });
      refused(await alice.place(venue.order('home', 120, 10)), 409, TAKE_OFF);
      refused(await bob.place(venue.order('away', -110, 11, { orderType: 'limit' })), 409, TAKE_OFF);
      refused(await alice.edit(id, 120, 10), 409, TAKE_OFF);
      expect((await bob.league()).games.map((game) => game.id)).not.toContain(venue.game.id);
      expect((await bob.book()).game.homeMoneylines).toEqual([]);
      await change(venue, venue.game.id, { open: true });
      expect(await last(prices, venue.game.id, 1)).toMatchObject({
        messageType: 'marketOpen',
        homeMoneylines: [{ id }],
      });
      expect(await bob.takes(venue.order('away', -110, 11))).toHaveLength(1);
    },
  );

  shows(
    [
      'Errors · 409: Game is past start time',
      ...rowsOf('Takeability of a targeted order (from 409 messages)', '“An order can be expired …”'),
      'Order entry in a public side feed (sideOrders item) · gameStartExpiry',
      'Resting offer, as observed on positionUpdate · resting: Cancelled',
    ],
    'ends offers that expire at the start, and refuses orders after the start until the game is live',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const id = await venue.publish({ start: soon(venue, 900) });
      const { game } = await alice.book(id);
      const events = await alice.positions();
      const gone = await alice.rests(orderOn(game, 'home', 110, 10, { gameStartExpiry: true }));
      const stays = await alice.rests(orderOn(game, 'home', 120, 10));
      await events.until(({ unmatched: order }) => order?.orderID === gone && order.offered === 0);
      expect(venue.transport.now()).toBeGreaterThanOrEqual(Date.parse(game.start));
      const take = orderOn(game, 'away', -120, 12, { orderType: 'limit' });
      refused(await bob.place(take), 409, 'Game is past start time');
      refused(await bob.place({ ...take, sessionID: stays }), 409, 'Game is past start time');
      refused(await alice.edit(stays, 130, 10), 409, 'Game is past start time');
      expect(await alice.openIds()).toEqual([stays]);
      await change(venue, id, { live: true });
      expect(await bob.takes(take)).toMatchObject([{ orderID: stays }]);
    },
  );

  shows(
    [
      'Order entry in a public side feed (sideOrders item) · expiry',
      `Resting offer, as observed on positionUpdate · resting: Cancelled`,
    ],
    'expires an offer when its minutes have passed, and not earlier',
    async (venue) => {
      const alice = await venue.as('alice');
      const events = await alice.positions();
      const id = await alice.rests(venue.order('home', 110, 10, { expirationMinutes: 0.01 }));
      const [row] = (await alice.book()).game.homeMoneylines;
      const expiry = Date.parse(row?.expiry ?? '');
      expect(expiry - Date.parse(row?.createdAt ?? '')).toBe(600);
      await events.until(({ unmatched: order }) => order?.orderID === id && order.offered === 0);
      expect(venue.transport.now()).toBeGreaterThanOrEqual(expiry);
      expect(venue.transport.now()).toBeLessThan(expiry + 2000);
      expect((await alice.book()).game.homeMoneylines).toEqual([]);
    },
  );

  shows(
    ['orderUpdate (namespace /priceUpdates) · live', 'Position record (payload of positionUpdate) · live'],
    'marks every update of a live game as live',
    async (venue) => {
      const alice = await venue.as('alice');
      const [prices, events] = [await alice.prices(), await alice.positions()];
      await change(venue, venue.game.id, { live: true });
      expect(await last(prices, venue.game.id, 0)).toMatchObject({ live: true });
      await alice.rests(venue.order('home', 110, 10));
      expect(await prices.sides.until()).toMatchObject({ live: true });
      expect(await events.until()).toMatchObject({ live: true });
    },
  );

  shows(
    [
      `${UPDATE} · ended`,
      'Errors · 409: Game has been taken OTB or is graded',
      'Takeability of a targeted order (from 409 messages) · “An order can be expired …”',
    ],
    'cancels the open orders of a graded game, refuses new orders and reports that the game has ended',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const [prices, events] = [await bob.prices(), await alice.positions()];
      const id = await alice.rests(venue.order('home', 110, 10));
      await venue.admin('POST', `/games/${venue.game.id}/grade`, { home: 100, away: 90 });
      await events.until(({ unmatched: order }) => order?.orderID === id && order.offered === 0);
      expect(await last(prices, venue.game.id, 0)).toMatchObject({ ended: true, messageType: 'marketClosed' });
      refused(await alice.place(venue.order('home', 110, 10)), 409, TAKE_OFF);
      refused(await bob.place(venue.order('away', -110, 11, { orderType: 'limit', sessionID: id })), 409, TAKE_OFF);
      expect((await bob.league()).games.map((game) => game.id)).not.toContain(venue.game.id);
    },
  );

  shows(
    ['Errors · 409: Game has started'],
    'refuses an offer that expires at the start when its game has already started',
    async (venue) => {
      const alice = await venue.as('alice');
      await change(venue, venue.game.id, { live: true });
      refused(await alice.place(venue.order('home', 110, 10, { gameStartExpiry: true })), 409, 'Game has started');
      await alice.rests(venue.order('home', 110, 10));
    },
  );

  shows(
    ['Errors · 409: Session is expired'],
    'refuses to take an offer that expired at the start, and names the expiry as the reason',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const id = await venue.publish({ start: soon(venue, 900) });
      const { game } = await alice.book(id);
      const sessionID = await alice.rests(orderOn(game, 'home', 110, 10, { gameStartExpiry: true }));
      await venue.transport.until('it expires', async () => (await alice.openIds()).length === 0);
      await change(venue, id, { live: true });
      const take = orderOn(game, 'away', -110, 11, { orderType: 'limit', sessionID });
      refused(await bob.place(take), 409, 'Session is expired');
    },
  );
});

// The two feeds: changes of an order go to its owner, changes of a side go to all connected clients.
import { expect } from 'vitest';
import { orderOn, sideId } from '../kit.ts';
import * as schemas from '../schemas.ts';
import { read } from '../schemas.ts';
import { rowsOf, section } from '../section.ts';

const RECORD = 'Position record (payload of positionUpdate)';
const OFFER = 'Resting offer, as observed on positionUpdate';
const POSITION = 'positionUpdate (namespace /v2/user/<username>)';
const SIDE = 'orderUpdate (namespace /priceUpdates)';
const ROW = 'Order entry in a public side feed (sideOrders item)';

export const feedsSection = section('feeds', (shows) => {
  shows(
    [
      'Events · “The real-time API uses Socket.IO …”',
      'What the service does · “A Socket.IO real-time API at …”',
      ...rowsOf('Namespaces', '/v2/user/<username>', '/priceUpdates'),
    ],
    'sends every payload as a JSON string and sends on each namespace only the events of that namespace',
    async (venue) => {
      const alice = await venue.as('alice');
      const bob = await venue.as('bob');
      const [user, prices] = [await alice.positions(), await alice.prices()];
      await venue.publish();
      const id = await alice.rests(venue.order('home', 110, 100));
      await bob.takes(venue.order('away', -110, 55));
      await alice.cancel(id);
      await user.until(({ unmatched }) => unmatched?.offered === 0);
      await prices.sides.until(({ sideOrders }) => sideOrders.length === 0);
      const events = (frames: readonly { readonly event: string }[]) => [...new Set(frames.map(({ event }) => event))];
      expect(events(user.link.frames)).toEqual(['positionUpdate']);
      expect(events(prices.link.frames).sort()).toEqual(['gameUpdate', 'orderUpdate']);
      for (const { payload } of [...user.link.frames, ...prices.link.frames]) {
        expect(payload).toBeTypeOf('string');
        expect(JSON.parse(payload as string)).toBeTypeOf('object');
      }
    },
  );

  shows(
    [
      ...rowsOf(RECORD, 'unmatched', 'matched', 'gameID', 'parentGameID', 'eventName', 'league, sport'),
      ...rowsOf(RECORD, 'live', 'start', 'awayRotationNumber', 'origin', 'platform', 'createdAt'),
      ...rowsOf(RECORD, 'unmatched.orderID', 'unmatched.odds', 'unmatched.offered'),
      ...rowsOf(RECORD, 'unmatched.filled', 'unmatched.remaining'),
      ...rowsOf('positionUpdate', 'extra fields', 'awayRotationNumber'),
      `${OFFER} · none: Offer posted`,
      `${POSITION} · Offer posted`,
    ],
    'reports a posted offer to its owner with its game and its resting size',
    async (venue) => {
      const alice = await venue.as('alice');
      const events = await alice.positions();
      const order = { type: 'spread', number: -3.5, userReference: 'mine' };
      const orderID = await alice.rests(venue.order('home', -105, 42, order));
      const { game } = venue;
      const posted = await events.until();
      expect(posted).toMatchObject({
        unmatched: { orderID, odds: -105, offered: 42, filled: 0, remaining: 42 },
        matched: null,
        gameID: game.id,
        parentGameID: null,
        eventName: game.eventName,
        league: 'NBA',
        sport: 'basketball',
        live: false,
        start: game.start,
        origin: 'offer',
      });
      // fields that the table does not require
      expect(posted.unmatched).toMatchObject({ ...order, side: sideId(game, 'home'), risk: 42, win: 40 });
      const away = game.participants.find(({ homeAway }) => homeAway === 'away');
      expect(posted.awayRotationNumber).toBe(Number(away?.rotationNumber));
      expect(Math.abs(Date.parse(posted.createdAt) - venue.transport.now())).toBeLessThan(2000);

      const child = await venue.publish({ kind: 'child', parentGameID: game.id, live: true });
      const { game: part } = await alice.book(child);
      await alice.rests(orderOn(part, 'home', 110, 10));
      expect(await events.until(({ gameID }) => gameID === child)).toMatchObject({
        parentGameID: game.id,
        live: true,
      });
    },
  );

  shows(
    [
      `${OFFER} · resting: Another user takes part of it`,
      `${OFFER} · resting: Another user takes all remaining size`,
      `${OFFER} · none: User takes another user's resting offer`,
      ...rowsOf(POSITION, 'Offer partially taken', 'Offer fully taken', "User took another's offer"),
      ...rowsOf(RECORD, 'matched.txID', 'matched.filled', 'matched.odds', 'unmatched.filled'),
      ...rowsOf('positionUpdate', 'fills', 'matched amount'),
    ],
    'reports each fill to the owner with the remaining size, and to the taker from the taker’s side',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const [owner, taker] = [await alice.positions(), await bob.positions()];
      const orderID = await alice.rests(venue.order('home', -105, 105));
      await bob.takes(venue.order('away', 105, 40));
      await bob.takes(venue.order('away', 105, 60));
      const unmatched = { orderID, odds: -105, offered: 105 };
      const updates = await owner.upTo(({ unmatched: order }) => order?.remaining === 0);
      expect(updates).toMatchObject([
        { origin: 'offer', unmatched: { ...unmatched, filled: 0, remaining: 105 }, matched: null },
        {
          origin: 'offer',
          unmatched: { ...unmatched, filled: 42, remaining: 63 },
          matched: { filled: 42, odds: -105 },
        },
        {
          origin: 'offer',
          unmatched: { ...unmatched, filled: 105, remaining: 0 },
          matched: { filled: 63, odds: -105 },
        },
      ]);
      for (const { unmatched: order } of updates)
        expect(order?.remaining).toBe((order?.offered ?? 0) - (order?.filled ?? 0));
      await taker.until(({ matched }) => matched?.filled === 60);
      expect(taker.all).toMatchObject([
        { origin: 'wager', unmatched: null, matched: { filled: 40, odds: 105 } },
        { origin: 'wager', unmatched: null, matched: { filled: 60, odds: 105 } },
      ]);
      // each side of each fill has its own id, and the fills add up to the filled size
      const fills = [...owner.all, ...taker.all].flatMap(({ matched }) => (matched === null ? [] : [matched]));
      expect(new Set(fills.map(({ txID }) => txID)).size).toBe(4);
      const order = await alice.get('/session/lookupOrder', { orderID });
      expect(order.json).toMatchObject({ data: { order: { filled: 105, remaining: 0, status: 'filled' } } });
    },
  );

  shows(
    [
      `${OFFER} · resting: Another user takes all remaining size`,
      `${OFFER} · resting: Cancelled`,
      `${POSITION} · Offer cancelled`,
      `${POSITION} · “The last row covers own …”`,
      `${RECORD} · unmatched.offered`,
    ],
    'reports a cancel by the owner, a cancel-all, an expiry or the operator in the same form and then sends no more',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const events = await alice.positions();
      const rest = (overrides: object = {}) => alice.rests(venue.order('home', 110, 10, overrides));
      const isGone = (id: string) =>
        events.until(({ unmatched: order }) => order?.orderID === id && order.offered === 0);
      const ids = [await rest()];
      await alice.cancel(ids[0] ?? '');
      ids.push(await rest({ expirationMinutes: 0.002 }));
      await isGone(ids[1] ?? '');
      ids.push(await rest());
      await alice.post('/session/cancelAllOrders');
      await isGone(ids[2] ?? '');
      ids.push(await rest());
      await venue.admin('POST', '/accounts/alice/cancel', { all: true });
      const filled = await rest();
      await bob.takes(venue.order('away', -110, 11));
      // the last order proves that no other event came before it
      const last = await rest();
      await events.until(({ unmatched }) => unmatched?.orderID === last);
      const shape = { origin: 'offer', matched: null };
      expect(events.all).toMatchObject([
        ...ids.flatMap((orderID) => [
          { ...shape, unmatched: { orderID, offered: 10, filled: 0, remaining: 10 } },
          { ...shape, unmatched: { orderID, offered: 0, filled: 0, remaining: 0 } },
        ]),
        { unmatched: { orderID: filled, offered: 10 }, matched: null },
        { unmatched: { orderID: filled, remaining: 0 }, matched: { filled: 10 } },
        { unmatched: { orderID: last } },
      ]);
      const keys = events.all
        .filter(({ unmatched: order }) => order?.offered === 0)
        .map((update) => Object.keys(update));
      // the event does not name the cause
      expect(new Set(keys.map(String)).size).toBe(1);
    },
  );

  shows(
    [
      `${POSITION} · “Every state change of one …”`,
      `${POSITION} · “The last row covers own …”`,
      "positionUpdate · a taker's fill",
    ],
    'reports to a taker one fill per offer that was hit and the remainder as a posted offer',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const events = await bob.positions();
      await alice.rests(venue.order('home', 100, 10));
      await alice.rests(venue.order('home', 110, 10));
      const { unmatched } = await bob.accepted(venue.order('away', -110, 30, { orderType: 'limit' }));
      const { orderID } = read(schemas.offer, unmatched);
      await events.until(({ origin }) => origin === 'offer');
      expect(events.all).toMatchObject([
        { origin: 'wager', unmatched: null, matched: { filled: 10, odds: 100 } },
        { origin: 'wager', unmatched: null, matched: { filled: 11, odds: -110 } },
        { origin: 'offer', matched: null, unmatched: { orderID, odds: -110, offered: 9, filled: 0, remaining: 9 } },
      ]);
    },
  );

  shows(
    ['positionUpdate · order of REST reply and event'],
    'may send the event before or after the reply, or twice',
    async (venue) => {
      const alice = await venue.as('alice');
      const events = await alice.positions();
      const place = () => alice.send('/session/v2/place', { orders: [venue.order('home', 110, 10)] });
      await venue.faults({ fault: 'delay', on: ['place'], by: 300, side: 'after' });
      const late = place();
      await events.until();
      expect(late.ended()).toBeUndefined();
      await venue.transport.until('the reply', () => late.ended() !== undefined);
      events.mark();
      await venue.faults({ fault: 'late-frame', feeds: ['user'], by: 200 }, { fault: 'duplicate', feeds: ['user'] });
      const soon = place();
      await venue.transport.until('the reply', () => soon.ended() !== undefined);
      expect(events.all).toEqual([]);
      await venue.transport.until('both copies', () => events.all.length === 2);
      expect(events.all[0]).toEqual(events.all[1]);
    },
  );

  shows(
    [
      `${SIDE} · “Emitted when one side of …”`,
      ...rowsOf(SIDE, 'gameID', 'sport, league', 'live', 'type', 'participantID', 'sideOrders'),
      'Book · orderUpdate',
      ...rowsOf(ROW, 'id', 'risk', 'sumUntaken', 'takenRatio'),
    ],
    'publishes the whole changed side once per new offer, fill, edit and cancel, also when the side is empty',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const { sides } = await bob.prices();
      const first = await alice.rests(venue.order('home', 110, 100));
      const second = await alice.rests(venue.order('home', 120, 20));
      await bob.takes(venue.order('away', -110, 55));
      const { orderID } = read(schemas.offer, (await alice.edited(second, 105, 30)).unmatched);
      await alice.post('/session/cancelMultiple', { sessionIDs: [first, orderID] });
      await alice.rests(venue.order('away', 130, 10));
      await sides.until(({ participantID }) => participantID === sideId(venue.game, 'away'));
      for (const update of sides.all)
        expect(update).toMatchObject({
          gameID: venue.game.id,
          sport: 'basketball',
          league: 'NBA',
          live: false,
          type: 'moneyline',
        });
      expect(sides.all.map(({ sideOrders }) => sideOrders.map((row) => [row.id, row.sumUntaken]))).toEqual([
        [[first, 100]],
        [
          [first, 100],
          [second, 20],
        ],
        [
          [first, 50],
          [second, 20],
        ],
        [
          [orderID, 30],
          [first, 50],
        ],
        [],
        [[expect.any(String), 10]],
      ]);
      expect(sides.all[2]?.sideOrders[0]).toMatchObject({ risk: 100, takenRatio: 0.5 });
    },
  );

  shows(
    rowsOf(SIDE, 'OU', 'total', 'spread', 'participantID', 'mainTotal', 'mainHomeSpread, mainAwaySpread', 'type'),
    'sends the line and the main lines that belong to the market type, and no others',
    async (venue) => {
      const alice = await venue.as('alice');
      const id = await venue.publish({ mainHomeSpread: -4.5, mainTotal: 221 });
      const { game } = await alice.book(id);
      const { sides } = await alice.prices();
      await alice.rests(orderOn(game, 'home', 110, 10));
      await alice.rests(orderOn(game, 'away', 110, 10, { type: 'spread', number: 5.5 }));
      await alice.rests(orderOn(game, 'under', 110, 10, { number: 222.5 }));
      await sides.until(({ type }) => type === 'total');
      const [moneyline, spread, total] = sides.all;
      // the schema of each type is strict: it refuses fields of the other types
      expect(moneyline).toMatchObject({ type: 'moneyline', participantID: sideId(game, 'home') });
      expect(spread).toMatchObject({
        type: 'spread',
        spread: 5.5,
        participantID: sideId(game, 'away'),
        mainHomeSpread: -4.5,
        mainAwaySpread: 4.5,
      });
      expect(total).toMatchObject({ type: 'total', OU: 'under', total: 222.5, participantID: null, mainTotal: 221 });
      expect(total?.sideOrders).toMatchObject([{ OU: 'under', total: 222.5, participantID: null }]);
    },
  );

  shows(
    [`${SIDE} · “Emitted when one side of …”`, `${SIDE} · sideOrders`, 'Book · ladder order'],
    'sends one frame per side that an order changes, sorted like the book over REST',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      for (const odds of [120, 105, 100]) await alice.rests(venue.order('home', odds, 10));
      const { sides } = await bob.prices();
      // this order takes from one side and rests on the other
      await bob.accepted(venue.order('away', -105, 50, { orderType: 'limit' }));
      const away = sideId(venue.game, 'away');
      await sides.until(({ participantID }) => participantID === away);
      await sides.until(({ participantID }) => participantID !== away);
      await venue.transport.until('both', () => sides.all.length === 2);
      const home = sides.all.find(({ participantID }) => participantID !== away);
      expect(home?.sideOrders.map(({ odds }) => odds)).toEqual([120]);
      expect(sides.all.find(({ participantID }) => participantID === away)?.sideOrders).toMatchObject([
        { odds: -105, sumUntaken: 29.5 },
      ]);
    },
  );

  shows([`${ROW} · createdBy`], 'names the owner of a row only on the owner’s connection', async (venue) => {
    const [alice, bob, carol] = [await venue.as('alice'), await venue.as('bob'), await venue.as('carol')];
    const feeds = [await alice.prices(), await bob.prices(), await carol.prices()];
    await alice.rests(venue.order('home', 110, 10));
    await bob.rests(venue.order('home', 110, 20));
    const seen = [];
    for (const { sides } of feeds) {
      const { sideOrders } = await sides.until((update) => update.sideOrders.length === 2);
      seen.push(sideOrders.map((row) => row.createdBy));
      expect(sideOrders.map((row) => 'createdBy' in row).filter(Boolean).length).toBeLessThan(2);
    }
    expect(seen).toEqual([
      [alice.id, undefined],
      [undefined, bob.id],
      [undefined, undefined],
    ]);
  });

  shows(
    ['Book · subscription'],
    'sends a new connection every later change of every game, no earlier change, and needs no subscribe message',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      await alice.rests(venue.order('home', 110, 10));
      const { sides, link } = await bob.prices();
      await alice.rests(orderOn(venue.gameAt(2), 'home', 110, 10));
      await alice.rests(orderOn(venue.gameAt(1), 'home', 110, 10));
      await sides.until(({ gameID }) => gameID === venue.gameAt(1).id);
      expect(sides.all.map(({ gameID }) => gameID)).toEqual([venue.gameAt(2).id, venue.gameAt(1).id]);
      // the feed replays nothing after a reconnect: the client reads the book over REST
      link.close();
      await alice.rests(venue.order('home', 120, 10));
      const again = await bob.prices();
      expect((await bob.book()).game.homeMoneylines).toHaveLength(2);
      await alice.rests(venue.order('away', 120, 10));
      await again.sides.until();
      expect(again.sides.all).toMatchObject([{ participantID: sideId(venue.game, 'away') }]);
    },
  );
});

// Places: order types, crossing prices, price-time priority, takes of one named offer, live games.
import { expect } from 'vitest';
import { wireProfileSchema } from '../../../src/wire/index.ts';
import type { Client } from '../kit.ts';
import { orderOn, refused, results, sideId, without } from '../kit.ts';
import * as schemas from '../schemas.ts';
import { read } from '../schemas.ts';
import { rowsOf, section } from '../section.ts';
import type { Reply } from '../transport.ts';

const PLACE = 'Order endpoints (under /session) · POST /session/v2/place';

export const placeSection = section('place', (shows) => {
  shows(
    [PLACE, 'Orders · place body', 'Orders · place reply'],
    'rests a post order and answers with its id, size and reference at its position in the batch',
    async (venue) => {
      const alice = await venue.as('alice');
      const reply = await alice.place(
        venue.order('home', 110, 100, { userReference: 'a' }),
        venue.order('away', 120, 20, { type: 'spread', number: 3.5 }),
        venue.order('under', -105, 30.5, { number: 210 }),
      );
      const [first, second, third] = results(reply);
      expect(first).toMatchObject({
        matched: [],
        unmatched: { offered: 100, remaining: 100, odds: 110, type: 'moneyline', userReference: 'a' },
      });
      expect(second).toMatchObject({
        unmatched: { side: sideId(venue.game, 'away'), number: 3.5, type: 'spread', offered: 20 },
      });
      expect(third).toMatchObject({ unmatched: { side: 'under', number: 210, odds: -105, offered: 30.5 } });
      expect(await alice.openIds()).toEqual(
        results(reply).map((result) => ('unmatched' in result ? result.unmatched['orderID'] : undefined)),
      );
    },
  );

  shows([PLACE, 'Orders · orderType'], 'refuses a post order that would match', async (venue) => {
    const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
    const id = await alice.rests(venue.order('home', 110, 100));
    refused(await bob.place(venue.order('away', -110, 10)), 409);
    refused(await bob.place(venue.order('away', -120, 10)), 409);
    const batch = await bob.place(venue.order('away', -110, 10), venue.order('away', -105, 10));
    expect(results(batch)).toMatchObject([
      { errorType: 'rejected_order_type_rules' },
      { matched: [], unmatched: { offered: 10 } },
    ]);
    expect((await alice.openOrders()).map((order) => [order.id, order.filled])).toEqual([[id, 0]]);
  });

  shows(
    [PLACE, 'Orders · orderType', 'Orders · place reply', 'What the service does · rule 2'],
    'fills a limit order at the resting price without a fee and rests the remainder',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const id = await alice.rests(venue.order('home', 110, 100));
      const taken = await bob.accepted(venue.order('away', -120, 150, { orderType: 'limit' }));
      // 100 at +110 wins 110: the taker risks exactly that, without a fee
      expect(taken.matched).toMatchObject([
        { orderID: id, odds: -110, risk: 110, win: 100, amount: 110, side: sideId(venue.game, 'away') },
      ]);
      expect(taken.unmatched).toMatchObject({ offered: 40, remaining: 40, odds: -120 });
      expect((await bob.book()).game.awayMoneylines).toMatchObject([{ risk: 40, odds: -120 }]);
      await venue.admin('POST', `/games/${venue.game.id}/grade`, { home: 100, away: 99 });
      expect((await alice.user())['coinsBalance']).toBe(10_110);
      expect((await bob.user())['coinsBalance']).toBe(9_890);
    },
  );

  shows(
    ['Orders · orderType', 'Socket · “Host, engine path (default /socket.io) …”'],
    'reads an order without orderType as limit, and expirationMinutes 0 as no expiry',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      await alice.rests(venue.order('home', 110, 100, { expirationMinutes: 0 }));
      expect((await alice.openOrders()).map(({ expiry }) => expiry)).toEqual([null]);
      const taken = await bob.accepted(without(venue.order('away', -110, 150), 'orderType'));
      expect(taken).toMatchObject({ matched: [{ risk: 110 }], unmatched: { offered: 40 } });
    },
  );

  shows([PLACE], 'fills crossing orders of every type except post', async (venue) => {
    const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
    for (const orderType of ['limit', 'fillAndKill', 'fillOrKill', 'somethingElse', null]) {
      await alice.rests(venue.order('home', 110, 10));
      expect((await bob.accepted(venue.order('away', -110, 11, { orderType }))).matched).toMatchObject([{ risk: 11 }]);
    }
  });

  shows(
    ['Orders · orderType', PLACE],
    'fills a fillAndKill order as far as possible and drops the rest',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      await alice.rests(venue.order('home', 100, 30));
      const killed = await bob.accepted(venue.order('away', 100, 50, { orderType: 'fillAndKill' }));
      expect(killed).toMatchObject({ matched: [{ risk: 30 }], unmatched: {} });
      expect(killed.unmatched).toEqual({});
      expect(await bob.openIds()).toEqual([]);
      refused(
        await bob.place(venue.order('away', 100, 50, { orderType: 'fillAndKill' })),
        409,
        'Order size exceeds quantity available, which is $0.00',
      );
    },
  );

  shows(
    ['Orders · orderType', 'Errors · 409', 'Errors · 409: Order size exceeds quantity available, which is $X.XX'],
    'fills a fillOrKill order completely or refuses it with the available size',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      await alice.rests(venue.order('home', 110, 50));
      await alice.rests(venue.order('home', 120, 50));
      await alice.rests(venue.order('home', 130, 50));
      const kill = (risk: number) => bob.place(venue.order('away', -120, risk, { orderType: 'fillOrKill' }));
      // 50 · 1.1 + 50 · 1.2
      refused(await kill(115.02), 409, 'Order size exceeds quantity available, which is $115.00');
      expect(await alice.openOrders()).toMatchObject([{ filled: 0 }, { filled: 0 }, { filled: 0 }]);
      const [whole] = results(await kill(115));
      expect(whole).toMatchObject({ matched: [{ risk: 55 }, { risk: 60 }], unmatched: {} });
      // the client reads the book again and takes the offer that is there now
      refused(await kill(1), 409, 'Order size exceeds quantity available, which is $0.00');
      const [best] = (await bob.book()).game.homeMoneylines;
      expect(best).toMatchObject({ odds: 130, sumUntaken: 50 });
      expect(await bob.takes(venue.order('away', -130, 65), 'fillOrKill')).toMatchObject([{ risk: 65 }]);
    },
  );

  shows(
    [
      'Takeability of a targeted order (from 409 messages) · “An order can be expired …”',
      'Errors · 409',
      ...rowsOf(
        'Errors',
        ...['409: Session is expired', '409: Session is cancelled', '409: Odds have been edited'],
        '409: Order size exceeds quantity available, which is $X.XX',
      ),
    ],
    'refuses to take a named offer that is expired, cancelled, edited or too small, and names the reason',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const take = (sessionID: string, risk = 11, odds = -110) =>
        bob.place(venue.order('away', odds, risk, { orderType: 'limit', sessionID }));
      const cancelled = await alice.rests(venue.order('home', 110, 10));
      await alice.cancel(cancelled);
      refused(await take(cancelled), 409, 'Session is cancelled');
      const expired = await alice.rests(venue.order('home', 110, 10, { expirationMinutes: 0.002 }));
      await venue.transport.until('it expires', async () => (await alice.openIds()).length === 0);
      refused(await take(expired), 409, 'Session is expired');
      const edited = await alice.rests(venue.order('home', 110, 10));
      const { orderID } = read(schemas.offer, (await alice.edited(edited, 120, 10)).unmatched);
      refused(await take(edited), 409, 'Odds have been edited');
      refused(await take(orderID), 409, 'Odds have been edited');
      refused(await take(orderID, 13, -120), 409, 'Order size exceeds quantity available, which is $12.00');
      // the client reads the book again and takes the offer that is there now
      const [row] = (await bob.book()).game.homeMoneylines;
      expect(row).toMatchObject({ id: orderID, odds: 120, sumUntaken: 10 });
      const [fill] = results(await take(orderID, 12, -120));
      expect(fill).toMatchObject({ matched: [{ orderID, risk: 12 }], unmatched: {} });
      refused(await take(orderID, 12, -120), 409, 'Order size exceeds quantity available, which is $0.00');
      refused(await take('gone'), 404);
    },
  );

  shows(
    ['Orders · crossing', 'Book · ladder order'],
    'fills the best price first, the oldest order first at one price, and each order at its own price',
    async (venue) => {
      const [alice, bob, carol] = [await venue.as('alice'), await venue.as('bob'), await venue.as('carol')];
      const aged = async (who: Client, odds: number): Promise<string> => {
        const id = await who.rests(venue.order('home', odds, 10));
        await venue.transport.wait(2);
        return id;
      };
      const late = await aged(alice, 120);
      const first = await aged(carol, 110);
      const second = await aged(alice, 110);
      const best = await aged(alice, 100);
      const fills = await bob.takes(venue.order('away', -120, 38));
      expect(fills.map(({ orderID, odds, risk }) => [orderID, odds, risk])).toEqual([
        [best, 100, 10],
        [first, -110, 11],
        [second, -110, 11],
        [late, -120, 6],
      ]);
      // the last order keeps its place and half its size: a risk of 6 takes 5 at +120
      expect((await bob.book()).game.homeMoneylines).toMatchObject([{ id: late, sumUntaken: 5, takenRatio: 0.5 }]);
    },
  );

  shows(
    ['Orders · crossing', 'What the service does · “The service is a sports …”'],
    'matches only orders on opposite sides of the same game, market type and exact line',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const spread = { type: 'spread', orderType: 'limit' };
      const limit = { orderType: 'limit' };
      await alice.rests(venue.order('home', 100, 10, { type: 'spread', number: -3.5 }));
      await alice.rests(venue.order('over', 100, 10, { number: 210.5 }));
      await alice.rests(venue.order('home', 100, 10));
      const misses = [
        venue.order('away', 100, 5, { ...spread, number: 3 }),
        venue.order('away', 100, 5, { ...spread, number: -3.5 }),
        venue.order('home', 100, 5, { ...spread, number: -3.5 }),
        venue.order('under', 100, 5, { ...limit, number: 211 }),
        venue.order('over', 100, 5, { ...limit, number: 210.5 }),
        venue.order('home', 100, 5, limit),
        orderOn(venue.gameAt(1), 'away', 100, 5, limit),
        venue.order('away', 101, 5, limit),
      ];
      for (const result of results(await bob.place(...misses))) expect(result).toMatchObject({ matched: [] });
      const hits = [
        venue.order('away', 100, 5, { ...spread, number: 3.5 }),
        venue.order('under', 100, 5, { ...limit, number: 210.5 }),
        venue.order('away', 100, 5, limit),
      ];
      for (const result of results(await bob.place(...hits)))
        expect(result).toMatchObject({ matched: [{ risk: 5, win: 5 }], unmatched: {} });
    },
  );

  shows(['What the service does · rule 3'], 'serves an account that only takes and never posts', async (venue) => {
    const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
    for (const odds of [110, 120, 130]) await alice.rests(venue.order('home', odds, 10));
    for (const [odds, risk] of [
      [-110, 11],
      [-120, 12],
      [-130, 6.5],
    ] as const)
      expect(await bob.takes(venue.order('away', odds, risk), 'fillAndKill')).toMatchObject([{ odds, risk }]);
    expect(await venue.admin('GET', '/accounts/bob')).toMatchObject({ fills: 3, openOrders: 0 });
  });

  shows(
    ['Orders · live games'],
    'delays an order that would match on a live game, and refuses it when the offer has gone meanwhile',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      await venue.admin('POST', `/games/${venue.game.id}`, { live: true });
      const take = { orders: [venue.order('away', -110, 11, { orderType: 'fillAndKill' })] };
      const held = async (meanwhile: (id: string) => Promise<unknown>): Promise<Reply> => {
        const before = venue.transport.now();
        const id = await alice.rests(venue.order('home', 110, 10));
        // an order that matches no offer is not delayed
        expect(venue.transport.now() - before).toBeLessThan(400);
        const since = venue.transport.now();
        const call = { token: bob.token, body: take };
        const pending = venue.transport.send('POST', '/session/v2/place', call);
        await venue.transport.until('the venue holds the order', async () => {
          const story = read(schemas.accountStory, await venue.admin('GET', '/accounts/bob'));
          return story.requests.place === placed + 1;
        });
        placed++;
        await meanwhile(id);
        expect(pending.ended()).toBeUndefined();
        await venue.transport.until('an answer', () => pending.ended() !== undefined);
        // timers of the process have whole milliseconds and may fire within the last one
        expect(venue.transport.now() - since).toBeGreaterThan(499);
        const reply = pending.ended();
        if (reply === undefined || reply === 'reset') expect.fail('no answer');
        return reply;
      };
      let placed = 0;
      const [filled] = results(await held(async () => undefined));
      expect(filled).toMatchObject({ matched: [{ risk: 11 }] });
      refused(await held((id) => alice.cancel(id)), 409, /quantity available, which is \$0\.00/);
    },
    { profile: wireProfileSchema.parse({ liveHoldSeconds: 0.5 }) },
  );

  shows(['Orders · orderType'], 'refuses a fillOrKill order that is one cent too large', async (venue) => {
    const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
    await alice.rests(venue.order('home', 100, 115));
    refused(
      await bob.place(venue.order('away', 100, 115.01, { orderType: 'fillOrKill' })),
      409,
      'Order size exceeds quantity available, which is $115.00',
    );
  });
});

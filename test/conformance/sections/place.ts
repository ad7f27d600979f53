// Placing: the order types, what crosses what, price before age, takes of one named offer, live games.
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
    'rests a post order and answers it by position with its id, size and reference',
    async (at) => {
      const alice = await at.as('alice');
      const reply = await alice.place(
        at.order('home', 110, 100, { userReference: 'a' }),
        at.order('away', 120, 20, { type: 'spread', number: 3.5 }),
        at.order('under', -105, 30.5, { number: 210 }),
      );
      const [first, second, third] = results(reply);
      expect(first).toMatchObject({
        matched: [],
        unmatched: { offered: 100, remaining: 100, odds: 110, type: 'moneyline', userReference: 'a' },
      });
      expect(second).toMatchObject({
        unmatched: { side: sideId(at.game, 'away'), number: 3.5, type: 'spread', offered: 20 },
      });
      expect(third).toMatchObject({ unmatched: { side: 'under', number: 210, odds: -105, offered: 30.5 } });
      expect(await alice.openIds()).toEqual(
        results(reply).map((one) => ('unmatched' in one ? one.unmatched['orderID'] : undefined)),
      );
    },
  );

  shows(
    [PLACE, 'Orders · orderType'],
    'refuses a post order that would match instead of letting it take',
    async (at) => {
      const [alice, bob] = [await at.as('alice'), await at.as('bob')];
      const id = await alice.rests(at.order('home', 110, 100));
      refused(await bob.place(at.order('away', -110, 10)), 409);
      refused(await bob.place(at.order('away', -120, 10)), 409);
      const batch = await bob.place(at.order('away', -110, 10), at.order('away', -105, 10));
      expect(results(batch)).toMatchObject([
        { errorType: 'rejected_order_type_rules' },
        { matched: [], unmatched: { offered: 10 } },
      ]);
      expect((await alice.openOrders()).map((one) => [one.id, one.filled])).toEqual([[id, 0]]);
    },
  );

  shows(
    [PLACE, 'Orders · orderType', 'Orders · place reply', 'What the service does · rule 2'],
    'takes with a limit order at the resting price without any fee, and rests what is left',
    async (at) => {
      const [alice, bob] = [await at.as('alice'), await at.as('bob')];
      const id = await alice.rests(at.order('home', 110, 100));
      const taken = await bob.accepted(at.order('away', -120, 150, { orderType: 'limit' }));
      // 100 against 110 at +110: the taker pays what the offer wins, nothing on top
      expect(taken.matched).toMatchObject([
        { orderID: id, odds: -110, risk: 110, win: 100, amount: 110, side: sideId(at.game, 'away') },
      ]);
      expect(taken.unmatched).toMatchObject({ offered: 40, remaining: 40, odds: -120 });
      expect((await bob.book()).game.awayMoneylines).toMatchObject([{ risk: 40, odds: -120 }]);
      await at.admin('POST', `/games/${at.game.id}/grade`, { home: 100, away: 99 });
      expect((await alice.user())['coinsBalance']).toBe(10_110);
      expect((await bob.user())['coinsBalance']).toBe(9_890);
    },
  );

  shows(
    ['Orders · orderType', 'Socket · “Host, engine path (default /socket.io) …”'],
    'reads an order without orderType as limit, and expirationMinutes 0 as no expiry',
    async (at) => {
      const [alice, bob] = [await at.as('alice'), await at.as('bob')];
      await alice.rests(at.order('home', 110, 100, { expirationMinutes: 0 }));
      expect((await alice.openOrders()).map(({ expiry }) => expiry)).toEqual([null]);
      const taken = await bob.accepted(without(at.order('away', -110, 150), 'orderType'));
      expect(taken).toMatchObject({ matched: [{ risk: 110 }], unmatched: { offered: 40 } });
    },
  );

  shows([PLACE], 'lets an order of any type but post take what crosses', async (at) => {
    const [alice, bob] = [await at.as('alice'), await at.as('bob')];
    for (const orderType of ['limit', 'fillAndKill', 'fillOrKill', 'somethingElse', null]) {
      await alice.rests(at.order('home', 110, 10));
      expect((await bob.accepted(at.order('away', -110, 11, { orderType }))).matched).toMatchObject([{ risk: 11 }]);
    }
  });

  shows(['Orders · orderType', PLACE], 'takes what is there with fillAndKill and drops the rest', async (at) => {
    const [alice, bob] = [await at.as('alice'), await at.as('bob')];
    await alice.rests(at.order('home', 100, 30));
    const killed = await bob.accepted(at.order('away', 100, 50, { orderType: 'fillAndKill' }));
    expect(killed).toMatchObject({ matched: [{ risk: 30 }], unmatched: {} });
    expect(killed.unmatched).toEqual({});
    expect(await bob.openIds()).toEqual([]);
    refused(
      await bob.place(at.order('away', 100, 50, { orderType: 'fillAndKill' })),
      409,
      'Order size exceeds quantity available, which is $0.00',
    );
  });

  shows(
    ['Orders · orderType', 'Errors · 409', 'Errors · 409: Order size exceeds quantity available, which is $X.XX'],
    'fills a fillOrKill order whole or refuses it with what there is to take',
    async (at) => {
      const [alice, bob] = [await at.as('alice'), await at.as('bob')];
      await alice.rests(at.order('home', 110, 50));
      await alice.rests(at.order('home', 120, 50));
      await alice.rests(at.order('home', 130, 50));
      const kill = (risk: number) => bob.place(at.order('away', -120, risk, { orderType: 'fillOrKill' }));
      // 50 · 1.1 + 50 · 1.2
      refused(await kill(115.02), 409, 'Order size exceeds quantity available, which is $115.00');
      expect(await alice.openOrders()).toMatchObject([{ filled: 0 }, { filled: 0 }, { filled: 0 }]);
      const [whole] = results(await kill(115));
      expect(whole).toMatchObject({ matched: [{ risk: 55 }, { risk: 60 }], unmatched: {} });
      // the client reads the book again, decides anew and takes what is there now
      refused(await kill(1), 409, 'Order size exceeds quantity available, which is $0.00');
      const [best] = (await bob.book()).game.homeMoneylines;
      expect(best).toMatchObject({ odds: 130, sumUntaken: 50 });
      expect(await bob.takes(at.order('away', -130, 65), 'fillOrKill')).toMatchObject([{ risk: 65 }]);
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
    'tells the taker of one named offer that it is expired, cancelled, edited or too small',
    async (at) => {
      const [alice, bob] = [await at.as('alice'), await at.as('bob')];
      const take = (sessionID: string, risk = 11, odds = -110) =>
        bob.place(at.order('away', odds, risk, { orderType: 'limit', sessionID }));
      const cancelled = await alice.rests(at.order('home', 110, 10));
      await alice.cancel(cancelled);
      refused(await take(cancelled), 409, 'Session is cancelled');
      const expired = await alice.rests(at.order('home', 110, 10, { expirationMinutes: 0.002 }));
      await at.transport.until('it expires', async () => (await alice.openIds()).length === 0);
      refused(await take(expired), 409, 'Session is expired');
      const edited = await alice.rests(at.order('home', 110, 10));
      const { orderID } = read(schemas.offer, (await alice.edited(edited, 120, 10)).unmatched);
      refused(await take(edited), 409, 'Odds have been edited');
      refused(await take(orderID), 409, 'Odds have been edited');
      refused(await take(orderID, 13, -120), 409, 'Order size exceeds quantity available, which is $12.00');
      // the client reads the book again, decides anew, and takes what is there
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
    'fills the best price first and at one price the oldest first, each at its own price',
    async (at) => {
      const [alice, bob, carol] = [await at.as('alice'), await at.as('bob'), await at.as('carol')];
      const aged = async (who: Client, odds: number): Promise<string> => {
        const id = await who.rests(at.order('home', odds, 10));
        await at.transport.wait(2);
        return id;
      };
      const late = await aged(alice, 120);
      const first = await aged(carol, 110);
      const second = await aged(alice, 110);
      const best = await aged(alice, 100);
      const fills = await bob.takes(at.order('away', -120, 38));
      expect(fills.map(({ orderID, odds, risk }) => [orderID, odds, risk])).toEqual([
        [best, 100, 10],
        [first, -110, 11],
        [second, -110, 11],
        [late, -120, 6],
      ]);
      // the last one keeps its place and its remainder: 6 against 5 at +120
      expect((await bob.book()).game.homeMoneylines).toMatchObject([{ id: late, sumUntaken: 5, takenRatio: 0.5 }]);
    },
  );

  shows(
    ['Orders · crossing', 'What the service does · “The service is a sports …”'],
    'matches only the other side of the same game, type and exact line',
    async (at) => {
      const [alice, bob] = [await at.as('alice'), await at.as('bob')];
      const spread = { type: 'spread', orderType: 'limit' };
      const limit = { orderType: 'limit' };
      await alice.rests(at.order('home', 100, 10, { type: 'spread', number: -3.5 }));
      await alice.rests(at.order('over', 100, 10, { number: 210.5 }));
      await alice.rests(at.order('home', 100, 10));
      const misses = [
        at.order('away', 100, 5, { ...spread, number: 3 }),
        at.order('away', 100, 5, { ...spread, number: -3.5 }),
        at.order('home', 100, 5, { ...spread, number: -3.5 }),
        at.order('under', 100, 5, { ...limit, number: 211 }),
        at.order('over', 100, 5, { ...limit, number: 210.5 }),
        at.order('home', 100, 5, limit),
        orderOn(at.gameAt(1), 'away', 100, 5, limit),
        at.order('away', 101, 5, limit),
      ];
      for (const one of results(await bob.place(...misses))) expect(one).toMatchObject({ matched: [] });
      const hits = [
        at.order('away', 100, 5, { ...spread, number: 3.5 }),
        at.order('under', 100, 5, { ...limit, number: 210.5 }),
        at.order('away', 100, 5, limit),
      ];
      for (const one of results(await bob.place(...hits)))
        expect(one).toMatchObject({ matched: [{ risk: 5, win: 5 }], unmatched: {} });
    },
  );

  shows(['What the service does · rule 3'], 'lets an account only take, and never post', async (at) => {
    const [alice, bob] = [await at.as('alice'), await at.as('bob')];
    for (const odds of [110, 120, 130]) await alice.rests(at.order('home', odds, 10));
    for (const [odds, risk] of [
      [-110, 11],
      [-120, 12],
      [-130, 6.5],
    ] as const)
      expect(await bob.takes(at.order('away', odds, risk), 'fillAndKill')).toMatchObject([{ odds, risk }]);
    expect(await at.admin('GET', '/accounts/bob')).toMatchObject({ fills: 3, openOrders: 0 });
  });

  shows(
    ['Orders · live games'],
    'holds an order that would match on a live game, and may find the offer gone when it comes to it',
    async (at) => {
      const [alice, bob] = [await at.as('alice'), await at.as('bob')];
      await at.admin('POST', `/games/${at.game.id}`, { live: true });
      const take = { orders: [at.order('away', -110, 11, { orderType: 'fillAndKill' })] };
      const held = async (meanwhile: (id: string) => Promise<unknown>): Promise<Reply> => {
        const before = at.transport.now();
        const id = await alice.rests(at.order('home', 110, 10));
        // what matches nothing is not held
        expect(at.transport.now() - before).toBeLessThan(400);
        const since = at.transport.now();
        const call = { token: bob.token, body: take };
        const pending = at.transport.send('POST', '/session/v2/place', call);
        await at.transport.until('the venue holds the order', async () => {
          const story = read(schemas.accountStory, await at.admin('GET', '/accounts/bob'));
          return story.requests.place === placed + 1;
        });
        placed++;
        await meanwhile(id);
        expect(pending.ended()).toBeUndefined();
        await at.transport.until('an answer', () => pending.ended() !== undefined);
        // timers of the process count whole milliseconds, and may ring within the last one
        expect(at.transport.now() - since).toBeGreaterThan(499);
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

  shows(['Orders · orderType'], 'refuses a fillOrKill that is a cent too large', async (at) => {
    const [alice, bob] = [await at.as('alice'), await at.as('bob')];
    await alice.rests(at.order('home', 100, 115));
    refused(
      await bob.place(at.order('away', 100, 115.01, { orderType: 'fillOrKill' })),
      409,
      'Order size exceeds quantity available, which is $115.00',
    );
  });
});

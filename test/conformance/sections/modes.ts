// The player mode: the switch, its effect on open and new orders, the balances, and the rule on fills of own
// orders.
import { expect } from 'vitest';
import { wireProfileSchema } from '../../../src/wire/index.ts';
import type { Client } from '../kit.ts';
import { refused } from '../kit.ts';
import * as schemas from '../schemas.ts';
import { read } from '../schemas.ts';
import { rowsOf, section } from '../section.ts';

const SWITCH = 'POST /user/updateCoinsOrCash (switch player mode)';

const switchTo = (who: Client, playerMode: unknown) => who.post('/user/updateCoinsOrCash', { playerMode });

async function switched(who: Client, playerMode: 'cash' | 'coins'): Promise<void> {
  expect((await switchTo(who, playerMode)).json).toEqual({ data: { success: true } });
}

export const modesSection = section('modes', (shows) => {
  shows(
    [
      ...rowsOf('Player mode', 'cash', 'coins', '“States: cash, coins. The mode …”'),
      ...rowsOf(SWITCH, 'Request', 'Response'),
      'Player mode and session · data.user.playerMode',
      'What the service does · rule 1',
    ],
    'switches the mode of an account for all its sessions and later logins, and back',
    async (venue) => {
      const [alice, other, bob] = [await venue.as('alice'), await venue.as('alice'), await venue.as('bob')];
      for (const mode of ['cash', 'coins', 'coins', 'cash'] as const) {
        await switched(alice, mode);
        for (const who of [alice, other, await venue.as('alice')]) expect((await who.user()).playerMode).toBe(mode);
        const body = { username: 'alice', password: 'alice-pw' };
        const login = await venue.transport.request('POST', '/user/login', { body });
        expect(read(schemas.loginReply, login.json).data.user.playerMode).toBe(mode);
        expect((await bob.user()).playerMode).toBe('coins');
      }
    },
  );

  shows(
    [
      'Player mode · any',
      `${SWITCH} · Errors`,
      'Errors · 400: invalid playerMode (Error! Invalid method of play)',
      'Errors · 400',
    ],
    'refuses an unknown mode with 400 and keeps the current mode',
    async (venue) => {
      const alice = await venue.as('alice');
      await switched(alice, 'cash');
      for (const mode of ['gold', 'COINS', 'Cash', '', null, 1, ['cash'], undefined])
        refused(await switchTo(alice, mode), 400, 'Error! Invalid method of play');
      expect((await alice.user()).playerMode).toBe('cash');
      for (const token of [undefined, 'nonsense']) {
        const call = { token, body: { playerMode: 'coins' } };
        refused(await venue.transport.request('POST', '/user/updateCoinsOrCash', call), 401, 'InvalidCredentials');
      }
      expect((await alice.user()).playerMode).toBe('cash');
    },
  );

  shows(
    rowsOf('Player mode', 'cash', 'coins'),
    'keeps open offers when the mode changes, and settles each order in the mode in which it was placed',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const events = await alice.positions();
      const coins = await alice.rests(venue.order('home', 100, 50));
      await switched(alice, 'cash');
      const cash = await alice.rests(venue.order('home', 110, 100));
      expect(await alice.openIds()).toEqual([coins, cash]);
      expect((await alice.openOrders()).map((order) => order['playerMode'])).toEqual(['coins', 'cash']);
      await bob.takes(venue.order('away', -110, 160));
      await events.until(({ unmatched: order }) => order?.orderID === cash && order.remaining === 0);
      // no order was cancelled
      expect(events.all.map(({ unmatched: order }) => order?.offered)).toEqual([50, 100, 50, 100]);
      await venue.admin('POST', `/games/${venue.game.id}/grade`, { home: 101, away: 99 });
      expect(await alice.user()).toMatchObject({ playerMode: 'cash', coinsBalance: 10_050, cashBalance: 10_110 });
    },
  );

  shows(
    [`${SWITCH} · “Typical flow: log in and …”`, 'What the service does · rule 1'],
    'lets a client read the mode at login, switch to another mode, trade in it and switch back',
    async (venue) => {
      const login = await venue.transport.request('POST', '/user/login', {
        body: { username: 'alice', password: 'alice-pw' },
      });
      const { playerMode } = read(schemas.loginReply, login.json).data.user;
      expect(playerMode).toBe('coins');
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      await switched(alice, 'cash');
      await alice.rests(venue.order('home', 100, 25));
      await bob.takes(venue.order('away', 100, 25));
      await switched(alice, playerMode);
      await venue.admin('POST', `/games/${venue.game.id}/grade`, { home: 90, away: 99 });
      expect(await alice.user()).toMatchObject({ playerMode: 'coins', coinsBalance: 10_000, cashBalance: 9_975 });
    },
  );

  shows(
    ['Errors · 409: You cannot fill your own order: <orderID>', 'Errors · 409'],
    'refuses to fill an own order in cash mode and fills it in coins mode',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      await switched(alice, 'cash');
      const id = await alice.rests(venue.order('home', 110, 10));
      const message = `You cannot fill your own order: ${id}`;
      const take = venue.order('away', -110, 11, { orderType: 'limit' });
      refused(await alice.place(take), 409, message);
      refused(await alice.place({ ...take, sessionID: id }), 409, message);
      // the order hits bob’s better offer first, but would still reach the own one
      const better = await bob.rests(venue.order('home', 105, 10));
      refused(await alice.place({ ...take, risk: 20 }), 409, message);
      expect(await alice.takes({ ...take, risk: 10.5 })).toMatchObject([{ orderID: better }]);
      await switched(alice, 'coins');
      const events = await alice.positions();
      expect(await alice.takes(take)).toMatchObject([{ orderID: id, risk: 11 }]);
      await events.until(({ origin }) => origin === 'wager');
      expect(events.all.map(({ origin }) => origin).sort()).toEqual(['offer', 'wager']);
    },
  );

  shows(
    ['Errors · 409: Order size exceeds available credit', 'Errors · 409', 'What the service does · rule 1'],
    'refuses an order that the balance of its mode does not cover, and counts freed credit',
    async (venue) => {
      const carol = await venue.as('carol');
      const message = 'Order size exceeds available credit';
      refused(await carol.place(venue.order('home', 110, 40.01)), 409, message);
      const id = await carol.rests(venue.order('home', 110, 40));
      refused(await carol.place(venue.order('over', 110, 1, { number: 200.5 })), 409, message);
      // the two sides of one market cannot both be lost
      await carol.rests(venue.order('away', 110, 40));
      await carol.cancel(id);
      refused(await carol.place(venue.order('away', 111, 1)), 409, message);
      // cash has a separate balance
      await switched(carol, 'cash');
      await carol.rests(venue.order('home', 110, 30));
      refused(await carol.place(venue.order('home', 111, 1)), 409, message);
    },
  );

  shows(
    ['Errors · 409: Exceeds max liability <N>', 'Errors · 409'],
    'refuses an order that could lose more on one game than the profile’s limit',
    async (venue) => {
      const alice = await venue.as('alice');
      const message = 'Exceeds max liability 100';
      refused(await alice.place(venue.order('home', 110, 100.01)), 409, message);
      const id = await alice.rests(venue.order('home', 110, 80));
      refused(await alice.place(venue.order('home', 120, 21)), 409, message);
      refused(await alice.edit(id, 120, 101), 409, message);
      // the limit holds for each game alone
      const { game } = await alice.book(venue.gameAt(1).id);
      expect((await alice.place({ ...venue.order('home', 110, 90), gameID: game.id })).status).toBe(400);
      await alice.rests({ ...venue.order('over', 110, 90, { number: 200.5 }), gameID: game.id });
    },
    { profile: wireProfileSchema.parse({ maxLiability: 100 }) },
  );
});

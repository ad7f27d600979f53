// What further programs of the family, and its published documents, have beyond the first reading.
import { expect } from 'vitest';
import * as family from '../family-schemas.ts';
import { orderOn, refused, throttled, times } from '../kit.ts';
import * as schemas from '../schemas.ts';
import { read } from '../schemas.ts';
import { section } from '../section.ts';
import { inFamily, secondRows, showsInBoth } from './family-books.ts';

export const familySecondSection = section('family-second', (shows) => {
  showsInBoth(
    shows,
    secondRows('edit under the cancel-all lock'),
    'refuses an edit with 423 while a cancel-all runs, so that nothing outlives it',
    async (at) => {
      const alice = await at.as('alice');
      const orders = times(20, (index) => at.order('home', 110 + index, 1));
      await alice.place(...orders);
      const ids = await alice.openIds();
      await alice.post('/session/cancelAllOrders');
      throttled(await alice.edit(ids.at(-1) ?? '', 150, 2), 423, 'CANCEL_ALL_IN_PROGRESS');
      await at.transport.until('all are gone', async () => (await alice.openIds()).length === 0);
      const id = await alice.rests(at.order('home', 110, 10));
      await alice.edited(id, 115, 10);
      expect(await alice.openIds()).toHaveLength(1);
    },
  );

  showsInBoth(
    shows,
    secondRows('an offer that ends at the start'),
    'never lets an offer be taken that ends at the start once its game has begun, and no offer of a game that is over or off the board',
    async (at) => {
      const [alice, bob] = [await at.as('alice'), await at.as('bob')];
      const gameOf = async (start: number) => {
        const id = await at.publish({
          start: new Date(start).toISOString(),
          mainHomeSpread: -2.5,
          mainTotal: 218,
        });
        const headers = await bob.post('/exchange/v2/getGames', { league: 'upcoming' });
        const game = read(family.gamesReply, headers.json).data.games.find((one) => one.id === id);
        return game ?? expect.fail(`no game ${id}`);
      };
      const now = Math.ceil(at.transport.now());
      const game = await gameOf(now + 3_600_000);
      await alice.rests(orderOn(game, 'home', 110, 10, { gameStartExpiry: true }));
      await alice.rests(orderOn(game, 'home', 105, 10, { expirationMinutes: 180 }));
      const take = (odds: number, more: object = {}) =>
        bob.place(orderOn(game, 'away', odds, 5, { orderType: 'fillAndKill', ...more }));
      // past its start, and not in play
      await at.admin('POST', `/games/${game.id}`, { start: new Date(now - 1000).toISOString() });
      refused(await take(-130), 409, 'Game is past start time');
      // in play the other one can be taken, whatever the taker's order says
      await at.admin('POST', `/games/${game.id}`, { live: true });
      const open = (await alice.openOrders()).map(({ odds }) => odds);
      expect(open).toEqual([105]);
      expect((await take(-130)).status).toBe(200);
      await at.admin('POST', `/games/${game.id}`, { open: false });
      refused(await take(-130), 409, 'Game has been taken OTB or is graded');
      await at.admin('POST', `/games/${game.id}`, { open: true });
      await at.admin('POST', `/games/${game.id}/grade`, { home: 101, away: 99 });
      refused(await take(-130), 409, 'Game has been taken OTB or is graded');
    },
  );

  shows(
    secondRows('page beyond the last'),
    'answers a page beyond the last with no game in preset family',
    async (at) => {
      const alice = await at.as('alice');
      const page = await alice.get('/exchange/getOrderbook', { leagueRequested: 'NBA', page: '7' });
      expect(page.status, page.text).toBe(200);
      const { games, pagination } = read(schemas.leagueReply, page.json).data;
      expect([games, pagination.hasNextPage]).toEqual([[], false]);
    },
    inFamily,
  );

  showsInBoth(
    shows,
    secondRows('user names'),
    'knows a user by any case of the name, and answers with the one that it has',
    async (at) => {
      const reply = await at.transport.request('POST', '/user/login', {
        body: { username: 'ALICE', password: 'alice-pw' },
      });
      const { user } = read(schemas.loginReply, reply.json).data;
      expect(user.username).toBe('alice');
      // the name of the reply is that of the namespace
      await at.transport.connect(`/v2/user/${user.username}`, { token: user.auth });
    },
  );

  showsInBoth(
    shows,
    secondRows('version'),
    'takes the version that a client asks for as a query as well',
    async (at) => {
      const alice = await at.as('alice');
      await alice.rests(at.order('home', 110, 25));
      const told = async (query: Readonly<Record<string, string>>) => {
        const { token } = alice;
        const reply = await at.transport.request('GET', '/user/getUnmatched', { token, query });
        return (reply.json as { data: { unmatched: readonly Record<string, unknown>[] } }).data.unmatched[0];
      };
      expect(await told({})).toMatchObject({ risk: 25, bet: 25 });
      expect(await told({ apiVersion: 'public' })).not.toHaveProperty('bet');
    },
  );

  showsInBoth(
    shows,
    secondRows('days'),
    'reads a day in either form, and refuses one that does not exist',
    async (at) => {
      const alice = await at.as('alice');
      const graded = (startDate: string) => alice.get('/user/getGradedWagers', { startDate });
      for (const day of ['02-28-2030', '2030-02-28']) expect((await graded(day)).status).toBe(200);
      for (const day of ['02-30-2030', '2030-02-30', '28.2.2030']) refused(await graded(day), 400);
    },
  );
});

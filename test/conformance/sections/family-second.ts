// Rows of the second reading: further programs of the family, and its published documents.
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
    'refuses an edit with 423 while a cancel-all runs, so that no edited order survives the cancel-all',
    async (venue) => {
      const alice = await venue.as('alice');
      const orders = times(20, (index) => venue.order('home', 110 + index, 1));
      await alice.place(...orders);
      const ids = await alice.openIds();
      await alice.post('/session/cancelAllOrders');
      throttled(await alice.edit(ids.at(-1) ?? '', 150, 2), 423, 'CANCEL_ALL_IN_PROGRESS');
      await venue.transport.until('all are gone', async () => (await alice.openIds()).length === 0);
      const id = await alice.rests(venue.order('home', 110, 10));
      await alice.edited(id, 115, 10);
      expect(await alice.openIds()).toHaveLength(1);
    },
  );

  showsInBoth(
    shows,
    secondRows('an offer that ends at the start'),
    'lets no client take an offer that expires at the start after its game began, nor any offer of an ended or closed game',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const gameOf = async (start: number) => {
        const id = await venue.publish({
          start: new Date(start).toISOString(),
          mainHomeSpread: -2.5,
          mainTotal: 218,
        });
        const headers = await bob.post('/exchange/v2/getGames', { league: 'upcoming' });
        const game = read(family.gamesReply, headers.json).data.games.find((candidate) => candidate.id === id);
        return game ?? expect.fail(`no game ${id}`);
      };
      const now = Math.ceil(venue.transport.now());
      const game = await gameOf(now + 3_600_000);
      await alice.rests(orderOn(game, 'home', 110, 10, { gameStartExpiry: true }));
      await alice.rests(orderOn(game, 'home', 105, 10, { expirationMinutes: 180 }));
      const take = (odds: number, fields: object = {}) =>
        bob.place(orderOn(game, 'away', odds, 5, { orderType: 'fillAndKill', ...fields }));
      // the start has passed and the game is not in play
      await venue.admin('POST', `/games/${game.id}`, { start: new Date(now - 1000).toISOString() });
      refused(await take(-130), 409, 'Game is past start time');
      // in play the other offer can be taken
      await venue.admin('POST', `/games/${game.id}`, { live: true });
      const open = (await alice.openOrders()).map(({ odds }) => odds);
      expect(open).toEqual([105]);
      expect((await take(-130)).status).toBe(200);
      await venue.admin('POST', `/games/${game.id}`, { open: false });
      refused(await take(-130), 409, 'Game has been taken OTB or is graded');
      await venue.admin('POST', `/games/${game.id}`, { open: true });
      await venue.admin('POST', `/games/${game.id}/grade`, { home: 101, away: 99 });
      refused(await take(-130), 409, 'Game has been taken OTB or is graded');
    },
  );

  showsInBoth(
    shows,
    secondRows('props'),
    'lists props with a league of their own in that league’s book and with their game, not in the game’s league',
    async (venue) => {
      const alice = await venue.as('alice');
      const parentGameID = venue.game.id;
      const eventName = 'ALDER (SHOTS ON GOAL)';
      const prop = await venue.publish({ kind: 'prop', league: 'NBA-PROPS', parentGameID, eventName });
      const half = await venue.publish({ kind: 'child', parentGameID, periodName: '1H' });
      const gamesIn = async (leagueRequested: string) => {
        const page = await alice.get('/exchange/getOrderbook', { leagueRequested });
        return (page.json as { data: { games: readonly { id: string }[] } }).data.games;
      };
      expect(await gamesIn('NBA-PROPS')).toMatchObject([{ id: prop, parentGameID, eventName, isSpecials: true }]);
      const ids = (await gamesIn('NBA')).map(({ id }) => id);
      expect(ids).toContain(parentGameID);
      expect(ids).not.toContain(prop);
      expect(ids).not.toContain(half);
      const single = await alice.post('/exchange/getSingleOrderbook', { gameID: parentGameID });
      const { propGames } = (single.json as { data: { propGames: readonly { id: string }[] } }).data;
      expect(propGames.map(({ id }) => id)).toEqual([prop]);
    },
  );

  shows(
    secondRows('page beyond the last'),
    'answers a page beyond the last with an empty list in preset family',
    async (venue) => {
      const alice = await venue.as('alice');
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
    'accepts a username in any case and answers with the stored spelling',
    async (venue) => {
      const reply = await venue.transport.request('POST', '/user/login', {
        body: { username: 'ALICE', password: 'alice-pw' },
      });
      const { user } = read(schemas.loginReply, reply.json).data;
      expect(user.username).toBe('alice');
      // the namespace has the name of the reply
      await venue.transport.connect(`/v2/user/${user.username}`, { token: user.auth });
    },
  );

  showsInBoth(shows, secondRows('version'), 'accepts the API version also as a query parameter', async (venue) => {
    const alice = await venue.as('alice');
    await alice.rests(venue.order('home', 110, 25));
    const openOrder = async (query: Readonly<Record<string, string>>) => {
      const { token } = alice;
      const reply = await venue.transport.request('GET', '/user/getUnmatched', { token, query });
      return (reply.json as { data: { unmatched: readonly Record<string, unknown>[] } }).data.unmatched[0];
    };
    expect(await openOrder({})).toMatchObject({ risk: 25, bet: 25 });
    expect(await openOrder({ apiVersion: 'public' })).not.toHaveProperty('bet');
  });

  showsInBoth(
    shows,
    secondRows('days'),
    'reads a day in either format and refuses a day that does not exist',
    async (venue) => {
      const alice = await venue.as('alice');
      const graded = (startDate: string) => alice.get('/user/getGradedWagers', { startDate });
      for (const day of ['02-28-2030', '2030-02-28']) expect((await graded(day)).status).toBe(200);
      for (const day of ['02-30-2030', '2030-02-30', '28.2.2030']) refused(await graded(day), 400);
    },
  );

  showsInBoth(
    shows,
    secondRows('matched bet, open order'),
    'gives each open order and bet its own ticket number and shows whether it is closed',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      await alice.rests(venue.order('home', 110, 50));
      await alice.rests(venue.order('home', 120, 50));
      await bob.place(venue.order('away', -120, 12, { orderType: 'fillAndKill' }));
      const rows = async (path: string, name: string): Promise<readonly unknown[]> => {
        const reply = await alice.get(path);
        return (reply.json as { data: Record<string, readonly unknown[]> }).data[name] ?? [];
      };
      const open = await rows('/user/getUnmatched', 'unmatched');
      const bets = await rows('/user/getMatchedBets', 'matchedBets');
      const tickets = [...open, ...bets].map((row) => read(family.ticketed, row));
      expect(tickets.map(({ closed, adminRefund }) => [closed, adminRefund])).toEqual(
        tickets.map(() => [false, false]),
      );
      expect(new Set(tickets.map(({ ticketNumber }) => ticketNumber)).size).toBe(3);
    },
  );

  shows(
    secondRows('edit'),
    'keeps odds and volume that an edit omits; an omitted expiry means the start, or a few minutes in play',
    async (venue) => {
      const alice = await venue.as('alice');
      await alice.rests(venue.order('home', 110, 25, { expirationMinutes: 60 }));
      const edited = async (change: object) => {
        const [before] = await alice.openOrders();
        const body = { sessionID: before?.id, orderType: 'post', ...change };
        expect((await alice.post('/session/editOrder', body)).status).toBe(200);
        const [after] = await alice.openOrders();
        return [after?.odds, after?.risk, after?.expiry];
      };
      expect(await edited({ orderOdds: 120 })).toEqual([120, 25, venue.game.start]);
      expect(await edited({ orderVolume: 40 })).toEqual([120, 40, venue.game.start]);
      expect(await edited({ orderOdds: null, orderVolume: null })).toEqual([120, 40, venue.game.start]);
      await venue.admin('POST', `/games/${venue.game.id}`, { live: true });
      await alice.rests(venue.order('home', 110, 40, { expirationMinutes: 60 }));
      const [odds, volume, expiry] = await edited({ orderOdds: 130 });
      expect([odds, volume]).toEqual([130, 40]);
      expect(Date.parse(String(expiry)) - venue.transport.now()).toBeLessThanOrEqual(300_000);
    },
    inFamily,
  );

  showsInBoth(
    shows,
    secondRows('GET /session/getLastFilledOrder?gameID&type', 'GET /exchange/getMatchedVolume'),
    'reports the time of the last fill and the stakes of both sides of a game',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const last = async (query: Readonly<Record<string, string>> = {}) =>
        (await alice.get('/session/getLastFilledOrder', { gameID: venue.game.id, ...query })).json;
      expect(await last()).toEqual({ data: { session: null } });
      await alice.rests(venue.order('home', 110, 100));
      await bob.place(venue.order('away', -110, 55, { orderType: 'fillAndKill' }));
      expect(await last({ type: 'moneyline' })).toEqual({
        data: { session: { updatedAt: expect.any(String) as string } },
      });
      expect(await last({ type: 'total' })).toEqual({ data: { session: null } });
      const volume = await bob.get('/exchange/getMatchedVolume', { gameID: venue.game.id });
      expect(volume.json).toEqual({ data: { matchedVolume: 105 } });
    },
  );

  showsInBoth(
    shows,
    secondRows('graded, second form'),
    'lists graded bets by day or from a cursor in the order of settlement, with separate rate limits',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const line = { type: 'spread', number: -2.25 };
      await alice.rests(venue.order('home', 110, 20, line));
      await bob.place(venue.order('away', -110, 22, { ...line, number: 2.25, orderType: 'fillAndKill' }));
      await alice.rests(venue.order('home', 110, 10));
      await bob.place(venue.order('away', -110, 11, { orderType: 'fillAndKill' }));
      const day = new Date(venue.transport.now()).toISOString().slice(0, 10);
      const days = { startDate: day, endDate: day };
      const list = async (path: string, query: Readonly<Record<string, string>>) =>
        read(family.secondGradedReply, (await alice.get(path, query)).json).data;
      expect((await list('/user/v2/getGraded', days)).graded).toEqual([]);
      await venue.admin('POST', `/games/${venue.game.id}/grade`, { home: 102, away: 100 });
      const { graded } = await list('/user/v2/getGraded', days);
      expect(graded.map(({ type, outcome }) => `${type} ${outcome}`).sort()).toEqual([
        'moneyline won',
        'spread half-loss',
      ]);
      const first = await list('/user/v2/getGradedSince', { limit: '1' });
      expect([first.graded.length, first.hasMore]).toEqual([1, true]);
      const next = await list('/user/v2/getGradedSince', { cursor: first.cursor ?? '' });
      expect([next.graded.length, next.hasMore]).toEqual([1, false]);
      expect((await list('/user/v2/getGradedSince', { cursor: next.cursor ?? '' })).graded).toEqual([]);
      refused(await alice.get('/user/v2/getGraded', { startDate: '2030-01-01', endDate: '2030-02-05' }), 400);
      refused(await alice.get('/user/v2/getGraded', { startDate: '01-31-2030', endDate: day }), 400);
      refused(await alice.get('/user/v2/getGradedSince', { cursor: 'another' }), 400);
      for (let asked = 4; asked < 10; asked++) await alice.get('/user/v2/getGradedSince');
      throttled(await alice.get('/user/v2/getGradedSince'), 429, 'RATE_LIMITED');
    },
  );

  showsInBoth(
    shows,
    secondRows('whole-batch 400'),
    'places no order of a batch whose body is invalid',
    async (venue) => {
      const alice = await venue.as('alice');
      const bad = { ...venue.order('home', 120, 10), gameID: undefined };
      refused(await alice.place(venue.order('home', 110, 10), bad), 400);
      expect(await alice.openIds()).toEqual([]);
    },
  );

  showsInBoth(
    shows,
    secondRows('reduced rates (service rule 4)'),
    'applies the smaller windows and the delay that the operator sets for an account',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      await alice.rests(venue.order('home', 110, 1));
      await venue.admin('POST', '/accounts/alice', {
        limits: { place: { requests: 2, windowMs: 5000 } },
        delayMs: 300,
      });
      // earlier places count in the new window
      await alice.rests(venue.order('home', 120, 1));
      throttled(await alice.place(venue.order('home', 130, 1)), 429, 'RATE_LIMITED');
      await bob.rests(venue.order('home', 110, 1));
      await bob.rests(venue.order('home', 120, 1));
      await bob.rests(venue.order('home', 130, 1));
      const from = venue.transport.now();
      await alice.openOrders();
      expect(venue.transport.now() - from).toBeGreaterThanOrEqual(299);
    },
  );
});

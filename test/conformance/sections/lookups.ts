// Discovery, lists and look-ups: leagues, game headers, open orders, plays by id and by reference, reads by
// GET and POST.
import { expect } from 'vitest';
import { z } from 'zod';
import { refused, sideId } from '../kit.ts';
import * as schemas from '../schemas.ts';
import { read } from '../schemas.ts';
import { section } from '../section.ts';

const plays = z.array(schemas.fill);
const leagues = z.looseObject({ data: z.looseObject({ availableLeagues: z.array(schemas.text) }) });
const games = z.looseObject({ data: z.looseObject({ games: z.array(schemas.gameHeader) }) });
const ordersOfGame = z.looseObject({
  data: z.looseObject({ unmatched: z.array(schemas.openOrder), matched: plays }),
});
const trail = z.looseObject({
  data: z.looseObject({ unmatched: z.array(schemas.openOrder), matched: plays, graded: plays }),
});
const matchedBets = z.looseObject({ data: z.looseObject({ matchedBets: plays }) });
const lookedUp = z.looseObject({ data: z.looseObject({ order: schemas.openOrder }) });
const bet = z.looseObject({ bet: schemas.fill });

export const lookupsSection = section('lookups', (shows) => {
  shows(
    ['Discovery · leagues'],
    'lists the leagues that have games, filtered by sport when the request names one',
    async (venue) => {
      const alice = await venue.as('alice');
      await venue.publish({ league: 'ATP', sport: 'tennis' });
      const leaguesOf = async (query: Record<string, string>): Promise<readonly string[]> =>
        read(leagues, (await alice.get('/exchange/getLeagues', query)).json).data.availableLeagues;
      expect(await leaguesOf({})).toEqual(['NBA', 'ATP']);
      expect(await leaguesOf({ sport: 'tennis' })).toEqual(['ATP']);
      expect(await leaguesOf({ sport: 'curling' })).toEqual([]);
    },
  );

  shows(
    ['Discovery · games of a league', 'Discovery · game header', 'Discovery · participant'],
    'lists the game headers of a league without books, and those of all leagues under upcoming',
    async (venue) => {
      const alice = await venue.as('alice');
      const tennis = await venue.publish({
        league: 'ATP',
        sport: 'tennis',
        away: { name: 'A', shortName: 'a' },
      });
      const gamesFor = async (body: object) =>
        read(games, (await alice.post('/exchange/v2/getGames', body)).json).data.games;
      const nba = await gamesFor({ league: 'NBA' });
      expect(nba.map(({ id }) => id)).toEqual(venue.games.map(({ id }) => id));
      for (const game of nba) {
        expect(game.participants.map(({ homeAway }) => homeAway)).toEqual(['away', 'home']);
        for (const field of ['homeMoneylines', 'over']) expect(game).not.toHaveProperty(field);
      }
      expect(await gamesFor({ league: 'upcoming', sport: 'tennis' })).toMatchObject([
        { id: tennis, live: false, ended: false, participants: [{ longName: 'A', shortName: 'a' }, {}] },
      ]);
      expect(await gamesFor({ league: 'upcoming' })).toHaveLength(4);
      const period = { kind: 'child', parentGameID: venue.game.id, periodName: '2nd Half' };
      const child = await venue.publish(period);
      expect((await gamesFor({ league: 'NBA' })).find(({ id }) => id === child)).toMatchObject({
        parentGameID: venue.game.id,
        periodName: '2nd Half',
        isFutures: false,
      });
      refused(await alice.post('/exchange/v2/getGames', {}), 400);
    },
  );

  shows(['Discovery · paging'], 'refuses a page beyond the last and reports the number of pages', async (venue) => {
    const alice = await venue.as('alice');
    const ask = (request: object) => alice.post('/exchange/getOrderbook', { leagueRequested: 'NBA', ...request });
    expect((await ask({ page: 2, limit: 2 })).status).toBe(200);
    refused(await ask({ page: 3, limit: 2 }), 400, '"page" 3 is beyond the last: there are 2 pages');
    refused(await ask({ page: 2 }), 400, '"page" 2 is beyond the last: there is one page');
    const nowhere = { leagueRequested: 'NHL', page: 7 };
    refused(await ask(nowhere), 400, '"page" 7 is beyond the last: there is one page');
  });

  shows(
    ['Discovery · open-order record', 'Discovery · lists', 'Orders · userReference'],
    'lists open orders from the owner’s side, with the reference that the owner gave them',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const spread = await alice.rests(
        venue.order('away', 120, 50, { type: 'spread', number: 3.5, userReference: 'ref-1' }),
      );
      const total = await alice.rests(venue.order('over', -110, 22, { number: 210.5, expirationMinutes: 5 }));
      await bob.takes(venue.order('home', -120, 24, { type: 'spread', number: -3.5 }));
      expect(await alice.openOrders()).toMatchObject([
        {
          id: spread,
          type: 'spread',
          spread: 3.5,
          total: null,
          odds: 120,
          userReference: 'ref-1',
          risk: 50,
          offered: 50,
          filled: 20,
          remaining: 30,
          expiry: null,
          participantID: sideId(venue.game, 'away'),
          game: { id: venue.game.id, league: 'NBA' },
        },
        {
          id: total,
          type: 'total',
          spread: null,
          total: 210.5,
          OU: 'over',
          participantID: null,
          userReference: null,
          risk: 22,
          filled: 0,
          remaining: 22,
          expiry: expect.any(String) as unknown,
        },
      ]);
      expect(await bob.openOrders()).toEqual([]);
    },
  );

  shows(
    ['Discovery · lists', 'Position record (payload of positionUpdate) · matched.txID'],
    'finds an order by its id and a play by the txID of its event',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const events = await alice.positions();
      const id = await alice.rests(venue.order('home', 110, 100, { userReference: 'mine' }));
      const [fill] = await bob.takes(venue.order('away', -110, 55));
      const { matched } = await events.until((update) => update.matched !== null);
      const order = { id, filled: 50, remaining: 50, status: 'open' };
      for (const query of [{ orderID: id }, { txID: matched?.txID ?? '' }]) {
        const reply = await alice.get('/session/lookupOrder', query);
        expect(read(lookedUp, reply.json).data.order).toMatchObject(order);
      }
      const mine = await alice.get('/user/getBetByID', { txID: matched?.txID ?? '' });
      expect(read(bet, mine.json).bet).toMatchObject({ txID: matched?.txID, risk: 50, win: 55, odds: 110 });
      const theirs = await bob.get('/user/getBetByID', { txID: fill?.txID ?? '' });
      expect(read(bet, theirs.json).bet).toMatchObject({ txID: fill?.txID, risk: 55, win: 50, odds: -110 });
      // each side of a match has its own id
      refused(await bob.get('/user/getBetByID', { txID: matched?.txID ?? '' }), 404);
    },
  );

  shows(
    ['Discovery · lists', 'Orders · userReference'],
    'lists the orders and plays of a game, those of a reference, and all matched plays',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const id = await alice.rests(venue.order('home', 110, 100, { userReference: 'mine' }));
      await bob.takes(venue.order('away', -110, 55));
      const gameID = venue.game.id;
      const game = await alice.get('/user/getOrdersForGame', { gameID });
      expect(read(ordersOfGame, game.json).data).toMatchObject({
        unmatched: [{ id }],
        matched: [{ risk: 50, orderID: id, userReference: 'mine' }],
      });
      const query = { userReference: 'mine', gameID };
      const reference = await alice.get('/user/getBetByUserReference', query);
      expect(read(trail, reference.json).data).toMatchObject({
        unmatched: [{ id }],
        matched: [{ risk: 50 }],
        graded: [],
      });
      const all = await alice.get('/user/getMatchedBets');
      expect(read(matchedBets, all.json).data.matchedBets).toMatchObject([{ risk: 50, orderID: id }]);
      const elsewhere = await alice.get('/user/getOrdersForGame', { gameID: venue.gameAt(1).id });
      expect(read(ordersOfGame, elsewhere.json).data).toMatchObject({ unmatched: [], matched: [] });
      await venue.admin('POST', `/games/${gameID}/grade`, { home: 100, away: 90 });
      const after = await alice.get('/user/getBetByUserReference', query);
      expect(read(trail, after.json).data).toMatchObject({
        unmatched: [],
        matched: [],
        graded: [{ risk: 50, win: 55 }],
      });
    },
  );

  shows(
    ['Errors · 404', 'Errors · 404: An unknown orderID'],
    'answers 404 to a look-up, a cancel or an edit of an unknown order',
    async (venue) => {
      const alice = await venue.as('alice');
      refused(await alice.get('/session/lookupOrder', { orderID: 'gone' }), 404, /gone/);
      refused(await alice.cancel('gone'), 404, 'Order not found: gone');
      refused(await alice.edit('gone', 110, 10), 404);
      refused(await alice.get('/user/getBetByID', { txID: 'gone' }), 404);
      refused(await alice.post('/user/nothing'), 404);
      refused(await alice.get('/session/cancel', { sessionID: 'gone' }), 404);
    },
  );

  shows(
    ['Errors · 403', 'Errors · 403: Not your order: <orderID>'],
    'answers 403 to a look-up, a cancel or an edit of another user’s order',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const id = await alice.rests(venue.order('home', 110, 10));
      const message = `Not your order: ${id}`;
      refused(await bob.get('/session/lookupOrder', { orderID: id }), 403, message);
      refused(await bob.cancel(id), 403, message);
      refused(await bob.edit(id, 120, 10), 403, message);
      const many = await bob.post('/session/cancelMultiple', { sessionIDs: [id] });
      expect(read(schemas.cancelsReply, many.json).data).toMatchObject([{ success: false, reason: message }]);
      expect(await alice.openIds()).toEqual([id]);
    },
  );

  shows(
    ['Handshake, login, user · reads by verb'],
    'gives the same answer to a read by GET with a query and by POST with a body',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const id = await alice.rests(venue.order('home', 110, 100, { userReference: 'mine' }));
      await bob.takes(venue.order('away', -110, 55));
      for (const [path, params] of [
        ['/exchange/getOrderbook', { leagueRequested: 'NBA', sortBy: 'openInterest', page: '1', limit: '2' }],
        ['/exchange/getSingleOrderbook', { gameID: venue.game.id }],
        ['/exchange/getLeagues', { sport: 'basketball' }],
        ['/exchange/v2/getGames', { league: 'NBA' }],
        ['/user/getMe', {}],
        ['/user/getUnmatched', {}],
        ['/user/getOrdersForGame', { gameID: venue.game.id }],
        ['/user/getMatchedBets', {}],
        ['/user/getBetByUserReference', { userReference: 'mine', gameID: venue.game.id }],
        ['/session/lookupOrder', { orderID: id }],
      ] as const) {
        const [got, posted] = [await alice.get(path, params), await alice.post(path, params)];
        expect(got.status, path).toBe(200);
        expect(got.json, path).toEqual(posted.json);
      }
    },
  );
});

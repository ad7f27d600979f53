// What third-party clients read about their own account, in both presets: records with all fields, the
// liability, graded bets and the results of one request; and the start and end of a session.
import { expect } from 'vitest';
import * as family from '../family-schemas.ts';
import type { TestVenue, Client } from '../kit.ts';
import { orderOn, refused, sideId } from '../kit.ts';
import * as schemas from '../schemas.ts';
import { read } from '../schemas.ts';
import { section } from '../section.ts';
import { familyRows, secondRows, showsInBoth } from './family-books.ts';

const DAY_MS = 24 * 3_600_000;
/** The day `days` days from now, as `MM-DD-YYYY`. */
function dayOf(venue: TestVenue, days: number): string {
  const [year, month, day] = new Date(venue.transport.now() + days * DAY_MS).toISOString().slice(0, 10).split('-');
  return `${month}-${day}-${year}`;
}

const liabilityOf = async (who: Client, gameID: string): Promise<number> =>
  read(family.liabilityReply, (await who.get('/user/getGameLiability', { gameID })).json).data.liability;

const graded = async (who: Client, query: Record<string, string>) =>
  read(family.gradedReply, (await who.get('/user/getGradedWagers', query)).json).data;

export const familyAccountSection = section('family-account', (shows) => {
  showsInBoth(
    shows,
    familyRows('open order', 'looked-up order'),
    'shows both teams, the taken part, the request and the game of an open order, and in a look-up whether it is the best',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const spread = { type: 'spread', number: 3.5 };
      const id = await alice.rests(venue.order('away', 120, 50, { ...spread, userReference: 'mine' }));
      const total = await alice.rests(venue.order('over', 110, 20, { number: 200.5 }));
      await bob.takes(venue.order('home', -120, 24, { type: 'spread', number: -3.5 }));
      const open = read(family.openReply, (await alice.get('/user/getUnmatched')).json).data.unmatched;
      const { game } = venue;
      expect(open).toMatchObject([
        {
          id,
          txID: null,
          type: 'spread',
          spread: 3.5,
          total: null,
          filled: 20,
          remaining: 30,
          participantID: sideId(game, 'away'),
          otherParticipantID: sideId(game, 'home'),
          takenRatio: 0.4,
          origin: 'offer',
          graded: false,
          closed: false,
          userReference: 'mine',
          game: { id: game.id, start: game.start, ended: false, participants: game.participants },
        },
        { id: total, OU: 'over', participantID: null, otherParticipantID: null, takenRatio: 0 },
      ]);
      const lookUp = async (orderID: string) =>
        read(family.lookedUp, (await alice.get('/session/lookupOrder', { orderID })).json).data.order;
      const away = game.participants.find(({ homeAway }) => homeAway === 'away');
      const best = { cancelled: false, isTheBestOffer: true };
      expect(await lookUp(id)).toMatchObject({
        ...best,
        participant: away,
        matchedRisk: 20,
        unmatchedRisk: 30,
      });
      expect(await lookUp(total)).toMatchObject({
        ...best,
        participant: null,
        matchedRisk: 0,
        unmatchedRisk: 20,
      });
      // a lower price is better for the taker
      await bob.rests(venue.order('away', 115, 10, spread));
      expect(await lookUp(id)).toMatchObject({ isTheBestOffer: false });
      await alice.cancel(id);
      const over = {
        cancelled: true,
        closed: true,
        isTheBestOffer: false,
        matchedRisk: 20,
        unmatchedRisk: 0,
      };
      expect(await lookUp(id)).toMatchObject(over);
    },
  );

  showsInBoth(
    shows,
    familyRows('matched bet', 'by request'),
    'shows the side, line, time and game of a matched bet, and all orders and bets of one request',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      await alice.rests(venue.order('over', 110, 100, { number: 200.5 }));
      await alice.rests(venue.order('home', 110, 100));
      const { game } = venue;
      const reply = await bob.place(
        venue.order('under', -110, 55, { number: 200.5, orderType: 'limit', userReference: 'b' }),
        venue.order('away', 130, 10),
        venue.order('away', -110, 11, { orderType: 'limit' }),
      );
      expect(reply.status).toBe(200);
      const bets = read(family.betsReply, (await bob.get('/user/getMatchedBets')).json).data.matchedBets;
      expect(bets).toMatchObject([
        {
          type: 'total',
          OU: 'under',
          total: 200.5,
          spread: null,
          participantID: null,
          odds: -110,
          risk: 55,
          win: 50,
          graded: false,
          origin: 'wager',
          userReference: 'b',
          game: { id: game.id, league: 'NBA', start: game.start, participants: game.participants },
        },
        { type: 'moneyline', participantID: sideId(game, 'away'), total: null, spread: null, risk: 11 },
      ]);
      expect(Math.abs(Date.parse(bets[0]?.matchedTime ?? '') - venue.transport.now())).toBeLessThan(20_000);
      const open = read(family.openReply, (await bob.get('/user/getUnmatched')).json).data.unmatched;
      const wagerRequestID = open[0]?.wagerRequestID ?? '';
      const byRequest = async (who: Client, id: string) =>
        read(family.trail, (await who.get('/user/getBetByWagerRequestID', { wagerRequestID: id })).json).data;
      const ofRequest = await byRequest(bob, wagerRequestID);
      expect(ofRequest.unmatched.map(({ id }) => id)).toEqual(open.map(({ id }) => id));
      expect(ofRequest.matched.map(({ txID }) => txID)).toEqual(bets.map(({ txID }) => txID));
      expect(ofRequest.graded).toEqual([]);
      // the request of a later order, and a look-up of the first request by another account
      const [next] = await bob.takes(venue.order('away', -110, 11));
      expect((await byRequest(bob, String(next?.['wagerRequestID']))).matched).toMatchObject([{ txID: next?.txID }]);
      expect(await byRequest(alice, wagerRequestID)).toEqual({ unmatched: [], matched: [], graded: [] });
      await venue.admin('POST', `/games/${game.id}/grade`, { home: 100, away: 90 });
      const after = await byRequest(bob, wagerRequestID);
      expect([after.unmatched, after.matched, after.graded.length]).toEqual([[], [], 2]);
      refused(await bob.get('/user/getBetByWagerRequestID'), 400, '"wagerRequestID" is required');
    },
  );

  showsInBoth(
    shows,
    [...familyRows('liability of a game'), ...secondRows('liability of a game')],
    'reports the worst loss of the matched bets on a game, in the player mode of the account',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const { id } = venue.game;
      expect(await liabilityOf(alice, id)).toBe(0);
      await alice.rests(venue.order('home', 110, 100));
      // open offers do not count
      expect(await liabilityOf(alice, id)).toBe(0);
      await bob.takes(venue.order('away', -110, 55));
      expect([await liabilityOf(alice, id), await liabilityOf(bob, id)]).toEqual([-50, -55]);
      expect(await liabilityOf(alice, venue.gameAt(1).id)).toBe(0);
      await alice.post('/user/updateCoinsOrCash', { playerMode: 'cash' });
      expect(await liabilityOf(alice, id)).toBe(0);
      refused(await alice.get('/user/getGameLiability', { gameID: 'gone' }), 400, 'Invalid gameID: gone');
      refused(await alice.get('/user/getGameLiability'), 400);
    },
  );

  showsInBoth(
    shows,
    familyRows('graded'),
    'lists the graded bets of a range of days with their results and their volume',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const second = venue.gameAt(1);
      await alice.rests(venue.order('home', 110, 100));
      await bob.takes(venue.order('away', -110, 55));
      await alice.rests(orderOn(second, 'home', 110, 20));
      await bob.takes(orderOn(second, 'away', -110, 22));
      expect(await graded(alice, {})).toEqual({ graded: [], summary: { pnl: 0, volume: 0 } });
      await venue.admin('POST', `/games/${venue.game.id}/grade`, { home: 100, away: 90 });
      await venue.admin('POST', `/games/${second.id}/grade`, { home: 90, away: 100 });
      const range = { startDate: dayOf(venue, -1), endDate: dayOf(venue, 1) };
      for (const query of [{}, range, { startDate: range.startDate }, { endDate: range.endDate }])
        expect(await graded(alice, query)).toMatchObject({
          graded: [
            {
              risk: 50,
              win: 55,
              profit: 55,
              result: 'won',
              graded: true,
              game: { id: venue.game.id, ended: true },
            },
            { risk: 20, win: 22, profit: -20, result: 'lost', graded: true },
          ],
          summary: { pnl: 35, volume: 70 },
        });
      expect((await graded(bob, range)).summary).toEqual({ pnl: -35, volume: 77 });
      const earlier = { startDate: dayOf(venue, -9), endDate: dayOf(venue, -2) };
      const later = { startDate: dayOf(venue, 2) };
      for (const query of [earlier, later]) expect((await graded(alice, query)).graded).toEqual([]);
      const ask = (query: Record<string, string>) => alice.get('/user/getGradedWagers', query);
      for (const startDate of ['2026-3-1', '13-01-2026', '02-30-2026', '1-1-2026', 'today'])
        refused(await ask({ startDate }), 400, '"startDate" must be a day as MM-DD-YYYY or YYYY-MM-DD');
      refused(await ask({ endDate: 'x' }), 400, '"endDate" must be a day as MM-DD-YYYY or YYYY-MM-DD');
      const backwards = { startDate: dayOf(venue, 1), endDate: dayOf(venue, -1) };
      refused(await ask(backwards), 400, '"endDate" is before "startDate"');
    },
  );

  showsInBoth(
    shows,
    familyRows('session'),
    'sets a cookie at login that works as a token, and ends the token at logout',
    async (venue) => {
      const body = { username: 'alice', password: 'alice-pw' };
      const login = await venue.transport.request('POST', '/user/login', { body });
      const { auth } = read(schemas.loginReply, login.json).data.user;
      const cookie = login.headers['set-cookie'] ?? '';
      expect(cookie.split(';')[0]).toBe(`auth=${auth}`);
      const headers = { Cookie: `theme=dark; ${cookie.split(';')[0]}` };
      const me = (call: object) => venue.transport.request('GET', '/user/getMe', call);
      expect((await me({ headers })).status).toBe(200);
      // a failed login sets no cookie
      const wrong = await venue.transport.request('POST', '/user/login', { body: { ...body, password: 'x' } });
      expect(wrong.headers).not.toHaveProperty('set-cookie');
      const other = await venue.as('alice');
      const logout = await venue.transport.request('POST', '/user/logout', { headers });
      expect(logout.json).toEqual({ data: { success: true } });
      expect(logout.headers['set-cookie']).toMatch(/^auth=;.*Max-Age=0/);
      for (const call of [{ headers }, { token: auth }]) refused(await me(call), 401, 'InvalidCredentials');
      refused(await venue.transport.request('POST', '/user/logout', { headers }), 401, 'InvalidCredentials');
      // the other tokens of the account stay valid
      expect((await other.user()).username).toBe('alice');
    },
  );
});

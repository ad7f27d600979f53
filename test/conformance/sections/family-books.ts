// What third-party clients read about games and books, in both presets: the flat form, headers, own orders,
// events, participants, the pages of the app, and the perspective of the book.
import { expect } from 'vitest';
import { profileOf } from '../../../src/wire/index.ts';
import type { Preset } from '../family-schemas.ts';
import * as family from '../family-schemas.ts';
import type { TestVenue, Client } from '../kit.ts';
import { orderOn, refused, sideId } from '../kit.ts';
import type { SideOrder } from '../schemas.ts';
import { read } from '../schemas.ts';
import type { Shows } from '../section.ts';
import { rowsOf, section } from '../section.ts';

export const FAMILY = 'The family: what clients in the wild call, and expect';
export const familyRows = (...names: readonly string[]): readonly string[] => rowsOf(FAMILY, ...names);

/** Rows of the second reading: further programs and the published documents of the family. */
export const secondRows = (...names: readonly string[]): readonly string[] =>
  rowsOf(
    'The family, second reading (part 10): what further programs and the published documents of the family have',
    ...names,
  );

/** Adds the test once for each preset. */
export const showsInBoth = (
  shows: Shows,
  rows: readonly string[],
  title: string,
  run: (venue: TestVenue, preset: Preset) => Promise<void>,
): void => {
  for (const preset of ['spec', 'family'] as const)
    shows(rows, `${title} (preset ${preset})`, (venue) => run(venue, preset), { profile: profileOf(preset) });
};

export const inFamily = { profile: profileOf('family') };

/** Posts one offer on each of the six sides of the first game. */
async function fill(venue: TestVenue, who: Client): Promise<void> {
  await who.rests(venue.order('home', 110, 10));
  await who.rests(venue.order('away', 120, 20));
  await who.rests(venue.order('home', 110, 30, { type: 'spread', number: -6.5 }));
  await who.rests(venue.order('away', 110, 40, { type: 'spread', number: 7 }));
  await who.rests(venue.order('over', 110, 50, { number: 209.5 }));
  await who.rests(venue.order('under', 110, 60, { number: 210 }));
}

const flatBook = async (who: Client, preset: Preset, params: Record<string, string>) => {
  const [got, posted] = [
    await who.get('/exchange/v2/getOrderbook', params),
    await who.post('/exchange/v2/getOrderbook', params),
  ];
  expect(got.json).toEqual(posted.json);
  return read(family.flatReply(preset), got.json).data.games;
};

export const familyBooksSection = section('family-books', (shows) => {
  showsInBoth(
    shows,
    familyRows('book in flat form'),
    'answers a league or one game in flat form, by GET and by POST, with the line in each row',
    async (venue, preset) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      await fill(venue, alice);
      const league = await flatBook(bob, preset, { league: 'nba' });
      expect(league.map(({ id }) => id)).toEqual(venue.games.map(({ id }) => id));
      const [game] = await flatBook(bob, preset, { gameID: venue.game.id });
      expect(game).toEqual(league[0]);
      // the rows are those of the book that is keyed by line
      const single = await bob.post('/exchange/getSingleOrderbook', { gameID: venue.game.id });
      const keyed = read(family.gameReply(preset), single.json).data.game;
      const flattened = (lines: Readonly<Record<string, readonly SideOrder[]>>) => Object.values(lines).flat();
      expect(game).toEqual({
        ...keyed,
        awaySpreads: flattened(keyed.awaySpreads),
        homeSpreads: flattened(keyed.homeSpreads),
        over: flattened(keyed.over),
        under: flattened(keyed.under),
      });
      const rows = [...(game?.awaySpreads ?? []), ...(game?.homeSpreads ?? [])];
      expect(rows.map(({ spread }) => Math.abs(spread)).sort()).toEqual([6.5, 7]);
      expect([...(game?.over ?? []), ...(game?.under ?? [])].map(({ total }) => total).sort()).toEqual([209.5, 210]);
    },
  );

  showsInBoth(
    shows,
    familyRows('book in flat form', 'session'),
    'serves the books of all leagues under upcoming, ignores its case, and refuses a request without league and game',
    async (venue, preset) => {
      const alice = await venue.as('alice');
      const tennis = await venue.publish({
        league: 'ATP',
        sport: 'tennis',
        mainHomeSpread: -2.5,
        mainTotal: 22,
      });
      const closed = await venue.publish({ open: false, mainHomeSpread: -2.5, mainTotal: 22 });
      for (const league of ['upcoming', 'UPCOMING', 'Upcoming']) {
        const ids = (await flatBook(alice, preset, { league })).map(({ id }) => id);
        expect(ids).toEqual([...venue.games.map(({ id }) => id), tennis]);
        const headers = await alice.post('/exchange/v2/getGames', { league });
        expect(read(family.gamesReply, headers.json).data.games.map(({ id }) => id)).toEqual([...ids, closed]);
      }
      const sport = await flatBook(alice, preset, { league: 'upcoming', sport: 'Tennis' });
      expect(sport.map(({ id }) => id)).toEqual([tennis]);
      refused(await alice.get('/exchange/v2/getOrderbook'), 400, '"league" or "gameID" is required');
      refused(await alice.get('/exchange/v2/getOrderbook', { gameID: 'x' }), 400, 'Invalid gameID: x');
    },
  );

  showsInBoth(
    shows,
    familyRows('game header'),
    'shows the period, the market state, the matched volume and the open interest of each game',
    async (venue, preset) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const parentGameID = venue.game.id;
      const lines = { mainHomeSpread: -2.5, mainTotal: 218 };
      const half = await venue.publish({ kind: 'child', parentGameID, periodName: '1H', ...lines });
      await alice.rests(venue.order('home', 100, 100));
      await bob.takes(venue.order('away', 100, 40));
      const headers = await bob.post('/exchange/v2/getGames', { league: 'NBA' });
      const { games } = read(family.gamesReply, headers.json).data;
      expect(games.find(({ id }) => id === parentGameID)).toMatchObject({
        periodName: 'Full Time',
        isFutures: false,
        isSpecials: false,
        userCreated: false,
        featured: false,
        isMarketOpen: true,
        matchedVolume: 80,
        openInterest: 60,
      });
      expect(games.find(({ id }) => id === half)).toMatchObject({ periodName: '1H', openInterest: 0 });
      const single = await bob.post('/exchange/getSingleOrderbook', { gameID: half });
      const shown = read(family.gameReply(preset), single.json).data.game;
      // a real answer has text, the specification has numbers
      expect(shown).toMatchObject(
        preset === 'family'
          ? { mainHomeSpread: '-2.5', mainAwaySpread: 2.5, mainTotal: '218' }
          : { mainHomeSpread: -2.5, mainAwaySpread: 2.5, mainTotal: 218 },
      );
      await venue.admin('POST', `/games/${half}`, { open: false });
      const closed = await bob.post('/exchange/getSingleOrderbook', { gameID: half });
      expect(read(family.gameReply(preset), closed.json).data.game.isMarketOpen).toBe(false);
    },
  );

  showsInBoth(
    shows,
    familyRows('orderSummary'),
    'lists only the caller’s own orders in orderSummary',
    async (venue, preset) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const lines = { mainHomeSpread: -2.5, mainTotal: 218 };
      const half = await venue.publish({ kind: 'child', parentGameID: venue.game.id, periodName: '1H', ...lines });
      const period = { id: half, participants: (await alice.familyBook(half, preset)).game.participants };
      const [first, other, inHalf] = [
        await alice.rests(venue.order('home', 110, 10)),
        await alice.rests(orderOn(venue.gameAt(1), 'home', 110, 10)),
        await alice.rests(orderOn(period, 'home', 110, 10)),
      ];
      await bob.rests(venue.order('home', 110, 10));
      const summaryOf = async (who: Client, gameID: string) =>
        (await who.familyBook(gameID, preset)).orderSummary.map(({ id }) => id);
      expect(await summaryOf(alice, venue.game.id)).toEqual([first, inHalf]);
      expect(await summaryOf(alice, venue.gameAt(1).id)).toEqual([other]);
      expect(await summaryOf(alice, venue.gameAt(2).id)).toEqual([]);
      expect(await summaryOf(bob, venue.game.id)).toHaveLength(1);
    },
  );

  showsInBoth(
    shows,
    familyRows('events of a sport', 'participants'),
    'lists the events of a sport, and all participants or those of games that have not ended',
    async (venue) => {
      const alice = await venue.as('alice');
      const teams = {
        home: { id: 'p-1', name: 'First', shortName: 'F' },
        away: { id: 'p-2', name: 'Second' },
      };
      const tennis = await venue.publish({ league: 'ATP', sport: 'tennis', ...teams });
      const events = async (body: object) =>
        read(family.eventsReply, (await alice.post('/exchange/getEvents', body)).json).data.availableEvents;
      expect((await events({ sport: 'Tennis' })).map(({ id }) => id)).toEqual([tennis]);
      expect(await events({ sport: 'basketball' })).toHaveLength(3);
      expect(await events({ sport: 'curling' })).toEqual([]);
      refused(await alice.post('/exchange/getEvents', {}), 400, '"sport" is required');
      const players = async (query: Record<string, string>) =>
        read(family.participantsReply, (await alice.get('/exchange/getParticipants', query)).json).data.participants;
      const first = {
        participantID: 'p-1',
        longName: 'First',
        shortName: 'F',
        league: 'ATP',
        sport: 'tennis',
      };
      expect(await players({ active: 'true' })).toContainEqual(first);
      expect((await players({})).length).toBeGreaterThan(2);
      await venue.admin('POST', `/games/${tennis}/grade`, { home: 2, away: 1 });
      expect(await players({ active: 'true' })).not.toContainEqual(first);
      expect(await players({})).toContainEqual(first);
      expect(await events({ sport: 'tennis' })).toEqual([]);
    },
  );

  showsInBoth(
    shows,
    familyRows('pages of the app'),
    'serves the pages of the app: leagues by sport, the next games to start, the most traded games',
    async (venue, preset) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const start = new Date(Math.ceil(venue.transport.now() + 60_000)).toISOString();
      const lines = { mainHomeSpread: -2.5, mainTotal: 218 };
      const tennis = await venue.publish({ league: 'ATP', sport: 'tennis', start, ...lines });
      const live = await venue.publish({ live: true, ...lines });
      const sports = await alice.get('/exchange/getSportLeagues');
      expect(read(family.sportsReply, sports.json).data.sportsAvailable).toEqual({
        basketball: ['NBA'],
        tennis: ['ATP'],
      });
      const next = read(family.gamesReply, (await alice.get('/exchange/getUpcomingEvent')).json).data.games;
      expect(next[0]?.id).toBe(tennis);
      expect(next.map(({ id }) => id)).not.toContain(live);
      expect(next).toHaveLength(4);
      const second = venue.gameAt(1);
      await alice.rests(orderOn(second, 'home', 100, 10));
      await bob.takes(orderOn(second, 'away', 100, 10));
      const top = read(family.topReply(preset), (await alice.get('/session/getTopTraded')).json).data;
      expect(top.topTradedOrderbooks).toHaveLength(5);
      expect(top.topTradedOrderbooks[0]).toMatchObject({ id: second.id, matchedVolume: 20 });
    },
  );

  shows(
    familyRows('† book perspective'),
    'shows the taker’s prices in preset family, and matches a client that takes a row as shown',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      await alice.rests(venue.order('home', 105, 100));
      await alice.rests(venue.order('home', -120, 60, { type: 'spread', number: -6.5 }));
      await alice.rests(venue.order('under', 150, 40, { number: 209.5 }));
      const [game] = await flatBook(bob, 'family', { gameID: venue.game.id });
      const away = sideId(venue.game, 'away');
      expect(game?.awayMoneylines).toMatchObject([{ odds: -105, participantID: away, risk: 100, sumUntaken: 105 }]);
      expect(game?.awaySpreads).toMatchObject([{ odds: 120, participantID: away, spread: 6.5, sumUntaken: 50 }]);
      expect(game?.over).toMatchObject([{ odds: -150, OU: 'over', total: 209.5, sumUntaken: 60 }]);
      expect([game?.homeMoneylines, game?.homeSpreads, game?.under]).toEqual([[], [], []]);
      for (const row of [...(game?.awayMoneylines ?? []), ...(game?.awaySpreads ?? []), ...(game?.over ?? [])]) {
        const number = row.spread ?? row.total ?? undefined;
        const order = { gameID: row.gameID, type: row.type, side: row.participantID ?? row.OU, number };
        const fills = await bob.takes({ ...order, odds: row.odds, bet: row.sumUntaken }, 'fillOrKill');
        expect(fills).toMatchObject([{ orderID: row.id, odds: row.odds, risk: row.sumUntaken }]);
      }
      expect(await alice.openIds()).toEqual([]);
    },
    inFamily,
  );
});

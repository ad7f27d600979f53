// Books read over REST: the games of a league, sorted and by page; one game with its ladders, depth, rows and
// units.
import { expect } from 'vitest';
import { wireProfileSchema } from '../../../src/wire/index.ts';
import { orderOn, PUBLIC_NAMES, refused, sideId, times } from '../kit.ts';
import * as schemas from '../schemas.ts';
import { read } from '../schemas.ts';
import { rowsOf, section } from '../section.ts';
import type { Call } from '../transport.ts';

const LEAGUE = 'POST /exchange/getOrderbook (orderbook by league)';
const SINGLE = 'POST /exchange/getSingleOrderbook (orderbook by game)';
const ROW = 'Order entry in a public side feed (sideOrders item)';

export const booksSection = section('books', (shows) => {
  shows(
    [
      ...rowsOf(LEAGUE, 'Request fields', 'Response'),
      ...rowsOf('Game (orderbook entry)', 'id', 'eventName', 'league', 'sport', 'start'),
      ...rowsOf('Orderbook response wrappers', 'data.market', 'data.games', 'data.orderSummary'),
      'What the service does · “A REST API at {base_url} …”',
    ],
    'answers a league request with the league’s games, the depth of each game and an order summary',
    async (venue) => {
      const alice = await venue.as('alice');
      await alice.rests(venue.order('home', 110, 100));
      const league = await alice.league();
      expect(league.market).toBeNull();
      expect(league.games.map(({ id }) => id)).toEqual(venue.games.map(({ id }) => id));
      expect(league.games[0]?.homeMoneylines).toMatchObject([{ odds: 110, risk: 100 }]);
      for (const game of league.games) {
        expect(game).toMatchObject({ league: 'NBA', sport: 'basketball', parentGameID: null });
        expect(game).not.toHaveProperty('matchedVolume');
        expect(Date.parse(game.start)).toBeGreaterThan(venue.transport.now());
      }
      expect(league.orderSummary).toHaveLength(1);
      // these fields belong to the single-game response only
      for (const field of ['game', 'childGames', 'propGames']) expect(league).not.toHaveProperty(field);
    },
  );

  shows(
    [...rowsOf(LEAGUE, 'Request fields')],
    'filters a league by sport, ignores upper and lower case, and requires a league',
    async (venue) => {
      const alice = await venue.as('alice');
      const tennis = await venue.publish({ league: 'NBA', sport: 'tennis' });
      const ids = async (request: object): Promise<readonly string[]> =>
        (await alice.league(request)).games.map(({ id }) => id);
      expect(await ids({ sportRequested: 'tennis' })).toEqual([tennis]);
      expect(await ids({ leagueRequested: 'nba', sportRequested: 'Basketball' })).toHaveLength(3);
      expect(await ids({})).toHaveLength(4);
      expect(await ids({ leagueRequested: 'NHL' })).toEqual([]);
      refused(await alice.post('/exchange/getOrderbook', {}), 400);
    },
  );

  shows(
    [`${LEAGUE} · Errors`],
    'refuses a league book with 401 when the token is missing or invalid',
    async (venue) => {
      for (const token of [undefined, 'nonsense'])
        refused(
          await venue.transport.request('POST', '/exchange/getOrderbook', {
            token,
            body: { leagueRequested: 'NBA' },
          }),
          401,
          'InvalidCredentials',
        );
    },
  );

  shows(
    [`${LEAGUE} · Request fields`],
    'sorts the games of a league by matched volume or by open interest, largest first',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const [first, second, third] = [venue.gameAt(0), venue.gameAt(1), venue.gameAt(2)];
      await alice.rests(orderOn(second, 'home', 100, 10));
      await bob.takes(orderOn(second, 'away', 100, 10));
      await alice.rests(orderOn(third, 'home', 100, 50));
      await bob.takes(orderOn(third, 'away', 100, 50));
      await alice.rests(orderOn(first, 'home', 110, 30));
      await alice.rests(orderOn(first, 'away', 110, 30));
      await alice.rests(orderOn(second, 'over', 110, 40, { number: 200.5 }));
      const sorted = async (sortBy: string): Promise<readonly string[]> =>
        (await alice.league({ sortBy })).games.map(({ id }) => id);
      expect(await sorted('matchedVolume')).toEqual([third.id, second.id, first.id]);
      expect(await sorted('openInterest')).toEqual([first.id, second.id, third.id]);
      expect(await sorted('anything')).toEqual([first.id, second.id, third.id]);
    },
  );

  shows(
    ['Orderbook response wrappers · data.pagination', 'Discovery · paging'],
    'splits a league into pages and reports the number of games and pages',
    async (venue) => {
      const alice = await venue.as('alice');
      const pages = [];
      for (const page of [1, 2, 3]) pages.push(await alice.league({ page, limit: 3 }));
      const base = { totalDocs: 7, limit: 3, totalPages: 3 };
      expect(pages.map(({ pagination }) => pagination)).toEqual([
        { ...base, page: 1, hasPrevPage: false, hasNextPage: true },
        { ...base, page: 2, hasPrevPage: true, hasNextPage: true },
        { ...base, page: 3, hasPrevPage: true, hasNextPage: false },
      ]);
      expect(pages.flatMap(({ games }) => games.map(({ id }) => id))).toEqual(venue.games.map(({ id }) => id));
      expect((await alice.league()).pagination).toEqual({
        totalDocs: 7,
        limit: 5,
        totalPages: 2,
        page: 1,
        hasPrevPage: false,
        hasNextPage: true,
      });
    },
    { games: 7, profile: wireProfileSchema.parse({ pageSize: 5 }) },
  );

  shows(
    [
      ...rowsOf(SINGLE, 'Request fields', 'Response'),
      ...rowsOf(
        'Orderbook response wrappers',
        ...['data.market', 'data.game', 'data.orderSummary', 'data.childGames', 'data.propGames'],
      ),
      'Game (orderbook entry) · matchedVolume',
    ],
    'answers one game with its matched volume, which is the sum of both stakes',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      expect((await alice.book()).game.matchedVolume).toBe(0);
      await alice.rests(venue.order('home', 110, 100));
      await bob.takes(venue.order('away', -110, 55));
      const reply = await alice.book();
      expect(reply).toMatchObject({ market: null, childGames: [], propGames: [] });
      expect(reply.game).toMatchObject({ id: venue.game.id, matchedVolume: 105 });
      expect(reply.orderSummary).toHaveLength(1);
      for (const field of ['games', 'pagination']) expect(reply).not.toHaveProperty(field);
    },
  );

  shows(
    [`${SINGLE} · Errors`, `${SINGLE} · Request fields`, 'Errors · 400: Invalid gameID: <id>', 'Errors · 400'],
    'refuses a missing or unknown game id with 400',
    async (venue) => {
      const alice = await venue.as('alice');
      const ask = (body: object) => alice.post('/exchange/getSingleOrderbook', body);
      refused(await ask({}), 400);
      refused(await ask({ gameID: 'no-such-game' }), 400, 'Invalid gameID: no-such-game');
      refused(await alice.place(venue.order('home', 110, 10, { gameID: 'gone' })), 400, 'Invalid gameID: gone');
    },
  );

  shows(
    ['Orderbook response wrappers · data.childGames', 'Orderbook response wrappers · data.propGames'],
    'lists period markets and player props under their game and not in the league',
    async (venue) => {
      const alice = await venue.as('alice');
      const parentGameID = venue.game.id;
      const child = await venue.publish({ kind: 'child', parentGameID, periodName: '1st Half' });
      const prop = await venue.publish({ kind: 'prop', parentGameID, eventName: 'Points of a player' });
      const reply = await alice.book();
      expect(reply.childGames).toMatchObject([{ id: child, parentGameID, periodName: '1st Half' }]);
      expect(reply.propGames).toMatchObject([{ id: prop, parentGameID, eventName: 'Points of a player' }]);
      const others = await alice.book(venue.gameAt(1).id);
      expect(others).toMatchObject({ childGames: [], propGames: [] });
      expect((await alice.league()).games).toHaveLength(3);
      expect((await alice.book(child)).game).toMatchObject({ id: child, parentGameID });
    },
  );

  shows(
    ['Orderbook response wrappers · data.market', 'What the service does · “The service is a sports …”'],
    'names the market of a futures game in the league’s book and in the game’s own book',
    async (venue) => {
      const alice = await venue.as('alice');
      const id = await venue.publish({ kind: 'futures', league: 'NBA Futures', market: 'NBA Champion' });
      expect((await alice.book(id)).market).toBe('NBA Champion');
      const league = await alice.league({ leagueRequested: 'NBA Futures' });
      expect(league.market).toBe('NBA Champion');
      expect(league.games).toMatchObject([{ id, isFutures: true }]);
    },
  );

  shows(
    [
      ...rowsOf(ROW, 'id', 'type', 'risk', 'sumUntaken', 'odds', 'takenRatio', 'gameID', 'participantID'),
      ...rowsOf(ROW, 'total, spread, OU', 'expiry', 'createdAt', 'gameStartExpiry'),
      'Notation · “All identifiers (gameID, order id, …”',
      ...rowsOf('Book', 'unit of risk on an order', 'unit of sumUntaken', 'takenRatio'),
    ],
    'shows an offer with its size, its remaining size, its line and its expiry',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const before = venue.transport.now();
      const moneyline = await alice.rests(venue.order('home', -120, 120));
      const spread = await alice.rests(
        venue.order('away', 105, 40, { type: 'spread', number: 3.5, gameStartExpiry: true }),
      );
      const total = await alice.rests(venue.order('under', 100.5, 20, { number: 210, expirationMinutes: 10 }));
      await bob.takes(venue.order('away', 120, 25));
      const { game } = await bob.book();
      const shared = { gameID: venue.game.id, expiry: null, gameStartExpiry: false, takenRatio: 0 };
      expect(game.homeMoneylines).toEqual([
        {
          ...shared,
          id: moneyline,
          type: 'moneyline',
          risk: 120,
          odds: -120,
          sumUntaken: 90,
          takenRatio: 0.25,
          participantID: sideId(venue.game, 'home'),
          total: null,
          spread: null,
          OU: null,
          createdAt: expect.any(String) as unknown,
        },
      ]);
      expect(game.awaySpreads).toEqual({
        '3.5': [
          {
            ...shared,
            id: spread,
            type: 'spread',
            risk: 40,
            odds: 105,
            sumUntaken: 40,
            gameStartExpiry: true,
            participantID: sideId(venue.game, 'away'),
            total: null,
            spread: 3.5,
            OU: null,
            createdAt: expect.any(String) as unknown,
          },
        ],
      });
      const [row] = game.under['210'] ?? [];
      expect(row).toMatchObject({ id: total, odds: 100.5, total: 210, spread: null, OU: 'under' });
      expect(row?.participantID).toBeNull();
      const placedAt = Date.parse(row?.createdAt ?? '');
      expect(placedAt).toBeGreaterThanOrEqual(Math.floor(before));
      expect(placedAt).toBeLessThanOrEqual(venue.transport.now());
      expect(Math.abs(Date.parse(row?.expiry ?? '') - placedAt - 600_000)).toBeLessThanOrEqual(1);
    },
  );

  shows(
    [`${ROW} · createdBy`],
    'marks the caller’s own rows with the caller’s id and leaves all other rows unmarked',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      await alice.rests(venue.order('home', 110, 10));
      await bob.rests(venue.order('home', 110, 20));
      const rows = async (who: typeof alice) => (await who.book()).game.homeMoneylines;
      expect((await rows(alice)).map(({ createdBy }) => createdBy)).toEqual([alice.id, undefined]);
      expect((await rows(bob)).map(({ createdBy }) => createdBy)).toEqual([undefined, bob.id]);
      for (const row of await rows(await venue.as('carol'))) expect(row).not.toHaveProperty('createdBy');
    },
  );

  shows(
    ['Book · depth inside a game', 'Book · ladder order'],
    'keeps one ladder per side and line, sorted by the taker’s best price, then by age',
    async (venue) => {
      const alice = await venue.as('alice');
      const ids: string[] = [];
      for (const odds of [105, 120, -105, 105, 100, -105]) {
        ids.push(await alice.rests(venue.order('home', odds, 10)));
        await venue.transport.wait(2);
      }
      const spread = { type: 'spread' };
      await alice.rests(venue.order('home', 110, 10, { ...spread, number: -6.5 }));
      await alice.rests(venue.order('away', 110, 10, { ...spread, number: 6.5 }));
      await alice.rests(venue.order('home', 110, 10, { ...spread, number: -7 }));
      await alice.rests(venue.order('over', 110, 10, { number: 209.5 }));
      await alice.rests(venue.order('under', 110, 10, { number: 209.5 }));
      const { game } = await alice.book();
      // a lower price for the offerer is a better price for the taker
      expect(game.homeMoneylines.map(({ odds }) => odds)).toEqual([-105, -105, 100, 105, 105, 120]);
      expect(game.homeMoneylines.map(({ id }) => id)).toEqual([2, 5, 4, 0, 3, 1].map((index) => ids[index]));
      expect(game.awayMoneylines).toEqual([]);
      expect(Object.keys(game.homeSpreads).sort()).toEqual(['-6.5', '-7']);
      expect(Object.keys(game.awaySpreads)).toEqual(['6.5']);
      expect([Object.keys(game.over), Object.keys(game.under)]).toEqual([['209.5'], ['209.5']]);
    },
  );

  shows(
    ['Book · odds'],
    'accepts odds with at most one decimal from ±100 to ±100000 and refuses all others',
    async (venue) => {
      const alice = await venue.as('alice');
      for (const odds of [104.5, -104.5, 100, -100, 100_000])
        await alice.rests(venue.order('over', odds, 1, { number: 155.5 }));
      expect((await alice.openOrders()).map(({ odds }) => odds)).toEqual([104.5, -104.5, 100, 100, 100_000]);
      for (const odds of [99.9, -99.9, 0, 100_001, -100_001, 'much', null])
        refused(await alice.place({ ...venue.order('home', 110, 1), odds }), 400);
    },
  );

  shows(
    ['Book · mainHomeSpread etc.'],
    'shows the main lines of a game: the away spread is the negated home spread, a missing line is null',
    async (venue) => {
      const alice = await venue.as('alice');
      const withLines = await venue.publish({ mainHomeSpread: -4.5, mainTotal: 221 });
      expect((await alice.book(withLines)).game).toMatchObject({
        mainHomeSpread: -4.5,
        mainAwaySpread: 4.5,
        mainTotal: 221,
      });
      const without = { mainHomeSpread: null, mainAwaySpread: null, mainTotal: null };
      expect((await alice.book(await venue.publish())).game).toMatchObject(without);
    },
  );

  const perspectives = [
    ['offerer', { ladder: 'home', odds: 150, sumUntaken: 100, line: '-6.5' }],
    ['taker', { ladder: 'away', odds: -150, sumUntaken: 150, line: '6.5' }],
    [
      { odds: 'taker', side: 'offerer', line: 'offerer' },
      { ladder: 'home', odds: -150, sumUntaken: 150, line: '-6.5' },
    ],
    [
      { odds: 'offerer', side: 'taker', line: 'offerer' },
      { ladder: 'away', odds: 150, sumUntaken: 100, line: '-6.5' },
    ],
  ] as const;
  for (const [bookPerspective, expected] of perspectives) {
    shows(
      [
        'Book · perspective of odds, participantID/OU and line in the public book',
        'Book · unit of sumUntaken',
        'Book · unit of risk on an order',
      ],
      `publishes an offer in the perspective ${JSON.stringify(bookPerspective)} and always with the offerer’s risk`,
      async (venue) => {
        const alice = await venue.as('alice');
        const prices = await alice.prices();
        await alice.rests(venue.order('home', 150, 100, { type: 'spread', number: -6.5 }));
        const { game } = await alice.book();
        const shown = expected.ladder === 'home' ? game.homeSpreads : game.awaySpreads;
        const row = {
          risk: 100,
          odds: expected.odds,
          sumUntaken: expected.sumUntaken,
          spread: Number(expected.line),
          participantID: sideId(venue.game, expected.ladder),
        };
        expect(shown).toMatchObject({ [expected.line]: [row] });
        expect(await prices.sides.until()).toMatchObject({
          participantID: row.participantID,
          spread: row.spread,
          sideOrders: [row],
        });
      },
      { profile: wireProfileSchema.parse({ bookPerspective }) },
    );
  }

  shows(
    ['Handshake, login, user · public field names'],
    'adds bet to risk for clients that do not request the public names, and accepts either name in orders',
    async (venue) => {
      const alice = await venue.as('alice');
      const { risk: _none, ...rest } = venue.order('home', 110, 0);
      const older = await venue.transport.connect('/priceUpdates', { token: alice.token });
      const prices = await alice.prices();
      expect((await alice.place({ ...rest, bet: 25 })).status).toBe(200);
      const path = '/exchange/getSingleOrderbook';
      const body = { gameID: venue.game.id };
      const openOrder = async (call: Call) => {
        const reply = await venue.transport.request('POST', path, { token: alice.token, body, ...call });
        return read(schemas.gameReply, reply.json).data.game.homeMoneylines[0];
      };
      const bySocket = await older.until(({ event }) => event === 'orderUpdate');
      const [olderRow] = read(schemas.orderUpdate, JSON.parse(bySocket.payload as string)).sideOrders;
      for (const row of [await openOrder({}), olderRow]) expect(row).toMatchObject({ risk: 25, bet: 25 });
      const [publicRow] = (await prices.sides.until()).sideOrders;
      for (const row of [await openOrder({ headers: PUBLIC_NAMES }), publicRow]) {
        expect(row).toMatchObject({ risk: 25 });
        expect(row).not.toHaveProperty('bet');
      }
    },
  );

  shows(
    ['Handshake, login, user · public field names'],
    'writes bet in place of risk in the public book when the profile says so',
    async (venue) => {
      const alice = await venue.as('alice');
      const handshake = { token: alice.token, headers: PUBLIC_NAMES };
      const link = await venue.transport.connect('/priceUpdates', handshake);
      await alice.place(venue.order('home', 110, 25));
      const reply = await alice.post('/exchange/getSingleOrderbook', { gameID: venue.game.id });
      const row = { bet: 25, sumUntaken: 25, odds: 110 };
      expect(reply.json).toMatchObject({ data: { game: { homeMoneylines: [row] } } });
      expect(reply.text).not.toContain('"risk"');
      const { payload } = await link.until(({ event }) => event === 'orderUpdate');
      expect(JSON.parse(payload as string)).toMatchObject({ sideOrders: [row] });
    },
    { profile: wireProfileSchema.parse({ riskField: 'bet' }) },
  );

  shows(['Limits · rule 7'], 'does not limit the rate of reads', async (venue) => {
    const alice = await venue.as('alice');
    for (const [path, body] of [
      ['/exchange/getOrderbook', { leagueRequested: 'NBA' }],
      ['/exchange/getSingleOrderbook', { gameID: venue.game.id }],
      ['/user/getUnmatched', {}],
      ['/user/getMe', {}],
    ] as const) {
      const replies = await Promise.all(times(60, () => alice.post(path, body)));
      expect(replies.every(({ status }) => status === 200)).toBe(true);
    }
    const id = await alice.rests(venue.order('home', 110, 10));
    const lookups = await Promise.all(times(60, () => alice.get('/session/lookupOrder', { orderID: id })));
    expect(lookups.every(({ status }) => status === 200)).toBe(true);
  });
});

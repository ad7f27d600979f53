// A client of the exchange that was written from its specification alone. It runs against the paper exchange
// to show that the server follows the specification, not just the expectations of this project's own client.
//
//   node test/conformance/spec-client.mjs <restUrl> <socketUrl> <adminUrl>
//
// It needs a new server with the accounts alice and bob (10000 cash, 10000 coins) and carol (30, 30), the
// password `secret`, at least three games and no other traders.
import { Client, admin, adminUrl, answered, check, eventually, finish } from './spec-client-support.mjs';
import { is, listen, must, refusal, refused, request, shape } from './spec-client-support.mjs';
import { sleep, step, throttled, waitOut } from './spec-client-support.mjs';
import { LIMIT, POSITION, SIDE_ORDER, UNKNOWN, edited, fresh } from './spec-client-support.mjs';
import { money, participant, patiently, spread, total } from './spec-client-support.mjs';

if (!adminUrl) {
  console.error('usage: spec-client.mjs <restUrl> <socketUrl> <adminUrl>');
  process.exit(2);
}

const alice = new Client('alice');
const bob = new Client('bob');
const carol = new Client('carol');
let games = [];
/** A step that trades. It first cancels the open orders of earlier steps. */
const trade = (what, run) =>
  step(what, async () => {
    await Promise.all([alice.clear(), bob.clear()]);
    return run();
  });

const single = async (game, who = alice) =>
  (await who.post('/exchange/getSingleOrderbook', { gameID: game.id })).body.data.game;

// === Authentication and account ============================================================================

const MODE = { playerMode: is.oneOf('cash', 'coins') };
await step('log in with JSON', async () => {
  const reply = await request('POST', '/user/login', { body: { username: 'alice', password: 'secret' } });
  const { user } = answered(reply);
  shape('data.user', user, { ...is.each(is.text, 'auth id'), ...MODE, username: 'alice' });
  return `playerMode ${user.playerMode}`;
});
const clients = [alice, bob, carol];
await step('alice, bob and carol log in', async () => {
  for (const who of clients) who.user = await who.login();
});

await step('log in without a password', async () => {
  const none = await request('POST', '/user/login', { body: {} });
  refused(none, 400, 'Username and password are required');
  return refused(
    await request('POST', '/user/login', { body: { username: 'alice' } }),
    400,
    'Username and password are required',
  );
});
await step('log in with a wrong password', async () =>
  refused(await request('POST', '/user/login', { body: { username: 'alice', password: 'wrong' } }), 401),
);
await step('log in with a form', async () => {
  const reply = await request('POST', '/user/login', {
    body: 'username=alice&password=secret',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  answered(reply);
  check('data.user.auth', reply.body.data?.user?.auth, is.text);
});
await step('a second log in leaves the first token valid', async () => {
  await new Client('alice').login();
  check('getMe with the first token', (await alice.get('/user/getMe')).status, 200);
});
await step('getMe', async () => {
  const reply = await alice.get('/user/getMe');
  answered(reply);
  shape('data.user', reply.body.data?.user, { ...MODE, username: 'alice' });
  check('POST /user/getme', (await alice.post('/user/getme')).status, 200);
});
await step('accepts the token raw, as Bearer, as auth cookie, in the query and in the body', async () => {
  const ways = {
    raw: { headers: { Authorization: alice.token } },
    Bearer: { headers: { Authorization: `Bearer ${alice.token}` } },
    cookie: { headers: { Cookie: `auth=${alice.token}` } },
    query: { query: { token: alice.token } },
  };
  for (const [way, options] of Object.entries(ways))
    check(`getMe, ${way}`, (await request('GET', '/user/getMe', options)).status, 200);
  const body = { token: alice.token };
  check('getMe, body', (await request('POST', '/user/getMe', { body })).status, 200);
});
await step('no token', async () => refused(await request('GET', '/user/getMe'), 401, 'InvalidCredentials'));
await step('a wrong token', async () => {
  const token = 'not-a-token';
  refused(await request('POST', '/session/v2/place', { token, body: {} }), 401, 'InvalidCredentials');
  refused(
    await request('POST', '/exchange/getOrderbook', { token, body: { leagueRequested: 'NBA' } }),
    401,
    'InvalidCredentials',
  );
  return refused(await request('GET', '/user/getMe', { token }), 401, 'InvalidCredentials');
});

// === Reads =================================================================================================

let league = 'NBA';
const GAME = { ...is.each(is.text, 'id eventName league sport'), start: is.timestamp };
const LADDERS = { awayMoneylines: is.array, homeMoneylines: is.array };
const BY_LINE = is.each({}, 'awaySpreads homeSpreads over under');
await step('getLeagues', async () => {
  const reply = await alice.get('/exchange/getLeagues');
  answered(reply);
  must('data.availableLeagues', reply.body.data?.availableLeagues, is.array);
  [league] = reply.body.data.availableLeagues;
  check('the first league', league, is.text);
  return reply.body.data.availableLeagues.join(', ');
});
await step('getGames', async () => {
  const reply = await alice.post('/exchange/v2/getGames', { league });
  answered(reply);
  games = reply.body.data.games;
  must('data.games', games, is.array);
  for (const game of games) {
    shape('game', game, { ...GAME, ended: false, live: false });
    check('its sides', game.participants.map((p) => p.homeAway).join(), 'away,home');
    for (const p of game.participants)
      shape('participant', p, is.each(is.text, 'id longName shortName rotationNumber'));
  }
  const byGet = await alice.get('/exchange/v2/getGames', { league });
  check('the same by GET', byGet.body.data?.games?.length, games.length);
  const upcoming = await alice.post('/exchange/v2/getGames', { league: 'upcoming' });
  check('league upcoming', upcoming.body.data?.games?.length >= games.length, true);
  return `${games.length} games`;
});
const [game, game2, game3] = games;

await step('getOrderbook of a league', async () => {
  const reply = await alice.post('/exchange/getOrderbook', { leagueRequested: league });
  const data = answered(reply);
  shape('data', data, { market: null, games: is.array, orderSummary: is.array });
  const pages = { totalDocs: games.length, page: 1, hasPrevPage: false, hasNextPage: is.boolean };
  shape('data.pagination', data.pagination, { ...is.each(is.number, 'limit totalPages'), ...pages });
  for (const entry of data.games) shape('game', entry, { ...GAME, league, ...LADDERS, ...BY_LINE });
});
await step('getOrderbook by pages', async () => {
  const body = { leagueRequested: league, sportRequested: games[0].sport, sortBy: 'openInterest', limit: 1 };
  const reply = await alice.post('/exchange/getOrderbook', { ...body, page: 2 });
  const { games: page, pagination } = answered(reply);
  check('games on the page', page.length, 1);
  const counts = { totalDocs: games.length, limit: 1, page: 2, totalPages: games.length };
  check('data.pagination', pagination, { ...counts, hasPrevPage: true, hasNextPage: games.length > 2 });
});
await step('getOrderbook without leagueRequested', async () =>
  refused(await alice.post('/exchange/getOrderbook'), 400),
);
await step('getSingleOrderbook', async () => {
  const reply = await alice.post('/exchange/getSingleOrderbook', { gameID: game.id });
  answered(reply);
  const lists = is.each(is.array, 'orderSummary childGames propGames');
  shape('data', reply.body.data, { market: null, ...lists });
  shape('data.game', reply.body.data.game, { ...GAME, id: game.id, matchedVolume: is.number });
});
await step('getSingleOrderbook without and with a wrong gameID', async () => {
  refused(await alice.post('/exchange/getSingleOrderbook'), 400);
  const wrong = await alice.post('/exchange/getSingleOrderbook', { gameID: 'nope' });
  return refused(wrong, 400, 'Invalid gameID: nope');
});
await step('reads by GET and paths in mixed case', async () => {
  const byGet = await alice.get('/exchange/getSingleOrderbook', { gameID: game.id });
  check('getSingleOrderbook by GET', byGet.body.data?.game?.id, game.id);
  const league1 = await alice.get('/exchange/getOrderbook', { leagueRequested: league, limit: 1, page: 1 });
  check('getOrderbook by GET', league1.body.data?.games?.length, 1);
  const mixed = await alice.post('/Exchange/GetSingleOrderBook', { gameID: game.id });
  check('/Exchange/GetSingleOrderBook', mixed.body.data?.game?.id, game.id);
});
await step('an unknown path has the error envelope', async () => refused(await alice.post('/session/nothing'), 404));

// === Socket handshake ======================================================================================

const NS = '/v2/user/alice';
await step('accepts a socket handshake with the token in the header, in the query or as Bearer', async () => {
  const { token } = alice;
  check('header', await refusal(NS, { token }), 'connected');
  check('query', await refusal(NS, { token, via: 'query' }), 'connected');
  check('Bearer', await refusal(NS, { token: `Bearer ${token}` }), 'connected');
  check('/priceUpdates, query', await refusal('/priceUpdates', { token, via: 'query' }), 'connected');
  const transports = ['polling', 'websocket'];
  check('starting on polling', await refusal(NS, { token, transports }), 'connected');
});
await step('refuses a socket handshake without a valid token or namespace', async () => {
  const { token } = alice;
  check('no token', await refusal(NS), 'not authorized');
  check('no token on /priceUpdates', await refusal('/priceUpdates'), 'not authorized');
  check('a wrong token', await refusal(NS, { token: 'wrong' }), 'not authorized');
  check('a wrong token in the query', await refusal(NS, { token: 'wrong', via: 'query' }), 'not authorized');
  check("another user's namespace", await refusal('/v2/user/bob', { token }), 'not authorized');
  check('the internal id', await refusal(`/v2/user/${alice.user.id}`, { token }), 'not authorized');
  const unknown = await refusal('/v2/nothing', { token });
  check('an unknown namespace', unknown !== 'connected', true);
  return `an unknown namespace: ${unknown}`;
});
await step('all clients connect and switch to the same mode', async () => {
  for (const who of clients) await who.listen();
  for (const who of clients) await who.mode('coins');
});

// === Place =================================================================================================

/** The next ladder in the feed that contains, or no longer contains, this order. */
const ladder = (who, id, has = true, options) =>
  who.prices.until(
    `orderUpdate ${has ? 'with' : 'without'} ${id} to ${who.name}`,
    (d, name) => name === 'orderUpdate' && d.sideOrders?.some((o) => o.id === id) === has,
    options,
  );

/** Waits until the price feed shows the order's ladder without the order. */
const emptied = (id) => {
  const last = bob.prices.events.findLast((e) => e.raw.includes(id)).data;
  const key = (d) => [d.gameID, d.type, d.participantID, d.OU, d.spread, d.total].join();
  const after = bob.prices.events.findLastIndex((e) => e.raw.includes(id));
  return bob.prices.until(`the ladder without ${id}`, (d) => key(d) === key(last), { after: after + 1 });
};

await trade('a posted offer: reply, positionUpdate, orderUpdate', async () => {
  const userReference = fresh('post');
  const reply = await alice.place(money(game, 'home', 105, 100, { userReference }));
  answered(reply);
  check('the number of createdSessions', reply.body.data.createdSessions?.length, 1);
  const { matched, unmatched } = reply.body.data.createdSessions[0];
  check('matched', matched, []);
  const side = participant(game, 'home');
  const offer = { offered: 100, remaining: 100, odds: 105, type: 'moneyline', side, userReference };
  shape('unmatched', unmatched, { orderID: is.text, ...offer });
  const id = unmatched.orderID;

  const posted = await alice.orders.until('posted', (d) => d.unmatched?.orderID === id);
  shape('positionUpdate', posted, { ...POSITION, gameID: game.id, matched: null, origin: 'offer' });
  check('positionUpdate.start', posted.start, game.start);
  shape('unmatched', posted.unmatched, { odds: 105, offered: 100, filled: 0, remaining: 100 });

  const seen = await ladder(bob, id);
  shape('orderUpdate', seen, { gameID: game.id, sport: game.sport, league, live: false, type: 'moneyline' });
  check('orderUpdate.participantID', seen.participantID, side);
  const amounts = { risk: 100, sumUntaken: 100, odds: 105, takenRatio: 0 };
  const entry = { ...SIDE_ORDER, id, ...amounts, gameID: game.id, participantID: side, createdBy: is.absent };
  shape('sideOrders[0]', seen.sideOrders[0], entry);
  const own = await ladder(alice, id);
  check("createdBy on the owner's socket", own.sideOrders[0].createdBy, alice.user.id);

  const book = await single(game, bob);
  check('homeMoneylines in the book', book.homeMoneylines, is.ids(id));
  shape('homeMoneylines[0]', book.homeMoneylines[0], entry);
});

await trade('spread and total offers: orderUpdates and book', async () => {
  const [spreadId, totalId] = await alice.offers(
    spread(game, 'away', 4.5, -110, 20),
    total(game, 'over', 209.5, 102.5, 20),
  );
  const s = await ladder(bob, spreadId);
  const mains = is.each(is.orNull(is.number), 'mainHomeSpread mainAwaySpread');
  const participantID = participant(game, 'away');
  shape('orderUpdate (spread)', s, { type: 'spread', spread: 4.5, participantID, ...mains });
  shape('sideOrders[0]', s.sideOrders[0], { ...SIDE_ORDER, spread: 4.5, odds: -110, participantID });
  const t = await ladder(bob, totalId);
  const line = { type: 'total', OU: 'over', total: 209.5, participantID: null };
  shape('orderUpdate (total)', t, { ...line, mainTotal: is.orNull(is.number) });
  shape('sideOrders[0]', t.sideOrders[0], { ...SIDE_ORDER, ...line, odds: 102.5 });
  const book = await single(game);
  check('awaySpreads["4.5"]', book.awaySpreads['4.5'], is.ids(spreadId));
  check('over["209.5"]', book.over['209.5'], is.ids(totalId));
});

await trade('a partial take, then a take of the rest', async () => {
  const id = await alice.offer(money(game, 'home', 105, 100));
  const userReference = fresh('take');
  const [taken] = await bob.placed(money(game, 'away', -105, 21, { ...LIMIT, userReference }));
  check('unmatched of the taker', taken.unmatched, {});
  check('the number of fills', taken.matched.length, 1);
  const fill = { txID: is.text, odds: -105, risk: 21, win: is.about(20), amount: is.number };
  const which = { type: 'moneyline', side: participant(game, 'away'), orderID: id, userReference };
  shape('matched[0]', taken.matched[0], { ...fill, ...which });
  const { txID } = taken.matched[0];

  const maker = await alice.orders.until('partly taken', (d) => d.unmatched?.orderID === id && d.matched);
  shape('positionUpdate (owner)', maker, { ...POSITION, origin: 'offer' });
  const state = { odds: 105, offered: 100, filled: is.about(20), remaining: is.about(80) };
  shape('unmatched', maker.unmatched, state);
  shape('matched', maker.matched, { txID: is.text, filled: is.about(20), odds: 105 });
  const taker = await bob.took(txID);
  shape('positionUpdate (taker)', taker, { ...POSITION, unmatched: null });
  shape('matched', taker.matched, { filled: is.about(21), odds: -105 });
  const rest = await alice.prices.until('80 left', (d) => d.sideOrders?.some((o) => o.id === id && o.sumUntaken < 100));
  const left = { risk: 100, sumUntaken: is.about(80, 0.005), takenRatio: is.about(0.2) };
  shape('sideOrders[0]', rest.sideOrders[0], left);

  for (const [who, tx, view] of [
    [alice, maker.matched.txID, 105],
    [bob, txID, -105],
  ]) {
    const found = await who.get('/session/lookupOrder', { txID: tx });
    check(`data.order.odds for ${who.name}`, answered(found).order?.odds, view);
    const bet = await who.get('/user/getBetByID', { txID: tx });
    answered(bet);
    shape(`bet of ${who.name}`, bet.body.bet, { txID: tx, odds: view });
  }

  await bob.placed(money(game, 'away', -105, 84, LIMIT));
  const full = await alice.changed(id, 'fully taken', (u, m) => m && u.remaining === 0);
  shape('unmatched', full.unmatched, { offered: 100, filled: is.about(100), remaining: 0 });
  shape('matched', full.matched, { filled: is.about(80), odds: 105 });
  check('another txID', full.matched.txID !== maker.matched.txID, true);
  const empty = await emptied(id);
  shape('the empty ladder', empty, { participantID: participant(game, 'home'), sideOrders: [] });
  check('matchedVolume of the game', (await single(game)).matchedVolume, is.positive);
});

await trade('the remainder of a limit order rests', async () => {
  const id = await alice.offer(money(game, 'home', -120, 12));
  const [result] = await bob.placed(money(game, 'away', 110, 50, LIMIT));
  shape('matched[0]', result.matched[0], { risk: is.about(10), odds: 120, orderID: id });
  shape('unmatched', result.unmatched, { orderID: is.text, remaining: is.about(40), odds: 110 });
  const rest = await bob.changed(result.unmatched.orderID, 'posted', (u, m) => m === null);
  shape('positionUpdate.unmatched', rest.unmatched, { filled: 0, remaining: is.about(40) });
  check('it rests in the book', (await single(game)).awayMoneylines, is.ids(result.unmatched.orderID));
  return `the price improved to ${result.matched[0].odds}; the rest is offered ${rest.unmatched.offered}`;
});
await trade('a stake that does not divide evenly is still one fill', async () => {
  for (const [odds, risk] of [
    [105, 5],
    [107.5, 13],
    [-110, 7],
  ]) {
    const id = await alice.offer(money(game, 'home', odds, 50));
    const [{ matched, unmatched }] = await bob.placed(money(game, 'away', -odds, risk, LIMIT));
    const fills = matched.map((m) => [m.orderID, m.risk, m.odds]);
    check(`fills of ${risk} at ${-odds}`, fills, [[id, risk, -odds]]);
    check('unmatched', unmatched, {});
    await alice.cancel(id);
  }
});
await trade('no orderType means limit', async () => {
  const id = await alice.offer(money(game, 'home', 105, 10));
  const [result] = await bob.placed(money(game, 'away', -105, 21, { orderType: undefined }));
  check('the counterparty', result.matched[0]?.orderID, id);
  check('the remainder rests', result.unmatched.remaining, is.about(10.5));
});
await trade('an orderType that the spec does not name takes crossing offers', async () => {
  const id = await alice.offer(money(game, 'home', 105, 10));
  const reply = await bob.place(money(game, 'away', -105, 5, { orderType: 'take' }));
  answered(reply);
  check('the counterparty', reply.body.data.createdSessions[0].matched?.[0]?.orderID, id);
});
await trade('fillAndKill drops the remainder', async () => {
  const id = await alice.offer(money(game, 'home', 105, 10));
  const [result] = await bob.placed(money(game, 'away', -105, 50, { orderType: 'fillAndKill' }));
  shape('matched[0]', result.matched[0], { risk: is.about(10.5), orderID: id });
  check('unmatched', result.unmatched, {});
  check('open orders of the taker', await bob.unmatched(), []);
});
await trade('fillOrKill takes all', async () => {
  const id = await alice.offer(money(game, 'home', 105, 10));
  const [result] = await bob.placed(money(game, 'away', -105, 10.5, { orderType: 'fillOrKill' }));
  shape('matched[0]', result.matched[0], { risk: is.about(10.5), orderID: id });
});
await trade('fillOrKill too large takes nothing', async () => {
  const id = await alice.offer(money(game, 'home', 105, 10));
  const reply = await bob.place(money(game, 'away', -105, 50, { orderType: 'fillOrKill' }));
  const seen = refused(reply, 409, /^Order size exceeds quantity available, which is \$\d+\.\d\d$/);
  shape('the offer', (await single(game)).homeMoneylines[0], { id, takenRatio: 0, sumUntaken: 10 });
  return seen;
});
await trade('a post that would cross is refused', async () => {
  await alice.offer(money(game, 'home', 105, 10));
  const crossing = money(game, 'away', -105, 10);
  const reply = await bob.place(crossing);
  const seen = refused(reply, is.oneOf(400, 409));
  const batch = await bob.place(crossing, money(game, 'away', -110, 10), money(game, 'away', 110, 10));
  const sessions = answered(batch).createdSessions;
  shape('createdSessions[0]', sessions[0], { error: is.text, errorType: 'rejected_order_type_rules' });
  check('createdSessions[1].errorType', sessions[1].errorType, 'rejected_order_type_rules');
  check('createdSessions[2].unmatched.orderID', sessions[2].unmatched?.orderID, is.text);
  return seen;
});
await trade('own order: refused in cash mode only', async () => {
  try {
    await alice.mode('cash');
    const id = await alice.offer(money(game, 'home', 105, 10));
    const reply = await alice.place(money(game, 'away', -105, 5, LIMIT));
    const seen = refused(reply, 409, `You cannot fill your own order: ${id}`);
    check('the offer still rests', await alice.isOpen(id), true);
    await alice.cancel(id);
    await alice.mode('coins');
    const coins = await alice.offer(money(game, 'home', 105, 10));
    const [own] = await alice.placed(money(game, 'away', -105, 5, LIMIT));
    check('the counterparty in coins mode', own.matched[0]?.orderID, coins);
    await alice.changed(coins, 'taken', (u, m) => m !== null);
    await alice.took(own.matched[0].txID);
    return seen;
  } finally {
    await alice.mode('coins');
  }
});
await trade('best price first, then the oldest', async () => {
  const prices = [110, 105, 110];
  const [first, best, second] = await alice.offers(...prices.map((odds) => money(game, 'home', odds, 20)));
  check('homeMoneylines', (await single(game)).homeMoneylines, is.ids(best, first, second));
  check('sideOrders', (await ladder(bob, second)).sideOrders, is.ids(best, first, second));
  // All of the best, all of the first and a quarter of the second, each at its own price.
  const [{ matched }] = await bob.placed(money(game, 'away', -110, 21 + 22 + 5.5, LIMIT));
  const fills = matched.map((m) => [m.orderID, m.odds]);
  const wanted = [best, first, second].map((id, i) => [id, [-105, -110, -110][i]]);
  check('the counterparties and odds', fills, wanted);
  await alice.changed(second, 'partly taken', (u) => u.remaining === 15);
  for (const { txID } of matched) await bob.took(txID);
});
await trade('only exactly the same line matches', async () => {
  const [id, over] = await alice.offers(spread(game, 'home', -3.5, -105, 21), total(game, 'over', 200.5, 100, 20));
  const [other, same, higher, under] = await bob.placed(
    spread(game, 'away', 4.5, 105, 10, LIMIT),
    spread(game, 'away', 3.5, 105, 10, LIMIT),
    total(game, 'under', 201.5, 100, 10, LIMIT),
    total(game, 'under', 200.5, 100, 10, LIMIT),
  );
  check('away +4.5 against home -3.5', other.matched, []);
  check('under 201.5 against over 200.5', higher.matched, []);
  const [line, sum] = [same.matched[0], under.matched[0]];
  shape('away +3.5 against home -3.5', line, { orderID: id, number: 3.5, risk: 10, odds: 105 });
  shape('under 200.5 against over 200.5', sum, { orderID: over, number: 200.5, side: 'under' });
});
await trade('a batch has positional results', async () => {
  const before = alice.orders.mark;
  const references = [fresh('batch'), fresh('batch')];
  const reply = await alice.place(
    money(game, 'home', 105, 10, { userReference: references[0] }),
    money(game, 'home', 105, 0.1),
    { ...money(game, 'home', 105, 10), side: UNKNOWN },
    money(game, 'home', 105, 1000.01),
    total(game, 'over', 210.5, 105, 10, { userReference: references[1] }),
  );
  const sessions = answered(reply).createdSessions;
  check('the number of results', sessions.length, 5);
  check('[0]', sessions[0].unmatched?.userReference, references[0]);
  check('[4]', sessions[4].unmatched?.userReference, references[1]);
  for (const i of [1, 2, 3])
    shape(`[${i}]`, sessions[i], { error: is.text, errorType: 'validation_error', unmatched: is.absent });
  await alice.changed(sessions[4].unmatched.orderID, 'posted', () => true, { after: before });
  check('open orders', (await alice.unmatched()).length, 2);
  return `refused: ${[1, 2, 3].map((i) => sessions[i].error).join(' / ')}`;
});
await trade('a batch of more than 20 acts on nothing', async () => {
  const reply = await alice.place(...Array.from({ length: 21 }, () => money(game, 'home', 105, 1)));
  const seen = refused(reply, 400);
  check('open orders', await alice.unmatched(), []);
  return seen;
});
await trade('limits of size: 400 below the minimum, 403 above the maximum', async () => {
  refused(await alice.place(money(game, 'home', 105, 0.1)), 400);
  check('risk 1000', (await alice.place(money(game, 'home', 105, 1000))).status, 200);
  const tooLarge = 'Order size exceeds maximum limit of 1000.00';
  refused(await alice.place(money(game, 'home', 105, 1000.01)), 403, tooLarge);
  const id = await alice.offer(money(game, 'home', 105, 10));
  const edit = await alice.edit({ sessionID: id, orderOdds: 105, orderVolume: 1000.01, orderType: 'post' });
  return refused(edit, 403, tooLarge);
});
await step('credit', async () => {
  const tooMuch = 'Order size exceeds available credit';
  const seen = refused(await carol.place(money(game, 'home', 105, 31)), 409, tooMuch);
  const reply = await carol.place(money(game, 'home', 105, 20), total(game, 'over', 210.5, 105, 20));
  const [first, second] = reply.body.data.createdSessions;
  check('20 of 30', first.unmatched?.remaining, 20);
  shape('another 20', second, { error: tooMuch, errorType: 'rejected_liability' });
  await carol.clear();
  return seen;
});
await trade('an offer expires', async () => {
  const at = Date.now();
  const id = await alice.offer(money(game, 'home', 105, 10, { expirationMinutes: 0.02 }));
  const { expiry } = (await ladder(bob, id)).sideOrders[0];
  check('expiry', expiry, is.timestamp);
  check('expiry in seconds', (Date.parse(expiry) - at) / 1000, is.about(1.2, 0.5));
  const end = await alice.gone(id, { ms: 4000 });
  shape('positionUpdate', end, { ...POSITION, origin: 'offer', matched: null });
  const seconds = (Date.now() - at) / 1000;
  check('seconds until it was cancelled', seconds, is.about(1.4, 0.6));
  await emptied(id);
  const never = await alice.offer(money(game, 'home', 105, 10, { expirationMinutes: 0 }));
  check('expirationMinutes 0', (await ladder(bob, never)).sideOrders[0].expiry, null);
  return `${seconds} s`;
});
await trade('invalid numbers are refused', async () => {
  const good = money(game, 'home', 105, 10);
  const line = spread(game, 'home', -3.5, -105, 10);
  const bad = [
    ...[0, 50, -99, 100001, null, 'abc'].map((odds) => ({ ...good, odds })),
    ...[0, -5, null, 'abc', {}].map((risk) => ({ ...good, risk })),
    ...[undefined, null, 'abc', 1e9].map((number) => ({ ...line, number })),
    { ...good, gameID: UNKNOWN },
    { ...good, type: 'futures' },
    { ...good, side: 'over' },
    { ...good, expirationMinutes: -1 },
  ];
  await Promise.all(bad.map(async (o, i) => refused(await clients[i % 3].place(o), 400)));
  // JSON has no NaN, and 1e999 reads as Infinity.
  const raw = (name, value) => JSON.stringify({ orders: [{ ...good, [name]: '@' }] }).replace('"@"', value);
  refused(await carol.paced('place', '/session/v2/place', raw('odds', 'NaN')), 400);
  refused(await carol.paced('place', '/session/v2/place', raw('odds', '1e999')), 400);
  refused(await carol.paced('place', '/session/v2/place', raw('risk', '1e999')), is.oneOf(400, 403));
  for (const body of [{}, { orders: [] }, { orders: 'x' }, { orders: [null] }, []])
    refused(await carol.paced('place', '/session/v2/place', body), 400);
  for (const who of clients) check(`open orders of ${who.name}`, await who.unmatched(), []);
  return `${bad.length + 8} bodies`;
});
await trade('an expiry beyond every date is refused and breaks no reads', async () => {
  try {
    const id = await alice.offer(money(game3, 'away', 105, 10));
    refused(await alice.edit(edited(id, 106, 10, { expiryChange: 1e12 })), 400);
    refused(await alice.place(money(game3, 'home', 105, 10, { expirationMinutes: 1e12 })), 400);
    check('status of getUnmatched', (await alice.get('/user/getUnmatched')).status, 200);
    const book = await bob.post('/exchange/getSingleOrderbook', { gameID: game3.id });
    check('status of the book for bob', book.status, 200);
  } finally {
    // If the order rests in spite of it, only this call needs no list of open orders.
    await alice.post('/session/cancelAllOrders');
    const read = () => alice.get('/user/getUnmatched');
    await eventually('getUnmatched is empty', async () => (await read()).body.data?.unmatched?.length === 0);
  }
});
await trade('a value is kept or refused, but never silently changed', async () => {
  const odds = await alice.place(money(game, 'home', 105.55, 10));
  if (odds.status !== 400) check('odds 105.55 became', answered(odds).createdSessions[0].unmatched?.odds, 105.55);
  const named = await alice.place(money(game, 'home', 105, 10, { userReference: 12345 }));
  if (named.status !== 400)
    check('userReference 12345', answered(named).createdSessions[0].unmatched?.userReference, '12345');
});
await step('a body that is no JSON and a huge body are refused', async () => {
  refused(await carol.paced('place', '/session/v2/place', '{"orders": ['), 400);
  refused(await request('POST', '/user/login', { body: '{' }), 400);
  const huge = { orders: [{ userReference: 'x'.repeat(2_000_000) }] };
  return refused(await carol.paced('place', '/session/v2/place', huge), is.oneOf(400, 413));
});
// The options of a client that does not send the header X-API-Version.
const OLD = { headers: { 'X-API-Version': undefined } };
await trade('/session/v3/place accepts bet instead of risk', async () => {
  const { risk, ...rest } = money(game, 'home', 105, 10);
  const orders = [{ ...rest, bet: risk }];
  const reply = await alice.paced('place', '/session/v3/place', { orders }, OLD);
  const id = answered(reply).createdSessions[0].unmatched?.orderID;
  const found = (await alice.unmatched()).find((o) => o.id === id);
  shape('the order', found, { risk: 10, odds: 105 });
});
await trade('the book and the feed have risk, with and without X-API-Version', async () => {
  const feed = await listen('/priceUpdates', { token: alice.token, ...OLD });
  const id = await alice.offer(money(game, 'home', 105, 10));
  for (const { headers } of [{}, OLD]) {
    const asked = { token: alice.token, query: { gameID: game.id }, headers };
    const reply = await request('GET', '/exchange/getSingleOrderbook', asked);
    shape('homeMoneylines[0]', answered(reply).game.homeMoneylines[0], { id, risk: 10 });
  }
  const update = await feed.until('orderUpdate', (d) => d.sideOrders?.some((o) => o.id === id));
  feed.close();
  shape('sideOrders[0]', update.sideOrders[0], { risk: 10 });
});
await trade('replies without X-API-Version have the older name bet', async () => {
  await alice.offer(money(game, 'home', 105, 10));
  const reply = await request('GET', '/user/getUnmatched', { token: alice.token, ...OLD });
  shape('data.unmatched[0]', reply.body.data.unmatched[0], { bet: 10 });
});

// === Edit ==================================================================================================

await trade('an edit cancels the old order and posts a new one', async () => {
  const userReference = fresh('edit');
  const old = await alice.offer(money(game, 'home', 105, 10, { userReference }));
  const after = alice.orders.mark;
  const reply = await alice.edit(edited(old, 110, 15));
  answered(reply);
  const { cancelled, matched, unmatched } = reply.body.data;
  const posted = { orderID: is.text, offered: 15, remaining: 15, odds: 110, userReference };
  shape('data.cancelled', cancelled, { success: true, orderID: old });
  check('data.matched', matched, []);
  shape('data.unmatched', unmatched, posted);
  check('the id is new', unmatched.orderID !== old, true);
  await alice.changed(unmatched.orderID, 'posted', (u) => u.offered === 15);
  const seen = alice.orders.all((d) => d.unmatched, after).map((e) => e.data.unmatched);
  const feed = seen.map((u) => `${u.orderID} ${u.offered}`);
  check('the feed', feed, [`${old} 0`, `${unmatched.orderID} 15`]);
  check('the book', (await single(game)).homeMoneylines, is.ids(unmatched.orderID));
  const [open] = await alice.unmatched();
  check('the open order', open.userReference, userReference);
  check('expiryChange in minutes', (Date.parse(open.expiry) - Date.now()) / 60_000, is.about(60, 1));
});
await trade("an edit that crosses another user's offer takes it", async () => {
  const offer = await alice.offer(money(game, 'home', 105, 10));
  const mine = await bob.offer(money(game, 'away', 110, 50));
  const reply = await bob.edit(edited(mine, -105, 50, LIMIT));
  answered(reply);
  shape('data.matched[0]', reply.body.data.matched[0], { orderID: offer, odds: -105, risk: is.about(10.5) });
  check('data.unmatched.remaining', reply.body.data.unmatched.remaining, is.about(39.5));
  await bob.gone(mine);
});
await trade("an edit of another user's, an unknown or an ended order is refused", async () => {
  const id = await bob.offer(money(game, 'home', 105, 10));
  refused(await alice.edit(edited(id, 110, 10)), 403, `Not your order: ${id}`);
  check("the other user's offer", await bob.isOpen(id), true);
  refused(await alice.edit(edited(UNKNOWN, 110, 10)), 404);
  refused(await bob.edit({ sessionID: id, orderOdds: 110 }), 400);
  const done = await alice.offer(money(game, 'home', 115, 10));
  await alice.cancel(done);
  return refused(await alice.edit(edited(done, 110, 10)), is.oneOf(404, 409));
});

// === Cancel ================================================================================================

await trade('a cancel of a partly filled offer', async () => {
  const userReference = fresh('cancel');
  const id = await alice.offer(money(game, 'home', 105, 10, { userReference }));
  await bob.placed(money(game, 'away', -105, 4.2, LIMIT));
  const reply = await alice.cancel(id);
  answered(reply);
  const result = { success: true, sessionID: id, odds: 105, offered: 0, gameID: game.id, userReference };
  shape('data', reply.body.data, { ...result, filled: is.about(4), remaining: is.about(6) });
  shape('positionUpdate', await alice.gone(id), { ...POSITION, origin: 'offer', matched: null });
  await emptied(id);
  check('the book', (await single(game)).homeMoneylines, []);
});
await trade("a cancel of another user's, an unknown or an ended order is refused", async () => {
  const cancelled = await alice.offer(money(game, 'home', 105, 10));
  await alice.cancel(cancelled);
  const again = refused(await alice.cancel(cancelled), is.oneOf(404, 409));
  const filled = await alice.offer(money(game, 'home', 105, 10));
  await bob.placed(money(game, 'away', -105, 10.5, LIMIT));
  const late = refused(await alice.cancel(filled), 409);
  refused(await alice.cancel(UNKNOWN), 404, `Order not found: ${UNKNOWN}`);
  refused(await alice.paced('cancel', '/session/cancel', {}), 400);
  const other = await bob.offer(money(game, 'home', 105, 10));
  refused(await alice.cancel(other), 403, `Not your order: ${other}`);
  check("the other user's offer", await bob.isOpen(other), true);
  return `cancelled: ${again}; filled: ${late}`;
});
await trade('cancelMultiple has positional results', async () => {
  const mine = await alice.offers(money(game, 'home', 105, 10), money(game, 'home', 106, 10));
  const other = await bob.offer(money(game, 'home', 107, 10));
  const asked = [mine[0], UNKNOWN, other, mine[1]];
  const reply = await alice.cancelMultiple(asked);
  answered(reply);
  must('data', reply.body.data, is.array);
  const results = reply.body.data.map((r) => [r.sessionID, r.success]);
  const wanted = asked.map((id) => [id, mine.includes(id)]);
  check('sessionID and success', results, wanted);
  for (const id of mine) await alice.gone(id);
  check("the other user's offer", await bob.isOpen(other), true);
  refused(await alice.paced('cancel', '/session/cancelMultiple', { sessionIDs: 'x' }), 400);
  return `reasons: ${reply.body.data[1].reason} / ${reply.body.data[2].reason}`;
});
await trade('cancelByReference', async () => {
  const userReference = fresh('reference');
  const [id, stays] = await alice.offers(
    money(game, 'home', 105, 10, { userReference }),
    money(game, 'home', 105, 10, { userReference: fresh('reference') }),
  );
  const path = '/session/cancelByReference';
  const reply = await alice.paced('cancel', path, { gameID: game.id, userReferences: [userReference] });
  answered(reply);
  await alice.gone(id);
  check('the other reference', await alice.isOpen(stays), true);
  return JSON.stringify(reply.body).slice(0, 120);
});
const bulk = async (path, body) => {
  const reply = await alice.post(path, body);
  check(`${reply.asked} data.ordersReceived`, answered(reply).ordersReceived, true);
};
await trade('cancelAllOrdersForGame sets no lock', async () => {
  const other = await bob.offer(money(game, 'home', 105, 10));
  const [elsewhere, line, ...mine] = await alice.offers(
    money(game2, 'home', 105, 10),
    spread(game, 'home', -3.5, 105, 10),
    ...Array.from({ length: 5 }, () => money(game, 'home', 105, 10)),
  );
  await bulk('/session/cancelAllOrdersForGame', { gameID: game.id, type: 'moneyline' });
  // It cancels after its reply and sets no lock.
  const cancel = await alice.cancel(elsewhere);
  check(`cancel in another game meanwhile (${JSON.stringify(cancel.body)})`, cancel.status, 200);
  for (const id of mine) await alice.gone(id);
  check('another type stays', await alice.isOpen(line), true);
  await bulk('/session/cancelAllOrdersForGame', { gameID: game.id });
  await alice.gone(line);
  check("the other user's offer", await bob.isOpen(other), true);
});
await trade('cancelAllForLeague', async () => {
  const mine = await alice.offers(money(game, 'home', 105, 10), money(game2, 'home', 105, 10));
  await bulk('/session/cancelAllForLeague', { league: 'no such league' });
  check('open after another league', (await alice.unmatched()).length, 2);
  await bulk('/session/cancelAllForLeague', { league });
  for (const id of mine) await alice.gone(id);
});
await trade('cancelAllOrders sets the lock and cancels about 15 orders per second', async () => {
  const batch = (n) => alice.offers(...Array.from({ length: n }, () => money(game, 'home', 105, 1)));
  const open = [...(await batch(20)), ...(await batch(11))];
  const after = alice.orders.mark;
  const began = Date.now();
  await bulk('/session/cancelAllOrders');
  const last = open.at(-1);
  const seen = throttled(await alice.cancel(last), 423, 'CANCEL_ALL_IN_PROGRESS');
  throttled(await alice.cancelMultiple([last]), 423, 'CANCEL_ALL_IN_PROGRESS');
  const byReference = { gameID: game.id, userReferences: ['x'] };
  const path = '/session/cancelByReference';
  throttled(await alice.paced('cancel', path, byReference), 423, 'CANCEL_ALL_IN_PROGRESS');
  const late = await alice.offer(money(game, 'home', 105, 1));
  const locked = await alice.cancel(late);
  throttled(locked, 423, 'CANCEL_ALL_IN_PROGRESS');
  const mayRetry = waitOut(locked);
  await alice.orders.until('31 cancels', (d) => d.unmatched?.offered === 0, { after, ms: 6000, count: 31 });
  const rate = 31 / ((Date.now() - began) / 1000);
  check('cancels per second', rate, is.about(15, 4));
  check('the order placed meanwhile', await alice.isOpen(late), true);
  await mayRetry;
  check('cancel after retryAfterSeconds', (await alice.cancel(late)).status, 200);
  await alice.gone(late);
  return `${rate.toFixed(1)} per second, ${seen}`;
});
await trade('pauseOrders cancels all orders under the same lock', async () => {
  const placed = await alice.offers(...Array.from({ length: 8 }, () => money(game, 'home', 105, 1)));
  const reply = await alice.post('/session/pauseOrders');
  answered(reply);
  const id = placed.at(-1);
  throttled(await alice.cancel(id), 423, 'CANCEL_ALL_IN_PROGRESS');
  await alice.gone(id);
  await eventually('individual cancels work again', async () => (await alice.cancel(UNKNOWN)).status === 404);
});

// === Player mode ===========================================================================================

await step('player mode: invalid values are refused', async () => {
  const path = '/user/updateCoinsOrCash';
  for (const playerMode of ['Cash', '', 'sweepstakes', undefined, 1])
    refused(await carol.post(path, { playerMode }), 400, 'Error! Invalid method of play');
  const withoutToken = await request('POST', path, { body: { playerMode: 'cash' } });
  refused(withoutToken, 401, 'InvalidCredentials');
  check('the mode', (await carol.me()).playerMode, 'coins');
});
await step('player mode: it can be switched, persists, and has its own balance', async () => {
  try {
    const coins = await carol.offer(money(game, 'home', 105, 25));
    await carol.mode('cash');
    check('getMe', (await carol.me()).playerMode, 'cash');
    check('a new log in', (await new Client('carol').login()).playerMode, 'cash');
    check('the open offer stays', await carol.isOpen(coins), true);
    // 25 of the 30 coins are reserved, and no cash.
    const cash = await carol.offer(total(game, 'over', 210.5, 105, 25));
    const more = await carol.place(total(game, 'over', 211.5, 105, 25));
    refused(more, 409, 'Order size exceeds available credit');
    await carol.mode('coins');
    const again = await carol.place(total(game, 'over', 211.5, 105, 25));
    refused(again, 409, 'Order size exceeds available credit');
    for (const id of [coins, cash]) check('cancel', (await carol.cancel(id)).status, 200);
  } finally {
    await carol.mode('coins');
  }
});

// === Look-ups ==============================================================================================

await trade('getUnmatched, getOrdersForGame, lookupOrder, getBetByUserReference', async () => {
  const userReference = fresh('lookup');
  const [id, elsewhere] = await alice.offers(
    money(game, 'home', 105, 100, { userReference }),
    money(game2, 'home', 105, 10),
  );
  const [{ matched }] = await bob.placed(money(game, 'away', -105, 21, LIMIT));
  const { txID } = (await alice.changed(id, 'partly taken', (u, m) => m !== null)).matched;
  const terms = { type: 'moneyline', participantID: participant(game, 'home'), spread: null, total: null };
  const amounts = { risk: 100, odds: 105, offered: 100, filled: is.about(20), remaining: is.about(80) };
  const open = { id, userReference, ...terms, ...amounts, expiry: null, createdAt: is.timestamp };
  const find = (list, key, value) => list?.find?.((o) => o[key] === value);
  const unmatched = await alice.unmatched();
  check('getUnmatched', unmatched.map((o) => o.id).sort(), [id, elsewhere].sort());
  shape('data.unmatched[]', find(unmatched, 'id', id), open);

  const reply = await alice.get('/user/getOrdersForGame', { gameID: game.id });
  const forGame = reply.body.data;
  check('getOrdersForGame data.unmatched', forGame?.unmatched, is.ids(id));
  const play = find(forGame?.matched, 'txID', txID);
  shape('getOrdersForGame data.matched[]', play, { odds: 105, userReference });

  const found = await alice.get('/session/lookupOrder', { orderID: id });
  shape('lookupOrder data.order', answered(found).order, open);

  const query = { userReference, gameID: game.id };
  const byReference = (await alice.get('/user/getBetByUserReference', query)).body.data;
  shape('getBetByUserReference', byReference, { unmatched: is.ids(id), graded: [] });
  check('data.matched[]', find(byReference?.matched, 'txID', txID), is.present);
  const nothing = await alice.get('/user/getBetByUserReference', { ...query, userReference: fresh('none') });
  check('an unknown reference', nothing.body.data, { unmatched: [], matched: [], graded: [] });

  const bets = (await bob.get('/user/getMatchedBets')).body.data?.matchedBets;
  must('getMatchedBets data.matchedBets', bets, is.array);
  shape('matchedBets[]', find(bets, 'txID', matched[0].txID), { odds: -105, risk: 21, type: 'moneyline' });
});
await trade("look-ups of unknown orders and of another user's order are refused", async () => {
  const id = await bob.offer(money(game, 'home', 105, 10));
  refused(await alice.get('/session/lookupOrder', { orderID: UNKNOWN }), 404);
  refused(await alice.get('/session/lookupOrder', { txID: UNKNOWN }), 404);
  refused(await alice.get('/user/getBetByID', { txID: UNKNOWN }), 404);
  return refused(await alice.get('/session/lookupOrder', { orderID: id }), 403, `Not your order: ${id}`);
});
await trade('getOrderbook sorted by matchedVolume', async () => {
  await alice.offer(money(game2, 'home', 100, 3));
  await bob.placed(money(game2, 'away', 100, 3, LIMIT));
  const reply = await alice.post('/exchange/getOrderbook', {
    leagueRequested: league,
    sortBy: 'matchedVolume',
  });
  const volumes = [];
  for (const entry of reply.body.data.games) volumes.push((await single(entry)).matchedVolume);
  check(
    'the volumes',
    volumes,
    volumes.toSorted((a, b) => b - a),
  );
  return volumes.join(', ');
});

// === Limits ================================================================================================

const tally = (replies) => replies.filter((r) => r.status === 429).length;
await step('25 place and edit requests in 5 s, then 429; cancels have their own bucket', async () => {
  await carol.room('place', 25);
  const place = () => carol.send('place', '/session/v2/place', { orders: [money(game3, 'home', 105, 1)] });
  const placed = await Promise.all(Array.from({ length: 20 }, place));
  check('refused of the first 20', tally(placed), 0);
  const open = placed.map((r) => r.body.data?.createdSessions?.[0].unmatched.orderID);
  const edit = (id) => carol.send('place', '/session/editOrder', edited(id, 106, 1));
  check('refused of 5 edits', tally(await Promise.all(open.slice(0, 5).map(edit))), 0);
  const over = await place();
  const seen = throttled(over, 429, 'RATE_LIMITED', is.text);
  throttled(await edit(open[6]), 429, 'RATE_LIMITED', is.text);
  // The limit belongs to the account, not to the token.
  const again = new Client('carol');
  await again.login();
  throttled(await again.place(money(game3, 'home', 105, 1)), 429, 'RATE_LIMITED', is.text);
  check('cancel meanwhile', (await carol.cancel(open[7])).status, 200);
  await waitOut(over);
  check('place after retryAfterSeconds', (await place()).status, 200);
  await carol.clear();
  return seen;
});
await step('30 cancel requests in any 2 s, then 429', async () => {
  await carol.room('cancel', 30);
  const requests = [
    ['/session/cancel', { sessionID: UNKNOWN }],
    ['/session/cancelMultiple', { sessionIDs: [UNKNOWN] }],
    ['/session/cancelByReference', { gameID: game3.id, userReferences: [UNKNOWN] }],
  ];
  const cancel = (i) => carol.send('cancel', ...requests[i % 3]);
  const burst = (n) => Promise.all(Array.from({ length: n }, (_, i) => cancel(i)));
  const began = Date.now();
  check('refused of the first 15', tally(await burst(15)), 0);
  await sleep(1300);
  check('refused of 15 more', tally(await burst(15)), 0);
  const seen = throttled(await cancel(0), 429, 'RATE_LIMITED', 'cancel');
  check('place meanwhile', (await carol.place(money(game3, 'home', 105, 1))).status, 200);
  // The first 15 have left the window, the second 15 have not: the window must slide, not restart.
  await sleep(began + 2150 - Date.now());
  const third = await burst(16);
  check('refused of 16 after the first 15 left the window', tally(third), 1);
  const { reply, attempt } = await patiently(() => cancel(0));
  check('cancel after retryAfterSeconds', reply.status, 404);
  check('attempts', attempt <= 3, true);
  await carol.clear();
  return seen;
});
await step('bulk cancels are not limited', async () => {
  const path = '/session/cancelAllOrdersForGame';
  const replies = await Promise.all(Array.from({ length: 40 }, () => bob.post(path, { gameID: game3.id })));
  check('answered 200', replies.filter((r) => r.status === 200).length, 40);
});
await step('CANCEL_QUEUE_FULL: cancels arrive faster than the queue drains', async () => {
  await bob.room('cancel', 30);
  const sessionIDs = Array.from({ length: 100 }, (_, i) => UNKNOWN.slice(0, 20) + (1000 + i));
  const send = () => bob.send('cancel', '/session/cancelMultiple', { sessionIDs });
  const replies = await Promise.all(Array.from({ length: 20 }, send));
  const full = replies.filter((r) => r.status === 429);
  must('any 429 of 20 requests', full.length > 0, true);
  const seen = throttled(full[0], 429, 'CANCEL_QUEUE_FULL');
  for (const reply of full) check('details.code', reply.body?.error?.details?.code, 'CANCEL_QUEUE_FULL');
  const id = await bob.offer(money(game3, 'home', 105, 1));
  const { reply, attempt } = await patiently(() => bob.cancel(id));
  check('cancel after waiting', reply.status, 200);
  return `${full.length} of 20 refused, ${seen}; worked at attempt ${attempt}`;
});

// === Events that the specification only describes, caused over the admin port =============================
// Only the paper exchange has this port. A step is skipped when the port lacks a route.

/** Makes a new account and logs it in. */
async function newAccount(more) {
  const who = new Client(fresh('user'));
  await admin('POST', '/accounts', {
    username: who.name,
    password: who.password,
    cash: 1000,
    coins: 1000,
    ...more,
  });
  who.user = await who.login();
  return who;
}
const side = (name) => ({ id: fresh(name), name: `The ${name}s`, shortName: name.slice(0, 3).toUpperCase() });
/** Makes a new game and returns its `gameUpdate` and its book. */
async function newGame(more) {
  const after = alice.prices.mark;
  const { id } = await admin('POST', '/games', {
    kind: 'game',
    league,
    sport: games[0].sport,
    eventName: 'Eagles @ Hawks',
    start: new Date(Date.now() + 3_600_000).toISOString(),
    home: side('Hawk'),
    away: side('Eagle'),
    ...more,
  });
  must('the id of the new game', id, is.text);
  const update = await alice.prices.until(`gameUpdate of the new ${id}`, gameUpdate(id), { after });
  const { body } = await alice.post('/exchange/getSingleOrderbook', { gameID: id });
  must(`the book of the new game (${JSON.stringify(body).slice(0, 200)})`, body.data?.game?.id, id);
  return { ...update, ...body.data.game, update, data: body.data };
}
const gameUpdate = (id, more) => (d, name) => name === 'gameUpdate' && d.id === id && (!more || more(d));
/** Changes a game over the admin port and returns the `gameUpdate` that shows the change. */
async function change(game, patch, fits) {
  const after = alice.prices.mark;
  await admin('POST', `/games/${game.id}`, patch);
  const what = `gameUpdate after ${JSON.stringify(patch)}`;
  return alice.prices.until(what, gameUpdate(game.id, fits), { after });
}

await step('a banned account', async () => {
  const who = await newAccount();
  await admin('POST', `/accounts/${who.name}`, { status: 'banned' });
  refused(await who.place(money(game, 'home', 105, 1)), 403, 'USER IS BANNED');
  refused(await who.post('/exchange/getSingleOrderbook', { gameID: game.id }), 403, 'USER IS BANNED');
  await admin('POST', `/accounts/${who.name}`, { status: 'active' });
  check('getMe after the ban', (await who.get('/user/getMe')).status, 200);
});
await step('a closed account', async () => {
  const who = await newAccount();
  await admin('POST', `/accounts/${who.name}`, { status: 'closed' });
  const { token, name } = who;
  check('its socket', await refusal(`/v2/user/${name}`, { token }), 'not authorized');
  check('its price feed', await refusal('/priceUpdates', { token }), 'not authorized');
  return refused(await who.place(money(game, 'home', 105, 1)), 403, `Your account ${name} has been closed`);
});
await step('the operator changes balances and the mode', async () => {
  const who = await newAccount({ cash: 5, coins: 7 });
  shape('data.user', await who.me(), { cashBalance: 5, coinsBalance: 7 });
  await admin('POST', `/accounts/${who.name}`, { playerMode: 'cash', cash: 50, coins: 70 });
  shape('data.user', await who.me(), { playerMode: 'cash', cashBalance: 50, coinsBalance: 70 });
});
await step('an account that is exempt from the limits', async () => {
  const who = await newAccount({ exempt: true });
  const burst = (n, call) => Promise.all(Array.from({ length: n }, (_, i) => call(i)));
  const orders = [money(game3, 'home', 105, 1)];
  const placed = await burst(60, () => who.send('place', '/session/v2/place', { orders }));
  check('places answered 200', placed.filter((r) => r.status === 200).length, 60);
  const open = await who.unmatched();
  const cancels = await burst(60, (i) => who.send('cancel', '/session/cancel', { sessionID: open[i]?.id }));
  check('cancels answered 200', cancels.filter((r) => r.status === 200).length, 60);
});
await step('expired tokens', async () => {
  const who = await newAccount();
  await admin('POST', `/accounts/${who.name}/expire-tokens`, {});
  refused(await who.get('/user/getMe'), 401, 'InvalidCredentials');
  check('its socket', await refusal(`/v2/user/${who.name}`, { token: who.token }), 'not authorized');
  await who.login();
  check('getMe with the new token', (await who.get('/user/getMe')).status, 200);
});
await trade('a cancel by the system', async () => {
  const orderID = await alice.offer(money(game, 'home', 105, 10));
  await admin('POST', '/accounts/alice/cancel', { orderID });
  shape('positionUpdate', await alice.gone(orderID), { ...POSITION, origin: 'offer', matched: null });
  await emptied(orderID);
  check('it is no longer open', await alice.isOpen(orderID), false);
});

await step('a new game: its gameUpdate and its book', async () => {
  const made = await newGame();
  const header = { parentGameID: null, league, sport: games[0].sport, start: is.timestamp, ended: false };
  const mains = is.each(is.orNull(is.number), 'mainHomeSpread mainAwaySpread mainTotal');
  shape('gameUpdate', made.update, { id: made.id, ...header, ...mains, participants: is.array });
  shape('gameUpdate', made.update, is.each(is.present, 'awayMoneylines homeMoneylines awaySpreads'));
  shape('gameUpdate', made.update, is.each(is.present, 'homeSpreads over under'));
  shape('its book', made.data, { market: null, orderSummary: is.array });
  const list = (await alice.post('/exchange/v2/getGames', { league })).body.data.games;
  check(
    'it is listed',
    list.some((g) => g.id === made.id),
    true,
  );
});
await step('child games, prop games and futures', async () => {
  const parent = await newGame();
  const parentGameID = parent.id;
  const child = await newGame({ kind: 'child', parentGameID, periodName: '1st half' });
  const prop = await newGame({ kind: 'prop', parentGameID, eventName: 'Points of a player' });
  check('gameUpdate.parentGameID of the child', child.update.parentGameID, parentGameID);
  const { data } = (await alice.post('/exchange/getSingleOrderbook', { gameID: parentGameID })).body;
  check('childGames', data.childGames, is.ids(child.id));
  check('propGames', data.propGames, is.ids(prop.id));
  const market = fresh('Champion');
  const futures = await newGame({ kind: 'futures', market, eventName: market });
  check('data.market', futures.data.market, market);
});
await trade('the market closes and opens', async () => {
  const made = await newGame();
  const closed = await change(made, { open: false }, (d) => d.messageType);
  check('messageType', closed.messageType, 'marketClosed');
  const taken = 'Game has been taken OTB or is graded';
  const seen = refused(await alice.place(money(made, 'home', 105, 10)), 409, taken);
  const opened = await change(made, { open: true }, (d) => d.messageType);
  check('messageType', opened.messageType, 'marketOpen');
  await alice.offer(money(made, 'home', 105, 10));
  return seen;
});
await trade('the start moves, passes, and the game goes live', async () => {
  const made = await newGame();
  const later = new Date(Date.now() + 7_200_000).toISOString();
  check('start', (await change(made, { start: later })).start, later);
  await change(made, { start: new Date(Date.now() - 60_000).toISOString() });
  const seen = refused(await alice.place(money(made, 'home', 105, 10)), 409, 'Game is past start time');
  await change(made, { live: true });
  const id = await alice.offer(money(made, 'home', 105, 10));
  check('orderUpdate.live', (await ladder(bob, id)).live, true);
  return seen;
});
await trade('the main lines move', async () => {
  const made = await newGame();
  const lines = { mainHomeSpread: -4.5, mainTotal: 201.5 };
  shape('gameUpdate', await change(made, lines), { ...lines, mainAwaySpread: 4.5 });
  const [s, t] = await alice.offers(spread(made, 'home', -4.5, 105, 5), total(made, 'over', 201.5, 105, 5));
  shape('orderUpdate', await ladder(bob, s), { mainHomeSpread: -4.5, mainAwaySpread: 4.5 });
  shape('orderUpdate', await ladder(bob, t), { mainTotal: 201.5 });
});
await trade('an ended game', async () => {
  const made = await newGame();
  check('gameUpdate.ended', (await change(made, { ended: true }, (d) => d.ended)).ended, true);
  return refused(await alice.place(money(made, 'home', 105, 10)), 409);
});
await trade('a graded game pays each bet in the mode in which it was placed', async () => {
  try {
    const made = await newGame();
    const before = [await alice.me(), await bob.me()];
    const userReference = fresh('graded');
    // Alice wins 105 with her 100. The spread of exactly three is a push: both stakes are returned.
    await alice.offers(money(made, 'home', 105, 100, { userReference }), spread(made, 'home', -3, 100, 50));
    const taken = await bob.placed(money(made, 'away', -105, 105, LIMIT), spread(made, 'away', 3, 100, 50, LIMIT));
    check(
      'both are matched',
      taken.every((r) => r.matched.length === 1),
      true,
    );
    await alice.mode('cash');
    await admin('POST', `/games/${made.id}/grade`, { home: 103, away: 100 });
    const query = { userReference, gameID: made.id };
    const graded = await eventually('the play is graded', async () => {
      const { data } = (await alice.get('/user/getBetByUserReference', query)).body;
      return data?.graded?.length > 0 && data;
    });
    check('data.matched', graded.matched, []);
    shape('data.graded[0]', graded.graded[0], { txID: is.text, odds: 105, userReference });
    const after = [await alice.me(), await bob.me()];
    const cents = (i, name) => Math.round(100 * (after[i][name] - before[i][name]));
    check('coins of alice in cents', cents(0, 'coinsBalance'), 10_500);
    check('coins of bob in cents', cents(1, 'coinsBalance'), -10_500);
    check('cash of alice in cents', cents(0, 'cashBalance'), 0);
    const taken409 = 'Game has been taken OTB or is graded';
    return refused(await bob.place(money(made, 'away', -105, 10)), 409, taken409);
  } finally {
    await alice.mode('coins');
  }
});

const fault = async (rule) => {
  await admin('PUT', '/faults', { seed: 1, rules: [rule] });
};
const withFault = (what, rule, run) =>
  trade(what, async () => {
    const id = await alice.offer(money(game, 'home', 105, 10));
    await fault(rule);
    try {
      const seen = await run(id);
      check('GET /faults', await admin('GET', '/faults'), is.present);
      return seen;
    } finally {
      await admin('DELETE', '/faults');
    }
  });
await withFault('fault: 500 to a place', { fault: 'status', on: ['place'], status: 500, nth: [1] }, async () => {
  const seen = refused(await alice.place(money(game, 'home', 106, 10)), 500, 'Something went wrong');
  check('the next place', (await alice.place(money(game, 'home', 106, 10))).status, 200);
  return seen;
});
await withFault(
  'fault: CANCEL_QUEUE_FULL to a cancel',
  { fault: 'status', on: ['cancel'], status: 429, code: 'CANCEL_QUEUE_FULL', retryAfter: '1s', nth: [1] },
  async (id) => {
    const seen = throttled(await alice.cancel(id), 429, 'CANCEL_QUEUE_FULL');
    check('the next cancel', (await alice.cancel(id)).status, 200);
    return seen;
  },
);
await withFault(
  'fault: a place that is executed and never answered',
  { fault: 'no-answer', on: ['place'], acted: true, nth: [1] },
  async () => {
    const userReference = fresh('unanswered');
    const orders = [money(game, 'home', 106, 10, { userReference })];
    const asked = alice.paced('place', '/session/v2/place', { orders }, { timeout: 1000 });
    check('the request', await asked.catch((e) => e.message), /no answer/);
    const query = { userReference, gameID: game.id };
    const { data } = (await alice.get('/user/getBetByUserReference', query)).body;
    check('the order rests', data?.unmatched?.[0]?.userReference, userReference);
  },
);

// === Rules for every event of the run =====================================================================

await step('every payload is a JSON string, and each namespace has only its own events', () => {
  for (const who of clients)
    for (const [feed, names] of [
      [who.orders, is.oneOf('positionUpdate')],
      [who.prices, is.oneOf('orderUpdate', 'gameUpdate')],
    ])
      for (const { name, raw, data } of feed.events) {
        check('event', name, names);
        if (typeof raw !== 'string' || !data) check(`payload of ${name}`, raw, is.text);
      }
  return `${alice.orders.mark + bob.orders.mark} of orders, ${bob.prices.mark} of prices`;
});
await step('every positionUpdate fits one row of the table, and none follows the end of an order', () => {
  for (const who of clients) {
    const done = new Set();
    for (const { origin, unmatched: u, matched: m, gameID } of who.orders.events.map((e) => e.data)) {
      check('gameID', gameID, is.text);
      if (u) check(`a further event of ${u.orderID} after its end`, done.has(u.orderID), false);
      const rows = {
        posted: origin === 'offer' && u?.filled === 0 && u.remaining === u.offered && u.offered > 0 && !m,
        partly: origin === 'offer' && u?.remaining > 0 && m,
        fully: origin === 'offer' && u?.remaining === 0 && u.offered > 0 && m,
        took: origin === 'wager' && u === null && m,
        cancelled: origin === 'offer' && u?.offered === 0 && m === null,
      };
      const fits = Object.keys(rows).filter((row) => rows[row]);
      check(`rows that fit ${JSON.stringify({ origin, u, m })}`, fits.length, 1);
      if (u?.offered > 0) check('remaining', u.remaining, is.about(u.offered - u.filled, 0.005));
      if (fits[0] === 'fully' || fits[0] === 'cancelled') done.add(u.orderID);
    }
  }
});
await step('every orderUpdate is one sorted ladder and has createdBy on own orders only', () => {
  for (const who of clients)
    for (const { data } of who.prices.events.filter((e) => e.name === 'orderUpdate'))
      for (const [i, o] of data.sideOrders.entries()) {
        const line = (d) => [d.gameID, d.type, d.participantID, d.OU ?? null, d.spread ?? null, d.total ?? null];
        check('the line', line(o), line(data));
        if (o.createdBy !== undefined) check('createdBy', o.createdBy, who.user.id);
        const before = data.sideOrders[i - 1];
        if (!before) continue;
        // The worst odds of an offerer are the best price for a taker.
        const pays = ({ odds }) => (odds > 0 ? odds / 100 : 100 / -odds);
        const sorted = pays(before) < pays(o) || (pays(before) === pays(o) && before.createdAt <= o.createdAt);
        check(`order of ${before.odds} ${before.createdAt}, ${o.odds} ${o.createdAt}`, sorted, true);
      }
});

finish();

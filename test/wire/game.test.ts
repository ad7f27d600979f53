import { describe, expect, it } from 'vitest';
import type { GameId, GameMessage } from '../../src/domain/index.ts';
import {
  encodeGameRequest,
  encodeLeagueRequest,
  encodeGame,
  encodeGameReply,
  parseGameBook,
  parseGameReply,
  parseGameUpdate,
  parseLeagueReply,
} from '../../src/wire/index.ts';
import { OFFERER, prices, row, TAKER, teams, value } from './fixtures.ts';

type More = Readonly<Record<string, unknown>>;
const read = (more: More = {}): GameMessage => value(parseGameUpdate(JSON.stringify({ id: 'g1', ...more }), OFFERER));
const ladders = (more: More) =>
  read(more).ladders.map(({ type, side, line, offers }) => [type, side, line, offers.map((offer) => offer.id)]);

describe('a game', () => {
  it('tells its header', () => {
    const message = read({
      parentGameID: 'g0',
      league: 'NBA',
      sport: 'basketball',
      eventName: 'Away Town @ Home City',
      start: '2030-01-01T12:00:00.000Z',
      live: false,
      ended: false,
      isFutures: false,
      participants: teams,
      mainHomeSpread: -3.5,
      mainAwaySpread: 3.5,
      mainTotal: '210.5',
      homeSpreads: { '-3.5': [row()] },
      messageType: 'marketOpen',
    });
    expect(message).toMatchObject({
      gameId: 'g1',
      parentGameId: 'g0',
      league: 'NBA',
      sport: 'basketball',
      eventName: 'Away Town @ Home City',
      start: Date.UTC(2030, 0, 1, 12),
      live: false,
      ended: false,
      futures: false,
      mainHomeSpread: -3.5,
      mainTotal: 210.5,
      messageType: 'marketOpen',
    });
    expect(message.participants).toEqual([
      { id: 'p-away', homeAway: 'away', longName: 'Away Town', shortName: 'AWY' },
      { id: 'p-home', homeAway: 'home', longName: 'Home City', shortName: 'HOM' },
    ]);
  });

  it('leaves everything that it does not tell untold: a missing field must not erase', () => {
    const { gameId, ladders: told, covers, ...rest } = read();
    expect([gameId, told, covers]).toEqual(['g1', [], []]);
    for (const field of Object.values(rest)) expect(field).toBeUndefined();
  });

  it.each<[string, More]>([
    ['flags that are text', { live: 'true', ended: 'false', isFutures: 1 }],
    ['a start that is no time', { start: 'soon' }],
    ['names that are numbers', { league: 7, sport: null, eventName: {} }],
    ['participants that are no list', { participants: {} }],
    ['a messageType nobody knows', { messageType: 'marketPaused' }],
    ['ladders that are null', { homeSpreads: null, over: null, homeMoneylines: null }],
  ])('with %s leaves them untold', (_what, more) => {
    const { gameId, ladders: told, covers, ...rest } = read(more);
    expect([gameId, told, covers]).toEqual(['g1', [], []]);
    for (const field of Object.values(rest)) expect(field).toBeUndefined();
  });

  it('tells participants by homeAway, and skips those without id', () => {
    const participants = [{ id: 'x', homeAway: 'neutral' }, { longName: 'Nobody' }, null, 7];
    expect(read({ participants }).participants).toEqual([
      { id: 'x', homeAway: undefined, longName: undefined, shortName: undefined },
    ]);
  });

  it.each(['', '{', 'null', '[]', '{}', '{"id":""}', '{"id":7}'])('that reads %j is a problem', (payload) => {
    expect(parseGameUpdate(payload, OFFERER).ok).toBe(false);
  });
});

describe('the main line of a game', () => {
  it.each<[string, More, number | null | undefined]>([
    ['not told', {}, undefined],
    ['a number', { mainHomeSpread: -3.5 }, -3.5],
    ['text', { mainHomeSpread: '-3.5' }, -3.5],
    ['null', { mainHomeSpread: null }, null],
    ['0 beside an empty object', { mainHomeSpread: 0, homeSpreads: {}, awaySpreads: {} }, null],
    ['0 beside an empty array', { mainHomeSpread: 0, homeSpreads: [], awaySpreads: [] }, null],
    ['"0" beside empty ladders', { mainHomeSpread: '0', homeSpreads: {}, awaySpreads: {} }, null],
    ['0 beside offers at line 0', { mainHomeSpread: 0, homeSpreads: { '0': [row()] }, awaySpreads: {} }, 0],
    [
      '0 beside offers of the away side alone',
      { mainHomeSpread: 0, homeSpreads: {}, awaySpreads: { '0': [row()] } },
      0,
    ],
  ])('that is %s reads as it should', (_what, more, line) => {
    expect(read(more).mainHomeSpread).toBe(line);
  });

  it('that is a total of 0 with empty ladders is none', () => {
    expect(read({ mainTotal: 0, over: {}, under: {} }).mainTotal).toBeNull();
  });
});

describe('the ladders of a game', () => {
  const away = row({ id: 'a', participantID: 'p-away' });

  it('are read from objects keyed by line, smallest first: JSON keeps no order of keys', () => {
    const more = {
      homeMoneylines: [row()],
      awayMoneylines: [away],
      homeSpreads: { '-6.5': [row()], '-7': [] },
      awaySpreads: { '6.5': [away] },
      over: { '209.5': [row()] },
      under: { '209.5': [] },
    };
    expect(ladders(more)).toEqual([
      ['moneyline', 'home', undefined, ['o1']],
      ['moneyline', 'away', undefined, ['a']],
      ['spread', 'home', -7, []],
      ['spread', 'home', -6.5, ['o1']],
      ['spread', 'away', 6.5, ['a']],
      ['total', 'over', 209.5, ['o1']],
      ['total', 'under', 209.5, []],
    ]);
    expect(read(more).covers).toHaveLength(6);
  });

  it('are read from flat arrays with the line on each row, numbers or text', () => {
    const homeSpreads = [
      row({ id: 'x', spread: -6.5 }),
      row({ id: 'y', spread: '-7' }),
      row({ id: 'z', spread: '-6.5' }),
    ];
    const over = [row({ id: 't', total: 209.5 })];
    expect(ladders({ homeSpreads, over })).toEqual([
      ['spread', 'home', -7, ['y']],
      ['spread', 'home', -6.5, ['x', 'z']],
      ['total', 'over', 209.5, ['t']],
    ]);
  });

  it('are the same in either form', () => {
    const flat = read({ awaySpreads: [row({ spread: 3.5 })], under: [row({ total: 210 })] });
    const keyed = read({
      awaySpreads: { '3.5': [row({ spread: 3.5 })] },
      under: { '210': [row({ total: 210 })] },
    });
    expect(flat.ladders).toEqual(keyed.ladders);
  });

  it('cover their field when they are there and empty, in either form', () => {
    expect(read({ homeMoneylines: [], homeSpreads: {}, over: [] }).covers).toEqual([
      { type: 'moneyline', side: 'home' },
      { type: 'spread', side: 'home' },
      { type: 'total', side: 'over' },
    ]);
  });

  it('are turned to the offerer’s odds under the taker’s perspective', () => {
    const payload = JSON.stringify({ id: 'g1', awayMoneylines: [row({ odds: -105, sumUntaken: 105 })] });
    const ladder = value(parseGameUpdate(payload, TAKER)).ladders[0];
    expect(prices(ladder?.offers ?? [])).toEqual([[105, 100]]);
  });

  it.each<[string, More]>([
    ['a moneyline keyed by line', { homeMoneylines: { '0': [row()] } }],
    ['a key that is no line', { homeSpreads: { main: [row()] } }],
    ['a key that is NaN', { homeSpreads: { NaN: [row()] } }],
    ['a key that is infinite', { over: { Infinity: [row()] } }],
    ['a key that no game has', { over: { '1e17': [row()] } }],
    ['a flat row without line', { over: [row()] }],
    ['a flat row that is null', { over: [null] }],
    ['text', { homeMoneylines: 'none' }],
    ['a row that cannot be read', { homeMoneylines: [row({ odds: 5 })] }],
    ['a line that holds no list', { homeSpreads: { '-3.5': 7 } }],
  ])('with %s are a problem of their game', (_what, more) => {
    expect(parseGameUpdate(JSON.stringify({ id: 'g1', ...more }), OFFERER).ok).toBe(false);
  });
});

describe('a book read', () => {
  it('asks for a league and for a game in the spec’s words', () => {
    expect(encodeLeagueRequest('NBA', 2, 100)).toEqual({ leagueRequested: 'NBA', page: 2, limit: 100 });
    expect(encodeGameRequest('g1' as GameId)).toEqual({ gameID: 'g1' });
  });

  it('of a league keeps the good games and counts the others', () => {
    const body = {
      data: { market: null, games: [{ id: 'g1' }, { id: '' }, null, { id: 'g2' }], orderSummary: [] },
    };
    const league = value(parseLeagueReply(body, OFFERER));
    expect(league.games.map((game) => game.gameId)).toEqual(['g1', 'g2']);
    expect([league.unreadable, league.hasNextPage]).toEqual([2, false]);
  });

  it.each([
    [true, true],
    [false, false],
    ['true', false],
    [undefined, false],
  ])('of a league with hasNextPage %j goes on: %j', (hasNextPage, more) => {
    const body = { data: { games: [], pagination: { hasNextPage } } };
    expect(value(parseLeagueReply(body, OFFERER)).hasNextPage).toBe(more);
  });

  it('of a game finds it in data.game', () => {
    expect(value(parseGameReply({ data: { market: null, game: { id: 'g1' } } }, OFFERER)).gameId).toBe('g1');
  });

  it.each([undefined, null, 'x', {}, { data: null }, { data: { games: {} } }, { data: { game: [] } }])(
    'that says %j is a problem',
    (body) => {
      expect(parseLeagueReply(body, OFFERER).ok).toBe(false);
      expect(parseGameReply(body, OFFERER).ok).toBe(false);
    },
  );
});

describe('the book of a game', () => {
  const part = (id: string, more: More = {}) => ({ id, league: 'NBA', homeMoneylines: [row()], ...more });
  const book = (childGames: unknown, propGames: unknown) =>
    value(parseGameBook({ data: { game: { id: 'g1', periodName: 'Full Time' }, childGames, propGames } }, OFFERER));

  it('lists its parts behind it, each with its parent and the list that it stands in', () => {
    const { games, unreadable } = book(
      [part('c1', { periodName: '1st Half' }), part('c2', { parentGameID: 'g0' })],
      [part('p1', { mainTotal: 0, over: { '24.5': [row()] } })],
    );
    expect(unreadable).toBe(0);
    expect(games).toMatchObject([
      { gameId: 'g1', parentGameId: undefined, periodName: undefined, part: undefined },
      { gameId: 'c1', parentGameId: 'g1', periodName: '1st Half', part: 'child' },
      { gameId: 'c2', parentGameId: 'g0', periodName: undefined, part: 'child' },
      // 0 points are no main line
      { gameId: 'p1', parentGameId: 'g1', part: 'prop', mainTotal: null },
    ]);
  });

  it('is read without those that nobody can read, and without itself among them', () => {
    const { games, unreadable } = book([part(''), 7, part('c1'), part('g1')], { not: 'a list' });
    expect([games.map(({ gameId }) => gameId), unreadable]).toEqual([['g1', 'c1'], 2]);
  });

  it('reads back as it was written down', () => {
    const { games } = book([part('c1', { periodName: '1st Half' })], [part('p1')]);
    const [game, ...parts] = games;
    if (game === undefined) throw new Error('no game');
    expect(value(parseGameBook(encodeGameReply(game, parts), OFFERER)).games).toEqual(games);
    // the feed has no lists: a prop says so itself
    const [, , prop] = games;
    if (prop === undefined) throw new Error('no prop');
    expect(value(parseGameUpdate(JSON.stringify(encodeGame(prop)), OFFERER))).toEqual(prop);
  });
});

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

type Fields = Readonly<Record<string, unknown>>;
const read = (fields: Fields = {}): GameMessage =>
  value(parseGameUpdate(JSON.stringify({ id: 'g1', ...fields }), OFFERER));
const ladders = (fields: Fields) =>
  read(fields).ladders.map(({ type, side, line, offers }) => [type, side, line, offers.map((offer) => offer.id)]);

describe('a game message', () => {
  it('gives its header', () => {
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

  it('leaves fields that it does not contain undefined: a missing field must not erase', () => {
    const { gameId, ladders: messageLadders, covers, ...rest } = read();
    expect([gameId, messageLadders, covers]).toEqual(['g1', [], []]);
    for (const field of Object.values(rest)) expect(field).toBeUndefined();
  });

  it.each<[string, Fields]>([
    ['flags that are text', { live: 'true', ended: 'false', isFutures: 1 }],
    ['a start that is no time', { start: 'soon' }],
    ['names that are numbers', { league: 7, sport: null, eventName: {} }],
    ['participants that are no list', { participants: {} }],
    ['an unknown messageType', { messageType: 'marketPaused' }],
    ['ladders that are null', { homeSpreads: null, over: null, homeMoneylines: null }],
  ])('leaves malformed fields undefined: %s', (_what, fields) => {
    const { gameId, ladders: messageLadders, covers, ...rest } = read(fields);
    expect([gameId, messageLadders, covers]).toEqual(['g1', [], []]);
    for (const field of Object.values(rest)) expect(field).toBeUndefined();
  });

  it('reads participants with their homeAway, and skips those without id', () => {
    const participants = [{ id: 'x', homeAway: 'neutral' }, { longName: 'Nameless' }, null, 7];
    expect(read({ participants }).participants).toEqual([
      { id: 'x', homeAway: undefined, longName: undefined, shortName: undefined },
    ]);
  });

  it.each(['', '{', 'null', '[]', '{}', '{"id":""}', '{"id":7}'])('is refused when its text is %j', (payload) => {
    expect(parseGameUpdate(payload, OFFERER).ok).toBe(false);
  });
});

describe('the main line of a game', () => {
  it.each<[string, Fields, number | null | undefined]>([
    ['absent', {}, undefined],
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
  ])('is read correctly when it is %s', (_what, fields, line) => {
    expect(read(fields).mainHomeSpread).toBe(line);
  });

  it('is null for a total of 0 with empty ladders', () => {
    expect(read({ mainTotal: 0, over: {}, under: {} }).mainTotal).toBeNull();
  });
});

describe('the ladders of a game', () => {
  const away = row({ id: 'a', participantID: 'p-away' });

  it('are read from objects keyed by line and sorted by line: JSON keeps no order of keys', () => {
    const fields = {
      homeMoneylines: [row()],
      awayMoneylines: [away],
      homeSpreads: { '-6.5': [row()], '-7': [] },
      awaySpreads: { '6.5': [away] },
      over: { '209.5': [row()] },
      under: { '209.5': [] },
    };
    expect(ladders(fields)).toEqual([
      ['moneyline', 'home', undefined, ['o1']],
      ['moneyline', 'away', undefined, ['a']],
      ['spread', 'home', -7, []],
      ['spread', 'home', -6.5, ['o1']],
      ['spread', 'away', 6.5, ['a']],
      ['total', 'over', 209.5, ['o1']],
      ['total', 'under', 209.5, []],
    ]);
    expect(read(fields).covers).toHaveLength(6);
  });

  it('are read from flat arrays whose rows carry the line, as number or text', () => {
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

  it('cover their side of the market even when empty, in either form', () => {
    expect(read({ homeMoneylines: [], homeSpreads: {}, over: [] }).covers).toEqual([
      { type: 'moneyline', side: 'home' },
      { type: 'spread', side: 'home' },
      { type: 'total', side: 'over' },
    ]);
  });

  it('are turned to the offerer’s odds when the book shows the taker’s odds', () => {
    const payload = JSON.stringify({ id: 'g1', awayMoneylines: [row({ odds: -105, sumUntaken: 105 })] });
    const ladder = value(parseGameUpdate(payload, TAKER)).ladders[0];
    expect(prices(ladder?.offers ?? [])).toEqual([[105, 100]]);
  });

  it.each<[string, Fields]>([
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
  ])('make their game unreadable when they have %s', (_what, fields) => {
    expect(parseGameUpdate(JSON.stringify({ id: 'g1', ...fields }), OFFERER).ok).toBe(false);
  });
});

describe('a read of a book', () => {
  it('requests a league and a game in the words of the spec', () => {
    expect(encodeLeagueRequest('NBA', 2, 100)).toEqual({ leagueRequested: 'NBA', page: 2, limit: 100 });
    expect(encodeGameRequest('g1' as GameId)).toEqual({ gameID: 'g1' });
  });

  it('keeps the readable games of a league and counts the others', () => {
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
  ])('continues after a league page with hasNextPage %j: %j', (hasNextPage, fields) => {
    const body = { data: { games: [], pagination: { hasNextPage } } };
    expect(value(parseLeagueReply(body, OFFERER)).hasNextPage).toBe(fields);
  });

  it('finds a game in data.game', () => {
    expect(value(parseGameReply({ data: { market: null, game: { id: 'g1' } } }, OFFERER)).gameId).toBe('g1');
  });

  it.each([undefined, null, 'x', {}, { data: null }, { data: { games: {} } }, { data: { game: [] } }])(
    'refuses the reply %j',
    (body) => {
      expect(parseLeagueReply(body, OFFERER).ok).toBe(false);
      expect(parseGameReply(body, OFFERER).ok).toBe(false);
    },
  );
});

describe('the book of a game', () => {
  const part = (id: string, fields: Fields = {}) => ({ id, league: 'NBA', homeMoneylines: [row()], ...fields });
  const book = (childGames: unknown, propGames: unknown) =>
    value(parseGameBook({ data: { game: { id: 'g1', periodName: 'Full Time' }, childGames, propGames } }, OFFERER));

  it('lists the game before its parts, each with its parent and the list that names it', () => {
    const { games, unreadable } = book(
      [part('c1', { periodName: '1st Half' }), part('c2', { parentGameID: 'g0' })],
      [part('p1', { mainTotal: 0, over: { '24.5': [row()] } })],
    );
    expect(unreadable).toBe(0);
    expect(games).toMatchObject([
      { gameId: 'g1', parentGameId: undefined, periodName: undefined, part: undefined },
      { gameId: 'c1', parentGameId: 'g1', periodName: '1st Half', part: 'child' },
      { gameId: 'c2', parentGameId: 'g0', periodName: undefined, part: 'child' },
      // a total of 0 points is no main line
      { gameId: 'p1', parentGameId: 'g1', part: 'prop', mainTotal: null },
    ]);
  });

  it('leaves out unreadable parts, and the game itself among its parts', () => {
    const { games, unreadable } = book([part(''), 7, part('c1'), part('g1')], { not: 'a list' });
    expect([games.map(({ gameId }) => gameId), unreadable]).toEqual([['g1', 'c1'], 2]);
  });

  it('is the same after it was encoded and read again', () => {
    const { games } = book([part('c1', { periodName: '1st Half' })], [part('p1')]);
    const [game, ...parts] = games;
    if (game === undefined) throw new Error('no game');
    expect(value(parseGameBook(encodeGameReply(game, parts), OFFERER)).games).toEqual(games);
    // the feed has no such lists: a prop says itself that it is one
    const [, , prop] = games;
    if (prop === undefined) throw new Error('no prop');
    expect(value(parseGameUpdate(JSON.stringify(encodeGame(prop)), OFFERER))).toEqual(prop);
  });
});

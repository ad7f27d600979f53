// Message shapes that clients in the wild meet, read by the bot's parsers.
import { describe, expect, it } from 'vitest';
import type { Command, OrderRef, TxId } from '../../src/domain/index.ts';
import { microsOfDollars, toRung } from '../../src/domain/index.ts';
import {
  bookPerspectiveOf,
  Decoder,
  parseGameReply,
  parseLeagueReply,
  parseOpenOrders,
  parsePlaceReply,
  parsePlayLookup,
  parsePlays,
  parsePositionUpdate,
  parseReferenceTrail,
  profileOf,
} from '../../src/wire/index.ts';
import { teams, value } from './fixtures.ts';

const FAMILY = profileOf('family');
const TAKER = bookPerspectiveOf(FAMILY);

/** An offer as its taker sees it, with its size under the older name. */
const row = (id: string, odds: number, fields: object) => ({
  id,
  odds,
  bet: 100,
  takenRatio: -6.1e-9,
  gameID: 'g1',
  participantID: null,
  total: null,
  spread: null,
  expiry: '2030-01-01T12:00:00.000Z',
  createdAt: '2030-01-01T00:00:00.000Z',
  gameStartExpiry: true,
  ...fields,
});

const header = {
  id: 'g1',
  parentGameID: null,
  league: 'NBA',
  sport: 'basketball',
  eventName: 'AWAY @ HOME',
  start: '2030-01-01T12:00:00.000Z',
  ended: false,
  live: false,
  periodName: 'Full Time',
  isFutures: false,
  isSpecials: false,
  isMarketOpen: true,
  openInterest: 300,
  matchedVolume: 0,
  participants: teams,
  mainHomeSpread: '-2.5',
  mainAwaySpread: 2.5,
  mainTotal: '218',
};

/** How takers see 100 dollars of another account's offers at −105. */
const flat = {
  ...header,
  awayMoneylines: [row('m', 105, { type: 'moneyline', participantID: 'p-away', sumUntaken: 95.238095 })],
  homeMoneylines: [],
  awaySpreads: [
    row('s1', 105, { type: 'spread', participantID: 'p-away', spread: 2.5, sumUntaken: 95.238095 }),
    row('s2', 110, { type: 'spread', participantID: 'p-away', spread: '3', sumUntaken: 90.909091 }),
  ],
  homeSpreads: [],
  over: [row('t', -110, { type: 'total', OU: 'over', total: 218, sumUntaken: 110 })],
  under: [],
};

describe('a book in the preset family', () => {
  const keyed = {
    ...flat,
    awaySpreads: { '2.5': [flat.awaySpreads[0]], '3': [flat.awaySpreads[1]] },
    homeSpreads: {},
    over: { '218': flat.over },
    under: {},
  };

  it('reads the same from flat lists as by line, with main lines as text or numbers', () => {
    const { games, hasNextPage } = value(parseLeagueReply({ data: { games: [flat] } }, TAKER));
    const numbers = { ...keyed, mainHomeSpread: -2.5, mainTotal: 218 };
    expect(games).toEqual([value(parseGameReply({ data: { game: numbers } }, TAKER))]);
    expect(games).toEqual([value(parseGameReply({ data: { game: keyed } }, TAKER))]);
    expect(hasNextPage).toBe(false);
    expect(games[0]).toMatchObject({ mainHomeSpread: -2.5, mainTotal: 218 });
  });

  it('shown in the taker’s view is read as what the offerers offer', () => {
    const { ladders } = value(parseGameReply({ data: { game: keyed } }, TAKER));
    // the reader keeps the name of each ladder; the mirror decides whose side it is
    const offers = ladders.flatMap(({ type, side, line, offers: rows }) =>
      rows.map(({ id, rung, untaken }) => ({ type, side, line, id, rung, untaken })),
    );
    const about = (dollars: number) => expect.closeTo(microsOfDollars(dollars), -2) as unknown;
    expect(offers).toEqual([
      { type: 'moneyline', side: 'away', line: undefined, id: 'm', rung: toRung(-105), untaken: about(100) },
      { type: 'spread', side: 'away', line: 2.5, id: 's1', rung: toRung(-105), untaken: about(100) },
      { type: 'spread', side: 'away', line: 3, id: 's2', rung: toRung(-110), untaken: about(100) },
      { type: 'total', side: 'over', line: 218, id: 't', rung: toRung(110), untaken: about(100) },
    ]);
  });
});

describe('account records in the preset family', () => {
  const game = { id: 'g1', league: 'NBA', start: header.start, ended: false, participants: teams };
  const open = {
    id: 'o1',
    txID: null,
    userReference: 42,
    wagerRequestID: 'w1',
    type: 'spread',
    bet: 50,
    odds: 120,
    spread: 3.5,
    total: null,
    participantID: 'p-away',
    otherParticipantID: 'p-home',
    takenRatio: 0.4,
    filled: 20,
    offered: 50,
    remaining: 30,
    origin: 'offer',
    graded: false,
    closed: false,
    playerMode: 'cash',
    createdAt: header.start,
    game,
  };
  const bet = {
    id: 'b1',
    txID: 't1',
    userReference: 42,
    type: 'total',
    OU: 'over',
    odds: -110,
    risk: '55',
    win: '50',
    spread: null,
    total: 210.5,
    participantID: null,
    matchedTime: header.start,
    graded: false,
    origin: 'wager',
    playerMode: 'coins',
    game,
  };
  const ref = '42' as OrderRef;

  it('are read with their reference as text or number, their player mode when present, and their game', () => {
    expect(value(parseOpenOrders({ data: { unmatched: [open] } }))).toMatchObject([
      {
        orderId: 'o1',
        ref,
        gameId: 'g1',
        mode: 'cash',
        risk: microsOfDollars(50),
        place: { type: 'spread', side: 'p-away', line: 3.5 },
      },
    ]);
    expect(value(parsePlays({ data: { matchedBets: [bet] } }))).toMatchObject([
      {
        txId: 't1',
        ref,
        gameId: 'g1',
        mode: 'coins',
        risk: microsOfDollars(55),
        graded: false,
        place: { type: 'total', side: 'over', line: 210.5 },
      },
    ]);
    const trail = { data: { unmatched: [open], matched: [bet], graded: [] } };
    expect(value(parseReferenceTrail(trail, ref))).toMatchObject({
      open: [{ orderId: 'o1' }],
      fills: [{ txId: 't1' }],
    });
    expect(value(parseReferenceTrail(trail, 'another' as OrderRef))).toMatchObject({ open: [], fills: [] });
    expect(value(parsePlayLookup({ bet }, 't1' as TxId))).toMatchObject({ graded: false });
    const unmatched = { orderID: 'o1', offered: 50, remaining: 50, odds: 120, userReference: 42 };
    const placed = { data: { createdSessions: [{ matched: [], unmatched }] } };
    expect(value(parsePlaceReply(placed, 1))).toMatchObject([{ orderId: 'o1', ref }]);
  });

  it('of a take do not count the order that was hit as an own order', () => {
    const matched = {
      txID: 't1',
      filled: 20,
      odds: -110,
      orderID: 'theirs',
      userReference: 42,
      playerMode: 'cash',
    };
    const message = { gameID: 'g1', origin: 'wager', unmatched: null, matched };
    const took = value(parsePositionUpdate(JSON.stringify(message)));
    expect(took).toMatchObject({ kind: 'took', orderId: undefined, ref, mode: 'cash', fill: { txId: 't1' } });
  });
});

describe('a cancel-all in the preset family', () => {
  const command: Command = { type: 'cancel-all', req: 7 };
  it.each([
    ['a list of results', { data: [{ success: true, sessionID: 'o1', offered: 0 }] }],
    ['an empty list', { data: [] }],
    ['an acknowledgement', { data: { ordersReceived: true } }],
  ])('is accepted when the answer is %s', (_what, body) => {
    const decoder = new Decoder(FAMILY);
    decoder.applyCommands([command], 5);
    const reply = { type: 'reply', req: 7, status: 200, body } as const;
    expect(decoder.inputOf(reply)).toEqual({
      type: 'answer',
      req: 7,
      status: 200,
      answer: { type: 'taken' },
      asked: { command, at: 5 },
    });
  });
});

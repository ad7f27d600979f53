// A book that is encoded and read again is the same book.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { SideFrame } from '../../src/domain/index.ts';
import {
  encodeGame,
  encodeGameReply,
  encodeLeagueReply,
  encodeOrderUpdate,
  parseGameReply,
  parseGameUpdate,
  parseLeagueReply,
  parseOrderUpdate,
} from '../../src/wire/index.ts';
import { OFFERER, PERSPECTIVES, row, sideFrame, teams, value } from './fixtures.ts';

const offers = fc.array(
  fc
    .record(
      {
        id: fc.string({ minLength: 1 }),
        odds: fc.oneof(
          fc.integer({ min: 100, max: 5000 }),
          fc.integer({ min: -50_000, max: -1000 }).map((n) => n / 10),
        ),
        risk: fc.double({ min: 0, max: 1e7, noNaN: true }),
        sumUntaken: fc.double({ min: 0, max: 1e6, noNaN: true }),
        createdAt: fc.oneof(fc.constant('2030-01-01T00:00:00.000Z'), fc.string()),
      },
      { requiredKeys: ['id', 'odds', 'risk', 'sumUntaken'] },
    )
    .chain((base) =>
      fc
        .constantFrom({}, { expiry: '2030-02-01T00:00:00.000Z' }, { createdBy: 'me' })
        .map((fields) => row({ ...base, ...fields })),
    ),
  { maxLength: 6 },
);
const line = fc.integer({ min: -40, max: 40 }).map((n) => n / 2);
const place = fc.oneof(
  fc.constant({ type: 'moneyline', participantID: 'p-home' }),
  line.map((spread) => ({ type: 'spread', participantID: 'p-away', spread, mainHomeSpread: spread })),
  line.map((total) => ({ type: 'total', participantID: null, OU: 'over', total, mainTotal: total })),
);

it('a side that is encoded and read again is the same', () => {
  fc.assert(
    fc.property(place, offers, fc.constantFrom(...PERSPECTIVES), (named, sideOrders, perspective) => {
      const frame = value(parseOrderUpdate(JSON.stringify(sideFrame({ ...named, sideOrders })), perspective));
      const again: SideFrame = value(parseOrderUpdate(encodeOrderUpdate(frame), OFFERER));
      expect(again).toEqual(frame);
    }),
  );
});

const header = fc.record(
  {
    league: fc.string({ minLength: 1 }),
    start: fc.constant('2030-01-01T12:00:00.123Z'),
    live: fc.boolean(),
    ended: fc.boolean(),
    isFutures: fc.boolean(),
    participants: fc.constant(teams),
    mainHomeSpread: fc.option(line.filter((number) => number !== 0)),
    mainTotal: fc.option(line.filter((number) => number !== 0)),
    messageType: fc.constantFrom('marketOpen', 'marketClosed'),
    homeMoneylines: offers,
    awaySpreads: fc.dictionary(line.map(String), offers),
    over: fc.dictionary(line.map(String), offers),
  },
  { requiredKeys: [] },
);

it('a game that is encoded and read again is the same, in a feed message and in the replies to reads', () => {
  fc.assert(
    fc.property(header, (fields) => {
      const game = value(parseGameUpdate(JSON.stringify({ id: 'g1', ...fields }), OFFERER));
      expect(value(parseGameUpdate(JSON.stringify(encodeGame(game)), OFFERER))).toEqual(game);
      expect(value(parseGameReply(encodeGameReply(game), OFFERER))).toEqual(game);
      const league = { games: [game], unreadable: 0, hasNextPage: true };
      expect(value(parseLeagueReply(encodeLeagueReply(league), OFFERER))).toEqual(league);
    }),
  );
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BookPerspective } from '../../src/domain/index.ts';
import { MAX_MICROS, microsOfDollars } from '../../src/domain/index.ts';
import { gameIdIn, parseOrderUpdate, readLadder } from '../../src/wire/index.ts';
import { OFFERER, prices, problem, row, sideFrame, TAKER, value } from './fixtures.ts';

type Fields = Readonly<Record<string, unknown>>;
const parse = (fields: Fields, perspective: BookPerspective = OFFERER) =>
  parseOrderUpdate(JSON.stringify(sideFrame(fields)), perspective);
const readOffer = (fields: Fields, perspective: BookPerspective = OFFERER) => {
  const offer = value(readLadder([row(fields)], perspective))[0];
  if (offer === undefined) throw new Error('no offer');
  return offer;
};

describe('an orderUpdate', () => {
  it('of a moneyline names its game, its participant and no line', () => {
    expect(value(parse({ sideOrders: [row()] }))).toEqual({
      gameId: 'g1',
      league: 'NBA',
      type: 'moneyline',
      participantId: 'p-home',
      side: undefined,
      line: undefined,
      live: false,
      mainHomeSpread: undefined,
      mainTotal: undefined,
      offers: [
        {
          id: 'o1',
          rung: 50,
          risk: microsOfDollars(100),
          untaken: microsOfDollars(100),
          createdAt: '2030-01-01T00:00:00.000Z',
          own: false,
        },
      ],
    });
  });

  it('of a spread and of a total carries its line and the main line, numbers or text', () => {
    const spread = {
      type: 'spread',
      spread: '-3.5',
      mainHomeSpread: '-3.5',
      mainAwaySpread: 3.5,
      live: true,
    };
    expect(value(parse(spread))).toMatchObject({ line: -3.5, mainHomeSpread: -3.5, live: true });
    const total = { type: 'total', OU: 'under', total: 210.5, participantID: null, mainTotal: 211 };
    expect(value(parse(total))).toMatchObject({
      side: 'under',
      line: 210.5,
      mainTotal: 211,
      participantId: undefined,
    });
  });

  it('with empty sideOrders means an empty ladder', () => {
    expect(value(parse({ sideOrders: [] })).offers).toEqual([]);
  });

  it('takes its side from the participant, also when a moneyline or spread carries OU', () => {
    expect(value(parse({ OU: 'over' })).side).toBeUndefined();
    expect(value(parse({ type: 'spread', spread: 3.5, OU: 'under' })).side).toBeUndefined();
  });

  it.each<[string, Fields]>([
    ['has no game', { gameID: undefined }],
    ['has a game that is no text', { gameID: 7 }],
    ['has no type', { type: undefined }],
    ['has an unknown type', { type: 'future' }],
    ['has a moneyline without participant', { participantID: null }],
    ['has a spread without line', { type: 'spread', spread: null }],
    ['has a spread with a line that is no number', { type: 'spread', spread: 'NaN' }],
    ['has a total without side', { type: 'total', total: 210.5 }],
    ['has a total with an unknown side', { type: 'total', total: 210.5, OU: 'o' }],
    ['has a total without line', { type: 'total', OU: 'over' }],
    ['lacks its ladder: a missing field must not erase', { sideOrders: undefined }],
    ['has null for a ladder', { sideOrders: null }],
    ['has an object for a ladder', { sideOrders: {} }],
  ])('is refused when it %s', (_what, fields) => {
    expect(parse(fields).ok).toBe(false);
  });

  it.each([1e16, -1e17, 1e300, '1e20'])('is refused when its line is %s, which no game has', (line) => {
    expect(parse({ type: 'spread', spread: line }).ok).toBe(false);
    expect(parse({ type: 'total', OU: 'over', total: line }).ok).toBe(false);
  });

  it.each(['', '{', 'null', '[]', '"text"', '7', 'undefined'])('is refused when its text is %j', (payload) => {
    expect(parseOrderUpdate(payload, OFFERER).ok).toBe(false);
  });

  it('that cannot be read still names its game', () => {
    expect(gameIdIn('orderUpdate', '{"gameID":"g1","type":"fut')).toBe('g1');
    expect(gameIdIn('gameUpdate', '{"id" : "g2",')).toBe('g2');
    expect(gameIdIn('orderUpdate', '{"gameID":7}')).toBeUndefined();
    expect(gameIdIn('orderUpdate', '')).toBeUndefined();
  });

  it('is not attributed to a game by the id of an order or of a participant in it', () => {
    expect(gameIdIn('orderUpdate', '{"id":"o1","gameID":"g1","sideOrders":[{"id":"o2"')).toBe('g1');
    expect(gameIdIn('orderUpdate', '{"sideOrders":[{"id":"o1","gameID":"g9"}],"gameID":"g1"')).toBeUndefined();
    expect(gameIdIn('gameUpdate', '{"participants":[{"id":"p1"')).toBeUndefined();
  });
});

describe('an offer', () => {
  it('reads numbers that are written as text', () => {
    expect(readOffer({ odds: '-110.5', risk: '20.25', sumUntaken: '10.125' })).toMatchObject({
      rung: -105,
      risk: 20_250_000,
      untaken: 10_125_000,
    });
  });

  it('reads its size under the older name, and prefers the newer name', () => {
    expect(readOffer({ risk: undefined, bet: 40, sumUntaken: 40 }).risk).toBe(40_000_000);
    expect(readOffer({ risk: null, bet: '40', sumUntaken: 40 }).risk).toBe(40_000_000);
    expect(readOffer({ risk: 100, bet: 40 }).risk).toBe(100_000_000);
  });

  it.each([
    [null, 100],
    [undefined, 100],
    [0.25, 75],
    ['0.25', 75],
    [-1e-8, 100],
    [-0.5, 100],
    ['NaN', 100],
  ])('without sumUntaken and with takenRatio %j has %d dollars left', (takenRatio, left) => {
    expect(readOffer({ sumUntaken: undefined, takenRatio }).untaken).toBe(microsOfDollars(left));
  });

  it.each([1, 1 + 1e-8, 5])('without sumUntaken and with takenRatio %d is dropped from the ladder', (takenRatio) => {
    expect(value(readLadder([row({ sumUntaken: undefined, takenRatio })], OFFERER))).toEqual([]);
  });

  it.each([0, -0, -1e-8, '0', 1e-8])('with %j left is dropped from the ladder', (sumUntaken) => {
    expect(value(readLadder([row({ sumUntaken })], OFFERER))).toEqual([]);
  });

  it('is an own order when the exchange names its owner', () => {
    expect(readOffer({ createdBy: 'me' }).own).toBe(true);
    for (const createdBy of [undefined, null, '', 7]) expect(readOffer({ createdBy }).own).toBe(false);
  });

  it('is read without its time of creation', () => {
    expect(readOffer({ createdAt: undefined }).createdAt).toBe('');
    expect(readOffer({ createdAt: 7 }).createdAt).toBe('');
  });

  it.each<[string, unknown]>([
    ['is not an object', 7],
    ['is null', null],
    ['is an array', []],
    ['has no id', row({ id: undefined })],
    ['has an empty id', row({ id: '' })],
    ['has no odds', row({ odds: undefined })],
    ['has odds between −100 and +100', row({ odds: 99.9 })],
    ['has odds of 0', row({ odds: 0 })],
    ['has odds that are NaN as text', row({ odds: 'NaN' })],
    ['has absurd odds', row({ odds: 1e9 })],
    ['has no size', row({ risk: undefined })],
    ['has a negative size', row({ risk: -1 })],
    ['has an absurd size', row({ risk: 1e12 })],
    ['has less than nothing left', row({ sumUntaken: -1 })],
    ['has an absurd remainder', row({ sumUntaken: 1e12 })],
  ])('makes the whole ladder unreadable when it %s', (_what, bad) => {
    expect(problem(readLadder([row(), bad], OFFERER))).not.toBe('');
  });
});

describe('a ladder', () => {
  it('is sorted best for the taker first, then by age, whatever the order of its rows', () => {
    const atSecond = (second: number) => `2030-01-01T00:00:0${second}.000Z`;
    const rows = [
      row({ id: 'b', odds: 105, createdAt: atSecond(2) }),
      row({ id: 'd', odds: 110, createdAt: atSecond(0) }),
      row({ id: 'a', odds: -101, createdAt: atSecond(9) }),
      row({ id: 'c', odds: 105, createdAt: atSecond(3) }),
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(rows, { minLength: rows.length }), (shuffled) => {
        expect(value(readLadder(shuffled, OFFERER)).map((offer) => offer.id)).toEqual(['a', 'b', 'c', 'd']);
      }),
    );
  });

  it('shown in the taker’s odds is read in the offerer’s odds', () => {
    const rows = [row({ id: 'a', odds: 120, sumUntaken: 50 }), row({ id: 'b', odds: -105, sumUntaken: 105 })];
    expect(prices(value(readLadder(rows, TAKER)))).toEqual([
      [-120, 60],
      [105, 100],
    ]);
  });

  it.each([
    // [shown taker odds, taker's stake untaken, offerer's stake untaken]
    [-105, 105, 100],
    [105, 100, 105],
    [-200, 100, 50],
    [200, 100, 200],
    [100, 33.33, 33.33],
    [-100, 33.33, 33.33],
  ])('shown in taker odds %d with %d still takeable leaves the offerer %d', (odds, sumUntaken, left) => {
    expect(readOffer({ odds, risk: left, sumUntaken }, TAKER).untaken).toBe(microsOfDollars(left));
    expect(readOffer({ odds, risk: left, sumUntaken }, OFFERER).untaken).toBe(microsOfDollars(sumUntaken));
  });

  it('reads takenRatio as a share of the offerer’s stake in either perspective', () => {
    for (const perspective of [OFFERER, TAKER]) {
      const offer = readOffer({ odds: -200, risk: 100, sumUntaken: undefined, takenRatio: 0.5 }, perspective);
      expect([offer.risk, offer.untaken]).toEqual([100_000_000, 50_000_000]);
    }
  });

  it('keeps the size of an offer: the offerer’s stake in either perspective', () => {
    expect(readOffer({ odds: -200, risk: 100, sumUntaken: 200 }, TAKER).risk).toBe(100_000_000);
  });

  it('contains only amounts that can be counted exactly', () => {
    const rows = fc.record({
      odds: fc.oneof(fc.constantFrom(100_000, -100_000), fc.integer({ min: 100, max: 100_000 })),
      risk: fc.double({ min: 0, max: 1e9, noNaN: true }),
      sumUntaken: fc.double({ min: 0, max: 1e6, noNaN: true }),
    });
    fc.assert(
      fc.property(rows, fc.constantFrom(OFFERER, TAKER), (fields, perspective) => {
        for (const offer of value(readLadder([row(fields)], perspective))) {
          for (const amount of [offer.risk, offer.untaken]) {
            expect(Number.isSafeInteger(amount) && amount >= 0).toBe(true);
          }
        }
      }),
    );
  });

  it('is refused when a remainder is too large to count exactly', () => {
    const read = readLadder([row({ odds: 100_000, risk: 100, sumUntaken: 1e9 })], TAKER);
    expect(read.ok && read.value.some((offer) => offer.untaken > MAX_MICROS)).toBe(false);
  });
});

// The book an exchange shows in the taker's view and in the offerer's view is one book.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BookPerspective, Market, Perspective, Rung } from '../../src/domain/index.ts';
import { lineFor, market, oddsOf, oppositeSide } from '../../src/domain/index.ts';
import type { Json, Row } from './fixtures.ts';
import { GAME, MirrorFixture, OFFERER, plainBook, rows, TAKER } from './fixtures.ts';

const views: readonly Perspective[] = ['offerer', 'taker'];
const PERSPECTIVES: readonly BookPerspective[] = views.flatMap((odds) =>
  views.flatMap((side) => views.map((line) => ({ odds, side, line }))),
);

/** One side of one market with its offers, as their owners see them. */
type Resting = { readonly market: Market; readonly index: 0 | 1; readonly offers: readonly Row[] };
const PARTICIPANT = { home: 'p-home', away: 'p-away', over: null, under: null } as const;

/** Side and line as the exchange shows them. */
function shown({ market: ownMarket, index }: Resting, perspective: BookPerspective) {
  const owner = ownMarket.sides[index];
  const side = perspective.side === 'taker' ? oppositeSide(owner) : owner;
  const line = lineFor(ownMarket, perspective.line === 'taker' ? oppositeSide(owner) : owner);
  return { side, line };
}

function frameOf(resting: Resting, perspective: BookPerspective): Json {
  const { side, line } = shown(resting, perspective);
  const { type } = resting.market;
  return {
    type,
    participantID: PARTICIPANT[side],
    ...(type === 'total' ? { OU: side, total: line } : type === 'spread' ? { spread: line } : {}),
    sideOrders: rows(resting.offers, perspective),
  };
}

const FIELDS = {
  moneyline: { home: 'homeMoneylines', away: 'awayMoneylines' },
  spread: { home: 'homeSpreads', away: 'awaySpreads' },
  total: { over: 'over', under: 'under' },
} as const;

function gameOf(all: readonly Resting[], perspective: BookPerspective): Json {
  const game: Record<string, unknown> = {};
  for (const resting of all) {
    const { side, line } = shown(resting, perspective);
    const field = (FIELDS[resting.market.type] as Readonly<Record<string, string>>)[side] ?? '';
    const ladder = rows(resting.offers, perspective);
    game[field] = line === undefined ? ladder : { ...(game[field] as object | undefined), [String(line)]: ladder };
  }
  return game;
}

const markets = [
  market(GAME, 'moneyline'),
  market(GAME, 'spread', -3.5),
  market(GAME, 'spread', 0),
  market(GAME, 'spread', 2.25),
  market(GAME, 'total', 210.5),
];
let serial = 0;
const offers: fc.Arbitrary<readonly Row[]> = fc.array(
  fc
    .record({
      rung: fc.integer({ min: -300, max: 300 }),
      dollars: fc.integer({ min: 1, max: 1000 }),
      own: fc.boolean(),
    })
    .map(({ rung, dollars, own }): Row => [`o${(serial += 1)}`, oddsOf((rung * 10 + 0) as Rung), dollars, own]),
  { maxLength: 4 },
);
const restings: fc.Arbitrary<Resting> = fc.record({
  market: fc.constantFrom(...markets),
  index: fc.constantFrom(0 as const, 1 as const),
  offers,
});

/** Untaken amounts were converted to the taker's stake and back: they are equal to a micro-dollar or two. */
function expectSameBook(a: ReturnType<typeof plainBook>, b: ReturnType<typeof plainBook>): void {
  expect(Object.keys(b).sort()).toEqual(Object.keys(a).sort());
  for (const [id, sides] of Object.entries(a)) {
    sides.forEach((ladder, index) => {
      const other = b[id]?.[index] ?? [];
      expect(other.map(([offer, rung]) => [offer, rung])).toEqual(ladder.map(([offer, rung]) => [offer, rung]));
      ladder.forEach(([, , untaken], i) => {
        expect(Math.abs(untaken - (other[i]?.[2] ?? 0))).toBeLessThanOrEqual(4);
      });
    });
  }
}

describe.each(PERSPECTIVES)('a book shown in perspective %j', (perspective) => {
  it('becomes the offerer’s book when it arrives in frames', () => {
    fc.assert(
      fc.property(fc.array(restings, { maxLength: 8 }), (all) => {
        const books = [OFFERER, perspective].map((view) => {
          const fixture = new MirrorFixture(view).up();
          fixture.read({}, 0);
          all.forEach((resting, i) => {
            expect(fixture.frame(frameOf(resting, view), i + 1)).toBe('applied');
          });
          return plainBook(fixture.mirror);
        });
        expectSameBook(books[0] ?? {}, books[1] ?? {});
      }),
    );
  });

  it('becomes the offerer’s book when it arrives in a read, and when a gameUpdate then empties a side', () => {
    const distinct = fc.uniqueArray(restings, {
      maxLength: 8,
      selector: ({ market: ownMarket, index }) => `${ownMarket.id} ${index}`,
    });
    fc.assert(
      fc.property(distinct, fc.constantFrom(0 as const, 1 as const), (all, emptied) => {
        const books = [OFFERER, perspective].map((view) => {
          const fixture = new MirrorFixture(view).up();
          fixture.read(gameOf(all, view), 0);
          const before = plainBook(fixture.mirror);
          const { side } = shown({ market: markets[1] as Market, index: emptied, offers: [] }, view);
          fixture.update({ [side === 'home' ? 'homeSpreads' : 'awaySpreads']: {} }, 1);
          return [before, plainBook(fixture.mirror)] as const;
        });
        const [expected, found] = books as [(typeof books)[0], (typeof books)[0]];
        expectSameBook(expected[0], found[0]);
        expectSameBook(expected[1], found[1]);
        for (const book of [expected[1], found[1]]) {
          for (const [id, sides] of Object.entries(book))
            if (id.includes('/spread/')) expect(sides[emptied]).toEqual([]);
        }
      }),
    );
  });
});

describe('the taker’s view', () => {
  it('shows an offer on HOME at +105 in the AWAY ladder at −105 with the negated spread', () => {
    const fixture = new MirrorFixture(TAKER).up();
    fixture.read({}, 0);
    const sideOrders = [{ id: 'o', odds: -105, risk: 100, sumUntaken: 105, createdBy: 'me' }];
    fixture.frame({ type: 'spread', participantID: 'p-away', spread: 3.5, sideOrders }, 1);
    expect(fixture.side(0, 'spread', -3.5).ladder).toMatchObject([
      { id: 'o', rung: 50, risk: 100_000_000, untaken: 100_000_000, own: true },
    ]);
    expect(fixture.side(1, 'spread', -3.5).ladder).toEqual([]);
  });
});

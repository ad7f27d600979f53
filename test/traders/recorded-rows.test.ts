// The rows of a recorded ladder: whether they are recognised by the object that stood there or by id, the
// result is the same.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Game, GameId, Offer, OrderId, Rung } from '../../src/domain/index.ts';
import { microsOfDollars } from '../../src/domain/index.ts';
import { RecordedRows } from '../../src/traders/recorded-rows.ts';
import { createTapeClock } from '../../src/traders/tape-clock.ts';
import type { Ghost, SideBook } from '../../src/venue/records.ts';
import { bookFor, compareRank, createGame, ghostAvailable } from '../../src/venue/market-book.ts';
import { sportOf } from '../support/sport-rules.ts';

const RUNS = 1500;
const team = (id: string): Game['home'] => ({ id, name: id, shortName: id }) as Game['home'];
const HEADER: Game = {
  id: 'g' as GameId,
  parentGameId: undefined,
  league: 'NBA',
  sport: 'basketball',
  eventName: 'A @ H',
  start: 0,
  live: false,
  ended: false,
  open: true,
  futures: false,
  kind: 'game',
  period: 'full',
  home: team('h'),
  away: team('a'),
  mainHomeSpread: undefined,
  mainTotal: undefined,
};

const place = fc.nat(7);
const change = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('comes' as const),
      place,
      id: fc.nat(9),
      // neighbours in price and age: some rows are out of order
      rung: fc.nat(6),
      age: fc.nat(3),
      own: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('goes' as const), place }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('taken' as const), place, cents: fc.nat(4000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('repriced' as const), place, rung: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('matched' as const), place, cents: fc.nat(500) }) },
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function after(ladder: readonly Offer[], change: Change, tidy: boolean): Offer[] {
  const index = change.place % Math.max(1, ladder.length);
  const old = ladder[index];
  if (change.kind === 'comes') {
    const id = `o${change.id}` as OrderId;
    // tidy recordings name an id once, in order, and contain no own rows
    if (tidy && ladder.some((offer) => offer.id === id)) return [...ladder];
    const fresh: Offer = {
      id,
      rung: change.rung as Rung,
      risk: microsOfDollars(50),
      untaken: microsOfDollars(50),
      createdAt: `2030-01-01T00:00:0${change.age}.000Z`,
      own: !tidy && change.own && change.id === 0,
    };
    return inOrder(ladder.toSpliced(index, 0, fresh), tidy);
  }
  if (old === undefined || change.kind === 'matched') return [...ladder];
  if (change.kind === 'goes') return ladder.toSpliced(index, 1);
  if (change.kind === 'repriced') return inOrder(ladder.with(index, { ...old, rung: change.rung as Rung }), tidy);
  return ladder.with(index, { ...old, untaken: microsOfDollars(change.cents / 100) });
}
const inOrder = (ladder: Offer[], tidy: boolean): Offer[] =>
  tidy
    ? ladder.sort((a, b) => a.rung - b.rung || (a.createdAt < b.createdAt ? -1 : 1) || (a.id < b.id ? -1 : 1))
    : ladder;

/** One side that receives ladders. */
class Side {
  readonly #rows = new RecordedRows(createTapeClock(0, 0, 1), new Map());
  readonly #side: SideBook = bookFor(
    createGame(HEADER, { kind: 'game', periodName: undefined, marketName: undefined }, sportOf('impossible'), 1),
    'moneyline',
    undefined,
  ).sides[0];

  /** What the side then knows, and which rows came and went. `isSpent`: every row is checked. */
  receive(offers: readonly Offer[], frame: number, isSpent = false): unknown {
    const rows = this.#rows.match(this.#side, offers, frame, isSpent);
    const { news } = rows;
    const gone = rows.gone.map(({ id }) => id).sort();
    // a row that is not reported as news stands as it stood
    if (news !== undefined)
      for (const ghost of this.#side.rows)
        if (!news.ghosts.includes(ghost)) expect(offers.filter(({ id }) => id === ghost.id)).toEqual([ghost.offer]);
    const arrived = this.#rows.replace(this.#side, offers, rows, frame, frame);
    const { ghosts, isAsShown, ghostById, rows: stand } = this.#side;
    // the expected values are computed from scratch
    const recorded = stand.filter(({ offer }) => !offer.own);
    expect(ghosts.map(({ id }) => id)).toEqual([...recorded].sort(compareRank).map(({ id }) => id));
    expect(isAsShown).toBe(
      recorded.length === stand.length && stand.every((ghost) => ghostAvailable(ghost) >= ghost.untaken),
    );
    expect(new Set(ghostById.values())).toEqual(new Set(stand));
    return {
      gone,
      isAsShown,
      arrived: arrived.map(({ id }) => id),
      known: [...ghostById.keys()].sort(),
      rows: this.#side.rows.map(factsOf),
      ghosts: ghosts.map(({ id }) => id),
    };
  }

  /** An account matches some of a recorded offer. */
  match(index: number, cents: number): void {
    const ghost = this.#side.rows[index % Math.max(1, this.#side.rows.length)];
    if (ghost === undefined) return;
    ghost.used = microsOfDollars(cents / 100);
    this.#side.isAsShown = false;
  }
}
const factsOf = ({ id, rung, risk, untaken, mostTaken, used, createdAtMs, seq }: Ghost): unknown => [
  id,
  rung,
  risk,
  untaken,
  mostTaken,
  used,
  createdAtMs,
  seq,
];

it.each([
  ['of a tidy recording', true],
  ['with repeated ids, rows out of order and rows of the recording account', false],
])('frames %s give the same result, whether rows are recognised by place, by id, or all checked', (_what, tidy) => {
  fc.assert(
    fc.property(fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 25 }), (frames) => {
      const [byPlace, byId, whole] = [new Side(), new Side(), new Side()];
      let ladder: readonly Offer[] = [];
      frames.forEach((changes, index) => {
        for (const step of changes) {
          ladder = after(ladder, step, tidy);
          if (step.kind === 'matched') for (const side of [byPlace, byId, whole]) side.match(step.place, step.cents);
        }
        const fresh = ladder.map((offer) => ({ ...offer }));
        const expected = byPlace.receive(ladder, index + 1);
        expect(expected).toEqual(byId.receive(fresh, index + 1));
        expect(expected).toEqual(whole.receive(ladder, index + 1, true));
      });
    }),
    { numRuns: RUNS },
  );
});

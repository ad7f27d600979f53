import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GameId, Micros, Offer, OrderId, Rung } from '../../src/domain/index.ts';
import type { OwnOrder } from '../../src/account/index.ts';
import { Name } from '../../src/account/records.ts';
import type { Cancel, Need } from '../../src/orders/index.ts';
import { cancelOf, needsOf, planCancels, planRequests } from '../../src/orders/index.ts';
import { DANGEROUS, even, GENEROUS, open, SHY, target } from './fixtures.ts';

const limits = { permits: 25, reserve: 5, maxOrdersPerPlace: 20, mayEdit: true };

/** Needs of `count` markets whose order rests at `rung` while even money is wanted. */
const moves = (count: number, rung: number, tolerance = 0.002): ReturnType<typeof needsOf> =>
  Array.from({ length: count }, (_none, index) =>
    needsOf([target(index)], [open(index, rung as Rung)], tolerance),
  ).flat();
const places = (count: number): ReturnType<typeof needsOf> =>
  Array.from({ length: count }, (_none, index) => needsOf([target(index + 100)], [], 0.002)).flat();

const HUNDRED: Offer = {
  id: 'other' as OrderId,
  rung: even,
  risk: 100_000_000 as Micros,
  untaken: 100_000_000 as Micros,
  createdAt: '',
  own: false,
};

describe('needs', () => {
  it('are none while a quote is inside its tolerance', () => {
    expect(needsOf([target(0)], [open(0, 10 as Rung)], 0.005)).toEqual([]);
  });

  it('are none for a slot with a request in flight or of unknown fate', () => {
    for (const status of ['sending', 'moving', 'cancelling', 'unknown'] as const) {
      expect(needsOf([target(0)], [{ ...open(0, 200 as Rung), status }], 0.005)).toEqual([]);
    }
  });

  it('cancel unwanted orders and orders that a control denies', () => {
    expect(needsOf([], [open(0, even)], 0.005)).toMatchObject([{ type: 'cancel' }]);
    const denied = { ...target(0), denial: { control: 'freshness', reason: 'stale' } as const };
    expect(needsOf([denied], [open(0, even)], 0.005)).toMatchObject([{ type: 'cancel' }]);
  });

  it('distinguish too generous from too cautious orders, and give the former five times the value', () => {
    const [generous] = moves(1, GENEROUS);
    const [shy] = moves(1, -GENEROUS);
    expect(generous).toMatchObject({ type: 'move', generous: true });
    expect(shy).toMatchObject({ type: 'move', generous: false });
    expect((generous?.value ?? 0) / (shy?.value ?? 1)).toBeGreaterThan(4.5);
  });
});

describe('the queue', () => {
  it('ranks an offer at its top before one far back, at the same value', () => {
    const behind = { ...target(0), queue: [{ ...HUNDRED, rung: -20 as Rung }] };
    const [far] = needsOf([behind], [open(0, GENEROUS as Rung)], 0.002);
    const [near] = moves(1, GENEROUS);
    expect(far?.value).toBe(near?.value);
    expect((far?.rank ?? 0) / (near?.rank ?? 1)).toBeCloseTo(0.75, 5);
  });
});

describe('the plan', () => {
  const rich = { place: 25, cancel: 30, resting: 40, spent: 1, worth: 0, now: 0 };
  const ordersOf = (needs: readonly { readonly order: OwnOrder }[]): unknown[] =>
    needs.map(({ order }) => order.id?.orderId);

  it('edits a single order, with one place permit and no gap', () => {
    const plan = planRequests(moves(1, GENEROUS), rich, limits);
    expect(plan).toMatchObject({ cancels: [], places: [] });
    expect(ordersOf(plan.edits)).toEqual(['o0']);
  });

  it('cancels and batches many orders, with one cancel permit and one place permit afterwards', () => {
    const plan = planRequests(moves(12, DANGEROUS), rich, limits);
    expect(plan.edits).toEqual([]);
    expect(plan.cancels).toHaveLength(12);
    expect(planRequests(places(12), rich, limits).places).toHaveLength(1);
  });

  it('edits orders one by one when a request carries one order, because a cancel would save nothing', () => {
    const plan = planRequests(moves(12, DANGEROUS), rich, { ...limits, maxOrdersPerPlace: 1 });
    expect(plan.edits).toHaveLength(12);
    expect(plan.cancels).toEqual([]);
  });

  it('cancels and places when an edited order would lose its reference', () => {
    const plan = planRequests(moves(1, GENEROUS), rich, { ...limits, mayEdit: false });
    expect(plan.edits).toEqual([]);
    expect(plan.cancels).toHaveLength(1);
  });

  it('first pulls the orders that give most away, because cancel permits may not reach for all', () => {
    const needs = [...moves(1, GENEROUS), ...moves(3, DANGEROUS).slice(1)];
    const { cancels } = planRequests(needs, rich, { ...limits, mayEdit: false });
    expect(cancels.map(({ order }) => order.rung)).toEqual([DANGEROUS, DANGEROUS, GENEROUS]);
  });

  it('spends the last permit on a dangerous quote', () => {
    expect(planRequests(moves(1, DANGEROUS), { ...rich, place: 1 }, limits).edits).toHaveLength(1);
  });

  it('pulls a dangerous quote through the cancel window when no place permit is in hand', () => {
    const plan = planRequests(moves(1, DANGEROUS), { ...rich, place: 0 }, limits);
    expect(plan.edits).toEqual([]);
    expect(plan.cancels).toHaveLength(1);
  });

  it('leaves a slightly generous and a cautious quote alone when no place permit is in hand', () => {
    for (const rung of [GENEROUS, SHY]) {
      const plan = planRequests(moves(2, rung), { ...rich, place: 0 }, limits);
      expect(plan).toEqual({ cancels: [], edits: [], places: [] });
    }
  });

  it('keeps the reserve for quotes that are too generous', () => {
    expect(planRequests(moves(1, SHY), { ...rich, place: 5 }, limits).edits).toEqual([]);
    expect(planRequests(moves(1, GENEROUS), { ...rich, place: 5 }, limits).edits).toHaveLength(1);
  });

  it('requires more value of an edit the fewer permits are left, and none while half of them are', () => {
    const [move] = moves(1, GENEROUS);
    const worth = (move?.value ?? 0) * 2;
    const plan = (place: number): number =>
      planRequests(moves(1, GENEROUS), { ...rich, place, worth }, limits).edits.length;
    expect([1, 2, 3, 13, 25].map(plan)).toEqual([0, 0, 0, 1, 1]);
    expect(plan(5)).toBe(1);
  });

  it('spends the last permit on an empty slot when no resting order needs the reserve', () => {
    expect(planRequests(places(2), { ...rich, place: 1, resting: 0 }, limits).places).toHaveLength(1);
  });

  it('serves the most valuable need first when permits are scarce', () => {
    const needs = [...moves(1, -12), ...moves(2, GENEROUS).slice(1)];
    const plan = planRequests(needs, { ...rich, place: 1, resting: 4 }, limits);
    expect(plan.edits.map(({ order }) => order.rung)).toEqual([GENEROUS]);
  });

  it('gives one permit of eight to the need that waited longest, however little it is worth', () => {
    const waiting = { ...moves(1, SHY)[0], since: 0, value: 0 } as Need;
    const needs = [...moves(3, DANGEROUS).slice(1), waiting];
    const pool = { ...rich, place: 1, worth: 1e9, now: 10_000 };
    const turn = planRequests(needs, { ...pool, spent: 8 }, { ...limits, maxOrdersPerPlace: 1 });
    expect(turn.edits).toEqual([waiting]);
    expect(turn.edits[0]?.because).toBe('it waited longest');
    const other = planRequests(needs, { ...pool, spent: 9 }, { ...limits, maxOrdersPerPlace: 1 });
    expect(other.edits).not.toContain(waiting);
  });

  it('never spends more permits than are in hand, serves nothing twice, and gives a reason for each request', () => {
    const counts = fc.record({
      generous: fc.nat(30),
      dangerous: fc.nat(30),
      shy: fc.nat(30),
      empty: fc.nat(60),
      place: fc.nat(25),
      cancel: fc.nat(30),
      resting: fc.nat(90),
      spent: fc.nat(20),
      worth: fc.double({ min: 0, max: 1e8, noNaN: true }),
      maxOrdersPerPlace: fc.constantFrom(1, 20),
    });
    fc.assert(
      fc.property(counts, ({ generous, dangerous, shy, empty, maxOrdersPerPlace, ...pool }) => {
        const needs = [
          ...moves(generous, GENEROUS),
          ...moves(dangerous, DANGEROUS),
          ...moves(shy, SHY),
          ...places(empty),
        ];
        const plan = planRequests(needs, { ...pool, now: 0 }, { ...limits, maxOrdersPerPlace });
        expect(plan.edits.length + plan.places.length).toBeLessThanOrEqual(pool.place);
        for (const batch of plan.places) {
          expect(batch.length).toBeGreaterThan(0);
          expect(batch.length).toBeLessThanOrEqual(maxOrdersPerPlace);
        }
        const choices = [...plan.cancels, ...plan.edits, ...plan.places.flat()];
        expect(new Set<Need>(choices).size).toBe(choices.length);
        for (const { because } of choices) expect(because).not.toBe('');
      }),
    );
  });
});

describe('cancels', () => {
  const unwanted = (games: readonly number[]): Cancel[] =>
    games.map((game, index) =>
      cancelOf({ ...open(game, even), id: new Name(undefined, `o${game}-${index}` as OrderId) }, 'unwanted', undefined),
    );
  const context = {
    permits: 0,
    maxIdsPerCancel: 2,
    restingIn: () => 2 as number | undefined,
    leagueOf: (): string | undefined => 'NBA',
    gamesOf: () => new Set(['g0', 'g1', 'g2'] as GameId[]),
  };

  it('go by cancelMultiple as far as permits reach', () => {
    const plan = planCancels(unwanted([0, 0, 1]), { ...context, permits: 2 });
    expect(plan.batches.map((batch) => batch.length)).toEqual([2, 1]);
    expect(plan.bulks).toEqual([]);
  });

  it('go game by game when no permit is left and nothing else rests in the game', () => {
    const resting = (game: GameId): number => (game === 'g0' ? 2 : 3);
    const plan = planCancels(unwanted([0, 0, 1, 1]), { ...context, restingIn: resting });
    expect(plan.batches).toEqual([]);
    expect(plan.bulks).toMatchObject([{ scope: { game: 'g0' } }]);
    expect(plan.bulks[0]?.unwanted).toHaveLength(2);
  });

  it('go league by league when everything of a league must go', () => {
    const two = { ...context, gamesOf: () => new Set(['g0', 'g1'] as GameId[]) };
    expect(planCancels(unwanted([0, 0, 1, 1]), two).bulks).toMatchObject([{ scope: { league: 'NBA' } }]);
    expect(planCancels(unwanted([0, 0, 1, 1]), context).bulks).toHaveLength(2);
    expect(planCancels(unwanted([0, 0, 1, 1]), { ...two, leagueOf: () => undefined }).bulks).toHaveLength(2);
  });

  it('wait when orders of other clients may rest', () => {
    expect(planCancels(unwanted([0, 0]), { ...context, restingIn: () => undefined }).bulks).toEqual([]);
  });

  it('replace a third cancel of an order that two locks refused by a cancel of its game with all unwanted orders there', () => {
    const unwantedOrders = unwanted([0, 0, 1]);
    if (unwantedOrders[1] !== undefined) unwantedOrders[1].order.lockedOut = 2;
    const plan = planCancels(unwantedOrders, { ...context, permits: 2, restingIn: () => 3 });
    expect(plan.bulks).toMatchObject([{ scope: { game: 'g0' } }]);
    expect(plan.bulks[0]?.unwanted).toHaveLength(2);
    expect(plan.batches.map((batch) => batch.map(({ order }) => order.id?.orderId))).toEqual([['o1-2']]);
    // but not when other clients may have orders
    const shared = planCancels(unwantedOrders, { ...context, permits: 2, restingIn: () => undefined });
    expect(shared.bulks).toEqual([]);
    expect(shared.batches.flat()).toHaveLength(3);
  });

  it('treat orders that are cancelled in the same plan as gone', () => {
    const plan = planCancels(unwanted([0, 0, 0]), { ...context, permits: 1, restingIn: () => 3 });
    expect(plan.batches.map((batch) => batch.length)).toEqual([2]);
    expect(plan.bulks).toMatchObject([{ scope: { game: 'g0' } }]);
    expect(plan.bulks[0]?.unwanted).toHaveLength(1);
  });
});

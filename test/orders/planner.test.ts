import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GameId, Micros, OrderId, OrderRef, Rung, StrategyId } from '../../src/domain/index.ts';
import { centsOfDollars, market, slotId } from '../../src/domain/index.ts';
import type { OwnOrder, Target } from '../../src/orders/index.ts';
import { needsOf, planRequests } from '../../src/orders/index.ts';

const strategy = 'main' as StrategyId;
const limits = { permits: 25, reserve: 5, maxOrdersPerPlace: 20, maxIdsPerCancel: 100 };
const even = 0 as Rung;

const target = (index: number, rung: Rung = even): Target => {
  const of = market(`g${index}` as GameId, 'moneyline');
  return {
    slot: slotId(strategy, of, 'home', '#0'),
    strategy,
    key: '#0',
    market: of,
    side: 'home',
    rung,
    risk: centsOfDollars(100),
    denial: undefined,
  };
};

const open = (index: number, rung: Rung): OwnOrder => {
  const { market: of, slot } = target(index);
  return {
    ref: `r${index}` as OrderRef,
    market: of,
    side: 'home',
    rung,
    risk: centsOfDollars(100),
    strategy,
    key: '#0',
    slot,
    sentAt: 0,
    openSince: 0,
    endedAt: 0,
    replaces: undefined,
    isEdit: false,
    counted: true,
    orderId: `o${index}` as OrderId,
    status: 'open',
    filled: 0 as Micros,
    req: undefined,
    cancelAsked: false,
    awaitsFeedSince: undefined,
    seenInFeed: true,
    locked: 0 as Micros,
  };
};

/** Needs of `count` markets whose order rests at `rung` while even money is wanted. */
const moves = (count: number, rung: number, tolerance = 0.002): ReturnType<typeof needsOf> =>
  Array.from({ length: count }, (_none, index) =>
    needsOf([target(index)], new Set([open(index, rung as Rung)]), tolerance),
  ).flat();
const places = (count: number): ReturnType<typeof needsOf> =>
  Array.from({ length: count }, (_none, index) => needsOf([target(index + 100)], new Set(), 0.002)).flat();

/** Tenths from even money: 0.35 and 1.5 points of probability too generous; dangerous from two tolerances (0.2) on. */
const GENEROUS = -14;
const DANGEROUS = -60;
const SHY = 60;

describe('needs', () => {
  it('are none while a quote is inside its tolerance', () => {
    expect(needsOf([target(0)], new Set([open(0, 10 as Rung)]), 0.005)).toEqual([]);
  });

  it('are none for a slot whose fate is open', () => {
    for (const status of ['sending', 'moving', 'cancelling', 'unknown'] as const) {
      expect(needsOf([target(0)], new Set([{ ...open(0, 200 as Rung), status }]), 0.005)).toEqual([]);
    }
  });

  it('cancel what nobody wants, and what a control denies', () => {
    expect(needsOf([], new Set([open(0, even)]), 0.005)).toMatchObject([{ type: 'cancel' }]);
    const denied = { ...target(0), denial: { control: 'freshness', reason: 'stale' } as const };
    expect(needsOf([denied], new Set([open(0, even)]), 0.005)).toMatchObject([{ type: 'cancel' }]);
  });

  it('tell too generous from too shy, and value the first five times as high', () => {
    const [generous] = moves(1, GENEROUS);
    const [shy] = moves(1, -GENEROUS);
    expect(generous).toMatchObject({ type: 'move', generous: true });
    expect(shy).toMatchObject({ type: 'move', generous: false });
    expect((generous?.value ?? 0) / (shy?.value ?? 1)).toBeGreaterThan(4.5);
  });
});

describe('the plan', () => {
  const rich = { place: 25, cancel: 30, resting: 40 };

  it('edits a single order: one place permit and no gap', () => {
    expect(planRequests(moves(1, GENEROUS), rich, limits)).toMatchObject({
      cancels: [],
      places: [],
      edits: [{ order: { orderId: 'o0' } }],
    });
  });

  it('cancels and batches many: one cancel permit, and one place permit afterwards', () => {
    const plan = planRequests(moves(12, DANGEROUS), rich, limits);
    expect(plan.edits).toEqual([]);
    expect(plan.cancels).toHaveLength(1);
    expect(plan.cancels[0]).toHaveLength(12);
    expect(planRequests(places(12), rich, limits).places).toHaveLength(1);
  });

  it('spends the last permit on a dangerous quote', () => {
    expect(planRequests(moves(1, DANGEROUS), { ...rich, place: 1 }, limits).edits).toHaveLength(1);
  });

  it('pulls a dangerous quote through the cancel window when no place permit is in hand', () => {
    const plan = planRequests(moves(1, DANGEROUS), { ...rich, place: 0 }, limits);
    expect(plan.edits).toEqual([]);
    expect(plan.cancels).toHaveLength(1);
  });

  it('leaves a slightly generous and a shy quote alone when no place permit is in hand', () => {
    for (const rung of [GENEROUS, SHY]) {
      expect(planRequests(moves(2, rung), { ...rich, place: 0 }, limits)).toEqual({
        cancels: [],
        edits: [],
        places: [],
      });
    }
  });

  it('lets a shy quote wait while a window runs low, and a generous one go on a little longer', () => {
    expect(planRequests(moves(1, SHY), { ...rich, place: 8 }, limits).edits).toEqual([]);
    expect(planRequests(moves(1, GENEROUS), { ...rich, place: 8 }, limits).edits).toHaveLength(1);
  });

  it('spends the last permit on an empty slot when nothing rests that the reserve could protect', () => {
    expect(planRequests(places(2), { place: 1, cancel: 30, resting: 0 }, limits).places).toHaveLength(1);
  });

  it('serves the most valuable first when permits are scarce', () => {
    const needs = [...moves(1, -12), ...moves(2, GENEROUS).slice(1)];
    const plan = planRequests(needs, { place: 6, cancel: 30, resting: 4 }, limits);
    expect(plan.edits.map((edit) => edit.order.rung)).toEqual([GENEROUS]);
  });

  it('never spends more permits than are in hand, and never cancels with an empty list', () => {
    const counts = fc.record({
      generous: fc.nat(30),
      dangerous: fc.nat(30),
      shy: fc.nat(30),
      empty: fc.nat(60),
      place: fc.nat(25),
      cancel: fc.nat(30),
      resting: fc.nat(90),
    });
    fc.assert(
      fc.property(counts, ({ generous, dangerous, shy, empty, place, cancel, resting }) => {
        const needs = [
          ...moves(generous, GENEROUS),
          ...moves(dangerous, DANGEROUS),
          ...moves(shy, SHY),
          ...places(empty),
        ];
        const plan = planRequests(needs, { place, cancel, resting }, limits);
        expect(plan.edits.length + plan.places.length).toBeLessThanOrEqual(place);
        expect(plan.cancels.length).toBeLessThanOrEqual(cancel);
        for (const list of plan.cancels) expect(list.length).toBeGreaterThan(0);
        for (const batch of plan.places) expect(batch.length).toBeLessThanOrEqual(limits.maxOrdersPerPlace);
      }),
    );
  });
});

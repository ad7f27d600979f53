// The running sums of a run equal the sums that a report makes of all its fills at the end.
import { describe, expect, it } from 'vitest';
import { createRandom, phaseOf, PHASES } from '../../src/domain/index.ts';
import type { Micros } from '../../src/domain/index.ts';
import type { FillSums, RunFill } from '../../src/run/index.ts';
import {
  ATTRIBUTIONS,
  attributionOf,
  orderFigures,
  OrderTally,
  partsOfFill,
  pickedOffSoFar,
  positionBefore,
  quotingOf,
  RunSums,
  sumsOf,
} from '../../src/run/index.ts';
import { after, counted, facts, fill, M, order } from './facts.ts';

/** A fill on home at +105 for 100 at fair .5000, closed at .5200, and settled as won. */
const SETTLED = fill({ profit: 105 * M });

function manyFills(seed: number): readonly RunFill[] {
  const random = createRandom(seed, 'fills');
  const maybe = <T>(value: T): T | undefined => (random.next() < 0.7 ? value : undefined);
  return Array.from({ length: 60 }, (_, index) => {
    const risk = Math.round(random.next() * 200 * M) + 1;
    return fill({
      game: `g${index % 7}`,
      risk,
      payout: 2 * risk,
      f0: maybe(random.next()),
      fc: maybe(random.next()),
      later: after({
        1: random.next(),
        60: random.next(),
        ...(random.next() < 0.7 ? { 300: random.next() } : {}),
      }),
      isInPlay: random.next() < 0.5,
      profit: maybe(random.next() < 0.5 ? risk : -risk),
      commission: Math.round(risk / 100),
      ageMs: random.next() * 100_000,
    });
  });
}

/** Compares sums to nine decimals, since the order of additions changes the last digits. */
function expectSums(is: FillSums, wanted: FillSums): void {
  const near = (value: unknown): unknown =>
    typeof value === 'number'
      ? expect.closeTo(value, 9)
      : Object.fromEntries(Object.entries(value as object).map(([key, part]) => [key, near(part)]));
  expect(is).toEqual(near(wanted));
}

describe('RunSums', () => {
  it('has the sums of a fill worked out by hand, before and after its settlement', () => {
    const sums = new RunSums();
    sums.put('a', fill());
    expect(sums.all).toMatchObject({ fills: 1, captured: 2.5 * M, drift: 0, pnl: 0, clv: 6.6 * M });
    expect(sums.attribution('type')).toEqual([
      {
        key: 'moneyline',
        fills: 1,
        risk: 100,
        spread: null,
        drift: null,
        luck: null,
        commission: null,
        pnl: null,
        unpriced: 0,
        unpricedPnl: 0,
        clv: 6.6,
        markout60s: null,
        markout300s: null,
      },
    ]);
    sums.settle('a', 105 * M, 2 * M);
    expect(sums.attribution('type')[0]).toMatchObject({
      spread: 2.5,
      drift: 4.1,
      luck: 98.4,
      commission: -2,
      pnl: 103,
    });
    sums.settle('a', undefined);
    expect(sums.attribution('type')[0]).toMatchObject({ spread: null, drift: null, luck: null, pnl: null });
  });

  it.each([1, 2, 3])('equals the sums of all fills at once, in any order of events (seed %d)', (seed) => {
    const fills = manyFills(seed);
    const sums = new RunSums();
    for (const [id, single] of fills.entries())
      sums.put(String(id), { ...single, fc: undefined, later: [], profit: undefined, commission: 0 });
    for (const [id, single] of [...fills.entries()].reverse()) sums.put(String(id), { ...single, profit: undefined });
    for (const [id, single] of fills.entries()) sums.put(String(id), single);
    for (const by of ATTRIBUTIONS) expect(sums.attribution(by)).toEqual(attributionOf(fills, by));
    expectSums(sums.sums, sumsOf(fills));
    for (const phase of PHASES) {
      const inPhase = fills.filter((single) => phaseOf(single) === phase);
      expectSums(sums.sumsIn(phase), sumsOf(inPhase));
      for (const by of ATTRIBUTIONS) expect(sums.attribution(by, phase)).toEqual(attributionOf(inPhase, by));
    }
  });

  it('has another version only after a sum changed', () => {
    const sums = new RunSums();
    const seen = [sums.version];
    sums.put('a', fill());
    seen.push(sums.version);
    sums.settle('a', 105 * M);
    seen.push(sums.version);
    expect(new Set(seen).size).toBe(3);
    sums.settle('unknown', 105 * M);
    expect(sums.version).toBe(seen.at(-1));
  });

  it('counts a fill as picked off by its newest prices', () => {
    const sums = new RunSums();
    sums.put('a', fill());
    expect(sums.pickedOff).toEqual({ latency: 0, pricing: 0, no: 0, unknown: 1 });
    sums.put('a', fill({ isInPlay: false, later: after({ 60: 0.48 }) }));
    expect(sums.pickedOff).toEqual({ latency: 0, pricing: 1, no: 0, unknown: 0 });
    expect(sums.pickedOffIn('inplay')).toEqual({ latency: 0, pricing: 0, no: 0, unknown: 0 });
  });

  it('forgets the oldest fills and keeps their sums', () => {
    const sums = new RunSums(2);
    for (const id of ['a', 'b', 'c']) sums.put(id, fill());
    expect(sums.lost).toBe(1);
    // the fill was forgotten
    sums.settle('a', 105 * M);
    sums.settle('c', 105 * M);
    expect(sums.all).toMatchObject({ fills: 3, captured: 7.5 * M, spread: 2.5 * M, pnl: 105 * M });
  });
});

describe('a fill', () => {
  it('has spread, drift and CLV before its game ends', () => {
    expect(partsOfFill(fill())).toEqual({ spread: 2.5 * M, drift: 4_100_000, clv: 6.6 * M });
    expect(partsOfFill({ ...SETTLED, fc: undefined })).toEqual({
      spread: 2.5 * M,
      drift: undefined,
      clv: undefined,
    });
  });

  it('is picked off, is not, or is too recent to know', () => {
    expect(pickedOffSoFar(fill({ past: 0.51, f0: 0.5 }))).toBe('latency');
    expect(pickedOffSoFar(fill())).toBeUndefined();
    expect(pickedOffSoFar(fill({ later: after({ 60: 0.48 }) }))).toBe('pricing');
    expect(pickedOffSoFar(fill({ later: after({ 60: 0.49 }) }))).toBe('no');
  });

  it('has the position before it', () => {
    expect(positionBefore(fill())).toEqual({ first: 0, second: 0 });
    const position = { first: (-100 * M) as Micros, second: (110 * M) as Micros };
    expect(positionBefore(fill({ side: 'away', risk: 100 * M, payout: 210 * M, position }))).toEqual({
      first: 0,
      second: 0,
    });
  });
});

describe('OrderTally', () => {
  it('has the median order lifetime, exactly or within 1 %, and the cancels per fill', () => {
    const [exact, coarse] = [new OrderTally(), new OrderTally(3)];
    const orders = [10, 20, 1000, 5000, 90_000].map((toMs) => order({ toMs }));
    for (const single of [...orders, order({ end: 'open' }), order({ end: 'filled', toMs: 1000 })]) {
      exact.addOrder(single);
      coarse.addOrder(single);
    }
    expect(orderFigures(exact.counts, 2)).toMatchObject({
      orders: 7,
      medianLifeMs: 1000,
      cancelsPerFill: 2.5,
    });
    expect(Math.abs((orderFigures(coarse.counts, 2).medianLifeMs ?? 0) / 1000 - 1)).toBeLessThan(0.01);
    expect(orderFigures(exact.counts, 0).cancelsPerFill).toBeNull();
    expect(quotingOf(facts({ orders: counted(orders) }))).toMatchObject({
      orders: 5,
      medianLifeMs: 1000,
      cancelsPerFill: null,
    });
  });
});

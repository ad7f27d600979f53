// The fold of a run's events, with values worked out by hand.
import { describe, expect, it } from 'vitest';
import type { EventOf, Micros, RunEvent, StrategyId, Why } from '../../src/domain/index.ts';
import { noTimes } from '../../src/domain/index.ts';
import { FillBook, RunFold } from '../../src/run/index.ts';
import { ended, filled, MARKET, refOf, rested, START, submitted } from './events.ts';

const T = START - 3_600_000;
const why = (waitedMs: number): Why => ({
  cause: 'empty',
  intent: 1,
  said: 'edge',
  value: 2e6,
  waitedMs,
  over: 'wait',
  because: 'it was due',
});
const sample = (fields: Partial<EventOf<'Sample'>>): RunEvent => ({ type: 'Sample', ...fields });

function folded(...steps: readonly (readonly [number, ...RunEvent[]])[]): RunFold {
  const fold = new RunFold(new FillBook(), ({ isOwn }) => isOwn);
  for (const [t, ...events] of steps) fold.applyEvents(T + t, events);
  return fold;
}

it('RunFold makes a row of each accepted order, from its acceptance to its end, with its fills', () => {
  const fold = folded(
    [0, submitted(1, { why: why(30) }), submitted(2, { request: 1, why: why(50), isInPlay: true })],
    [500, rested(1, { fair: 0.52 })],
    [600, filled('x', { risk: 20e6 as Micros })],
    [900, ended(1, 'cancel', 20e6)],
    // was never accepted
    [950, ended(2)],
  );
  expect(fold.ended).toMatchObject([
    {
      ...{
        ref: refOf(1),
        fromMs: T + 500,
        toMs: T + 900,
        end: 'cancelled',
        filled: 20e6,
        queuePlaced: 100e6,
        fair: 0.52,
      },
      ...{ risk: 50e6, reason: 'edge', strategy: 'main' },
    },
  ]);
  const { phases } = fold.now;
  expect(phases.prematch.orders.all).toBe(1);
  // a batch is one request, divided among its orders
  expect([phases.prematch.permits.place, phases.inplay.permits.place]).toEqual([0.5, 0.5]);
  expect([phases.prematch.permits.waitedMs, phases.inplay.permits.waitedMs]).toEqual([30, 50]);
  expect(fold.endRun(T + 1000, []).requests).toMatchObject([{ place: 1, cancel: 0 }]);
});

it('RunFold counts an order that rests at the end of the run as open', () => {
  const fold = folded([0, submitted(1)], [10, rested(1)]);
  fold.endRun(T + 5000, []);
  expect(fold.ended).toMatchObject([{ end: 'open', toMs: T + 5000 }]);
});

it('RunFold counts a permit for each cancel, except for a cancel of a scope', () => {
  const cancel: EventOf<'CancelSubmitted'> = { type: 'CancelSubmitted', request: 9, orders: [] };
  const fold = folded([0, cancel], [10, { ...cancel, scope: 'account' }]);
  expect(fold.now.phases.prematch.permits.cancel).toBe(1);
});

it('RunFold takes the newest sample of each field, since samples are totals since the start', () => {
  const times = { ...noTimes(), ms: 1000, marketMs: 1000 };
  const row = { phase: 'prematch', league: 'NBA' } as const;
  const fold = folded(
    [0, sample({ marked: 1e6 as Micros, maxDrawdown: 2e6 as Micros, counts: { frames: 1, placed: 3 } })],
    [10_000, sample({ counts: { frames: 5 }, quotes: [{ ...row, ...times }], inventory: 7e6 as Micros })],
    [20_000, sample({ quotes: [{ ...row, ...times, ms: 2500 }] })],
    [...([30_000, sample({ worstEver: -4e6 as Micros, worst: -3e6 as Micros, counts: { frames: 6 } })] as const)],
  );
  const { phases, curve, maxDrawdown, worst } = fold.now;
  expect(phases.prematch.quotes['NBA']).toMatchObject({ ms: 2500, marketMs: 1000 });
  expect([maxDrawdown, worst]).toEqual([2, -4]);
  // frames are the same between the second and the third sample
  expect(curve).toEqual([
    { t: T, marked: 1, worst: 0, inventory: 0, inPlay: 0 },
    { t: T + 10_000, marked: 1, worst: 0, inventory: 7, inPlay: 0 },
    { t: T + 30_000, marked: 1, worst: -3, inventory: 7, inPlay: 0 },
  ]);
  expect(fold.status).toMatchObject({ frames: 6, placed: 3, pnl: { marked: 1, worst: -3 } });
});

it('RunFold divides quote shares by the time in which something was wanted', () => {
  const shares = { wantedMs: 1000, restedMs: 600, wantingMs: 500, limitedMs: 100, held: { gate: 100, credit: 300 } };
  const fold = folded([0, sample({ shares })]);
  expect(fold.status.quotedShare).toBe(0.6);
  expect(Object.entries(fold.now.heldBack)).toEqual([
    ['credit', 0.3],
    ['gate', 0.1],
  ]);
  expect(fold.now.atLimits).toBe(0.2);
});

it('RunFold shows the market with the most fills with its own quotes and those of others', () => {
  const fold = folded(
    [0, submitted(1)],
    [1000, rested(1)],
    [2000, sample({ markets: [{ market: MARKET, fair: 0.5, best: [0.47, 0.46] }] })],
  );
  const book = new FillBook();
  book.addFill(filled('x'), T);
  const path = fold.busiest([...book.fills]);
  expect(path).toMatchObject({ market: { id: MARKET } });
  expect(path?.points.at(-1)).toMatchObject({ t: T + 2000, fair: 0.5, others: [0.47, 0.54] });
  expect(path?.points.at(-1)?.own[0]).toBeCloseTo(100 / 205, 9);
});

describe('the row of an order', () => {
  it('begins with the first event that has the place in the queue', () => {
    const fold = folded(
      [0, submitted(1)],
      [100, rested(1, { ahead: undefined })],
      [200, rested(1)],
      [300, rested(1, { ahead: 5e6 as Micros })],
      [900, ended(1)],
    );
    expect(fold.ended).toMatchObject([{ fromMs: T + 200, toMs: T + 900, queuePlaced: 100e6 }]);
  });

  it('has the filled amount of its end event, though a fill arrives later', () => {
    const fold = folded([0, submitted(1)], [100, rested(1)], [900, ended(1, 'filled', 50e6)], [950, filled('late')]);
    expect(fold.ended).toMatchObject([{ end: 'filled', filled: 50e6 }]);
    expect(fold.now.phases.prematch.orders.byQueue.map(({ filled: count }) => count)).toContain(1);
  });

  it('stays on the same team when home and away change places', () => {
    const moved: RunEvent = { type: 'OrderMoved', ref: refOf(1), market: MARKET, side: 'away' };
    const fold = folded(
      [0, submitted(1)],
      [100, rested(1, { fair: 0.52 })],
      [500, moved, filled('taken', { risk: 9e6 as Micros, role: 'taker' })],
      [700, sample({ markets: [{ market: MARKET, fair: 0.48, best: [0.45, 0.5] }] })],
      [900, ended(1, 'expired')],
    );
    expect(fold.ended).toMatchObject([{ side: 'away', fair: 0.52, fromMs: T + 100, end: 'expired' }]);
    const book = new FillBook();
    book.addFill(filled('x'), T);
    // the next sample shows the own price on the other side
    const { points = [] } = fold.busiest([...book.fills]) ?? {};
    expect(points.map(({ t }) => t - T)).toEqual([100, 700]);
    expect(points.at(-1)?.own).toMatchObject([null, 1 - 100 / 205]);
  });

  it('has the size that the venue offers', () => {
    const fold = folded([0, submitted(1)], [100, rested(1, { offered: 19e6 as Micros })], [900, ended(1)]);
    expect(fold.ended).toMatchObject([{ risk: 19e6 }]);
  });

  it('is missing for an order that the run did not send', () => {
    expect(folded([0, rested(1)], [900, ended(1)]).ended).toEqual([]);
  });
});

it('RunFold keeps the first reason of a control that held a slot', () => {
  const held = (reason: string): RunEvent => ({
    type: 'SlotHeld',
    market: MARKET,
    control: 'gate',
    strategy: 'main' as StrategyId,
    reason,
  });
  expect(folded([0, held('no room')], [10, held('later')]).heldWhy).toEqual({ gate: `main, ${MARKET}: no room` });
});

describe('samples', () => {
  it('with a result are points of the curve, one for each curve step', () => {
    const kept = { orders: false, paths: false, curveStepMs: 1000 };
    const fold = new RunFold(new FillBook(), ({ isOwn }) => isOwn, kept);
    fold.applyEvents(T, [submitted(1), rested(1), sample({ marked: 1e6 as Micros })]);
    fold.applyEvents(T + 1000, [ended(1), sample({ marked: 2e6 as Micros })]);
    fold.applyEvents(T + 1000, [sample({ counts: { frames: 7 } })]);
    expect(fold.now.curve.map(({ t, marked }) => [t - T, marked])).toEqual([
      [0, 1],
      [1000, 2],
    ]);
    expect([fold.status.frames, fold.curveStepMs]).toEqual([7, 1000]);
    expect([fold.ended, fold.now.phases.prematch.orders.all]).toEqual([[], 1]);
  });

  it('have the takes of others by phase and league as totals since the start', () => {
    const row = { phase: 'inplay', league: 'NBA' } as const;
    const { phases } = folded(
      [0, sample({ takes: [{ ...row, ms: 1000, byReach: [1, 0] }] })],
      [10_000, sample({ takes: [{ ...row, ms: 3000, byReach: [1, 4] }] })],
    ).now;
    expect([phases.prematch.takes, phases.inplay.takes]).toEqual([{}, { NBA: { ms: 3000, byReach: [1, 4] } }]);
  });

  it('count nothing before the first of them', () => {
    expect(folded([0, submitted(1)]).status).toMatchObject({
      ...{ frames: 0, intents: 0, placed: 0, edited: 0, cancelled: 0, undetermined: 0, refused: 0 },
      ...{ fills: 0, riskFilled: 0, unknown: { ever: 0, now: 0 }, quotedShare: 0 },
    });
  });
});

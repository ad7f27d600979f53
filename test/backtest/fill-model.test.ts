// The fill model: its features, its probability and its draws, worked out by hand, and the regression that
// fits it.
import { describe, expect, it } from 'vitest';
import { fitFillModel, fitFills, LEAST_LABELS, scoreOf } from '../../src/backtest/fill-fit.ts';
import type { Labelled } from '../../src/backtest/fill-labels.ts';
import type { FillModel } from '../../src/backtest/fill-model.ts';
import { drawnBy, FILL_FEATURES, FILL_HORIZON_MS, takenProbability } from '../../src/backtest/fill-model.ts';
import { fitLogistic } from '../../src/backtest/logistic.ts';
import type { OrderId } from '../../src/domain/index.ts';
import type { Vanished } from '../../src/traders/index.ts';

const vanished = (fields: Partial<Vanished> = {}): Vanished => ({
  id: 'o' as OrderId,
  ts: 0,
  isTop: true,
  place: 0,
  payout: 200,
  risk: 100,
  ahead: 0,
  price: 0.5,
  best: 0.5,
  ageMs: 900,
  isNextTaken: false,
  together: 1,
  facingBefore: 0.48,
  facingAfter: 0.48,
  live: false,
  toStartMs: 0,
  proof: undefined,
  ...fields,
});

it('the features of the fill model can be worked out by hand', () => {
  const offer = vanished({ place: 1, ahead: 99, price: 0.48, facingBefore: 0.46, facingAfter: 0.525 });
  const figures = Object.fromEntries(Object.entries(FILL_FEATURES).map(([name, figure]) => [name, figure(offer)]));
  expect(figures).toEqual({
    top: 1,
    rank: Math.LN2,
    size: expect.closeTo(Math.log(200.1), 12) as number,
    ahead: Math.log(100),
    // the middle of .50 and 1 − .46 is .52
    distance: expect.closeTo(0.04, 12) as number,
    age: Math.log(1000),
    together: Math.LN2,
    next: 0,
    moved: expect.closeTo(0.065, 12) as number,
    // .525 against the .52 across
    beyond: expect.closeTo(0.005, 12) as number,
    met: expect.closeTo(Math.exp(-0.5), 12) as number,
    live: 0,
    start: 0,
  });
  const alone = vanished({ facingBefore: undefined, facingAfter: undefined });
  expect(FILL_FEATURES.distance(alone)).toBe(0);
  expect([FILL_FEATURES.moved, FILL_FEATURES.beyond, FILL_FEATURES.met].map((figure) => figure(alone))).toEqual([
    0, 0, 0,
  ]);
});

const model = (fields: Partial<FillModel> = {}): FillModel => ({
  fillModel: 1,
  name: 'made',
  horizonMs: FILL_HORIZON_MS,
  bias: 0,
  lean: 0.5,
  features: [{ name: 'top', mean: 0.5, deviation: 0.5, weight: Math.log(3) }],
  ...fields,
});

describe('a probability of the fill model', () => {
  it('is linear in log-odds: three to one a deviation above the mean, one to three a deviation below', () => {
    const probability = takenProbability(model());
    expect(probability(vanished())).toBeCloseTo(0.75, 12);
    expect(probability(vanished({ isTop: false }))).toBeCloseTo(0.25, 12);
  });

  it('moves by the odds of its lean, down to 0 and up to 1', () => {
    const probabilityAt = (lean: number) => takenProbability(model({ lean }))(vanished());
    expect(probabilityAt(0.25)).toBeCloseTo(0.5, 12);
    expect([probabilityAt(0), probabilityAt(1)]).toEqual([0, 1]);
  });
});

describe('a draw of the fill model', () => {
  const half = drawnBy(() => 0.5, 7);
  const ids = Array.from({ length: 2000 }, (_, n) => `offer-${n}`);
  const drawn = (by: typeof half) => ids.map((id) => by(vanished({ id: id as OrderId })));

  it('depends on the offer and the seed alone, and is as frequent as the probability says', () => {
    const once = drawn(half);
    expect(drawn(drawnBy(() => 0.5, 7))).toEqual(once);
    expect(drawn(drawnBy(() => 0.5, 8))).not.toEqual(once);
    expect(once.reduce((sum, draw) => sum + draw, 0) / ids.length).toBeCloseTo(0.5, 1);
  });

  it('with a larger probability takes all that one with a smaller probability takes', () => {
    const larger = drawn(drawnBy(() => 0.7, 7));
    expect(drawn(half).every((draw, index) => draw <= (larger[index] ?? 0))).toBe(true);
  });
});

describe('the logistic regression', () => {
  it('on one figure that is 0 or 1 finds the odds of both', () => {
    // ten of 40 rows at 0 are true, and 45 of 60 rows at 1
    const rowsAtZero = [...Array(40).keys()].map((n) => [0, n < 10] as const);
    const rowsAtOne = [...Array(60).keys()].map((n) => [1, n < 45] as const);
    const all = [...rowsAtZero, ...rowsAtOne];
    const { bias, means, deviations, weights } = fitLogistic(
      {
        figures: all.map(([figure]) => [figure]),
        outcomes: all.map(([, outcome]) => outcome),
        counts: all.map(() => 1),
      },
      0,
    );
    const logOddsAt = (figure: number): number =>
      bias + ((weights[0] ?? 0) * (figure - (means[0] ?? 0))) / (deviations[0] ?? 1);
    expect(logOddsAt(0)).toBeCloseTo(Math.log(10 / 30), 6);
    expect(logOddsAt(1)).toBeCloseTo(Math.log(45 / 15), 6);
  });

  it('weighs a row by its count, and gives no weight to a figure that never changes', () => {
    const { bias, weights } = fitLogistic({ figures: [[5], [5]], outcomes: [true, false], counts: [3, 1] }, 1);
    expect(bias).toBeCloseTo(Math.log(3), 6);
    expect(weights).toEqual([0]);
  });
});

/** Offers that were taken when they were at the top, with one in ten the other way round. */
const labels: readonly Labelled[] = [...Array(1000).keys()].map((n) => ({
  vanished: vanished({ id: `${n}` as OrderId, ts: n, isTop: n % 2 === 0, risk: 10 }),
  isTaken: (n % 2 === 0) !== (n % 20 === 7 || n % 20 === 14),
}));

describe('a fit of the fill model', () => {
  it('is scored on blocks that it was not made of, against the best constant', () => {
    const { score, model: found } = fitFills(labels, 'made');
    expect(score).toMatchObject({ offers: 1000, taken: 0.5, risk: 5000 });
    expect(score.brierOfConstant).toBeCloseTo(0.25, 10);
    // one in ten is wrong on both sides: p (1 − p)
    expect(score.brier).toBeCloseTo(0.09, 2);
    expect(score.riskOfModel / score.risk).toBeCloseTo(1, 1);
    expect(score.reliability.reduce((sum, { offers }) => sum + offers, 0)).toBe(1000);
    expect(takenProbability(found)(vanished())).toBeCloseTo(0.9, 1);
    expect(found.features.map(({ name }) => name)).not.toContain('live');
  });

  it('is refused when it has too few labels of a kind', () => {
    const few = labels.filter(({ isTaken }, index) => !isTaken || index < LEAST_LABELS);
    expect(() => fitFills(few, 'made')).toThrow(RangeError);
  });

  it('scores a model of one constant answer as a constant', () => {
    const { brier, brierOfConstant, riskOfModel, riskOfConstant } = scoreOf(labels, () => 0.5);
    expect(brier).toBeCloseTo(brierOfConstant, 12);
    expect(riskOfModel).toBeCloseTo(riskOfConstant, 6);
  });

  it('can use some of the figures only', () => {
    expect(fitFillModel(labels, 'made', ['top']).features.map(({ name }) => name)).toEqual(['top']);
  });
});

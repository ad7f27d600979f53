// A fill model out of labelled offers, and how good it is: judged on blocks of time that it was not fitted on, against the best
// constant there is.
import type { FillFeature, FillModel, TakenProbability } from './fill-model.ts';
import { FILL_FEATURES, FILL_HORIZON_MS, takenProbability } from './fill-model.ts';
import type { FillModelScore } from '../run/index.ts';
import type { Labelled } from './fill-labels.ts';
import { fitLogistic } from './logistic.ts';

/** What every model looks at; and what it looks at only where that helps on blocks that it was not fitted on. */
const ALWAYS = [
  ...(['top', 'rank', 'size', 'ahead', 'distance', 'age', 'together', 'next'] as const),
  ...(['moved', 'beyond', 'met'] as const),
];
const WHERE_IT_HELPS = ['live', 'start'] as const;

const RIDGE = 1;
/** An offer counts by its stake, so that filled risk and not only the number of fills is met: up to that, dollars. */
const MOST_STAKE = 200;
const LEAST_COUNT = 0.2;
const PER_DOLLAR = 1 / 50;

export function fitFillModel(labels: readonly Labelled[], name: string, features: readonly FillFeature[]): FillModel {
  const figures: readonly ((of: Labelled['of']) => number)[] = features.map((feature) => FILL_FEATURES[feature]);
  const { bias, means, deviations, weights } = fitLogistic(
    {
      figures: labels.map(({ of }) => figures.map((figure) => figure(of))),
      outcomes: labels.map(({ isTaken }) => isTaken),
      counts: labels.map(({ of }) => LEAST_COUNT + PER_DOLLAR * Math.min(of.risk, MOST_STAKE)),
    },
    RIDGE,
  );
  return {
    fillModel: 1,
    name,
    horizonMs: FILL_HORIZON_MS,
    bias: rounded(bias),
    features: features.map((feature, k) => ({
      name: feature,
      mean: rounded(means[k] ?? 0),
      deviation: rounded(deviations[k] ?? 1),
      weight: rounded(weights[k] ?? 0),
    })),
    lean: 0.5,
  };
}

const rounded = (value: number): number => Number(value.toPrecision(6));

/** One block of time after the other, each with a model that has not seen it. Times are Unix ms. */
export type HeldOut = {
  /** Of each block the model that has not seen it. */
  readonly models: readonly FillModel[];
  /** Where each block but the first begins. */
  readonly bounds: readonly number[];
};

/** As many labels in each block. */
export function heldOutModels(labels: readonly Labelled[], blocks: number, features: readonly FillFeature[]): HeldOut {
  const times = labels.map(({ of }) => of.ts).sort((a, b) => a - b);
  const bounds = Array.from(
    { length: blocks - 1 },
    (_, k) => times[Math.floor(((k + 1) * times.length) / blocks)] ?? Number.POSITIVE_INFINITY,
  );
  const models = Array.from({ length: blocks }, (_, block) =>
    fitFillModel(
      labels.filter(({ of }) => blockOf(bounds, of.ts) !== block),
      `block ${block + 1} of ${blocks} held out`,
      features,
    ),
  );
  return { bounds, models };
}

const blockOf = (bounds: readonly number[], ts: number): number => bounds.filter((bound) => ts >= bound).length;

/** Each offer by the model that has not seen its block. */
export function heldOutProbability({ models, bounds }: HeldOut): TakenProbability {
  const probabilities = models.map(takenProbability);
  return (of) => probabilities[blockOf(bounds, of.ts)]?.(of) ?? 0;
}

export type FillScore = {
  readonly offers: number;
  /** Share of them that was taken: the best constant. */
  readonly taken: number;
  /** Mean of (probability − outcome)², of the model and of the best constant. */
  readonly brier: number;
  readonly brierOfConstant: number;
  /** Stakes taken, dollars: in truth, by the model, by the best constant. */
  readonly risk: number;
  readonly riskOfModel: number;
  readonly riskOfConstant: number;
  /** By tenths of the probability: how many offers, how many were expected to be taken, and were. */
  readonly reliability: readonly {
    readonly offers: number;
    readonly expected: number;
    readonly taken: number;
  }[];
};

export const TENTHS = 10;

export function scoreOf(labels: readonly Labelled[], probability: TakenProbability): FillScore {
  const taken = labels.reduce((sum, { isTaken }) => sum + Number(isTaken), 0);
  const share = labels.length === 0 ? 0 : taken / labels.length;
  const reliability = Array.from({ length: TENTHS }, () => ({ offers: 0, expected: 0, taken: 0 }));
  const sums = { brier: 0, brierOfConstant: 0, risk: 0, riskOfModel: 0, riskOfConstant: 0 };
  for (const { of, isTaken } of labels) {
    const p = probability(of);
    const outcome = Number(isTaken);
    sums.brier += (p - outcome) ** 2 / labels.length;
    sums.brierOfConstant += (share - outcome) ** 2 / labels.length;
    sums.risk += of.risk * outcome;
    sums.riskOfModel += of.risk * p;
    sums.riskOfConstant += of.risk * share;
    const tenth = reliability[Math.min(TENTHS - 1, Math.floor(p * TENTHS))];
    if (tenth === undefined) continue;
    tenth.offers += 1;
    tenth.expected += p;
    tenth.taken += outcome;
  }
  return { offers: labels.length, taken: share, ...sums, reliability };
}

/** As a model keeps it. */
const modelScore = (score: FillScore): FillModelScore => ({
  offers: score.offers,
  brier: rounded(score.brier),
  brierOfConstant: rounded(score.brierOfConstant),
  stakes: rounded(score.riskOfModel / score.risk),
  stakesOfConstant: rounded(score.riskOfConstant / score.risk),
  reliability: score.reliability.map(({ offers, expected, taken }) => ({
    offers,
    expected: Math.round(10 * expected) / 10,
    taken,
  })),
});

export type FillFit = { readonly model: FillModel; readonly score: FillScore; readonly heldOut: HeldOut };

/** Blocks of time that are held out, one after the other. */
export const BLOCKS = 8;

/** Fewer labels of one kind fit nothing. */
export const LEAST_LABELS = 50;

/** @throws RangeError with too few labels of a kind: look at their number before (LEAST_LABELS) */
export function fitFills(labels: readonly Labelled[], name: string): FillFit {
  const taken = labels.reduce((sum, { isTaken }) => sum + Number(isTaken), 0);
  if (Math.min(taken, labels.length - taken) < LEAST_LABELS) throw new RangeError('too few labels');
  const tried = [ALWAYS, [...ALWAYS, ...WHERE_IT_HELPS]].map((features) => {
    const heldOut = heldOutModels(labels, BLOCKS, features);
    return { features, heldOut, score: scoreOf(labels, heldOutProbability(heldOut)) };
  });
  const [plain, more] = tried as [(typeof tried)[number], (typeof tried)[number]];
  const best = more.score.brier < plain.score.brier ? more : plain;
  const model = { ...fitFillModel(labels, name, best.features), score: modelScore(best.score) };
  return { model, score: best.score, heldOut: best.heldOut };
}
